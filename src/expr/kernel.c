/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernel.h"

extern const kernel kernel_one_plain, kernel_one_fma;

typedef struct {
    const kernel *many, *one;
} family_member;

#if defined __x86_64__
extern const kernel kernel_sse2, kernel_avx2, kernel_avx512;
extern const kernel kernel_avx2_compiled, kernel_avx512_compiled;

static const family_member members[] = {
    {&kernel_sse2, &kernel_one_plain},          {&kernel_avx2, &kernel_one_fma},
    {&kernel_avx2_compiled, &kernel_one_fma},   {&kernel_avx512, &kernel_one_fma},
    {&kernel_avx512_compiled, &kernel_one_fma},
};

/* How many of them this processor runs: each needs what the one before needs. */
static int usable(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 5 : 3;
}
#elif defined __aarch64__
extern const kernel kernel_neon;

static const family_member members[] = {{&kernel_neon, &kernel_one_fma}};

static int usable(void)
{
    return 1;
}
#else
static const family_member members[] = {{&kernel_one_plain, &kernel_one_plain}};

static int usable(void)
{
    return 1;
}
#endif

const kernel *kernel_at(int k, const kernel **one)
{
    if (k < 0 || k >= usable()) return NULL;
    if (one) *one = members[k].one;
    return members[k].many;
}

const kernel *kernel_best(void)
{
    return members[usable() - 1].many;
}

const kernel *kernel_one(void)
{
    return members[usable() - 1].one;
}
