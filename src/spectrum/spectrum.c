/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

struct numbered {
    root at;
    size_t column; /* in LAPACK's order */
};

spectrum *spectrum_new(const model *m)
{
    size_t N = m->n_positional + m->f;
    spectrum *x = noslip_calloc(1, sizeof *x);
    if (!x) return NULL;
    x->N = N;
    x->G = noslip_calloc(N * N, sizeof(double));
    x->roots = noslip_calloc(N, sizeof *x->roots);
    x->modes = noslip_calloc(N * N, sizeof(double));
    x->left = noslip_calloc(N * N, sizeof(double));
    x->list = noslip_calloc(N, sizeof *x->list);
    x->block = noslip_calloc(6 * N * N + 4 * N, sizeof(double));
    x->pivot = noslip_calloc(N, sizeof *x->pivot);
    x->d = dense_new(N, N);
    if (!x->G || !x->roots || !x->modes || !x->left || !x->list || !x->block || !x->pivot ||
        !x->d) {
        spectrum_free(x);
        return NULL;
    }
    return x;
}

void spectrum_free(spectrum *x)
{
    if (!x) return;
    noslip_free(x->G);
    noslip_free(x->roots);
    noslip_free(x->modes);
    noslip_free(x->left);
    noslip_free(x->list);
    noslip_free(x->block);
    noslip_free(x->pivot);
    dense_free(x->d);
    noslip_free(x);
}

/* [T-7]; `rcond` of M. */
static noslip_status assemble(spectrum *x, const steady *s, double *rcond)
{
    const model *m = steady_model(s);
    const reduced *r = steady_point(s);
    size_t n = m->n, f = m->f, p = m->n_positional, N = x->N;
    double *lu = x->block, *right = lu + f * f;
    memcpy(lu, r->M, f * f * sizeof(double));
    noslip_status status = dense_factor(x->d, f, lu, x->pivot, rcond);
    if (status != NOSLIP_OK) return status;
    for (size_t j = 0; j < N; j++) {
        bool positional = j < p;
        size_t k = positional ? m->positional[j] : j - p;
        const double *rates = positional ? r->vq + k * n : r->vw + k * n;
        const double *slopes = positional ? r->cq + k * f : r->cw + k * f;
        memcpy(right, slopes, f * sizeof(double));
        dense_solve(false, f, lu, x->pivot, 1, right);
        for (size_t i = 0; i < p; i++) x->G[i + j * N] = rates[m->positional[i]];
        for (size_t i = 0; i < f; i++) x->G[p + i + j * N] = -right[i];
    }
    return NOSLIP_OK;
}

/* How far a root may be off: the error of the matrix over the condition of the root, but no more than Elsner's bound, which
 * holds for multiple roots as well. */
static double bound_of(double error, double size, double rcond, size_t n)
{
    double simple = rcond > 0 ? error / rcond : HUGE_VAL;
    double any = size > 0 ? 2 * size * pow(error / (2 * size), 1.0 / (double)n) : 0;
    return simple < any ? simple : any;
}

/* A pair stays together, the one above first as LAPACK has it, also where two pairs are equal. */
static int by_real_part(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->at.re != y->at.re) return x->at.re < y->at.re ? 1 : -1;
    if (fabs(x->at.im) != fabs(y->at.im)) return fabs(x->at.im) < fabs(y->at.im) ? 1 : -1;
    return (x->column > y->column) - (x->column < y->column);
}

/* A column of the small space, back in the space of x. */
static void lift(const spectrum *x, const double *basis, const double *small, double *out)
{
    for (size_t i = 0; i < x->N; i++) {
        out[i] = 0;
        for (size_t l = 0; l < x->n; l++) out[i] += basis[l + i * x->N] * small[l];
    }
}

static void order(spectrum *x, const double *left, const double *right, const double *basis)
{
    size_t n = x->n, N = x->N;
    qsort(x->list, n, sizeof *x->list, by_real_part);
    for (size_t k = 0; k < n; k++) {
        x->roots[k] = x->list[k].at;
        lift(x, basis, right + x->list[k].column * n, x->modes + k * N);
        lift(x, basis, left + x->list[k].column * n, x->left + k * N);
    }
}

stability spectrum_judge(const root *roots, size_t n, instability *kind)
{
    bool neutral = false, zero = false;
    *kind = INSTABILITY_NONE;
    for (size_t k = 0; k < n; k++) {
        const root *e = &roots[k];
        if (e->re > e->bound) {
            *kind = fabs(e->im) > e->bound ? INSTABILITY_FLUTTER : INSTABILITY_DIVERGENCE;
            return UNSTABLE; /* the rightmost comes first */
        }
        zero = zero || hypot(e->re, e->im) <= e->bound;
        neutral = neutral || e->re >= -e->bound;
    }
    return zero ? DEGENERATE : neutral ? NEUTRAL : STABLE_ASYMPTOTICALLY;
}

/* [T-9]: with Q the rows of the basis that dE does not send to zero, the other roots are the eigenvalues of Q G Q'. */
noslip_status spectrum_find(spectrum *x, const steady *s)
{
    size_t zeros, N = x->N;
    double rcond_M = 1;
    const double *basis = steady_basis(s, &zeros);
    noslip_status status = assemble(x, s, &rcond_M);
    if (status != NOSLIP_OK) return status;
    size_t n = x->n = N - zeros;
    x->zeros = zeros;
    double *half = x->block, *small = half + N * N, *left = small + N * N, *right = left + N * N;
    double *re = right + N * N, *im = re + N, *rcond = im + N, *Q = rcond + N;
    for (size_t j = 0; j < N; j++) memcpy(Q + j * n, basis + j * N, n * sizeof(double));
    dense_multiply(false, false, n, N, N, 1, Q, x->G, 0, half);
    dense_multiply(false, true, n, n, N, 1, half, Q, 0, small);
    double size = dense_norm(n, n, small);
    double error = 4 * DBL_EPSILON * (double)N * dense_norm(N, N, x->G) *
                   (1 + 0.1 / rcond_M + 0.1 / steady_point(s)->rcond);
    status = dense_eigen(x->d, n, small, re, im, left, right, rcond);
    if (status != NOSLIP_OK) return status;
    for (size_t k = 0; k < n; k++)
        x->list[k] = (struct numbered){{re[k], im[k], bound_of(error, size, rcond[k], n)}, k};
    order(x, left, right, basis);
    x->abscissa = n ? x->roots[0].re : -HUGE_VAL;
    x->verdict = spectrum_judge(x->roots, n, &x->kind);
    return NOSLIP_OK;
}
