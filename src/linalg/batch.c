/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "batch.h"

#include "alloc.h"
#include "batch_code.h"

struct batch_work {
    const batch_code *code;
    double *scratch;
    double *unasked; /* outputs that nobody asked for */
};

/* Each needs what the one before needs. */
extern const batch_code batch_plain;
#if defined __x86_64__
extern const batch_code batch_avx2, batch_avx512;

static const batch_code *const codes[] = {&batch_plain, &batch_avx2, &batch_avx512};

static int usable(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) return 1;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 3 : 2;
}
#else
static const batch_code *const codes[] = {&batch_plain};

static int usable(void)
{
    return 1;
}
#endif

const batch_code *batch_code_at(int k)
{
    return k >= 0 && k < usable() ? codes[k] : NULL;
}

const char *batch_code_name(const batch_code *code)
{
    return code->name;
}

batch_work *batch_work_with(size_t most, const batch_code *code)
{
    batch_work *w = noslip_calloc(1, sizeof *w);
    if (!w) return NULL;
    w->code = code;
    w->scratch = noslip_aligned(64, BATCH_SCRATCH(most), sizeof *w->scratch);
    w->unasked = noslip_aligned(64, (most + 1) * BATCH_MOST, sizeof *w->unasked);
    if (!w->scratch || !w->unasked) {
        batch_work_free(w);
        return NULL;
    }
    return w;
}

batch_work *batch_work_new(size_t most)
{
    return batch_work_with(most, codes[usable() - 1]);
}

void batch_work_free(batch_work *w)
{
    if (!w) return;
    noslip_free(w->scratch);
    noslip_free(w->unasked);
    noslip_free(w);
}

void batch_multiply(batch_work *w, size_t lanes, bool transpose_a, bool transpose_b, size_t rows,
                    size_t cols, size_t inner, double alpha, const double *a, const double *b,
                    double beta, double *c)
{
    w->code->multiply(w->scratch, lanes, transpose_a, transpose_b, rows, cols, inner, alpha, a, b,
                      beta, c);
}

void batch_factor(batch_work *w, size_t lanes, size_t n, double *a, double *pivot,
                  unsigned char *bad, double *hint)
{
    w->code->factor(w->scratch, lanes, n, a, pivot, bad, hint ? hint : w->unasked);
}

void batch_solve(batch_work *w, size_t lanes, bool transpose, size_t n, const double *lu,
                 const double *pivot, size_t count, double *b)
{
    w->code->solve(w->scratch, lanes, transpose, n, lu, pivot, count, b);
}

void batch_least_squares(batch_work *w, size_t lanes, size_t rows, size_t cols, const double *a,
                         const double *b, double *x, unsigned char *bad, double *ratio)
{
    w->code->least_squares(w->scratch, lanes, rows, cols, a, b, x, bad, ratio ? ratio : w->unasked);
}

void batch_range(batch_work *w, size_t lanes, size_t n, size_t rank, const double *g, double *q,
                 unsigned char *bad, double *above, double *below)
{
    w->code->range(w->scratch, lanes, n, rank, g, q, bad, above ? above : w->unasked,
                   below ? below : w->unasked);
}

void batch_eigenvalues(batch_work *w, size_t lanes, size_t n, const double *a, double *re,
                       double *im, double *bound, double *rcond, unsigned char *handed)
{
    w->code->eigenvalues(w->scratch, lanes, n, a, re, im, bound, rcond ? rcond : w->unasked,
                         handed);
}
