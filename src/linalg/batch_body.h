/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one text of all batch codes; deliberately without a guard. The file that includes it defines
 *
 *     CODE, CODE_NAME     name of the `batch_code` it makes, and the same for people
 *     vec, ivec, LANES    vector of LANES doubles or 64-bit integers that may stand at any address
 *     mask                one truth value per lane
 *     SPLAT, SPLATI       vector with one number in all lanes
 *     VSQRT(a)
 *     LESS, SAME(a, b)    masks; false where an operand is not a number
 *     BOTH, EITHER, EXCEPT(m, n)
 *     PICK(m, a, b)       a where m holds, else b
 *     BITS(m)             lane p in bit p
 *
 * A batch is walked one vector at a time, and the matrices of its lanes are first copied together: a power of two
 * between the entries would put all of them into the same few lines of the cache. Lanes stay in step; what a lane does
 * not take part in is masked away so that not one bit of it changes, whatever the other lanes do. Only the sign of a
 * zero may change, which is why signs are always asked by LESS(x, 0). */
#include <float.h>
#include <math.h>

#include "batch_code.h"

#define ZERO SPLAT(0.0)
#define ONE SPLAT(1.0)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE vec load(const double *a)
{
    return *(const vec *)a;
}

ALWAYS_INLINE void store(double *a, vec x)
{
    *(vec *)a = x;
}

ALWAYS_INLINE vec absolute(vec x)
{
    return (vec)((ivec)x & SPLATI(0x7fffffffffffffff));
}

ALWAYS_INLINE vec larger(vec x, vec y)
{
    return PICK(LESS(x, y), y, x);
}

/* The power of two below |x|; zero for zero and subnormal numbers. */
ALWAYS_INLINE vec power_below(vec x)
{
    return (vec)((ivec)x & SPLATI(0x7ff0000000000000));
}

ALWAYS_INLINE mask not_finite(vec sum_of_zeros)
{
    return EXCEPT(SAME(ZERO, ZERO), SAME(sum_of_zeros, ZERO));
}

static void store_flags(unsigned char *flag, mask m)
{
    unsigned bits = BITS(m);
    for (int p = 0; p < LANES; p++) flag[p] = (unsigned char)(bits >> p & 1);
}

/* `count` entries of a batch, one vector of lanes of each. */
static void gather(const double *a, size_t lanes, size_t count, vec *out)
{
    for (size_t k = 0; k < count; k++) out[k] = load(a + k * lanes);
}

static void scatter(const vec *x, size_t lanes, size_t count, double *out)
{
    for (size_t k = 0; k < count; k++) store(out + k * lanes, x[k]);
}

/* Largest absolute value; *broken holds where an entry is not finite, and those lanes become zero. */
static vec largest(vec *a, size_t count, mask *broken)
{
    vec most = ZERO, zeros = ZERO;
    for (size_t k = 0; k < count; k++) {
        most = larger(most, absolute(a[k]));
        zeros += a[k] * ZERO;
    }
    *broken = not_finite(zeros);
    if (BITS(*broken))
        for (size_t k = 0; k < count; k++) a[k] = PICK(*broken, ZERO, a[k]);
    return PICK(*broken, ZERO, most);
}

/* Two powers of two whose product brings a largest entry `most` to between 1 and 2; 1 for zero. Two, because 2^-1074
 * has no inverse. */
typedef struct {
    vec lift, scale;
} scaling;

ALWAYS_INLINE scaling scaling_of(vec most)
{
    scaling s;
    s.lift = PICK(LESS(most, SPLAT(0x1p-500)), SPLAT(0x1p500), ONE);
    vec power = power_below(most * s.lift);
    s.scale = ONE / PICK(SAME(power, ZERO), ONE, power);
    return s;
}

/* A product under way: x is op(a) row after row, y is op(b) column after column. */
typedef struct {
    const vec *x, *y;
    size_t lanes, rows, cols, inner;
    double alpha, beta;
} task;

/* c(i..i+h, j..j+v) in registers; the terms are added in the same order everywhere. */
ALWAYS_INLINE void tile(const task *m, double *c, size_t i, size_t j, size_t h, size_t v)
{
    vec sum[8];
    for (size_t t = 0; t < h * v; t++) sum[t] = ZERO;
    for (size_t k = 0; k < m->inner; k++)
        for (size_t s = 0; s < v; s++)
            for (size_t r = 0; r < h; r++)
                sum[r + s * h] += m->x[(i + r) * m->inner + k] * m->y[(j + s) * m->inner + k];
    for (size_t s = 0; s < v; s++)
        for (size_t r = 0; r < h; r++) {
            double *out = c + ((i + r) + (j + s) * m->rows) * m->lanes;
            vec result = SPLAT(m->alpha) * sum[r + s * h];
            if (m->beta != 0) result += SPLAT(m->beta) * load(out);
            store(out, result);
        }
}

static void multiply_lanes(const task *m, double *c)
{
    size_t i, j;
    for (j = 0; j + 2 <= m->cols; j += 2) {
        for (i = 0; i + 4 <= m->rows; i += 4) tile(m, c, i, j, 4, 2);
        for (; i < m->rows; i++) tile(m, c, i, j, 1, 2);
    }
    for (; j < m->cols; j++) {
        for (i = 0; i + 4 <= m->rows; i += 4) tile(m, c, i, j, 4, 1);
        for (; i < m->rows; i++) tile(m, c, i, j, 1, 1);
    }
}

/* Copies the rows x cols matrix with (i, j) at out[i*cols + j]; `straight` if a holds it so, column after column if not. */
static void gather_rows(const double *a, size_t lanes, size_t rows, size_t cols, bool straight,
                        vec *out)
{
    if (straight) {
        gather(a, lanes, rows * cols, out);
        return;
    }
    for (size_t j = 0; j < cols; j++)
        for (size_t i = 0; i < rows; i++) out[i * cols + j] = load(a + (i + j * rows) * lanes);
}

static void multiply(double *scratch, size_t lanes, bool transpose_a, bool transpose_b, size_t rows,
                     size_t cols, size_t inner, double alpha, const double *a, const double *b,
                     double beta, double *c)
{
    vec *x = (vec *)scratch, *y = x + rows * inner;
    const task m = {x, y, lanes, rows, cols, inner, alpha, beta};
    for (size_t p = 0; p < lanes; p += LANES) {
        gather_rows(a + p, lanes, rows, inner, transpose_a, x);
        gather_rows(b + p, lanes, cols, inner, !transpose_b, y);
        multiply_lanes(&m, c + p);
    }
}

/* One column of the elimination. The row `where` comes up to place k: in each column the newcomer is found by going
 * down it once, and the second time down exchanges and eliminates. */
static void eliminate(vec *a, size_t n, size_t k, vec where)
{
    mask here[BATCH_SIZE_MOST];
    for (size_t i = k; i < n; i++) here[i] = SAME(where, SPLAT((double)i));
    for (size_t j = 0; j < n; j++) {
        vec *column = a + j * n, old = column[k], up = old;
        for (size_t i = k + 1; i < n; i++) up = PICK(here[i], column[i], up);
        column[k] = up;
        if (j < k)
            for (size_t i = k + 1; i < n; i++) column[i] = PICK(here[i], old, column[i]);
        else if (j == k)
            for (size_t i = k + 1; i < n; i++) column[i] = PICK(here[i], old, column[i]) / up;
        else
            for (size_t i = k + 1; i < n; i++)
                column[i] = PICK(here[i], old, column[i]) - a[i + k * n] * up;
    }
}

static mask factor_lanes(vec *a, size_t n, vec *pivot, vec *hint)
{
    mask broken;
    vec size[BATCH_SIZE_MOST];
    largest(a, n * n, &broken);
    for (size_t j = 0; j < n; j++) {
        size[j] = ZERO;
        for (size_t i = 0; i < n; i++) size[j] = larger(size[j], absolute(a[i + j * n]));
    }
    *hint = ONE;
    for (size_t k = 0; k < n; k++) {
        vec most = absolute(a[k + k * n]), where = SPLAT((double)k);
        for (size_t i = k + 1; i < n; i++) {
            vec here = absolute(a[i + k * n]);
            mask more = LESS(most, here);
            most = PICK(more, here, most);
            where = PICK(more, SPLAT((double)i), where);
        }
        mask good = BOTH(LESS(ZERO, most), LESS(most, SPLAT((double)INFINITY)));
        broken = EITHER(broken, EXCEPT(SAME(ZERO, ZERO), good));
        vec part = most / size[k];
        *hint = PICK(LESS(part, *hint), part, *hint);
        pivot[k] = where;
        eliminate(a, n, k, where);
    }
    *hint = PICK(broken, ZERO, *hint);
    return broken;
}

static void factor(double *scratch, size_t lanes, size_t n, double *a, double *pivot,
                   unsigned char *bad, double *hint)
{
    vec *x = (vec *)scratch, *order = x + n * n, least;
    for (size_t p = 0; p < lanes; p += LANES) {
        gather(a + p, lanes, n * n, x);
        mask broken = factor_lanes(x, n, order, &least);
        if (BITS(broken)) {
            for (size_t k = 0; k < n * n; k++)
                x[k] = PICK(broken, SPLAT(k % (n + 1) == 0 ? 1.0 : 0.0), x[k]);
            for (size_t k = 0; k < n; k++) order[k] = PICK(broken, SPLAT((double)k), order[k]);
        }
        scatter(x, lanes, n * n, a + p);
        scatter(order, lanes, n, pivot + p);
        store(hint + p, least);
        store_flags(bad + p, broken);
    }
}

ALWAYS_INLINE void exchange(vec *x, size_t n, size_t k, vec where)
{
    vec old = x[k], up = old;
    for (size_t i = k + 1; i < n; i++) {
        mask here = SAME(where, SPLAT((double)i));
        up = PICK(here, x[i], up);
        x[i] = PICK(here, old, x[i]);
    }
    x[k] = up;
}

static void solve_plain(const vec *lu, const vec *order, size_t n, vec *x)
{
    for (size_t k = 0; k < n; k++) exchange(x, n, k, order[k]);
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) x[i] -= lu[i + k * n] * x[k];
    for (size_t k = n; k-- > 0;) {
        x[k] /= lu[k + k * n];
        for (size_t i = 0; i < k; i++) x[i] -= lu[i + k * n] * x[k];
    }
}

static void solve_transposed(const vec *lu, const vec *order, size_t n, vec *x)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < k; i++) x[k] -= lu[i + k * n] * x[i];
        x[k] /= lu[k + k * n];
    }
    for (size_t k = n; k-- > 0;)
        for (size_t i = k + 1; i < n; i++) x[k] -= lu[i + k * n] * x[i];
    for (size_t k = n; k-- > 0;) exchange(x, n, k, order[k]);
}

static void solve(double *scratch, size_t lanes, bool transpose, size_t n, const double *lu,
                  const double *pivot, size_t count, double *b)
{
    vec *x = (vec *)scratch, *order = x + n * n, *right = order + n;
    for (size_t p = 0; p < lanes; p += LANES) {
        gather(lu + p, lanes, n * n, x);
        gather(pivot + p, lanes, n, order);
        for (size_t c = 0; c < count; c++) {
            double *column = b + c * n * lanes + p;
            gather(column, lanes, n, right);
            (transpose ? solve_transposed : solve_plain)(x, order, n, right);
            scatter(right, lanes, n, column);
        }
    }
}

/* The reflection I - tau v v', v = (1, rest/divisor), that takes (first, rest) to (beta, 0), sum = |rest|^2. Numbers are
 * of size 1 here: a rest whose squares underflow is taken for zero, and then tau = 0 and v = (1, 0). */
typedef struct {
    vec beta, tau, inverse;
} reflection;

ALWAYS_INLINE reflection reflection_of(vec first, vec sum)
{
    mask needed = LESS(SPLAT(0x1p-960), sum);
    vec length = VSQRT(first * first + sum);
    vec beta = PICK(LESS(first, ZERO), length, -length);
    return (reflection){PICK(needed, beta, first), PICK(needed, (beta - first) / beta, ZERO),
                        PICK(needed, ONE / (first - beta), ZERO)};
}

/* Bring x[k..n) to (beta, 0), keeping v behind the first entry in its place. Returns tau. */
static vec reflect_column(vec *x, size_t k, size_t n)
{
    vec sum = ZERO;
    for (size_t i = k + 1; i < n; i++) sum += x[i] * x[i];
    reflection r = reflection_of(x[k], sum);
    x[k] = r.beta;
    for (size_t i = k + 1; i < n; i++) x[i] *= r.inverse;
    return r.tau;
}

ALWAYS_INLINE void apply(const vec *v, vec tau, size_t k, size_t n, vec *x)
{
    vec sum = x[k];
    for (size_t i = k + 1; i < n; i++) sum += v[i] * x[i];
    sum *= tau;
    x[k] -= sum;
    for (size_t i = k + 1; i < n; i++) x[i] -= sum * v[i];
}

/* Scale column j to size 1; zero it where the lane is broken. Returns what x_j has to be multiplied with. */
static scaling scale_column(vec *x, size_t rows, mask *broken)
{
    mask here;
    scaling s = scaling_of(largest(x, rows, &here));
    for (size_t i = 0; i < rows; i++) x[i] = x[i] * s.lift * s.scale;
    *broken = EITHER(*broken, here);
    return s;
}

static mask least_squares_lanes(vec *a, vec *b, scaling *s, size_t rows, size_t cols, vec *x,
                                vec *ratio)
{
    mask broken;
    largest(b, rows, &broken);
    for (size_t j = 0; j < cols; j++) s[j] = scale_column(a + j * rows, rows, &broken);
    vec least = SPLAT((double)INFINITY), most = ZERO;
    for (size_t k = 0; k < cols; k++) {
        vec *column = a + k * rows, tau = reflect_column(column, k, rows);
        for (size_t j = k + 1; j < cols; j++) apply(column, tau, k, rows, a + j * rows);
        apply(column, tau, k, rows, b);
        vec size = absolute(column[k]);
        least = PICK(LESS(size, least), size, least);
        most = larger(most, size);
    }
    *ratio = PICK(broken, ZERO, PICK(LESS(ZERO, most), least / most, ZERO));
    mask sound = LESS(SPLAT((double)rows * DBL_EPSILON), *ratio);
    for (size_t k = cols; k-- > 0;) {
        vec sum = b[k] / PICK(sound, a[k + k * rows], ONE);
        for (size_t i = 0; i < k; i++) b[i] -= a[i + k * rows] * sum;
        x[k] = PICK(sound, sum * s[k].scale * s[k].lift, ZERO);
    }
    return EXCEPT(SAME(ZERO, ZERO), sound);
}

static void least_squares(double *scratch, size_t lanes, size_t rows, size_t cols, const double *a,
                          const double *b, double *x, unsigned char *bad, double *ratio)
{
    vec *m = (vec *)scratch, *right = m + rows * cols, *out = right + rows, share;
    scaling s[BATCH_SIZE_MOST];
    for (size_t p = 0; p < lanes; p += LANES) {
        gather(a + p, lanes, rows * cols, m);
        gather(b + p, lanes, rows, right);
        mask broken =
            cols ? least_squares_lanes(m, right, s, rows, cols, out, &share) : LESS(ZERO, ZERO);
        scatter(out, lanes, cols, x + p);
        store(ratio + p, cols ? share : ONE);
        store_flags(bad + p, broken);
    }
}

/* Exchange columns k and the longest of k..n) below row k. Returns the sum of squares of all that is left. */
static vec longest_first(vec *a, size_t n, size_t k)
{
    vec most = SPLAT(-1.0), where = SPLAT((double)k), all = ZERO;
    for (size_t j = k; j < n; j++) {
        vec sum = ZERO;
        for (size_t i = k; i < n; i++) sum += a[i + j * n] * a[i + j * n];
        all += sum;
        mask more = LESS(most, sum);
        most = PICK(more, sum, most);
        where = PICK(more, SPLAT((double)j), where);
    }
    for (size_t j = k + 1; j < n; j++) {
        mask here = SAME(where, SPLAT((double)j));
        if (!BITS(here)) continue;
        for (size_t i = k; i < n; i++) {
            vec mine = a[i + k * n], other = a[i + j * n];
            a[i + k * n] = PICK(here, other, mine);
            a[i + j * n] = PICK(here, mine, other);
        }
    }
    return all;
}

/* a holds g', column after column, and ends with the vectors v of the reflections; q is their product. */
static mask range_lanes(vec *a, vec *q, vec *tau, size_t n, size_t rank, vec *above, vec *below)
{
    mask broken;
    scaling s = scaling_of(largest(a, n * n, &broken));
    for (size_t k = 0; k < n * n; k++) a[k] = a[k] * s.lift * s.scale;
    for (size_t k = 0; k < rank; k++) {
        longest_first(a, n, k);
        tau[k] = reflect_column(a + k * n, k, n);
        for (size_t j = k + 1; j < n; j++) apply(a + k * n, tau[k], k, n, a + j * n);
    }
    vec left = VSQRT(longest_first(a, n, rank));
    vec first = rank ? absolute(a[0]) : left, last = left;
    if (rank) last = absolute(a[(rank - 1) * (n + 1)]);
    mask any = LESS(ZERO, first);
    *above = PICK(any, last / first, ZERO);
    *below = PICK(any, left / first, ZERO);
    if (!rank) *above = PICK(broken, ZERO, ONE);
    for (size_t k = 0; k < n * n; k++) q[k] = SPLAT(k % (n + 1) == 0 ? 1.0 : 0.0);
    for (size_t k = rank; k-- > 0;)
        for (size_t j = k; j < n; j++) apply(a + k * n, tau[k], k, n, q + j * n);
    return broken;
}

static void range(double *scratch, size_t lanes, size_t n, size_t rank, const double *g, double *q,
                  unsigned char *bad, double *above, double *below)
{
    vec *a = (vec *)scratch, *out = a + n * n, *tau = out + n * n, high, low;
    for (size_t p = 0; p < lanes; p += LANES) {
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) a[j + i * n] = load(g + (i + j * n) * lanes + p);
        mask broken = range_lanes(a, out, tau, n, rank, &high, &low);
        scatter(out, lanes, n * n, q + p);
        store(above + p, high);
        store(below + p, low);
        store_flags(bad + p, broken);
    }
}

#include "batch_roots.h"

const batch_code CODE = {CODE_NAME, multiply, factor, solve, least_squares, range, eigenvalues};
