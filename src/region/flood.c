/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flood.h"

#include <math.h>

#include "alloc.h"

size_t flood_neighbours(const sheet *s, size_t at, size_t step, size_t out[4])
{
    size_t x = at % s->nx, y = at / s->nx, n = 0;
    if (x >= step) out[n++] = at - step;
    if (x + step < s->nx) out[n++] = at + step;
    if (y >= step) out[n++] = at - step * s->nx;
    if (y + step < s->ny) out[n++] = at + step * s->nx;
    return n;
}

/* The multiple of `step` at or below a place; the one after it is a node as well, if there are two. */
static size_t below(double place, size_t nodes, size_t step)
{
    size_t cells = (nodes - 1) / step, last = cells ? cells - 1 : 0;
    double at = floor(place * (double)(nodes - 1) / (double)step);
    return (size_t)fmin(fmax(at, 0), (double)last) * step;
}

/* The corners of the cell that the seed lies in. */
static void list_corners(const sheet *s, size_t step, want out[4])
{
    size_t x = below(s->seed_u, s->nx, step), y = below(s->seed_v, s->ny, step);
    size_t right = x + step < s->nx ? step : 0, up = y + step < s->ny ? step : 0;
    for (size_t k = 0; k < 4; k++)
        out[k] = (want){x + (k % 2) * right + (y + (k / 2) * up) * s->nx, FROM_SEED};
}

/* A node that has no motion yet is wanted from each neighbour that has one, one neighbour a round. `tried` has a bit for each. */
static bool list_wants(const sheet *s, size_t step, unsigned char *tried, want_list *out)
{
    out->n = 0;
    for (size_t y = 0; y < s->ny; y += step)
        for (size_t x = 0; x < s->nx; x += step) {
            size_t at = x + y * s->nx, near[4], n = flood_neighbours(s, at, step, near);
            if (sheet_exists(s, at)) continue;
            for (size_t k = 0; k < n; k++) {
                unsigned char *mask = &tried[x / step + (y / step) * ((s->nx - 1) / step + 1)];
                if (!sheet_exists(s, near[k]) || (*mask & (1u << k))) continue;
                *mask |= (unsigned char)(1u << k);
                if (!array_push(out, ((want){at, near[k]}))) return false;
                break;
            }
        }
    return true;
}

noslip_status flood(sweep *w, sheet *s, size_t step, noslip_error *err)
{
    want_list wants = {0};
    size_t columns = (s->nx - 1) / step + 1, rows = (s->ny - 1) / step + 1;
    unsigned char *tried = noslip_calloc(columns * rows, 1);
    want first[4];
    list_corners(s, step, first);
    noslip_status status = tried ? sweep_nodes(w, s, first, 4, err) : noslip_fail_memory(err);
    while (status == NOSLIP_OK) {
        if (!list_wants(s, step, tried, &wants)) status = noslip_fail_memory(err);
        if (status != NOSLIP_OK || !wants.n) break;
        status = sweep_nodes(w, s, wants.at, wants.n, err);
    }
    array_free(&wants);
    noslip_free(tried);
    return status;
}
