/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "depend.h"

#include <math.h>
#include <string.h>

#include "alloc.h"

static const double least = 1e-9; /* of a row: what is less has nothing of its own */

bool row_basis_open(row_basis *b, size_t n)
{
    *b = (row_basis){.n = n};
    b->basis = noslip_calloc(n * (n + 1), sizeof(double));
    b->scratch = noslip_calloc(n + 1, sizeof(double));
    return b->basis && b->scratch;
}

void row_basis_close(row_basis *b)
{
    noslip_free(b->basis);
    noslip_free(b->scratch);
}

static double length(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

double row_basis_rest(row_basis *b, const double *row, size_t stride, double number,
                      double *carried)
{
    size_t n = b->n;
    for (size_t i = 0; i < n; i++) b->scratch[i] = row[i * stride];
    b->scratch[n] = number;
    double whole = length(b->scratch, n), largest = fabs(number);
    for (int pass = 0; pass < 2; pass++) /* twice is enough */
        for (size_t k = 0; k < b->rank; k++) {
            const double *at = b->basis + k * (n + 1);
            double dot = 0;
            for (size_t i = 0; i < n; i++) dot += at[i] * b->scratch[i];
            for (size_t i = 0; i <= n; i++) b->scratch[i] -= dot * at[i];
            largest = fmax(largest, fabs(dot * at[n]));
        }
    if (carried) *carried = largest > 0 ? fabs(b->scratch[n]) / largest : 0;
    return whole > 0 ? length(b->scratch, n) / whole : 0;
}

void row_basis_add(row_basis *b)
{
    size_t n = b->n;
    double size = length(b->scratch, n);
    if (size == 0 || b->rank == n) return;
    for (size_t i = 0; i <= n; i++) b->basis[b->rank * (n + 1) + i] = b->scratch[i] / size;
    b->rank++;
}

typedef struct {
    equations_work *e;
    size_t first, n;
    const bool *is_level;
    constraint_fate *fate;
    row_basis rows;
    tape_work *levels;
    double *in, *g; /* parameters and q; values of the levels, then their slopes */
    double *gram, *step;
    int *pivot;
    dense *d;
    bool *met; /* by sample: it stands on the levels kept */
} search;

static noslip_status forms_at(search *x, const double *q)
{
    memcpy(x->e->q, q, x->e->e->n * sizeof *q);
    return equations_forms(x->e);
}

static double row_length(const equations_work *e, size_t row)
{
    double sum = 0;
    for (size_t i = 0; i < e->e->n; i++) sum += e->U[row + i * e->e->m] * e->U[row + i * e->e->m];
    return sqrt(sum);
}

/* Look at row k after those in the basis. Kept if it has something of its own; otherwise what it adds must be nothing: `off` is how
 * far its other terms are from following. */
static void look_at(search *x, size_t k, double off_level, bool first_sample)
{
    const equations_work *e = x->e;
    size_t m = e->e->m, row = x->first + k;
    double off;
    bool own = row_basis_rest(&x->rows, e->U + row, m, e->u0[row], &off) > least;
    if (own) row_basis_add(&x->rows);
    if (x->is_level[k]) off = off_level / row_length(e, row);
    constraint_fate fate = own             ? CONSTRAINT_KEPT
                           : !(off < 1e-8) ? CONSTRAINT_CONTRADICTS
                                           : CONSTRAINT_FOLLOWS;
    if (first_sample || fate == CONSTRAINT_KEPT ||
        (fate == CONSTRAINT_CONTRADICTS && x->fate[k] == CONSTRAINT_FOLLOWS))
        x->fate[k] = fate;
}

static noslip_status values_at(search *x, const double *q)
{
    size_t p = x->e->e->n_parameters;
    memcpy(x->in, x->e->parameters, p * sizeof *q);
    memcpy(x->in + p, q, x->e->e->n * sizeof *q);
    return tape_point(x->levels, x->in, x->g);
}

/* All constraints at one sample, the holonomic ones first. */
static noslip_status look_around(search *x, const double *q, bool met, bool first_sample)
{
    noslip_status status = forms_at(x, q);
    if (status == NOSLIP_OK) status = values_at(x, q);
    x->rows.rank = 0;
    for (int pass = 0; pass < 2 && status == NOSLIP_OK; pass++)
        for (size_t k = 0, level = 0; k < x->n; k++) {
            double off = x->is_level[k] && met ? fabs(x->g[level]) : HUGE_VAL;
            level += x->is_level[k];
            if (x->is_level[k] == (pass == 0)) look_at(x, k, off, first_sample);
        }
    return status;
}

/* G G' of the levels kept, and their values; how many there are. */
static size_t gather(search *x)
{
    size_t n = x->e->e->n, m = x->e->e->m, count = 0;
    for (size_t k = 0, level = 0; k < x->n; k++) {
        if (!x->is_level[k]) continue;
        if (x->fate[k] == CONSTRAINT_KEPT) {
            for (size_t i = 0; i < n; i++)
                x->rows.basis[count * (n + 1) + i] = x->e->U[x->first + k + i * m];
            x->g[count++] = x->g[level];
        }
        level++;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double dot = 0;
            for (size_t l = 0; l < n; l++)
                dot += x->rows.basis[i * (n + 1) + l] * x->rows.basis[j * (n + 1) + l];
            x->gram[i + j * count] = dot;
        }
    return count;
}

/* Newton with shortest steps, onto g = 0. */
static bool project(search *x, double *q)
{
    size_t n = x->e->e->n;
    for (int step = 0; step < 30; step++) {
        if (forms_at(x, q) != NOSLIP_OK || values_at(x, q) != NOSLIP_OK) return false;
        size_t count = gather(x);
        double moved = 0;
        if (dense_factor(x->d, count, x->gram, x->pivot, NULL) != NOSLIP_OK) return false;
        dense_solve(false, count, x->gram, x->pivot, 1, x->g);
        for (size_t i = 0; i < n; i++) {
            double part = 0;
            for (size_t k = 0; k < count; k++) part += x->g[k] * x->rows.basis[k * (n + 1) + i];
            q[i] -= part;
            moved = fmax(moved, fabs(part) / (1 + fabs(q[i])));
        }
        if (moved < 1e-13) return true;
    }
    return false;
}

static void project_samples(search *x, samples *s)
{
    size_t n = s->n;
    for (size_t p = 0; p <= SAMPLES; p++) { /* and the reference */
        memcpy(x->step, s->q + p * n, n * sizeof(double));
        x->met[p] = project(x, x->step);
        if (x->met[p]) memcpy(s->q + p * n, x->step, n * sizeof(double));
    }
}

static bool open_search(search *x, const tape *levels)
{
    size_t n = x->e->e->n;
    bool fine = row_basis_open(&x->rows, n);
    x->levels = tape_work_new(levels);
    x->in = noslip_calloc(x->e->e->n_parameters + n, sizeof(double));
    x->g = noslip_calloc(x->n * (1 + n), sizeof(double));
    x->gram = noslip_calloc(n * n, sizeof(double));
    x->step = noslip_calloc(n, sizeof(double));
    x->pivot = noslip_calloc(n, sizeof(int));
    x->met = noslip_calloc(SAMPLES + 1, sizeof(bool));
    x->d = dense_new(n, n);
    return fine && x->levels && x->in && x->g && x->gram && x->step && x->pivot && x->met && x->d;
}

static void close_search(search *x)
{
    row_basis_close(&x->rows);
    tape_work_free(x->levels);
    noslip_free(x->in);
    noslip_free(x->g);
    noslip_free(x->gram);
    noslip_free(x->step);
    noslip_free(x->pivot);
    noslip_free(x->met);
    dense_free(x->d);
}

noslip_status depend_find(equations_work *e, size_t first, size_t n, const bool *is_level,
                          const tape *levels, samples *s, constraint_fate *fate)
{
    search x = {.e = e, .first = first, .n = n, .is_level = is_level, .fate = fate};
    noslip_status status = open_search(&x, levels) ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    for (int pass = 0; pass < 2 && status == NOSLIP_OK; pass++) {
        if (pass) project_samples(&x, s);
        for (size_t p = 0; p < SAMPLES && status == NOSLIP_OK; p++)
            status = look_around(&x, s->q + p * s->n, x.met[p], p == 0);
    }
    close_search(&x);
    return status;
}
