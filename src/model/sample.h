/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_SAMPLE_H
#define NOSLIP_MODEL_SAMPLE_H

#include "reduced.h"

/* Random states near a reference, for decisions made in numbers. Always the same ones: a decision does not change from run to run. */
enum { SAMPLES = 6 };

typedef struct {
    size_t n;
    double *q; /* (SAMPLES + 1) x n, one state after the other, the reference last */
    double *w; /* SAMPLES x n: quasi-velocities, and more than enough of them */
    double *wdot;
    bool at_reference; /* whether the forms are defined at the reference itself */
} samples;

/*
 * States at which the forms can be evaluated. The spread is wide at first and shrinks if the neighbourhood is not defined.
 * NOSLIP_OK, NOSLIP_NOT_FINITE if there are none, NOSLIP_ERR_MEMORY. Free in either case.
 */
noslip_status samples_take(samples *x, equations_work *e, const double *reference);
void samples_free(samples *x);

/* Put state k into a workspace (q; w and wdot for as many as it has). */
void samples_put(const samples *x, size_t k, reduced *r);

/* A number within -1 .. 1 from a state that moves on (splitmix64). */
double sample_number(unsigned long long *state);

#endif
