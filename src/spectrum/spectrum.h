/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_SPECTRUM_SPECTRUM_H
#define NOSLIP_SPECTRUM_SPECTRUM_H

#include "steady.h"

/* The matrix G of a steady motion, its roots without those of the manifold, and what they say. */

typedef struct {
    double re, im;
    double bound; /* estimated |computed - exact|; never negative */
} root;

typedef enum { STABLE_ASYMPTOTICALLY, UNSTABLE, NEUTRAL, DEGENERATE } stability; /* [T-10] */
typedef enum { INSTABILITY_NONE, INSTABILITY_DIVERGENCE, INSTABILITY_FLUTTER } instability;

typedef struct {
    size_t N;      /* size of G */
    size_t zeros;  /* roots of the manifold and of holonomic levels, set aside */
    size_t n;      /* the others, N - zeros */
    double *G;     /* N x N */
    root *roots;   /* n, by falling real part; of a pair the one above first */
    double *modes; /* N x n: right vectors in the space of x, a pair as real and imaginary part */
    double *left;  /* N x n: left vectors likewise */
    double abscissa;
    stability verdict;
    instability kind;
    double *block; /* memory of the work */
    dense *d;
    int *pivot;
    struct numbered *list;
} spectrum;

spectrum *spectrum_new(const model *m); /* NULL when memory is short */
void spectrum_free(spectrum *x);

/* At the solution that `s` found last. NOSLIP_OK; NOSLIP_SINGULAR (mass matrix), NOSLIP_NO_CONVERGENCE, NOSLIP_NOT_FINITE. */
noslip_status spectrum_find(spectrum *x, const steady *s);

/* By falling real part, then falling |imaginary part|, the one above first. */
void spectrum_sort(root *roots, size_t n);

/* Judge n roots [T-10]: a sign counts only beyond the root's bound. *kind is set for UNSTABLE. */
stability spectrum_judge(const root *roots, size_t n, instability *kind);

#endif
