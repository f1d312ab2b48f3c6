/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <arm_neon.h>

typedef double vec __attribute__((vector_size(16), aligned(8), may_alias));

#define KERNEL kernel_neon
#define KERNEL_NAME "neon"
#define LANES 2
#define VECTORS 8
#define SPLAT(x) ((vec)vdupq_n_f64(x))
#define VFMA(a, b, c) ((vec)vfmaq_f64(c, a, b))
#define VFMS(a, b, c) ((vec)vfmaq_f64(vnegq_f64(c), a, b))
#define VFNMA(a, b, c) ((vec)vfmsq_f64(c, a, b))
#define VSQRT(a) ((vec)vsqrtq_f64(a))
#define VABS(a) ((vec)vabsq_f64(a))
#define SLEEF(f) Sleef_finz_##f##d2_u10advsimd
#define PAIR Sleef_float64x2_t_2

#include "kernel_body.h"
