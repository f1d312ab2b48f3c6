/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_CHAIN_H
#define NOSLIP_EXPR_CHAIN_H

#include "graph.h"

/* The rules of differentiation, one place for both modes. */

/* t times the derivative of node e by its first (which = 0) or second operand. */
expr chain_step(graph *g, expr e, int which, expr t);

/* The tangent of node e from the tangents of its operands (the zero constant for "does not move").
 */
expr chain_tangent(graph *g, expr e, expr da, expr db);

bool chain_is_zero(const graph *g, expr e);

#endif
