/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_BUILD_H
#define NOSLIP_EXPR_BUILD_H

#include "formula.h"
#include "scope.h"

/* A name bound to a whole number from outside: the index of a family, of a sum. */
typedef struct index_binding {
    const char *name; /* in normal form */
    long value;
    const struct index_binding *outer; /* NULL for the outermost */
} index_binding;

enum { BUILD_MOST_STEPS = 5000000 }; /* of one formula, its sums written out */

/*
 * Give a formula its meaning: build it in the scope's graph.
 *
 *   allowed   kinds of symbols that may stand in it, as a sum (graph.h)
 *   indices   bound names, or NULL
 *   out       set on NOSLIP_OK only; an equation gives left minus right
 *
 * Names are resolved and dimensions checked here. Returns NOSLIP_OK; NOSLIP_ERR_FORMULA with place
 * and words in `err`; NOSLIP_ERR_MEMORY.
 */
noslip_status formula_build(const formula *f, scope *names, unsigned allowed,
                            const index_binding *indices, value *out, noslip_error *err);

/* The same where only a number will do. */
noslip_status formula_build_number(const formula *f, scope *names, unsigned allowed,
                                   const index_binding *indices, expr *out, noslip_error *err);

#endif
