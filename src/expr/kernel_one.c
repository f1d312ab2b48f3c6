/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One point, without fused multiply-add. */
typedef double vec;

#define KERNEL kernel_one_plain
#define KERNEL_NAME "one point"
#define KERNEL_APPLY
#define LANES 1
#define VECTORS 1
#define SPLAT(x) (x)
#define VFMA(a, b, c) ((a) * (b) + (c))
#define VFMS(a, b, c) ((a) * (b) - (c))
#define VFNMA(a, b, c) ((c) - (a) * (b))
#define VSQRT(a) sqrt(a)
#define VABS(a) fabs(a)
#define SLEEF(f) Sleef_cinz_##f##d1_u10purec
#define PAIR Sleef_double_2

#include "kernel_body.h"
