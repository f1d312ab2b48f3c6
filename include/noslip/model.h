/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_H
#define NOSLIP_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "noslip/case.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A case made ready: which constraints count, which quasi-velocities are used, which coordinates matter. */
typedef struct noslip_model noslip_model;

/*
 * The case must live longer and belongs to this model: one thread at a time.
 *
 * NOSLIP_OK; NOSLIP_ERR_FORMULA, pointing at the offender, if the system cannot be used (an energy that is not quadratic,
 * constraints that contradict each other, a mass matrix that is not positive definite ...); NOSLIP_NOT_FINITE if the
 * guess cannot be evaluated; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_model_make(noslip_case *c, noslip_model **out, noslip_error *err);
NOSLIP_API void noslip_model_free(noslip_model *m); /* accepts NULL */

typedef struct {
    size_t coordinates, positional;
    size_t constraints, independent; /* as given, and how many of them count */
    size_t levels;                   /* holonomic ones among those */
    size_t quasi_velocities;
    bool chosen; /* the quasi-velocities were chosen, not given */
} noslip_model_info;
NOSLIP_API noslip_model_info noslip_model_about(const noslip_model *m);

typedef enum {
    NOSLIP_CYCLIC,       /* nothing that matters depends on it */
    NOSLIP_IN_EQUATIONS, /* positional: the reduced equations depend on it */
    NOSLIP_IN_LEVEL,     /* positional: a holonomic constraint does */
    NOSLIP_IN_RATE,      /* positional: the rate of a positional coordinate does */
} noslip_role;

typedef struct {
    const char *name, *unit; /* unit NULL if the case gives none */
    noslip_role role;
    const char *because; /* of NOSLIP_IN_RATE: the coordinate whose rate it is; otherwise NULL */
} noslip_coordinate;
NOSLIP_API noslip_coordinate noslip_model_coordinate(const noslip_model *m, size_t k);

typedef struct {
    const char *label;
    const char *formula; /* what is zero; a long one ends in ... */
    bool holonomic;
    bool kept; /* false: it follows from the others and was left out */
} noslip_constraint;
NOSLIP_API noslip_constraint noslip_model_constraint(const noslip_model *m, size_t k);

typedef struct {
    const char *name;    /* the form itself if it was chosen */
    const char *formula; /* of coordinates and rates */
} noslip_quasi_velocity;
NOSLIP_API noslip_quasi_velocity noslip_model_quasi(const noslip_model *m, size_t k);

typedef enum { NOSLIP_KINETIC, NOSLIP_POTENTIAL, NOSLIP_DISSIPATION } noslip_energy;
/* As a formula; a long one ends in ... */
NOSLIP_API const char *noslip_model_energy(const noslip_model *m, noslip_energy which);

/* State k: the positional coordinates in their order, then the quasi-velocities. NULL beyond the last. */
NOSLIP_API const char *noslip_model_state(const noslip_model *m, size_t k);

#ifdef __cplusplus
}
#endif
#endif
