/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_SWEEP_H
#define NOSLIP_EXPR_SWEEP_H

#include "walk.h"

/* One pass of differentiation over the part of a graph below some expressions: it keeps one
 * expression for each node, a tangent on the way up, an adjoint on the way down. One sweep at a
 * time on a graph. */
typedef struct {
    graph *g;
    walk below;
    expr *at; /* by number in the walk */
    expr zero;
} sweep;

/* The kinds of the variables: what a sweep has to visit. */
unsigned sweep_kinds(const graph *g, const expr *variable, size_t n);

/* Begin with zeros everywhere; false when memory is short. sweep_end frees in either case. */
bool sweep_start(sweep *s, graph *g, const expr *out, size_t n_out, unsigned kinds);
void sweep_end(sweep *s);

/* What the sweep comes to: `fine` is false if memory was short on the way. */
noslip_status sweep_status(const sweep *s, bool fine);

/* Give one node its tangent or adjoint; ask for it. Nodes outside the walk do not move: zero. */
void sweep_seed(sweep *s, expr e, expr direction);
expr sweep_get(const sweep *s, expr e);

void sweep_tangent(sweep *s, uint32_t number); /* of one node, from its operands' */
void sweep_upwards(sweep *s);                  /* of all */
void sweep_downwards(sweep *s);                /* adjoints of all */

#endif
