/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one text of all tape evaluators; deliberately without a guard. The file that includes it
 * defines
 *
 *     KERNEL          name of the `kernel` it makes
 *     KERNEL_NAME     the same, as a string for people
 *     vec             vector of LANES doubles that may stand at any address
 *     LANES, VECTORS  the block is LANES*VECTORS points
 *     SPLAT(x)        vector with x in all lanes
 *     VFMA(a,b,c)     a*b + c, VFMS a*b - c, VFNMA c - a*b
 *     VSQRT(a), VABS(a)
 *     SLEEF(f)        name of SLEEF's vector function f, at most 1 ulp off
 *     PAIR            SLEEF's type for a sine with its cosine
 *     COMPILED        name of a second `kernel` for use with machine code, COMPILED_FOR its kind; optional
 *     KERNEL_APPLY    for one-point kernels: make `apply`, too
 */
#include <math.h>
#include <sleef.h>

#include "kernel.h"

enum { BLOCK = LANES * VECTORS };

/* Unrolled, so that the accumulator lives in registers from one instruction to the next. */
#define EACH(j) _Pragma("GCC unroll 16") for (int j = 0; j < VECTORS; j++)

static inline vec load(const double *row, int j)
{
    return *(const vec *)(row + (ptrdiff_t)j * LANES);
}

static inline void store(double *row, int j, vec x)
{
    *(vec *)(row + (ptrdiff_t)j * LANES) = x;
}

/* The functions work from memory to memory and are not inlined: a call destroys all vector
 * registers, and inlined they would push the accumulator out of them everywhere. */
#define DEFINE_1(o, f)                                                              \
    static __attribute__((noinline)) void each_##o(const double *a, double *out)    \
    {                                                                               \
        for (int j = 0; j < VECTORS; j++) store(out, j, (vec)SLEEF(f)(load(a, j))); \
    }
#define DEFINE_2(o, f)                                                                            \
    static __attribute__((noinline)) void each_##o(const double *a, const double *b, double *out) \
    {                                                                                             \
        for (int j = 0; j < VECTORS; j++) store(out, j, (vec)SLEEF(f)(load(a, j), load(b, j)));   \
    }

DEFINE_1(SIN, sin)
DEFINE_1(COS, cos)
DEFINE_1(TAN, tan)
DEFINE_1(ASIN, asin)
DEFINE_1(ACOS, acos)
DEFINE_1(ATAN, atan)
DEFINE_1(SINH, sinh)
DEFINE_1(COSH, cosh)
DEFINE_1(TANH, tanh)
DEFINE_1(EXP, exp)
DEFINE_1(LOG, log)
DEFINE_2(POW, pow)
DEFINE_2(ATAN2, atan2)

static __attribute__((noinline)) void each_SINCOS(const double *a, double *sine, double *cosine)
{
    for (int j = 0; j < VECTORS; j++) {
        PAIR both = SLEEF(sincos)(load(a, j));
        store(sine, j, (vec)both.x);
        store(cosine, j, (vec)both.y);
    }
}

static void splat(double *out, double x)
{
    for (int j = 0; j < VECTORS; j++) store(out, j, SPLAT(x));
}

/* Arithmetic: how each kind of operand is fetched before the loop and read inside it. */
#define FETCH_R(x, k) const double *x = row[k];
#define FETCH_C(x, k) const vec x = SPLAT(constant[k]);
#define FETCH_A(x, k)
#define READ_R(x, j) load(x, j)
#define READ_C(x, j) x
#define READ_A(x, j) acc[j]

#define DO_NEG(x) (-(x))
#define DO_ABS(x) VABS(x)
#define DO_SQRT(x) VSQRT(x)
#define DO_COPY(x) (x)
#define DO_ADD(x, y) ((x) + (y))
#define DO_SUB(x, y) ((x) - (y))
#define DO_MUL(x, y) ((x) * (y))
#define DO_DIV(x, y) ((x) / (y))
#define DO_FMA(x, y, z) VFMA(x, y, z)
#define DO_FMS(x, y, z) VFMS(x, y, z)
#define DO_FNMA(x, y, z) VFNMA(x, y, z)

#define RUN_1(o, ka)                                                   \
    case CODE_##o##_##ka: {                                            \
        FETCH_##ka(x, in->a) EACH(j) acc[j] = DO_##o(READ_##ka(x, j)); \
        break;                                                         \
    }
#define RUN_2(o, ka, kb)                                           \
    case CODE_##o##_##ka##kb: {                                    \
        FETCH_##ka(x, in->a) FETCH_##kb(y, in->b) EACH(j) acc[j] = \
            DO_##o(READ_##ka(x, j), READ_##kb(y, j));              \
        break;                                                     \
    }
#define RUN_3(o, ka, kb, kc)                                                            \
    case CODE_##o##_##ka##kb##kc: {                                                     \
        FETCH_##ka(x, in->a) FETCH_##kb(y, in->b) FETCH_##kc(z, in->c) EACH(j) acc[j] = \
            DO_##o(READ_##ka(x, j), READ_##kb(y, j), READ_##kc(z, j));                  \
        break;                                                                          \
    }

/* Calls: each operand is the address of a row. */
#define ROW_R(k) row[k]
#define ROW_C(k) (splat(same, constant[k]), same)
#define CALL_1(o, ka)                            \
    case CODE_##o##_##ka:                        \
        each_##o(ROW_##ka(in->a), row[in->dst]); \
        continue;
#define CALL_2(o, ka, kb)                                         \
    case CODE_##o##_##ka##kb:                                     \
        each_##o(ROW_##ka(in->a), ROW_##kb(in->b), row[in->dst]); \
        continue;
#define CALL_PAIR(o, ka) \
    case CODE_##o##_##ka: each_##o(ROW_##ka(in->a), row[in->dst], row[in->c]); continue;

static void run(const instr *code, size_t n, double *const *row, const double *constant)
{
    _Alignas(64) double same[BLOCK];
    vec acc[VECTORS];
    EACH(j) acc[j] = SPLAT(0.0);

    for (const instr *in = code, *end = code + n; in < end; in++) {
        switch (in->code) {
            TAPE_ARITHMETIC(RUN_1, RUN_2, RUN_3)
            TAPE_CALLS_1(CALL_1)
            TAPE_CALLS_2(CALL_2)
            TAPE_PAIRS(CALL_PAIR)
        }
        if (in->dst != NO_ROW) {
            double *out = row[in->dst];
            EACH(j) store(out, j, acc[j]);
        }
    }
}

static double check(double *const *row, size_t n, double *sum)
{
    vec total[VECTORS];
    EACH(j) total[j] = SPLAT(0.0);
    for (size_t k = 0; k < n; k++) {
        const double *x = row[k];
        EACH(j) total[j] += load(x, j) * SPLAT(0.0); /* not a number if x is infinite or none */
    }
    EACH(j) store(sum, j, total[j]);
    double all = 0;
    for (int p = 0; p < BLOCK; p++) all += sum[p];
    return all;
}

#ifdef KERNEL_APPLY
static double apply(op o, double x, double y)
{
#define APPLY_1(f, k) \
    case OP_##f: each_##f(&x, &x); return x;
    switch (o) {
    case OP_NEG: return DO_NEG(x);
    case OP_ADD: return DO_ADD(x, y);
    case OP_SUB: return DO_SUB(x, y);
    case OP_MUL: return DO_MUL(x, y);
    case OP_DIV: return DO_DIV(x, y);
    case OP_SQRT: return DO_SQRT(x);
    case OP_ABS: return DO_ABS(x);
    case OP_POW: each_POW(&x, &y, &x); return x;
    case OP_ATAN2:
        each_ATAN2(&x, &y, &x);
        return x;
        TAPE_CALLS_1(APPLY_1)
    default: return (double)NAN;
    }
}
#else
#define apply NULL
#endif

const kernel KERNEL = {KERNEL_NAME, BLOCK, MACHINE_NONE, run, check, apply};
#ifdef COMPILED
const kernel COMPILED = {KERNEL_NAME ", compiled", BLOCK, COMPILED_FOR, run, check, apply};
#endif
