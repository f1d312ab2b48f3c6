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

/* The distance of the nodes that every sheet looks at first. */
size_t region_step(const noslip_region *r);

/* A motion that a sheet may be followed from. */
typedef struct {
    double u, v;
    double *x; /* N */
    size_t manifold, levels;
} sheet_seed;

/* seeds.c: steady motions at places of a coarse net, by quasi-random starts. */
typedef struct {
    ARRAY(sheet_seed) list; /* u, v are those of nodes that every sheet looks at */
    ARRAY(double) numbers;  /* theirs, N each */
} seed_list;

/* All that are found. NOSLIP_OK, NOSLIP_STOPPED, NOSLIP_ERR_MEMORY. Free in either case. */
noslip_status seeds_find(const noslip_region *r, evaluator *e, seed_list *out, noslip_error *err);
void seeds_free(seed_list *s);

/* Whether a seed is on one of the sheets that have been followed. */
bool seed_is_known(const noslip_region *r, const sheet_seed *s);

#endif
