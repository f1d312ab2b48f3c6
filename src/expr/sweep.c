/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sweep.h"

#include "alloc.h"
#include "chain.h"

unsigned sweep_kinds(const graph *g, const expr *variable, size_t n)
{
    unsigned kinds = 0;
    for (size_t k = 0; k < n; k++) kinds |= graph_at(g, variable[k])->depends;
    return kinds;
}

bool sweep_start(sweep *s, graph *g, const expr *out, size_t n_out, unsigned kinds)
{
    *s = (sweep){.g = g, .zero = graph_const(g, 0)};
    if (s->zero == EXPR_NONE) return false;
    if (walk_below(&s->below, g, out, n_out, kinds))
        s->at = noslip_malloc((s->below.nodes.n + 1) * sizeof *s->at);
    if (!s->at) graph_fail(g);
    for (size_t k = 0; s->at && k < s->below.nodes.n; k++) s->at[k] = s->zero;
    return s->at != NULL;
}

void sweep_end(sweep *s)
{
    walk_free(&s->below);
    noslip_free(s->at);
}

noslip_status sweep_status(const sweep *s, bool fine)
{
    return fine ? graph_status(s->g) : NOSLIP_ERR_MEMORY;
}

expr sweep_get(const sweep *s, expr e)
{
    uint32_t k = walk_number(s->g, e);
    return k == WALK_OUTSIDE ? s->zero : s->at[k];
}

void sweep_tangent(sweep *s, uint32_t number)
{
    expr e = s->below.nodes.at[number];
    const node n = *graph_at(s->g, e);
    int arity = op_arity(n.op);
    if (arity == 0) return; /* a seed, or nothing */
    expr da = sweep_get(s, n.a);
    expr db = arity > 1 ? sweep_get(s, n.b) : s->zero;
    s->at[number] = chain_tangent(s->g, e, da, db);
}

void sweep_upwards(sweep *s)
{
    for (uint32_t k = 0; k < s->below.nodes.n; k++) sweep_tangent(s, k);
}

void sweep_seed(sweep *s, expr variable, expr direction)
{
    uint32_t k = walk_number(s->g, variable);
    if (k != WALK_OUTSIDE) s->at[k] = direction;
}

static void add_adjoint(sweep *s, expr operand, expr e, int which, expr t)
{
    uint32_t k = walk_number(s->g, operand);
    if (k != WALK_OUTSIDE) s->at[k] = expr_add(s->g, s->at[k], chain_step(s->g, e, which, t));
}

void sweep_downwards(sweep *s)
{
    for (size_t k = s->below.nodes.n; k-- > 0;) {
        expr e = s->below.nodes.at[k], t = s->at[k];
        const node n = *graph_at(s->g, e);
        int arity = op_arity(n.op);
        if (t == EXPR_NONE || chain_is_zero(s->g, t)) continue;
        if (arity > 0) add_adjoint(s, n.a, e, 0, t);
        if (arity > 1) add_adjoint(s, n.b, e, 1, t);
    }
}
