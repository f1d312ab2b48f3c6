/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time per matrix of the batch operations against LAPACK called matrix by matrix in the same run; medians. */
#include <lapacke.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "batch.h"

enum { LANES = 256, ROUNDS = 31, MOST = 16 };

typedef struct {
    size_t n;
    batch_work *w;
    double *given, *a, *single,
        *out[4]; /* points innermost, a copy, and one matrix after the other */
    unsigned char flag[LANES];
} bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double number(void) /* between -1 and 1 */
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(int64_t)state * 0x1p-63;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double batch_roots(bench *b)
{
    double start = now();
    batch_eigenvalues(b->w, LANES, b->n, b->given, b->out[0], b->out[1], b->out[2], NULL, b->flag);
    return now() - start;
}

static double single_roots(bench *b)
{
    lapack_int n = (lapack_int)b->n;
    double a[MOST * MOST], re[MOST], im[MOST], work[8 * MOST];
    double start = now();
    for (size_t p = 0; p < LANES; p++) {
        memcpy(a, b->single + p * b->n * b->n, b->n * b->n * sizeof *a);
        LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', n, a, n, re, im, NULL, 1, NULL, 1, work,
                           8 * MOST);
    }
    return now() - start;
}

static double batch_lu(bench *b)
{
    memcpy(b->a, b->given, b->n * b->n * LANES * sizeof *b->a);
    double start = now();
    batch_factor(b->w, LANES, b->n, b->a, b->out[0], b->flag, b->out[1]);
    return now() - start;
}

static double single_lu(bench *b)
{
    lapack_int n = (lapack_int)b->n, pivot[MOST];
    double a[MOST * MOST];
    double start = now();
    for (size_t p = 0; p < LANES; p++) {
        memcpy(a, b->single + p * b->n * b->n, b->n * b->n * sizeof *a);
        LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, pivot);
    }
    return now() - start;
}

static double batch_product(bench *b)
{
    double start = now();
    batch_multiply(b->w, LANES, false, false, b->n, b->n, b->n, 1, b->given, b->given, 0, b->a);
    return now() - start;
}

static double batch_least(bench *b)
{
    double start = now();
    batch_least_squares(b->w, LANES, b->n, b->n - 1, b->given, b->given, b->out[0], b->flag, NULL);
    return now() - start;
}

static double batch_basis(bench *b)
{
    double start = now();
    batch_range(b->w, LANES, b->n, b->n - 2, b->given, b->a, b->flag, NULL, NULL);
    return now() - start;
}

static double median(double *t)
{
    qsort(t, ROUNDS, sizeof *t, ascending);
    return t[ROUNDS / 2];
}

static void fill(bench *b, size_t n)
{
    b->n = n;
    for (size_t k = 0; k < n * n; k++)
        for (size_t p = 0; p < LANES; p++)
            b->given[k * LANES + p] = b->single[p * n * n + k] = number();
}

/* Both in turn, so that what else the machine does meets both. */
static void compare(bench *b, const char *what, double (*batch)(bench *), double (*single)(bench *))
{
    double many[ROUNDS], one[ROUNDS], ratio[ROUNDS];
    batch(b);
    for (int k = 0; k < ROUNDS; k++) {
        many[k] = batch(b);
        one[k] = single ? single(b) : 0;
        ratio[k] = one[k] / many[k];
    }
    printf("  %-14s %2zu x %-2zu %9.1f ns", what, b->n, b->n, 1e9 * median(many) / LANES);
    if (single)
        printf(", LAPACK alone %9.1f ns, ratio %5.1f", 1e9 * median(one) / LANES, median(ratio));
    printf("\n");
}

static void run_all(bench *b)
{
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8, 9, 12, 16};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        fill(b, sizes[k]);
        compare(b, "eigenvalues", batch_roots, single_roots);
    }
    for (size_t n = 3; n <= 9; n += 3) {
        fill(b, n);
        compare(b, "factor", batch_lu, single_lu);
        compare(b, "multiply", batch_product, NULL);
        compare(b, "least squares", batch_least, NULL);
        compare(b, "range", batch_basis, NULL);
    }
}

int main(void)
{
    static bench b;
    size_t room = (size_t)MOST * MOST * LANES;
    b.given = noslip_aligned(64, room, sizeof(double));
    b.a = noslip_aligned(64, room, sizeof(double));
    b.single = noslip_aligned(64, room, sizeof(double));
    for (int k = 0; k < 4; k++) b.out[k] = noslip_aligned(64, (size_t)MOST * LANES, sizeof(double));
    for (int k = 0; batch_code_at(k); k++) {
        b.w = batch_work_with(MOST, batch_code_at(k));
        printf("%s\n", batch_code_name(batch_code_at(k)));
        run_all(&b);
        batch_work_free(b.w);
    }
    for (int k = 0; k < 4; k++) noslip_free(b.out[k]);
    noslip_free(b.given);
    noslip_free(b.a);
    noslip_free(b.single);
    return 0;
}
