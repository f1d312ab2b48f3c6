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

/* How wrong the numbers may be that the roots are made of.
 *
 *   error      of an entry of G: rounding of G itself and of the terms that its entries are sums of
 *   coupling   |N G Q'|: through it a root feels the error of the kernel's basis N, which is error/|root|
 *   size       of G                                                                               */
typedef struct {
    double error, coupling, size;
    size_t N;
} accuracy;

/* How far a root may be off: the error of the matrix over the condition of the root, but no more than Elsner's bound, which
 * holds for multiple roots as well. */
static double bound_of(const accuracy *a, double modulus, double rcond)
{
    double total = a->coupling > 0 ? a->error * (1 + a->coupling / modulus) : a->error;
    double simple = rcond > 0 ? total / rcond : HUGE_VAL;
    double any = a->size > 0 ? 2 * a->size * pow(a->error / (2 * a->size), 1.0 / (double)a->N) : 0;
    return simple < any ? simple : any;
}

static accuracy accuracy_of(const spectrum *x, const steady *s, double rcond_M)
{
    const reduced *r = steady_point(s);
    size_t N = x->N, n = x->n, zeros;
    const double *basis = steady_basis(s, &zeros);
    double *kernel_rows = x->block, *GQ = kernel_rows + N * N, *product = GQ + N * N,
           *Q = product + N * N;
    for (size_t j = 0; j < N; j++) {
        memcpy(Q + j * n, basis + j * N, n * sizeof(double));
        memcpy(kernel_rows + j * zeros, basis + j * N + n, zeros * sizeof(double));
    }
    dense_multiply(false, true, N, n, N, 1, x->G, Q, 0, GQ);
    dense_multiply(false, false, zeros, n, N, 1, kernel_rows, GQ, 0, product);
    double size = dense_norm(N, N, x->G), inverse_M = 1 / (rcond_M * dense_norm(r->f, r->f, r->M));
    double entries = (double)N * size * (1 + 0.1 / rcond_M + 0.1 / r->rcond);
    return (accuracy){.error = DBL_EPSILON * (4 * entries + inverse_M * reduced_slope_terms(r)),
                      .coupling = dense_norm(zeros, n, product),
                      .size = size,
                      .N = N};
}

static int compare(const root *x, const root *y)
{
    if (x->re != y->re) return x->re < y->re ? 1 : -1;
    if (fabs(x->im) != fabs(y->im)) return fabs(x->im) < fabs(y->im) ? 1 : -1;
    return 0;
}

static int by_real_part(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    int order_of = compare(&x->at, &y->at);
    return order_of ? order_of
                    : (x->column > y->column) - (x->column < y->column); /* keeps pairs together */
}

static int roots_by_real_part(const void *a, const void *b)
{
    const root *x = a, *y = b;
    int order_of = compare(x, y);
    return order_of ? order_of : (x->im < y->im) - (x->im > y->im);
}

void spectrum_sort(root *roots, size_t n)
{
    qsort(roots, n, sizeof *roots, roots_by_real_part);
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

/* A mode has a part along the manifold as well. With y the vector of Q G Q' for the root lambda, Q' y is the rest of it, and G, which knows
 * nothing of the part along the manifold, gives G Q' y = lambda (the whole mode). A root that may be zero has none. */
static void complete_modes(spectrum *x, double *scratch)
{
    size_t N = x->N;
    for (size_t k = 0; k < x->n; k++) {
        const root *e = &x->roots[k];
        size_t columns = e->im > 0 ? 2 : 1;
        double *re = x->modes + k * N, *im = re + N, square = e->re * e->re + e->im * e->im;
        if (e->im < 0 || !(sqrt(square) > e->bound)) continue;
        dense_multiply(false, false, N, columns, N, 1, x->G, re, 0, scratch);
        for (size_t i = 0; i < N; i++) {
            double a = scratch[i], b = columns == 2 ? scratch[N + i] : 0;
            re[i] = (a * e->re + b * e->im) / square;
            if (columns == 2) im[i] = (b * e->re - a * e->im) / square;
        }
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
    accuracy a = accuracy_of(x, s, rcond_M);
    double *half = x->block, *small = half + N * N, *left = small + N * N, *right = left + N * N;
    double *re = right + N * N, *im = re + N, *rcond = im + N, *Q = rcond + N;
    for (size_t j = 0; j < N; j++) memcpy(Q + j * n, basis + j * N, n * sizeof(double));
    dense_multiply(false, false, n, N, N, 1, Q, x->G, 0, half);
    dense_multiply(false, true, n, n, N, 1, half, Q, 0, small);
    status = dense_eigen(x->d, n, small, re, im, left, right, rcond);
    if (status != NOSLIP_OK) return status;
    for (size_t k = 0; k < n; k++) {
        double bound = bound_of(&a, hypot(re[k], im[k]), rcond[k]);
        x->list[k] = (struct numbered){{re[k], im[k], bound}, k};
    }
    order(x, left, right, basis);
    complete_modes(x, half);
    x->abscissa = n ? x->roots[0].re : -HUGE_VAL;
    x->verdict = spectrum_judge(x->roots, n, &x->kind);
    if (x->verdict != UNSTABLE && steady_branches(s)) x->verdict = DEGENERATE;
    return NOSLIP_OK;
}
