/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simplify.h"

#include <math.h>

#include "kernel.h"

/* Normal form, towards which all rules work:
 *
 *   - a sign stands as far outside as it can: (-x)*y is -(x*y), (-2)*x is -(2*x), and a sum takes
 * it in as a subtraction: x + -y is x - y;
 *   - the operands of + and * stand in the order of their indices, so that a*b and b*a are one
 * node;
 *   - powers of two stand in front of products and quotients: (2*x)*y is 2*(x*y), x/(4*y) is
 * 0.25*(x/y).
 *
 * All of them keep every bit of the value. Reordering sums, x*(1/y) for x/y and the like do not,
 * and are not done. An operand is dropped (0*x, x - x, x^0) only if it is defined everywhere. */

static bool is_total(const graph *g, expr e)
{
    return graph_at(g, e)->total;
}

static bool is_value(const graph *g, expr e, double value)
{
    double c;
    return graph_is_const(g, e, &c) && c == value;
}

/* The x of a node -x. */
static bool is_negated(const graph *g, expr e, expr *inner)
{
    if (graph_at(g, e)->op != OP_NEG) return false;
    *inner = graph_at(g, e)->a;
    return true;
}

/* Something whose sign can be pulled out: -x gives x, a constant -c gives c. */
static bool has_sign(graph *g, expr e, expr *inner)
{
    double c;
    if (graph_is_const(g, e, &c) && c < 0) {
        *inner = graph_const(g, -c);
        return true;
    }
    return is_negated(g, e, inner);
}

static bool is_power_of_two(double c)
{
    int exponent;
    return fabs(frexp(c, &exponent)) == 0.5 && exponent > -60 && exponent < 60;
}

static expr ordered(graph *g, op o, expr a, expr b)
{
    return a <= b ? graph_intern(g, o, a, b) : graph_intern(g, o, b, a);
}

static expr simplify_neg(graph *g, expr a)
{
    expr inner;
    const node n = *graph_at(g, a);
    if (is_negated(g, a, &inner)) return inner;
    if (n.op == OP_SUB) return expr_sub(g, n.b, n.a);
    return graph_intern(g, OP_NEG, a, 0);
}

static expr simplify_add(graph *g, expr a, expr b)
{
    expr x, y;
    if (is_value(g, a, 0)) return b;
    if (is_value(g, b, 0)) return a;
    if (has_sign(g, a, &x) && has_sign(g, b, &y)) return expr_neg(g, expr_add(g, x, y));
    if (has_sign(g, b, &y)) return expr_sub(g, a, y);
    if (has_sign(g, a, &x)) return expr_sub(g, b, x);
    if (a == b) return expr_mul(g, graph_const(g, 2), a);
    return ordered(g, OP_ADD, a, b);
}

static expr simplify_sub(graph *g, expr a, expr b)
{
    expr x, y;
    if (is_value(g, b, 0)) return a;
    if (is_value(g, a, 0)) return expr_neg(g, b);
    if (a == b && is_total(g, a)) return graph_const(g, 0);
    if (has_sign(g, b, &y)) return expr_add(g, a, y);
    if (has_sign(g, a, &x)) return expr_neg(g, expr_add(g, x, b));
    return graph_intern(g, OP_SUB, a, b);
}

/* c*(d*x) = (c*d)*x, exact if one of the two is a power of two and nothing under- or overflows. */
static bool merges_constants(const graph *g, double c, expr product, double *merged, expr *x)
{
    const node *n = graph_at(g, product);
    double d;
    if (n->op != OP_MUL) return false;
    if (graph_is_const(g, n->a, &d))
        *x = n->b;
    else if (graph_is_const(g, n->b, &d))
        *x = n->a;
    else
        return false;
    *merged = c * d;
    return (is_power_of_two(c) || is_power_of_two(d)) && isnormal(*merged);
}

/* A product with a power of two in front: 2^k*x. */
static bool has_power_of_two(const graph *g, expr e, expr *factor, expr *x)
{
    const node *n = graph_at(g, e);
    double c;
    if (n->op != OP_MUL) return false;
    bool first = graph_is_const(g, n->a, &c);
    if (!first && !graph_is_const(g, n->b, &c)) return false;
    *factor = first ? n->a : n->b;
    *x = first ? n->b : n->a;
    return is_power_of_two(c);
}

static expr simplify_mul(graph *g, expr a, expr b)
{
    expr x, y, factor;
    double c, merged;
    if (graph_is_const(g, b, NULL)) {
        expr swap = a;
        a = b;
        b = swap;
    }
    if (graph_is_const(g, a, &c)) {
        if (c == 1) return b;
        if (c == 0 && is_total(g, b)) return graph_const(g, 0);
        if (merges_constants(g, c, b, &merged, &x)) return expr_mul(g, graph_const(g, merged), x);
    }
    bool signed_a = has_sign(g, a, &x), signed_b = has_sign(g, b, &y);
    if (signed_a && signed_b) return expr_mul(g, x, y);
    if (signed_a) return expr_neg(g, expr_mul(g, x, b));
    if (signed_b) return expr_neg(g, expr_mul(g, a, y));
    if (graph_is_const(g, a, NULL)) return ordered(g, OP_MUL, a, b);
    if (has_power_of_two(g, a, &factor, &x)) return expr_mul(g, factor, expr_mul(g, x, b));
    if (has_power_of_two(g, b, &factor, &y)) return expr_mul(g, factor, expr_mul(g, a, y));
    return ordered(g, OP_MUL, a, b);
}

static expr simplify_div(graph *g, expr a, expr b)
{
    expr x, y, factor;
    double c;
    if (graph_is_const(g, b, &c)) {
        if (c == 1) return a;
        if (is_power_of_two(c)) return expr_mul(g, graph_const(g, 1 / c), a);
    }
    bool signed_a = has_sign(g, a, &x), signed_b = has_sign(g, b, &y);
    if (signed_a && signed_b) return expr_div(g, x, y);
    if (signed_a) return expr_neg(g, expr_div(g, x, b));
    if (signed_b) return expr_neg(g, expr_div(g, a, y));
    if (has_power_of_two(g, a, &factor, &x)) return expr_mul(g, factor, expr_div(g, x, b));
    if (has_power_of_two(g, b, &factor, &y)) return expr_div(g, expr_div(g, a, y), factor);
    return graph_intern(g, OP_DIV, a, b);
}

static expr whole_power(graph *g, expr x, int n)
{
    expr result = EXPR_NONE;
    for (expr square = x;; square = expr_mul(g, square, square)) {
        if (n & 1) result = result == EXPR_NONE ? square : expr_mul(g, result, square);
        n >>= 1;
        if (!n || square == EXPR_NONE) return square == EXPR_NONE ? EXPR_NONE : result;
    }
}

/* x^0 and 1^x: the pow of C gives 1 even where x is not a number, 1 + 0*x does not. */
static expr one_where_defined(graph *g, expr x)
{
    return expr_add(g, graph_const(g, 1), expr_mul(g, graph_const(g, 0), x));
}

static expr simplify_pow(graph *g, expr a, expr b)
{
    enum { LARGEST_PRODUCT = 16 };
    double n;
    if (is_value(g, a, 1)) return one_where_defined(g, b);
    if (!graph_is_const(g, b, &n)) return graph_intern(g, OP_POW, a, b);
    if (n == 0) return one_where_defined(g, a);
    if (n == 0.5) return graph_apply(g, OP_SQRT, a, 0);
    if (n < 0 && (n == -0.5 || (n == floor(n) && n >= -LARGEST_PRODUCT)))
        return expr_div(g, graph_const(g, 1), graph_apply(g, OP_POW, a, graph_const(g, -n)));
    if (n > 0 && n == floor(n) && n <= LARGEST_PRODUCT) return whole_power(g, a, (int)n);
    return graph_intern(g, OP_POW, a, b);
}

static expr simplify_function(graph *g, op o, expr a)
{
    expr x;
    bool negated = is_negated(g, a, &x);
    switch (o) {
    case OP_SIN:
    case OP_TAN:
    case OP_ASIN:
    case OP_ATAN:
    case OP_SINH:
    case OP_TANH:
        if (negated) return expr_neg(g, graph_apply(g, o, x, 0));
        break;
    case OP_ABS:
        if (graph_at(g, a)->op == OP_ABS) return a;
        if (negated) return graph_apply(g, o, x, 0);
        break;
    case OP_COS:
    case OP_COSH:
        if (negated) return graph_apply(g, o, x, 0);
        break;
    default: break;
    }
    return graph_intern(g, o, a, 0);
}

/* By the functions of the evaluators, so that a folded constant is the value they would give. */
static bool folds(const graph *g, op o, expr a, expr b, double *value)
{
    double x, y = 0;
    if (!graph_is_const(g, a, &x)) return false;
    if (op_arity(o) == 2 && !graph_is_const(g, b, &y)) return false;
    *value = kernel_one()->apply(o, x, y) + 0.0; /* no -0 */
    return isfinite(*value);
}

expr simplify_apply(graph *g, op o, expr a, expr b)
{
    double value;
    if (folds(g, o, a, b, &value)) return graph_const(g, value);
    switch (o) {
    case OP_NEG: return simplify_neg(g, a);
    case OP_ADD: return simplify_add(g, a, b);
    case OP_SUB: return simplify_sub(g, a, b);
    case OP_MUL: return simplify_mul(g, a, b);
    case OP_DIV: return simplify_div(g, a, b);
    case OP_POW: return simplify_pow(g, a, b);
    case OP_ATAN2: return graph_intern(g, o, a, b);
    default: return simplify_function(g, o, a);
    }
}
