/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues, second part of batch_body.h; deliberately without a guard.
 *
 * The way of EISPACK and LAPACK: scale, balance, bring to Hessenberg form, iterate with double shifts [Francis], read
 * the roots off the diagonal blocks of the real Schur form T. Lanes go through it in step, each with its own active
 * block low..high: all do reflection k together, and those outside their block do it with tau = 0, v = 0, which changes
 * nothing; below the bulge there are zeros, so its last reflection needs no mask. T is updated as a whole, because its vectors are wanted for the bounds.
 *
 * Bounds. T is exact for a matrix that is off by at most E = c n eps |B|, B the balanced matrix, |B| in the Frobenius norm;
 * the same E stands for the error the caller's entries have anyway. Root k moves by at most E |x| |y| / |y'x| to first
 * order, x and y its right and left vectors. With T made triangular (2 x 2 blocks by a complex rotation) x has entries
 * 0..k only and y has k.. only, so with x_k = y_k = 1 the product y'x is 1 and both come from substitution:
 *
 *     x_j = -sum(l = j+1..k, T_jl x_l) / (T_jj - T_kk),  j < k        y_j = -sum(l = k..j-1, y_l T_lj) / (T_jj - T_kk),  j > k
 *
 * where a difference below eps |B| is replaced by that. At a multiple root of m-fold defect this still holds: the computed
 * ones are spread by e^(1/m), e <= E the error made, and E/(m e) e^(1/m) is above that if E >= m e. In any case a root moves
 * by at most (2|B|)^(1-1/n) E^(1/n) [Elsner 1985], which ends the growth of the bound. */

/* Roots of a 2 x 2 block: re[0..1] and +-im, and the first column (u, v) of a rotation that makes the block triangular
 * with root 0 first; u is real. */
typedef struct {
    vec re[2], im, u, v_re, v_im;
} pair;

typedef struct {
    vec high, low;
} twofold;

/* a*b without rounding: high + low [Dekker]. */
ALWAYS_INLINE twofold product(vec a, vec b)
{
    const vec half = SPLAT(134217729.0);
    vec t = half * a, a1 = t - (t - a), a2 = a - a1;
    t = half * b;
    vec b1 = t - (t - b), b2 = b - b1, high = a * b;
    return (twofold){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

ALWAYS_INLINE twofold sum_of(vec a, vec b)
{
    vec high = a + b, t = high - a;
    return (twofold){high, (a - (high - t)) + (b - t)};
}

/* (a-d)^2 + 4bc and ad - bc are found in twice the precision, so that nothing is lost where they nearly vanish. */
ALWAYS_INLINE pair pair_of(vec a, vec b, vec c, vec d)
{
    pair r;
    const vec half = SPLAT(0.5), four = SPLAT(4.0);
    twofold gap = sum_of(a, -d), square = product(gap.high, gap.high), bc = product(b, c);
    twofold sum = sum_of(square.high, four * bc.high);
    vec disc =
        sum.high + (sum.low + (square.low + four * bc.low + SPLAT(2.0) * gap.high * gap.low));
    twofold ad = product(a, d), det = sum_of(ad.high, -bc.high);
    vec whole = det.high + (det.low + (ad.low - bc.low));
    mask real = EXCEPT(SAME(ZERO, ZERO), LESS(disc, ZERO)), falls = LESS(gap.high, ZERO);

    vec root = half * VSQRT(absolute(disc)), mean = half * (a + d);
    mask down = LESS(mean, ZERO);
    vec far = mean + PICK(down, -root, root); /* the larger root */
    vec near = PICK(SAME(far, ZERO), ZERO, whole / far);
    mask straight = SAME(b * c, ZERO);
    vec upper = PICK(down, near, far), lower = PICK(down, far, near);
    vec first = PICK(falls, lower, upper), second = PICK(falls, upper, lower);
    r.re[0] = PICK(real, PICK(straight, a, first), mean);
    r.re[1] = PICK(real, PICK(straight, d, second), mean);
    r.im = PICK(real, ZERO, root);

    vec reach = half * gap.high + PICK(falls, -root, root); /* root 0, less d */
    r.u = PICK(real, reach, b);
    r.v_re = PICK(real, c, -half * gap.high);
    r.v_im = r.im;
    vec length = VSQRT(r.u * r.u + r.v_re * r.v_re + r.v_im * r.v_im);
    mask none = SAME(length, ZERO);
    vec inverse = ONE / PICK(none, ONE, length);
    r.u = PICK(none, ONE, r.u * inverse);
    r.v_re *= inverse;
    r.v_im *= inverse;
    return r;
}

/* One visit of each row and column: both get about the same size, by a power of two. */
ALWAYS_INLINE void balance(vec *h, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        vec c = ZERO, r = ZERO;
        for (size_t i = 0; i < n; i++) {
            if (i == k) continue;
            c += absolute(h[i + k * n]);
            r += absolute(h[k + i * n]);
        }
        vec q = r / c;
        q = PICK(LESS(q, SPLAT(0x1p-200)), SPLAT(0x1p-200), q);
        q = PICK(LESS(q, SPLAT(0x1p200)), q, SPLAT(0x1p200));
        vec f = power_below(VSQRT(power_below(q))), inverse = ONE / f;
        mask useful = LESS(c * f + r * inverse, SPLAT(0.95) * (c + r));
        useful = BOTH(useful, BOTH(LESS(ZERO, c), LESS(ZERO, r)));
        if (!BITS(useful)) continue;
        f = PICK(useful, f, ONE);
        inverse = PICK(useful, inverse, ONE);
        for (size_t i = 0; i < n; i++) {
            if (i == k) continue;
            h[i + k * n] *= f;
            h[k + i * n] *= inverse;
        }
    }
}

ALWAYS_INLINE void to_hessenberg(vec *h, size_t n)
{
    for (size_t k = 0; k + 2 < n; k++) {
        vec *v = h + k * n, tau = reflect_column(v, k + 1, n);
        for (size_t j = k + 1; j < n; j++) apply(v, tau, k + 1, n, h + j * n);
        for (size_t i = 0; i < n; i++) {
            vec sum = h[i + (k + 1) * n];
            for (size_t j = k + 2; j < n; j++) sum += v[j] * h[i + j * n];
            sum *= tau;
            h[i + (k + 1) * n] -= sum;
            for (size_t j = k + 2; j < n; j++) h[i + j * n] -= sum * v[j];
        }
        for (size_t i = k + 2; i < n; i++) v[i] = ZERO;
    }
}

/* Steps on one block before its lane is handed over; simple roots need two or three, defective ones up to fifty. */
enum { PATIENCE = 80 };

/* The active block of each lane: low..high, high < 0 when the lane is done; iterations on it so far. */
typedef struct {
    vec low, high, count;
} active;

/* Set negligible subdiagonal entries to zero (negligible beside their neighbours, or beside the whole matrix if that did
 * not lead anywhere) and find the last block of more than two rows. */
ALWAYS_INLINE void find_block(vec *h, size_t n, vec norm, active *b)
{
    mask long_tried = BOTH(LESS(SPLAT(10.0), b->count), LESS(ZERO, b->high));
    for (size_t k = 1; k < n; k++) {
        vec sub = absolute(h[k + (k - 1) * n]);
        vec near = absolute(h[k + k * n]) + absolute(h[(k - 1) * (n + 1)]);
        near = PICK(long_tried, larger(near, norm), near);
        mask kept = BOTH(LESS(SPLAT(DBL_EPSILON) * near, sub), LESS(SPLAT(0x1p-470), sub));
        h[k + (k - 1) * n] = PICK(kept, h[k + (k - 1) * n], ZERO);
    }
    vec before = b->high;
    for (size_t k = n; k-- > 0;) {
        mask here = SAME(b->high, SPLAT((double)k));
        mask single = here;
        if (k) single = BOTH(here, SAME(h[k + (k - 1) * n], ZERO));
        mask twin = EXCEPT(here, single);
        if (k > 1) twin = BOTH(twin, SAME(h[(k - 1) + (k - 2) * n], ZERO));
        b->high = PICK(single, SPLAT((double)k - 1), b->high);
        b->high = PICK(twin, SPLAT((double)k - 2), b->high);
    }
    b->count = PICK(SAME(before, b->high), b->count + ONE, ZERO);
    b->low = ZERO;
    for (size_t k = 1; k < n; k++) {
        vec place = SPLAT((double)k);
        mask inside = EXCEPT(SAME(h[k + (k - 1) * n], ZERO), LESS(b->high, place));
        b->low = PICK(inside, place, b->low);
    }
}

/* First column of (H - s)(H - t), over the first subdiagonal entry (at least 2^-470, so that squares stay finite); s and t the roots of the last 2 x 2 block, or twice
 * the nearer one if they are real; something else if that has not led anywhere. */
ALWAYS_INLINE void first_column(const vec *h, size_t n, const active *b, vec out[3])
{
    vec a = ZERO, bc = ZERO, c = ZERO, d = ZERO, above = ZERO;
    vec h00 = ZERO, h01 = ZERO, h10 = ONE, h11 = ZERO, h21 = ZERO;
    for (size_t k = 2; k < n; k++) {
        mask last = SAME(b->high, SPLAT((double)k));
        a = PICK(last, h[(k - 1) * (n + 1)], a);
        bc = PICK(last, h[(k - 1) + k * n] * h[k + (k - 1) * n], bc);
        c = PICK(last, h[k + (k - 1) * n], c);
        d = PICK(last, h[k * (n + 1)], d);
        above = PICK(last, h[(k - 1) + (k - 2) * n], above);
        mask first = SAME(b->low, SPLAT((double)k - 2));
        h00 = PICK(first, h[(k - 2) * (n + 1)], h00);
        h01 = PICK(first, h[(k - 2) + (k - 1) * n], h01);
        h10 = PICK(first, h[(k - 1) + (k - 2) * n], h10);
        h11 = PICK(first, h[(k - 1) * (n + 1)], h11);
        h21 = PICK(first, h[k + (k - 1) * n], h21);
    }
    vec p = SPLAT(0.5) * (a - d), disc = p * p + bc, root = VSQRT(absolute(disc));
    vec z = p + PICK(LESS(p, ZERO), -root, root);
    vec nearer = d - PICK(SAME(z, ZERO), ZERO, bc / z);
    mask real = EXCEPT(SAME(ZERO, ZERO), LESS(disc, ZERO));
    a = PICK(real, nearer, a);
    d = PICK(real, nearer, d);
    bc = PICK(real, ZERO, bc);

    mask stuck = LESS(ZERO, ZERO);
    for (int k = 10; k < PATIENCE; k += 10) stuck = EITHER(stuck, SAME(b->count, SPLAT((double)k)));
    vec s = absolute(c) + absolute(above), odd = d + SPLAT(0.75) * s;
    a = PICK(stuck, odd, a);
    d = PICK(stuck, odd, d);
    bc = PICK(stuck, SPLAT(-0.4375) * s * s, bc);

    out[0] = ((h00 - a) * (h00 - d) - bc) / h10 + h01;
    out[1] = (h00 - a) + (h11 - d);
    out[2] = h21;
}

/* One double step on the active blocks: `start` is brought to one entry, and the bulge this makes is chased down. */
ALWAYS_INLINE void sweep(vec *h, size_t n, const active *b, const vec start[3])
{
    for (size_t k = 0; k + 1 < n; k++) {
        mask first = SAME(b->low, SPLAT((double)k));
        mask takes = EXCEPT(LESS(SPLAT((double)k), b->high), LESS(SPLAT((double)k), b->low));
        if (!BITS(takes)) continue;
        bool three = k + 2 < n;
        vec *before = k ? h + (k - 1) * n : h;
        vec x = PICK(first, start[0], k ? before[k] : ZERO);
        vec y = PICK(first, start[1], k ? before[k + 1] : ZERO);
        vec z = PICK(first, start[2], k && three ? before[k + 2] : ZERO);
        x = PICK(takes, x, ZERO);
        y = PICK(takes, y, ZERO);
        z = PICK(takes, z, ZERO);
        reflection r = reflection_of(x, y * y + z * z);
        vec v1 = y * r.inverse, v2 = z * r.inverse;
        if (k) {
            mask inner = EXCEPT(takes, first);
            before[k] = PICK(inner, r.beta, before[k]);
            before[k + 1] = PICK(inner, ZERO, before[k + 1]);
            if (three) before[k + 2] = PICK(inner, ZERO, before[k + 2]);
        }
        vec t1 = r.tau * v1, t2 = r.tau * v2;
        for (size_t j = k; j < n; j++) {
            vec *column = h + j * n;
            vec sum = column[k] + v1 * column[k + 1];
            if (three) sum += v2 * column[k + 2];
            column[k] -= r.tau * sum;
            column[k + 1] -= t1 * sum;
            if (three) column[k + 2] -= t2 * sum;
        }
        size_t end = k + 4 < n ? k + 4 : n;
        vec *left = h + k * n;
        for (size_t i = 0; i < end; i++) {
            vec sum = left[i] + v1 * left[i + n];
            if (three) sum += v2 * left[i + 2 * n];
            left[i] -= r.tau * sum;
            left[i + n] -= t1 * sum;
            if (three) left[i + 2 * n] -= t2 * sum;
        }
    }
}

/* Hessenberg to Schur form. Returns the lanes that did not get there. */
ALWAYS_INLINE mask iterate(vec *h, size_t n, vec norm)
{
    active b = {ZERO, SPLAT((double)n - 1), ZERO};
    mask stuck = LESS(ZERO, ZERO);
    for (;;) {
        find_block(h, n, norm, &b);
        mask over = BOTH(LESS(SPLAT((double)PATIENCE), b.count), LESS(ZERO, b.high));
        stuck = EITHER(stuck, over);
        b.high = PICK(over, SPLAT(-1.0), b.high);
        if (!BITS(LESS(ZERO, b.high))) return stuck;
        vec start[3];
        first_column(h, n, &b, start);
        sweep(h, n, &b, start);
    }
}

typedef struct {
    vec *re, *im, *rcond, *bound; /* n each */
} root_list;

/* Make block k triangular in the upper triangle t + i*u, which holds what came before already. */
ALWAYS_INLINE void turn(vec *t, vec *u, size_t n, size_t k, mask block, const pair *r)
{
    vec c = PICK(block, r->u, ONE), x = PICK(block, r->v_re, ZERO), y = PICK(block, r->v_im, ZERO);
    vec h00 = t[k * (n + 1)], h10 = t[k + 1 + k * n], h11 = t[(k + 1) * (n + 1)];
    for (size_t j = k + 2; j < n; j++) {
        vec *re = t + j * n, *im = u + j * n, upper = re[k], lower = re[k + 1];
        re[k] = PICK(block, c * upper + x * lower, upper);
        im[k] = PICK(block, -y * lower, im[k]);
        re[k + 1] = PICK(block, c * lower - x * upper, lower);
        im[k + 1] = PICK(block, -y * upper, ZERO);
    }
    for (size_t i = 0; i < k; i++) {
        vec a = t[i + k * n], ai = u[i + k * n], b = t[i + (k + 1) * n], bi = u[i + (k + 1) * n];
        t[i + k * n] = c * a + (x * b - y * bi);
        u[i + k * n] = c * ai + (x * bi + y * b);
        t[i + (k + 1) * n] = c * b - (x * a + y * ai);
        u[i + (k + 1) * n] = c * bi - (x * ai - y * a);
    }
    vec h01 = t[k + (k + 1) * n];
    vec p = c * h00 + x * h10, pi = -y * h10, q = c * h01 + x * h11, qi = -y * h11;
    t[k + (k + 1) * n] = PICK(block, c * q - (x * p + y * pi), h01);
    u[k + (k + 1) * n] = PICK(block, c * qi - (x * pi - y * p), u[k + (k + 1) * n]);
}

/* Schur form to triangle and roots. */
ALWAYS_INLINE void read_roots(vec *t, vec *u, size_t n, root_list r)
{
    for (size_t k = 0; k < n * n; k++) u[k] = ZERO;
    for (size_t k = 0; k < n; k++) {
        r.re[k] = t[k * (n + 1)];
        r.im[k] = ZERO;
    }
    for (size_t k = 0; k + 1 < n; k++) {
        vec sub = t[k + 1 + k * n];
        mask block = EXCEPT(SAME(ZERO, ZERO), SAME(sub, ZERO));
        if (!BITS(block)) continue;
        pair two = pair_of(t[k * (n + 1)], t[k + (k + 1) * n], sub, t[(k + 1) * (n + 1)]);
        r.re[k] = PICK(block, two.re[0], r.re[k]);
        r.re[k + 1] = PICK(block, two.re[1], r.re[k + 1]);
        r.im[k] = PICK(block, two.im, r.im[k]);
        r.im[k + 1] = PICK(block, -two.im, r.im[k + 1]);
        turn(t, u, n, k, block, &two);
    }
}

/* The least difference of roots that is believed. */
ALWAYS_INLINE vec nearest_told(vec norm)
{
    return norm * SPLAT(DBL_EPSILON) + SPLAT(0x1p-500);
}

/* 1/(root j - root k) for j < k, at [j + k*n] (real part) and [k + j*n] (imaginary part). */
ALWAYS_INLINE void differences(root_list r, size_t n, vec least, vec *inverse)
{
    for (size_t k = 1; k < n; k++)
        for (size_t j = 0; j < k; j++) {
            vec x = r.re[j] - r.re[k], y = r.im[j] - r.im[k], square = x * x + y * y;
            mask apart = LESS(least * least, square);
            x = PICK(apart, x, least);
            y = PICK(apart, y, ZERO);
            square = ONE / PICK(apart, square, least * least);
            inverse[j + k * n] = x * square;
            inverse[k + j * n] = -y * square;
        }
}

/* Squared length of the right vector of root k. */
ALWAYS_INLINE vec right_vector(const vec *t, const vec *u, const vec *inverse, size_t n, size_t k,
                               vec *x, vec *xi)
{
    vec square = ONE;
    x[k] = ONE;
    xi[k] = ZERO;
    for (size_t j = k; j-- > 0;) {
        vec s = t[j + k * n], si = u[j + k * n];
        for (size_t l = j + 1; l < k; l++) {
            vec a = t[j + l * n], b = u[j + l * n];
            s += a * x[l] - b * xi[l];
            si += a * xi[l] + b * x[l];
        }
        vec d = inverse[j + k * n], di = inverse[k + j * n];
        x[j] = si * di - s * d;
        xi[j] = -(s * di + si * d);
        square += x[j] * x[j] + xi[j] * xi[j];
    }
    return square;
}

/* Squared length of the left vector of root k. */
ALWAYS_INLINE vec left_vector(const vec *t, const vec *u, const vec *inverse, size_t n, size_t k,
                              vec *y, vec *yi)
{
    vec square = ONE;
    for (size_t j = k + 1; j < n; j++) {
        vec s = t[k + j * n], si = u[k + j * n];
        for (size_t l = k + 1; l < j; l++) {
            vec a = t[l + j * n], b = u[l + j * n];
            s += a * y[l] - b * yi[l];
            si += a * yi[l] + b * y[l];
        }
        vec d = inverse[k + j * n], di = inverse[j + k * n];
        y[j] = s * d - si * di;
        yi[j] = s * di + si * d;
        square += y[j] * y[j] + yi[j] * yi[j];
    }
    return square;
}

/* E over |B|, and what E^(1/n) gives at most, over |B|. */
static double relative_error(size_t n)
{
    return 4 * (double)n * DBL_EPSILON;
}

static double elsner(size_t n)
{
    double share = relative_error(n);
    for (size_t m = 1; m < n; m *= 2) share = VSQRT(SPLAT(share))[0];
    return 4 * share;
}

ALWAYS_INLINE void set_conditions(const vec *t, const vec *u, vec *inverse, vec *space, size_t n,
                                  vec norm, root_list r)
{
    differences(r, n, nearest_told(norm), inverse);
    for (size_t k = 0; k < n; k++) {
        vec x = VSQRT(right_vector(t, u, inverse, n, k, space, space + n));
        vec y = VSQRT(left_vector(t, u, inverse, n, k, space, space + n));
        mask sound = LESS(x * y, SPLAT((double)INFINITY));
        r.rcond[k] = PICK(sound, ONE / (x * y), ZERO);
    }
    for (size_t k = 0; k + 1 < n; k++) { /* the two of a pair have the same */
        mask twin = BOTH(SAME(r.re[k], r.re[k + 1]),
                         BOTH(SAME(r.im[k], -r.im[k + 1]), LESS(ZERO, r.im[k])));
        vec both = PICK(LESS(r.rcond[k], r.rcond[k + 1]), r.rcond[k], r.rcond[k + 1]);
        r.rcond[k] = PICK(twin, both, r.rcond[k]);
        r.rcond[k + 1] = PICK(twin, both, r.rcond[k + 1]);
    }
}

/* n = 2 in closed form. Returns the most that error E may do to a root: it moves the discriminant by at most g E + E^2, g its gradient; the triangle's corner is |b - c|
 * for real roots and has the square (a-d)^2 + (b+c)^2 for a pair. */
ALWAYS_INLINE vec two_by_two(const vec *h, vec norm, vec error, root_list r)
{
    vec a = h[0], c = h[1], b = h[2], d = h[3], gap = a - d, sum = b + c, cross = b - c;
    pair two = pair_of(a, b, c, d);
    r.re[0] = two.re[0];
    r.re[1] = two.re[1];
    r.im[0] = two.im;
    r.im[1] = -two.im;
    vec apart = two.re[0] - two.re[1];
    mask real = SAME(two.im, ZERO);
    vec distance = PICK(real, apart * apart, SPLAT(4.0) * two.im * two.im);
    vec corner = PICK(real, cross * cross, gap * gap + sum * sum);
    vec least = nearest_told(norm);
    vec square = ONE + corner / larger(distance, least * least);
    r.rcond[0] = r.rcond[1] = VSQRT(ONE / square);
    vec gradient = VSQRT(SPLAT(0.5) * gap * gap + b * b + c * c);
    return error + VSQRT(error * (gradient + error));
}

ALWAYS_INLINE void sort_roots(root_list r, size_t n)
{
    for (size_t round = 0; round < n; round++)
        for (size_t k = round % 2; k + 1 < n; k += 2) {
            vec a = r.re[k], b = r.re[k + 1], ai = r.im[k], bi = r.im[k + 1];
            vec size_a = absolute(ai), size_b = absolute(bi);
            mask wrong = BOTH(SAME(size_a, size_b), LESS(ai, bi));
            wrong = EITHER(LESS(size_a, size_b), wrong);
            wrong = EITHER(LESS(a, b), BOTH(SAME(a, b), wrong));
            r.re[k] = PICK(wrong, b, a);
            r.re[k + 1] = PICK(wrong, a, b);
            r.im[k] = PICK(wrong, bi, ai);
            r.im[k + 1] = PICK(wrong, ai, bi);
            vec c = r.rcond[k], d = r.rcond[k + 1];
            r.rcond[k] = PICK(wrong, d, c);
            r.rcond[k + 1] = PICK(wrong, c, d);
        }
}

/* Bounds from conditions, and wider ones where roots come closer to each other than they may move: a well-conditioned
 * root amid defective ones is so by chance, and each of the group may end where any other may. */
ALWAYS_INLINE void set_bounds(root_list r, size_t n, vec error, vec most, vec *narrow)
{
    const vec two = SPLAT(2.0);
    for (size_t k = 0; k < n; k++) {
        vec bound = error / r.rcond[k];
        r.bound[k] = narrow[k] = PICK(LESS(bound, most), bound, most);
    }
    for (size_t k = 1; k < n; k++)
        for (size_t j = 0; j < k; j++) {
            vec x = r.re[j] - r.re[k], y = r.im[j] - r.im[k], square = x * x + y * y;
            vec reach = two * (narrow[j] + narrow[k]);
            mask close = LESS(square, reach * reach);
            if (!BITS(close)) continue;
            vec apart = VSQRT(square);
            vec of_k = larger(r.bound[k], apart + two * narrow[j]);
            vec of_j = larger(r.bound[j], apart + two * narrow[k]);
            r.bound[k] = PICK(close, of_k, r.bound[k]);
            r.bound[j] = PICK(close, of_j, r.bound[j]);
        }
    for (size_t k = 0; k < n; k++) r.bound[k] = PICK(LESS(r.bound[k], most), r.bound[k], most);
}

ALWAYS_INLINE mask roots_of(vec *h, size_t n, root_list r, vec *space)
{
    mask handed;
    scaling s = scaling_of(largest(h, n * n, &handed));
    for (size_t k = 0; k < n * n; k++) {
        mask there = LESS(ZERO, absolute(h[k]));
        h[k] = h[k] * s.lift * s.scale;
        if (n > 1) handed = EITHER(handed, BOTH(there, LESS(absolute(h[k]), SPLAT(0x1p-480))));
    }
    for (size_t k = 0; k < (n > 2 ? 2 : 1); k++) balance(h, n);
    vec norm = ZERO;
    for (size_t k = 0; k < n * n; k++) norm += h[k] * h[k];
    norm = VSQRT(norm);
    vec error = norm * SPLAT(relative_error(n)), most = norm * SPLAT(elsner(n));
    if (n == 1) {
        r.re[0] = h[0];
        r.im[0] = error = ZERO;
        r.rcond[0] = ONE;
    } else if (n == 2) {
        most = two_by_two(h, norm, error, r);
    } else {
        vec *u = space, *inverse = u + n * n;
        to_hessenberg(h, n);
        handed = EITHER(handed, iterate(h, n, norm));
        read_roots(h, u, n, r);
        set_conditions(h, u, inverse, inverse + n * n, n, norm, r);
    }
    sort_roots(r, n);
    set_bounds(r, n, error, most, space);
    vec back = ONE / s.scale, drop = ONE / s.lift;
    vec least = n > 1 ? SPLAT(0x1p-1074) : ZERO; /* rounding of subnormal numbers */
    for (size_t k = 0; k < n; k++) {
        r.re[k] = PICK(handed, ZERO, r.re[k] * back * drop + ZERO);
        r.im[k] = PICK(handed, ZERO, r.im[k] * back * drop + ZERO);
        r.rcond[k] = PICK(handed, ZERO, r.rcond[k]);
        r.bound[k] = PICK(handed, ZERO, r.bound[k] * back * drop + least);
    }
    return handed;
}

static mask roots_of_any(vec *h, size_t n, root_list r, vec *space)
{
    switch (n) {
    case 1: return roots_of(h, 1, r, space);
    case 2: return roots_of(h, 2, r, space);
    case 3: return roots_of(h, 3, r, space);
    case 4: return roots_of(h, 4, r, space);
    default: return roots_of(h, n, r, space);
    }
}

static void eigenvalues(double *scratch, size_t lanes, size_t n, const double *a, double *re,
                        double *im, double *bound, double *rcond, unsigned char *handed)
{
    vec *h = (vec *)scratch, *list = h + n * n, *space = list + 4 * n;
    root_list r = {list, list + n, list + 2 * n, list + 3 * n};
    for (size_t p = 0; p < lanes; p += LANES) {
        gather(a + p, lanes, n * n, h);
        mask left = roots_of_any(h, n, r, space);
        scatter(r.re, lanes, n, re + p);
        scatter(r.im, lanes, n, im + p);
        scatter(r.rcond, lanes, n, rcond + p);
        scatter(r.bound, lanes, n, bound + p);
        store_flags(handed + p, left);
    }
}
