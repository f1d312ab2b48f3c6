/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spectrum_many.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "alloc.h"

static bool allocate(spectrum_many *x, size_t f)
{
    size_t N = x->N, n = x->n;
    const size_t sizes[] = {N * N, N * N, n * N, n * n, f * f, f, n, n, n, n, 1, 1, 1, 1, 1};
    double **parts[] = {&x->G,     &x->Q,     &x->half, &x->small, &x->lu,
                        &x->pivot, &x->re,    &x->im,   &x->bound, &x->rcond,
                        &x->above, &x->below, &x->hint, &x->norm,  &x->norm_small};
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) total += sizes[i];
    x->memory = many_rows(total * x->lanes);
    x->flag = noslip_calloc(x->lanes, 1);
    x->verdict = noslip_calloc(x->lanes, 1);
    x->kind = noslip_calloc(x->lanes, 1);
    x->d = dense_new(n, n);
    x->one = noslip_calloc(3 * n * n + 3 * n, sizeof(double));
    x->roots = noslip_calloc(n, sizeof *x->roots);
    if (!x->memory || !x->flag || !x->verdict || !x->kind || !x->d || !x->one || !x->roots)
        return false;
    double *at = x->memory;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *parts[i] = at;
        at += sizes[i] * x->lanes;
    }
    return true;
}

spectrum_many *spectrum_many_new(const model *m, size_t zeros, size_t lanes)
{
    spectrum_many *x = noslip_calloc(1, sizeof *x);
    if (!x) return NULL;
    size_t N = m->n_positional + m->f;
    *x = (spectrum_many){.lanes = lanes, .N = N, .zeros = zeros, .n = N - zeros};
    x->b = batch_work_new(N);
    if (!x->b || !allocate(x, m->f)) {
        spectrum_many_free(x);
        return NULL;
    }
    return x;
}

void spectrum_many_free(spectrum_many *x)
{
    if (!x) return;
    batch_work_free(x->b);
    many_rows_free(x->memory);
    noslip_free(x->flag);
    noslip_free(x->verdict);
    noslip_free(x->kind);
    dense_free(x->d);
    noslip_free(x->one);
    noslip_free(x->roots);
    noslip_free(x);
}

static void leave(steady_many *s, const unsigned char *flag, lane_state state)
{
    for (size_t l = 0; l < s->lanes; l++)
        if (flag[l] && s->state[l] == LANE_DONE) s->state[l] = (unsigned char)state;
}

/* [T-7] */
static void assemble(spectrum_many *x, steady_many *s)
{
    const many *k = s->k;
    const model *m = s->plan->e->m;
    size_t lanes = x->lanes, row = lanes * sizeof(double), f = m->f, p = m->n_positional, n = m->n;
    memcpy(x->lu, k->M, f * f * row);
    batch_factor(x->b, lanes, f, x->lu, x->pivot, x->flag, x->hint);
    leave(s, x->flag, LANE_ALONE);
    memcpy(x->Q, k->cx, f * x->N * row); /* Q has room and is not needed yet */
    batch_solve(x->b, lanes, false, f, x->lu, x->pivot, x->N, x->Q);
    for (size_t c = 0; c < x->N; c++) {
        double *column = x->G + c * x->N * lanes;
        for (size_t i = 0; i < p; i++)
            memcpy(column + i * lanes, k->vx + (m->positional[i] + c * n) * lanes, row);
        for (size_t i = 0; i < f * lanes; i++) column[p * lanes + i] = -x->Q[c * f * lanes + i];
    }
}

/* Frobenius norm of each lane. */
static void find_norm(const double *a, size_t numbers, size_t lanes, double *norm)
{
    memset(norm, 0, lanes * sizeof *norm);
    for (size_t i = 0; i < numbers; i++)
        for (size_t l = 0; l < lanes; l++) norm[l] += a[i * lanes + l] * a[i * lanes + l];
    for (size_t l = 0; l < lanes; l++) norm[l] = sqrt(norm[l]);
}

/* [T-9]: Q' G Q with the columns of Q that G does not send to zero. */
static void deflate(spectrum_many *x, steady_many *s)
{
    static const double least = 1e-12, clear_below = 1e-10, gap = 1e3;
    size_t lanes = x->lanes, N = x->N, n = x->n;
    batch_range(x->b, lanes, N, n, x->G, x->Q, x->flag, x->above, x->below);
    for (size_t l = 0; l < lanes; l++)
        x->flag[l] |=
            !(x->above[l] > least && x->below[l] < clear_below && x->above[l] > gap * x->below[l]);
    leave(s, x->flag, LANE_ALONE);
    batch_multiply(x->b, lanes, true, false, n, N, N, 1, x->Q, x->G, 0, x->half);
    batch_multiply(x->b, lanes, false, false, n, n, N, 1, x->half, x->Q, 0, x->small);
}

/* As bound_of in spectrum.c; the power is seldom needed. */
static double bound_of(double own, double error, double size, double rcond, size_t n)
{
    double simple = error / rcond;
    if (!(simple < 1e-8 * size)) {
        double any = size > 0 ? 2 * size * pow(error / (2 * size), 1.0 / (double)n) : 0;
        simple = simple < any ? simple : any;
    }
    return own > simple ? own : simple;
}

/* Of the entries of G, as in spectrum.c. */
static double error_of(const spectrum_many *x, const steady_many *s, size_t l)
{
    return 4 * DBL_EPSILON * (double)x->N * x->norm[l] *
           (1 + 0.1 / x->hint[l] + 0.1 / s->k->hint[l]);
}

static void widen_bounds(spectrum_many *x, const steady_many *s)
{
    size_t lanes = x->lanes;
    find_norm(x->G, x->N * x->N, lanes, x->norm);
    find_norm(x->small, x->n * x->n, lanes, x->norm_small);
    for (size_t l = 0; l < lanes; l++) {
        if (s->state[l] != LANE_DONE) continue;
        double error = error_of(x, s, l);
        for (size_t i = 0; i < x->n; i++) {
            size_t at = i * lanes + l;
            x->bound[at] = bound_of(x->bound[at], error, x->norm_small[l], x->rcond[at], x->n);
        }
    }
}

/* The roots of one lane, judged; unsure if a sign is neither clear nor clearly lost. */
static void judge(spectrum_many *x, steady_many *s, size_t l)
{
    static const double clear = 30; /* times the bound */
    size_t lanes = x->lanes;
    bool neutral = false, zero = false;
    instability kind = INSTABILITY_NONE;
    stability verdict = STABLE_ASYMPTOTICALLY;
    for (size_t i = 0; i < x->n && verdict != UNSTABLE; i++) {
        double re = x->re[i * lanes + l], im = x->im[i * lanes + l], b = x->bound[i * lanes + l];
        if (fabs(re) > b && fabs(re) < clear * b) s->state[l] = LANE_UNSURE;
        if (re > b) {
            if (im != 0 && fabs(im) < clear * b) s->state[l] = LANE_UNSURE;
            verdict = UNSTABLE;
            kind = im != 0 ? INSTABILITY_FLUTTER : INSTABILITY_DIVERGENCE;
        }
        zero = zero || hypot(re, im) <= clear * b;
        neutral = neutral || re >= -b;
    }
    if (zero && verdict != UNSTABLE) s->state[l] = LANE_UNSURE;
    if (verdict != UNSTABLE && neutral) verdict = NEUTRAL;
    x->verdict[l] = (unsigned char)verdict;
    x->kind[l] = (unsigned char)kind;
}

void spectrum_many_find(spectrum_many *x, steady_many *s)
{
    assemble(x, s);
    if (!x->n) return; /* every root is the manifold's: stable as it was set */
    deflate(x, s);
    batch_eigenvalues(x->b, x->lanes, x->n, x->small, x->re, x->im, x->bound, x->rcond, x->flag);
    leave(s, x->flag, LANE_UNSURE);
    widen_bounds(x, s);
    for (size_t l = 0; l < x->lanes; l++)
        if (s->state[l] == LANE_DONE) judge(x, s, l);
}

void spectrum_many_look(spectrum_many *x, steady_many *s, size_t lane)
{
    size_t n = x->n, lanes = x->lanes;
    double *a = x->one, *left = a + n * n, *right = left + n * n;
    double *re = right + n * n, *im = re + n, *rcond = im + n;
    instability kind;
    for (size_t i = 0; i < n * n; i++) a[i] = x->small[i * lanes + lane];
    s->state[lane] = LANE_ALONE;
    if (dense_eigen(x->d, n, a, re, im, left, right, rcond) != NOSLIP_OK) return;
    double error = error_of(x, s, lane);
    for (size_t i = 0; i < n; i++)
        x->roots[i] = (root){re[i], im[i], bound_of(0, error, x->norm_small[lane], rcond[i], n)};
    spectrum_sort(x->roots, n);
    for (size_t i = 0; i < n; i++) {
        x->re[i * lanes + lane] = x->roots[i].re;
        x->im[i * lanes + lane] = x->roots[i].im;
        x->bound[i * lanes + lane] = x->roots[i].bound;
    }
    x->verdict[lane] = (unsigned char)spectrum_judge(x->roots, n, &kind);
    x->kind[lane] = (unsigned char)kind;
    s->state[lane] = LANE_DONE;
}
