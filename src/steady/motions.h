/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_STEADY_MOTIONS_H
#define NOSLIP_STEADY_MOTIONS_H

#include "noslip/steady.h"
#include "ready.h"
#include "steady.h"

/* One steady motion, all numbers in one block. */
typedef struct {
    steady_info info;
    double *q, *v, *w; /* n, n, f */
    double *lambda;    /* of the constraints kept */
    double *open;      /* free_directions rows of N */
    noslip_power power;
} steady_motion;

struct noslip_steady {
    noslip_model *r; /* borrowed */
    steady *s;
    ARRAY(steady_motion) motions;
    int starts;  /* of a search; 0 if there was none */
    double *box; /* of a search, by state: from (N), to (N), then scratch; otherwise NULL */
};

/* The power that each kind of force takes out at the point where `s` stands. NOSLIP_OK, NOSLIP_NOT_FINITE, NOSLIP_ERR_MEMORY. */
noslip_status power_at(const steady *s, noslip_power *out, noslip_error *err);

/* Say why no steady motion was found, as far as it can be told: steady_solve gave `status` for the conditions of the case. */
noslip_status explain_failure(const noslip_model *r, const steady *s, noslip_status status,
                              const steady_info *info, noslip_error *err);

/* The box that is searched unless another is given: N numbers each. */
void motions_box(const noslip_model *r, double *from, double *to);

/* A solver for the case's conditions. */
noslip_status motions_solver(const noslip_model *r, steady **out, noslip_error *err);

#endif
