/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_SHEET_H
#define NOSLIP_REGION_SHEET_H

#include <stdint.h>

#include "crew.h"
#include "log.h"
#include "points.h"

/* One sheet of steady motions over the plane: a lattice of nx x ny nodes, node (i, j) at u = i/(nx-1), v = j/(ny-1). What was
 * evaluated has a slot; most nodes of a fine lattice never are. */
enum { NODE_UNKNOWN = POINT_KINDS, NODE_WANTED /* on a list, nowhere else */ };
static const uint32_t NO_SLOT = UINT32_MAX;

typedef struct {
    double abscissa, frequency, fold;
} node_facts;

typedef struct {
    const plane *p;
    uint32_t number;     /* of the sheet, from 0 */
    size_t zeros, roots; /* kernel of dE, other roots */
    size_t stride;       /* numbers of a node: x, re, im */
    size_t nx, ny;
    unsigned char *kind; /* nx*ny: point_kind or NODE_UNKNOWN */
    unsigned char *
        side; /* the same, but a node that lies on a boundary by chance is put to one side; NULL until needed */
    uint32_t *slot; /* nx*ny */
    double *abscissa,
        *frequency; /* nx*ny, of a plain grid only: there, slots are given to nodes beside a boundary */
    ARRAY(node_facts) facts;
    ARRAY(double) numbers;
    double typical; /* difference of neighbours on a net of typical_step, see tear.h */
    size_t typical_step;
    double seed_u, seed_v; /* where the sheet was met first */
    double *seed;          /* N: the motion there */
} sheet;

/* seed is copied. NULL when memory is short. */
sheet *sheet_new(const plane *p, uint32_t number, size_t zeros, size_t nx, size_t ny, double u,
                 double v, const double *seed);
void sheet_free(sheet *s);

static inline double sheet_u(const sheet *s, size_t node_index)
{
    return (double)(node_index % s->nx) / (double)(s->nx - 1);
}

static inline double sheet_v(const sheet *s, size_t node_index)
{
    size_t row = node_index / s->nx;
    return (double)row / (double)(s->ny - 1);
}

/* Whether there is a steady motion at a node, as far as is known. */
static inline bool sheet_exists(const sheet *s, size_t node_index)
{
    return s->kind[node_index] > POINT_NONE && s->kind[node_index] < POINT_KINDS;
}

/* The numbers of a node that exists. */
static inline const double *sheet_numbers(const sheet *s, size_t node_index)
{
    return s->numbers.at + s->slot[node_index] * s->stride;
}

/* Nodes wanted, each from another node that exists, or from the seed (FROM_SEED). */
enum { UNIT_POINTS = 128 };
static const size_t FROM_SEED = SIZE_MAX;
typedef struct {
    size_t at, from;
} want;
typedef ARRAY(want) want_list;

/* Who does the work: threads with an evaluator each, and a checkpoint if there is one. */
typedef struct {
    crew crew; /* `own` are evaluators for the zeros of the sheet at hand */
    checkpoint *log;
    uint32_t round; /* counts on with every round of a sheet */
    size_t evaluated, alone;
} sweep;

/* Evaluate points of a sheet, one unit of work a batch of them; what the checkpoint has is taken from there. Their `numbers` are set
 * by the caller and stay where they are. NOSLIP_OK, NOSLIP_STOPPED, NOSLIP_ERR_FILE, NOSLIP_ERR_MEMORY. */
noslip_status sweep_points(sweep *w, const sheet *s, point *points, size_t n, noslip_error *err);

/* The largest relative difference of two motions. */
double sheet_distance(const sheet *s, const double *a, const double *b);

/* Enter what was found at a node; where a motion is known already, the nearer one to that of the seed stays. NOSLIP_OK or
 * NOSLIP_ERR_MEMORY. */
noslip_status sheet_enter(sheet *s, size_t at, const point *t);

/* The second half of that: true if the motion known was replaced. */
bool sheet_replace(sheet *s, size_t at, const point *t);

/* The point that a node wanted is evaluated as. */
point sheet_point(const sheet *s, const want *x, double *numbers);

/* Evaluate nodes and enter them into the sheet. A node that was tried before and has no motion may be tried again; what was found stays.
 * Returns as sweep_points. */
noslip_status sweep_nodes(sweep *w, sheet *s, const want *wants, size_t n, noslip_error *err);

#endif
