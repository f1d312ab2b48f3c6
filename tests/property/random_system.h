/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TEST_RANDOM_SYSTEM_H
#define NOSLIP_TEST_RANDOM_SYSTEM_H

#include <stdbool.h>

#include "random_tree.h"

typedef long double real;

enum { MOST = 8, MOST_WAVES = 2, MOST_STATES = 2 * MOST };

/* A function of the coordinates: a constant and a few terms  size*sin(turn*q[by] + phase)*(q[times], or 1 if times < 0). */
typedef struct {
    double size, turn, phase;
    int by, times;
} wave;

typedef struct {
    double middle;
    int n;
    wave at[MOST_WAVES];
} field;

real field_value(const field *f, const real *q);
real field_slope(const field *f, const real *q, int j);
real field_curvature(const field *f, const real *q, int i, int j);

/*
 * A random mechanical system that has a known steady motion, as plain numbers.
 *
 * Coordinates: m positional, then cyclic ones; of these the three from `heading` on (if not negative) are psi, x, y, and those from
 * `apart` on stand in no constraint and no force. All is written in sigma = P(psi) v, the rates with x' and y' turned into the
 * direction psi, and depends on the positional coordinates alone, so that psi is cyclic though it stands in every formula:
 *
 *     T = sigma' mass sigma/2 + linear' sigma + rest     F = sigma' friction sigma/2
 *     V = potential + sum (well p/2 + tilt) p            Q = P' (force + gyro sigma),  gyro skew
 *     level = 0 (the first `levels` constraints)         D sigma + d = 0 (the others)
 *     w = quasi sigma + quasi_free, two sets of them
 *
 * The steady motion is q0, sigma0, with sigma0 = 0 for positional coordinates. It is one because the constants of D, d, gyro, tilt
 * and force are chosen last. `manifold` is the dimension of steady motions, by counting:
 *
 *     driven                               friction on all rates but those apart, and a force: each speed apart
 *     not, with heading or gyroscopic      the work of all forces is zero, so one equation follows from the others: these and 1
 *     neither                              momenta are constant by themselves: as many as constraints leave, at least 1
 */
typedef struct {
    unsigned long long seed;
    int n, m, heading, apart;
    int levels, s; /* holonomic ones, all constraints */
    bool driven, plain, gyroscopic;
    int manifold;
    field mass[MOST][MOST], linear[MOST], rest;
    field potential;
    double well[MOST], tilt[MOST];
    field friction[MOST][MOST], gyro[MOST][MOST], force[MOST];
    field level[MOST], D[MOST][MOST], d[MOST];
    field quasi[2][MOST][MOST], quasi_free[2][MOST];
    double q0[MOST], sigma0[MOST];
    real reaction[MOST]; /* at the steady motion */
} random_system;

/* Plain: T quadratic, no forces, constraints and quasi-velocities without terms free of rates; the class of Slawinski's paper. */
void random_system_draw(random_system *y, unsigned long long seed, bool plain);

/* All of its functions at one position, with slopes by the positional coordinates; the rows of forms are quasi-velocities of one
 * set, then constraints. */
typedef struct {
    const random_system *y;
    real q[MOST], mass[MOST][MOST], mass_slope[MOST][MOST][MOST];
    real linear[MOST], linear_slope[MOST][MOST], rest_slope[MOST], potential_slope[MOST];
    real friction[MOST][MOST], gyro[MOST][MOST], force[MOST];
    real form[MOST][MOST], form_slope[MOST][MOST][MOST];
    real form_free[MOST], form_free_slope[MOST][MOST];
} position;

void position_at(position *x, const random_system *y, const real *q, int set);

/* P u, P' u, and what sigma changes by while only psi turns. */
void position_turn(const position *x, const real *u, real *out);
void position_turn_back(const position *x, const real *u, real *out);

/* [T-1] by hand, at coordinates' rates v and accelerations a. */
void position_lagrange(const position *x, const real *v, const real *a, real *L);

/* v of the quasi-velocities; all forms of v; their time derivatives. */
void position_rates(const position *x, const real *w, real *v);
void position_forms(const position *x, const real *v, real *u);
void position_form_rates(const position *x, const real *v, const real *a, real *K);

/* Accelerations and reactions from Lagrange's equations with multipliers. */
void position_accelerate(const position *x, const real *v, real *a, real *lambda);

/* The field (p, w)' of N = m + n - s states by that way, and its matrix by differences of eighth order. */
int oracle_states(const random_system *y);
void oracle_field(const random_system *y, int set, const real *state, real *out);
void oracle_matrix(const random_system *y, int set, const real *state, real G[][MOST_STATES]);

#endif
