/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_REFINE_H
#define NOSLIP_REGION_REFINE_H

#include "sheet.h"

/* Cells of a lattice: a square of `size` node distances with its corners at nodes. */
typedef struct {
    uint32_t x, y, size;
} cell;
typedef ARRAY(cell) cell_list;

/*
 * Halve cells, from those of size `step` that flood() has filled down to size 1, where
 *
 *   - corners differ in kind or in existence,
 *   - a boundary may pass between corners that agree: the abscissa, the distance of two roots or of one from zero, or the distance from a
 *     fold is smaller than it changes from cell to cell (down to size 8; near a root that is zero, where a sheet may be torn, to size 1),
 *   - a node on the side of a cell, made by its neighbour, differs from the corners.
 *
 * `leaves` takes the cells that are left; together they cover the plane once. Returns as sweep_points.
 */
noslip_status refine(sweep *w, sheet *s, size_t step, cell_list *leaves, noslip_error *err);

#endif
