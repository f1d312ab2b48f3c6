/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_STEADY_SEARCH_H
#define NOSLIP_STEADY_SEARCH_H

#include "steady.h"

/* Steady motions by quasi-random starts in a box of x = (p, w). */

typedef struct {
    const double *parameters, *q; /* the cyclic coordinates are taken from q, n */
    const double *from, *to;      /* N each */
    int starts;
} search_box;

/* Points found, N numbers each, in ascending order of their numbers; and whether a start ended on a point with open directions. */
typedef struct {
    ARRAY(double) x;
    size_t n;
    bool open;
} search_result;

/*
 * Every start is solved for; what ends outside of the box is left out, and what has been found before is counted once.
 *
 * NOSLIP_OK, also if nothing was found; NOSLIP_ERR_LIMIT for more than 1229 unknowns; NOSLIP_ERR_MEMORY. Free the result in either case.
 */
noslip_status search_all(steady *s, const search_box *box, search_result *out);
void search_result_free(search_result *r);

#endif
