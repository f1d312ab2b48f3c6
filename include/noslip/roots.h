/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_ROOTS_H
#define NOSLIP_ROOTS_H

#include <stddef.h>

#include "noslip/steady.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The linearised equations about a steady motion: the matrix G, its roots, and the verdict. */
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
    size_t states;   /* size of G: positional coordinates, then quasi-velocities */
    size_t zeros;    /* roots of the manifold and of holonomic levels, set aside */
    size_t roots;    /* the others */
    double abscissa; /* largest real part of these; -infinity if there are none */
    noslip_verdict verdict;
} noslip_roots_info;

/*
 * At steady motion `motion` of `s`, which must live longer.
 *
 * NOSLIP_OK; NOSLIP_SINGULAR, NOSLIP_NO_CONVERGENCE or NOSLIP_NOT_FINITE, with words, if G or its roots cannot be computed;
 * NOSLIP_ERR_ARG if there is no such motion; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_roots_find(noslip_steady *s, size_t motion, noslip_roots **out,
                                           noslip_error *err);
NOSLIP_API void noslip_roots_free(noslip_roots *r); /* accepts NULL */
NOSLIP_API noslip_roots_info noslip_roots_about(const noslip_roots *r);

/* Root k, by falling real part; of a pair the one above first. */
NOSLIP_API noslip_root noslip_roots_at(const noslip_roots *r, size_t k);

/* The mode of root k at coordinate j, in the user's coordinates and with the largest of all at 1: complex, a column of re and
 * im. Positional coordinates are displacements; of a cyclic one, whose displacement has no meaning of its own, it is the rate. */
NOSLIP_API noslip_root noslip_roots_mode(const noslip_roots *r, size_t k, size_t coordinate);

/* The same at state j (a row of G). */
NOSLIP_API noslip_root noslip_roots_state_mode(const noslip_roots *r, size_t k, size_t state);

/* Matrices at the steady motion, by name; all of them have `rows` x `columns` entries, [row][column]. */
typedef enum {
    NOSLIP_MATRIX_G,   /* states x states */
    NOSLIP_MATRIX_U,   /* n x n: quasi-velocities, then constraints, by the rates */
    NOSLIP_MATRIX_W,   /* its inverse */
    NOSLIP_MATRIX_B11, /* f x f: W1' A W1, the mass matrix of the reduced equations */
    NOSLIP_MATRIX_Q11, /* f x f: W1' H W1, H the second derivatives of the Rayleigh function */
    NOSLIP_MATRIX_M, /* f x m: B11^-1 W11', W11 the rows of W1 that belong to positional coordinates */
    NOSLIP_MATRIX_A, /* n x n, the mass matrix without constraints */
} noslip_matrix;
NOSLIP_API void noslip_roots_matrix_size(const noslip_roots *r, noslip_matrix which, size_t *rows,
                                         size_t *columns);
NOSLIP_API double noslip_roots_matrix(const noslip_roots *r, noslip_matrix which, size_t row,
                                      size_t column);

#ifdef __cplusplus
}
#endif
#endif
