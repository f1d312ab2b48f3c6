/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "alloc.h"
#include "batch.h"
#include "dense.h"

enum { LANES = 24, MOST = 64 };

static uint64_t state;

static double number(void) /* between -1 and 1 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(int64_t)state * 0x1p-63;
}

static size_t below(size_t n)
{
    return (size_t)(fabs(number()) * (double)n) % n;
}

/* Room for one matrix per lane, and for that of one lane. */
typedef struct {
    double at[MOST * MOST * LANES];
} many;

typedef struct {
    double at[MOST * MOST];
} single;

static many A, B, C, D;
static single a, b, c;
static double x[MOST * LANES], ratio[LANES], other[LANES];
static unsigned char flag[LANES];

static void fill(many *m, size_t count)
{
    for (size_t k = 0; k < count * LANES; k++) m->at[k] = number();
}

static void pick(const many *m, size_t p, size_t count, single *out)
{
    for (size_t k = 0; k < count; k++) out->at[k] = m->at[k * LANES + p];
}

static void put(many *m, size_t p, size_t count, const double *from)
{
    for (size_t k = 0; k < count; k++) m->at[k * LANES + p] = from[k];
}

static void expect_near(const double *got, const double *want, size_t count, double tolerance,
                        const char *what, size_t seed)
{
    for (size_t k = 0; k < count; k++)
        cr_expect(fabs(got[k] - want[k]) <= tolerance, "%s, seed %zu, entry %zu: %.17g, not %.17g",
                  what, seed, k, got[k], want[k]);
}

static size_t size_for(size_t seed)
{
    return seed == 1 ? 64 : seed % 5 == 0 ? 1 + below(40) : 1 + below(12);
}

Test(batch, products_agree_with_blas)
{
    for (size_t seed = 1; seed <= 60; seed++) {
        state = 7919 * seed;
        size_t rows = size_for(seed), cols = size_for(seed), inner = size_for(seed);
        bool left = seed & 1, right = seed & 2;
        double alpha = seed % 7 ? number() : 0, beta = seed % 3 ? number() : 0;
        batch_work *w = batch_work_new(64);
        fill(&A, rows * inner);
        fill(&B, inner * cols);
        fill(&C, rows * cols);
        D = C;
        if (beta == 0) C.at[5] = (double)NAN; /* must not be read */
        batch_multiply(w, LANES, left, right, rows, cols, inner, alpha, A.at, B.at, beta, C.at);
        for (size_t p = 0; p < LANES; p++) {
            single got;
            pick(&A, p, rows * inner, &a);
            pick(&B, p, inner * cols, &b);
            pick(&D, p, rows * cols, &c);
            pick(&C, p, rows * cols, &got);
            dense_multiply(left, right, rows, cols, inner, alpha, a.at, b.at, beta, c.at);
            expect_near(got.at, c.at, rows * cols, 1e-13, "product", seed);
        }
        batch_work_free(w);
    }
}

static void solve_both(size_t n, size_t count, bool transpose, double tolerance, size_t seed)
{
    int pivot[MOST];
    batch_work *w = batch_work_new(n);
    dense *d = dense_new(n, n);
    many lu = A, right = B;
    batch_factor(w, LANES, n, lu.at, x, flag, ratio);
    batch_solve(w, LANES, transpose, n, lu.at, x, count, right.at);
    for (size_t p = 0; p < LANES; p++) {
        double rcond;
        cr_assert_eq(flag[p], 0);
        pick(&A, p, n * n, &a);
        pick(&B, p, n * count, &b);
        pick(&right, p, n * count, &c);
        cr_assert_eq(dense_factor(d, n, a.at, pivot, &rcond), NOSLIP_OK);
        dense_solve(transpose, n, a.at, pivot, count, b.at);
        double size = 1;
        for (size_t k = 0; k < n * count; k++) size = fmax(size, fabs(b.at[k]));
        expect_near(c.at, b.at, n * count, size * tolerance / rcond, "solution", seed);
        pick(&lu, p, n * n, &c);
        expect_near(c.at, a.at, n * n, 1e-12 * (double)n / rcond, "factors", seed);
        for (size_t k = 0; k < n; k++) cr_expect_eq((int)x[k * LANES + p] + 1, pivot[k]);
        cr_expect(ratio[p] > 0 && ratio[p] <= ldexp(1, (int)n));
    }
    dense_free(d);
    batch_work_free(w);
}

Test(batch, factors_and_solutions_agree_with_lapack)
{
    for (size_t seed = 1; seed <= 40; seed++) {
        state = 104729 * seed;
        size_t n = size_for(seed), count = 1 + below(3);
        fill(&A, n * n);
        fill(&B, n * count);
        if (seed % 4 == 0) /* pivots in an odd order, and equal candidates */
            for (size_t k = 0; k < n * n * LANES; k++)
                A.at[k] = rint(A.at[k] * 1.4) + 0.01 * number();
        solve_both(n, count, seed & 1, 1e-13, seed);
    }
}

/* Lane 3 of A: zero column, lane 5: equal rows, lane 9: NaN, lane 14: infinity; the others are as they were. */
static void spoil(size_t n)
{
    for (size_t k = 0; k < n; k++) {
        A.at[(k + n) * LANES + 3] = 0;
        A.at[(0 + k * n) * LANES + 5] = A.at[(1 + k * n) * LANES + 5];
    }
    A.at[2 * LANES + 9] = (double)NAN;
    A.at[(n * n - 1) * LANES + 14] = (double)INFINITY;
}

static bool is_spoilt(size_t p)
{
    return p == 3 || p == 5 || p == 9 || p == 14;
}

Test(batch, a_singular_matrix_is_flagged_and_its_neighbours_do_not_notice)
{
    enum { N = 5 };
    state = 31;
    batch_work *w = batch_work_new(N);
    fill(&A, N * N);
    C = A;
    batch_factor(w, LANES, N, C.at, x, flag, NULL);
    spoil(N);
    D = A;
    batch_factor(w, LANES, N, D.at, x, flag, ratio);
    for (size_t p = 0; p < LANES; p++) {
        cr_expect_eq(flag[p], is_spoilt(p), "lane %zu", p);
        pick(&C, p, N * N, &a);
        pick(&D, p, N * N, &b);
        if (!is_spoilt(p)) cr_expect_eq(memcmp(a.at, b.at, N * N * sizeof(double)), 0);
        if (is_spoilt(p)) cr_expect_eq(ratio[p], 0);
        for (size_t k = 0; k < N * N && is_spoilt(p); k++) cr_expect_eq(b.at[k], k % (N + 1) == 0);
    }
    batch_work_free(w);
}

Test(batch, the_hint_tells_nearness_to_a_singular_matrix_whatever_the_units)
{
    state = 37;
    batch_work *w = batch_work_new(3);
    for (size_t p = 0; p < LANES; p++) {
        double off = ldexp(1, -2 * (int)p), unit = ldexp(1, 3 * (int)p - 40);
        put(&A, p, 9, (double[]){1, 2, 3, unit, 3 * unit, 5 * unit, 2, 5, 8 + off});
    }
    batch_factor(w, LANES, 3, A.at, x, flag, ratio);
    for (size_t p = 0; p < LANES; p++) {
        double off = ldexp(1, -2 * (int)p);
        cr_expect(ratio[p] > 0.01 * off && ratio[p] < off, "lane %zu: %g for %g", p, ratio[p], off);
    }
    batch_work_free(w);
}

/* a' (a x - b) = 0, for columns of any units. */
Test(batch, least_squares_leave_a_residual_at_right_angles)
{
    for (size_t seed = 1; seed <= 40; seed++) {
        state = 15485863 * seed;
        size_t rows = size_for(seed), cols = seed == 1 ? 60 : 1 + below(rows);
        batch_work *w = batch_work_new(rows);
        fill(&A, rows * cols);
        fill(&B, rows);
        C = A;
        for (size_t j = 0; j < cols; j++)
            for (size_t k = j * rows * LANES; k < (j + 1) * rows * LANES; k++)
                C.at[k] = ldexp(A.at[k], 400 * (int)(j % 5) - 800);
        batch_least_squares(w, LANES, rows, cols, C.at, B.at, x, flag, ratio);
        for (size_t p = 0; p < LANES; p++) {
            single rest;
            cr_assert_eq(flag[p], 0, "seed %zu", seed);
            pick(&A, p, rows * cols, &a);
            pick(&B, p, rows, &rest);
            double largest = 1;
            for (size_t j = 0; j < cols; j++) {
                c.at[j] = ldexp(x[j * LANES + p], 400 * (int)(j % 5) - 800);
                largest = fmax(largest, fabs(c.at[j]));
            }
            dense_multiply(false, false, rows, 1, cols, 1, a.at, c.at, -1, rest.at);
            dense_multiply(true, false, cols, 1, rows, 1, a.at, rest.at, 0, b.at);
            memset(c.at, 0, sizeof c.at);
            expect_near(b.at, c.at, cols, 1e-13 * (double)rows * largest, "angle", seed);
            cr_expect(ratio[p] > 0 && ratio[p] <= 1);
        }
        batch_work_free(w);
    }
}

Test(batch, dependent_columns_are_flagged)
{
    enum { ROWS = 6, COLS = 4 };
    state = 41;
    batch_work *w = batch_work_new(ROWS);
    fill(&A, ROWS * COLS);
    fill(&B, ROWS);
    for (size_t k = 0; k < ROWS; k++) {
        A.at[(k + 2 * ROWS) * LANES + 1] = 3e90 * A.at[k * LANES + 1];
        A.at[(k + 3 * ROWS) * LANES + 2] = 0;
        A.at[(k + 3 * ROWS) * LANES + 7] = A.at[k * LANES + 7] + 1e-9 * number();
    }
    A.at[(3 + 2 * ROWS) * LANES + 4] = (double)NAN;
    B.at[2 * LANES + 6] = (double)INFINITY;
    batch_least_squares(w, LANES, ROWS, COLS, A.at, B.at, x, flag, ratio);
    for (size_t p = 0; p < LANES; p++) {
        bool broken = p == 1 || p == 2 || p == 4 || p == 6;
        cr_expect_eq(flag[p], broken, "lane %zu", p);
        for (size_t k = 0; k < COLS && broken; k++) cr_expect_eq(x[k * LANES + p], 0);
    }
    cr_expect(ratio[7] < 1e-8 && ratio[7] > 1e-11);
    cr_expect(ratio[1] < 1e-15 && ratio[2] == 0);
    batch_work_free(w);
}

/* g = left*right with `rank` columns and rows between. */
static void make_rank(size_t n, size_t rank)
{
    batch_work *w = batch_work_new(n);
    fill(&B, n * rank);
    fill(&C, n * rank);
    batch_multiply(w, LANES, false, false, n, n, rank, 1, B.at, C.at, 0, A.at);
    batch_work_free(w);
}

static void check_basis(size_t n, size_t rank, size_t p, size_t seed)
{
    double *product = c.at, *q = b.at;
    pick(&A, p, n * n, &a);
    pick(&D, p, n * n, &b);
    double zero = 0, unit = 0, size = dense_norm(n, n, a.at);
    dense_multiply(true, false, n, n, n, 1, q, q, 0, product);
    for (size_t k = 0; k < n * n; k++) unit = fmax(unit, fabs(product[k] - (k % (n + 1) == 0)));
    cr_expect_leq(unit, 1e-14 * (double)n, "seed %zu: orthogonal to %g", seed, unit);
    dense_multiply(false, false, n, n, n, 1, a.at, q, 0, product);
    for (size_t k = n * rank; k < n * n; k++) zero = fmax(zero, fabs(product[k]));
    cr_expect_leq(zero, 1e-11 * size, "seed %zu: kernel to %g", seed, zero);
    cr_expect(other[p] <= 1e-13, "seed %zu: below %g", seed, other[p]);
    cr_expect(ratio[p] > 1e-7 && ratio[p] <= 1, "seed %zu: above %g", seed, ratio[p]);
}

Test(batch, range_and_kernel_are_orthogonal_and_complete)
{
    for (size_t seed = 1; seed <= 40; seed++) {
        state = 32452843 * seed;
        size_t n = size_for(seed), rank = seed % 6 ? 1 + below(n) : n;
        batch_work *w = batch_work_new(n);
        make_rank(n, rank);
        double unit = ldexp(1, seed % 3 ? 0 : seed % 2 ? 900 : -900);
        for (size_t k = 0; k < n * n * LANES; k++) A.at[k] *= unit;
        batch_range(w, LANES, n, rank, A.at, D.at, flag, ratio, other);
        for (size_t k = 0; k < n * n * LANES; k++) A.at[k] /= unit;
        for (size_t p = 0; p < LANES; p++) {
            cr_expect_eq(flag[p], 0);
            check_basis(n, rank, p, seed);
        }
        batch_work_free(w);
    }
}

Test(batch, a_wrong_rank_shows_in_the_ratios)
{
    enum { N = 6, RANK = 3 };
    state = 43;
    batch_work *w = batch_work_new(N);
    make_rank(N, RANK);
    batch_range(w, LANES, N, RANK + 1, A.at, D.at, flag, ratio, other);
    for (size_t p = 0; p < LANES; p++) cr_expect(ratio[p] < 1e-13 && other[p] < 1e-13);
    batch_range(w, LANES, N, RANK - 1, A.at, D.at, flag, ratio, other);
    for (size_t p = 0; p < LANES; p++) cr_expect(ratio[p] > 1e-6 && other[p] > 1e-6);
    batch_range(w, LANES, N, 0, A.at, D.at, flag, ratio, other);
    for (size_t p = 0; p < LANES; p++) cr_expect(ratio[p] == 1 && other[p] == 1);
    for (size_t p = 0; p < LANES; p++) cr_expect_eq(D.at[p], 1);
    memset(A.at, 0, sizeof A.at);
    A.at[7] = (double)NAN;
    batch_range(w, LANES, N, RANK, A.at, D.at, flag, ratio, other);
    for (size_t p = 0; p < LANES; p++) {
        cr_expect(ratio[p] == 0 && other[p] == 0);
        cr_expect_eq(flag[p], p == 7);
        for (size_t k = 0; k < N * N; k++) cr_expect_eq(D.at[k * LANES + p], k % (N + 1) == 0);
    }
    batch_work_free(w);
}

static double re[MOST * LANES], im[MOST * LANES], bound[MOST * LANES], rcond_of[MOST * LANES];

static void roots(size_t n)
{
    batch_work *w = batch_work_new(n);
    batch_eigenvalues(w, LANES, n, A.at, re, im, bound, rcond_of, flag);
    batch_work_free(w);
}

typedef struct {
    double a[4]; /* row by row */
    double re[2], im;
} two_by_two;

Test(batch, roots_of_two_by_two_lose_nothing)
{
    const double e = DBL_EPSILON;
    const two_by_two cases[] = {
        {{3, 0, 0, 7}, {7, 3}, 0},
        {{0.1, 5e20, 0, 1e-30}, {0.1, 1e-30}, 0},
        {{0, 1, -4, 0}, {0, 0}, 2},
        {{1, 1, 0, 1}, {1, 1}, 0},
        {{1 + e, 1, -e * e / 4, 1},
         {1 + e / 2, 1 + e / 2},
         0}, /* the discriminant vanishes exactly */
        {{1 + e, 1, -e * e / 2, 1}, {1 + e / 2, 1 + e / 2}, e / 2},
        {{1, 1e-140, 1e-140, 1}, {1, 1}, 0},
        {{-5e-324, 0, 5e-324, 5e-324}, {5e-324, -5e-324}, 0},
        {{1e308, 1e308, -1e308, 1e308}, {1e308, 1e308}, 1e308},
        {{1e8, -1, 1, 1e-8 + 1e-9}, {1e8 - 1e-8, 2.1e-8}, 0}, /* determinant 2.1 */
        {{0, 0, 0, 0}, {0, 0}, 0},
    };
    size_t count = sizeof cases / sizeof *cases;
    for (size_t p = 0; p < LANES; p++) {
        const double *m = cases[p % count].a;
        put(&A, p, 4, (double[]){m[0], m[2], m[1], m[3]});
    }
    roots(2);
    for (size_t p = 0; p < LANES; p++) {
        const two_by_two *t = cases + p % count;
        cr_expect_eq(flag[p], 0);
        for (size_t k = 0; k < 2; k++) {
            double want = t->re[k], got = re[k * LANES + p];
            cr_expect(fabs(got - want) <= 4 * e * fabs(want), "case %zu: %.17g, not %.17g",
                      p % count, got, want);
            want = k ? -t->im : t->im;
            got = im[k * LANES + p];
            cr_expect(fabs(got - want) <= 4 * e * fabs(want), "case %zu: %.17g i, not %.17g",
                      p % count, got, want);
            cr_expect(isfinite(bound[k * LANES + p]));
        }
    }
}

Test(batch, a_single_number_is_its_own_root)
{
    for (size_t p = 0; p < LANES; p++) A.at[p] = ldexp(1.0 / 3, 90 * (int)p - 1070);
    A.at[4] = (double)INFINITY;
    A.at[5] = 0;
    roots(1);
    for (size_t p = 0; p < LANES; p++) {
        cr_expect_eq(flag[p], p == 4);
        if (p != 4) cr_expect(re[p] == A.at[p] && im[p] == 0 && bound[p] == 0 && rcond_of[p] == 1);
    }
}

Test(batch, what_is_not_finite_is_handed_over)
{
    for (size_t n = 1; n <= 6; n++) {
        state = 53;
        fill(&A, n * n);
        A.at[(n * n - 1) * LANES + 3] = (double)NAN;
        A.at[(n * n / 2) * LANES + 11] = -(double)INFINITY;
        roots(n);
        for (size_t p = 0; p < LANES; p++) cr_expect_eq(flag[p], p == 3 || p == 11);
        for (size_t k = 0; k < n; k++)
            cr_expect(re[k * LANES + 3] == 0 && bound[k * LANES + 3] == 0);
    }
}

Test(batch, roots_come_in_order_and_with_condition_numbers)
{
    /* 2, -1 +- 3i with (1, 0, 0) as vector of the first, a corner of 40 in the triangle */
    const double m[] = {2, 0, 0, 40, -1, -3, 0, 3, -1};
    for (size_t p = 0; p < LANES; p++) put(&A, p, 9, m);
    roots(3);
    double left[9], right[9], want_re[3], want_im[3], want[3];
    dense *d = dense_new(3, 3);
    memcpy(a.at, m, sizeof m);
    dense_eigen(d, 3, a.at, want_re, want_im, left, right, want);
    dense_free(d);
    for (size_t p = 0; p < LANES; p++) {
        const double expected[3][2] = {{2, 0}, {-1, 3}, {-1, -3}};
        for (size_t k = 0; k < 3; k++) {
            cr_expect(fabs(re[k * LANES + p] - expected[k][0]) <= bound[k * LANES + p]);
            cr_expect(fabs(im[k * LANES + p] - expected[k][1]) <= bound[k * LANES + p]);
            cr_expect(bound[k * LANES + p] < 1e-11);
            double share = rcond_of[k * LANES + p] / want[k]; /* LAPACK's balancing is another */
            cr_expect(share > 0.2 && share < 5, "condition %g of LAPACK's", share);
        }
        cr_expect(im[p] == 0 && im[LANES + p] == -im[2 * LANES + p]);
    }
}

Test(batch, a_triangle_of_two_has_its_diagonal_for_roots)
{
    state = 61;
    fill(&A, 4);
    for (size_t p = 0; p < LANES; p++) A.at[(p % 2 ? 1 : 2) * LANES + p] = 0;
    roots(2);
    for (size_t p = 0; p < LANES; p++) {
        double one = A.at[p], two = A.at[3 * LANES + p];
        cr_expect(re[p] == fmax(one, two) && re[LANES + p] == fmin(one, two) && im[p] == 0);
    }
}

Test(batch, equal_roots_are_sharp_if_they_are_not_defective_and_bounded_if_they_are)
{
    for (size_t n = 2; n <= 5; n++) {
        for (size_t p = 0; p < LANES; p++)
            for (size_t k = 0; k < n * n; k++)
                A.at[k * LANES + p] =
                    k % (n + 1) == 0 ? 0.3 * (double)(p % 3) : p % 2 && k % (n + 1) == n;
        roots(n);
        for (size_t p = 0; p < LANES; p++)
            for (size_t k = 0; k < n; k++) {
                cr_expect_eq(re[k * LANES + p], 0.3 * (double)(p % 3));
                double most = p % 2 ? 8 * (double)n *
                                          pow(DBL_EPSILON, n > 4   ? 0.125
                                                           : n > 2 ? 0.25
                                                                   : 0.5)
                                    : 1e-13;
                cr_expect(bound[k * LANES + p] <= most, "n %zu: bound %g", n, bound[k * LANES + p]);
                cr_expect_eq(rcond_of[k * LANES + p] == 1, p % 2 == 0);
            }
    }
}

/* Roots 3, 1, 1, not defective: which of the two ones has the better condition is an accident of rounding. */
Test(batch, roots_that_may_meet_share_the_larger_bound)
{
    for (size_t p = 0; p < LANES; p++) put(&A, p, 9, (double[]){-47, 0, -80, 48, 1, 80, 30, 0, 51});
    roots(3);
    for (size_t p = 0; p < LANES; p++) {
        double part = bound[LANES + p] / bound[2 * LANES + p];
        cr_expect(part > 0.3 && part < 3, "bounds %g and %g", bound[LANES + p],
                  bound[2 * LANES + p]);
    }
}

/* With |a_ij| = |a_ji| neither side balances, and the condition numbers must be LAPACK's. */
Test(batch, condition_numbers_agree_with_lapack)
{
    for (size_t seed = 1; seed <= 40; seed++) {
        state = 67867967 * seed;
        size_t n = 2 + seed % 8;
        dense *d = dense_new(n, n);
        fill(&A, n * n);
        for (size_t p = 0; p < LANES; p++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < i; j++)
                    A.at[(i + j * n) * LANES + p] =
                        copysign(A.at[(j + i * n) * LANES + p], number());
        roots(n);
        for (size_t p = 0; p < LANES; p++) {
            double left[81], right[81], want_re[9], want_im[9], want[9];
            pick(&A, p, n * n, &a);
            dense_eigen(d, n, a.at, want_re, want_im, left, right, want);
            for (size_t k = 0; k < n; k++) {
                size_t at = 0;
                double best = INFINITY, got = rcond_of[k * LANES + p];
                for (size_t l = 0; l < n; l++) {
                    double off =
                        hypot(re[k * LANES + p] - want_re[l], im[k * LANES + p] - want_im[l]);
                    if (off >= best) continue;
                    best = off;
                    at = l;
                }
                cr_expect(fabs(got - want[at]) <= 1e-11 / got, "seed %zu, n %zu: %.15g, not %.15g",
                          seed, n, got, want[at]);
            }
        }
        dense_free(d);
    }
}

Test(batch, large_matrices_work_as_well)
{
    state = 59;
    fill(&A, MOST * MOST);
    roots(MOST);
    for (size_t p = 0; p < LANES; p++) {
        double trace = 0, sum = 0;
        cr_expect_eq(flag[p], 0);
        for (size_t k = 0; k < MOST; k++) {
            trace += A.at[k * (MOST + 1) * LANES + p];
            sum += re[k * LANES + p];
            if (k) cr_expect(re[k * LANES + p] <= re[(k - 1) * LANES + p]);
        }
        cr_expect(fabs(trace - sum) < 1e-12 * MOST);
    }
}

/* All operations one after the other; what they give is kept, number after number. */
enum { ALL_MOST = 9, ALL_ROOM = 700 * LANES };

typedef struct {
    size_t n, used;
    double out[ALL_ROOM];
    unsigned char flags[4 * LANES];
} results;

static double *room(results *r, size_t count)
{
    r->used += count * LANES;
    cr_assert_leq(r->used, (size_t)ALL_ROOM);
    return r->out + r->used - count * LANES;
}

static void run_all(const batch_code *code, size_t n, const double *m, size_t shift, results *r)
{
    batch_work *w = batch_work_with(ALL_MOST, code);
    r->n = n;
    r->used = shift; /* arrays at odd addresses */
    double *lu = room(r, n * n), *pivot = room(r, n), *right = room(r, n), *out;
    memcpy(lu, m, n * n * LANES * sizeof *m);
    memcpy(right, m, n * LANES * sizeof *m);
    batch_factor(w, LANES, n, lu, pivot, r->flags, room(r, 1));
    batch_solve(w, LANES, false, n, lu, pivot, 1, right);
    batch_solve(w, LANES, true, n, lu, pivot, 1, right);
    out = room(r, n * n);
    memset(out, 0, n * n * LANES * sizeof *out);
    batch_multiply(w, LANES, true, false, n, n, n, 0.7, m, lu, 0.3, out);
    out = room(r, n - 1);
    batch_least_squares(w, LANES, n, n - 1, m, m + n * LANES, out, r->flags + LANES, room(r, 1));
    out = room(r, n * n);
    double *above = room(r, 1);
    batch_range(w, LANES, n, n / 2, m, out, r->flags + 2L * LANES, above, room(r, 1));
    out = room(r, 4 * n);
    batch_eigenvalues(w, LANES, n, m, out, out + n * LANES, out + 2 * n * LANES,
                      out + 3 * n * LANES, r->flags + 3L * LANES);
    batch_work_free(w);
}

/* Matrices of all kinds side by side: generic, whole numbers (multiple roots, equal pivots, zeros), NaN, infinite, huge. */
static void fill_kinds(size_t n)
{
    fill(&A, n * n);
    for (size_t p = 0; p < LANES; p++)
        for (size_t k = 0; k < n * n; k++) {
            double *at = &A.at[k * LANES + p];
            if (p % 3 == 1) *at = rint(1.6 * *at);
            if (p % 8 == 5) *at *= 1e280;
            if (p % 8 == 6 && k % 3) *at = k % 2 ? 0.0 : -0.0;
        }
    A.at[(n * n - 1) * LANES + 2] = (double)NAN;
    A.at[LANES + 19] = (double)INFINITY;
}

static void expect_same(const results *x1, size_t p1, size_t shift1, const results *x2, size_t p2,
                        size_t shift2, const char *what)
{
    for (size_t k = 0; k < (x1->used - shift1) / LANES; k++) {
        double one = x1->out[shift1 + k * LANES + p1], two = x2->out[shift2 + k * LANES + p2];
        if (isnan(one) && isnan(two)) continue;
        cr_expect_eq(memcmp(&one, &two, sizeof one), 0, "%s, n %zu, lane %zu, number %zu: %a, %a",
                     what, x1->n, p1, k, one, two);
    }
    for (size_t k = 0; k < 4; k++)
        cr_expect_eq(x1->flags[k * LANES + p1], x2->flags[k * LANES + p2]);
}

Test(batch, every_processor_gives_the_same_bits_at_any_address)
{
    static results first, next;
    for (size_t n = 2; n <= ALL_MOST; n++)
        for (size_t seed = 1; seed <= 20; seed++) {
            state = 86028121 * seed;
            fill_kinds(n);
            run_all(batch_code_at(0), n, A.at, 0, &first);
            for (int k = 0; batch_code_at(k); k++) {
                size_t shift = seed % 8;
                run_all(batch_code_at(k), n, A.at, shift, &next);
                for (size_t p = 0; p < LANES; p++)
                    expect_same(&first, p, 0, &next, p, shift, batch_code_name(batch_code_at(k)));
            }
        }
}

/* Each lane again, once among others in another place, once among NaN. */
Test(batch, lanes_do_not_notice_each_other)
{
    static results first, next;
    for (size_t seed = 1; seed <= 40; seed++) {
        state = 49979687 * seed;
        size_t n = 2 + seed % (ALL_MOST - 1), move = below(LANES);
        fill_kinds(n);
        for (int k = 0; batch_code_at(k); k++) {
            run_all(batch_code_at(k), n, A.at, 0, &first);
            for (size_t j = 0; j < n * n; j++)
                for (size_t p = 0; p < LANES; p++) {
                    size_t q = (5 * p + move) % LANES;
                    B.at[j * LANES + q] = A.at[j * LANES + p];
                    C.at[j * LANES + p] = p == move ? A.at[j * LANES + p] : (double)NAN;
                }
            run_all(batch_code_at(k), n, B.at, 0, &next);
            for (size_t p = 0; p < LANES; p++)
                expect_same(&first, p, 0, &next, (5 * p + move) % LANES, 0, "moved");
            run_all(batch_code_at(k), n, C.at, 0, &next);
            expect_same(&first, move, 0, &next, move, 0, "alone");
        }
    }
}

Test(batch, memory_that_is_short_is_told)
{
    long allowed = 0;
    for (batch_work *w = NULL; !w; allowed++) {
        noslip_alloc_fail_after(allowed);
        w = batch_work_new(12);
        noslip_alloc_fail_after(-1);
        if (!w) cr_expect_eq(noslip_alloc_live(), 0, "leak after %ld allocations", allowed);
        if (w) batch_work_free(w);
    }
    cr_expect_eq(allowed, 4);
    cr_expect_eq(noslip_alloc_live(), 0);
}
