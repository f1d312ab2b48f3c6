/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_POLISH_H
#define NOSLIP_REGION_POLISH_H

#include "sheet.h"

/* Where the kind of a point changes along a lattice edge. */

typedef enum {
    BOUNDARY_DIVERGENCE, /* of stability: a real root passes zero */
    BOUNDARY_FLUTTER,    /* of stability: a pair passes the axis */
    BOUNDARY_EXCHANGE,   /* within instability: divergence becomes flutter */
    BOUNDARY_EXISTENCE,  /* the steady motion ceases to exist: a fold */
    BOUNDARIES
} boundary;

typedef struct {
    size_t from, to;  /* nodes side by side, from < to */
    double low, high; /* the change lies between, as parts of the way from `from` to `to` */
    double u, v;      /* where it is */
    double frequency; /* of the rightmost root there */
    boundary type;
    unsigned char kinds[2]; /* of the two sides */
} crossing;
typedef ARRAY(crossing) crossing_list;

/*
 * All edges of the lattice whose nodes differ in kind, one of which exists, or are torn (tear.h); in ascending order of `from`, the one to the
 * right first. s->side is set on the way.
 *
 *   torn   from tear_find; NULL for none
 */
noslip_status list_crossings(sheet *s, const unsigned char *torn, crossing_list *out,
                             noslip_error *err);

/*
 * Close in on the changes until low and high are within `width` of an axis, all of them at once. Functions of the roots that change
 * sign lead there, or else halving. Returns as sweep_points.
 */
noslip_status polish(sweep *w, const sheet *s, double width, crossing *list, size_t n,
                     noslip_error *err);

#endif
