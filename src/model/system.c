/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system.h"

#include <string.h>

#include "alloc.h"
#include "diff.h"
#include "tape.h"

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
