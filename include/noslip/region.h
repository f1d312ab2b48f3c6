/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_H
#define NOSLIP_REGION_H

#include <stdbool.h>
#include <stddef.h>

#include "noslip/roots.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The stability region of a plane of two parameters: where the steady motion exists, where it is stable, and the curves between. */
typedef struct noslip_region noslip_region;

typedef struct {
    const char *parameter; /* NULL: as the case says */
    double from, to;       /* NaN: as the case says */
} noslip_axis;

typedef struct {
    size_t which;        /* of the regions of the case, from 0 */
    noslip_axis axis[2]; /* x and y, in place of what the case says */
    size_t
        resolution; /* adaptive: the finest cells are so many to an axis; a power of two, 16 to 16384; default 1024 */
    size_t grid[2];         /* a plain grid of so many points instead; 0 for adaptive; at least 2 */
    size_t sheets;          /* at most so many are looked for; default 8, at least 1 */
    size_t threads;         /* 0: as many as there are processors */
    const char *checkpoint; /* a file to go on from, NULL for none */
    bool resume;            /* go on from it; otherwise it is begun anew */
    bool (*go_on)(
        void *user,
        double
            part); /* called now and then with the part that is done, as far as it can be told: false
                                               stops; may be NULL */
    void *user;
} noslip_region_options;
NOSLIP_API noslip_region_options noslip_region_defaults(void);

/*
 * The model must live longer, and belongs to this call while it runs.
 *
 * NOSLIP_OK; NOSLIP_STOPPED, with what is done in the checkpoint if there is one; NOSLIP_NO_CONVERGENCE and the like if there is no steady
 * motion to begin with, as noslip_steady_find; NOSLIP_ERR_ARG, with words, for options out of range and if the case has no region and none
 * is given; NOSLIP_ERR_FILE for a checkpoint that cannot be written or does not belong here; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_region_find(noslip_model *m, const noslip_region_options *o,
                                            noslip_region **out, noslip_error *err);
NOSLIP_API void noslip_region_free(noslip_region *r); /* accepts NULL */

typedef enum {
    NOSLIP_POINT_NONE, /* no steady motion on this sheet */
    NOSLIP_POINT_STABLE,
    NOSLIP_POINT_DIVERGENCE,
    NOSLIP_POINT_FLUTTER,
    NOSLIP_POINT_NEUTRAL,
    NOSLIP_POINT_DEGENERATE,
    NOSLIP_POINT_UNKNOWN, /* not looked at */
} noslip_point_kind;
enum { NOSLIP_POINT_KINDS = NOSLIP_POINT_UNKNOWN + 1 };

typedef struct {
    const char *parameter[2];
    double from[2], to[2];
    size_t nodes[2]; /* of the lattice: the finest one, or the grid */
    bool adaptive;
    size_t sheets;
    size_t evaluated, alone; /* points, on all sheets; those that no batch could do */
    size_t threads;
} noslip_region_info;
NOSLIP_API noslip_region_info noslip_region_about(const noslip_region *r);

typedef struct {
    size_t states, roots;            /* numbers of a point */
    size_t manifold, levels;         /* zero roots set aside */
    double area[NOSLIP_POINT_KINDS]; /* parts of the plane, by kind */
    size_t evaluated;                /* nodes */
    size_t curves, junctions;
} noslip_sheet_info;
NOSLIP_API noslip_sheet_info noslip_region_sheet(const noslip_region *r, size_t sheet);

/* Node (i, j) of a sheet. In an adaptive region most have not been evaluated: the kind is then that of the cell around it, and
 * `evaluated` is false. */
typedef struct {
    double x, y;
    noslip_point_kind kind;
    bool evaluated;
    double abscissa, frequency; /* of the rightmost root; 0 where not evaluated or none */
} noslip_region_point;
NOSLIP_API noslip_region_point noslip_region_at(const noslip_region *r, size_t sheet, size_t i,
                                                size_t j);

/* State k and root k of a node that was evaluated and has them in memory (in a plain grid only those beside a boundary have), else NaN. */
NOSLIP_API double noslip_region_state(const noslip_region *r, size_t sheet, size_t i, size_t j,
                                      size_t k);
NOSLIP_API noslip_root noslip_region_root(const noslip_region *r, size_t sheet, size_t i, size_t j,
                                          size_t k);

typedef enum {
    NOSLIP_BOUNDARY_DIVERGENCE, /* of stability: a real root passes zero */
    NOSLIP_BOUNDARY_FLUTTER,    /* of stability: a pair passes the axis */
    NOSLIP_BOUNDARY_EXCHANGE,   /* within instability, divergence becomes flutter */
    NOSLIP_BOUNDARY_EXISTENCE,  /* the steady motion ceases to exist */
} noslip_boundary;

typedef struct {
    noslip_boundary kind;
    bool closed;
    size_t points;
} noslip_curve;
typedef struct {
    double x, y;
    double frequency; /* of the rightmost root */
} noslip_curve_point;
NOSLIP_API noslip_curve noslip_region_curve(const noslip_region *r, size_t sheet, size_t curve);
NOSLIP_API noslip_curve_point noslip_region_curve_point(const noslip_region *r, size_t sheet,
                                                        size_t curve, size_t k);

/* Where curves meet, to the size of a cell. */
NOSLIP_API noslip_curve_point noslip_region_junction(const noslip_region *r, size_t sheet,
                                                     size_t junction);

#ifdef __cplusplus
}
#endif
#endif
