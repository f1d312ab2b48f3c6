/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_OPCODE_H
#define NOSLIP_EXPR_OPCODE_H

#include <stdint.h>

#include "op.h"

/* What a tape is made of.
 *
 * A tape works on rows: a row holds one quantity for a block of points. The result of an
 * instruction stays in the accumulator (a block's worth of vector registers), and goes to a row as
 * well if somebody but the next instruction wants it. So each operand is one of three kinds:
 *
 *     R   a row
 *     C   a number that is the same for all points
 *     A   the accumulator: the result of the instruction just before
 *
 * (functions that are called work from rows to rows, and leave nothing in the accumulator) and each operation comes in one variant per combination of kinds: CODE_SUB_AC is the
 * accumulator minus a constant. Beside the operations of the graph a tape has
 *
 *     FMA    a*b + c          FMS    a*b - c          FNMA   c - a*b       (one rounding)
 *     SINCOS both of one angle: the sine is the result, the cosine goes to row c
 *     COPY   a                                                                     */
/* clang-format off */
#define KINDS_1(X, o) X(o, R) X(o, A)
#define KINDS_2(X, o) \
    X(o, R, R) X(o, R, C) X(o, C, R) X(o, R, A) X(o, A, R) X(o, A, C) X(o, C, A) X(o, A, A)
/* The two factors may change places, so not every combination is needed. */
#define KINDS_3(X, o) \
    X(o, R, R, R) X(o, C, R, R) X(o, A, R, R) X(o, A, C, R) X(o, A, A, R) \
    X(o, R, R, C) X(o, C, R, C) X(o, A, R, C) X(o, A, C, C) X(o, A, A, C) \
    X(o, R, R, A) X(o, C, R, A)

/* All codes: X1(operation, kind), X2(operation, kind, kind), X3(operation, kind, kind, kind). */
#define TAPE_ARITHMETIC(X1, X2, X3) \
    KINDS_1(X1, NEG) KINDS_1(X1, ABS) KINDS_1(X1, SQRT) KINDS_1(X1, COPY) X1(COPY, C) \
    KINDS_2(X2, ADD) KINDS_2(X2, SUB) KINDS_2(X2, MUL) KINDS_2(X2, DIV) \
    KINDS_3(X3, FMA) KINDS_3(X3, FMS) KINDS_3(X3, FNMA)
#define TAPE_CALLS_1(X1) \
    X1(SIN, R) X1(COS, R) X1(TAN, R) X1(ASIN, R) X1(ACOS, R) X1(ATAN, R) \
    X1(SINH, R) X1(COSH, R) X1(TANH, R) X1(EXP, R) X1(LOG, R)
#define TAPE_CALLS_2(X2) \
    X2(POW, R, R) X2(POW, R, C) X2(POW, C, R) X2(ATAN2, R, R) X2(ATAN2, R, C) X2(ATAN2, C, R)
#define TAPE_PAIRS(X1) X1(SINCOS, R)
#define TAPE_CODES(X1, X2, X3) \
    TAPE_ARITHMETIC(X1, X2, X3) TAPE_CALLS_1(X1) TAPE_CALLS_2(X2) TAPE_PAIRS(X1)
/* clang-format on */

/* Operations of a tape: those of the graph, then its own. */
enum { OP_FMA = OP_COUNT, OP_FMS, OP_FNMA, OP_SINCOS, OP_COPY, TAPE_OP_COUNT };

#define CODE_1(o, a) CODE_##o##_##a,
#define CODE_2(o, a, b) CODE_##o##_##a##b,
#define CODE_3(o, a, b, c) CODE_##o##_##a##b##c,
typedef enum { TAPE_CODES(CODE_1, CODE_2, CODE_3) CODE_COUNT } opcode;
#undef CODE_1
#undef CODE_2
#undef CODE_3

/* No row: the result is wanted by the next instruction only. */
#define NO_ROW UINT32_MAX

typedef struct {
    uint32_t code;    /* an opcode */
    uint32_t dst;     /* a row, or NO_ROW */
    uint32_t a, b, c; /* rows or constants, by the opcode; 0 where unused */
} instr;

/* Not a call: an instruction of the processor. */
static inline int opcode_is_arithmetic(uint32_t code)
{
    return code < CODE_SIN_R;
}

/* "SUB" and "AC" of CODE_SUB_AC. */
const char *opcode_name(uint32_t code);
const char *opcode_kinds(uint32_t code);

#endif
