/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_DIFF_H
#define NOSLIP_EXPR_DIFF_H

#include "graph.h"

/* Derivatives, as expressions of the same graph; equal parts are shared with all that is there.
 *
 * A derivative is taken as if every operation were smooth where it is defined: at a kink (abs at 0)
 * and at the end of a domain (sqrt at 0) the expression made here is not finite, and says so when
 * evaluated.
 *
 * All return NOSLIP_OK, NOSLIP_ERR_MEMORY, or NOSLIP_ERR_ARG where it is said; outputs are set on
 * NOSLIP_OK only. Variables are symbols, and each is given once. */

/* One partial derivative; EXPR_NONE when memory is short. */
expr diff_partial(graph *g, expr e, expr variable);

/* Forward: dout[i] = sum over k of (d out[i] / d variable[k]) * direction[k]. */
noslip_status diff_forward(graph *g, const expr *out, size_t n_out, const expr *variable,
                           const expr *direction, size_t n_variables, expr *dout);

/* Reverse: gradient[k] = d e / d variable[k], at a cost of a few times that of e whatever the
 * number of variables. */
noslip_status diff_gradient(graph *g, expr e, const expr *variable, size_t n_variables,
                            expr *gradient);

/* Total time derivative: coordinates move by their rates, rates by accelerations (made where
 * needed), the time by 1; parameters stay. NOSLIP_ERR_ARG if an expression depends on an
 * acceleration. */
noslip_status diff_time(graph *g, const expr *out, size_t n_out, expr *dout);

/* A derivative of a Jacobian that is not zero by structure. */
typedef struct {
    uint32_t row, column; /* of output and of variable */
    expr e;
} jacobian_entry;

typedef struct {
    ARRAY(jacobian_entry) entries; /* by row, then by column */
} jacobian;

typedef enum {
    JACOBIAN_AUTO,    /* reverse if there are fewer outputs than variables, else forward */
    JACOBIAN_FORWARD, /* a column at a time; each visits only what depends on its variable */
    JACOBIAN_REVERSE, /* a row at a time */
} jacobian_mode;

/* d out[i] / d variable[k] for all i and k, nonzeros only. Cost grows with the nonzeros, not with
 * n_out times n_variables. Zero `result` at first, free it with jacobian_free. */
noslip_status diff_jacobian(graph *g, const expr *out, size_t n_out, const expr *variable,
                            size_t n_variables, jacobian_mode mode, jacobian *result);
void jacobian_free(jacobian *j);

#endif
