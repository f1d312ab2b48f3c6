/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "noslip/roots.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "diff.h"
#include "motions.h"
#include "roots.h"

/* Matrices */

/* H, the second derivatives of the Rayleigh function by the rates, at the point. */
static noslip_status find_friction(const model *m, const reduced *r, double *H, noslip_error *err)
{
    const mechanical_system *y = m->s;
    size_t n = m->n, p = y->parameters.n;
    expr *in = noslip_calloc(p + 2 * n + n * n, sizeof *in);
    tape *t = NULL;
    if (!in) return noslip_fail_memory(err);
    expr *q = in + p, *v = q + n, *out = v + n;
    for (size_t i = 0; i < p; i++) in[i] = y->parameters.at[i].symbol;
    for (size_t i = 0; i < n; i++) {
        q[i] = y->coordinates.at[i].symbol;
        v[i] = graph_rate(y->g, q[i]);
    }
    for (size_t j = 0; j < n; j++) {
        expr slope = diff_partial(y->g, y->dissipation, v[j]);
        for (size_t i = 0; i < n; i++) out[i + j * n] = diff_partial(y->g, slope, v[i]);
    }
    const tape_spec spec = {.in = in, .n_in = p + 2 * n, .out = out, .n_out = n * n};
    noslip_status status = graph_status(y->g) == NOSLIP_OK ? tape_compile(y->g, &spec, &t, err)
                                                           : noslip_fail_memory(err);
    tape_work *w = status == NOSLIP_OK ? tape_work_new(t) : NULL;
    if (status == NOSLIP_OK) status = w ? tape_point(w, r->e->in, H) : noslip_fail_memory(err);
    if (status == NOSLIP_NOT_FINITE)
        noslip_fail(err, status, "the Rayleigh function is not finite on the motion");
    tape_work_free(w);
    tape_free(t);
    noslip_free(in);
    return status;
}

void noslip_roots_matrix_size(const noslip_roots *r, noslip_matrix which, size_t *rows,
                              size_t *columns)
{
    const model *m = r->s->r->m;
    const size_t n = m->n, f = m->f, N = m->n_positional + f;
    *rows = *columns = which == NOSLIP_MATRIX_G ? N : n;
    if (which == NOSLIP_MATRIX_B11 || which == NOSLIP_MATRIX_Q11) *rows = *columns = f;
    if (which == NOSLIP_MATRIX_M) *rows = f, *columns = m->n_positional;
}

double noslip_roots_matrix(const noslip_roots *r, noslip_matrix which, size_t row, size_t column)
{
    size_t rows, columns;
    noslip_roots_matrix_size(r, which, &rows, &columns);
    return row < rows && column < columns ? r->matrix[which][row + column * rows] : 0;
}

/* b = a^-1 b, for `columns` of them. */
static noslip_status divide(size_t n, const double *a, size_t columns, double *b)
{
    double *lu = noslip_calloc(n * n, sizeof *lu);
    int *pivot = noslip_calloc(n, sizeof *pivot);
    dense *d = dense_new(n, n);
    noslip_status status = lu && pivot && d ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK) {
        memcpy(lu, a, n * n * sizeof *lu);
        status = dense_factor(d, n, lu, pivot, NULL);
    }
    if (status == NOSLIP_OK) dense_solve(false, n, lu, pivot, columns, b);
    dense_free(d);
    noslip_free(lu);
    noslip_free(pivot);
    return status;
}

static noslip_status allocate(noslip_roots *r)
{
    for (int k = 0; k < MATRICES; k++) {
        size_t rows, columns;
        noslip_roots_matrix_size(r, (noslip_matrix)k, &rows, &columns);
        r->matrix[k] = noslip_calloc(rows * columns, sizeof(double));
        if (!r->matrix[k]) return NOSLIP_ERR_MEMORY;
    }
    return NOSLIP_OK;
}

/* W = U^-1 and M = B11^-1 W11'. */
static noslip_status find_inverses(noslip_roots *r)
{
    const model *m = r->s->r->m;
    size_t n = m->n, f = m->f, p = m->n_positional;
    double *W = r->matrix[NOSLIP_MATRIX_W], *M = r->matrix[NOSLIP_MATRIX_M];
    for (size_t k = 0; k < n; k++) W[k + k * n] = 1;
    noslip_status status = divide(n, r->matrix[NOSLIP_MATRIX_U], n, W);
    for (size_t j = 0; j < p; j++)
        for (size_t i = 0; i < f; i++) M[i + j * f] = W[m->positional[j] + i * n];
    return status == NOSLIP_OK ? divide(f, r->matrix[NOSLIP_MATRIX_B11], p, M) : status;
}

static noslip_status fill_matrices(noslip_roots *r, noslip_error *err)
{
    const model *m = r->s->r->m;
    const reduced *point = steady_point(r->s->s);
    size_t n = m->n, f = m->f;
    double **a = r->matrix, *t = noslip_calloc(2 * n * n, sizeof *t), *H = t ? t + n * n : NULL;
    if (!t || allocate(r) != NOSLIP_OK) {
        noslip_free(t);
        return noslip_fail_memory(err);
    }
    memcpy(a[NOSLIP_MATRIX_G], r->x->G, r->x->N * r->x->N * sizeof *t);
    memcpy(a[NOSLIP_MATRIX_U], point->e->U, n * n * sizeof *t);
    memcpy(a[NOSLIP_MATRIX_A], point->e->A, n * n * sizeof *t);
    memcpy(a[NOSLIP_MATRIX_B11], point->M, f * f * sizeof *t);
    noslip_status status = find_friction(m, point, H, err);
    if (status == NOSLIP_OK) {
        dense_multiply(false, false, n, f, n, 1, H, point->W1, 0, t);
        dense_multiply(true, false, f, f, n, 1, point->W1, t, 0, a[NOSLIP_MATRIX_Q11]);
        status = find_inverses(r);
        if (status != NOSLIP_OK) noslip_fail(err, status, "%s", noslip_status_text(status));
    }
    noslip_free(t);
    return status;
}

/* Modes */

/* State `i` of mode k, complex: LAPACK keeps a pair as real and imaginary part, side by side. */
static double complex entry(const noslip_roots *r, size_t k, size_t i)
{
    const spectrum *x = r->x;
    const double *column = x->modes + k * x->N;
    if (x->roots[k].im == 0) return column[i];
    if (x->roots[k].im > 0) return column[i] + I * column[i + x->N];
    return column[i - x->N] - I * column[i];
}

/* Displacement of a positional coordinate; change of the rate of a cyclic one. */
static double complex coordinate_entry(const noslip_roots *r, size_t k, size_t j)
{
    const model *m = r->s->r->m;
    size_t p = m->n_positional;
    for (size_t i = 0; i < p; i++)
        if (m->positional[i] == j) return entry(r, k, i);
    double complex sum = 0;
    for (size_t i = 0; i < p; i++) sum += r->vq[j + m->positional[i] * m->n] * entry(r, k, i);
    for (size_t i = 0; i < m->f; i++) sum += r->vw[j + i * m->n] * entry(r, k, p + i);
    return sum;
}

typedef double complex entry_of(const noslip_roots *r, size_t k, size_t j);

static noslip_root scaled(const noslip_roots *r, entry_of *of, size_t n, size_t k, size_t j)
{
    double complex largest = 0;
    for (size_t i = 0; i < n; i++) {
        double complex z = of(r, k, i);
        if (cabs(z) > cabs(largest) * (1 + 1e-9)) largest = z; /* of equal ones the first */
    }
    double complex z = cabs(largest) > 0 ? of(r, k, j) / largest : 0;
    return (noslip_root){creal(z), cimag(z), r->x->roots[k].bound};
}

noslip_root noslip_roots_mode(const noslip_roots *r, size_t k, size_t coordinate)
{
    return scaled(r, coordinate_entry, r->s->r->m->n, k, coordinate);
}

noslip_root noslip_roots_state_mode(const noslip_roots *r, size_t k, size_t state)
{
    return scaled(r, entry, r->x->N, k, state);
}

/* The whole */

static noslip_status keep_rates(noslip_roots *r)
{
    const model *m = r->s->r->m;
    const reduced *point = steady_point(r->s->s);
    r->vq = noslip_calloc(m->n * m->n, sizeof(double));
    r->vw = noslip_calloc(m->n * m->f, sizeof(double));
    if (!r->vq || !r->vw) return NOSLIP_ERR_MEMORY;
    memcpy(r->vq, point->vq, m->n * m->n * sizeof(double));
    memcpy(r->vw, point->vw, m->n * m->f * sizeof(double));
    return NOSLIP_OK;
}

/* Let the solver stand at the motion once more. */
static noslip_status go_to(noslip_steady *s, size_t motion)
{
    const model *m = s->r->m;
    const steady_motion *x = &s->motions.at[motion];
    steady_info info;
    double *q = noslip_calloc(m->n + m->f, sizeof *q);
    if (!q) return NOSLIP_ERR_MEMORY;
    memcpy(q, x->q, m->n * sizeof *q);
    memcpy(q + m->n, x->w, m->f * sizeof *q);
    noslip_status status = steady_solve(s->s, s->r->c->parameters, q, q + m->n, &info);
    noslip_free(q);
    return status;
}

noslip_status noslip_roots_find(noslip_steady *s, size_t motion, noslip_roots **out,
                                noslip_error *err)
{
    if (motion >= s->motions.n) return noslip_fail(err, NOSLIP_ERR_ARG, "no such steady motion");
    noslip_roots *r = noslip_calloc(1, sizeof *r);
    if (!r) return noslip_fail_memory(err);
    *r = (noslip_roots){.s = s, .motion = motion, .x = spectrum_new(s->r->m)};
    noslip_status status = r->x ? go_to(s, motion) : NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK) status = spectrum_find(r->x, s->s);
    if (status == NOSLIP_OK) status = keep_rates(r);
    if (status != NOSLIP_OK)
        noslip_fail(err, status, "the roots cannot be computed: %s", noslip_status_text(status));
    if (status == NOSLIP_OK) status = fill_matrices(r, err);
    if (status == NOSLIP_OK)
        *out = r;
    else
        noslip_roots_free(r);
    return status;
}

void noslip_roots_free(noslip_roots *r)
{
    if (!r) return;
    for (int k = 0; k < MATRICES; k++) noslip_free(r->matrix[k]);
    noslip_free(r->vq);
    noslip_free(r->vw);
    spectrum_free(r->x);
    noslip_free(r);
}

noslip_verdict roots_verdict(const spectrum *x)
{
    switch (x->verdict) {
    case STABLE_ASYMPTOTICALLY: return NOSLIP_ASYMPTOTICALLY_STABLE;
    case UNSTABLE:
        return x->kind == INSTABILITY_FLUTTER ? NOSLIP_UNSTABLE_FLUTTER
                                              : NOSLIP_UNSTABLE_DIVERGENCE;
    case NEUTRAL: return NOSLIP_NEUTRAL;
    case DEGENERATE: break;
    }
    return NOSLIP_DEGENERATE;
}

noslip_roots_info noslip_roots_about(const noslip_roots *r)
{
    return (noslip_roots_info){.states = r->x->N,
                               .zeros = r->x->zeros,
                               .roots = r->x->n,
                               .abscissa = r->x->abscissa,
                               .verdict = roots_verdict(r->x)};
}

noslip_root noslip_roots_at(const noslip_roots *r, size_t k)
{
    const root *e = &r->x->roots[k];
    return (noslip_root){e->re, e->im, e->bound};
}
