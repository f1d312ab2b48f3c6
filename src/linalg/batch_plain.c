/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two doubles at a time in the compiler's own vectors: SSE2 on x86-64, NEON on ARM, plain code elsewhere. */
#include <math.h>

typedef double vec __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long ivec __attribute__((vector_size(16), aligned(8), may_alias));
typedef ivec mask;

#define CODE batch_plain
#define CODE_NAME "plain"
#define LANES 2
#define SPLAT(x) ((vec){(x), (x)})
#define SPLATI(x) ((ivec){(x), (x)})
#define VSQRT(a) roots_of_two(a)
#define LESS(a, b) ((mask)((a) < (b)))
#define SAME(a, b) ((mask)((a) == (b)))
#define BOTH(m, n) ((m) & (n))
#define EITHER(m, n) ((m) | (n))
#define EXCEPT(m, n) ((m) & ~(n))
#define PICK(m, a, b) pick_by_bits(m, a, b)
#define BITS(m) bits_of_two(m)

/* Functions, so that operands are evaluated once. */
static inline vec roots_of_two(vec a)
{
    return (vec){sqrt(a[0]), sqrt(a[1])};
}

static inline vec pick_by_bits(mask m, vec a, vec b)
{
    return (vec)((m & (ivec)a) | (~m & (ivec)b));
}

static inline unsigned bits_of_two(mask m)
{
    return (unsigned)((m[0] & 1) | (m[1] & 2));
}

#include "batch_body.h"
