/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <immintrin.h>

typedef double vec __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long ivec __attribute__((vector_size(64), aligned(8), may_alias));
typedef __mmask8 mask;

#define CODE batch_avx512
#define CODE_NAME "avx512"
#define LANES 8
#define SPLAT(x) ((vec)_mm512_set1_pd(x))
#define SPLATI(x) ((ivec)_mm512_set1_epi64(x))
#define VSQRT(a) ((vec)_mm512_sqrt_pd(a))
#define LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define SAME(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define BOTH(m, n) ((mask)((m) & (n)))
#define EITHER(m, n) ((mask)((m) | (n)))
#define EXCEPT(m, n) ((mask)((m) & ~(n)))
#define PICK(m, a, b) ((vec)_mm512_mask_blend_pd(m, b, a))
#define BITS(m) ((unsigned)(m))

#include "batch_body.h"
