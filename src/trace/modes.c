/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "follow.h"

enum { NAME_ROOM = 32 };

size_t strand_mode(const noslip_trace *t, size_t strand)
{
    while (t->joined[strand] != strand) strand = t->joined[strand];
    return strand;
}

/* The last point's root of a strand. */
static const root *last_root(const noslip_trace *t, size_t strand)
{
    return &t->roots.at[t->roots.n - t->p.n + strand];
}

/* Whether x comes first: by falling imaginary, then falling real part. */
static bool is_before(const root *x, const root *y)
{
    return x->im != y->im ? x->im > y->im : x->re > y->re;
}

/* The strand of a mode that comes first at the end. */
static size_t leader(const noslip_trace *t, size_t mode)
{
    size_t best = mode;
    for (size_t k = 0; k < t->p.n; k++)
        if (strand_mode(t, k) == mode && is_before(last_root(t, k), last_root(t, best))) best = k;
    return best;
}

/* Strand a is shown before strand b: modes by their leaders, then within the mode. */
static bool is_shown_before(const noslip_trace *t, size_t a, size_t b)
{
    size_t x = strand_mode(t, a), y = strand_mode(t, b);
    if (x == y) return is_before(last_root(t, a), last_root(t, b));
    size_t i = leader(t, x), j = leader(t, y);
    return is_before(last_root(t, i), last_root(t, j)) ||
           (!is_before(last_root(t, j), last_root(t, i)) && x < y);
}

static void order_strands(noslip_trace *t)
{
    for (size_t i = 0; i < t->p.n; i++) {
        size_t k = i;
        for (; k > 0 && is_shown_before(t, i, t->strand[k - 1]); k--)
            t->strand[k] = t->strand[k - 1];
        t->strand[k] = i;
    }
}

static void name_modes(noslip_trace *t)
{
    const case_trace *asked = t->asked;
    t->n_named = asked ? asked->n_modes : 0;
    bool named = t->n_named == t->n_modes;
    for (size_t k = 0; k < t->n_modes; k++) {
        char *own = t->names + k * NAME_ROOM;
        snprintf(own, NAME_ROOM, "mode %zu", k + 1);
        t->modes[k].name = named ? t->p.r->c->mode_names.at[asked->modes + k] : own;
    }
}

noslip_status make_modes(noslip_trace *t)
{
    size_t n = t->p.n;
    order_strands(t);
    for (size_t k = 0; k < n; k++) t->n_modes += t->joined[k] == k;
    t->modes = noslip_calloc(t->n_modes, sizeof *t->modes);
    t->names = noslip_calloc(t->n_modes, NAME_ROOM);
    if (!t->modes || !t->names) return NOSLIP_ERR_MEMORY;
    size_t modes = 0;
    for (size_t k = 0; k < n; k++) {
        if (!k || strand_mode(t, t->strand[k]) != strand_mode(t, t->strand[k - 1]))
            t->modes[modes++].first = k;
        t->modes[modes - 1].count++;
    }
    name_modes(t);
    for (size_t i = 0; i < t->criticals.n; i++) {
        size_t strand = t->criticals.at[i].c.mode, mode = t->n_modes;
        for (size_t k = 0; k < t->n_modes && strand < n; k++)
            if (strand_mode(t, t->strand[t->modes[k].first]) == strand_mode(t, strand)) mode = k;
        t->criticals.at[i].c.mode = mode;
    }
    return NOSLIP_OK;
}

/* What ends a range between a point and the next: a fold; or, if the verdict changes, the critical value at which a root changes
 * sides; or any; or the next point. */
static double boundary(const noslip_trace *t, size_t point, bool *fold)
{
    double best = t->alpha.at[point + 1];
    int found = 0;
    for (size_t k = 0; k < t->criticals.n; k++) {
        const noslip_critical *c = &t->criticals.at[k].c;
        bool crosses = c->kind == NOSLIP_CRITICAL_DIVERGENCE || c->kind == NOSLIP_CRITICAL_FLUTTER;
        int rank = c->motion & NOSLIP_MOTION_FOLD ? 3 : crosses ? 2 : 1;
        if (c->point != point || rank <= found) continue;
        found = rank;
        best = c->value;
    }
    *fold = found == 3;
    return best;
}

noslip_status make_ranges(noslip_trace *t)
{
    noslip_trace_range now = {t->alpha.at[0], t->alpha.at[0], t->verdicts.at[0]};
    for (size_t k = 1; k < t->alpha.n; k++) {
        bool fold;
        double end = boundary(t, k - 1, &fold);
        if (t->verdicts.at[k] == now.verdict && !fold) continue;
        now.to = end;
        if (!array_push(&t->ranges, now)) return NOSLIP_ERR_MEMORY;
        now = (noslip_trace_range){end, end, t->verdicts.at[k]};
    }
    now.to = t->alpha.at[t->alpha.n - 1];
    return array_push(&t->ranges, now) ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
}
