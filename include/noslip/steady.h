/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_STEADY_H
#define NOSLIP_STEADY_H

#include <stddef.h>

#include "noslip/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Steady motions of a model: one, or all that a search of a box finds. */
typedef struct noslip_steady noslip_steady;

/*
 * The steady motion nearest to the case's guess that meets its conditions. The model must live longer.
 *
 * NOSLIP_OK; NOSLIP_NO_CONVERGENCE, NOSLIP_SINGULAR or NOSLIP_NOT_FINITE, with the reason in `err` as far as it can be told
 * (conditions that do not go together, energy that nothing feeds in), if none was found; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_steady_find(noslip_model *m, noslip_steady **out,
                                            noslip_error *err);

typedef struct {
    const char *name; /* of a state */
    double from, to;
} noslip_range;

typedef struct {
    int starts; /* quasi-random points to begin at; default 500, at least 1 */
    const noslip_range *
        ranges; /* the box. A coordinate not named goes 3.2 to either side of the guess, a quasi-velocity */
    size_t n_ranges; /* twice the guess and 10 */
} noslip_search;
NOSLIP_API noslip_search noslip_search_default(void);

/*
 * Every steady motion in a box that meets the conditions, in the order of their states. One that is there has not been found only if
 * no start came near it. Returns as noslip_steady_find, and NOSLIP_ERR_ARG, with words, if the conditions leave a direction open
 * (there are then infinitely many), or a range has no state or no length.
 */
NOSLIP_API noslip_status noslip_steady_find_all(noslip_model *m, const noslip_search *o,
                                                noslip_steady **out, noslip_error *err);
NOSLIP_API void noslip_steady_free(noslip_steady *s); /* accepts NULL */
NOSLIP_API size_t noslip_steady_count(const noslip_steady *s);

/* Of a search: how many starts were made, and the range of state k. 0, and a range without a name, if there was none or there is no
 * such state. */
NOSLIP_API int noslip_steady_starts(const noslip_steady *s);
NOSLIP_API noslip_range noslip_steady_range(const noslip_steady *s, size_t k);

typedef struct {
    size_t manifold_dimension; /* k: dimension of the manifold of steady motions here */
    size_t holonomic_levels;   /* further zero roots, of holonomic constraints */
    size_t free_directions;    /* of the manifold, that the conditions leave open */
    size_t spare_conditions;   /* that hold here but do not narrow the choice */
    int iterations;
    double residual;             /* of the equations, largest */
    double gap_above, gap_below; /* singular values on either side of the rank decision, relative */
} noslip_steady_info;
NOSLIP_API noslip_steady_info noslip_steady_about(const noslip_steady *s, size_t motion);

/* On motion `motion`: state k (noslip_model_state), the rate of coordinate k, and coordinate k itself (of a cyclic one: where it was
 * looked at). */
NOSLIP_API double noslip_steady_state(const noslip_steady *s, size_t motion, size_t k);
NOSLIP_API double noslip_steady_rate(const noslip_steady *s, size_t motion, size_t k);
NOSLIP_API double noslip_steady_coordinate(const noslip_steady *s, size_t motion, size_t k);

/* lambda of constraint k (noslip_model_constraint), with L = D' lambda: the force that the constraint adds along its form,
 * lambda times the coefficients of the rates. 0 for one that was left out. */
NOSLIP_API double noslip_steady_reaction(const noslip_steady *s, size_t motion, size_t k);

/* State k of free direction d: a unit vector along which the conditions leave the motion open. */
NOSLIP_API double noslip_steady_free_direction(const noslip_steady *s, size_t motion, size_t d,
                                               size_t k);

/* Power that each takes out of the system; on a steady motion they add up to zero. */
typedef struct {
    double dissipation, potential, forces, constraints;
} noslip_power;
NOSLIP_API noslip_power noslip_steady_power(const noslip_steady *s, size_t motion);

#ifdef __cplusplus
}
#endif
#endif
