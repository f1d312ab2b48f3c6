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
#define VSQRT(a) ((vec){sqrt((a)[0]), sqrt((a)[1])})
#define LESS(a, b) ((mask)((a) < (b)))
#define SAME(a, b) ((mask)((a) == (b)))
#define BOTH(m, n) ((m) & (n))
#define EITHER(m, n) ((m) | (n))
#define EXCEPT(m, n) ((m) & ~(n))
#define PICK(m, a, b) ((vec)(((m) & (ivec)(a)) | (~(m) & (ivec)(b))))
#define BITS(m) ((unsigned)(((m)[0] & 1) | ((m)[1] & 2)))

#include "batch_body.h"
