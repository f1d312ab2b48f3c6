/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "curves.h"

#include <stdlib.h>

#include "alloc.h"

/* A net: vertices are crossings and junctions, and a link goes from one to another through a cell. A crossing has at most two links, one
 * for each cell beside its edge. */
typedef struct {
    const sheet *s;
    const crossing *list;
    size_t n;
    uint32_t (*link)[2]; /* by crossing: a crossing, or n + a junction, or NOTHING */
    bool *used;
    curves *out;
} net;
static const uint32_t NOTHING = UINT32_MAX;

/* The crossing on the edge between two nodes, n if there is none: they are in order. */
static size_t find(const net *k, size_t from, size_t to)
{
    size_t low = 0, high = k->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const crossing *x = &k->list[middle];
        if (x->from < from || (x->from == from && x->to < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low < k->n && k->list[low].from == from && k->list[low].to == to ? low : k->n;
}

/* Links go in the order in which the cells come; each edge has two cells. */
static void add_link(const net *k, size_t at, uint32_t to)
{
    k->link[at][k->link[at][0] == NOTHING ? 0 : 1] = to;
}

static bool add_junction(net *k, const size_t *at, size_t n)
{
    junction j = {0, 0};
    uint32_t number = (uint32_t)(k->n + k->out->junctions.n);
    for (size_t i = 0; i < n; i++) {
        j.u += k->list[at[i]].u / (double)n;
        j.v += k->list[at[i]].v / (double)n;
        add_link(k, at[i], number);
    }
    return array_push(&k->out->junctions, j);
}

/* The sides of the cell above and to the right of a node. */
static bool join_cell(net *k, size_t at)
{
    size_t right = at + 1, up = at + k->s->nx, found[4], n = 0;
    const size_t sides[4] = {find(k, at, right), find(k, at, up), find(k, up, up + 1),
                             find(k, right, right + k->s->nx)};
    for (int i = 0; i < 4; i++)
        if (sides[i] < k->n) found[n++] = sides[i];
    if (n < 2) return true; /* what is beside it has not been looked at */
    if (n > 2) return add_junction(k, found, n);
    if (k->list[found[0]].type == k->list[found[1]].type) {
        add_link(k, found[0], (uint32_t)found[1]);
        add_link(k, found[1], (uint32_t)found[0]);
        return true;
    }
    return add_junction(k, found, 2);
}

/* Only cells beside a crossing matter: below and above it, or left and right of it. */
static bool join_cells(net *k)
{
    size_t nx = k->s->nx, ny = k->s->ny;
    ARRAY(size_t) cells = {0};
    bool fine = true;
    for (size_t i = 0; i < k->n && fine; i++) {
        size_t at = k->list[i].from;
        bool level = k->list[i].to == at + 1;
        size_t back = level ? nx : 1;
        bool here = level ? at / nx + 1 < ny : at % nx + 1 < nx;
        bool behind = level ? at / nx > 0 : at % nx > 0;
        fine = (!here || array_push(&cells, at)) && (!behind || array_push(&cells, at - back));
    }
    unsigned char *seen = noslip_calloc(nx * ny, 1);
    fine = fine && seen;
    for (size_t i = 0; i < cells.n && fine; i++) {
        if (seen[cells.at[i]]) continue;
        seen[cells.at[i]] = 1;
        fine = join_cell(k, cells.at[i]);
    }
    noslip_free(seen);
    array_free(&cells);
    return fine;
}

static uint32_t end_of(const net *k, uint32_t link)
{
    return link == NOTHING ? NO_JUNCTION : link - (uint32_t)k->n;
}

/* From a crossing along the links, as far as they go, coming from `before`. */
static bool walk_along(net *k, uint32_t at, uint32_t before, curve *c)
{
    for (;;) {
        k->used[at] = true;
        if (!array_push(&c->at, at)) return false;
        uint32_t next = k->link[at][0] == before ? k->link[at][1] : k->link[at][0];
        if (next == NOTHING || next >= k->n) {
            c->ends[1] = end_of(k, next);
            return true;
        }
        if (k->used[next]) { /* back where it began */
            c->closed = true;
            return true;
        }
        before = at;
        at = next;
    }
}

static bool add_curve(net *k, uint32_t at, uint32_t before)
{
    curve c = {.type = k->list[at].type, .ends = {end_of(k, before), NO_JUNCTION}};
    if (walk_along(k, at, before, &c) && array_push(&k->out->list, c)) return true;
    array_free(&c.at);
    return false;
}

static bool is_end(const net *k, uint32_t link)
{
    return link == NOTHING || link >= k->n;
}

/* Those with an end first, from the end; what is left are closed ones. */
static bool trace_curves(net *k)
{
    bool fine = true;
    for (uint32_t i = 0; i < k->n && fine; i++) {
        const uint32_t *link = k->link[i];
        if (!k->used[i] && (is_end(k, link[0]) || is_end(k, link[1])))
            fine = add_curve(k, i, is_end(k, link[0]) ? link[0] : link[1]);
    }
    for (uint32_t i = 0; i < k->n && fine; i++)
        if (!k->used[i]) fine = add_curve(k, i, k->link[i][0]);
    return fine;
}

noslip_status curves_join(const sheet *s, const crossing *list, size_t n, curves *out)
{
    net k = {.s = s, .list = list, .n = n, .out = out};
    *out = (curves){{0}, {0}};
    k.link = noslip_calloc(n, sizeof *k.link);
    k.used = noslip_calloc(n, sizeof *k.used);
    bool fine = k.link && k.used;
    for (size_t i = 0; i < n && fine; i++) k.link[i][0] = k.link[i][1] = NOTHING;
    fine = fine && join_cells(&k) && trace_curves(&k);
    noslip_free(k.link);
    noslip_free(k.used);
    return fine ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
}

void curves_free(curves *c)
{
    for (size_t k = 0; k < c->list.n; k++) array_free(&c->list.at[k].at);
    array_free(&c->list);
    array_free(&c->junctions);
}
