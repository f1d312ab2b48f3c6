/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_DEGREE_H
#define NOSLIP_MODEL_DEGREE_H

#include "diff.h"
#include "system.h"

/*
 * Whether the entries of a Jacobian by the rates are free of the rates: forms are linear then, momenta come from a quadratic energy.
 * The graph says so for most; where rates stand in an entry but cancel, as in norm(v)^2, numbers near the reference (NULL for zero)
 * decide.
 *
 *   offender   row of an entry that is not, if there is one
 *
 * NOSLIP_OK or NOSLIP_ERR_MEMORY.
 */
noslip_status degree_free_of_rates(const mechanical_system *s, const double *parameters,
                                   const double *reference, const jacobian *j, uint32_t *offender,
                                   bool *free);

#endif
