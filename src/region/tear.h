/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_TEAR_H
#define NOSLIP_REGION_TEAR_H

#include "sheet.h"

/* Sheets around a cusp. Where folds end in a cusp, two ways around it lead to two motions at one place, so that a sheet cannot be both
 * whole and of one value everywhere. Of two motions at a node the one nearer to that of the seed is kept; the sheet is then
 * torn along a fold: nodes side by side that both exist, but are not of one piece. */

/* Between neighbours on the net of `step`: go from each to each that does not continue its line, and keep the nearer motion where two are
 * found. Sets s->typical. Returns as sweep_points. */
noslip_status tear_mend(sweep *w, sheet *s, size_t step, noslip_error *err);

/* Whether two nodes, `distance` apart, differ by so much that they may not be of one piece. */
bool tear_suspects(const sheet *s, size_t a, size_t b, size_t distance);

/* Edges of the finest lattice between nodes of one kind, of which the first ends before the second is reached. A byte for each node: 1 for the
 * edge to the right, 2 for the one upwards, and 4 or 8 instead if it is the second that ends. `out` has nx*ny bytes, zero. */
noslip_status tear_find(sweep *w, sheet *s, unsigned char *out, noslip_error *err);

#endif
