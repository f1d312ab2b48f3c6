/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_REGION_H
#define NOSLIP_REGION_REGION_H

#include "curves.h"
#include "noslip/region.h"
#include "refine.h"

typedef struct {
    sheet *s;
    size_t manifold, levels;
    cell_list leaves; /* adaptive: they cover the plane once */
    unsigned char
        *cell_kinds; /* adaptive, (nx-1)*(ny-1): kind of the leaf that a finest cell lies in */
    crossing_list crossings;
    curves boundaries;
    double area[NOSLIP_POINT_KINDS];
    size_t evaluated;
} sheet_result;

struct noslip_region {
    noslip_model *m; /* borrowed */
    plane *p;
    noslip_region_options o;
    size_t nodes[2];
    bool adaptive;
    size_t threads;
    ARRAY(sheet_result) sheets;
    size_t evaluated, alone;
};

/* seeds.c: steady motions at places of a coarse net that are on no sheet known so far, by quasi-random starts. */
typedef struct {
    double u, v;
    double *x; /* N */
    size_t manifold, levels;
} sheet_seed;

/* The next one; *found is false if there is none. `place` counts through the places and begins at 0. seed->x has room for N. NOSLIP_OK or
 * NOSLIP_ERR_MEMORY. */
noslip_status seed_next(const noslip_region *r, evaluator *e, size_t *place, sheet_seed *out,
                        bool *found, noslip_error *err);

#endif
