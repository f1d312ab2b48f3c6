/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "diff.h"

#include "sweep.h"

noslip_status diff_forward(graph *g, const expr *out, size_t n_out, const expr *variable,
                           const expr *direction, size_t n_variables, expr *dout)
{
    if (graph_status(g) != NOSLIP_OK) return NOSLIP_ERR_MEMORY;
    sweep s;
    bool started = sweep_start(&s, g, out, n_out, sweep_kinds(g, variable, n_variables));
    if (started) {
        for (size_t k = 0; k < n_variables; k++) sweep_seed(&s, variable[k], direction[k]);
        sweep_upwards(&s);
        for (size_t i = 0; i < n_out; i++) dout[i] = sweep_get(&s, out[i]);
    }
    noslip_status status = sweep_status(&s, started);
    sweep_end(&s);
    return status;
}

expr diff_partial(graph *g, expr e, expr variable)
{
    expr one = graph_const(g, 1), result = EXPR_NONE;
    if (e == EXPR_NONE || one == EXPR_NONE) return EXPR_NONE;
    return diff_forward(g, &e, 1, &variable, &one, 1, &result) == NOSLIP_OK ? result : EXPR_NONE;
}

/* The rate of a symbol of the walk, as its tangent. */
static expr motion_of(graph *g, expr e)
{
    switch (g->symbols.at[graph_at(g, e)->symbol].kind) {
    case SYMBOL_TIME: return graph_const(g, 1);
    case SYMBOL_COORDINATE:
    case SYMBOL_RATE: return graph_rate(g, e);
    default: return graph_const(g, 0);
    }
}

noslip_status diff_time(graph *g, const expr *out, size_t n_out, expr *dout)
{
    if (graph_status(g) != NOSLIP_OK) return NOSLIP_ERR_MEMORY;
    for (size_t i = 0; i < n_out; i++)
        if (graph_at(g, out[i])->depends & SYMBOL_ACCELERATION) return NOSLIP_ERR_ARG;
    sweep s;
    bool started = sweep_start(&s, g, out, n_out, SYMBOL_COORDINATE | SYMBOL_RATE | SYMBOL_TIME);
    if (started) {
        for (size_t k = 0; k < s.below.nodes.n; k++) {
            expr e = s.below.nodes.at[k];
            if (graph_at(g, e)->op == OP_SYMBOL) s.at[k] = motion_of(g, e);
        }
        sweep_upwards(&s);
        for (size_t i = 0; i < n_out; i++) dout[i] = sweep_get(&s, out[i]);
    }
    noslip_status status = sweep_status(&s, started);
    sweep_end(&s);
    return status;
}

noslip_status diff_gradient(graph *g, expr e, const expr *variable, size_t n_variables,
                            expr *gradient)
{
    if (graph_status(g) != NOSLIP_OK) return NOSLIP_ERR_MEMORY;
    sweep s;
    bool started = sweep_start(&s, g, &e, 1, sweep_kinds(g, variable, n_variables));
    if (started) {
        sweep_seed(&s, e, graph_const(g, 1));
        sweep_downwards(&s);
        for (size_t k = 0; k < n_variables; k++) gradient[k] = sweep_get(&s, variable[k]);
    }
    noslip_status status = sweep_status(&s, started);
    sweep_end(&s);
    return status;
}
