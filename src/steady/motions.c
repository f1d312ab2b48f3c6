/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motions.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "search.h"

noslip_status motions_solver(const noslip_model *r, steady **out, noslip_error *err)
{
    size_t k = r->c->conditions.n;
    expr *conditions = noslip_calloc(k, sizeof *conditions);
    if (!conditions) return noslip_fail_memory(err);
    for (size_t i = 0; i < k; i++) conditions[i] = r->c->conditions.at[i].e;
    noslip_status status = steady_new(r->m, conditions, k, out, err);
    noslip_free(conditions);
    return status;
}

static noslip_status open_steady(noslip_model *r, noslip_steady **out, noslip_error *err)
{
    noslip_steady *s = noslip_calloc(1, sizeof *s);
    if (!s) return noslip_fail_memory(err);
    s->r = r;
    noslip_status status = motions_solver(r, &s->s, err);
    if (status == NOSLIP_OK)
        *out = s;
    else
        noslip_steady_free(s);
    return status;
}

void noslip_steady_free(noslip_steady *s)
{
    if (!s) return;
    for (size_t k = 0; k < s->motions.n; k++) noslip_free(s->motions.at[k].q);
    array_free(&s->motions);
    noslip_free(s->box);
    steady_free(s->s);
    noslip_free(s);
}

/* Keep the point where the solver stands. */
static noslip_status keep(noslip_steady *s, const steady_info *info, noslip_error *err)
{
    const model *m = s->r->m;
    const reduced *point = steady_point(s->s);
    size_t n = m->n, f = m->f, N = m->n_positional + f, h = m->n_constraints;
    steady_motion x = {.info = *info};
    noslip_status status = power_at(s->s, &x.power, err);
    if (status != NOSLIP_OK) return status;
    x.q = noslip_calloc(2 * n + f + h + info->free_directions * N, sizeof(double));
    if (!x.q || !array_push(&s->motions, x)) {
        noslip_free(x.q);
        return noslip_fail_memory(err);
    }
    steady_motion *y = &s->motions.at[s->motions.n - 1];
    y->v = y->q + n;
    y->w = y->v + n;
    y->lambda = y->w + f;
    y->open = y->lambda + h;
    memcpy(y->q, point->e->q, n * sizeof(double));
    memcpy(y->v, point->e->v, n * sizeof(double));
    memcpy(y->w, point->w, f * sizeof(double));
    memcpy(y->lambda, point->lambda, h * sizeof(double));
    memcpy(y->open, steady_open(s->s), info->free_directions * N * sizeof(double));
    return NOSLIP_OK;
}

static noslip_status solve(noslip_steady *s, noslip_error *err)
{
    const noslip_model *r = s->r;
    size_t n = r->m->n, f = r->m->f;
    double *q = noslip_calloc(n + f, sizeof *q), *w = q ? q + n : NULL;
    if (!q) return noslip_fail_memory(err);
    memcpy(q, r->q, n * sizeof *q);
    memcpy(w, r->w, f * sizeof *w);
    steady_info info;
    noslip_status status = steady_solve(s->s, r->c->parameters, q, w, &info);
    noslip_free(q);
    if (status != NOSLIP_OK) return explain_failure(r, s->s, status, &info, err);
    return keep(s, &info, err);
}

noslip_status noslip_steady_find(noslip_model *m, noslip_steady **out, noslip_error *err)
{
    noslip_steady *s;
    noslip_status status = open_steady(m, &s, err);
    if (status != NOSLIP_OK) return status;
    status = solve(s, err);
    if (status == NOSLIP_OK)
        *out = s;
    else
        noslip_steady_free(s);
    return status;
}

/* All of them */

noslip_search noslip_search_default(void)
{
    return (noslip_search){.starts = 500};
}

void motions_box(const noslip_model *r, double *from, double *to)
{
    const model *m = r->m;
    size_t p = m->n_positional;
    for (size_t k = 0; k < p + m->f; k++) {
        double guess = k < p ? r->q[m->positional[k]] : r->w[k - p];
        double half = k < p ? 3.2 : fmax(10, 2 * fabs(guess));
        from[k] = guess - half;
        to[k] = guess + half;
    }
}

static noslip_status fill_box(const noslip_model *r, const noslip_search *o, double *from,
                              double *to, noslip_error *err)
{
    size_t N = r->m->n_positional + r->m->f;
    motions_box(r, from, to);
    for (size_t i = 0; i < o->n_ranges; i++) {
        const noslip_range *x = &o->ranges[i];
        size_t k = 0;
        while (k < N && strcmp(noslip_model_state(r, k), x->name) != 0) k++;
        if (k == N)
            return noslip_fail(err, NOSLIP_ERR_ARG,
                               "'%s' is neither a positional coordinate nor a quasi-velocity",
                               x->name);
        if (!(x->from < x->to) || !isfinite(x->to - x->from))
            return noslip_fail(err, NOSLIP_ERR_ARG, "the range of '%s' is empty or not finite",
                               x->name);
        from[k] = x->from;
        to[k] = x->to;
    }
    return NOSLIP_OK;
}

/* Solve once more at a point found, to have all that belongs to it. */
static noslip_status keep_found(noslip_steady *s, const double *x, double *q, noslip_error *err)
{
    const model *m = s->r->m;
    size_t p = m->n_positional;
    double *w = q + m->n;
    steady_info info;
    memcpy(q, s->r->q, m->n * sizeof *q);
    for (size_t k = 0; k < p; k++) q[m->positional[k]] = x[k];
    memcpy(w, x + p, m->f * sizeof *w);
    noslip_status status = steady_solve(s->s, s->r->c->parameters, q, w, &info);
    return status == NOSLIP_OK ? keep(s, &info, err)
                               : noslip_fail(err, status, "a steady motion was found and lost");
}

static noslip_status check_found(const search_result *found, noslip_error *err)
{
    if (found->open) {
        noslip_fail(err, NOSLIP_ERR_ARG,
                    "the conditions leave the steady motion open: there are infinitely many");
        noslip_hint(err,
                    "add equations under 'with' (noslip steady shows which directions are free)");
        return NOSLIP_ERR_ARG;
    }
    if (found->n) return NOSLIP_OK;
    return noslip_fail(err, NOSLIP_NO_CONVERGENCE, "no steady motion was found in the box");
}

static noslip_status search(noslip_steady *s, const noslip_search *o, noslip_error *err)
{
    const model *m = s->r->m;
    size_t N = m->n_positional + m->f;
    double *from = noslip_calloc(2 * N + m->n + m->f, sizeof *from);
    s->box = from;
    s->starts = o->starts;
    if (!from) return noslip_fail_memory(err);
    double *to = from + N, *q = to + N;
    search_result found = {0};
    const search_box box = {s->r->c->parameters, s->r->q, from, to, o->starts};
    noslip_status status = fill_box(s->r, o, from, to, err);
    if (status == NOSLIP_OK) {
        status = search_all(s->s, &box, &found);
        if (status != NOSLIP_OK) noslip_fail(err, status, "%s", noslip_status_text(status));
    }
    if (status == NOSLIP_OK) status = check_found(&found, err);
    for (size_t k = 0; k < found.n && status == NOSLIP_OK; k++)
        status = keep_found(s, found.x.at + k * N, q, err);
    search_result_free(&found);
    return status;
}

noslip_status noslip_steady_find_all(noslip_model *m, const noslip_search *o, noslip_steady **out,
                                     noslip_error *err)
{
    noslip_steady *s;
    if (o->starts < 1) return noslip_fail(err, NOSLIP_ERR_ARG, "at least one start is needed");
    noslip_status status = open_steady(m, &s, err);
    if (status != NOSLIP_OK) return status;
    status = search(s, o, err);
    if (status == NOSLIP_OK)
        *out = s;
    else
        noslip_steady_free(s);
    return status;
}

/* What was found */

size_t noslip_steady_count(const noslip_steady *s)
{
    return s->motions.n;
}

int noslip_steady_starts(const noslip_steady *s)
{
    return s->starts;
}

noslip_range noslip_steady_range(const noslip_steady *s, size_t k)
{
    size_t N = s->r->m->n_positional + s->r->m->f;
    if (!s->box || k >= N) return (noslip_range){0};
    return (noslip_range){noslip_model_state(s->r, k), s->box[k], s->box[N + k]};
}

noslip_steady_info noslip_steady_about(const noslip_steady *s, size_t motion)
{
    const steady_info *i = &s->motions.at[motion].info;
    return (noslip_steady_info){i->manifold,   i->levels,   i->free_directions, i->spare,
                                i->iterations, i->residual, i->gap_above,       i->gap_below};
}

double noslip_steady_state(const noslip_steady *s, size_t motion, size_t k)
{
    const model *m = s->r->m;
    const steady_motion *x = &s->motions.at[motion];
    return k < m->n_positional ? x->q[m->positional[k]] : x->w[k - m->n_positional];
}

double noslip_steady_rate(const noslip_steady *s, size_t motion, size_t k)
{
    return s->motions.at[motion].v[k];
}

double noslip_steady_coordinate(const noslip_steady *s, size_t motion, size_t k)
{
    return s->motions.at[motion].q[k];
}

double noslip_steady_reaction(const noslip_steady *s, size_t motion, size_t k)
{
    const model *m = s->r->m;
    for (size_t i = 0; i < m->n_constraints; i++)
        if (m->constraint[i] == k) return s->motions.at[motion].lambda[i];
    return 0;
}

double noslip_steady_free_direction(const noslip_steady *s, size_t motion, size_t d, size_t k)
{
    const model *m = s->r->m;
    return s->motions.at[motion].open[d * (m->n_positional + m->f) + k];
}

noslip_power noslip_steady_power(const noslip_steady *s, size_t motion)
{
    return s->motions.at[motion].power;
}
