/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "follow.h"

noslip_trace_options noslip_trace_default(void)
{
    return (noslip_trace_options){.steps = 200};
}

/* What is asked */

typedef struct {
    size_t parameter, steps;
    double from, to;
    const case_trace *asked;
} request;

static noslip_status find_parameter(const mechanical_system *y, const char *name, size_t *out,
                                    noslip_error *err)
{
    for (*out = 0; *out < y->parameters.n; ++*out)
        if (strcmp(y->parameters.at[*out].name, name) == 0) break;
    if (*out == y->parameters.n)
        return noslip_fail(err, NOSLIP_ERR_ARG, "the case has no parameter '%.60s'", name);
    if (scope_find(y->names, name)->used_as_index)
        return noslip_fail(err, NOSLIP_ERR_ARG,
                           "the parameter '%.60s' counts members or terms and cannot be varied",
                           name);
    return NOSLIP_OK;
}

static noslip_status find_asked(const noslip_case *c, size_t which, request *q, noslip_error *err)
{
    if (which >= c->traces.n) {
        noslip_fail(err, NOSLIP_ERR_ARG, "the case asks for %s trace",
                    c->traces.n ? "no such" : "no");
        return NOSLIP_ERR_ARG;
    }
    const case_trace *t = q->asked = &c->traces.at[which];
    double end[2];
    noslip_status status =
        system_evaluate(c->system, c->parameters, (const expr[]){t->from, t->to}, 2, end, err);
    if (status == NOSLIP_NOT_FINITE)
        return noslip_fail(err, NOSLIP_ERR_ARG, "an end of the range is not finite");
    q->parameter = t->parameter;
    q->from = end[0];
    q->to = end[1];
    return status;
}

static noslip_status understand(const noslip_case *c, const noslip_trace_options *o, request *q,
                                noslip_error *err)
{
    *q = (request){.from = o->from, .to = o->to, .steps = o->steps};
    noslip_status status = o->parameter
                               ? find_parameter(c->system, o->parameter, &q->parameter, err)
                               : find_asked(c, o->which, q, err);
    if (status != NOSLIP_OK) return status;
    for (size_t k = 0; k < c->traces.n && !q->asked;
         k++) /* the names of modes hold for another range, too */
        if (c->traces.at[k].parameter == q->parameter) q->asked = &c->traces.at[k];
    if (!isfinite(q->to - q->from) || q->from == q->to)
        return noslip_fail(err, NOSLIP_ERR_ARG, "the range is empty or not finite");
    return o->steps ? NOSLIP_OK : noslip_fail(err, NOSLIP_ERR_ARG, "at least one step is needed");
}

/* Making one */

static noslip_status allocate(noslip_trace *t)
{
    const path *p = &t->p;
    size_t n = p->n;
    t->previous = station_new(p);
    t->next = station_new(p);
    t->m = match_new(p->N, n);
    t->bent = noslip_calloc(n, sizeof *t->bent);
    t->expected = noslip_calloc(n, sizeof *t->expected);
    t->first = noslip_calloc(3 * (p->N + 1), sizeof *t->first);
    t->joined = noslip_calloc(n, sizeof *t->joined);
    t->strand = noslip_calloc(n, sizeof *t->strand);
    for (size_t k = 0; k < n && t->joined; k++) t->joined[k] = k;
    if (!t->previous || !t->next || !t->m || !t->bent || !t->expected || !t->first || !t->joined ||
        !t->strand)
        return NOSLIP_ERR_MEMORY;
    return locator_new(&t->l, &t->p);
}

static noslip_status run(noslip_trace *t, noslip_error *err)
{
    station_copy(&t->p, t->here, t->previous);
    noslip_status status = follow(t);
    if (status == NOSLIP_OK) status = make_modes(t);
    if (status == NOSLIP_OK) status = make_ranges(t);
    return status == NOSLIP_OK ? status : noslip_fail_memory(err);
}

static noslip_status open_trace(noslip_model *r, const request *q, noslip_trace **out,
                                noslip_error *err)
{
    noslip_trace *t = noslip_calloc(1, sizeof *t);
    if (!t) return noslip_fail_memory(err);
    t->asked = q->asked;
    t->steps = q->steps;
    t->longest = 1.0 / (double)q->steps;
    noslip_status status = path_open(&t->p, r, q->parameter, q->from, q->to, &t->here, err);
    if (status == NOSLIP_OK && allocate(t) != NOSLIP_OK) status = noslip_fail_memory(err);
    if (status == NOSLIP_OK)
        *out = t;
    else
        noslip_trace_free(t);
    return status;
}

noslip_status noslip_trace_follow(noslip_model *m, const noslip_trace_options *o,
                                  noslip_trace **out, noslip_error *err)
{
    request q;
    noslip_trace *t;
    noslip_status status = understand(m->c, o, &q, err);
    if (status == NOSLIP_OK) status = open_trace(m, &q, &t, err);
    if (status != NOSLIP_OK) return status;
    status = run(t, err);
    if (status == NOSLIP_OK)
        *out = t;
    else
        noslip_trace_free(t);
    return status;
}

void noslip_trace_free(noslip_trace *t)
{
    if (!t) return;
    locator_free(&t->l);
    match_free(t->m);
    station_free(t->previous);
    station_free(t->here);
    station_free(t->next);
    noslip_free(t->bent);
    noslip_free(t->expected);
    noslip_free(t->first);
    noslip_free(t->joined);
    noslip_free(t->strand);
    noslip_free(t->modes);
    noslip_free(t->names);
    array_free(&t->alpha);
    array_free(&t->states);
    array_free(&t->roots);
    array_free(&t->verdicts);
    array_free(&t->criticals);
    array_free(&t->places);
    array_free(&t->ranges);
    path_close(&t->p);
    noslip_free(t);
}

/* The other branch */

noslip_status noslip_trace_switch(noslip_trace *t, size_t k, int side, noslip_trace **out,
                                  noslip_error *err)
{
    if (k >= t->criticals.n || !(t->criticals.at[k].c.motion & NOSLIP_MOTION_BRANCH))
        return noslip_fail(err, NOSLIP_ERR_ARG, "critical value %zu is no branch point", k + 1);
    const path *p = &t->p;
    request q = {p->parameter, t->steps, p->from, p->from + p->range, t->asked};
    noslip_trace *b;
    noslip_status status = open_trace((noslip_model *)p->r, &q, &b, err);
    if (status != NOSLIP_OK) return status;
    size_t cols = p->N + 1;
    const double *place = t->places.at + 2 * cols * k;
    if (step_aside(b, place, place + cols, side > 0 ? 1 : -1, b->here))
        status = run(b, err);
    else
        status = noslip_fail(err, NOSLIP_NO_CONVERGENCE,
                             "the other branch was not found at critical value %zu", k + 1);
    if (status == NOSLIP_OK)
        *out = b;
    else
        noslip_trace_free(b);
    return status;
}

/* What was found */

noslip_trace_info noslip_trace_about(const noslip_trace *t)
{
    const system_parameter *s = &t->p.r->c->system->parameters.at[t->p.parameter];
    noslip_trace_info i = {.points = t->alpha.n,
                           .states = t->p.N,
                           .roots = t->p.n,
                           .modes = t->n_modes,
                           .criticals = t->criticals.n,
                           .ranges = t->ranges.n,
                           .unclear = t->unclear,
                           .named = t->n_named,
                           .end = t->end,
                           .parameter = s->name,
                           .unit = s->unit,
                           .from = t->p.from,
                           .to = t->p.from + t->p.range};
    for (size_t k = 0; k < t->criticals.n; k++)
        i.folds += t->criticals.at[k].c.motion & NOSLIP_MOTION_FOLD;
    return i;
}

noslip_trace_mode noslip_trace_mode_at(const noslip_trace *t, size_t mode)
{
    return mode < t->n_modes ? t->modes[mode] : (noslip_trace_mode){0};
}

double noslip_trace_value(const noslip_trace *t, size_t point)
{
    return t->alpha.at[point];
}

double noslip_trace_state(const noslip_trace *t, size_t point, size_t k)
{
    return t->states.at[point * t->p.N + k];
}

noslip_root noslip_trace_root(const noslip_trace *t, size_t point, size_t k)
{
    const root *e = &t->roots.at[point * t->p.n + t->strand[k]];
    return (noslip_root){e->re, e->im, e->bound};
}

noslip_verdict noslip_trace_verdict(const noslip_trace *t, size_t point)
{
    return t->verdicts.at[point];
}

noslip_critical noslip_trace_critical(const noslip_trace *t, size_t k)
{
    return k < t->criticals.n ? t->criticals.at[k].c : (noslip_critical){0};
}

double noslip_trace_critical_state(const noslip_trace *t, size_t k, size_t j)
{
    size_t cols = t->p.N + 1;
    return path_state(&t->p, t->places.at + 2 * cols * k, j);
}

noslip_trace_range noslip_trace_range_at(const noslip_trace *t, size_t k)
{
    return k < t->ranges.n ? t->ranges.at[k] : (noslip_trace_range){0};
}
