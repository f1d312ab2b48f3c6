/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TRACE_LOCATE_H
#define NOSLIP_TRACE_LOCATE_H

#include "match.h"

/* Where between two stations something passes through zero. Each kind of critical value has a number that is analytic along the path
 * there, though the roots themselves may not be. */
typedef enum {
    TEST_ROOT,      /* real root i */
    TEST_REAL_PART, /* real part of root i */
    TEST_GAP,       /* (root i - root j)^2 of two that meet */
    TEST_TURN,      /* the parameter's component of the tangent */
    TEST_BRANCH,    /* sigma, with its sign */
} test_kind;

typedef struct {
    test_kind kind;
    size_t i, j; /* strands */
} test;

enum { LOCATE_NODES = 6 };

typedef struct {
    path *p;
    match *m;
    station *probe;
    double complex *expected; /* n */
    double *normal;           /* N+1 */
    double *y[LOCATE_NODES];  /* N+1 each */
    double *block;
} locator;

typedef struct {
    double at;            /* from 0 at the first station to 1 at the second */
    double alpha;         /* the parameter there */
    double bound;         /* by how much the last two estimates differ */
    double complex value; /* the root, or the mean of two that meet; 0 for tests of the path */
} located;

/* NOSLIP_OK or NOSLIP_ERR_MEMORY; free in any case. */
noslip_status locator_new(locator *l, path *p);
void locator_free(locator *l);

/* The number of a test at station x; `a` lends sigma its sign. */
double locate_test(const locator *l, const test *t, const station *a, const station *x);

/*
 * Between stations a and b, at which the test has different signs: first a bracket, then polynomials through points at
 * some distance on both sides, in ever narrower windows until two of them agree. Close to a branch point or to a zero root
 * the equations are nearly singular, and what is computed there is worth less than what is seen from a distance.
 *
 *   y   N+1: the place, set on NOSLIP_OK
 *
 * NOSLIP_OK, or NOSLIP_NO_CONVERGENCE if no two estimates agree or stations between cannot be found.
 */
noslip_status locate(locator *l, const test *t, const station *a, const station *b, located *out,
                     double *y);

#endif
