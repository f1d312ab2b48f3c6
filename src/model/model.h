/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_MODEL_H
#define NOSLIP_MODEL_MODEL_H

#include "reduced.h"

/* A system made ready: independent constraints, quasi-velocities, positional and cyclic coordinates, compiled equations. Immutable
 * once made, but for the system's graph, which further formulas may still use. */

typedef enum {
    NEEDED_NOT,       /* cyclic: nothing that is needed depends on it */
    NEEDED_EQUATIONS, /* M or c depends on it */
    NEEDED_LEVEL,     /* a holonomic constraint does */
    NEEDED_RATE,      /* the rate of another needed coordinate does */
} needed_why;

typedef enum {
    CONSTRAINT_KEPT,
    CONSTRAINT_FOLLOWS,     /* from the others: left out */
    CONSTRAINT_CONTRADICTS, /* the others: refused */
} constraint_fate;

typedef struct {
    mechanical_system *s; /* borrowed */
    equations *e;
    size_t n, f;           /* coordinates, quasi-velocities */
    constraint_fate *fate; /* by constraint of the system: kept, or left out because it follows */
    size_t n_constraints;  /* those kept, each independent of the others */
    size_t *constraint;    /* of the system, n_constraints of them */
    size_t n_levels;       /* holonomic ones among those kept */
    size_t *level;         /* of the system */
    char **quasi;          /* f names, owned */
    expr *form;            /* n: quasi-velocities, then constraints in rate form */
    bool own_quasi;        /* chosen here, not given */
    needed_why *why;       /* n */
    size_t *because;       /* n: for NEEDED_RATE the coordinate whose rate it is */
    size_t n_positional;
    size_t *positional; /* their indices, ascending */
    tape *levels;       /* g and dg/dq (n_levels, n_levels x n) of parameters and q */
} model;

/*
 *   parameters   values, for the decisions that are made in numbers
 *   reference    n coordinates near which the system is used; NULL for zero
 *
 * NOSLIP_OK. NOSLIP_ERR_FORMULA, pointing at the offender: T not quadratic in the rates, constraints not linear in them,
 * constraints that contradict each other, quasi-velocities that are too many, too few, or dependent, a mass matrix that is not positive
 * definite on the constraints, nothing that can be evaluated near the reference. NOSLIP_ERR_MEMORY.
 */
noslip_status model_new(mechanical_system *s, const double *parameters, const double *reference,
                        model **out, noslip_error *err);
void model_free(model *m);

#endif
