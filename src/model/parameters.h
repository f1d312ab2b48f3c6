/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_PARAMETERS_H
#define NOSLIP_MODEL_PARAMETERS_H

#include "system.h"

/* The values of all parameters, again and again while some of them are moved. What is overridden or swept is given, all others
 * follow from their formulas: with A: m*a^2/4 and a given, A moves along. Compiled once; running allocates nothing. Belongs to
 * one thread. */
typedef struct parameters parameters;

/*
 *   fixed   one flag for each parameter of the system: its value is given, its formula does not count. NULL for none. Copied.
 *
 * NOSLIP_OK; NOSLIP_ERR_FORMULA, pointing at a parameter, if the other formulas go round in a circle; NOSLIP_ERR_MEMORY. The system
 * must live longer.
 */
noslip_status parameters_new(const mechanical_system *s, const bool *fixed, parameters **out,
                             noslip_error *err);
void parameters_free(parameters *p); /* accepts NULL */

/*
 *   given    one number for each parameter; only those that are fixed are looked at
 *   values   all of them, set in any case; may be the same array
 *
 * NOSLIP_OK, or NOSLIP_NOT_FINITE if one of them is.
 */
noslip_status parameters_run(parameters *p, const double *given, double *values);

/* After NOSLIP_NOT_FINITE: say which parameter it was. Returns NOSLIP_ERR_FORMULA. */
noslip_status parameters_fail(const parameters *p, const double *values, noslip_error *err);

#endif
