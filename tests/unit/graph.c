/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "tape.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* A graph with a few symbols; each test runs in a process of its own. */
static graph *g;
static expr x, y, m, t;

static void start(void)
{
    g = graph_new();
    cr_assert_not_null(g);
    x = graph_symbol(g, "x", SYMBOL_COORDINATE);
    y = graph_symbol(g, "y", SYMBOL_COORDINATE);
    m = graph_symbol(g, "m", SYMBOL_PARAMETER);
    t = graph_symbol(g, "t", SYMBOL_TIME);
}

static void finish(void)
{
    cr_expect_eq(graph_status(g), NOSLIP_OK);
    graph_free(g);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* What is asked for: simplified. */
static expr c(double value)
{
    return graph_const(g, value);
}
static expr neg(expr a)
{
    return expr_neg(g, a);
}
static expr add(expr a, expr b)
{
    return expr_add(g, a, b);
}
static expr sub(expr a, expr b)
{
    return expr_sub(g, a, b);
}
static expr mul(expr a, expr b)
{
    return expr_mul(g, a, b);
}
static expr quo(expr a, expr b)
{
    return expr_div(g, a, b);
}
static expr power(expr a, expr b)
{
    return graph_apply(g, OP_POW, a, b);
}
static expr fun(op o, expr a)
{
    return graph_apply(g, o, a, 0);
}

/* What must come out: the very node, not simplified; sums and products in the order of indices. */
static expr raw(op o, expr a, expr b)
{
    bool swapped = (o == OP_ADD || o == OP_MUL) && a > b;
    return swapped ? graph_intern(g, o, b, a) : graph_intern(g, o, a, b);
}

static const char *words_of(expr e)
{
    static char out[2][80];
    static int turn;
    const node *n = graph_at(g, e);
    char *to = out[turn = !turn];
    if (n->op == OP_CONST)
        snprintf(to, sizeof out[0], "%u: %.17g", e, n->value);
    else if (n->op == OP_SYMBOL)
        snprintf(to, sizeof out[0], "%u: %s", e, g->symbols.at[n->symbol].name);
    else
        snprintf(to, sizeof out[0], "%u: %s of nodes %u, %u", e, op_spelling(n->op), n->a, n->b);
    return to;
}

typedef struct {
    const char *rule;
    expr got, wanted;
} rule;

static void expect_rules(const rule *rules, size_t n)
{
    for (size_t k = 0; k < n; k++)
        cr_expect_eq(rules[k].got, rules[k].wanted, "%s: got %s, wanted %s", rules[k].rule,
                     words_of(rules[k].got), words_of(rules[k].wanted));
}

/* Nodes */

Test(graph, equal_expressions_are_one_node)
{
    start();
    expr a = mul(x, add(y, m));
    expr b = mul(add(m, y), x);
    cr_assert_eq(a, b);
    size_t nodes = g->nodes.n;
    cr_assert_eq(fun(OP_SIN, a), fun(OP_SIN, b));
    cr_assert_eq(g->nodes.n, nodes + 1);
    finish();
}

Test(graph, different_expressions_are_different_nodes)
{
    start();
    const expr all[] = {x,
                        y,
                        m,
                        t,
                        add(x, y),
                        mul(x, y),
                        sub(x, y),
                        sub(y, x),
                        quo(x, y),
                        quo(y, x),
                        power(x, y),
                        power(y, x),
                        c(3),
                        c(-3),
                        fun(OP_SIN, x),
                        fun(OP_COS, x),
                        fun(OP_SIN, y),
                        neg(x)};
    for (size_t i = 0; i < COUNT(all); i++)
        for (size_t k = 0; k < i; k++) cr_expect_neq(all[i], all[k], "%zu and %zu", i, k);
    finish();
}

Test(graph, a_large_graph_finds_every_node_again)
{
    enum { NODES = 50021 };
    start();
    static expr made[NODES];
    for (int k = 0; k < NODES; k++) made[k] = mul(add(x, c(k + 0.375)), y);
    size_t nodes = g->nodes.n;
    for (int k = 0; k < NODES; k++) cr_assert_eq(mul(y, add(c(k + 0.375), x)), made[k], "%d", k);
    cr_assert_eq(g->nodes.n, nodes);
    finish();
}

Test(graph, operands_stand_before_their_users)
{
    start();
    expr e = add(power(sub(x, c(3)), c(7)), quo(fun(OP_SIN, mul(m, neg(y))), add(x, t)));
    cr_assert_lt(e, g->nodes.n);
    for (expr k = 0; k < g->nodes.n; k++) {
        const node *n = graph_at(g, k);
        if (op_arity(n->op) > 0) cr_expect_lt(n->a, k);
        if (op_arity(n->op) > 1) cr_expect_lt(n->b, k);
    }
    finish();
}

Test(graph, constants_are_told_apart_by_their_bits)
{
    start();
    cr_expect_eq(c(0.1), c(0.1));
    cr_expect_neq(c(0.1), c(0.1 + 1e-17 + DBL_EPSILON));
    cr_expect_neq(c(0.0), c(-0.0));
    double back = 1;
    cr_expect(graph_is_const(g, c(-0.0), &back));
    cr_expect(back == 0 && signbit(back));
    cr_expect(graph_is_const(g, c(2.75), NULL));
    cr_expect_not(graph_is_const(g, x, &back));
    cr_expect_not(graph_is_const(g, EXPR_NONE, &back));
    finish();
}

/* Symbols and rates */

static const symbol *symbol_of(expr e)
{
    cr_assert_eq(graph_at(g, e)->op, OP_SYMBOL);
    return &g->symbols.at[graph_at(g, e)->symbol];
}

Test(graph, a_symbol_keeps_a_copy_of_its_name_and_its_kind)
{
    start();
    char name[] = "ψ";
    expr e = graph_symbol(g, name, SYMBOL_PARAMETER);
    strcpy(name, "!!");
    cr_expect_str_eq(symbol_of(e)->name, "ψ");
    cr_expect_eq(symbol_of(e)->kind, SYMBOL_PARAMETER);
    cr_expect_eq(symbol_of(e)->self, e);
    cr_expect_eq(symbol_of(e)->rate, EXPR_NONE);
    cr_expect_neq(graph_symbol(g, "ψ", SYMBOL_PARAMETER), e, "one symbol made twice is two");
    finish();
}

Test(graph, a_rate_is_made_once_and_named_with_a_prime)
{
    start();
    expr rate = graph_rate(g, x), acceleration = graph_rate(g, rate);
    cr_expect_eq(graph_rate(g, x), rate);
    cr_expect_eq(graph_rate(g, rate), acceleration);
    cr_expect_str_eq(symbol_of(rate)->name, "x'");
    cr_expect_str_eq(symbol_of(acceleration)->name, "x''");
    cr_expect_eq(symbol_of(rate)->kind, SYMBOL_RATE);
    cr_expect_eq(symbol_of(acceleration)->kind, SYMBOL_ACCELERATION);
    cr_expect_eq(symbol_of(x)->rate, rate);
    cr_expect_neq(graph_rate(g, y), rate);
    finish();
}

Test(graph, rates_of_many_symbols_stay_with_their_symbols)
{
    enum { SYMBOLS = 300 };
    start();
    expr q[SYMBOLS], rate[SYMBOLS];
    char name[32];
    for (int k = 0; k < SYMBOLS; k++) {
        snprintf(name, sizeof name, "q[%d]", k);
        q[k] = graph_symbol(g, name, SYMBOL_COORDINATE);
        rate[k] = graph_rate(g, q[k]);
    }
    for (int k = 0; k < SYMBOLS; k++) {
        snprintf(name, sizeof name, "q[%d]'", k);
        cr_assert_eq(graph_rate(g, q[k]), rate[k]);
        cr_assert_str_eq(symbol_of(rate[k])->name, name);
    }
    finish();
}

Test(graph, an_expression_knows_the_kinds_of_its_symbols)
{
    start();
    expr v = graph_rate(g, x), a = graph_rate(g, v);
    const struct {
        expr e;
        unsigned depends;
    } table[] = {
        {c(3), 0},
        {raw(OP_LOG, c(0), 0), 0},
        {x, SYMBOL_COORDINATE},
        {m, SYMBOL_PARAMETER},
        {t, SYMBOL_TIME},
        {v, SYMBOL_RATE},
        {a, SYMBOL_ACCELERATION},
        {fun(OP_SIN, x), SYMBOL_COORDINATE},
        {mul(m, fun(OP_SIN, x)), SYMBOL_COORDINATE + SYMBOL_PARAMETER},
        {power(c(2), v), SYMBOL_RATE},
        {add(mul(m, a), mul(t, v)),
         SYMBOL_PARAMETER + SYMBOL_ACCELERATION + SYMBOL_TIME + SYMBOL_RATE},
        {sub(v, v), 0},
        {mul(c(0), x), 0},
        {mul(c(0), fun(OP_LOG, x)), SYMBOL_COORDINATE},
    };
    for (size_t k = 0; k < COUNT(table); k++)
        cr_expect_eq(graph_at(g, table[k].e)->depends, table[k].depends, "row %zu: %d", k,
                     graph_at(g, table[k].e)->depends);
    finish();
}

Test(graph, an_expression_knows_whether_it_is_defined_everywhere)
{
    start();
    const struct {
        expr e;
        bool total;
    } table[] = {
        {c(3), true},
        {c(INFINITY), false},
        {x, true},
        {mul(add(x, y), sub(m, t)), true},
        {fun(OP_SIN, fun(OP_EXP, x)), true},
        {fun(OP_COS, x), true},
        {fun(OP_ATAN, x), true},
        {fun(OP_SINH, x), true},
        {fun(OP_COSH, x), true},
        {fun(OP_TANH, x), true},
        {fun(OP_ABS, x), true},
        {power(x, c(17)), true},
        {quo(x, c(3)), false},
        {quo(c(3), x), false},
        {power(x, c(2.5)), false},
        {power(x, c(-17)), false},
        {power(x, y), false},
        {fun(OP_TAN, x), false},
        {fun(OP_ASIN, x), false},
        {fun(OP_ACOS, x), false},
        {fun(OP_LOG, x), false},
        {fun(OP_SQRT, x), false},
        {graph_apply(g, OP_ATAN2, x, y), false},
        {fun(OP_SIN, fun(OP_LOG, x)), false},
        {add(x, quo(x, y)), false},
        {mul(quo(x, y), x), false},
        {power(fun(OP_LOG, x), c(17)), false},
    };
    for (size_t k = 0; k < COUNT(table); k++)
        cr_expect_eq(graph_at(g, table[k].e)->total, table[k].total, "row %zu: %s", k,
                     words_of(table[k].e));
    finish();
}

/* Constants are folded where the result is finite */

Test(folding, arithmetic_is_exact)
{
    start();
    const rule rules[] = {
        {"sum", add(c(0.1), c(0.2)), c(0.1 + 0.2)},
        {"difference", sub(c(0.3), c(0.1)), c(0.3 - 0.1)},
        {"product", mul(c(1.1), c(-1.3)), c(1.1 * -1.3)},
        {"quotient", quo(c(1), c(49)), c(1.0 / 49)},
        {"negation", neg(c(2.75)), c(-2.75)},
        {"root", fun(OP_SQRT, c(7)), c(sqrt(7))},
        {"root of zero", fun(OP_SQRT, c(0)), c(0)},
        {"absolute value", fun(OP_ABS, c(-0.3)), c(0.3)},
        {"whole power", power(c(3), c(5)), c(243)},
        {"negative whole power", power(c(2), c(-3)), c(0.125)},
        {"a zero has no sign", neg(c(0)), c(0)},
        {"a product that is zero has none", mul(c(0), c(-3)), c(0)},
        {"zeroth power of zero", power(c(0), c(0)), c(1)},
    };
    expect_rules(rules, COUNT(rules));
    finish();
}

Test(folding, functions_are_right_to_the_last_digits)
{
    start();
    const struct {
        expr e;
        double wanted;
    } table[] = {
        {fun(OP_SIN, c(0.7)), sin(0.7)},
        {fun(OP_COS, c(0.7)), cos(0.7)},
        {fun(OP_TAN, c(0.7)), tan(0.7)},
        {fun(OP_ASIN, c(0.7)), asin(0.7)},
        {fun(OP_ACOS, c(0.7)), acos(0.7)},
        {fun(OP_ATAN, c(0.7)), atan(0.7)},
        {fun(OP_SINH, c(0.7)), sinh(0.7)},
        {fun(OP_COSH, c(0.7)), cosh(0.7)},
        {fun(OP_TANH, c(0.7)), tanh(0.7)},
        {fun(OP_EXP, c(0.7)), exp(0.7)},
        {fun(OP_LOG, c(0.7)), log(0.7)},
        {power(c(0.7), c(1.9)), pow(0.7, 1.9)},
        {power(c(-0.7), c(3)), -0.7 * 0.7 * 0.7},
        {graph_apply(g, OP_ATAN2, c(0.7), c(-1.9)), atan2(0.7, -1.9)},
        {graph_apply(g, OP_ATAN2, c(-1.9), c(0.7)), atan2(-1.9, 0.7)},
    };
    for (size_t k = 0; k < COUNT(table); k++) {
        double got = (double)NAN;
        cr_expect(graph_is_const(g, table[k].e, &got), "row %zu is not folded", k);
        cr_expect_leq(fabs(got - table[k].wanted), 3 * DBL_EPSILON * fabs(table[k].wanted),
                      "row %zu: %.17g instead of %.17g", k, got, table[k].wanted);
    }
    finish();
}

Test(folding, what_is_not_finite_is_left_standing)
{
    start();
    const expr table[] = {
        fun(OP_LOG, c(0)),
        fun(OP_LOG, c(-0.7)),
        fun(OP_SQRT, c(-0.7)),
        fun(OP_ASIN, c(1.7)),
        fun(OP_ACOS, c(-1.7)),
        fun(OP_EXP, c(1000)),
        fun(OP_COSH, c(1000)),
        quo(c(3), c(0)),
        quo(c(0), c(0)),
        mul(c(1e300), c(-1e300)),
        add(c(1.7e308), c(1.7e308)),
        sub(c(-1.7e308), c(1.6e308)),
        power(c(1e300), c(2)),
        power(c(0), c(-1)),
        power(c(-8), c(1.0 / 3)),
        power(c(-2), c(0.5)),
    };
    for (size_t k = 0; k < COUNT(table); k++) {
        cr_expect_not(graph_is_const(g, table[k], NULL), "row %zu: %s", k, words_of(table[k]));
        cr_expect_eq(graph_at(g, table[k])->depends, 0, "row %zu", k);
    }
    finish();
}

/* Rules that must be applied */

Test(simplify, signs)
{
    start();
    const rule rules[] = {
        {"-(-x) is x", neg(neg(x)), x},
        {"-(x - y) is y - x", neg(sub(x, y)), raw(OP_SUB, y, x)},
        {"x + -y is x - y", add(x, neg(y)), raw(OP_SUB, x, y)},
        {"-x + y is y - x", add(neg(x), y), raw(OP_SUB, y, x)},
        {"-x + -y is -(x + y)", add(neg(x), neg(y)), raw(OP_NEG, raw(OP_ADD, x, y), 0)},
        {"x + -3 is x - 3", add(x, c(-3)), raw(OP_SUB, x, c(3))},
        {"-3 + x is x - 3", add(c(-3), x), raw(OP_SUB, x, c(3))},
        {"-3 + -x is -(3 + x)", add(c(-3), neg(x)), raw(OP_NEG, raw(OP_ADD, c(3), x), 0)},
        {"x - -y is x + y", sub(x, neg(y)), raw(OP_ADD, x, y)},
        {"x - -3 is x + 3", sub(x, c(-3)), raw(OP_ADD, x, c(3))},
        {"-x - y is -(x + y)", sub(neg(x), y), raw(OP_NEG, raw(OP_ADD, x, y), 0)},
        {"-3 - x is -(3 + x)", sub(c(-3), x), raw(OP_NEG, raw(OP_ADD, c(3), x), 0)},
        {"-x - -y is y - x", sub(neg(x), neg(y)), raw(OP_SUB, y, x)},
        {"-x*y is -(x*y)", mul(neg(x), y), raw(OP_NEG, raw(OP_MUL, x, y), 0)},
        {"x*-y is -(x*y)", mul(x, neg(y)), raw(OP_NEG, raw(OP_MUL, x, y), 0)},
        {"-x*-y is x*y", mul(neg(x), neg(y)), raw(OP_MUL, x, y)},
        {"-3*x is -(3*x)", mul(c(-3), x), raw(OP_NEG, raw(OP_MUL, c(3), x), 0)},
        {"x*-3 is -(3*x)", mul(x, c(-3)), raw(OP_NEG, raw(OP_MUL, c(3), x), 0)},
        {"-3*-x is 3*x", mul(c(-3), neg(x)), raw(OP_MUL, c(3), x)},
        {"-1*x is -x", mul(c(-1), x), raw(OP_NEG, x, 0)},
        {"-x/y is -(x/y)", quo(neg(x), y), raw(OP_NEG, raw(OP_DIV, x, y), 0)},
        {"x/-y is -(x/y)", quo(x, neg(y)), raw(OP_NEG, raw(OP_DIV, x, y), 0)},
        {"-x/-y is x/y", quo(neg(x), neg(y)), raw(OP_DIV, x, y)},
        {"-3/x is -(3/x)", quo(c(-3), x), raw(OP_NEG, raw(OP_DIV, c(3), x), 0)},
        {"x/-3 is -(x/3)", quo(x, c(-3)), raw(OP_NEG, raw(OP_DIV, x, c(3)), 0)},
    };
    expect_rules(rules, COUNT(rules));
    finish();
}

Test(simplify, zeros_and_ones)
{
    start();
    const rule rules[] = {
        {"x + 0 is x", add(x, c(0)), x},
        {"0 + x is x", add(c(0), x), x},
        {"x - 0 is x", sub(x, c(0)), x},
        {"0 - x is -x", sub(c(0), x), raw(OP_NEG, x, 0)},
        {"x - x is 0", sub(x, x), c(0)},
        {"exp(x)*y - exp(x)*y is 0", sub(mul(fun(OP_EXP, x), y), mul(y, fun(OP_EXP, x))), c(0)},
        {"1*x is x", mul(c(1), x), x},
        {"x*1 is x", mul(x, c(1)), x},
        {"0*x is 0", mul(c(0), x), c(0)},
        {"x*0 is 0", mul(x, c(0)), c(0)},
        {"0*exp(x) is 0", mul(c(0), fun(OP_EXP, x)), c(0)},
        {"0*x^17 is 0", mul(c(0), power(x, c(17))), c(0)},
        {"x/1 is x", quo(x, c(1)), x},
        {"log(x) + 0 is log(x)", add(fun(OP_LOG, x), c(0)), raw(OP_LOG, x, 0)},
        {"1*log(x) is log(x)", mul(c(1), fun(OP_LOG, x)), raw(OP_LOG, x, 0)},
    };
    expect_rules(rules, COUNT(rules));
    finish();
}

Test(simplify, factors_that_are_powers_of_two)
{
    start();
    expr product = raw(OP_MUL, x, y), quotient = raw(OP_DIV, x, y);
    const rule rules[] = {
        {"x + x is 2*x", add(x, x), raw(OP_MUL, c(2), x)},
        {"2*(3*x) is 6*x", mul(c(2), mul(c(3), x)), raw(OP_MUL, c(6), x)},
        {"3*(2*x) is 6*x", mul(c(3), mul(c(2), x)), raw(OP_MUL, c(6), x)},
        {"2*(0.5*x) is x", mul(c(2), mul(c(0.5), x)), x},
        {"(2*x)*y is 2*(x*y)", mul(mul(c(2), x), y), raw(OP_MUL, c(2), product)},
        {"x*(4*y) is 4*(x*y)", mul(x, mul(c(4), y)), raw(OP_MUL, c(4), product)},
        {"(2*x)*(4*y) is 8*(x*y)", mul(mul(c(2), x), mul(c(4), y)), raw(OP_MUL, c(8), product)},
        {"x/2 is 0.5*x", quo(x, c(2)), raw(OP_MUL, c(0.5), x)},
        {"x/0.125 is 8*x", quo(x, c(0.125)), raw(OP_MUL, c(8), x)},
        {"x/-2 is -(0.5*x)", quo(x, c(-2)), raw(OP_NEG, raw(OP_MUL, c(0.5), x), 0)},
        {"(2*x)/y is 2*(x/y)", quo(mul(c(2), x), y), raw(OP_MUL, c(2), quotient)},
        {"x/(4*y) is 0.25*(x/y)", quo(x, mul(c(4), y)), raw(OP_MUL, c(0.25), quotient)},
        {"(2*x)/(4*y) is 0.5*(x/y)", quo(mul(c(2), x), mul(c(4), y)),
         raw(OP_MUL, c(0.5), quotient)},
    };
    expect_rules(rules, COUNT(rules));
    finish();
}

Test(simplify, powers)
{
    start();
    expr x2 = raw(OP_MUL, x, x), x4 = raw(OP_MUL, x2, x2), x8 = raw(OP_MUL, x4, x4);
    expr x3 = raw(OP_MUL, x, x2), root = raw(OP_SQRT, x, 0);
    const rule rules[] = {
        {"x^0 is 1", power(x, c(0)), c(1)},
        {"x^1 is x", power(x, c(1)), x},
        {"x^2 is x*x", power(x, c(2)), x2},
        {"x^3 is x*(x*x)", power(x, c(3)), x3},
        {"x^4 squares twice", power(x, c(4)), x4},
        {"x^16 squares four times", power(x, c(16)), raw(OP_MUL, x8, x8)},
        {"x^17 is a power", power(x, c(17)), raw(OP_POW, x, c(17))},
        {"x^-1 is 1/x", power(x, c(-1)), raw(OP_DIV, c(1), x)},
        {"x^-3 is 1/(x*(x*x))", power(x, c(-3)), raw(OP_DIV, c(1), x3)},
        {"x^-17 is a power", power(x, c(-17)), raw(OP_POW, x, c(-17))},
        {"x^0.5 is sqrt(x)", power(x, c(0.5)), root},
        {"x^-0.5 is 1/sqrt(x)", power(x, c(-0.5)), raw(OP_DIV, c(1), root)},
        {"x^2.5 is a power", power(x, c(2.5)), raw(OP_POW, x, c(2.5))},
        {"x^y is a power", power(x, y), raw(OP_POW, x, y)},
        {"2^x is a power", power(c(2), x), raw(OP_POW, c(2), x)},
        {"1^x is 1", power(c(1), x), c(1)},
        {"(-x)^2 is x*x", power(neg(x), c(2)), x2},
        {"(-x)^3 is -(x^3)", power(neg(x), c(3)), raw(OP_NEG, x3, 0)},
    };
    expect_rules(rules, COUNT(rules));
    finish();
}

Test(simplify, odd_and_even_functions)
{
    static const op odd[] = {OP_SIN, OP_TAN, OP_ASIN, OP_ATAN, OP_SINH, OP_TANH};
    static const op even[] = {OP_COS, OP_COSH, OP_ABS};
    start();
    for (size_t k = 0; k < COUNT(odd); k++) {
        expr wanted = raw(OP_NEG, raw(odd[k], x, 0), 0);
        cr_expect_eq(fun(odd[k], neg(x)), wanted, "%s is odd", op_spelling(odd[k]));
    }
    for (size_t k = 0; k < COUNT(even); k++)
        cr_expect_eq(fun(even[k], neg(x)), raw(even[k], x, 0), "%s is even", op_spelling(even[k]));
    cr_expect_eq(fun(OP_ABS, fun(OP_ABS, x)), raw(OP_ABS, x, 0));
    finish();
}

/* Rules that must not be applied */

Test(simplify, an_operand_with_a_domain_is_never_dropped)
{
    start();
    expr logarithm = raw(OP_LOG, x, 0), root = raw(OP_SQRT, x, 0), quotient = raw(OP_DIV, y, x);
    expr tangent = raw(OP_TAN, x, 0), angle = raw(OP_ATAN2, x, y), odd = raw(OP_POW, x, c(2.5));
    const rule rules[] = {
        {"0*log(x)", mul(c(0), logarithm), raw(OP_MUL, c(0), logarithm)},
        {"log(x)*0", mul(logarithm, c(0)), raw(OP_MUL, c(0), logarithm)},
        {"0*(y/x)", mul(c(0), quotient), raw(OP_MUL, c(0), quotient)},
        {"0*tan(x)", mul(c(0), tangent), raw(OP_MUL, c(0), tangent)},
        {"0*atan2(x, y)", mul(c(0), angle), raw(OP_MUL, c(0), angle)},
        {"0*x^2.5", mul(c(0), odd), raw(OP_MUL, c(0), odd)},
        {"2*(0*log(x))", mul(c(2), mul(c(0), logarithm)),
         raw(OP_MUL, c(2), raw(OP_MUL, c(0), logarithm))},
        {"sqrt(x) - sqrt(x)", sub(root, root), raw(OP_SUB, root, root)},
        {"sqrt(x) + -sqrt(x)", add(root, neg(root)), raw(OP_SUB, root, root)},
        {"y/x - y/x", sub(quotient, quotient), raw(OP_SUB, quotient, quotient)},
        {"log(x)^0", power(logarithm, c(0)), add(c(1), raw(OP_MUL, c(0), logarithm))},
        {"1^log(x)", power(c(1), logarithm), add(c(1), raw(OP_MUL, c(0), logarithm))},
        {"sqrt(x)^2", power(root, c(2)), raw(OP_MUL, root, root)},
        {"x/x", quo(x, x), raw(OP_DIV, x, x)},
        {"0/x", quo(c(0), x), raw(OP_DIV, c(0), x)},
        {"x/0", quo(x, c(0)), raw(OP_DIV, x, c(0))},
        {"0^x", power(c(0), x), raw(OP_POW, c(0), x)},
        {"exp(log(x))", fun(OP_EXP, logarithm), raw(OP_EXP, logarithm, 0)},
    };
    expect_rules(rules, COUNT(rules));
    finish();
}

Test(simplify, what_would_round_differently_or_is_not_true_stays)
{
    start();
    expr three = raw(OP_MUL, c(3), x), huge = raw(OP_MUL, c(1e300), x);
    expr tiny = raw(OP_MUL, c(1e-308), x), sum = raw(OP_ADD, x, y), product = raw(OP_MUL, x, y);
    const rule rules[] = {
        {"5*(3*x)", mul(c(5), three), raw(OP_MUL, c(5), three)},
        {"(3*x)*y", mul(three, y), raw(OP_MUL, three, y)},
        {"2^50*(1e300*x)", mul(c(0x1p50), huge), raw(OP_MUL, c(0x1p50), huge)},
        {"2*(1e-308*x)", mul(c(2), tiny), raw(OP_MUL, c(2), tiny)},
        {"x/3", quo(x, c(3)), raw(OP_DIV, x, c(3))},
        {"x/2^70", quo(x, c(0x1p70)), raw(OP_DIV, x, c(0x1p70))},
        {"(3*x)/3", quo(three, c(3)), raw(OP_DIV, three, c(3))},
        {"(x + y) - y", sub(sum, y), raw(OP_SUB, sum, y)},
        {"(x*y)/y", quo(product, y), raw(OP_DIV, product, y)},
        {"(x + y) + m", add(sum, m), raw(OP_ADD, sum, m)},
        {"x + (y + m)", add(x, raw(OP_ADD, y, m)), raw(OP_ADD, x, raw(OP_ADD, y, m))},
        {"3*x + x", add(three, x), raw(OP_ADD, three, x)},
        {"m*x + m*y", add(mul(m, x), mul(m, y)), raw(OP_ADD, raw(OP_MUL, m, x), raw(OP_MUL, m, y))},
        {"sqrt(x*x)", fun(OP_SQRT, mul(x, x)), raw(OP_SQRT, raw(OP_MUL, x, x), 0)},
        {"exp(-x)", fun(OP_EXP, neg(x)), raw(OP_EXP, raw(OP_NEG, x, 0), 0)},
        {"log(-x)", fun(OP_LOG, neg(x)), raw(OP_LOG, raw(OP_NEG, x, 0), 0)},
        {"sqrt(-x)", fun(OP_SQRT, neg(x)), raw(OP_SQRT, raw(OP_NEG, x, 0), 0)},
        {"acos(-x)", fun(OP_ACOS, neg(x)), raw(OP_ACOS, raw(OP_NEG, x, 0), 0)},
        {"asin(sin(x))", fun(OP_ASIN, fun(OP_SIN, x)), raw(OP_ASIN, raw(OP_SIN, x, 0), 0)},
        {"atan2(-x, y)", graph_apply(g, OP_ATAN2, neg(x), y), raw(OP_ATAN2, neg(x), y)},
        {"atan2(y, x) is not atan2(x, y)", graph_apply(g, OP_ATAN2, y, x), raw(OP_ATAN2, y, x)},
        {"x - y is not y - x", sub(x, y), raw(OP_SUB, x, y)},
    };
    expect_rules(rules, COUNT(rules));
    finish();
}

Test(simplify, an_undefined_point_is_undefined_still)
{
    start();
    expr root = fun(OP_SQRT, x), logarithm = fun(OP_LOG, x);
    const expr out[] = {
        mul(c(0), logarithm), sub(root, root), quo(sub(x, x), add(x, c(0.7))),
        mul(root, root),      mul(c(0), root), mul(c(0), fun(OP_ASIN, sub(x, c(1))))};
    for (size_t k = 0; k < COUNT(out); k++) {
        tape *program = NULL;
        tape_spec spec = {.in = &x, .n_in = 1, .out = &out[k], .n_out = 1};
        cr_assert_eq(tape_compile(g, &spec, &program, NULL), NOSLIP_OK);
        tape_work *work = tape_work_new(program);
        cr_assert_not_null(work);
        double at = -0.7, value = 0;
        cr_expect_eq(tape_point(work, &at, &value), NOSLIP_NOT_FINITE, "row %zu: %g", k, value);
        tape_work_free(work);
        tape_free(program);
    }
    finish();
}

/* Short memory */

Test(graph, what_has_no_meaning_is_handed_on)
{
    start();
    cr_expect_eq(neg(EXPR_NONE), EXPR_NONE);
    cr_expect_eq(add(EXPR_NONE, x), EXPR_NONE);
    cr_expect_eq(mul(x, EXPR_NONE), EXPR_NONE);
    cr_expect_eq(mul(c(0), EXPR_NONE), EXPR_NONE);
    cr_expect_eq(power(EXPR_NONE, c(0)), EXPR_NONE);
    cr_expect_eq(graph_rate(g, EXPR_NONE), EXPR_NONE);
    cr_expect_eq(graph_status(g), NOSLIP_OK);
    finish();
}

static expr build_something(void)
{
    expr e = x;
    for (int k = 0; k < 150; k++) e = fun(OP_SIN, add(mul(e, c(k + 0.375)), graph_rate(g, y)));
    return power(add(e, graph_rate(g, graph_rate(g, x))), c(-3));
}

Test(graph, short_memory_is_remembered_and_loses_nothing)
{
    bool fine = false;
    for (long allowed = 0; !fine; allowed++) {
        cr_assert_lt(allowed, 1000, "it never comes to an end");
        start();
        noslip_alloc_fail_after(allowed);
        expr e = build_something();
        noslip_alloc_fail_after(-1);
        fine = e != EXPR_NONE;
        cr_expect_eq(graph_status(g), fine ? NOSLIP_OK : NOSLIP_ERR_MEMORY, "%ld", allowed);
        cr_expect_eq(add(x, y) != EXPR_NONE, fine, "from then on nothing is built, %ld", allowed);
        cr_expect_eq(c(3.7) != EXPR_NONE, fine, "%ld", allowed);
        cr_expect_eq(graph_symbol(g, "q", SYMBOL_PARAMETER) != EXPR_NONE, fine, "%ld", allowed);
        graph_free(g);
        cr_assert_eq(noslip_alloc_live(), 0, "leak after %ld allocations", allowed);
    }
    graph_free(NULL);
}
