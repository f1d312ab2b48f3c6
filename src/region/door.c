/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "region.h"

noslip_region_info noslip_region_about(const noslip_region *r)
{
    const mechanical_system *y = r->m->m->s;
    const plane *p = r->p;
    return (noslip_region_info){
        .parameter = {y->parameters.at[p->parameter[0]].name,
                      y->parameters.at[p->parameter[1]].name},
        .from = {p->from[0], p->from[1]},
        .to = {p->to[0], p->to[1]},
        .nodes = {r->nodes[0], r->nodes[1]},
        .adaptive = r->adaptive,
        .sheets = r->sheets.n,
        .evaluated = r->evaluated,
        .alone = r->alone,
        .threads = r->threads,
    };
}

noslip_sheet_info noslip_region_sheet(const noslip_region *r, size_t sheet_number)
{
    const sheet_result *x = &r->sheets.at[sheet_number];
    noslip_sheet_info i = {.states = r->p->N,
                           .roots = x->s->roots,
                           .manifold = x->manifold,
                           .levels = x->levels,
                           .evaluated = x->evaluated,
                           .curves = x->boundaries.list.n,
                           .junctions = x->boundaries.junctions.n};
    for (int k = 0; k < NOSLIP_POINT_KINDS; k++) i.area[k] = x->area[k];
    return i;
}

static double along(const noslip_region *r, int axis, double part)
{
    return r->p->from[axis] * (1 - part) + r->p->to[axis] * part;
}

/* Of a node that was not evaluated: the kind of a cell that it belongs to. */
static noslip_point_kind kind_around(const sheet_result *x, size_t i, size_t j)
{
    const sheet *s = x->s;
    if (!x->cell_kinds) return NOSLIP_POINT_UNKNOWN;
    size_t column = i < s->nx - 1 ? i : i - 1, row = j < s->ny - 1 ? j : j - 1;
    return (noslip_point_kind)x->cell_kinds[column + row * (s->nx - 1)];
}

noslip_region_point noslip_region_at(const noslip_region *r, size_t sheet_number, size_t i,
                                     size_t j)
{
    const sheet_result *x = &r->sheets.at[sheet_number];
    const sheet *s = x->s;
    size_t at = i + j * s->nx;
    noslip_region_point t = {along(r, 0, sheet_u(s, at)),
                             along(r, 1, sheet_v(s, at)),
                             NOSLIP_POINT_NONE,
                             s->kind[at] < POINT_KINDS,
                             0,
                             0};
    t.kind = t.evaluated ? (noslip_point_kind)s->kind[at] : kind_around(x, i, j);
    if (s->abscissa) {
        t.abscissa = s->abscissa[at];
        t.frequency = s->frequency[at];
    } else if (s->slot[at] != NO_SLOT) {
        t.abscissa = s->facts.at[s->slot[at]].abscissa;
        t.frequency = s->facts.at[s->slot[at]].frequency;
    }
    return t;
}

double noslip_region_state(const noslip_region *r, size_t sheet_number, size_t i, size_t j,
                           size_t k)
{
    const sheet *s = r->sheets.at[sheet_number].s;
    size_t at = i + j * s->nx;
    return s->slot[at] != NO_SLOT ? sheet_numbers(s, at)[k] : (double)NAN;
}

noslip_root noslip_region_root(const noslip_region *r, size_t sheet_number, size_t i, size_t j,
                               size_t k)
{
    const sheet *s = r->sheets.at[sheet_number].s;
    size_t at = i + j * s->nx;
    if (s->slot[at] == NO_SLOT) return (noslip_root){(double)NAN, (double)NAN, (double)NAN};
    const double *re = sheet_numbers(s, at) + s->p->N, *im = re + s->roots;
    return (noslip_root){re[k], im[k], 0};
}

noslip_curve noslip_region_curve(const noslip_region *r, size_t sheet_number, size_t number)
{
    const curve *c = &r->sheets.at[sheet_number].boundaries.list.at[number];
    return (noslip_curve){(noslip_boundary)c->type, c->closed, c->at.n};
}

noslip_curve_point noslip_region_curve_point(const noslip_region *r, size_t sheet_number,
                                             size_t number, size_t k)
{
    const sheet_result *x = &r->sheets.at[sheet_number];
    const crossing *c = &x->crossings.at[x->boundaries.list.at[number].at.at[k]];
    return (noslip_curve_point){along(r, 0, c->u), along(r, 1, c->v), c->frequency};
}

noslip_curve_point noslip_region_junction(const noslip_region *r, size_t sheet_number,
                                          size_t number)
{
    const junction *j = &r->sheets.at[sheet_number].boundaries.junctions.at[number];
    return (noslip_curve_point){along(r, 0, j->u), along(r, 1, j->v), 0};
}
