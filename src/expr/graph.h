/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_GRAPH_H
#define NOSLIP_EXPR_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "array.h"
#include "noslip/status.h"
#include "op.h"

/* An expression is an index into an array of nodes; operands have smaller indices than
 * the node that uses them, and equal expressions are one node:
 *
 *     m*v*v/2  becomes   0: m    1: v    2: 0*1    3: 2*1    4: 0.5    5: 4*3
 *
 * so one walk upwards evaluates everything, and one walk downwards is reverse-mode
 * differentiation. Nothing is freed but the whole graph.
 *
 * A graph belongs to one thread while it grows. Building never stops half-way: when memory
 * is short the result is EXPR_NONE, which every function takes as an operand and hands
 * on, so it is enough to look at the last result or at graph_status. */
typedef uint32_t expr;
#define EXPR_NONE UINT32_MAX

/* What a symbol stands for; a bit each, so that a set of kinds is a sum. */
typedef enum {
    SYMBOL_PARAMETER = 1,
    SYMBOL_TIME = 2,
    SYMBOL_COORDINATE = 4,
    SYMBOL_RATE = 8,
    SYMBOL_ACCELERATION = 16,
    SYMBOL_QUASI = 32, /* a quasi-velocity, or another name for a combination of rates */
} symbol_kind;

typedef struct {
    uint8_t op;
    uint8_t depends; /* kinds of symbols below, as a sum */
    bool total;      /* defined for all real values of the symbols below */
    union {
        struct {
            expr a, b; /* operands; b is 0 where there is one only */
        };
        double value;    /* OP_CONST */
        uint32_t symbol; /* OP_SYMBOL: index into the graph's symbols */
    };
} node;

typedef struct {
    char *name;
    symbol_kind kind;
    expr self;
    expr rate; /* its time derivative, made when first asked for; EXPR_NONE before */
} symbol;

typedef struct {
    ARRAY(node) nodes;
    ARRAY(symbol) symbols;
    uint32_t *table; /* hash table of node indices + 1; 0 is empty */
    size_t slots;    /* a power of two, at least twice the nodes */
    noslip_status status;

    /* Scratch for walks over a part of the graph (walk.h): mark[e] == stamp says that node e was
     * met on this walk, as number place[e]. */
    uint32_t *mark, *place;
    size_t marks;
    uint32_t stamp;
} graph;

graph *graph_new(void); /* NULL when memory is short */
void graph_free(graph *g);

/* NOSLIP_OK, or NOSLIP_ERR_MEMORY from the first failure on. */
noslip_status graph_status(const graph *g);

/* Memory was short somewhere in work on this graph: nothing that follows can be trusted. Returns EXPR_NONE. */
expr graph_fail(graph *g);

static inline const node *graph_at(const graph *g, expr e)
{
    return &g->nodes.at[e];
}

expr graph_const(graph *g, double value);

/* A new symbol; its name (copied) is for printing, that it is the only one of that name is up
 * to the caller. */
expr graph_symbol(graph *g, const char *name, symbol_kind kind);

/* The rate of a coordinate, or the acceleration of a rate, named with one more prime. */
expr graph_rate(graph *g, expr e);

/*
 * Apply an operation (not CONST, not SYMBOL); `b` is ignored for one operand.
 *
 * Constants are folded where the result is finite, and identities are applied that change
 * neither the value (to the last bit, but for the sign of a zero) nor where the expression is
 * defined: 0*log(x) and sqrt(x) - sqrt(x) stay what they are. See simplify.c.
 * One identity rounds: x^n, n whole and at most 16, becomes products.
 */
expr graph_apply(graph *g, op o, expr a, expr b);

static inline expr expr_neg(graph *g, expr a)
{
    return graph_apply(g, OP_NEG, a, 0);
}
static inline expr expr_add(graph *g, expr a, expr b)
{
    return graph_apply(g, OP_ADD, a, b);
}
static inline expr expr_sub(graph *g, expr a, expr b)
{
    return graph_apply(g, OP_SUB, a, b);
}
static inline expr expr_mul(graph *g, expr a, expr b)
{
    return graph_apply(g, OP_MUL, a, b);
}
static inline expr expr_div(graph *g, expr a, expr b)
{
    return graph_apply(g, OP_DIV, a, b);
}

bool graph_is_const(const graph *g, expr e, double *value); /* value may be NULL */

/* The node for an operation without looking for a simpler form; for simplify.c. */
expr graph_intern(graph *g, op o, expr a, expr b);

#endif
