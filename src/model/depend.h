/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_DEPEND_H
#define NOSLIP_MODEL_DEPEND_H

#include "model.h"
#include "sample.h"

/* Rows that are independent of each other, found by Gram and Schmidt: an orthonormal basis that grows. A row may carry a number
 * behind its n entries (the term free of rates of a form) that goes through the same combinations. */
typedef struct {
    size_t n, rank;
    double *basis;   /* n rows of n + 1: entries and the number carried */
    double *scratch; /* n + 1 */
} row_basis;

bool row_basis_open(row_basis *b, size_t n); /* false when memory is short; close in either case */
void row_basis_close(row_basis *b);

/* What is left of a row when its part in the basis is taken away, relative to its length; `*carried` (may be NULL) takes what is left
 * of the number, relative to the largest met on the way. The row's entries stand `stride` apart. */
double row_basis_rest(row_basis *b, const double *row, size_t stride, double number,
                      double *carried);
void row_basis_add(row_basis *b); /* the row looked at last */

/*
 * What becomes of the constraints, forms first .. first + n of the equations. A row that depends on those before it at every
 * sample follows from them, if its own terms do, or contradicts them. Holonomic ones go first: they say where the
 * system is, and the same in rate form follows from them. Samples are moved onto the holonomic constraints that are kept.
 *
 *   levels   the holonomic constraints at (parameters, q), in their order: values, then slopes
 *   fate     n, set
 *
 * NOSLIP_OK, NOSLIP_NOT_FINITE, NOSLIP_ERR_MEMORY.
 */
noslip_status depend_find(equations_work *e, size_t first, size_t n, const bool *is_level,
                          const tape *levels, samples *s, constraint_fate *fate);

#endif
