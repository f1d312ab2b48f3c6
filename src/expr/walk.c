/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

static bool grow_marks(graph *g)
{
    if (g->marks >= g->nodes.n) return true;
    size_t marks = g->nodes.room;
    uint32_t *mark = noslip_realloc(g->mark, marks * sizeof *mark);
    if (!mark) return false;
    g->mark = mark;
    uint32_t *place = noslip_realloc(g->place, marks * sizeof *place);
    if (!place) return false;
    g->place = place;
    memset(mark + g->marks, 0, (marks - g->marks) * sizeof *mark);
    g->marks = marks;
    return true;
}

/* A new stamp forgets the last walk at once; when the stamps run out, all marks are wiped. */
static bool start(graph *g)
{
    if (!grow_marks(g)) return false;
    if (++g->stamp == 0) {
        memset(g->mark, 0, g->marks * sizeof *g->mark);
        g->stamp = 1;
    }
    return true;
}

static bool meet(walk *w, graph *g, expr e, unsigned kinds)
{
    if (g->mark[e] == g->stamp || !(graph_at(g, e)->depends & kinds)) return true;
    g->mark[e] = g->stamp;
    return array_push(&w->nodes, e) && array_push(&w->stack, e);
}

static int ascending(const void *x, const void *y)
{
    expr a = *(const expr *)x, b = *(const expr *)y;
    return (a > b) - (a < b);
}

bool walk_below(walk *w, graph *g, const expr *from, size_t n, unsigned kinds)
{
    if (g->status != NOSLIP_OK || !start(g)) return false;
    w->nodes.n = w->stack.n = 0;
    for (size_t k = 0; k < n; k++) {
        if (!meet(w, g, from[k], kinds)) return false;
        while (w->stack.n) {
            const node *top = graph_at(g, w->stack.at[--w->stack.n]);
            int arity = op_arity(top->op);
            if (arity > 0 && !meet(w, g, top->a, kinds)) return false;
            if (arity > 1 && !meet(w, g, top->b, kinds)) return false;
        }
    }
    if (w->nodes.n) qsort(w->nodes.at, w->nodes.n, sizeof(expr), ascending);
    for (size_t k = 0; k < w->nodes.n; k++) g->place[w->nodes.at[k]] = (uint32_t)k;
    return true;
}

void walk_free(walk *w)
{
    array_free(&w->nodes);
    array_free(&w->stack);
}
