/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_FLOOD_H
#define NOSLIP_REGION_FLOOD_H

#include "sheet.h"

/*
 * Follow a sheet from its seed over the nodes that are multiples of `step` in both directions, from node to neighbour, as far as it
 * goes. Nodes that no neighbour leads to stay unknown. Returns as sweep_points.
 */
noslip_status flood(sweep *w, sheet *s, size_t step, noslip_error *err);

/* The neighbours of a node at a distance, in a fixed order; how many there are, 4 at most. */
size_t flood_neighbours(const sheet *s, size_t at, size_t step, size_t out[4]);

#endif
