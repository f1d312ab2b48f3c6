/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_CHOOSE_H
#define NOSLIP_MODEL_CHOOSE_H

#include "needed.h"

/* Forms that may become quasi-velocities: the coordinates' rates and, where constraints show a plane heading (the coefficients
 * of x' and y' turn with an angle psi), the velocities along and across it, so that circling motions are steady. */
typedef struct {
    expr *at;
    size_t n, room;
} form_list;
bool choose_candidates(const mechanical_system *s, const expr *constraint, size_t n_constraints,
                       form_list *out);

/*
 * Of the first `candidates` forms of the equations, the f that leave the fewest positional coordinates and, among those, the
 * best conditioned ones. They are independent at all samples and, if there are such, at the reference: set r->row[0..f). The constraints r->row[f..n) are set already.
 *
 * NOSLIP_OK; NOSLIP_SINGULAR if no choice is independent at all samples; NOSLIP_NOT_FINITE; NOSLIP_ERR_MEMORY.
 */
noslip_status choose_forms(reduced *r, size_t candidates, const samples *x, const bool *level);

#endif
