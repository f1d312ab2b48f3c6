/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_CURVES_H
#define NOSLIP_REGION_CURVES_H

#include "polish.h"

/* Crossings joined into curves: in each cell of the lattice those on its sides belong together. Two are joined; three or four meet in a
 * junction, a point of its own in the middle of them. A curve is of one type from end to end; it ends at the rim, at a junction, or
 * where its type changes, which is a junction, too. */
typedef struct {
    boundary type;
    bool closed;
    ARRAY(uint32_t) at; /* indices of crossings, in order */
    uint32_t ends[2];   /* junctions, or NO_JUNCTION */
} curve;
static const uint32_t NO_JUNCTION = UINT32_MAX;

typedef struct {
    double u, v;
} junction;

typedef struct {
    ARRAY(curve) list;
    ARRAY(junction) junctions;
} curves;

/* The crossings are those of list_crossings, polished. NOSLIP_OK or NOSLIP_ERR_MEMORY. Free in either case. */
noslip_status curves_join(const sheet *s, const crossing *list, size_t n, curves *out);
void curves_free(curves *c);

#endif
