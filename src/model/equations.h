/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_EQUATIONS_H
#define NOSLIP_MODEL_EQUATIONS_H

#include "system.h"
#include "tape.h"

/* The equations of a system for a given set of forms u(q,v), compiled: everything [T-8] needs, from tapes.
 *
 *   theory   code     size    meaning
 *   u        forms    m       quasi-velocities and constraints, linear in v
 *   U        U        m x n   du/dv
 *            u0       m       u at v = 0
 *   L        L        n       Lagrange expression [T-1]
 *   K        K        m       du/dt, at the accelerations a
 *   A        A        n x n   dL/da
 *            uq       m x n   du/dq;  Kq, Kv, Lq, Lv likewise
 *            S        n x n   d(U' mu)/dq at fixed mu
 *
 * Matrices stand column after column. Immutable once made, shared by threads; each has a workspace of its own. */
typedef enum {
    BY_U,
    BY_A,
    BY_uq,
    BY_Kq,
    BY_Kv,
    BY_Lq,
    BY_Lv,
    BY_S,
    EQUATION_BLOCKS
} equation_block;

/* An entry of a matrix that is not always zero. */
typedef struct {
    equation_block block;
    uint32_t row, column;
} equation_entry;

typedef struct {
    size_t n, m;
    size_t n_parameters;
    size_t n_fixed; /* inputs with one value for all points of a batch */
    size_t n_in;    /* parameters, q, v, a, mu */
    size_t *order;  /* input k holds parameter order[k]: those that do not vary come first */
    tape *forms, *turning, *motion, *slopes; /* turning: K alone */
    ARRAY(equation_entry) of_forms;          /* outputs of `forms` before u0, which ends them */
    ARRAY(equation_entry) of_slopes;         /* outputs of `slopes` */
} equations;

/* What is wanted of a set of equations; {0} for one point at a time and all slopes. */
typedef struct {
    const bool *varies; /* by parameter: it has a value for each point; NULL if none does */
    const bool *by;     /* by coordinate: slopes by it are wanted; NULL for all */
} equations_wish;

/*
 * Derive. The forms are expressions of the system's graph; the graph grows.
 *
 * NOSLIP_OK; NOSLIP_ERR_MEMORY.
 */
noslip_status equations_new(const mechanical_system *s, const expr *forms, size_t m,
                            equations_wish wish, equations **out, noslip_error *err);
void equations_free(equations *e);

typedef struct {
    const equations *e;
    tape_work *forms, *turning, *motion, *slopes;
    double *
        in; /* what the tapes read: set through the pointers below; parameters in their own order, so none may vary */
    double *parameters, *q, *v, *a, *mu; /* into `in` */
    double *out;                         /* raw outputs */
    uint32_t *of_forms, *of_slopes;      /* where they go */
    double *matrices;                    /* all of those below */
    double *U, *u0, *L, *K, *A, *uq, *Kq, *Kv, *Lq, *Lv, *S;
} equations_work;

equations_work *equations_work_new(const equations *e); /* NULL when memory is short */
void equations_work_free(equations_work *w);

/* Each reads what it names and sets what it gives; NOSLIP_OK, or NOSLIP_NOT_FINITE. */
noslip_status
equations_forms(equations_work *w); /* parameters, q -> U, u0 (v is set to zero on the way) */
noslip_status equations_turning(equations_work *w); /* parameters, q, v, a -> K */
noslip_status equations_motion(equations_work *w);  /* parameters, q, v, a -> L, K */
noslip_status equations_slopes(equations_work *w);  /* all -> A, uq, Kq, Kv, Lq, Lv, S */

#endif
