/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "simplify.h"

graph *graph_new(void)
{
    return noslip_calloc(1, sizeof(graph));
}

void graph_free(graph *g)
{
    if (!g) return;
    for (size_t k = 0; k < g->symbols.n; k++) noslip_free(g->symbols.at[k].name);
    array_free(&g->symbols);
    array_free(&g->nodes);
    noslip_free(g->table);
    noslip_free(g->mark);
    noslip_free(g->place);
    noslip_free(g);
}

noslip_status graph_status(const graph *g)
{
    return g->status;
}

expr graph_fail(graph *g)
{
    g->status = NOSLIP_ERR_MEMORY;
    return EXPR_NONE;
}

/* The eight bytes that tell a node from others of the same operation. By bits, not by ==:
 * 0.0 and -0.0 must stay two constants. */
static uint64_t content(const node *n)
{
    uint64_t bits;
    memcpy(&bits, &n->value, sizeof bits);
    return bits;
}

static size_t slot_of(const graph *g, const node *n)
{
    uint64_t h = (content(n) + n->op) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    h ^= h >> 32;
    return (size_t)h & (g->slots - 1);
}

static bool same(const node *x, const node *y)
{
    return x->op == y->op && content(x) == content(y);
}

/* Where the node is, or the empty slot where it belongs. */
static uint32_t *find(const graph *g, const node *n)
{
    size_t k = slot_of(g, n);
    while (g->table[k] && !same(&g->nodes.at[g->table[k] - 1], n)) k = (k + 1) & (g->slots - 1);
    return &g->table[k];
}

static bool grow_table(graph *g)
{
    size_t slots = g->slots ? 2 * g->slots : 64;
    uint32_t *table = noslip_calloc(slots, sizeof *table);
    if (!table) return false;
    noslip_free(g->table);
    g->table = table;
    g->slots = slots;
    for (size_t k = 0; k < g->nodes.n; k++) *find(g, &g->nodes.at[k]) = (uint32_t)k + 1;
    return true;
}

static expr intern(graph *g, node n)
{
    if (g->status != NOSLIP_OK) return EXPR_NONE;
    if (2 * (g->nodes.n + 1) > g->slots && !grow_table(g)) return graph_fail(g);
    uint32_t *slot = find(g, &n);
    if (*slot) return *slot - 1;
    if (g->nodes.n >= EXPR_NONE - 1 || !array_push(&g->nodes, n)) return graph_fail(g);
    *slot = (uint32_t)g->nodes.n;
    return *slot - 1;
}

expr graph_const(graph *g, double value)
{
    return intern(g, (node){.op = OP_CONST, .total = isfinite(value), .value = value});
}

/* A whole positive exponent makes a power a product, which is defined everywhere. */
static bool is_total(const graph *g, op o, expr b)
{
    double n;
    if (o == OP_POW) return graph_is_const(g, b, &n) && n > 0 && n == floor(n);
    return op_is_total(o);
}

expr graph_intern(graph *g, op o, expr a, expr b)
{
    if (op_arity(o) == 1) b = 0;
    node n = {.op = (uint8_t)o, .a = a, .b = b};
    n.depends = graph_at(g, a)->depends;
    n.total = graph_at(g, a)->total && is_total(g, o, b);
    if (op_arity(o) == 2) {
        n.depends |= graph_at(g, b)->depends;
        n.total = n.total && graph_at(g, b)->total;
    }
    return intern(g, n);
}

expr graph_apply(graph *g, op o, expr a, expr b)
{
    if (g->status != NOSLIP_OK || a == EXPR_NONE) return EXPR_NONE;
    if (op_arity(o) == 2 && b == EXPR_NONE) return EXPR_NONE;
    return simplify_apply(g, o, a, op_arity(o) == 2 ? b : 0);
}

/* Takes the name over. */
static expr add_symbol(graph *g, char *name, symbol_kind kind)
{
    if (!name || !array_room(&g->symbols, 1)) {
        noslip_free(name);
        return graph_fail(g);
    }
    node n = {.op = OP_SYMBOL, .depends = (uint8_t)kind, .total = true};
    n.a = n.b = 0; /* all eight bytes count in the table */
    n.symbol = (uint32_t)g->symbols.n;
    expr self = intern(g, n);
    if (self == EXPR_NONE) {
        noslip_free(name);
        return EXPR_NONE;
    }
    g->symbols.at[g->symbols.n++] =
        (symbol){.name = name, .kind = kind, .self = self, .rate = EXPR_NONE};
    return self;
}

static char *copy_name(const char *name, const char *tail)
{
    size_t n = strlen(name), m = strlen(tail);
    char *copy = noslip_malloc(n + m + 1);
    if (!copy) return NULL;
    memcpy(copy, name, n);
    memcpy(copy + n, tail, m + 1);
    return copy;
}

expr graph_symbol(graph *g, const char *name, symbol_kind kind)
{
    if (g->status != NOSLIP_OK) return EXPR_NONE;
    return add_symbol(g, copy_name(name, ""), kind);
}

expr graph_rate(graph *g, expr e)
{
    if (e == EXPR_NONE || g->status != NOSLIP_OK) return EXPR_NONE;
    uint32_t which = graph_at(g, e)->symbol;
    const symbol *s = &g->symbols.at[which];
    if (s->rate != EXPR_NONE) return s->rate;
    symbol_kind kind = s->kind == SYMBOL_COORDINATE ? SYMBOL_RATE : SYMBOL_ACCELERATION;
    expr rate = add_symbol(g, copy_name(s->name, "'"), kind);
    g->symbols.at[which].rate = rate; /* by index: adding may have moved the array */
    return rate;
}

bool graph_is_const(const graph *g, expr e, double *value)
{
    if (e == EXPR_NONE || graph_at(g, e)->op != OP_CONST) return false;
    if (value) *value = graph_at(g, e)->value;
    return true;
}
