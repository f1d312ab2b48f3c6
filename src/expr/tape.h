/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_TAPE_H
#define NOSLIP_EXPR_TAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "fail.h"
#include "graph.h"
#include "kernel.h"
#include "text.h"

/* A set of expressions compiled to a linear program: what is not needed is gone, each
 * common part is computed once, registers are used again. A tape does not refer to the graph
 * it came from, never changes, and may be shared by threads; each thread runs it with a
 * workspace of its own. */
typedef struct tape tape;
typedef struct tape_work tape_work;

typedef struct {
    const expr *in; /* symbols, no one twice; their values are given when the tape runs */
    size_t n_in;
    size_t n_fixed;  /* the first so many inputs have one value for all points of a batch: all that
                        depends on them alone is computed once a batch, not once a point */
    const expr *out; /* the expressions wanted; any, also the same one twice */
    size_t n_out;
} tape_spec;

typedef struct {
    size_t operations;   /* additions, products, functions ... for each point; a fused one counts as
                            two */
    size_t instructions; /* steps that do them */
    size_t stores;       /* steps whose result goes to a row */
    size_t registers;    /* rows beside inputs and outputs */
    size_t constants;    /* numbers that are the same for all points */
    size_t prologue;     /* instructions that run once a batch */
} tape_info;

/*
 * Compile. Returns NOSLIP_OK; NOSLIP_ERR_ARG, with the name in `err`, if an output depends on a
 * symbol that is not an input, or if an input is not a symbol or stands twice; NOSLIP_ERR_MEMORY.
 * Free `*out` with tape_free.
 */
noslip_status tape_compile(const graph *g, const tape_spec *spec, tape **out, noslip_error *err);
void tape_free(tape *t);
tape_info tape_measure(const tape *t);

/* One line an instruction, and a head that counts. */
void tape_list(const tape *t, text *out);

/* Memory to run one tape, which must live longer. NULL when memory is short. */
tape_work *tape_work_new(const tape *t);
void tape_work_free(tape_work *w);

/* The same with kernels of the caller's choice, for tests. */
tape_work *tape_work_with(const tape *t, const kernel *many, const kernel *one);

/*
 * Evaluate a batch of points, points innermost: in[k] are the values of input k, `points` of them
 * (a single one if input k is fixed), and out[k] takes the values of output k. Outputs may not
 * overlap inputs or each other. Fastest if the arrays stand at multiples of 64 bytes and are longer
 * than a block.
 *
 *   bad     bad[p] = 1 if an output at point p is infinite or not a number, else 0; may be NULL
 *
 * Returns NOSLIP_OK, or NOSLIP_NOT_FINITE if there is such a point; the others are right then, too.
 */
noslip_status tape_batch(tape_work *w, const double *const *in, double *const *out, size_t points,
                         unsigned char *bad);

/* Evaluate one point: in[n_in], out[n_out]. Gives the same bits as a batch. */
noslip_status tape_point(tape_work *w, const double *in, double *out);

/* The compiled form, for evaluators and writers. Rows are numbered: inputs, outputs, registers. */
struct tape {
    size_t n_in, n_fixed, n_out, n_registers;
    ARRAY(instr) code;
    ARRAY(double) constants; /* literals, then room for the results of the prologue */
    tape *prologue; /* in: the fixed inputs; out: the last constants; NULL if there is none */
    size_t operations;
};

#endif
