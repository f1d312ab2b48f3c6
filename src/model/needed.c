/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "needed.h"

#include <math.h>
#include <string.h>

#include "alloc.h"

/* A derivative is zero if it is so to rounding at every sample. How large rounding is follows from the terms it is a sum of,
 * taken without their signs, and from the largest of all derivatives, for a term may be nothing but rounding itself. Kept is the
 * largest ratio met so far. */
typedef struct {
    size_t n, f;
    double *equations; /* n: how much M w' + c depends on coordinate j */
    double *rates;     /* n x n: how much the rate of i depends on j */
    double *terms;     /* n x n, scratch */
} dependence;

static const double rounding = 1e-10; /* relative to the sum of the terms */
static const double share = 1e-3; /* of the largest derivative that counts as a term everywhere */

static double absolute_product(const double *a, size_t stride, const double *b, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += fabs(a[k * stride]) * fabs(b[k]);
    return sum;
}

/* |Lq| + |S| + |Lv| |vq| + |A| |aq|, the terms of dc before W1' is applied. */
static void sum_terms(const reduced *r, double *terms)
{
    size_t n = r->n;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            terms[i + j * n] = fabs(r->e->Lq[i + j * n]) + fabs(r->e->S[i + j * n]) +
                               absolute_product(r->e->Lv + i, n, r->vq + j * n, n) +
                               absolute_product(r->e->A + i, n, r->aq + j * n, n);
}

static double larger_ratio(double before, double part, double whole)
{
    double ratio = whole > 0 ? fabs(part) / whole : 0;
    return ratio > before ? ratio : before;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
    return most;
}

static void note_equations(const reduced *r, dependence *x)
{
    size_t n = r->n, f = r->f;
    sum_terms(r, x->terms);
    double common =
        share * fmax(largest(r->cq, f * n), fmax(largest(r->cw, f * f), largest(r->c, f)));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < f; i++) {
            double whole = absolute_product(r->W1 + i * n, 1, x->terms + j * n, n) + common;
            x->equations[j] = larger_ratio(x->equations[j], r->cq[i + j * f], whole);
        }
}

static void note_rates(const reduced *r, dependence *x)
{
    size_t n = r->n;
    double common = share * fmax(largest(r->vq, n * n), largest(r->e->v, n));
    for (size_t k = 0; k < n * n; k++) x->rates[k] = larger_ratio(x->rates[k], r->vq[k], common);
}

static noslip_status look_at(reduced *r, dependence *x, double *rcond)
{
    noslip_status status = reduced_values(r);
    if (status == NOSLIP_OK) status = reduced_slopes(r);
    if (status != NOSLIP_OK) return status;
    if (r->rcond < *rcond) *rcond = r->rcond;
    if (r->rcond < 1e-12) return NOSLIP_SINGULAR;
    note_equations(r, x);
    note_rates(r, x);
    return NOSLIP_OK;
}

/* Needed is what the equations depend on, and what the rate of a needed one depends on. */
static void close_set(const dependence *x, const bool *level, needed_why *why, size_t *because)
{
    size_t n = x->n;
    for (size_t j = 0; j < n; j++) {
        why[j] = x->equations[j] > rounding ? NEEDED_EQUATIONS
                 : level && level[j]        ? NEEDED_LEVEL
                                            : NEEDED_NOT;
        because[j] = j;
    }
    for (bool grew = true; grew;) {
        grew = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                if (why[i] == NEEDED_NOT || why[j] != NEEDED_NOT || x->rates[i + j * n] <= rounding)
                    continue;
                why[j] = NEEDED_RATE;
                because[j] = i;
                grew = true;
            }
    }
}

noslip_status needed_find(reduced *r, const samples *s, const bool *level, needed_why *why,
                          size_t *because, double *rcond)
{
    size_t n = r->n;
    dependence x = {.n = n, .f = r->f};
    x.equations = noslip_calloc(n, sizeof(double));
    x.rates = noslip_calloc(n * n, sizeof(double));
    x.terms = noslip_calloc(n * n, sizeof(double));
    noslip_status status = x.equations && x.rates && x.terms ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    *rcond = 1;
    for (size_t k = 0; k < SAMPLES && status == NOSLIP_OK; k++) {
        samples_put(s, k, r);
        status = look_at(r, &x, rcond);
    }
    if (status == NOSLIP_OK) close_set(&x, level, why, because);
    noslip_free(x.equations);
    noslip_free(x.rates);
    noslip_free(x.terms);
    return status;
}
