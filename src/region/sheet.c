/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sheet.h"

#include <math.h>
#include <string.h>

#include "alloc.h"

sheet *sheet_new(const plane *p, uint32_t number, size_t zeros, size_t nx, size_t ny, double u,
                 double v, const double *seed)
{
    sheet *s = noslip_calloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (sheet){.p = p, .number = number, .zeros = zeros, .roots = p->N - zeros};
    s->stride = p->N + 2 * s->roots;
    s->nx = nx;
    s->ny = ny;
    s->seed_u = u;
    s->seed_v = v;
    s->kind = noslip_malloc(nx * ny);
    s->slot = noslip_malloc(nx * ny * sizeof *s->slot);
    s->seed = noslip_calloc(p->N, sizeof *s->seed);
    if (!s->kind || !s->slot || !s->seed) {
        sheet_free(s);
        return NULL;
    }
    memset(s->kind, NODE_UNKNOWN, nx * ny);
    memset(s->slot, 0xFF, nx * ny * sizeof *s->slot);
    memcpy(s->seed, seed, p->N * sizeof *seed);
    return s;
}

void sheet_free(sheet *s)
{
    if (!s) return;
    noslip_free(s->kind);
    noslip_free(s->side);
    noslip_free(s->slot);
    noslip_free(s->seed);
    noslip_free(s->abscissa);
    noslip_free(s->frequency);
    array_free(&s->facts);
    array_free(&s->numbers);
    noslip_free(s);
}

/* A unit of work: UNIT_POINTS points, and what is kept of each in the checkpoint,
 *
 *     kind | abscissa | frequency | fold | numbers                                        */
typedef struct {
    sweep *w;
    const sheet *s;
    point *points;
    size_t n;
    double *record; /* for each unit */
} round_of_points;

enum { FACTS = 4 };

static void pack(const point *t, size_t stride, double *to)
{
    to[0] = t->kind;
    to[1] = t->abscissa;
    to[2] = t->frequency;
    to[3] = t->fold;
    memcpy(to + FACTS, t->numbers, stride * sizeof *to);
}

static void unpack(const double *from, size_t stride, point *t)
{
    t->kind = (point_kind)from[0];
    t->abscissa = from[1];
    t->frequency = from[2];
    t->fold = from[3];
    memcpy(t->numbers, from + FACTS, stride * sizeof *from);
}

static noslip_status run_unit(void *shared, void *own, size_t unit, noslip_error *err)
{
    round_of_points *r = shared;
    size_t first = unit * UNIT_POINTS, stride = r->s->stride, each = FACTS + stride;
    size_t n = r->n - first < UNIT_POINTS ? r->n - first : UNIT_POINTS, bytes;
    const unit_key key = {r->s->number, r->w->round, (uint32_t)unit};
    double *record = r->record + first * each;
    if (r->w->log && checkpoint_has(r->w->log, key, &bytes) && bytes == n * each * sizeof *record) {
        noslip_status status = checkpoint_read(r->w->log, key, record, bytes, err);
        for (size_t k = 0; k < n && status == NOSLIP_OK; k++)
            unpack(record + k * each, stride, &r->points[first + k]);
        return status;
    }
    evaluator_run(own, r->points + first, n);
    if (!r->w->log) return NOSLIP_OK;
    for (size_t k = 0; k < n; k++) pack(&r->points[first + k], stride, record + k * each);
    return checkpoint_append(r->w->log, key, record, n * each * sizeof *record, err);
}

noslip_status sweep_points(sweep *w, const sheet *s, point *points, size_t n, noslip_error *err)
{
    round_of_points r = {.w = w, .s = s, .points = points, .n = n};
    if (!n) return NOSLIP_OK;
    r.record = w->log ? noslip_malloc(n * (FACTS + s->stride) * sizeof *r.record) : NULL;
    if (w->log && !r.record) return noslip_fail_memory(err);
    crew c = w->crew;
    c.job = run_unit;
    c.shared = &r;
    noslip_status status = crew_run(&c, (n + UNIT_POINTS - 1) / UNIT_POINTS, err);
    noslip_free(r.record);
    w->round++;
    w->evaluated += n;
    return status;
}

/* Nodes */

double sheet_distance(const sheet *s, const double *a, const double *b)
{
    double most = 0;
    for (size_t i = 0; i < s->p->N; i++) most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
    return most;
}

bool sheet_replace(sheet *s, size_t at, const point *t)
{
    static const double same = 1e-6;
    double *known = s->numbers.at + s->slot[at] * s->stride;
    if (t->kind == POINT_NONE || sheet_distance(s, known, t->numbers) <= same) return false;
    if (sheet_distance(s, s->seed, t->numbers) >= sheet_distance(s, s->seed, known)) return false;
    s->kind[at] = (unsigned char)t->kind;
    s->facts.at[s->slot[at]] = (node_facts){t->abscissa, t->frequency, t->fold};
    memcpy(known, t->numbers, s->stride * sizeof *known);
    return true;
}

noslip_status sheet_enter(sheet *s, size_t at, const point *t)
{
    if (s->slot[at] != NO_SLOT) {
        sheet_replace(s, at, t);
        return NOSLIP_OK;
    }
    s->kind[at] = (unsigned char)t->kind;
    if (t->kind == POINT_NONE) return NOSLIP_OK;
    const node_facts facts = {t->abscissa, t->frequency, t->fold};
    s->slot[at] = (uint32_t)s->facts.n;
    if (!array_push(&s->facts, facts)) return NOSLIP_ERR_MEMORY;
    for (size_t k = 0; k < s->stride; k++)
        if (!array_push(&s->numbers, t->numbers[k])) return NOSLIP_ERR_MEMORY;
    return NOSLIP_OK;
}

point sheet_point(const sheet *s, const want *x, double *numbers)
{
    point t = {.u = sheet_u(s, x->at), .v = sheet_v(s, x->at), .numbers = numbers};
    bool seed = x->from == FROM_SEED;
    t.start_u = seed ? s->seed_u : sheet_u(s, x->from);
    t.start_v = seed ? s->seed_v : sheet_v(s, x->from);
    t.start = seed ? s->seed : sheet_numbers(s, x->from);
    if (seed) return t;
    double wide = fabs(t.u - t.start_u) * (double)(s->nx - 1),
           high = fabs(t.v - t.start_v) * (double)(s->ny - 1);
    t.sign = point_sign(t.start + s->p->N, s->roots);
    t.expected = s->typical_step ? s->typical * fmax(wide, high) / (double)s->typical_step : 1e-6;
    return t;
}

noslip_status sweep_nodes(sweep *w, sheet *s, const want *wants, size_t n, noslip_error *err)
{
    point *points = noslip_calloc(n, sizeof *points);
    double *numbers = noslip_malloc(n * s->stride * sizeof *numbers);
    noslip_status status = points && numbers ? NOSLIP_OK : noslip_fail_memory(err);
    for (size_t k = 0; k < n && status == NOSLIP_OK; k++)
        points[k] = sheet_point(s, &wants[k], numbers + k * s->stride);
    if (status == NOSLIP_OK) status = sweep_points(w, s, points, n, err);
    for (size_t k = 0; k < n && status == NOSLIP_OK; k++)
        if (sheet_enter(s, wants[k].at, &points[k]) != NOSLIP_OK) status = noslip_fail_memory(err);
    noslip_free(points);
    noslip_free(numbers);
    return status;
}
