/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CASEFILE_READY_H
#define NOSLIP_CASEFILE_READY_H

#include "case.h"
#include "model.h"
#include "noslip/model.h"

/* A case with the model made for the neighbourhood of its guess. */
struct noslip_model {
    noslip_case *c; /* borrowed */
    model *m;
    double *q, *w;          /* n and f: the guess at the case's own parameters */
    ARRAY(char *) formulas; /* constraints, quasi-velocities, T, V, F as text */
};

/*
 * Where to begin looking for a steady motion at given parameters: the guess, nearest consistent. What is not guessed is zero.
 *
 *   q, w   n and f, set
 *
 * NOSLIP_OK; NOSLIP_NOT_FINITE, with words; NOSLIP_ERR_MEMORY.
 */
noslip_status ready_start(const noslip_model *r, const double *parameters, double *q, double *w,
                          noslip_error *err);

#endif
