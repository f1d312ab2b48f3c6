/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample.h"

#include <stdint.h>
#include <string.h>

#include "alloc.h"

double sample_number(unsigned long long *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1;
}

static bool allocate(samples *x, size_t n)
{
    *x = (samples){.n = n};
    x->q = noslip_calloc((SAMPLES + 1) * n, sizeof *x->q);
    x->w = noslip_calloc(SAMPLES * n, sizeof *x->w);
    x->wdot = noslip_calloc(SAMPLES * n, sizeof *x->wdot);
    return x->q && x->w && x->wdot;
}

void samples_free(samples *x)
{
    noslip_free(x->q);
    noslip_free(x->w);
    noslip_free(x->wdot);
    *x = (samples){0};
}

/* A state can be used if forms, equations and slopes are finite there. */
static bool is_defined(equations_work *e, const double *q, const double *v)
{
    size_t n = e->e->n;
    memcpy(e->q, q, n * sizeof *q);
    if (equations_forms(e) != NOSLIP_OK) return false;
    memcpy(e->v, v, n * sizeof *v);
    memcpy(e->a, v, n * sizeof *v);
    return equations_motion(e) == NOSLIP_OK && equations_slopes(e) == NOSLIP_OK;
}

noslip_status samples_take(samples *x, equations_work *e, const double *reference)
{
    enum { TRIES = 40 };
    size_t n = e->e->n, found = 0;
    unsigned long long state = 20260118;
    if (!allocate(x, n)) return NOSLIP_ERR_MEMORY;
    double spread = 0.8;
    for (int t = 0; t < TRIES && found < SAMPLES; t++, spread *= found * 3 < (size_t)t ? 0.7 : 1) {
        double *q = x->q + found * n, *w = x->w + found * n, *wdot = x->wdot + found * n;
        for (size_t i = 0; i < n; i++) {
            q[i] = (reference ? reference[i] : 0) + spread * sample_number(&state);
            w[i] = 1.3 * sample_number(&state);
            wdot[i] = 1.7 * sample_number(&state);
        }
        found += is_defined(e, q, w);
    }
    if (reference) memcpy(x->q + SAMPLES * n, reference, n * sizeof *reference);
    memcpy(e->q, x->q + SAMPLES * n, n * sizeof *e->q);
    x->at_reference = equations_forms(e) == NOSLIP_OK;
    return found == SAMPLES ? NOSLIP_OK : NOSLIP_NOT_FINITE;
}

void samples_put(const samples *x, size_t k, reduced *r)
{
    memcpy(r->e->q, x->q + k * x->n, x->n * sizeof(double));
    memcpy(r->w, x->w + k * x->n, r->f * sizeof(double));
    memcpy(r->wdot, x->wdot + k * x->n, r->f * sizeof(double));
}
