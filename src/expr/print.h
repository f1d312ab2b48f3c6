/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_PRINT_H
#define NOSLIP_EXPR_PRINT_H

#include "graph.h"
#include "text.h"

/* Expressions as text in the language of formulas: read back in the same graph, it gives the same
 * node. */

/*
 * Add one expression to a text, written out as a tree. A graph that shares much makes a tree beyond
 * all bounds: past `most` bytes NOSLIP_ERR_LIMIT comes back, with the beginning in the text.
 * Otherwise NOSLIP_OK or NOSLIP_ERR_MEMORY.
 */
noslip_status print_expr(const graph *g, expr e, size_t most, text *out);

/*
 * Several expressions as definitions, one a line, in the order in which they can be read:
 *
 *     t1: sin(theta)
 *     T: m*(t1*t1)
 *     V: m*g*t1
 *
 * What is used more than once comes first under a name of its own, so the text grows like the
 * graph.
 */
noslip_status print_definitions(graph *g, const expr *e, const char *const *name, size_t n,
                                text *out);

#endif
