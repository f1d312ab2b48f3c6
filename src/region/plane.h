/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_PLANE_H
#define NOSLIP_REGION_PLANE_H

#include "ready.h"
#include "steady_many.h"

/* A plane of two parameters: what is compiled once and shared by threads. Places in it are (u, v), both from 0 to 1 between the ends of
 * the axes. */
typedef struct {
    const noslip_model *r; /* borrowed */
    steady_plan *plan;
    size_t parameter[2];
    double from[2], to[2];
    size_t N;          /* unknowns of a steady motion */
    bool *varies;      /* by parameter: one of the two, or a formula of them */
    size_t *dependent; /* those that are formulas */
    size_t n_dependent;
    tape *formulas; /* values of the dependent ones from all parameters */
} plane;

/*
 *   axes   of the two parameters: index, from, to
 *
 * NOSLIP_OK, NOSLIP_ERR_MEMORY, NOSLIP_ERR_FORMULA.
 */
typedef struct {
    size_t parameter;
    double from, to;
} plane_axis;
noslip_status plane_new(const noslip_model *r, const plane_axis axes[2], plane **out,
                        noslip_error *err);
void plane_free(plane *p);

/* Parameters at many places, rows of `lanes`; those that do not vary have been set by plane_fill. */
typedef struct {
    const plane *p;
    tape_work *formulas;
    const double **in;
    double **out;
    double *scratch; /* rows */
    size_t lanes;
} plane_work;

/* Over the rows of parameters of a batch, which must live longer. NULL when memory is short. */
plane_work *plane_work_new(const plane *p, double *parameters, size_t lanes);
void plane_work_free(plane_work *w);

/* Set the parameters of all lanes: places (u[i], v[i]). */
void plane_put(plane_work *w, double *parameters, const double *u, const double *v);

#endif
