/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TEST_RANDOM_TREE_H
#define NOSLIP_TEST_RANDOM_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph.h"
#include "text.h"

/* splitmix64 (Steele, Lea and Flood, 2014): a counter in steps of the golden ratio, then mixed. Any
 * seed is as good as any other, and the seed alone repeats a failure. */
typedef struct {
    uint64_t state;
} dice;

static inline uint64_t dice_bits(dice *d)
{
    uint64_t z = (d->state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline int dice_below(dice *d, int n)
{
    return (int)(dice_bits(d) % (uint64_t)n);
}

static inline bool dice_once_in(dice *d, int n)
{
    return dice_below(d, n) == 0;
}

static inline double dice_between(dice *d, double low, double high)
{
    return low + (high - low) * ((double)(dice_bits(d) >> 11) * 0x1p-53);
}

/*
 * A number, and how far an evaluation in double may be from it.
 *
 * First-order running error analysis: each operation adds the rounding of its own (half an ulp for
 * arithmetic, one for functions) and hands on its operands' errors times its derivative. Where
 * first order says nothing (at the end of a domain, on a branch cut, near overflow) the error is
 * infinite. `value` itself is a long double, and is off by error*TRACKED_OWN at the most.
 */
typedef struct {
    long double value, error;
} tracked;

/* Long double rounds LDBL_EPSILON/DBL_EPSILON as coarsely as double; its functions may be off by a
 * few ulp where ours are off by one. */
#define TRACKED_OWN (4 * LDBL_EPSILON / DBL_EPSILON)

tracked tracked_exact(long double value);
tracked tracked_apply(op o, tracked a, tracked b);

/* Defined, with a bound; certainly not a number (the logarithm of a negative one, 0/0, and all that
 * is made of them); where neither is so, nothing is known. */
bool tracked_is_sure(tracked x);
bool tracked_is_undefined(tracked x);

/* The symbols that trees are made of, in the order in which tree_declare makes them: coordinates,
 * parameters, the time, rates; accelerations stand behind, for time derivatives. */
enum {
    TREE_COORDINATES = 3,
    TREE_RATES = 6,         /* the first rate */
    TREE_SYMBOLS = 9,       /* what trees are made of */
    TREE_ACCELERATIONS = 9, /* the first acceleration */
    TREE_INPUTS = 12,
};

/* A random expression, made without the graph: an array of nodes, operands before users, the root
 * last. A node may be used more than once. */
enum { TREE_NODES = 160 };

typedef struct {
    op o;
    int a, b;          /* operands */
    double value;      /* OP_CONST */
    int symbol;        /* OP_SYMBOL */
    int size;          /* written out: nodes */
    tracked at_middle; /* its value at the tree's own point */
} tree_node;

typedef struct {
    uint64_t seed;
    int n;
    tree_node node[TREE_NODES];
    double middle[TREE_INPUTS]; /* a point at which the tree is defined */
} tree;

/* A tree of the given seed. `size` is about what it has of operations, 1 to 40. */
void tree_grow(tree *t, uint64_t seed, int size);

/* Its formula; parentheses and spaces that are not needed come and go at random. */
void tree_write(const tree *t, dice *d, text *out);

/* Its value at TREE_SYMBOLS numbers, by long double and the C library. */
tracked tree_value(const tree *t, const tracked *point);

/* The same expression in a graph, with `symbols[TREE_SYMBOLS]`. */
expr tree_build(const tree *t, graph *g, const expr *symbols);

bool tree_uses(const tree *t, op o);
bool tree_uses_symbol(const tree *t, int which);

/* How the symbols are spelled, and what they are. */
const char *tree_symbol_name(int which);
symbol_kind tree_symbol_kind(int which);

#endif
