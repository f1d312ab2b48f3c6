/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <emmintrin.h>

typedef double vec __attribute__((vector_size(16), aligned(8), may_alias));

#define KERNEL kernel_sse2
#define KERNEL_NAME "sse2"
#define LANES 2
#define VECTORS 8
#define SPLAT(x) ((vec)_mm_set1_pd(x))
#define VFMA(a, b, c) ((a) * (b) + (c))
#define VFMS(a, b, c) ((a) * (b) - (c))
#define VFNMA(a, b, c) ((c) - (a) * (b))
#define VSQRT(a) ((vec)_mm_sqrt_pd(a))
#define VABS(a) ((vec)_mm_andnot_pd(_mm_set1_pd(-0.0), a))
#define SLEEF(f) Sleef_cinz_##f##d2_u10sse2
#define PAIR Sleef___m128d_2

#include "kernel_body.h"
