/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reduced.h"

#include <string.h>

#include "alloc.h"

reduced *reduced_new(const equations *e, size_t f)
{
    size_t n = e->n, s = n - f;
    reduced *r = noslip_calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (reduced){.n = n, .f = f, .s = s};
    size_t total = 3 * f + s + 2 * f * f + 4 * n * f + 5 * n * n;
    r->e = equations_work_new(e);
    r->d = dense_new(n, n);
    r->block = noslip_calloc(total, sizeof *r->block);
    r->pivot = noslip_calloc(n, sizeof *r->pivot);
    r->row = noslip_calloc(n, sizeof *r->row);
    if (!r->e || !r->d || !r->block || !r->pivot || !r->row) {
        reduced_free(r);
        return NULL;
    }
    double **array[] = {&r->w,  &r->wdot, &r->c,  &r->lambda, &r->M,  &r->vq, &r->vw, &r->cq,
                        &r->cw, &r->lu,   &r->W1, &r->aq,     &r->aw, &r->t,  &r->Kv};
    const size_t size[] = {f,     f,     f,     s,     f * f, n * n, n * f, f * n,
                           f * f, n * n, n * f, n * n, n * f, n * n, n * n};
    double *at = r->block;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        *array[k] = at;
        at += size[k];
    }
    for (size_t k = 0; k < n; k++) r->row[k] = k;
    return r;
}

void reduced_free(reduced *r)
{
    if (!r) return;
    equations_work_free(r->e);
    dense_free(r->d);
    noslip_free(r->block);
    noslip_free(r->pivot);
    noslip_free(r->row);
    noslip_free(r);
}

/* W x, in place. */
static void apply_inverse(const reduced *r, size_t columns, double *x)
{
    dense_solve(false, r->n, r->lu, r->pivot, columns, x);
}

/* The columns of W that belong to quasi-velocities. */
static void find_W1(reduced *r)
{
    memset(r->W1, 0, r->n * r->f * sizeof *r->W1);
    for (size_t k = 0; k < r->f; k++) r->W1[k + k * r->n] = 1;
    apply_inverse(r, r->f, r->W1);
}

/* The chosen rows of an m x n matrix of the equations. */
static void gather(const reduced *r, const double *from, double sign, double *to)
{
    size_t m = r->e->e->m;
    for (size_t j = 0; j < r->n; j++)
        for (size_t k = 0; k < r->n; k++) to[k + j * r->n] = sign * from[r->row[k] + j * m];
}

noslip_status reduced_values(reduced *r)
{
    equations_work *e = r->e;
    size_t n = r->n;
    noslip_status status = equations_forms(e);
    if (status != NOSLIP_OK) return status;
    gather(r, e->U, 1, r->lu);
    status = dense_factor(r->d, n, r->lu, r->pivot, &r->rcond);
    if (status != NOSLIP_OK) return status;
    find_W1(r);

    for (size_t k = 0; k < n; k++) e->v[k] = (k < r->f ? r->w[k] : 0) - e->u0[r->row[k]];
    apply_inverse(r, 1, e->v);

    memset(e->a, 0, n * sizeof *e->a);
    status = equations_turning(e); /* K at a = 0: what the forms change by themselves */
    if (status != NOSLIP_OK) return status;
    for (size_t k = 0; k < n; k++) e->a[k] = (k < r->f ? r->wdot[k] : 0) - e->K[r->row[k]];
    apply_inverse(r, 1, e->a);

    status = equations_motion(e);
    memcpy(r->t, e->L, n * sizeof *r->t);
    dense_solve(true, n, r->lu, r->pivot, 1, r->t); /* (c, lambda) = W' L */
    memcpy(r->c, r->t, r->f * sizeof *r->c);
    memcpy(r->lambda, r->t + r->f, r->s * sizeof *r->lambda);
    memset(e->mu, 0, e->e->m * sizeof *e->mu);
    for (size_t k = 0; k < n; k++) e->mu[r->row[k]] = r->t[k];
    return status;
}

/* [T-8], with (c, lambda) instead of (0, lambda) so that it holds off the motion as well:
 *
 *     dv = W ((dw,0) - uq dq),  da = -W (Kq dq + Kv dv),  dc = W1' (Lq dq + Lv dv + A da - S dq)      */
noslip_status reduced_slopes(reduced *r)
{
    equations_work *e = r->e;
    size_t n = r->n, f = r->f;
    noslip_status status = equations_slopes(e);
    if (status != NOSLIP_OK) return status;

    gather(r, e->uq, -1, r->vq);
    apply_inverse(r, n, r->vq);
    memcpy(r->vw, r->W1, n * f * sizeof *r->vw);

    gather(r, e->Kq, 1, r->aq);
    gather(r, e->Kv, 1, r->Kv);
    dense_multiply(false, false, n, n, n, -1, r->Kv, r->vq, -1, r->aq);
    apply_inverse(r, n, r->aq);
    dense_multiply(false, false, n, f, n, -1, r->Kv, r->vw, 0, r->aw);
    apply_inverse(r, f, r->aw);

    for (size_t k = 0; k < n * n; k++) r->t[k] = e->Lq[k] - e->S[k];
    dense_multiply(false, false, n, n, n, 1, e->Lv, r->vq, 1, r->t);
    dense_multiply(false, false, n, n, n, 1, e->A, r->aq, 1, r->t);
    dense_multiply(true, false, f, n, n, 1, r->W1, r->t, 0, r->cq);

    dense_multiply(false, false, n, f, n, 1, e->Lv, r->vw, 0, r->t);
    dense_multiply(false, false, n, f, n, 1, e->A, r->aw, 1, r->t);
    dense_multiply(true, false, f, f, n, 1, r->W1, r->t, 0, r->cw);

    dense_multiply(false, false, n, f, n, 1, e->A, r->W1, 0, r->t);
    dense_multiply(true, false, f, f, n, 1, r->W1, r->t, 0, r->M);
    return NOSLIP_OK;
}

static double norm(const reduced *r, size_t columns, const double *a)
{
    return dense_norm(r->n, columns, a);
}

double reduced_value_terms(const reduced *r)
{
    const equations_work *e = r->e;
    size_t n = r->n;
    return norm(r, r->f, r->W1) * (norm(r, 1, e->L) + norm(r, n, e->Lv) * norm(r, 1, e->v) +
                                   norm(r, n, e->A) * norm(r, 1, e->a));
}

double reduced_slope_terms(const reduced *r)
{
    const equations_work *e = r->e;
    size_t n = r->n, f = r->f;
    double by_q = norm(r, n, e->Lq) + norm(r, n, e->S) + norm(r, n, e->Lv) * norm(r, n, r->vq) +
                  norm(r, n, e->A) * norm(r, n, r->aq);
    double by_w = norm(r, n, e->Lv) * norm(r, f, r->vw) + norm(r, n, e->A) * norm(r, f, r->aw);
    return norm(r, f, r->W1) * (by_q + by_w);
}
