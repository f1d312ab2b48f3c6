/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <immintrin.h>

typedef double vec __attribute__((vector_size(32), aligned(8), may_alias));

#define KERNEL kernel_avx2
#define KERNEL_NAME "avx2"
#define COMPILED kernel_avx2_compiled
#define COMPILED_FOR MACHINE_AVX2
#define LANES 4
#define VECTORS 8
#define SPLAT(x) ((vec)_mm256_set1_pd(x))
#define VFMA(a, b, c) ((vec)_mm256_fmadd_pd(a, b, c))
#define VFMS(a, b, c) ((vec)_mm256_fmsub_pd(a, b, c))
#define VFNMA(a, b, c) ((vec)_mm256_fnmadd_pd(a, b, c))
#define VSQRT(a) ((vec)_mm256_sqrt_pd(a))
#define VABS(a) ((vec)_mm256_andnot_pd(_mm256_set1_pd(-0.0), a))
#define SLEEF(f) Sleef_finz_##f##d4_u10avx2
#define PAIR Sleef___m256d_2

#include "kernel_body.h"
