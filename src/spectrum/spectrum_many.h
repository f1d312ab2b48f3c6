/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_SPECTRUM_MANY_H
#define NOSLIP_SPECTRUM_MANY_H

#include "spectrum.h"
#include "steady_many.h"

/* The roots and the verdict at a batch of steady motions: spectrum.h with the points innermost, for a kernel whose dimension is
 * known. Where the decision is a close one (rank, or the sign of a real part) the lane is left to be done alone. */
typedef struct {
    size_t lanes, N, zeros, n; /* size of G, roots set aside, the others */
    batch_work *b;
    double *memory;
    double *G, *Q, *half, *small, *lu, *pivot;
    double *re, *im, *bound; /* n rows */
    double *rcond, *above, *below, *hint, *norm, *norm_small;
    unsigned char *flag;
    unsigned char *verdict, *kind; /* stability, instability of each lane */
    dense *d;                      /* for a lane by itself */
    double *one;                   /* its matrix, vectors, roots */
    root *roots;
} spectrum_many;

spectrum_many *spectrum_many_new(const model *m, size_t zeros,
                                 size_t lanes); /* NULL when memory is short */
void spectrum_many_free(spectrum_many *x);

/* At the motions that `s` found. Lanes that are LANE_DONE stay so, with roots and verdict; or become LANE_UNSURE, if a sign is a close
 * decision or the roots were not found; or LANE_ALONE, if the rank is. */
void spectrum_many_find(spectrum_many *x, steady_many *s);

/* The roots of a lane that is LANE_UNSURE once more, through LAPACK; it becomes LANE_DONE, or LANE_ALONE. */
void spectrum_many_look(spectrum_many *x, steady_many *s, size_t lane);

#endif
