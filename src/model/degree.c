/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "degree.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "sample.h"

/* The entries of a Jacobian by v at two states with the same position and different rates. */
typedef struct {
    expr *in, *out;        /* parameters, coordinates, rates; the entries */
    double *point, *value; /* value: of both states, one after the other */
    tape *t;
    tape_work *w;
} comparison;

static void comparison_end(comparison *x)
{
    tape_work_free(x->w);
    tape_free(x->t);
    noslip_free(x->in);
    noslip_free(x->out);
    noslip_free(x->point);
    noslip_free(x->value);
}

static bool comparison_start(comparison *x, const mechanical_system *s, const jacobian *j)
{
    size_t p = s->parameters.n, n = s->coordinates.n, m = j->entries.n;
    x->in = noslip_calloc(p + 2 * n, sizeof *x->in);
    x->out = noslip_calloc(m, sizeof *x->out);
    x->point = noslip_calloc(p + 2 * n, sizeof *x->point);
    x->value = noslip_calloc(2 * m, sizeof *x->value);
    if (!x->in || !x->out || !x->point || !x->value) return false;
    for (size_t i = 0; i < p; i++) x->in[i] = s->parameters.at[i].symbol;
    for (size_t i = 0; i < n; i++) x->in[p + i] = s->coordinates.at[i].symbol;
    for (size_t i = 0; i < n; i++) x->in[p + n + i] = graph_rate(s->g, x->in[p + i]);
    for (size_t i = 0; i < m; i++) x->out[i] = j->entries.at[i].e;
    const tape_spec spec = {.in = x->in, .n_in = p + 2 * n, .out = x->out, .n_out = m};
    if (tape_compile(s->g, &spec, &x->t, NULL) != NOSLIP_OK) return false;
    return (x->w = tape_work_new(x->t)) != NULL;
}

/* The first entry that differs beyond rounding, n if none does. What is not finite differs from everything. */
static size_t first_difference(const double *a, const double *b, size_t n)
{
    double common = 0;
    for (size_t i = 0; i < n; i++) common = fmax(common, fmax(fabs(a[i]), fabs(b[i])));
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-11 * common + 1e-9 * fabs(a[i]))) return i;
    return n;
}

static size_t compare(const mechanical_system *s, const double *parameters, const double *reference,
                      comparison *x, size_t n_entries)
{
    size_t p = s->parameters.n, n = s->coordinates.n, found = n_entries;
    unsigned long long seed = 4711;
    memcpy(x->point, parameters, p * sizeof *x->point);
    for (int times = 0; times < 3 && found == n_entries; times++) {
        for (size_t i = 0; i < n; i++)
            x->point[p + i] = (reference ? reference[i] : 0) + 0.5 * sample_number(&seed);
        for (int side = 0; side < 2; side++) {
            for (size_t i = 0; i < n; i++) x->point[p + n + i] = 1.5 * sample_number(&seed);
            tape_point(x->w, x->point, x->value + (size_t)side * n_entries);
        }
        found = first_difference(x->value, x->value + n_entries, n_entries);
    }
    return found;
}

noslip_status degree_free_of_rates(const mechanical_system *s, const double *parameters,
                                   const double *reference, const jacobian *j, uint32_t *offender,
                                   bool *free)
{
    bool doubtful = false;
    for (size_t i = 0; i < j->entries.n; i++)
        doubtful = doubtful || graph_at(s->g, j->entries.at[i].e)->depends & SYMBOL_RATE;
    *free = true;
    if (!doubtful) return NOSLIP_OK;
    comparison x = {0};
    bool fine = comparison_start(&x, s, j);
    size_t found = fine ? compare(s, parameters, reference, &x, j->entries.n) : 0;
    *free = found == j->entries.n;
    if (fine && !*free) *offender = j->entries.at[found].row;
    comparison_end(&x);
    return fine ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
}
