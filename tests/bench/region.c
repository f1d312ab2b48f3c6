/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a plane per second: noslip's plain grid against a program written by hand for the disk alone (closed-form steady motion and G,
 * LAPACK's dgeev for each point), one thread each; then two threads against one. Medians of one run. */
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "noslip/noslip.h"

enum { RUNS = 5, SIDE = 1024, BICYCLE_SIDE = 512 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The disk by hand: rows of G as in docs/theory.md, states theta, w1, w2, w3. */
static int count_unstable(double lean, double turn)
{
    const double m = 1, a = 0.5, A = m * a * a / 4, C = m * a * a / 2, g = 9.81, h = 0.1,
                 K = A + m * a * a, P = C + m * a * a;
    double s = sin(lean), c = cos(lean), G[16] = {0}, re[4], im[4];
    double w2 = turn, w3 = (m * g * a * s - A * s * c * w2 * w2) / (P * w2 * c);
    G[0 + 4 * 1] = 1;
    G[1 + 4 * 0] = (P * w2 * w3 * s - A * w2 * w2 * cos(2 * lean) + m * g * a * c) / K;
    G[1 + 4 * 1] = -h / K;
    G[1 + 4 * 2] = -(2 * A * w2 * s + P * w3) * c / K;
    G[1 + 4 * 3] = -P * w2 * c / K;
    G[2 + 4 * 1] = (2 * A * w2 * s + C * w3) / (A * c);
    G[3 + 4 * 1] = m * a * a * w2 * c / P;
    LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', 4, G, 4, re, im, NULL, 1, NULL, 1,
                       (double[64]){0}, 64);
    int unstable = 0;
    for (int k = 0; k < 4; k++) unstable |= re[k] > 1e-6;
    return unstable;
}

static double by_hand(size_t *unstable)
{
    double begin = now();
    for (int j = 0; j < SIDE / 2; j++) /* half as many points: it is the slower one */
        for (int i = 0; i < SIDE; i++)
            *unstable += (size_t)count_unstable(-1.4 + 2.8 * i / (SIDE - 1),
                                                0.1 + 11.9 * j / (SIDE / 2 - 1));
    return SIDE * (SIDE / 2) / (now() - begin);
}

static double by_noslip(noslip_model *m, size_t side, size_t threads)
{
    noslip_region_options o = noslip_region_defaults();
    noslip_region *r;
    noslip_error err = {0};
    o.grid[0] = o.grid[1] = side;
    o.threads = threads;
    o.sheets = 1;
    double begin = now();
    if (noslip_region_find(m, &o, &r, &err) != NOSLIP_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    double rate = (double)(side * side) / (now() - begin);
    noslip_region_free(r);
    return rate;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x)
{
    qsort(x, RUNS, sizeof *x, ascending);
    return x[RUNS / 2];
}

static noslip_model *open_model(const char *name)
{
    noslip_case *c;
    noslip_model *m;
    noslip_error err = {0};
    if (noslip_case_open(name, NULL, &c, &err) || noslip_model_make(c, &m, &err)) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return m; /* it and its case live as long as the program */
}

int main(void)
{
    noslip_model *disk = open_model("rolling-disk"), *bicycle = open_model("whipple-bicycle");
    double hand[RUNS], one[RUNS], two[RUNS], ride[RUNS];
    size_t unstable = 0;
    for (int k = 0; k < RUNS; k++) {
        hand[k] = by_hand(&unstable);
        one[k] = by_noslip(disk, SIDE, 1);
        two[k] = by_noslip(disk, SIDE, 2);
        ride[k] = by_noslip(bicycle, BICYCLE_SIDE, 1);
    }
    double base = median(hand), disk_one = median(one);
    printf("disk by hand with dgeev: %.3g points a second (%.3f unstable)\n", base,
           (double)unstable / RUNS / (SIDE * (SIDE / 2)));
    printf("rolling-disk     %6.2f times that (bar 2, aim 5)\n", disk_one / base);
    printf("whipple-bicycle  %6.2f times that (bar 0.1, aim 0.3)\n", median(ride) / base);
    printf("two threads      %6.2f times one (bar 1.8)\n", median(two) / disk_one);
    return 0;
}
