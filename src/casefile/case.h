/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CASEFILE_CASE_H
#define NOSLIP_CASEFILE_CASE_H

#include "noslip/case.h"
#include "system.h"
#include "tree.h"

/* A case: the mechanical system of a file and what is asked about it. cases/README.md is the user's view of the same. */

/* An equation of `steady: with:`, left minus right: of parameters, coordinates, rates and quasi-velocities, and of at least one
 * that is not a parameter. */
typedef struct {
    expr e;
    origin at;
} case_condition;

/* `guess`: where to begin looking. Of two entries with one target the later holds. */
typedef struct {
    expr target; /* symbol of a coordinate, a rate or a quasi-velocity */
    expr start;  /* of parameters only */
    origin at;
} case_guess;

/* One parameter going from one value to another; the two differ. */
typedef struct {
    size_t parameter;      /* index into the system's */
    expr from, to;         /* of parameters only */
    size_t modes, n_modes; /* names of modes: those from `modes` on in the case's mode_names */
    origin at;
} case_trace;

typedef struct {
    case_trace x, y; /* of two parameters */
    origin at;
} case_region;

typedef struct {
    char *bytes; /* "name=value" as given */
    source src;
    size_t equals; /* place of the = */
    size_t parameter;
} case_override;

struct noslip_case {
    char *file;
    char *bytes; /* the whole file; origins and labels point into it and into the tree */
    source src;
    tree t;
    const char *title; /* "" if there is none */
    mechanical_system *system;
    double *parameters; /* values, overrides applied, one for each of the system's */
    ARRAY(case_condition) conditions;
    ARRAY(case_guess) guess;
    ARRAY(case_trace) traces;
    ARRAY(case_region) regions;
    ARRAY(const char *) mode_names; /* of all traces; they belong to the tree */
    case_override *overrides;
    size_t n_overrides;
    ARRAY(char *) strings; /* labels of members of families */
};

enum { CASE_LARGEST = 4 << 20 }; /* bytes of a file */

/*
 * Read a file.
 *
 *   overrides   NULL, or texts "name=value" ended by NULL: value, a formula of parameters, takes the place of the formula of
 *               that parameter
 *   out         set on NOSLIP_OK only; free with case_free
 *
 * Returns NOSLIP_OK; NOSLIP_ERR_FILE if the file cannot be read; NOSLIP_ERR_CASE or NOSLIP_ERR_FORMULA, with the place, if it
 * cannot be understood; NOSLIP_ERR_MEMORY.
 */
noslip_status case_read(const char *path, const char *const *overrides, noslip_case **out,
                        noslip_error *err);

/* The same from memory; `name` stands for the file in messages. Both are copied. */
noslip_status case_read_bytes(const char *name, const char *bytes, size_t n,
                              const char *const *overrides, noslip_case **out, noslip_error *err);
void case_free(noslip_case *c);

#endif
