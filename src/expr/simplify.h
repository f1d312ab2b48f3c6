/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_SIMPLIFY_H
#define NOSLIP_EXPR_SIMPLIFY_H

#include "graph.h"

/* The node of an operation in its simplest form: what graph_apply promises. */
expr simplify_apply(graph *g, op o, expr a, expr b);

#endif
