/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_NEEDED_H
#define NOSLIP_MODEL_NEEDED_H

#include "model.h"
#include "sample.h"

/*
 * Which coordinates are needed, for the forms chosen in r [T-5].
 *
 *   level     level[j]: a holonomic constraint depends on coordinate j; NULL for none
 *   why       n, set; `because` likewise
 *   rcond     set to the smallest reciprocal condition number of U over the samples
 *
 * NOSLIP_OK; NOSLIP_SINGULAR if the forms depend on each other at a sample; NOSLIP_NOT_FINITE; NOSLIP_ERR_MEMORY.
 */
noslip_status needed_find(reduced *r, const samples *s, const bool *level, needed_why *why,
                          size_t *because, double *rcond);

#endif
