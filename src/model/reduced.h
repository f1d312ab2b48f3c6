/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_REDUCED_H
#define NOSLIP_MODEL_REDUCED_H

#include "dense.h"
#include "equations.h"

/* The reduced equations M(q) w' + c(q,w) = 0, q' = v(q,w) at one point, and their derivatives [T-3]-[T-8]. Of the
 * equations' forms n are used: f quasi-velocities first, then s constraints.
 *
 *   theory   code    size     meaning
 *   w        w       f        quasi-velocities
 *   v        e->v    n        rates: W ((w,0) - u0)
 *   c        c       f        reduced equations at w' = wdot: W1' L
 *   lambda   lambda  s        reactions: W2' L
 *   M        M       f x f    W1' A W1
 *            vq, vw  n x n, n x f    dv/dq, dv/dw
 *            cq, cw  f x n, f x f    dc/dq, dc/dw, exact also where c is not 0          */
typedef struct {
    equations_work *e;
    dense *d;
    size_t n, f, s;
    size_t *row;   /* form k is row[k] of the equations: may be changed between points */
    double *block; /* all of the arrays below */
    double *w, *wdot, *c, *lambda, *M, *vq, *vw, *cq, *cw;
    double *lu, *W1, *aq, *aw, *t, *Kv; /* factors of U; da/dq, da/dw; scratch; chosen rows */
    int *pivot;
    double rcond; /* of U */
} reduced;

/* With the first n forms chosen; NULL when memory is short. */
reduced *reduced_new(const equations *e, size_t f);
void reduced_free(reduced *r);

/* From parameters and q (in r->e), w and wdot: v, a, L, c, lambda. NOSLIP_OK, NOSLIP_SINGULAR if the forms depend on each other
 * here, NOSLIP_NOT_FINITE. */
noslip_status reduced_values(reduced *r);

/* The derivatives and M, after reduced_values at the same point. */
noslip_status reduced_slopes(reduced *r);

/* c and its slopes are sums of terms that may cancel altogether, as where all momenta are constant by themselves; what is left then is
 * rounding of the terms. How large the terms are, after reduced_slopes. */
double reduced_value_terms(const reduced *r);
double reduced_slope_terms(const reduced *r);

#endif
