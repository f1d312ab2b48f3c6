/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "refine.h"

#include <math.h>

#include "alloc.h"
#include "flood.h"
#include "tear.h"

/* When to halve */

static size_t corner(const sheet *s, const cell *c, size_t k)
{
    return c->x + (k % 2) * c->size + (c->y + (k / 2) * c->size) * s->nx;
}

/* None, or not known: nothing leads there. */
static bool is_empty(const sheet *s, size_t at)
{
    return !sheet_exists(s, at);
}

static bool nodes_differ(const sheet *s, size_t a, size_t b)
{
    return is_empty(s, a) != is_empty(s, b) || (!is_empty(s, a) && s->kind[a] != s->kind[b]);
}

static bool corners_differ(const sheet *s, const cell *c)
{
    for (size_t k = 1; k < 4; k++)
        if (nodes_differ(s, corner(s, c, 0), corner(s, c, k))) return true;
    return false;
}

/* What becomes zero where something may happen: a root on the axis, two roots that meet, one that is zero as at a fold. */
enum { SIGNS = 3, FOLD = 2 };
enum { SMALLEST_SUSPECT = 8 }; /* but for folds, along which a sheet may be torn */

static void find_signs(const sheet *s, size_t at, double sign[SIGNS])
{
    const double *re = sheet_numbers(s, at) + s->p->N, *im = re + s->roots;
    const node_facts *f = &s->facts.at[s->slot[at]];
    double gap = HUGE_VAL, least = HUGE_VAL;
    for (size_t i = 0; i < s->roots; i++) {
        least = fmin(least, hypot(re[i], im[i]));
        for (size_t j = 0; j < i; j++) gap = fmin(gap, hypot(re[i] - re[j], im[i] - im[j]));
    }
    sign[0] = fabs(f->abscissa);
    sign[1] = gap;
    sign[2] = least;
}

/* Whether one of them is smaller at a corner than it changes to a neighbour. */
static bool may_hide(const sheet *s, const cell *c)
{
    for (size_t k = 0; k < 4; k++) {
        size_t at = corner(s, c, k), near[4], n = flood_neighbours(s, at, c->size, near);
        double here[SIGNS], there[SIGNS];
        if (!sheet_exists(s, at)) return false;
        find_signs(s, at, here);
        for (size_t i = 0; i < n; i++) {
            if (!sheet_exists(s, near[i])) continue;
            find_signs(s, near[i], there);
            for (int j = c->size < SMALLEST_SUSPECT ? FOLD : 0; j < SIGNS; j++)
                if (here[j] < fabs(there[j] - here[j])) return true;
        }
    }
    return false;
}

static bool sides_differ(const sheet *s, const cell *c)
{
    size_t first = corner(s, c, 0), last = corner(s, c, 3);
    for (size_t k = 1; k < c->size; k++) {
        const size_t sides[4] = {first + k, last - k, first + k * s->nx, last - k * s->nx};
        for (int i = 0; i < 4; i++)
            if (s->kind[sides[i]] < POINT_KINDS && nodes_differ(s, first, sides[i])) return true;
    }
    return false;
}

static bool wants_halving(const sheet *s, const cell *c)
{
    if (c->size == 1) return false;
    return corners_differ(s, c) || sides_differ(s, c) || may_hide(s, c);
}

/* Nodes */

/* Want a node from whichever of its neighbours at this distance, or diagonally, exists. */
static bool want_node(sheet *s, size_t at, size_t half, want_list *out)
{
    size_t near[8], n = flood_neighbours(s, at, half, near), x = at % s->nx, y = at / s->nx;
    if (s->kind[at] != NODE_UNKNOWN) return true;
    for (int k = 0; k < 4; k++) {
        bool right = k % 2, up = k / 2;
        if (right ? x + half >= s->nx : x < half) continue;
        if (up ? y + half >= s->ny : y < half) continue;
        size_t beside = right ? at + half : at - half;
        near[n++] = up ? beside + half * s->nx : beside - half * s->nx;
    }
    bool torn = false, fine = true;
    size_t first = n;
    for (size_t k = 0; k < n && fine; k++) {
        if (!sheet_exists(s, near[k])) continue;
        if (first < n) torn = torn || tear_suspects(s, near[first], near[k], 2 * half);
        if (first < n && !torn) continue;
        if (first == n) first = k;
        fine = array_push(out, ((want){at, near[k]})); /* where neighbours disagree, from each */
    }
    if (first < n) s->kind[at] = NODE_WANTED; /* otherwise nothing near leads there, so far */
    return fine;
}

static bool want_halves(sheet *s, const cell *c, want_list *out)
{
    size_t half = c->size / 2, first = corner(s, c, 0), middle = first + half + half * s->nx;
    const size_t nodes[5] = {middle - half * s->nx, middle - half, middle, middle + half,
                             middle + half * s->nx};
    for (int k = 0; k < 5; k++)
        if (!want_node(s, nodes[k], half, out)) return false;
    return true;
}

/* Those that have no motion from there are tried from other neighbours; which may have been found meanwhile. */
static bool want_again(const sheet *s, size_t half, int attempt, want_list *list)
{
    size_t kept = 0;
    for (size_t k = 0; k < list->n; k++) {
        size_t at = list->at[k].at, near[4], n = flood_neighbours(s, at, half, near), seen = 0;
        if (s->kind[at] != POINT_NONE) continue;
        for (size_t i = 0; i < n; i++) {
            if (!sheet_exists(s, near[i]) || near[i] == list->at[k].from) continue;
            if (seen++ < (size_t)attempt) continue;
            list->at[kept++] = (want){at, near[i]};
            break;
        }
    }
    list->n = kept;
    return kept > 0;
}

static noslip_status evaluate(sweep *w, sheet *s, size_t half, want_list *list, noslip_error *err)
{
    enum { ATTEMPTS = 3 };
    for (size_t k = 0; k < list->n; k++) s->kind[list->at[k].at] = NODE_UNKNOWN;
    noslip_status status = sweep_nodes(w, s, list->at, list->n, err);
    for (int k = 0; k < ATTEMPTS && status == NOSLIP_OK && want_again(s, half, k, list); k++)
        status = sweep_nodes(w, s, list->at, list->n, err);
    return status;
}

/* Cells */

static bool add_children(const cell *c, cell_list *out)
{
    uint32_t half = c->size / 2;
    for (uint32_t k = 0; k < 4; k++)
        if (!array_push(out, ((cell){c->x + (k % 2) * half, c->y + (k / 2) * half, half})))
            return false;
    return true;
}

/* Of the cells of one size: those that are halved go to `smaller`, the others to `leaves`. */
static noslip_status halve(sweep *w, sheet *s, const cell_list *cells, size_t size,
                           cell_list *smaller, cell_list *leaves, noslip_error *err)
{
    want_list wants = {0};
    bool fine = true;
    for (size_t k = 0; k < cells->n && fine; k++) {
        const cell *c = &cells->at[k];
        if (c->size == size && wants_halving(s, c))
            fine = want_halves(s, c, &wants) && add_children(c, smaller);
        else
            fine = array_push(leaves, *c);
    }
    noslip_status status = fine ? evaluate(w, s, size / 2, &wants, err) : noslip_fail_memory(err);
    array_free(&wants);
    return status;
}

static bool cover(const sheet *s, size_t step, cell_list *out)
{
    for (size_t y = 0; y + step < s->ny; y += step)
        for (size_t x = 0; x + step < s->nx; x += step)
            if (!array_push(out, ((cell){(uint32_t)x, (uint32_t)y, (uint32_t)step}))) return false;
    return true;
}

/* Once over all sizes; whether a cell was halved. */
static noslip_status pass(sweep *w, sheet *s, size_t step, cell_list *cells, bool *changed,
                          noslip_error *err)
{
    noslip_status status = NOSLIP_OK;
    *changed = false;
    for (size_t size = step; size > 1 && status == NOSLIP_OK; size /= 2) {
        cell_list smaller = {0}, rest = {0};
        status = halve(w, s, cells, size, &smaller, &rest, err);
        *changed = *changed || smaller.n;
        for (size_t k = 0; k < smaller.n && status == NOSLIP_OK; k++)
            if (!array_push(&rest, smaller.at[k])) status = noslip_fail_memory(err);
        array_free(&smaller);
        array_free(cells);
        *cells = rest;
    }
    return status;
}

noslip_status refine(sweep *w, sheet *s, size_t step, cell_list *leaves, noslip_error *err)
{
    noslip_status status = cover(s, step, leaves) ? NOSLIP_OK : noslip_fail_memory(err);
    for (bool changed = true; changed && status == NOSLIP_OK;)
        status = pass(w, s, step, leaves, &changed, err);
    return status;
}
