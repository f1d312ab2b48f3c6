/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tear.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "flood.h"

static double between(const sheet *s, size_t a, size_t b)
{
    return sheet_distance(s, sheet_numbers(s, a), sheet_numbers(s, b));
}

/* Points to be looked at: node `at` from node `from`. */
typedef struct {
    want_list wants;
    point *points;
    double *numbers;
} visits;

static void close_visits(visits *v)
{
    array_free(&v->wants);
    noslip_free(v->points);
    noslip_free(v->numbers);
}

static noslip_status visit(sweep *w, sheet *s, visits *v, noslip_error *err)
{
    size_t n = v->wants.n;
    noslip_free(v->points);
    noslip_free(v->numbers);
    v->points = noslip_calloc(n, sizeof *v->points);
    v->numbers = noslip_malloc(n * s->stride * sizeof *v->numbers);
    if (!v->points || !v->numbers) return noslip_fail_memory(err);
    for (size_t k = 0; k < n; k++)
        v->points[k] = sheet_point(s, &v->wants.at[k], v->numbers + k * s->stride);
    return sweep_points(w, s, v->points, n, err);
}

/* Mending */

/* Whether `to` lies off the line of `back` and `from`, which are in a row with it. */
static bool leaves_line(const sheet *s, size_t back, size_t from, size_t to)
{
    const double *a = sheet_numbers(s, back), *b = sheet_numbers(s, from),
                 *c = sheet_numbers(s, to);
    double off = 0, step = 0;
    for (size_t i = 0; i < s->p->N; i++) {
        double unit = 1 + fabs(b[i]);
        off = fmax(off, fabs(c[i] - 2 * b[i] + a[i]) / unit);
        step = fmax(step, fabs(b[i] - a[i]) / unit);
    }
    return off > 0.5 * step + 1e-9;
}

static bool is_suspect(const sheet *s, size_t from, size_t to, size_t step)
{
    size_t beside[4], n = flood_neighbours(s, from, step, beside);
    for (size_t k = 0; k < n; k++) {
        bool opposite = beside[k] + to == 2 * from;
        if (opposite && sheet_exists(s, beside[k])) return leaves_line(s, beside[k], from, to);
    }
    return true; /* at the rim nothing speaks for it */
}

/* Ways from a node to its neighbours that have not been gone since one of them changed. */
static bool list_ways(const sheet *s, size_t step, const unsigned char *changed, visits *v)
{
    v->wants.n = 0;
    for (size_t y = 0; y < s->ny; y += step)
        for (size_t x = 0; x < s->nx; x += step) {
            size_t at = x + y * s->nx, near[4], n = flood_neighbours(s, at, step, near);
            for (size_t k = 0; k < n && sheet_exists(s, at); k++) {
                if (!sheet_exists(s, near[k]) || !(changed[at] || changed[near[k]])) continue;
                if (!is_suspect(s, near[k], at, step)) continue;
                if (!array_push(&v->wants, ((want){at, near[k]}))) return false;
            }
        }
    return true;
}

static void find_typical(sheet *s, size_t step)
{
    s->typical = 0;
    s->typical_step = step;
    for (size_t y = 0; y < s->ny; y += step)
        for (size_t x = 0; x < s->nx; x += step) {
            size_t at = x + y * s->nx, near[4], n = flood_neighbours(s, at, step, near);
            for (size_t k = 0; k < n && sheet_exists(s, at); k++)
                if (sheet_exists(s, near[k]) && !is_suspect(s, near[k], at, step))
                    s->typical = fmax(s->typical, between(s, near[k], at));
        }
}

noslip_status tear_mend(sweep *w, sheet *s, size_t step, noslip_error *err)
{
    enum { ROUNDS = 200 };
    visits v = {{0}, NULL, NULL};
    unsigned char *changed = noslip_malloc(s->nx * s->ny);
    noslip_status status = changed ? NOSLIP_OK : noslip_fail_memory(err);
    if (changed) memset(changed, 1, s->nx * s->ny);
    for (int round = 0; round < ROUNDS && status == NOSLIP_OK; round++) {
        if (!list_ways(s, step, changed, &v)) status = noslip_fail_memory(err);
        if (status != NOSLIP_OK || !v.wants.n) break;
        memset(changed, 0, s->nx * s->ny);
        status = visit(w, s, &v, err);
        for (size_t k = 0; k < v.wants.n && status == NOSLIP_OK; k++)
            changed[v.wants.at[k].at] |= sheet_replace(s, v.wants.at[k].at, &v.points[k]);
    }
    if (status == NOSLIP_OK) find_typical(s, step);
    close_visits(&v);
    noslip_free(changed);
    return status;
}

/* Finding */

bool tear_suspects(const sheet *s, size_t a, size_t b, size_t distance)
{
    double expected = s->typical * (double)distance / (double)s->typical_step;
    return between(s, a, b) > 1.5 * expected + 1e-9;
}

static bool has_numbers(const sheet *s, size_t at)
{
    return sheet_exists(s, at) && s->slot[at] != NO_SLOT;
}

/* Both ways over every edge that looks torn. */
static bool list_edges(const sheet *s, visits *v)
{
    for (size_t at = 0; at < s->nx * s->ny; at++) {
        const bool there[2] = {at % s->nx + 1 < s->nx, at / s->nx + 1 < s->ny};
        for (size_t k = 0; k < 2; k++) {
            size_t to = k ? at + s->nx : at + 1;
            if (!there[k] || !has_numbers(s, at) || !has_numbers(s, to)) continue;
            if (s->kind[at] != s->kind[to] || !tear_suspects(s, at, to, 1)) continue;
            if (!array_push(&v->wants, ((want){to, at})) ||
                !array_push(&v->wants, ((want){at, to})))
                return false;
        }
    }
    return true;
}

noslip_status tear_find(sweep *w, sheet *s, unsigned char *out, noslip_error *err)
{
    visits v = {{0}, NULL, NULL};
    noslip_status status = list_edges(s, &v) ? NOSLIP_OK : noslip_fail_memory(err);
    if (status == NOSLIP_OK) status = visit(w, s, &v, err);
    for (size_t k = 0; k < v.wants.n && status == NOSLIP_OK; k += 2) {
        size_t from = v.wants.at[k].from, to = v.wants.at[k].at;
        bool upwards = to != from + 1;
        if (v.points[k].kind == POINT_NONE)
            out[from] |= upwards ? 2 : 1;
        else if (v.points[k + 1].kind == POINT_NONE)
            out[from] |= upwards ? 8 : 4;
    }
    close_visits(&v);
    return status;
}
