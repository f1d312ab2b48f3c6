/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_FORMULA_H
#define NOSLIP_FORMULA_H

#include <stddef.h>

#include "noslip/error.h"
#include "noslip/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One formula by itself: read it, differentiate it, put numbers into it.
 *
 * Names need not be declared: one that stands with a prime somewhere, or is listed as a coordinate,
 * is a coordinate; `t` is the time; every other is a parameter. An object belongs to one thread at
 * a time.
 *
 * A formula has parts, numbered from 0: part 0 is the formula itself, each derivative adds one. All
 * have the same size: rows*cols entries, 1 for a number.
 */
typedef struct noslip_formula noslip_formula;

enum { NOSLIP_FORMULA_ENTRIES = 16 }; /* the most that a part has */

typedef struct {
    int rows, cols;
    size_t operations;   /* to evaluate one point: additions, products, functions */
    size_t instructions; /* the steps that do them */
    size_t registers;    /* intermediate results held at once */
} noslip_formula_info;

/*
 *   text          the formula, UTF-8
 *   coordinates   names (any number, ended by NULL) that are coordinates though no prime shows it;
 * may be NULL out           set on NOSLIP_OK; free with noslip_formula_close
 *
 * Returns NOSLIP_OK, NOSLIP_ERR_FORMULA with the place and the reason in `err`, or
 * NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_formula_open(const char *text, const char *const *coordinates,
                                             noslip_formula **out, noslip_error *err);
NOSLIP_API void noslip_formula_close(noslip_formula *f); /* accepts NULL */

/* The names that need a number, in the order in which noslip_formula_evaluate takes them: symbol k,
 * or NULL beyond the last. Deriving by the time may add rates at the end. */
NOSLIP_API const char *noslip_formula_name(const noslip_formula *f, size_t k);

/* "parameter", "coordinate", "rate", "acceleration" or "time". */
NOSLIP_API const char *noslip_formula_kind(const noslip_formula *f, size_t k);

/* Differentiate part 0 by a name of noslip_formula_name, or by the time if `name` is NULL; *part is
 * the number of the new part. NOSLIP_ERR_ARG if there is no such name, or for the time derivative
 * of an acceleration. */
NOSLIP_API noslip_status noslip_formula_derive(noslip_formula *f, const char *name, size_t *part,
                                               noslip_error *err);

/* A part as text in the language of formulas, simplified; the entries of a vector or matrix row by
 * row, one a line. Belongs to the formula. NULL when memory is short or the text would be longer
 * than 64 KiB. */
NOSLIP_API const char *noslip_formula_text(noslip_formula *f, size_t part);

/*
 * Evaluate a part at one point.
 *
 *   values   a number for each name
 *   out      rows*cols entries, row by row
 *
 * Returns NOSLIP_OK, NOSLIP_NOT_FINITE (out is set, and shows what is not finite) or
 * NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_formula_evaluate(noslip_formula *f, size_t part,
                                                 const double *values, double *out);

/* Size of a part and what it costs. NOSLIP_OK or NOSLIP_ERR_MEMORY. */
NOSLIP_API noslip_status noslip_formula_measure(noslip_formula *f, size_t part,
                                                noslip_formula_info *info);

#ifdef __cplusplus
}
#endif
#endif
