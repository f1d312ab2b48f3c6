/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <immintrin.h>

typedef double vec __attribute__((vector_size(64), aligned(8), may_alias));

#define KERNEL kernel_avx512
#define KERNEL_NAME "avx512"
#define COMPILED kernel_avx512_compiled
#define COMPILED_FOR MACHINE_AVX512
#define LANES 8
#ifndef VECTORS
#define VECTORS 8
#endif
#define SPLAT(x) ((vec)_mm512_set1_pd(x))
#define VFMA(a, b, c) ((vec)_mm512_fmadd_pd(a, b, c))
#define VFMS(a, b, c) ((vec)_mm512_fmsub_pd(a, b, c))
#define VFNMA(a, b, c) ((vec)_mm512_fnmadd_pd(a, b, c))
#define VSQRT(a) ((vec)_mm512_sqrt_pd(a))
#define VABS(a) ((vec)_mm512_abs_pd(a))
#define SLEEF(f) Sleef_finz_##f##d8_u10avx512f
#define PAIR Sleef___m512d_2

#include "kernel_body.h"
