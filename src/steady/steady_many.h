/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_STEADY_MANY_H
#define NOSLIP_STEADY_MANY_H

#include "many.h"

/* Steady motions at a batch of points: Newton's iteration on F of steady.h, a step of least squares in every lane. It is for
 * points whose solution is near the start and isolated; whatever is not as plain as that is left to be done alone. */

/* Compiled once, shared by threads. */
typedef struct {
    many_equations *e;
    size_t levels, conditions;    /* rows of F behind v_p and c */
    tape *rest;                   /* g, conditions, then the slopes listed */
    ARRAY(equation_entry) slopes; /* row of the rest; column among p, v, w; the block is not used */
} steady_plan;

/*
 *   conditions   `n` expressions as in steady.h
 *   varies       by parameter: it has a value for each point
 *
 * NOSLIP_OK, or an error of tape_compile.
 */
noslip_status steady_plan_new(const model *m, const expr *conditions, size_t n, const bool *varies,
                              steady_plan **out, noslip_error *err);
void steady_plan_free(steady_plan *p);

typedef enum {
    LANE_RUNS,
    LANE_DONE,
    LANE_UNSURE, /* the motion is found, its roots are to be looked at more closely */
    LANE_ALONE,
} lane_state;

typedef struct {
    const steady_plan *plan;
    many *k;
    batch_work *b;
    size_t lanes, N, rows; /* unknowns, equations */
    tape_work *rest;
    const double **in;
    double **out;
    double *memory;
    double *x;                   /* N rows: the start, then the solution */
    double *F, *J, *step;        /* rows, rows x N, N */
    double *values, *slopes;     /* of the rest */
    double *size;                /* of the last step, relative */
    double *before;              /* the step before that */
    double *ratio;               /* how far J is from singular, see batch_least_squares */
    double *off, *slope, *reach; /* the largest of F, of J, of x */
    unsigned char *state;        /* lane_state */
} steady_many;

steady_many *steady_many_new(const steady_plan *p, size_t lanes); /* NULL when memory is short */
void steady_many_free(steady_many *s);

/*
 * From x, and the parameters and cyclic coordinates in s->k, to the solution. state[i] is LANE_DONE where the steps shrank as
 * Newton's do, so that the solution belongs to the start; the slopes in s->k are those of the solution then. LANE_ALONE elsewhere:
 * there may be no solution, or more than one. What happens in a lane does not depend on the others.
 */
void steady_many_solve(steady_many *s);

#endif
