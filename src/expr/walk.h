/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_WALK_H
#define NOSLIP_EXPR_WALK_H

#include "graph.h"

/* The part of a graph below some expressions, numbered on its own: cost grows with that part, not
 * with the graph. One walk at a time; the numbers hold until the next one. Zero it at first. */
typedef struct {
    ARRAY(expr) nodes; /* operands before users: ascending */
    ARRAY(expr) stack;
} walk;

/* Collect the nodes below (and with) from[0..n) that depend on a symbol of the given kinds. False
 * when memory is short. */
bool walk_below(walk *w, graph *g, const expr *from, size_t n, unsigned kinds);
void walk_free(walk *w);

#define WALK_OUTSIDE UINT32_MAX

/* The number of node e in the last walk, WALK_OUTSIDE if it is not part of it; also for nodes made
 * since. */
static inline uint32_t walk_number(const graph *g, expr e)
{
    return e < g->marks && g->mark[e] == g->stamp ? g->place[e] : WALK_OUTSIDE;
}

#endif
