/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues of a batch against LAPACK's, family by family, and their bounds against roots in higher precision. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "batch.h"
#include "dense.h"

enum { LANES = 64, MOST = 16 };

typedef struct {
    uint64_t state;
} chance;

static uint64_t draw(chance *c)
{
    c->state ^= c->state << 13;
    c->state ^= c->state >> 7;
    c->state ^= c->state << 17;
    return c->state;
}

static double number(chance *c) /* between -1 and 1 */
{
    return (double)(int64_t)draw(c) * 0x1p-63;
}

static size_t below(chance *c, size_t n)
{
    return (size_t)(draw(c) >> 20) % n;
}

typedef void maker(chance *c, size_t n, double *a);

static void generic(chance *c, size_t n, double *a)
{
    for (size_t k = 0; k < n * n; k++) a[k] = number(c);
}

/* a = x a x^-1 with x = I + e_i t e_j': exact if all numbers are small and whole. */
static void shear(size_t n, double *a, size_t i, size_t j, double t)
{
    for (size_t k = 0; k < n; k++) a[i + k * n] += t * a[j + k * n];
    for (size_t k = 0; k < n; k++) a[k + j * n] -= t * a[k + i * n];
}

static void hide(chance *c, size_t n, double *a, bool whole)
{
    for (size_t k = 0; n > 1 && k < 3 * n; k++) {
        size_t i = below(c, n), j = (i + 1 + below(c, n - 1)) % n;
        shear(n, a, i, j, whole ? (double)below(c, 3) - 1 : 0.6 * number(c));
    }
}

/* Real roots and lightly damped pairs, in an odd basis. */
static void modes(chance *c, size_t n, double *a)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t k = 0; k < n; k++) {
        if (k + 1 < n && below(c, 4)) {
            double frequency = 3 + 2.9 * number(c), damping = 0.02 * number(c);
            a[k * (n + 1)] = a[(k + 1) * (n + 1)] = -damping * frequency;
            a[k + 1 + k * n] = -frequency;
            a[k + (k + 1) * n] = frequency;
            k++;
        } else {
            a[k * (n + 1)] = -2 + 2.5 * number(c);
        }
    }
    hide(c, n, a, false);
}

/* First-order form of M q'' + D q' + K q = 0 with gyroscopic terms: zeros and ones in the upper half. */
static void second_order(chance *c, size_t n, double *a)
{
    size_t half = n / 2;
    generic(c, n, a);
    for (size_t i = 0; i < half; i++)
        for (size_t j = 0; j < n; j++) a[i + j * n] = j == i + half;
    for (size_t i = half; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (j < half)
                a[i + j * n] = (i - half == j ? -9.0 : 1.0) * fabs(a[i + j * n]);
            else if (j != i)
                a[i + j * n] = i < j ? 0.4 : -0.4;
            else
                a[i + j * n] *= 0.05;
        }
}

static double known[MOST]; /* the roots of the latest matrix `jordan` has made */

static void jordan(chance *c, size_t n, double *a)
{
    memset(a, 0, n * n * sizeof *a);
    double at = 0;
    for (size_t k = 0; k < n; k++) {
        bool joined = k && below(c, 3);
        if (!joined) at = (double)below(c, 7) - 3;
        a[k * (n + 1)] = known[k] = at;
        if (joined) a[k - 1 + k * n] = 1;
    }
    hide(c, n, a, true);
}

static void cluster(chance *c, size_t n, double *a)
{
    memset(a, 0, n * n * sizeof *a);
    double width = pow(10, -6 + 5 * number(c));
    for (size_t k = 0; k < n; k++) a[k * (n + 1)] = -0.7 + width * number(c);
    if (below(c, 2))
        for (size_t k = 1; k < n; k++) a[k - 1 + k * n] = number(c);
    hide(c, n, a, false);
}

static void bad_scale(chance *c, size_t n, double *a)
{
    generic(c, n, a);
    for (size_t k = 0; k < n; k++) {
        double f = ldexp(1 + 0.3 * number(c), (int)below(c, 60) - 30);
        for (size_t i = 0; i < n; i++) a[i + k * n] *= f;
        for (size_t i = 0; i < n; i++) a[k + i * n] /= f;
    }
}

static void holes(chance *c, size_t n, double *a)
{
    for (size_t k = 0; k < n * n; k++) a[k] = below(c, 5) < 2 ? number(c) : 0;
    size_t row = below(c, n), column = below(c, n);
    for (size_t k = 0; k < n; k++) a[row + k * n] = 0;
    if (below(c, 2))
        for (size_t k = 0; k < n; k++) a[k + column * n] = 0;
}

static void companion(chance *c, size_t n, double *a)
{
    memset(a, 0, n * n * sizeof *a);
    for (size_t k = 0; k < n; k++) {
        a[k * n] = 5 * number(c);
        if (k + 1 < n) a[k + 1 + k * n] = 1;
    }
}

/* Two blocks, now and then equal, coupled weakly or one way only. */
static void coupled(chance *c, size_t n, double *a)
{
    size_t half = n / 2;
    bool same = below(c, 2);
    double weak = below(c, 4) ? pow(10, -12 + 6 * number(c)) : 0;
    generic(c, n, a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (same && i >= half && j >= half && i < 2 * half && j < 2 * half)
                a[i + j * n] = a[i - half + (j - half) * n];
            if ((i < half) != (j < half)) a[i + j * n] *= weak;
        }
}

static void extreme(chance *c, size_t n, double *a)
{
    bool mixed = below(c, 3) == 0;
    int power = (int)below(c, 2060) - 1060;
    for (size_t k = 0; k < n * n; k++) {
        if (mixed) power = (int)below(c, 2060) - 1060;
        a[k] = ldexp(number(c), power);
    }
}

/* Symmetric, skew, triangular, cyclic, all equal, zero. */
static void special(chance *c, size_t n, double *a)
{
    size_t kind = below(c, 7);
    generic(c, n, a);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double *x = a + i + j * n;
            if (kind == 0 && i > j) *x = a[j + i * n];
            if (kind == 1 && i >= j) *x = i == j ? 0 : -a[j + i * n];
            if (kind == 2 && i > j) *x = 0;
            if (kind == 3) *x = i == (j + 1) % n;
            if (kind == 4) *x = 1.3;
            if (kind == 5) *x = 0;
            if (kind == 6) *x = i == j ? 0.3 : 0;
        }
}

typedef struct {
    const char *name;
    maker *make;
    int batches;
    double most_handed; /* share of lanes */
    double most_excess; /* median of bound / (rounding of the norm, over LAPACK's condition) */
} family;

/* 1600 batches of 64: 102,400 matrices. */
static const family families[] = {
    {"generic", generic, 300, 0, 20},
    {"modes", modes, 200, 0, 20},
    {"second order", second_order, 200, 0, 20},
    {"jordan", jordan, 120, 0, 20},
    {"cluster", cluster, 120, 0, 20},
    {"bad scale", bad_scale, 120, 0, 20},
    {"holes", holes, 120, 0, 20},
    {"companion", companion, 120, 0, 20},
    {"coupled", coupled, 120, 0, 20},
    {"extreme", extreme, 120, 0.35, 1e300},
    {"special", special, 60, 0, 20},
};

typedef struct {
    size_t n;
    double a[MOST * MOST * LANES], re[MOST * LANES], im[MOST * LANES], bound[MOST * LANES];
    unsigned char handed[LANES];
} batch;

static void run(const family *f, chance *c, size_t n, batch *b)
{
    double one[MOST * MOST];
    batch_work *w = batch_work_new(n);
    b->n = n;
    for (size_t p = 0; p < LANES; p++) {
        f->make(c, n, one);
        for (size_t k = 0; k < n * n; k++) b->a[k * LANES + p] = one[k];
    }
    batch_eigenvalues(w, LANES, n, b->a, b->re, b->im, b->bound, NULL, b->handed);
    batch_work_free(w);
}

static void matrix_of(const batch *b, size_t p, double *a)
{
    for (size_t k = 0; k < b->n * b->n; k++) a[k] = b->a[k * LANES + p];
}

static double norm_of(size_t n, const double *a)
{
    double most = 0;
    for (size_t k = 0; k < n * n; k++) most = fmax(most, fabs(a[k]));
    return (double)n * most;
}

/* Order, conjugates, and bounds that are numbers. */
static void check_form(const batch *b, size_t p, const char *name)
{
    double last = INFINITY;
    for (size_t k = 0; k < b->n; k++) {
        double re = b->re[k * LANES + p], im = b->im[k * LANES + p];
        cr_assert(re <= last, "%s: order", name);
        cr_assert(b->bound[k * LANES + p] >= 0);
        last = re;
        if (im == 0) continue;
        int balance = 0; /* of roots equal but for the sign of im: the positive ones come first */
        for (size_t l = 0; l < b->n; l++) {
            double other = b->im[l * LANES + p];
            if (b->re[l * LANES + p] != re || fabs(other) != fabs(im)) continue;
            balance += other > 0 ? 1 : -1;
            cr_assert(balance >= 0, "%s: order within a pair", name);
            cr_assert_eq(b->bound[l * LANES + p] > 0, true);
        }
        cr_assert_eq(balance, 0, "%s: a root without its conjugate", name);
    }
}

typedef struct {
    double distance;
    size_t mine, other;
} link;

static int nearer(const void *x, const void *y)
{
    const link *a = x, *b = y;
    return (a->distance > b->distance) - (a->distance < b->distance);
}

/* Pairs the roots of two lists, the nearest first: partner[k] of root k. */
static void match(size_t n, const batch *b, size_t p, const double *re, const double *im,
                  size_t *partner)
{
    link all[MOST * MOST];
    bool mine[MOST] = {false}, other[MOST] = {false};
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++)
            all[k * n + l] =
                (link){hypot(b->re[k * LANES + p] - re[l], b->im[k * LANES + p] - im[l]), k, l};
    qsort(all, n * n, sizeof *all, nearer);
    for (size_t t = 0; t < n * n; t++) {
        if (mine[all[t].mine] || other[all[t].other]) continue;
        mine[all[t].mine] = other[all[t].other] = true;
        partner[all[t].mine] = all[t].other;
    }
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

typedef struct {
    double norm, re[MOST], im[MOST], rcond[MOST];
} reference;

static double distance(const batch *b, size_t p, size_t k, const reference *r, size_t l)
{
    return hypot(b->re[k * LANES + p] - r->re[l], b->im[k * LANES + p] - r->im[l]);
}

/* How far root k may be from LAPACK's root l: 1e-11 of the norm. If LAPACK finds root l, or one that cannot be told from
 * ours, ill-conditioned, then what that condition and our bound make of rounding. */
static double allowed(const batch *b, size_t p, size_t k, const reference *r, size_t l)
{
    double n = (double)b->n, bound = b->bound[k * LANES + p], worst = 1;
    double most = 4 * r->norm * pow(n * DBL_EPSILON, 1 / n); /* Elsner */
    double tolerance = 1e-11 * r->norm + 0x1p-1070;
    if (r->rcond[l] < 1e-4)
        tolerance = fmax(tolerance, fmin(8 * n * DBL_EPSILON * r->norm / r->rcond[l], most));
    for (size_t other = 0; other < b->n; other++)
        if (distance(b, p, k, r, other) <= bound) worst = fmin(worst, r->rcond[other]);
    return worst < 1e-3 ? fmax(tolerance, bound) : tolerance;
}

/* One lane against LAPACK. Returns the median of the bound over what LAPACK's condition makes of rounding. */
static double check_lane(dense *d, const batch *b, size_t p, const char *name,
                         unsigned long long seed)
{
    size_t n = b->n, partner[MOST];
    double a[MOST * MOST], left[MOST * MOST], right[MOST * MOST], excess[MOST];
    reference r;
    matrix_of(b, p, a);
    r.norm = norm_of(n, a);
    cr_assert_eq(dense_eigen(d, n, a, r.re, r.im, left, right, r.rcond), NOSLIP_OK);
    match(n, b, p, r.re, r.im, partner);
    for (size_t k = 0; k < n; k++) {
        size_t l = partner[k];
        double off = distance(b, p, k, &r, l), most = allowed(b, p, k, &r, l);
        double error = (double)n * DBL_EPSILON * r.norm / r.rcond[l];
        excess[k] = b->bound[k * LANES + p] / (error + 0x1p-1074);
        cr_expect(off <= most, "%s, seed %llu, lane %zu, n %zu: root %zu off by %g, allowed %g",
                  name, seed, p, n, k, off, most);
    }
    qsort(excess, n, sizeof *excess, ascending);
    return excess[n / 2];
}

Test(batch_eigenvalues, agree_with_lapack, .timeout = 100)
{
    static batch b;
    static double excess[512 * LANES];
    dense *d = dense_new(MOST, MOST);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const family *of = families + f;
        size_t handed = 0, lanes = 0, n_excess = 0;
        for (int k = 0; k < of->batches; k++) {
            unsigned long long seed = 0x9e3779b97f4a7c15u * (f * 1000 + (size_t)k + 1);
            chance c = {seed};
            run(of, &c, 1 + below(&c, 12), &b);
            for (size_t p = 0; p < LANES; p++) {
                lanes++;
                handed += b.handed[p];
                if (b.handed[p]) continue;
                check_form(&b, p, of->name);
                excess[n_excess++] = check_lane(d, &b, p, of->name, seed);
            }
        }
        qsort(excess, n_excess, sizeof *excess, ascending);
        cr_log_info("%s: handed over %zu of %zu, bound over LAPACK's: median %.3g", of->name,
                    handed, lanes, excess[n_excess / 2]);
        cr_expect((double)handed <= of->most_handed * (double)lanes, "%s: %zu of %zu handed over",
                  of->name, handed, lanes);
        cr_expect(excess[n_excess / 2] <= of->most_excess, "%s: bounds %g times LAPACK's", of->name,
                  excess[n_excess / 2]);
    }
    dense_free(d);
}

/* Higher precision: where there is none, the test sees less. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;
static const double enough = 1e-27;
#else
typedef long double wide;
static const double enough = 1e-17;
#endif

typedef struct {
    wide re, im;
} point;

static point minus(point a, point b)
{
    return (point){a.re - b.re, a.im - b.im};
}

static point times(point a, point b)
{
    return (point){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static wide square(point a)
{
    return a.re * a.re + a.im * a.im;
}

static point inverse(point a)
{
    wide s = square(a);
    return (point){a.re / s, -a.im / s};
}

/* Inverts m (n x n) in place by elimination with the largest pivot of each column; false if one is zero. */
static bool invert(size_t n, point *m)
{
    size_t from[MOST];
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (square(m[i + k * n]) > square(m[best + k * n])) best = i;
        if (square(m[best + k * n]) == 0) return false;
        from[k] = best;
        for (size_t j = 0; j < n; j++) {
            point t = m[k + j * n];
            m[k + j * n] = m[best + j * n];
            m[best + j * n] = t;
        }
        point one = inverse(m[k + k * n]);
        m[k + k * n] = (point){1, 0};
        for (size_t j = 0; j < n; j++) m[k + j * n] = times(m[k + j * n], one);
        for (size_t i = 0; i < n; i++) {
            if (i == k) continue;
            point t = m[i + k * n];
            m[i + k * n] = (point){0, 0};
            for (size_t j = 0; j < n; j++)
                m[i + j * n] = minus(m[i + j * n], times(t, m[k + j * n]));
        }
    }
    for (size_t k = n; k-- > 0;)
        for (size_t i = 0; i < n; i++) {
            point t = m[i + k * n];
            m[i + k * n] = m[i + from[k] * n];
            m[i + from[k] * n] = t;
        }
    return true;
}

/* What Ehrlich and Aberth add to root k, by p'/p = trace (z - a)^-1. */
static point correction(size_t n, const double *a, const point *z, size_t k)
{
    point m[MOST * MOST], sum = {0, 0};
    for (size_t j = 0; j < n * n; j++) m[j] = (point){-(wide)a[j], 0};
    for (size_t j = 0; j < n; j++) m[j * (n + 1)] = minus(z[k], (point){a[j * (n + 1)], 0});
    if (!invert(n, m)) return sum;
    for (size_t j = 0; j < n; j++) {
        sum = minus(sum, m[j * (n + 1)]);
        if (j == k || square(minus(z[k], z[j])) == 0) continue;
        point apart = inverse(minus(z[k], z[j]));
        sum = minus(sum, (point){-apart.re, -apart.im});
    }
    return square(sum) > 0 ? inverse(sum) : (point){0, 0};
}

/* Roots of `a` in higher precision, starting from those of the lane; false if they are multiple or nearly so. */
static bool refine(size_t n, const double *a, const batch *b, size_t p, double *re, double *im)
{
    point z[MOST];
    double norm = norm_of(n, a);
    for (size_t k = 0; k < n; k++)
        z[k] = (point){(wide)b->re[k * LANES + p] + (wide)(1e-13 * norm * (double)k),
                       b->im[k * LANES + p]};
    for (int round = 0; round < 40; round++) {
        double most = 0;
        for (size_t k = 0; k < n; k++) {
            point add = correction(n, a, z, k);
            z[k].re += add.re;
            z[k].im += add.im;
            wide part = square(add) / ((wide)norm * (wide)norm);
            most = fmax(most, (double)part);
        }
        for (size_t k = 0; k < n; k++) {
            re[k] = (double)z[k].re;
            im[k] = (double)z[k].im;
        }
        if (sqrt(most) < enough) return true;
    }
    return false;
}

/* The largest part of its bound by which a root is off. */
static double worst_part(const batch *b, size_t p, const double *re, const double *im)
{
    size_t partner[MOST];
    double worst = 0;
    match(b->n, b, p, re, im, partner);
    for (size_t k = 0; k < b->n; k++) {
        double off =
            hypot(b->re[k * LANES + p] - re[partner[k]], b->im[k * LANES + p] - im[partner[k]]);
        double bound = b->bound[k * LANES + p];
        if (off > 0) worst = fmax(worst, off / bound);
    }
    return worst;
}

/* Each family once with its matrices and once with entries off by some units in the last place. */
Test(batch_eigenvalues, bounds_hold_in_higher_precision, .timeout = 100)
{
    static batch b;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const family *of = families + f;
        size_t seen = 0;
        double most = 0, moved = 0;
        for (size_t n = 2; n <= 6; n++) {
            unsigned long long seed = 0xd1342543de82ef95u * (f * 100 + n);
            chance c = {seed};
            run(of, &c, n, &b);
            for (size_t p = 0; p < LANES; p += 2) {
                double a[MOST * MOST], re[MOST], im[MOST];
                matrix_of(&b, p, a);
                if (b.handed[p] || !refine(n, a, &b, p, re, im)) continue;
                seen++;
                double part = worst_part(&b, p, re, im);
                cr_expect_leq(part, 1, "%s, seed %llu, n %zu, lane %zu: off by %g bounds", of->name,
                              seed, n, p, part);
                most = fmax(most, part);
                double unit = 2 * (double)n * DBL_EPSILON;
                for (size_t k = 0; k < n * n; k++) a[k] *= 1 + unit * number(&c);
                if (!refine(n, a, &b, p, re, im)) continue;
                part = worst_part(&b, p, re, im);
                cr_expect_leq(part, 1, "%s, seed %llu, n %zu, lane %zu, moved: off by %g bounds",
                              of->name, seed, n, p, part);
                moved = fmax(moved, part);
            }
        }
        cr_log_info("%s: %zu matrices, at most %.2g of a bound, moved %.2g", of->name, seen, most,
                    moved);
        cr_expect(of->make == jordan || of->make == special || of->make == holes || seen >= 100,
                  "%s: only %zu matrices", of->name, seen);
    }
}

/* Every other batch with entries off by some units in the last place. */
Test(batch_eigenvalues, bounds_hold_at_multiple_roots)
{
    static batch b;
    static double exact[LANES][MOST];
    const double none[MOST] = {0};
    for (size_t seed = 1; seed <= 300; seed++) {
        chance c = {0x2545f4914f6cdd1du * seed};
        size_t n = b.n = 2 + below(&c, 11);
        batch_work *w = batch_work_new(n);
        for (size_t p = 0; p < LANES; p++) {
            double a[MOST * MOST];
            jordan(&c, n, a);
            double unit = seed % 2 ? 2 * (double)n * DBL_EPSILON : 0;
            for (size_t k = 0; k < n * n; k++) b.a[k * LANES + p] = a[k] * (1 + unit * number(&c));
            memcpy(exact[p], known, sizeof known);
        }
        batch_eigenvalues(w, LANES, n, b.a, b.re, b.im, b.bound, NULL, b.handed);
        for (size_t p = 0; p < LANES; p++) {
            if (b.handed[p]) continue;
            double part = worst_part(&b, p, exact[p], none);
            cr_expect_leq(part, 1, "seed %zu, n %zu, lane %zu: off by %g bounds", seed, n, p, part);
        }
        batch_work_free(w);
    }
}
