/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_LINALG_DENSE_H
#define NOSLIP_LINALG_DENSE_H

#include <stdbool.h>
#include <stddef.h>

#include "noslip/status.h"

/* Small dense matrices through LAPACK. Everywhere: column after column, a[i + j*rows], without gaps. Nothing
 * allocates but dense_new. */

/* Memory for matrices of up to `rows` x `cols`; NULL when memory is short. */
typedef struct dense dense;
dense *dense_new(size_t rows, size_t cols);
void dense_free(dense *d);

/* c = alpha*op(a)*op(b) + beta*c, where op(x) is x or its transpose; c is rows x cols, `inner` the dimension between. */
void dense_multiply(bool transpose_a, bool transpose_b, size_t rows, size_t cols, size_t inner,
                    double alpha, const double *a, const double *b, double beta, double *c);

/* P L U = a, in place; pivot has n entries. NOSLIP_OK, or NOSLIP_SINGULAR if a pivot is zero or `a` is not finite.
 * *rcond estimates 1/(|a| |a^-1|) in the 1-norm; may be NULL. */
noslip_status dense_factor(dense *d, size_t n, double *a, int *pivot, double *rcond);

/* b = a^-1 b or, transposed, a'^-1 b, for `count` columns of b, from the factors. */
void dense_solve(bool transpose, size_t n, const double *lu, const int *pivot, size_t count,
                 double *b);

/*
 * Singular values of a (rows x cols, destroyed), largest first, and the vectors:
 *
 *   u    rows x rows, or NULL
 *   vt   cols x cols, or NULL: rows are the right singular vectors; those behind the rank span the kernel
 *
 * NOSLIP_OK, NOSLIP_NO_CONVERGENCE, or NOSLIP_NOT_FINITE.
 */
noslip_status dense_svd(dense *d, size_t rows, size_t cols, double *a, double *s, double *u,
                        double *vt);

/*
 * Eigenvalues of a (n x n, destroyed) with vectors and condition numbers.
 *
 *   left, right   n x n: real vectors, and pairs as real and imaginary part, as LAPACK stores them
 *   rcond         |y'x| of unit vectors for each: an error e of the matrix moves the eigenvalue by e/rcond
 *
 * Returns as dense_svd.
 */
noslip_status dense_eigen(dense *d, size_t n, double *a, double *re, double *im, double *left,
                          double *right, double *rcond);

/* Whether the symmetric part of a (n x n, destroyed) is positive definite. */
bool dense_is_positive(size_t n, double *a);

double dense_norm(size_t rows, size_t cols, const double *a); /* Frobenius */

#endif
