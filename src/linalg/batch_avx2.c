/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <immintrin.h>

typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long ivec __attribute__((vector_size(32), aligned(8), may_alias));
typedef vec mask;

#define CODE batch_avx2
#define CODE_NAME "avx2"
#define LANES 4
#define SPLAT(x) ((vec)_mm256_set1_pd(x))
#define SPLATI(x) ((ivec)_mm256_set1_epi64x(x))
#define VSQRT(a) ((vec)_mm256_sqrt_pd(a))
#define LESS(a, b) ((mask)_mm256_cmp_pd(a, b, _CMP_LT_OQ))
#define SAME(a, b) ((mask)_mm256_cmp_pd(a, b, _CMP_EQ_OQ))
#define BOTH(m, n) ((mask)_mm256_and_pd(m, n))
#define EITHER(m, n) ((mask)_mm256_or_pd(m, n))
#define EXCEPT(m, n) ((mask)_mm256_andnot_pd(n, m))
#define PICK(m, a, b) ((vec)_mm256_blendv_pd(b, a, m))
#define BITS(m) ((unsigned)_mm256_movemask_pd(m))

#include "batch_body.h"
