/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_GRID_H
#define NOSLIP_REGION_GRID_H

#include "sheet.h"

/* A plain grid is done by tiles, each a unit of work of its own:
 *
 *     row step         . . . . . . . . .   shared with the tile above
 *     ...
 *     row 1            . . . . . . . . .   each from the rows below it, extrapolated
 *     row 0            o . . . o . . . o   nodes o are multiples of step and known from flood(); those between by halving
 *
 * A tile holds the numbers of seven rows. What it leaves are kind, abscissa and frequency of its nodes, and all numbers of those beside a
 * change of kind. */
enum { GRID_STEP = 64 /* at most */, GRID_WIDTH = 512 /* a multiple of it */ };

/* Every node of a sheet on which flood(..., step) was done; step is a power of two, at most GRID_STEP. Returns as sweep_points. */
noslip_status grid(sweep *w, sheet *s, size_t step, noslip_error *err);

#endif
