/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>

#include "alloc.h"
#include "graph.h"

typedef struct {
    graph *g;
    expr x, y, m;
} fixture;

static fixture make(void)
{
    fixture f = {.g = graph_new()};
    f.x = graph_symbol(f.g, "x", SYMBOL_COORDINATE);
    f.y = graph_symbol(f.g, "y", SYMBOL_COORDINATE);
    f.m = graph_symbol(f.g, "m", SYMBOL_PARAMETER);
    return f;
}

Test(graph, equal_expressions_are_one_node)
{
    fixture f = make();
    expr a = expr_mul(f.g, f.x, expr_add(f.g, f.y, f.m));
    expr b = expr_mul(f.g, expr_add(f.g, f.m, f.y), f.x);
    cr_assert_eq(a, b);
    graph_free(f.g);
    cr_assert_eq(noslip_alloc_live(), 0);
}
