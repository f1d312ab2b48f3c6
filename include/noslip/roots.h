/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_ROOTS_H
#define NOSLIP_ROOTS_H

#include <stddef.h>

#include "noslip/case.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The steady motion of a case, the roots of its linearised equations, and the verdict. */
typedef struct noslip_roots noslip_roots;

typedef struct {
    double re, im;
    double bound; /* estimated |computed - exact|; never negative */
} noslip_root;

typedef enum {
    NOSLIP_ASYMPTOTICALLY_STABLE, /* all roots to the left: the manifold of steady motions attracts */
    NOSLIP_UNSTABLE_DIVERGENCE,   /* some to the right, the rightmost is real */
    NOSLIP_UNSTABLE_FLUTTER,      /* some to the right, the rightmost is a pair */
    NOSLIP_NEUTRAL,    /* none to the right, some on the axis: linear equations cannot decide */
    NOSLIP_DEGENERATE, /* a root is zero that the manifold does not account for */
} noslip_verdict;

typedef struct {
    size_t coordinates, positional; /* how many, and how many of them matter */
    size_t manifold_dimension;      /* k: zero roots that say nothing about stability */
    size_t holonomic_levels;        /* further ones, of holonomic constraints */
    size_t states;                  /* size of G: positional coordinates, then quasi-velocities */
    size_t roots;                   /* the others */
    size_t reactions;               /* independent constraints */
    size_t
        free_directions; /* of the manifold, that `with` leaves open: the nearest point was taken */
    int iterations;
    double residual;             /* of the equations of steady motion, largest */
    double gap_above, gap_below; /* singular values on either side of the rank decision, relative */
    double abscissa;             /* largest real part */
    noslip_verdict verdict;
} noslip_roots_info;

/*
 * Find the steady motion of a case, from its guess, with its conditions, and the roots there. The case belongs to this call while
 * it runs: one thread at a time.
 *
 * NOSLIP_OK; NOSLIP_NO_CONVERGENCE, NOSLIP_SINGULAR or NOSLIP_NOT_FINITE, with words in `err`, if there is no steady motion to be
 * found from there; NOSLIP_ERR_FORMULA, pointing at the offender, if the system cannot be used; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_roots_find(noslip_case *c, noslip_roots **out, noslip_error *err);
NOSLIP_API void noslip_roots_free(noslip_roots *r); /* accepts NULL */
NOSLIP_API noslip_roots_info noslip_roots_about(const noslip_roots *r);

/* Root k, by falling real part. */
NOSLIP_API noslip_root noslip_roots_at(const noslip_roots *r, size_t k);

/* State k of G: its name, its value on the steady motion; G itself, row by row. */
NOSLIP_API const char *noslip_roots_state(const noslip_roots *r, size_t k);
NOSLIP_API double noslip_roots_value(const noslip_roots *r, size_t k);
NOSLIP_API double noslip_roots_matrix(const noslip_roots *r, size_t row, size_t column);

/* Reaction k: the constraint's label, and lambda with L = D' lambda: the constraint acts with lambda along its form. */
NOSLIP_API const char *noslip_roots_label(const noslip_roots *r, size_t k);
NOSLIP_API double noslip_roots_reaction(const noslip_roots *r, size_t k);

#ifdef __cplusplus
}
#endif
#endif
