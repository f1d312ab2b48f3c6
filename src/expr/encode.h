/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_ENCODE_H
#define NOSLIP_EXPR_ENCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "array.h"

/* Machine instructions of x86-64 on vectors of doubles, in bytes: the few that machine.c needs. VEX with 4 lanes and 16
 * registers, or EVEX with 8 lanes and 32.
 *
 * The function made is a loop over the points of a block,
 *
 *     void f(double *const *row, const double *constant, double *spill, size_t bytes)
 *
 * with row in rdi, constant in rsi, spill in rdx, bytes in rcx and the offset of the current points in r8. */
typedef struct {
    ARRAY(uint8_t) bytes;
    bool failed; /* memory was short */
    bool wide;   /* EVEX */
    uint32_t
        pointer[4]; /* the row whose address each of rax, r9, r10, r11 holds; UINT32_MAX for none */
    int oldest;     /* of them, the next to be replaced */
} encoder;

/* Where the last operand of an instruction is. */
typedef enum { IN_REGISTER, IN_ROW, IN_SPILL, IN_CONSTANT } place_kind;

typedef struct {
    place_kind kind;
    uint32_t
        index; /* register, row, slot of the spill area, constant (wide only: the same for all lanes) */
} place;

/* Operations with a destination, a first operand in a register and a second one anywhere. */
typedef enum {
    X_ADD,
    X_SUB,
    X_MUL,
    X_DIV,
    X_XOR,
    X_AND,
    X_SQRT, /* no first operand */
    X_FMADD132,
    X_FMADD213,
    X_FMADD231, /* 132: d = d*y + x, 213: d = x*d + y, 231: d = x*y + d */
    X_FMSUB132,
    X_FMSUB213,
    X_FMSUB231,
    X_FNMADD132,
    X_FNMADD213,
    X_FNMADD231,
} x_op;

void encode_op(encoder *e, x_op operation, int dst, int first, place second);
void encode_load(encoder *e, int dst, place from); /* a constant is spread over the lanes */
void encode_store(encoder *e, place to, int src);

/* Begin the loop, end it (and the function). encode_begin returns where the function starts. */
size_t encode_begin(encoder *e);
void encode_end(encoder *e, size_t begin);

#endif
