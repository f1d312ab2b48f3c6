/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_POINTS_H
#define NOSLIP_REGION_POINTS_H

#include "plane.h"
#include "spectrum_many.h"

/* Points of a plane on one sheet of steady motions, evaluated by batches and, where a batch cannot, alone. */

typedef enum {
    POINT_NONE,       /* no steady motion on this sheet */
    POINT_STABLE,     /* asymptotically */
    POINT_DIVERGENCE, /* unstable, the rightmost root is real */
    POINT_FLUTTER,    /* unstable, the rightmost is a pair */
    POINT_NEUTRAL,
    POINT_DEGENERATE,
    POINT_KINDS
} point_kind;

/* One point: the numbers stand in rows of their own, `stride` for each point.
 *
 *     x (N) | re (roots) | im (roots)          sorted as in spectrum.h; zero if there is no steady motion    */
typedef struct {
    double u, v;             /* where */
    double start_u, start_v; /* a place near it whose steady motion is known */
    const double *start;     /* N: that motion */
    const double
        *guess; /* N: a better place to begin at, found from several motions; NULL for none */
    int sign; /* of the product of the roots there, 0 if not known; where it changes on a way longer than */
    double
        expected; /* this (relative, of any unknown), a fold may have been jumped: it is gone in small steps */
    double *numbers;            /* set: N + 2*roots */
    double abscissa, frequency; /* set: of the rightmost root, |im|/(2 pi) */
    double fold;                /* set: how far the equations are from singular, 0 at a fold */
    point_kind kind;            /* set */
} point;

/* The sign of the product of n roots, real parts first. */
int point_sign(const double *roots, size_t n);

typedef struct evaluator evaluator;

/*
 * For one thread.
 *
 *   zeros   dimension of the kernel of dE on this sheet: manifold and holonomic levels
 *
 * NULL when memory is short.
 */
evaluator *evaluator_new(const plane *p, size_t zeros, noslip_error *err);
void evaluator_free(evaluator *e);

/* Any number of points. What comes out for a point depends on its own fields alone, not on the others. */
void evaluator_run(evaluator *e, point *points, size_t n);

/* The parameters at a place, as many as the system has. */
void evaluator_parameters(evaluator *e, double u, double v, double *out);

/* How many points were done alone since the evaluator was made. */
typedef struct {
    size_t points, alone;
} evaluator_counts;
evaluator_counts evaluator_count(const evaluator *e);

#endif
