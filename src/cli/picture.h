/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_PICTURE_H
#define NOSLIP_CLI_PICTURE_H

#include <stdio.h>

#include "cli.h"

/* A sheet of a region in characters, within PAGE_WIDTH columns: a frame with the ends of the axes, what lies at the middle of each character,
 * and what the characters mean.
 *
 *   label   of x and of y */
void picture_print(const noslip_region *r, size_t sheet, const char *const label[2], FILE *out);

/* The name of a kind of point, and of what to do with a kind that should not be there: never NULL. */
const char *picture_kind(noslip_point_kind kind);

#endif
