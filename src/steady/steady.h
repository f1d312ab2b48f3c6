/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_STEADY_STEADY_H
#define NOSLIP_STEADY_STEADY_H

#include "model.h"

/* Steady motions [T-6]. Unknown are x = (p, w): the positional coordinates and the quasi-velocities; cyclic coordinates stay
 * where they are. The equations are
 *
 *     F(x) = [ v_p ; c ; g ; conditions ] = 0
 *
 * and E, the first two, depend on each other: their common kernel at a solution is the tangent space of the manifold. */
typedef struct steady steady;

/*
 *   conditions   `n` expressions that shall be zero: of parameters, coordinates, rates and quasi-velocities
 *
 * NOSLIP_OK, or an error of tape_compile. The model must live longer.
 */
noslip_status steady_new(const model *m, const expr *conditions, size_t n, steady **out,
                         noslip_error *err);
void steady_free(steady *s);

typedef struct {
    int iterations;
    double residual;  /* max |F_i| */
    double step;      /* length of the last step */
    size_t manifold;  /* dimension k of the manifold */
    size_t levels;    /* further zero roots, of holonomic levels [T-11] */
    double gap_above; /* the smallest singular value of dE that counts, relative to the largest */
    double gap_below; /* the largest that does not, likewise; 0 if there is none */
    size_t free_directions; /* dimensions of the manifold that the conditions leave open */
    size_t spare;           /* conditions that hold and do not narrow the choice */
} steady_info;

/*
 * From a start to the nearest solution: Levenberg and Marquardt on F, each step from the singular values.
 *
 *   parameters   of the system
 *   q, w         n and f: the start, and on NOSLIP_OK the solution
 *
 * NOSLIP_OK; NOSLIP_NO_CONVERGENCE; NOSLIP_SINGULAR or NOSLIP_NOT_FINITE if the start cannot be evaluated, NOSLIP_SINGULAR also if
 * the forms depend on each other where the search ends. `info` is set whatever comes back.
 */
noslip_status steady_solve(steady *s, const double *parameters, double *q, double *w,
                           steady_info *info);

/* How many steps steady_solve may take, 200 until set: from a random start most that need many get nowhere. */
void steady_limit(steady *s, int steps);

/* After NOSLIP_OK: the point, with v, lambda and all slopes; and an orthonormal basis of the space of x by rows of `basis` (N x N,
 * row i is basis[i + j*N]): first those that dE does not send to zero, last the kernel of dE, `dimension` of them. */
const reduced *steady_point(const steady *s);
const double *steady_basis(const steady *s, size_t *dimension);
const model *steady_model(const steady *s);

/* Whether the kernel of dE is more than the tangent space of a manifold [T-14]: branches of steady motions meet here, and
 * `manifold` counts the directions of all of them. */
bool steady_branches(const steady *s);

/* After NOSLIP_OK: row i of `free_directions` orthonormal rows, N apart: where the conditions leave x open. */
const double *steady_open(const steady *s);

/* After NOSLIP_NO_CONVERGENCE: F where its length is smallest, in the order above, N + levels + conditions of it. */
const double *steady_residuals(const steady *s);

/* For those who follow solutions instead of looking for one. */

size_t steady_unknowns(const steady *s);  /* N */
size_t steady_equations(const steady *s); /* rows of F */

/*
 * F at x, and its slopes, without solving. Cyclic coordinates stay where the last steady_solve had them.
 *
 *   F   one for each equation
 *   J   equations x N; NULL if not wanted
 *
 * NOSLIP_OK, NOSLIP_SINGULAR or NOSLIP_NOT_FINITE.
 */
noslip_status steady_evaluate(steady *s, const double *parameters, const double *x, double *F,
                              double *J);

/* Take the point where F and J were evaluated last for a solution at which dE has a kernel of this dimension, whatever its
 * singular values say: near a critical point they say one more. Afterwards steady_point and steady_basis tell about it.
 * NOSLIP_OK, NOSLIP_NO_CONVERGENCE, NOSLIP_NOT_FINITE. */
noslip_status steady_accept(steady *s, size_t dimension);

#endif
