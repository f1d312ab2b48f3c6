/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_MANY_H
#define NOSLIP_MODEL_MANY_H

#include "batch.h"
#include "model.h"

/* The reduced equations at a batch of points: what reduced.h does, with the points innermost. A row is one number for each of
 * `lanes` points; matrices are rows column after column, as batch.h has them. Slopes are taken by x = (p, w) at once, positional
 * coordinates and quasi-velocities, N of them:
 *
 *   theory     code     size     meaning
 *   v          v        n        rates
 *   dv/dx      vx       n x N
 *   c, lambda  c        n        W' L: f reduced equations, then the reactions
 *   dc/dx      cx       f x N
 *   M          M        f x f    mass matrix                                                                  */

/* Compiled once, shared by threads. */
typedef struct {
    const model *m; /* borrowed */
    equations *e;
    size_t *place; /* n: which of the positional coordinates it is, or n_positional */
} many_equations;

/* `varies`, by parameter: it has a value for each point. NOSLIP_OK or NOSLIP_ERR_MEMORY. */
noslip_status many_equations_new(const model *m, const bool *varies, many_equations **out,
                                 noslip_error *err);
void many_equations_free(many_equations *e);

typedef struct {
    const many_equations *e;
    size_t lanes, n, f, p, N;
    batch_work *b;
    tape_work *forms, *turning, *motion, *slopes;
    const double **in;
    double **forms_out, **motion_out, **slopes_out;
    unsigned char *bad,
        *flag;      /* lanes: something is not finite or the forms depend on each other */
    double *memory; /* all rows below */
    double *
        parameters; /* n_parameters rows, in the order of the system; of one that does not vary the first
                                  entry counts */
    double *q, *w; /* n and f rows, set by the caller */
    double *v, *a, *mu, *u0, *L, *K;
    double *U, *A, *uq, *Kq, *Kv, *Lq, *Lv, *S; /* uq, Kq, Lq, S: by positional coordinates only */
    double *W1;                                 /* the last f columns of vx */
    double *lu, *pivot, *vx, *Y, *t, *c, *cx, *M;
    double *hint; /* lanes: how far U is from singular, see batch_factor */
} many;

many *many_new(const many_equations *e, size_t lanes); /* NULL when memory is short */
void many_free(many *k);

/* From parameters, q, w: v, c, with w' = 0. Lanes where that is not possible get bad[p] = 1; others are not touched by them, and
 * bad is not cleared. */
void many_values(many *k);

/* vx, cx and M, after many_values at the same point. */
void many_slopes(many *k);

/* Memory for rows: n numbers at a multiple of 64 bytes, zero; free with many_rows_free. NULL when memory is short. */
double *many_rows(size_t n);
void many_rows_free(double *rows);

#endif
