/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_LINALG_BATCH_CODE_H
#define NOSLIP_LINALG_BATCH_CODE_H

#include "batch.h"

/* The operations of batch.h for one kind of processor, all made from one text, batch_body.h. `scratch` has room for
 * BATCH_SCRATCH(most) numbers, 64-byte aligned. NULL outputs have been replaced. */
#define BATCH_SCRATCH(most) ((4 * (most) * (most) + 10 * (most) + 8) * BATCH_STEP)

struct batch_code {
    const char *name;
    void (*multiply)(double *scratch, size_t lanes, bool transpose_a, bool transpose_b, size_t rows,
                     size_t cols, size_t inner, double alpha, const double *a, const double *b,
                     double beta, double *c);
    void (*factor)(double *scratch, size_t lanes, size_t n, double *a, double *pivot,
                   unsigned char *bad, double *hint);
    void (*solve)(double *scratch, size_t lanes, bool transpose, size_t n, const double *lu,
                  const double *pivot, size_t count, double *b);
    void (*least_squares)(double *scratch, size_t lanes, size_t rows, size_t cols, const double *a,
                          const double *b, double *x, unsigned char *bad, double *ratio);
    void (*range)(double *scratch, size_t lanes, size_t n, size_t rank, const double *g, double *q,
                  unsigned char *bad, double *above, double *below);
    void (*eigenvalues)(double *scratch, size_t lanes, size_t n, const double *a, double *re,
                        double *im, double *bound, double *rcond, unsigned char *handed);
};

#endif
