/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parameters.h"

#include <math.h>

#include "alloc.h"
#include "tape.h"
#include "walk.h"

/* Circles. A parameter is known if all that its formula names is; what never becomes known stands in a circle or hangs
 * on one. */
typedef struct {
    const mechanical_system *s;
    const bool *fixed; /* NULL: none */
    size_t *index;     /* by symbol: the parameter, or n */
    bool *known;
    walk below;
} circle_search;

/* The first parameter in formula k that is not known, n if there is none. */
static size_t first_unknown(circle_search *c, size_t k, bool *fine)
{
    graph *g = c->s->g;
    size_t n = c->s->parameters.n;
    *fine = walk_below(&c->below, g, &c->s->parameters.at[k].formula, 1, SYMBOL_PARAMETER);
    for (size_t i = 0; *fine && i < c->below.nodes.n; i++) {
        const node *x = graph_at(g, c->below.nodes.at[i]);
        if (x->op != OP_SYMBOL) continue;
        size_t other = c->index[x->symbol];
        if (other < n && !c->known[other]) return other;
    }
    return n;
}

static noslip_status fail_parameter(const system_parameter *p, const char *what, noslip_error *err)
{
    if (!p->at.src) return noslip_fail(err, NOSLIP_ERR_FORMULA, "parameter '%s' %s", p->name, what);
    return source_fail(p->at.src, p->at.from, p->at.to, err, NOSLIP_ERR_FORMULA,
                       "parameter '%s' %s", p->name, what);
}

/* From one that is not known, n steps along others that are not lead into the circle. */
static noslip_status fail_circle(circle_search *c, size_t k, noslip_error *err)
{
    bool fine = true;
    for (size_t step = 0; fine && step < c->s->parameters.n; step++) k = first_unknown(c, k, &fine);
    if (!fine) return noslip_fail_memory(err);
    return fail_parameter(&c->s->parameters.at[k], "depends on itself", err);
}

static noslip_status search_circles(circle_search *c, noslip_error *err)
{
    size_t n = c->s->parameters.n, unknown = 0, left = n;
    for (size_t before = n + 1; left && left < before;) {
        before = left;
        left = 0;
        for (size_t k = 0; k < n; k++) {
            bool fine = true;
            if (c->known[k]) continue;
            c->known[k] = (c->fixed && c->fixed[k]) || first_unknown(c, k, &fine) == n;
            if (!fine) return noslip_fail_memory(err);
            if (!c->known[k]) unknown = k;
            left += !c->known[k];
        }
    }
    return left ? fail_circle(c, unknown, err) : NOSLIP_OK;
}

static noslip_status refuse_circles(const mechanical_system *s, const bool *fixed,
                                    noslip_error *err)
{
    size_t n = s->parameters.n;
    circle_search c = {.s = s, .fixed = fixed};
    c.index = noslip_calloc(s->g->symbols.n, sizeof *c.index);
    c.known = noslip_calloc(n, sizeof *c.known);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (c.index && c.known) {
        for (size_t k = 0; k < s->g->symbols.n; k++) c.index[k] = n;
        for (size_t k = 0; k < n; k++)
            c.index[graph_at(s->g, s->parameters.at[k].symbol)->symbol] = k;
        status = search_circles(&c, err);
    } else
        noslip_fail_memory(err);
    noslip_free(c.index);
    noslip_free(c.known);
    walk_free(&c.below);
    return status;
}

/* Parameters depend on each other in any order, but not in a circle: one tape gives all formulas from all values, and is run
 * until nothing changes. */
struct parameters {
    const mechanical_system *s;
    size_t n;
    tape *t;
    tape_work *w;
    double *next;
    bool *fixed;
};

static noslip_status compile(parameters *p, noslip_error *err)
{
    const mechanical_system *s = p->s;
    size_t n = p->n;
    expr *in = noslip_calloc(2 * n, sizeof *in), *out = in ? in + n : NULL;
    if (!in) return noslip_fail_memory(err);
    for (size_t k = 0; k < n; k++) {
        in[k] = s->parameters.at[k].symbol;
        out[k] = s->parameters.at[k].formula;
    }
    const tape_spec spec = {.in = in, .n_in = n, .out = out, .n_out = n};
    noslip_status status = tape_compile(s->g, &spec, &p->t, err);
    noslip_free(in);
    if (status == NOSLIP_OK && !(p->w = tape_work_new(p->t))) status = noslip_fail_memory(err);
    return status;
}

noslip_status parameters_new(const mechanical_system *s, const bool *fixed, parameters **out,
                             noslip_error *err)
{
    noslip_status status = refuse_circles(s, fixed, err);
    if (status != NOSLIP_OK) return status;
    parameters *p = noslip_calloc(1, sizeof *p);
    if (!p) return noslip_fail_memory(err);
    *p = (parameters){.s = s, .n = s->parameters.n};
    p->next = noslip_calloc(p->n, sizeof *p->next);
    p->fixed = noslip_calloc(p->n, sizeof *p->fixed);
    status = p->next && p->fixed ? compile(p, err) : noslip_fail_memory(err);
    for (size_t k = 0; k < p->n && status == NOSLIP_OK; k++) p->fixed[k] = fixed && fixed[k];
    if (status == NOSLIP_OK)
        *out = p;
    else
        parameters_free(p);
    return status;
}

void parameters_free(parameters *p)
{
    if (!p) return;
    tape_work_free(p->w);
    tape_free(p->t);
    noslip_free(p->next);
    noslip_free(p->fixed);
    noslip_free(p);
}

/* Same bits, or both not a number. */
static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

noslip_status parameters_run(parameters *p, const double *given, double *values)
{
    for (size_t k = 0; k < p->n; k++) values[k] = p->fixed[k] ? given[k] : (double)NAN;
    for (bool moved = true; moved;) {
        moved = false;
        tape_point(p->w, values, p->next);
        for (size_t k = 0; k < p->n; k++) {
            double next = p->fixed[k] ? values[k] : p->next[k];
            moved = moved || !same(next, values[k]);
            values[k] = next;
        }
    }
    for (size_t k = 0; k < p->n; k++)
        if (!isfinite(values[k])) return NOSLIP_NOT_FINITE;
    return NOSLIP_OK;
}

noslip_status parameters_fail(const parameters *p, const double *values, noslip_error *err)
{
    for (size_t k = 0; k < p->n; k++)
        if (!isfinite(values[k]))
            return fail_parameter(&p->s->parameters.at[k], "is not finite", err);
    return NOSLIP_OK;
}

noslip_status system_evaluate_parameters(const mechanical_system *s, const double *const *fixed,
                                         double *values, noslip_error *err)
{
    size_t n = s->parameters.n;
    parameters *p = NULL;
    bool *is_fixed = noslip_calloc(n, sizeof *is_fixed);
    double *given = noslip_calloc(n, sizeof *given);
    noslip_status status = is_fixed && given ? NOSLIP_OK : noslip_fail_memory(err);
    for (size_t k = 0; k < n && status == NOSLIP_OK; k++) {
        is_fixed[k] = fixed && fixed[k];
        given[k] = is_fixed[k] ? *fixed[k] : 0;
    }
    if (status == NOSLIP_OK) status = parameters_new(s, is_fixed, &p, err);
    if (status == NOSLIP_OK && parameters_run(p, given, values) != NOSLIP_OK)
        status = parameters_fail(p, values, err);
    parameters_free(p);
    noslip_free(is_fixed);
    noslip_free(given);
    return status;
}
