/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time per point of the batch evaluator against the same tape as compiled C, called point by point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "alloc.h"
#include "systems.h"

void plain_disk(const double *restrict in, double *restrict out);
void plain_chain(const double *restrict in, double *restrict out);

enum { POINTS = 1024, STRIDE = POINTS + 72, ROUNDS = 41 };

typedef struct {
    bench_system s;
    tape *t;
    tape_work *w;
    double *columns, *in[64], *out[512]; /* points innermost */
    double *rows_in, *rows_out;          /* one point after the other */
    unsigned char bad[POINTS];
    void (*plain)(const double *restrict in, double *restrict out);
} bench;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double batch_time(bench *b)
{
    double start = now();
    tape_batch(b->w, (const double *const *)b->in, b->out, POINTS, b->bad);
    return now() - start;
}

static double plain_time(bench *b)
{
    double start = now();
    for (size_t p = 0; p < POINTS; p++)
        b->plain(b->rows_in + p * b->s.n_in, b->rows_out + p * b->s.n_out);
    return now() - start;
}

static double point_time(bench *b)
{
    double start = now();
    for (size_t p = 0; p < POINTS; p++)
        tape_point(b->w, b->rows_in + p * b->s.n_in, b->rows_out + p * b->s.n_out);
    return now() - start;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[n / 2];
}

static void prepare(bench *b, size_t n_fixed)
{
    b->t = bench_compile(&b->s, n_fixed);
    b->w = tape_work_new(b->t);
    b->columns = noslip_aligned(64, (b->s.n_in + b->s.n_out) * STRIDE, sizeof(double));
    b->rows_in = noslip_aligned(64, POINTS * b->s.n_in, sizeof(double));
    b->rows_out = noslip_aligned(64, POINTS * b->s.n_out, sizeof(double));
    for (size_t k = 0; k < b->s.n_in; k++) {
        b->in[k] = b->columns + k * STRIDE;
        for (size_t p = 0; p < POINTS; p++)
            b->in[k][p] = b->rows_in[p * b->s.n_in + k] = bench_input(k, k < n_fixed ? 0 : p);
    }
    for (size_t k = 0; k < b->s.n_out; k++) b->out[k] = b->columns + (b->s.n_in + k) * STRIDE;
}

/* Both must compute the same thing, or the ratio means nothing. */
static double largest_difference(bench *b)
{
    double worst = 0;
    batch_time(b);
    plain_time(b);
    for (size_t k = 0; k < b->s.n_out; k++)
        for (size_t p = 0; p < POINTS; p++) {
            double x = b->out[k][p], y = b->rows_out[p * b->s.n_out + k];
            double d = fabs(x - y) / (1 + fabs(y));
            if (!(d <= worst)) worst = d;
        }
    return worst;
}

static void report(bench *b, const char *label)
{
    double batch[ROUNDS], plain[ROUNDS], point[ROUNDS], ratio[ROUNDS];
    double difference = largest_difference(b);
    for (int r = 0; r < ROUNDS; r++) { /* one after the other, so that noise hits all alike */
        plain[r] = plain_time(b);
        batch[r] = batch_time(b);
        point[r] = point_time(b);
        ratio[r] = plain[r] / batch[r];
    }
    tape_info i = tape_measure(b->t);
    double each = 1e9 / POINTS, fast = median(batch, ROUNDS);
    printf("%-22s %6.2f times the compiled C   (%.1f against %.1f ns a point; one point at a time "
           "%.1f)\n",
           label, median(ratio, ROUNDS), fast * each, median(plain, ROUNDS) * each,
           median(point, ROUNDS) * each);
    printf("%-22s %6.3f ns per operation and point; %zu operations, %zu instructions, %zu stores, "
           "%zu registers, "
           "%zu outputs; largest difference %.1e\n",
           "", fast * each / (double)i.operations, i.operations, i.instructions, i.stores,
           i.registers, b->s.n_out, difference);
}

static void finish(bench *b)
{
    noslip_free(b->columns);
    noslip_free(b->rows_in);
    noslip_free(b->rows_out);
    tape_work_free(b->w);
    tape_free(b->t);
    bench_free(&b->s);
}

static void run(bench_system s, void (*plain)(const double *restrict in, double *restrict out),
                size_t n_fixed, const char *label)
{
    bench *b = calloc(1, sizeof *b);
    if (!b) exit(1);
    b->s = s;
    b->plain = plain;
    prepare(b, n_fixed);
    report(b, label);
    finish(b);
    free(b);
}

int main(void)
{
    printf("kernel %s, %d points a block, %d points, medians of %d\n", kernel_best()->name,
           kernel_best()->block, POINTS, ROUNDS);
    run(bench_disk(), plain_disk, 0, "disk");
    run(bench_disk(), plain_disk, bench_disk().n_parameters, "disk, fixed masses");
    run(bench_chain(), plain_chain, 0, "chain");
    run(bench_chain(), plain_chain, bench_chain().n_parameters, "chain, fixed masses");
    return 0;
}
