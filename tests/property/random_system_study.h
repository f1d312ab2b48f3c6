/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TEST_RANDOM_SYSTEM_STUDY_H
#define NOSLIP_TEST_RANDOM_SYSTEM_STUDY_H

#include "random_system.h"
#include "spectrum.h"

/* How a random system is told to noslip: coordinate i of it stands at place[i] and is scale[i] times the new one. */
typedef struct {
    int place[MOST];
    double scale[MOST];
    const char *prefix; /* of the names */
} layout;

layout layout_plain(const random_system *y);
layout layout_draw(const random_system *y, dice *d);

enum { QUASI_CHOSEN = -1 }; /* by noslip, else the set that is given */

/* There are none, but they must be somewhere. */
extern const double study_parameters[1];

mechanical_system *study_build(const random_system *y, const layout *l, int set);

/* The steady motion near the known one, and its roots. */
typedef struct {
    const random_system *y;
    layout l;
    mechanical_system *s;
    model *m;
    steady *motion;
    spectrum *x;
    steady_info info;
    noslip_status status; /* of the search */
    double q[MOST], w[MOST];
} study;

/* From a start that is off by `off` at random in each coordinate and quasi-velocity. */
void study_open(study *z, const random_system *y, const layout *l, int set, double off);
void study_close(study *z);

/* Whether noslip's positional coordinates are the system's. */
bool study_has_positional(const study *z);

/* Its state x = (p, w), in the order and scale of the system, if the layout is the plain one. */
void study_state(const study *z, real *state);

#endif
