/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chain.h"

static expr one_plus(graph *g, expr x)
{
    return expr_add(g, graph_const(g, 1), x);
}

static expr one_minus(graph *g, expr x)
{
    return expr_sub(g, graph_const(g, 1), x);
}

static expr square(graph *g, expr x)
{
    return expr_mul(g, x, x);
}

static expr sum_of_squares(graph *g, expr x, expr y)
{
    return expr_add(g, square(g, x), square(g, y));
}

/* d(a^b)/db = a^b log(a). Where the base is a number that has no logarithm: 0^b is 0 for b > 0, and 0^b/b is so, too,
 * and not finite elsewhere; a negative number to a power that varies has no derivative, and log(a - |b|) says so. */
static expr exponent_slope(graph *g, expr e)
{
    const node n = *graph_at(g, e);
    double c;
    if (!graph_is_const(g, n.a, &c) || c > 0) return expr_mul(g, e, graph_apply(g, OP_LOG, n.a, 0));
    if (c == 0) return expr_div(g, e, n.b);
    return expr_mul(g, e,
                    graph_apply(g, OP_LOG, expr_sub(g, n.a, graph_apply(g, OP_ABS, n.b, 0)), 0));
}

static expr power_step(graph *g, expr e, int which, expr t)
{
    const node n = *graph_at(g, e); /* a copy: building below may move the array */
    if (which == 1) return expr_mul(g, t, exponent_slope(g, e));
    expr lower = expr_sub(g, n.b, graph_const(g, 1));
    return expr_mul(g, t, expr_mul(g, n.b, graph_apply(g, OP_POW, n.a, lower)));
}

expr chain_step(graph *g, expr e, int which, expr t)
{
    if (t == EXPR_NONE) return EXPR_NONE;
    const node n = *graph_at(g, e);
    switch ((op)n.op) {
    case OP_NEG: return expr_neg(g, t);
    case OP_ADD: return t;
    case OP_SUB: return which == 0 ? t : expr_neg(g, t);
    case OP_MUL: return expr_mul(g, t, which == 0 ? n.b : n.a);
    case OP_DIV:
        if (which == 0) return expr_div(g, t, n.b);
        return expr_neg(g, expr_mul(g, expr_div(g, t, n.b), e));
    case OP_POW: return power_step(g, e, which, t);
    case OP_SIN: return expr_mul(g, t, graph_apply(g, OP_COS, n.a, 0));
    case OP_COS: return expr_neg(g, expr_mul(g, t, graph_apply(g, OP_SIN, n.a, 0)));
    case OP_TAN: return expr_mul(g, t, one_plus(g, square(g, e)));
    case OP_ASIN: return expr_div(g, t, graph_apply(g, OP_SQRT, one_minus(g, square(g, n.a)), 0));
    case OP_ACOS:
        return expr_neg(g,
                        expr_div(g, t, graph_apply(g, OP_SQRT, one_minus(g, square(g, n.a)), 0)));
    case OP_ATAN: return expr_div(g, t, one_plus(g, square(g, n.a)));
    case OP_SINH: return expr_mul(g, t, graph_apply(g, OP_COSH, n.a, 0));
    case OP_COSH: return expr_mul(g, t, graph_apply(g, OP_SINH, n.a, 0));
    case OP_TANH: return expr_mul(g, t, one_minus(g, square(g, e)));
    case OP_EXP: return expr_mul(g, t, e);
    case OP_LOG: return expr_div(g, t, n.a);
    case OP_SQRT: return expr_div(g, expr_mul(g, graph_const(g, 0.5), t), e);
    case OP_ABS: return expr_mul(g, t, expr_div(g, n.a, e));
    case OP_ATAN2: {
        expr lever = which == 0 ? n.b : expr_neg(g, n.a);
        return expr_div(g, expr_mul(g, t, lever), sum_of_squares(g, n.a, n.b));
    }
    case OP_CONST:
    case OP_SYMBOL:
    case OP_COUNT: break;
    }
    return graph_const(g, 0);
}

bool chain_is_zero(const graph *g, expr e)
{
    double c;
    return graph_is_const(g, e, &c) && c == 0;
}

expr chain_tangent(graph *g, expr e, expr da, expr db)
{
    if (da == EXPR_NONE || db == EXPR_NONE) return EXPR_NONE;
    const node n = *graph_at(g, e);
    if (chain_is_zero(g, db)) return chain_is_zero(g, da) ? da : chain_step(g, e, 0, da);
    if (chain_is_zero(g, da)) return chain_step(g, e, 1, db);
    switch ((op)n.op) { /* both operands move: one division instead of two */
    case OP_SUB: return expr_sub(g, da, db);
    case OP_DIV: return expr_div(g, expr_sub(g, da, expr_mul(g, e, db)), n.b);
    case OP_ATAN2: {
        expr turned = expr_sub(g, expr_mul(g, da, n.b), expr_mul(g, n.a, db));
        return expr_div(g, turned, sum_of_squares(g, n.a, n.b));
    }
    default: return expr_add(g, chain_step(g, e, 0, da), chain_step(g, e, 1, db));
    }
}
