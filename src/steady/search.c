/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search.h"

#include <gsl/gsl_qrng.h>
#include <math.h>
#include <string.h>

#include "alloc.h"

typedef struct {
    const model *m;
    size_t p, N;
    double *unit, *x, *q,
        *w; /* a point of the unit cube, of the box, and as steady_solve takes it */
} walker;

static bool open_walker(walker *k, const model *m)
{
    *k = (walker){.m = m, .p = m->n_positional, .N = m->n_positional + m->f};
    k->unit = noslip_calloc(k->N, sizeof(double));
    k->x = noslip_calloc(k->N, sizeof(double));
    k->q = noslip_calloc(m->n, sizeof(double));
    k->w = noslip_calloc(m->f, sizeof(double));
    return k->unit && k->x && k->q && k->w;
}

static void close_walker(walker *k)
{
    noslip_free(k->unit);
    noslip_free(k->x);
    noslip_free(k->q);
    noslip_free(k->w);
}

static void spread(walker *k, const search_box *b)
{
    memcpy(k->q, b->q, k->m->n * sizeof(double));
    for (size_t i = 0; i < k->N; i++) {
        double x = b->from[i] + k->unit[i] * (b->to[i] - b->from[i]);
        *(i < k->p ? &k->q[k->m->positional[i]] : &k->w[i - k->p]) = x;
    }
}

static void gather(walker *k)
{
    for (size_t i = 0; i < k->N; i++)
        k->x[i] = i < k->p ? k->q[k->m->positional[i]] : k->w[i - k->p];
}

static bool is_inside(const walker *k, const search_box *b)
{
    for (size_t i = 0; i < k->N; i++) {
        double slack = 1e-9 * (b->to[i] - b->from[i]);
        if (!(k->x[i] >= b->from[i] - slack && k->x[i] <= b->to[i] + slack)) return false;
    }
    return true;
}

/* Where a solution is a regular one, two runs meet to rounding; the square root of that is far from either mistake. */
static bool is_known(const walker *k, const search_result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        double off = 0, size = 1;
        for (size_t j = 0; j < k->N; j++) {
            off = fmax(off, fabs(r->x.at[i * k->N + j] - k->x[j]));
            size = fmax(size, fabs(k->x[j]));
        }
        if (off < 1e-7 * size) return true;
    }
    return false;
}

/* Where point x belongs among those found: they stay in ascending order. */
static size_t place_of(const walker *k, const search_result *r)
{
    size_t i = 0, j = 0;
    for (; i < r->n; i++) {
        for (j = 0; j < k->N - 1 && r->x.at[i * k->N + j] == k->x[j];) j++;
        if (r->x.at[i * k->N + j] > k->x[j]) break;
    }
    return i;
}

static noslip_status keep(const walker *k, search_result *r)
{
    size_t N = k->N, at = place_of(k, r);
    for (size_t j = 0; j < N; j++)
        if (!array_push(&r->x, 0.0)) return NOSLIP_ERR_MEMORY;
    double *here = r->x.at + at * N;
    memmove(here + N, here, (r->n - at) * N * sizeof *here);
    memcpy(here, k->x, N * sizeof *here);
    r->n++;
    return NOSLIP_OK;
}

/* GSL's sequences, through their own doors: the usual one ends the program when memory is short. */
typedef struct {
    const gsl_qrng_type *type;
    void *state;
    unsigned n;
} sequence;

static noslip_status open_sequence(sequence *g, size_t n)
{
    *g = (sequence){.type = n <= 40 ? gsl_qrng_sobol : gsl_qrng_reversehalton, .n = (unsigned)n};
    g->state = noslip_calloc(1, g->type->state_size(g->n));
    if (!g->state) return NOSLIP_ERR_MEMORY;
    return g->type->init_state(g->state, g->n) == 0 ? NOSLIP_OK : NOSLIP_ERR_LIMIT;
}

noslip_status search_all(steady *s, const search_box *box, search_result *out)
{
    walker k;
    *out = (search_result){.n = 0};
    noslip_status status = open_walker(&k, steady_model(s)) ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    sequence g = {0};
    if (status == NOSLIP_OK) status = open_sequence(&g, k.N);
    for (int i = 0; i < box->starts && status == NOSLIP_OK; i++) {
        steady_info info;
        g.type->get(g.state, g.n, k.unit);
        spread(&k, box);
        if (steady_solve(s, box->parameters, k.q, k.w, &info) != NOSLIP_OK) continue;
        gather(&k);
        out->open = out->open || info.free_directions;
        if (is_inside(&k, box) && !is_known(&k, out)) status = keep(&k, out);
    }
    noslip_free(g.state);
    close_walker(&k);
    return status;
}

void search_result_free(search_result *r)
{
    array_free(&r->x);
}
