/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_LINALG_BATCH_H
#define NOSLIP_LINALG_BATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Small dense matrices at many points at once, points innermost.
 *
 * A batch has `lanes` points, a multiple of BATCH_STEP and at most BATCH_MOST. Entry (i, j) of the matrix of point p
 * stands at a[(i + j*rows)*lanes + p], a vector is a matrix of one column, and a number per point an array of `lanes`:
 *
 *     a:  (0,0) of points 0 1 2 3 ...  | (1,0) of points 0 1 2 3 ...  | ...
 *
 * Arrays may stand at any address; at multiples of 64 bytes they are read faster. Nothing allocates but
 * batch_work_new. Outputs must not overlap inputs.
 *
 * Whatever stands in one lane (NaN, infinity, a singular matrix) has no effect on any other, and every processor gives
 * the same bits. What goes wrong in a lane is said in a flag of that lane; its numbers mean nothing then. */
enum { BATCH_STEP = 8, BATCH_MOST = 512, BATCH_SIZE_MOST = 64 };

/* Memory for matrices of at most `most` rows and columns (up to BATCH_SIZE_MOST), used by one thread at a time; NULL when
 * memory is short. Runs the fastest code of this processor; batch_work_with runs the code named by batch_code_at(k),
 * which is NULL beyond the last one this processor runs, for tests. */
typedef struct batch_work batch_work;
typedef struct batch_code batch_code;
batch_work *batch_work_new(size_t most);
batch_work *batch_work_with(size_t most, const batch_code *code);
void batch_work_free(batch_work *w);

const batch_code *batch_code_at(int k);
const char *batch_code_name(const batch_code *code);

/* c = alpha*op(a)*op(b) + beta*c, where op(x) is x or its transpose; c is rows x cols, `inner` the dimension between.
 * With beta = 0, c is not read. */
void batch_multiply(batch_work *w, size_t lanes, bool transpose_a, bool transpose_b, size_t rows,
                    size_t cols, size_t inner, double alpha, const double *a, const double *b,
                    double beta, double *c);

/*
 * P L U = a in place, with the largest pivot of each column of each lane.
 *
 *   pivot   n x 1: the row that went to place k, a whole number kept as double; for batch_solve
 *   bad     1 where a is not finite or a pivot is zero or not finite, else 0; the factors of the unit matrix stand there
 *   hint    the smallest |U_kk| / max_i |a_ik|, 0 in bad lanes; may be NULL. A small one tells that `a` is close to
 *           singular (columns count relative to their size); a large one does not prove the contrary.
 */
void batch_factor(batch_work *w, size_t lanes, size_t n, double *a, double *pivot,
                  unsigned char *bad, double *hint);

/* b = a^-1 b or, transposed, a'^-1 b, for `count` columns of b, from the factors. */
void batch_solve(batch_work *w, size_t lanes, bool transpose, size_t n, const double *lu,
                 const double *pivot, size_t count, double *b);

/*
 * The x that makes |a x - b| least, by Householder reflections without exchange of columns.
 *
 *   a, b    rows x cols and rows x 1, rows >= cols
 *   ratio   min |R_kk| / max |R_kk| after each column has been brought to a largest entry between 1 and 2, so that units
 *           of the unknowns do not matter; may be NULL
 *   bad     1 where an entry is not finite or ratio <= rows * 2^-52, so that the columns are dependent; x is zero there
 */
void batch_least_squares(batch_work *w, size_t lanes, size_t rows, size_t cols, const double *a,
                         const double *b, double *x, unsigned char *bad, double *ratio);

/*
 * Range and kernel of matrices g (n x n) whose rank is known.
 *
 *   q       n x n, orthogonal: the first `rank` columns span range(g'), the others the kernel of g
 *   above   |R_rr| / |R_11| of the Householder reduction of g' with exchange of columns, r = rank; 1 if rank = 0
 *   below   Frobenius norm of what is left behind the first `rank` columns and rows of R, over |R_11| (over itself if rank = 0)
 *   bad     1 where an entry is not finite; q is the unit matrix and both ratios are zero there
 *
 * The rank is as given where `above` is large and `below` of the size of rounding: the caller judges. Both are zero for
 * g = 0 and rank > 0. `above` and `below` may be NULL.
 */
void batch_range(batch_work *w, size_t lanes, size_t n, size_t rank, const double *g, double *q,
                 unsigned char *bad, double *above, double *below);

/*
 * All eigenvalues of a (n x n), sorted: falling real part, then falling |imaginary part|, the positive one first.
 *
 *   re, im   n x 1; a real root has im = 0 exactly, complex ones come in exactly conjugate pairs
 *   bound    n x 1: |computed - exact| is at most this, and so is the distance to the roots of any matrix whose entries
 *            are off by up to 2n units in the last place. Of an ill-conditioned root the bound is large, not wrong.
 *   rcond    n x 1 as dense_eigen gives it, for errors of another size: |y'x| of unit vectors of the balanced matrix, 0 if
 *            it cannot be told from 0; may be NULL
 *   handed   1 where the lane has to be done alone with dense_eigen: an entry is not finite, or not zero but less than
 *            2^-480 of the largest, or the iteration did not end; its numbers are zero
 */
void batch_eigenvalues(batch_work *w, size_t lanes, size_t n, const double *a, double *re,
                       double *im, double *bound, double *rcond, unsigned char *handed);

#endif
