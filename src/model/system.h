/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_MODEL_SYSTEM_H
#define NOSLIP_MODEL_SYSTEM_H

#include "fail.h"
#include "scope.h"

/* A mechanical system as it is given: energies, forces, constraints and quasi-velocities, all of them
 * expressions of one graph. Whoever reads a case (or makes up a system, as tests do) fills it; model.h derives from it.
 * Names are borrowed from the scope or the caller and live as long as the system. */

typedef struct {
    const char *name;
    expr symbol;  /* SYMBOL_PARAMETER */
    expr formula; /* of other parameters, a constant at its simplest */
    origin at;
    const char *unit, *about, *latex; /* for people; may be NULL */
} system_parameter;

typedef struct {
    const char *name;
    expr symbol; /* SYMBOL_COORDINATE */
    expr
        force; /* generalised force Q_i of [T-1], of parameters, coordinates and rates; a zero constant for none */
    origin at;
    const char *unit, *about, *latex;
} system_coordinate;

/* e = 0. Without rates it is holonomic, with rates it must be linear in them [T-2]. */
typedef struct {
    const char *label;
    expr e;
    origin at;
} system_constraint;

/* w = form(q, v), linear in the rates, with or without a term free of them [T-3]. */
typedef struct {
    const char *name;
    expr symbol; /* SYMBOL_QUASI, for use in other formulas */
    expr form;
    origin at;
} system_quasi;

typedef struct {
    graph *g;     /* owned */
    scope *names; /* owned */
    ARRAY(system_parameter) parameters;
    ARRAY(system_coordinate) coordinates;
    ARRAY(system_constraint) constraints;
    ARRAY(system_quasi) quasi; /* none: chosen by the model */
    expr kinetic;              /* T(q, v), at most quadratic in the rates */
    expr potential;            /* V(q) */
    expr dissipation;          /* F(q, v), Rayleigh's function */
    origin kinetic_at, potential_at, dissipation_at;
    value gravity; /* acceleration of free fall, a vector of 3; zero until set */
} mechanical_system;

/* An empty one: no coordinates, all energies zero. NULL when memory is short. */
mechanical_system *system_new(void);
void system_free(mechanical_system *s);

/* A new parameter, coordinate or quasi-velocity with its symbol; the name (n bytes, as the user wrote it) gets its meaning in the
 * scope. Errors as in scope.h, pointing at `at`. */
noslip_status system_add_parameter(mechanical_system *s, const char *name, size_t n, origin at,
                                   noslip_error *err);
noslip_status system_add_coordinate(mechanical_system *s, const char *name, size_t n, origin at,
                                    noslip_error *err);
noslip_status system_add_quasi(mechanical_system *s, const char *name, size_t n, expr form,
                               origin at, noslip_error *err);

/*
 * A rigid body: adds to T, and to V what gravity does.
 *
 *   position   of the mass centre, in space: a vector of 3 of parameters and coordinates
 *   rotation   from the axes of `inertia` to space, 3 x 3
 *   spin       angular velocity of the body against those axes, in them: a vector of 3; zero for none. A body of
 *              revolution may turn in axes in which its inertia stays the same.
 *   inertia    3 x 3, about the mass centre
 */
typedef struct {
    expr mass;
    value position, rotation, spin, inertia;
} rigid_body;

noslip_status system_add_body(mechanical_system *s, const rigid_body *body, noslip_error *err);

/* A force (vector of 3, in space) at a point (vector of 3, moving with the system): adds Q_i = force . d point / d q_i. */
noslip_status system_add_force_at(mechanical_system *s, const value *point, const value *force,
                                  noslip_error *err);

/*
 * Values of all parameters from their formulas, once: values[k] for parameter k. (parameters.h does it again and again.)
 *
 *   fixed   NULL, or fixed[k] not NULL takes the place of formula k
 *
 * NOSLIP_OK; NOSLIP_ERR_FORMULA, pointing at a parameter, if formulas go round in a circle or give something that is not
 * finite; NOSLIP_ERR_MEMORY.
 */
noslip_status system_evaluate_parameters(const mechanical_system *s, const double *const *fixed,
                                         double *value, noslip_error *err);

/* Numbers of n expressions of parameters. NOSLIP_OK; NOSLIP_NOT_FINITE (out is set, err is not); NOSLIP_ERR_MEMORY. */
noslip_status system_evaluate(const mechanical_system *s, const double *parameters, const expr *e,
                              size_t n, double *out, noslip_error *err);

#endif
