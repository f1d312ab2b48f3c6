/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TRACE_MATCH_H
#define NOSLIP_TRACE_MATCH_H

#include "path.h"

/* Which root at one station is which at the next.
 *
 * A strand is one root followed along the path; there are as many as roots. Roots are matched by where they are expected and by their
 * vectors: with y left, x right vectors
 *
 *     overlap_ij = |y_i(a)' x_j(b)| |y_j(b)' x_i(a)| / (|y_i(a)' x_i(a)| |y_j(b)' x_j(b)|)
 *
 * is 1 for the same strand and 0 for another if the stations are near, and does not depend on units or on the length of
 * vectors. The assignment with the least total cost is taken (Hungarian method).
 *
 * Two strands meet where two real roots become a pair, a pair becomes two real ones, or two pairs on the imaginary axis leave it to either
 * side: (difference of the two)^2 passes through zero there. Which of them is which on the other side has no meaning. */

typedef struct {
    size_t i, j; /* strands */
    bool pairs;  /* two pairs, which meet off the real axis; i and j are those above it */
} meeting;

typedef struct {
    size_t n;
    double *cost; /* n x n */
    size_t *to;   /* strand i at the first station is root to[i] at the second */
    meeting *met; /* between the two, n at most */
    size_t n_met;
    bool clear;    /* no other assignment comes near */
    bool crossing; /* two strands seem to pass through each other */
    double *dual_row, *dual_col, *slack;
    size_t *row_of, *way;
    bool *used;
    root *moved;
    double complex *carried; /* N x n */
} match;

match *match_new(size_t N, size_t n); /* NULL when memory is short */
void match_free(match *m);

/*
 * Match the roots of b, in the spectrum's order, to the strands of a, and put those of b into the order of strands.
 *
 *   expected   where each strand should be at b; NULL: where it is at a
 */
void match_stations(match *m, size_t N, const station *a, station *b,
                    const double complex *expected);

#endif
