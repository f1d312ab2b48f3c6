/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One point, with fused multiply-add. */
typedef double vec;

#define KERNEL kernel_one_fma
#define KERNEL_NAME "one point, fma"
#define KERNEL_APPLY
#define LANES 1
#define VECTORS 1
#define SPLAT(x) (x)
#define VFMA(a, b, c) fma(a, b, c)
#define VFMS(a, b, c) fma(a, b, -(c))
#define VFNMA(a, b, c) fma(-(a), b, c)
#define VSQRT(a) sqrt(a)
#define VABS(a) fabs(a)
#define SLEEF(f) Sleef_finz_##f##d1_u10purecfma
#define PAIR Sleef_double_2

#include "kernel_body.h"
