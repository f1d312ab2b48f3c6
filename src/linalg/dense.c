/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dense.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "alloc.h"

struct dense {
    size_t rows, cols;
    double *work;
    lapack_int work_size;
    lapack_int *integers;
    double *scale; /* balancing of dgeevx, and copies of vectors that nobody asked for */
};

/* What the largest call needs, by the formulas of LAPACK's documentation: dgesvd 5 max, dgeevx n (n + 6), dgecon 4 n. */
dense *dense_new(size_t rows, size_t cols)
{
    size_t most = rows > cols ? rows : cols;
    if (most == 0) most = 1;
    openblas_set_num_threads(1); /* our matrices are small, and our threads our own */
    dense *d = noslip_calloc(1, sizeof *d);
    if (!d) return NULL;
    d->rows = rows;
    d->cols = cols;
    d->work_size = (lapack_int)(most * (most + 6) + 6 * most + 64);
    d->work = noslip_calloc((size_t)d->work_size, sizeof *d->work);
    d->integers = noslip_calloc(2 * most, sizeof *d->integers);
    d->scale = noslip_calloc(2 * most, sizeof *d->scale);
    if (!d->work || !d->integers || !d->scale) {
        dense_free(d);
        return NULL;
    }
    return d;
}

void dense_free(dense *d)
{
    if (!d) return;
    noslip_free(d->work);
    noslip_free(d->integers);
    noslip_free(d->scale);
    noslip_free(d);
}

static int at_least_one(size_t n)
{
    return n ? (int)n : 1;
}

void dense_multiply(bool transpose_a, bool transpose_b, size_t rows, size_t cols, size_t inner,
                    double alpha, const double *a, const double *b, double beta, double *c)
{
    cblas_dgemm(CblasColMajor, transpose_a ? CblasTrans : CblasNoTrans,
                transpose_b ? CblasTrans : CblasNoTrans, (int)rows, (int)cols, (int)inner, alpha, a,
                at_least_one(transpose_a ? inner : rows), b,
                at_least_one(transpose_b ? cols : inner), beta, c, at_least_one(rows));
}

/* LAPACK may not come back from a matrix with NaN in it. */
static bool is_finite(size_t count, const double *a)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += a[k] * 0.0;
    return sum == 0;
}

noslip_status dense_factor(dense *d, size_t n, double *a, int *pivot, double *rcond)
{
    if (!is_finite(n * n, a)) return NOSLIP_SINGULAR;
    if (n == 0) return NOSLIP_OK;
    lapack_int size = (lapack_int)n;
    double norm = LAPACKE_dlange_work(LAPACK_COL_MAJOR, '1', size, size, a, size, d->work);
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, a, size, pivot) != 0)
        return NOSLIP_SINGULAR;
    if (rcond)
        LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', size, a, size, norm, rcond, d->work,
                            d->integers);
    return NOSLIP_OK;
}

void dense_solve(bool transpose, size_t n, const double *lu, const int *pivot, size_t count,
                 double *b)
{
    if (n == 0 || count == 0) return;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transpose ? 'T' : 'N', (lapack_int)n, (lapack_int)count,
                        lu, (lapack_int)n, pivot, b, (lapack_int)n);
}

noslip_status dense_svd(dense *d, size_t rows, size_t cols, double *a, double *s, double *u,
                        double *vt)
{
    if (!is_finite(rows * cols, a)) return NOSLIP_NOT_FINITE;
    if (rows == 0 || cols == 0) {
        for (size_t j = 0; vt && j < cols * cols; j++) vt[j] = j % (cols + 1) == 0;
        for (size_t j = 0; u && j < rows * rows; j++) u[j] = j % (rows + 1) == 0;
        return NOSLIP_OK;
    }
    lapack_int info = LAPACKE_dgesvd_work(
        LAPACK_COL_MAJOR, u ? 'A' : 'N', vt ? 'A' : 'N', (lapack_int)rows, (lapack_int)cols, a,
        (lapack_int)rows, s, u, (lapack_int)rows, vt, (lapack_int)cols, d->work, d->work_size);
    return info == 0 ? NOSLIP_OK : NOSLIP_NO_CONVERGENCE;
}

/* |y'x| of the vectors in column k, or of a pair in columns k and k + 1; all have length one. */
static double overlap(size_t n, const double *left, const double *right, size_t k, bool pair)
{
    const double *y = left + k * n, *x = right + k * n;
    int size = (int)n;
    if (!pair) return fabs(cblas_ddot(size, y, 1, x, 1));
    double re = cblas_ddot(size, y, 1, x, 1) + cblas_ddot(size, y + n, 1, x + n, 1);
    double im = cblas_ddot(size, y, 1, x + n, 1) - cblas_ddot(size, y + n, 1, x, 1);
    return hypot(re, im);
}

noslip_status dense_eigen(dense *d, size_t n, double *a, double *re, double *im, double *left,
                          double *right, double *rcond)
{
    if (!is_finite(n * n, a)) return NOSLIP_NOT_FINITE;
    if (n == 0) return NOSLIP_OK;
    lapack_int size = (lapack_int)n, low, high;
    double norm;
    lapack_int info = LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, 'B', 'V', 'V', 'E', size, a, size, re,
                                          im, left, size, right, size, &low, &high, d->scale, &norm,
                                          rcond, d->scale + n, d->work, d->work_size, d->integers);
    if (info != 0) return NOSLIP_NO_CONVERGENCE;
    /* LAPACK's condition numbers are those of the balanced matrix, in which the error of this one is not small everywhere */
    for (size_t k = 0; k < n; k++)
        rcond[k] = im[k] < 0 ? rcond[k - 1] : overlap(n, left, right, k, im[k] > 0);
    return NOSLIP_OK;
}

bool dense_is_positive(size_t n, double *a)
{
    if (!is_finite(n * n, a)) return false;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++) a[i + j * n] = (a[i + j * n] + a[j + i * n]) / 2;
    return n == 0 ||
           LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, a, (lapack_int)n) == 0;
}

double dense_norm(size_t rows, size_t cols, const double *a)
{
    return rows && cols ? cblas_dnrm2((int)(rows * cols), a, 1) : 0;
}
