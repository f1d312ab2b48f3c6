/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "diff.h"
#include "tape.h"
#include "walk.h"

mechanical_system *system_new(void)
{
    mechanical_system *s = noslip_calloc(1, sizeof *s);
    if (!s) return NULL;
    s->g = graph_new();
    s->names = s->g ? scope_new(s->g) : NULL;
    if (!s->names) {
        system_free(s);
        return NULL;
    }
    expr zero = graph_const(s->g, 0);
    s->kinetic = s->potential = s->dissipation = zero;
    s->gravity = value_vector((const expr[]){zero, zero, zero}, 3);
    return s;
}

void system_free(mechanical_system *s)
{
    if (!s) return;
    array_free(&s->parameters);
    array_free(&s->coordinates);
    array_free(&s->constraints);
    array_free(&s->quasi);
    scope_free(s->names);
    graph_free(s->g);
    noslip_free(s);
}

/* An error of the scope has words but no place: give it one. */
static noslip_status point_at(origin at, noslip_status status, noslip_error *err)
{
    if (status != NOSLIP_ERR_FORMULA || !err || !at.src) return status;
    noslip_error bare = *err;
    source_fail(at.src, at.from, at.to, err, status, "%s", bare.message);
    if (bare.hint[0]) noslip_hint(err, "%s", bare.hint);
    return status;
}

/* The name as the graph keeps it, and the symbol. */
static noslip_status add_symbol(mechanical_system *s, const char *name, size_t n, symbol_kind kind,
                                origin at, expr *self, const char **kept, noslip_error *err)
{
    noslip_status status = scope_symbol(s->names, name, n, kind, err);
    if (status != NOSLIP_OK) return point_at(at, status, err);
    *self = s->g->symbols.at[s->g->symbols.n - 1].self;
    *kept = s->g->symbols.at[s->g->symbols.n - 1].name;
    return NOSLIP_OK;
}

noslip_status system_add_parameter(mechanical_system *s, const char *name, size_t n, origin at,
                                   noslip_error *err)
{
    system_parameter p = {.formula = graph_const(s->g, 0), .at = at};
    noslip_status status = add_symbol(s, name, n, SYMBOL_PARAMETER, at, &p.symbol, &p.name, err);
    if (status != NOSLIP_OK) return status;
    return array_push(&s->parameters, p) ? NOSLIP_OK : noslip_fail_memory(err);
}

noslip_status system_add_coordinate(mechanical_system *s, const char *name, size_t n, origin at,
                                    noslip_error *err)
{
    system_coordinate c = {.force = graph_const(s->g, 0), .at = at};
    noslip_status status = add_symbol(s, name, n, SYMBOL_COORDINATE, at, &c.symbol, &c.name, err);
    if (status != NOSLIP_OK) return status;
    if (graph_rate(s->g, c.symbol) == EXPR_NONE) return noslip_fail_memory(err);
    return array_push(&s->coordinates, c) ? NOSLIP_OK : noslip_fail_memory(err);
}

noslip_status system_add_quasi(mechanical_system *s, const char *name, size_t n, expr form,
                               origin at, noslip_error *err)
{
    system_quasi w = {.form = form, .at = at};
    noslip_status status = add_symbol(s, name, n, SYMBOL_QUASI, at, &w.symbol, &w.name, err);
    if (status != NOSLIP_OK) return status;
    return array_push(&s->quasi, w) ? NOSLIP_OK : noslip_fail_memory(err);
}

/* T = m v.v/2 + o.(I o)/2 with o the angular velocity in the axes of I; V = -m g.r. */
noslip_status system_add_body(mechanical_system *s, const rigid_body *b, noslip_error *err)
{
    graph *g = s->g;
    value velocity = value_rate(g, &b->position), frame = value_omega(g, &b->rotation);
    value omega = value_add(g, &frame, &b->spin), momentum = value_mul(g, &b->inertia, &omega);
    expr half = graph_const(g, 0.5);
    expr moving = expr_mul(g, half, expr_mul(g, b->mass, value_dot(g, &velocity, &velocity)));
    expr turning = expr_mul(g, half, value_dot(g, &omega, &momentum));
    s->kinetic = expr_add(g, s->kinetic, expr_add(g, moving, turning));
    s->potential =
        expr_sub(g, s->potential, expr_mul(g, b->mass, value_dot(g, &s->gravity, &b->position)));
    return graph_status(g) == NOSLIP_OK ? NOSLIP_OK : noslip_fail_memory(err);
}

noslip_status system_add_force_at(mechanical_system *s, const value *point, const value *force,
                                  noslip_error *err)
{
    for (size_t i = 0; i < s->coordinates.n; i++) {
        system_coordinate *c = &s->coordinates.at[i];
        expr one = graph_const(s->g, 1);
        value lever = value_vector((const expr[]){0, 0, 0}, 3);
        if (diff_forward(s->g, point->at, 3, &c->symbol, &one, 1, lever.at) != NOSLIP_OK)
            return noslip_fail_memory(err);
        c->force = expr_add(s->g, c->force, value_dot(s->g, force, &lever));
    }
    return graph_status(s->g) == NOSLIP_OK ? NOSLIP_OK : noslip_fail_memory(err);
}

/* Circles. A parameter is known if all that its formula names is; what never becomes known stands in a circle or hangs
 * on one. */
typedef struct {
    const mechanical_system *s;
    const double *const *fixed;
    size_t *index; /* by symbol: the parameter, or n */
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

static noslip_status refuse_circles(const mechanical_system *s, const double *const *fixed,
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
typedef struct {
    tape *t;
    tape_work *w;
    double *next;
} parameter_tape;

static noslip_status open_parameters(const mechanical_system *s, parameter_tape *p,
                                     noslip_error *err)
{
    size_t n = s->parameters.n;
    expr *in = noslip_calloc(2 * n, sizeof *in), *out = in ? in + n : NULL;
    p->next = noslip_calloc(n, sizeof *p->next);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (in && p->next) {
        for (size_t k = 0; k < n; k++) {
            in[k] = s->parameters.at[k].symbol;
            out[k] = s->parameters.at[k].formula;
        }
        const tape_spec spec = {.in = in, .n_in = n, .out = out, .n_out = n};
        status = tape_compile(s->g, &spec, &p->t, err);
    } else
        noslip_fail_memory(err);
    noslip_free(in);
    if (status == NOSLIP_OK && !(p->w = tape_work_new(p->t))) status = noslip_fail_memory(err);
    return status;
}

/* Same bits, or both not a number. */
static bool same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static noslip_status settle(const mechanical_system *s, parameter_tape *p,
                            const double *const *fixed, double *values, noslip_error *err)
{
    size_t n = s->parameters.n;
    for (size_t k = 0; k < n; k++) values[k] = fixed && fixed[k] ? *fixed[k] : (double)NAN;
    for (bool moved = true; moved;) {
        moved = false;
        tape_point(p->w, values, p->next);
        for (size_t k = 0; k < n; k++) {
            double next = fixed && fixed[k] ? *fixed[k] : p->next[k];
            moved = moved || !same(next, values[k]);
            values[k] = next;
        }
    }
    for (size_t k = 0; k < n; k++)
        if (!isfinite(values[k])) return fail_parameter(&s->parameters.at[k], "is not finite", err);
    return NOSLIP_OK;
}

noslip_status system_evaluate_parameters(const mechanical_system *s, const double *const *fixed,
                                         double *values, noslip_error *err)
{
    parameter_tape p = {0};
    if (!s->parameters.n) return NOSLIP_OK;
    noslip_status status = refuse_circles(s, fixed, err);
    if (status == NOSLIP_OK) status = open_parameters(s, &p, err);
    if (status == NOSLIP_OK) status = settle(s, &p, fixed, values, err);
    tape_work_free(p.w);
    tape_free(p.t);
    noslip_free(p.next);
    return status;
}

noslip_status system_evaluate(const mechanical_system *s, const double *parameters, const expr *e,
                              size_t n, double *out, noslip_error *err)
{
    expr *in = noslip_calloc(s->parameters.n, sizeof *in);
    if (!in) return noslip_fail_memory(err);
    for (size_t k = 0; k < s->parameters.n; k++) in[k] = s->parameters.at[k].symbol;
    const tape_spec spec = {.in = in, .n_in = s->parameters.n, .out = e, .n_out = n};
    tape *t = NULL;
    noslip_status status = tape_compile(s->g, &spec, &t, err);
    tape_work *w = status == NOSLIP_OK ? tape_work_new(t) : NULL;
    if (status == NOSLIP_OK) status = w ? tape_point(w, parameters, out) : noslip_fail_memory(err);
    tape_work_free(w);
    tape_free(t);
    noslip_free(in);
    return status;
}
