/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_BENCH_SYSTEMS_H
#define NOSLIP_BENCH_SYSTEMS_H

#include "scope.h"
#include "tape.h"

/* What the benchmark of the engine evaluates. */
typedef struct {
    const char *name;
    graph *g;
    scope *names;
    expr in[64], out[512];
    size_t n_in, n_out;
    size_t n_parameters; /* the first inputs */
} bench_system;

/* (a) The kinetic energy of the rolling disk, its gradient and its Hessian by coordinates and rates. */
bench_system bench_disk(void);

/* (b) A chain of rotations and cross products of the size of a bicycle: kinetic energy of the bodies, its gradient. */
bench_system bench_chain(void);

/* One point by parameters, coordinates and rates that are odd numbers within 0.3 .. 1.3. */
double bench_input(size_t input, size_t point);

tape *bench_compile(const bench_system *s, size_t n_fixed);
void bench_free(bench_system *s);

#endif
