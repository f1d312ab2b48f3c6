/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_KERNEL_H
#define NOSLIP_EXPR_KERNEL_H

#include <stddef.h>

#include "opcode.h"

/* An evaluator of tapes for one kind of processor. All are made from one text, kernel_body.h,
 * with vectors of different length; those with and those without fused multiply-add are two
 * families, and within a family all give the same bits. */
typedef enum { MACHINE_NONE, MACHINE_AVX2, MACHINE_AVX512 } machine_kind;

typedef struct {
    const char *name;
    int block;            /* points in a row */
    machine_kind machine; /* what the pieces between calls are translated to (machine.h) */

    /* Run the instructions once, on one block. row[k] points at `block` doubles, of any
     * alignment; rows that overlap must be the same. */
    void (*run)(const instr *code, size_t n, double *const *row, const double *constant);

    /* Zero if all of row[0..n) are finite; else not a number, and so is sum[p] for each point p at which one is not. */
    double (*check)(double *const *row, size_t n, double *sum);

    /* One operation of the graph on numbers; one-point kernels only, NULL in the others. */
    double (*apply)(op o, double x, double y);
} kernel;

/* The fastest this processor runs, and the one-point kernel of the same family. Decided once. */
const kernel *kernel_best(void);
const kernel *kernel_one(void);

/* All that this processor runs, for tests: kernel k, or NULL beyond the last; a kernel and its
 * one-point companion. */
const kernel *kernel_at(int k, const kernel **one);

#endif
