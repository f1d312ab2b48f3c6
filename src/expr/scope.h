/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_SCOPE_H
#define NOSLIP_EXPR_SCOPE_H

#include "fail.h"
#include "name.h"
#include "value.h"

/* What names mean in the formulas of one model: symbols, definitions and whole numbers. A member of
 * a family has its index in the name: "x[3]". */
typedef struct scope scope;

typedef struct {
    const char *name;
    bool has_value, has_integer;
    value v;
    long integer;       /* what the name means as an index or as a bound of a sum */
    bool used_as_index; /* some formula was built with that number: another one makes another model
                         */
} scope_entry;

scope *scope_new(graph *g); /* borrows the graph; NULL when memory is short */
void scope_free(scope *s);
graph *scope_graph(const scope *s);

/* Give a name a meaning. The name is n bytes, as written by the user. NOSLIP_OK;
 * NOSLIP_ERR_FORMULA, with the words in `err` but no place, if it is not a name, is reserved
 * (functions, pi) or has a meaning already; NOSLIP_ERR_MEMORY. */
noslip_status scope_symbol(scope *s, const char *name, size_t n, symbol_kind kind,
                           noslip_error *err);
noslip_status scope_define(scope *s, const char *name, size_t n, const value *v, noslip_error *err);

/* Let a name (with or without another meaning) stand for a whole number where a formula needs one:
 * in an index, in the bounds of a sum. */
noslip_status scope_integer(scope *s, const char *name, size_t n, long integer, noslip_error *err);

/* The entry of a name in normal form; NULL if it has no meaning. Valid until the next name is given
 * one. */
scope_entry *scope_find(const scope *s, const char *name);

/* The known name nearest to one that is not (name_tolerance); NULL if none is near. */
const char *scope_nearest(const scope *s, const char *name);

/* The lowest and highest index of family "x"; false if there is no member. */
bool scope_family(const scope *s, const char *family, long *low, long *high);

#endif
