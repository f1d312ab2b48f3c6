/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TRACE_PATH_H
#define NOSLIP_TRACE_PATH_H

#include <complex.h>

#include "parameters.h"
#include "ready.h"
#include "spectrum.h"

/* Steady motions while one parameter moves: the solutions of F(x, alpha) = 0 are a curve, and a point of it is a station.
 *
 * Everything is scaled, so that units do not matter: y_j = x_j/scale_j for j < N, and y_N = (alpha - from)/range goes from 0 to 1. Where
 * the case's conditions leave directions of the manifold open, x keeps its component along them: these are further equations,
 * F has `rows` in all. A is dF/dy, rows x (N+1); rank N on the curve, N-1 at a branch point:
 *
 *     kernel of A                   the tangent t; its last component is 0 at a fold
 *     smallest singular triplet     u, sigma, v of those that belong to the rank: with a sign that is carried along, sigma
 *                                   passes through 0 at a branch point                                             */
typedef struct {
    double *y, *t; /* N+1 each */
    double sigma;  /* not negative; u and v take the sign */
    double *u, *v; /* rows, N+1 */
    root *roots;   /* n; in the order of the spectrum, or of strands once they are matched */
    double complex *right, *left; /* N x n, their vectors */
    stability verdict;
    instability kind;
    double complex *block;
} station;

typedef struct {
    const noslip_model *r;
    steady *s;
    spectrum *x;
    parameters *values;
    size_t parameter; /* that moves */
    double from, range;
    size_t N, n, rows;      /* unknowns, roots, equations */
    size_t zeros;           /* dimension of the kernel of dE along the curve */
    size_t held;            /* open directions */
    double *scale, *weight; /* of unknowns and of equations */
    double *open, *anchor;  /* held x N, and the x from which they are measured */
    double *given, *now;    /* parameters */
    double *point;          /* x */
    double *F, *A, *extended, *u, *vt, *singular, *near, *step;
    dense *d;
    double *block;
} path;

/*
 * A path along parameter `k` of the system from one value to another, and the station at its beginning: the steady motion nearest to
 * the guess there. The tangent points to the other end.
 *
 * NOSLIP_OK; the findings of steady_solve, explained in `err`; NOSLIP_ERR_FORMULA if parameters are not finite there; NOSLIP_ERR_MEMORY. Free
 * the path in any case.
 */
noslip_status path_open(path *p, const noslip_model *r, size_t k, double from, double to,
                        station **first, noslip_error *err);
void path_close(path *p);

station *station_new(const path *p); /* NULL when memory is short */
void station_free(station *a);       /* accepts NULL */
void station_copy(const path *p, const station *from, station *to);

double path_alpha(const path *p, const double *y);           /* the parameter */
double path_state(const path *p, const double *y, size_t k); /* x_k */

/*
 * From out->y to the curve, in the plane through it with this normal (N+1): Gauss and Newton. All of `out` is set, its tangent on the side
 * of the normal.
 *
 * NOSLIP_OK, or NOSLIP_NO_CONVERGENCE, NOSLIP_SINGULAR, NOSLIP_NOT_FINITE.
 */
noslip_status path_correct(path *p, const double *normal, station *out);

/* All that belongs to out->y, taken to be on the curve. */
noslip_status path_describe(path *p, const double *normal, station *out);

static inline double complex root_number(const root *e)
{
    return e->re + I * e->im;
}

double path_dot(const double *a, const double *b, size_t n);

#endif
