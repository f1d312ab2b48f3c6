/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../property/random_tree.h"
#include "alloc.h"
#include "tape.h"

/* Every function of the language against the C library in long double, whose error is some
 * thousandths of an ulp of double: on every kernel, in a batch and alone. */

static const double tolerance = 1.01; /* ulp: 1 for the function, the rest for the reference */

#define PI 3.141592653589793
#define BELOW_1 0.9999999999999999
#define ABOVE_1 1.0000000000000002

enum { POINTS = 30000 };

typedef struct {
    double x[POINTS], y[POINTS], batch[POINTS], alone[POINTS];
    size_t n;
} table;

typedef struct {
    op o;
    long double (*one)(long double);
    long double (*two)(long double, long double);
    double low, high; /* arguments lie between */
    double odd[12];   /* near the ends of the domain, near zeros and poles; ended by a zero */
} function_case;

static long double add(long double x, long double y)
{
    return x + y;
}
static long double subtract(long double x, long double y)
{
    return x - y;
}
static long double multiply(long double x, long double y)
{
    return x * y;
}
static long double divide(long double x, long double y)
{
    return x / y;
}
static long double negate(long double x)
{
    return -x;
}

/* clang-format off */
static const function_case cases[] = {
    {OP_SIN, sinl, NULL, -1e15, 1e15, {PI, PI/2, 22, 355, 1e15, 1e22, 1e300, 6381956970095103e180}},
    {OP_COS, cosl, NULL, -1e15, 1e15, {PI/2, 3*PI/2, 11, 1e15, 1e22, 1e300, 6381956970095103e180}},
    {OP_TAN, tanl, NULL, -1e15, 1e15, {PI/2, 3*PI/2, PI, 11, 1e15, 1e22, 1e300}},
    {OP_ASIN, asinl, NULL, -1, 1, {1, BELOW_1, 0.5, 0.49999999999999994, 0.7071067811865476}},
    {OP_ACOS, acosl, NULL, -1, 1, {1, BELOW_1, 0.5, 0.49999999999999994, 0.7071067811865476}},
    {OP_ATAN, atanl, NULL, -1e300, 1e300, {1, BELOW_1, ABOVE_1, 1e17, 1e308}},
    {OP_SINH, sinhl, NULL, -709.7, 709.7, {709.7, 709.2, 0.3465735902799727, 22.2}},
    {OP_COSH, coshl, NULL, -709.7, 709.7, {709.7, 709.2, 0.3465735902799727, 22.2}},
    {OP_TANH, tanhl, NULL, -400, 400, {18.9, 19.1, 22.2, 0.3465735902799727, 1e300}},
    {OP_EXP, expl, NULL, -745, 709.7, {709.7, 709.78271, 0.6931471805599453, 0.34657359027997264}},
    {OP_LOG, logl, NULL, 0, DBL_MAX, {ABOVE_1, BELOW_1, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, 0.7071}},
    {OP_SQRT, sqrtl, NULL, 0, DBL_MAX, {DBL_MIN, DBL_TRUE_MIN, DBL_MAX, 2, BELOW_1}},
    {OP_ABS, fabsl, NULL, -DBL_MAX, DBL_MAX, {DBL_TRUE_MIN, DBL_MAX}},
    {OP_NEG, negate, NULL, -DBL_MAX, DBL_MAX, {DBL_TRUE_MIN, DBL_MAX}},
    {OP_ATAN2, NULL, atan2l, -1e200, 1e200, {1, BELOW_1, 1e-200, 1e154, 1e308}},
    {OP_POW, NULL, powl, -50, 50, {2, 3, 0.5, 1.5, 10, ABOVE_1, BELOW_1, 1e10, 17}},
    {OP_ADD, NULL, add, -1e300, 1e300, {1, 0.1, 1e16}},
    {OP_SUB, NULL, subtract, -1e300, 1e300, {1, 0.1, 1e16}},
    {OP_MUL, NULL, multiply, -1e150, 1e150, {1, 0.1, 1e16}},
    {OP_DIV, NULL, divide, -1e150, 1e150, {1, 0.1, 1e16}},
};
/* clang-format on */

/* Arguments: spread evenly, spread over all magnitudes, and now and then an odd one or its
 * neighbour. */
static double argument(const function_case *f, dice *d)
{
    double size = fmax(fabs(f->low), fabs(f->high));
    double x = dice_once_in(d, 2)
                   ? dice_between(d, 0, 1) * size
                   : size * pow(10, -dice_between(d, 0, dice_once_in(d, 2) ? 8 : 300));
    return f->low < 0 && dice_once_in(d, 2) ? -x : x;
}

static double odd_argument(const function_case *f, dice *d)
{
    int n = 0;
    while (n < 12 && f->odd[n] != 0) n++;
    double x = f->odd[dice_below(d, n)];
    if (dice_once_in(d, 3) && !(x >= f->high)) x = nextafter(x, dice_once_in(d, 2) ? 0 : f->high);
    return f->low < 0 && dice_once_in(d, 2) ? -x : x;
}

static double any_argument(const function_case *f, dice *d)
{
    double x;
    do x = dice_once_in(d, 20) ? odd_argument(f, d) : argument(f, d);
    while (x == 0);
    return x;
}

static void fill(table *t, const function_case *f)
{
    dice d = {(uint64_t)f->o};
    t->n = POINTS;
    for (size_t k = 0; k < t->n; k++) {
        t->x[k] = any_argument(f, &d);
        t->y[k] = any_argument(f, &d);
        if (f->o == OP_POW && t->x[k] < 0) t->y[k] = round(t->y[k]);
    }
}

/* Run */

static tape *compile(op o)
{
    graph *g = graph_new();
    expr in[2] = {graph_symbol(g, "x", SYMBOL_COORDINATE), graph_symbol(g, "y", SYMBOL_COORDINATE)};
    expr out = graph_apply(g, o, in[0], in[1]);
    const tape_spec spec = {.in = in, .n_in = 2, .out = &out, .n_out = 1};
    tape *t = NULL;
    cr_assert_eq(tape_compile(g, &spec, &t, NULL), NOSLIP_OK);
    graph_free(g);
    return t;
}

static void evaluate(table *t, tape_work *w)
{
    const double *in[2] = {t->x, t->y};
    double *out = t->batch;
    tape_batch(w, in, &out, t->n, NULL);
    for (size_t k = 0; k < t->n; k++) {
        const double point[2] = {t->x[k], t->y[k]};
        tape_point(w, point, &t->alone[k]);
    }
}

/* Call `judge` with the table evaluated by each kernel of this machine. */
static void on_every_kernel(table *t, op o, const void *what,
                            void (*judge)(const table *, const void *, const char *))
{
    const kernel *many, *one;
    tape *program = compile(o);
    for (int k = 0; (many = kernel_at(k, &one)) != NULL; k++) {
        tape_work *w = tape_work_with(program, many, one);
        cr_assert_not_null(w);
        evaluate(t, w);
        judge(t, what, many->name);
        tape_work_free(w);
    }
    tape_free(program);
}

/* Judge */

/* How many units in the last place of the exact value; 0 if both are beyond the largest double. */
static double ulps(double got, long double exact)
{
    if (isnan(exact)) return isnan(got) ? 0 : INFINITY;
    if (fabsl(exact) > (long double)DBL_MAX * (1 + (long double)DBL_EPSILON / 4))
        return isinf(got) && !signbit(got) == !signbit(exact) ? 0 : INFINITY;
    if (exact == 0) return got == 0 ? 0 : INFINITY;
    if (!isfinite(got)) return INFINITY;
    int exponent = ilogbl(exact);
    if (exponent < -1022) exponent = -1022;
    return (double)(fabsl((long double)got - exact) / ldexpl(1, exponent - 52));
}

static void judge_errors(const table *t, const void *what, const char *kernel_name)
{
    const function_case *f = what;
    double worst = 0;
    size_t where = 0;
    for (size_t k = 0; k < t->n; k++) {
        long double x = (long double)t->x[k], y = (long double)t->y[k];
        long double exact = f->one ? f->one(x) : f->two(x, y);
        double error = fmax(ulps(t->batch[k], exact), ulps(t->alone[k], exact));
        if (error > worst) where = k;
        worst = fmax(worst, error);
    }
    cr_expect_leq(worst, tolerance, "%s, kernel %s: %g ulp at %a, %a (%.17g, %.17g): %a, alone %a",
                  op_spelling(f->o), kernel_name, worst, t->x[where], t->y[where], t->x[where],
                  t->y[where], t->batch[where], t->alone[where]);
}

Test(functions, every_function_is_right_to_an_ulp_over_its_whole_range)
{
    table *t = malloc(sizeof *t);
    bool met[OP_COUNT] = {[OP_CONST] = true, [OP_SYMBOL] = true};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        fill(t, &cases[k]);
        on_every_kernel(t, cases[k].o, &cases[k], judge_errors);
        met[cases[k].o] = true;
    }
    for (int o = 0; o < OP_COUNT; o++) cr_assert(met[o], "'%s' has no case", op_spelling((op)o));
    free(t);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* SLEEF gives up a little before the largest double, at exp(709.782711): what is larger is infinite, which
 * an evaluation reports, and never a number that is wrong. */
static const function_case ends[] = {
    {OP_EXP, expl, NULL, 709.7827111495575, 709.782712893384, {709.782712893384}},
    {OP_SINH, sinhl, NULL, 709.7827111495575, 710.475860073943, {709.8, 710.475860073943}},
    {OP_COSH, coshl, NULL, 709.7827111495575, 710.475860073943, {709.8, 710.475860073943}},
};

Test(functions, functions_that_grow_are_right_or_infinite_near_the_largest_double)
{
    const kernel *one;
    for (int k = 0; kernel_at(k, &one); k++)
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            dice d = {(uint64_t)i};
            for (int times = 0; times < 300; times++) {
                double x = dice_between(&d, ends[i].low, ends[i].high),
                       y = one->apply(ends[i].o, x, 0);
                long double right = ends[i].o == OP_EXP    ? expl((long double)x)
                                    : ends[i].o == OP_SINH ? sinhl((long double)x)
                                                           : coshl((long double)x);
                cr_assert(isinf(y) || fabsl((long double)y - right) <= 0x1p-52L * right,
                          "%s(%.17g) = %.17g", op_spelling(ends[i].o), x, y);
            }
        }
}

/* Special values */

typedef struct {
    op o;
    double x, y, result;
} special;

static const special specials[] = {
    {OP_SIN, 0.0, 0, 0.0},
    {OP_SIN, -0.0, 0, -0.0},
    {OP_COS, 0.0, 0, 1},
    {OP_COS, -0.0, 0, 1},
    {OP_TAN, 0.0, 0, 0.0},
    {OP_TAN, -0.0, 0, -0.0},
    {OP_ASIN, 0.0, 0, 0.0},
    {OP_ASIN, -0.0, 0, -0.0},
    {OP_ASIN, 1, 0, PI / 2},
    {OP_ASIN, -1, 0, -PI / 2},
    {OP_ASIN, 1.0000000000000002, 0, NAN},
    {OP_ASIN, -7.3, 0, NAN},
    {OP_ACOS, 1, 0, 0.0},
    {OP_ACOS, -1, 0, PI},
    {OP_ACOS, 0, 0, PI / 2},
    {OP_ACOS, -1.0000000000000002, 0, NAN},
    {OP_ACOS, 7.3, 0, NAN},
    {OP_ATAN, 0.0, 0, 0.0},
    {OP_ATAN, -0.0, 0, -0.0},
    {OP_ATAN, DBL_MAX, 0, PI / 2},
    {OP_SINH, 0.0, 0, 0.0},
    {OP_SINH, -0.0, 0, -0.0},
    {OP_SINH, 711, 0, INFINITY},
    {OP_SINH, -711, 0, -INFINITY},
    {OP_COSH, -0.0, 0, 1},
    {OP_COSH, -711, 0, INFINITY},
    {OP_TANH, -0.0, 0, -0.0},
    {OP_TANH, DBL_MAX, 0, 1},
    {OP_TANH, -DBL_MAX, 0, -1},
    {OP_EXP, 0.0, 0, 1},
    {OP_EXP, -0.0, 0, 1},
    {OP_EXP, 709.79, 0, INFINITY},
    {OP_EXP, DBL_MAX, 0, INFINITY},
    {OP_EXP, -746, 0, 0.0},
    {OP_EXP, -DBL_MAX, 0, 0.0},
    {OP_LOG, 1, 0, 0.0},
    {OP_LOG, 0.0, 0, -INFINITY},
    {OP_LOG, -0.0, 0, -INFINITY},
    {OP_LOG, -DBL_TRUE_MIN, 0, NAN},
    {OP_LOG, -3.1, 0, NAN},
    {OP_SQRT, 0.0, 0, 0.0},
    {OP_SQRT, -0.0, 0, -0.0},
    {OP_SQRT, 6.25, 0, 2.5},
    {OP_SQRT, -DBL_TRUE_MIN, 0, NAN},
    {OP_ABS, -0.0, 0, 0.0},
    {OP_ABS, -DBL_MAX, 0, DBL_MAX},
    {OP_NEG, 0.0, 0, -0.0},
    {OP_ATAN2, 0.0, 1, 0.0},
    {OP_ATAN2, -0.0, 1, -0.0},
    {OP_ATAN2, 0.0, -1, PI},
    {OP_ATAN2, -0.0, -1, -PI},
    {OP_ATAN2, 0.0, 0.0, 0.0},
    {OP_ATAN2, -0.0, 0.0, -0.0},
    {OP_ATAN2, 0.0, -0.0, PI},
    {OP_ATAN2, -0.0, -0.0, -PI},
    {OP_ATAN2, 2.5, 0.0, PI / 2},
    {OP_ATAN2, -2.5, -0.0, -PI / 2},
    {OP_ATAN2, 1e-300, 1e300, 0.0},
    {OP_POW, 2, 10, 1024},
    {OP_POW, -2, 3, -8},
    {OP_POW, -2, -2, 0.25},
    {OP_POW, 7.5, 0.0, 1},
    {OP_POW, 0.0, 0.0, 1},
    {OP_POW, -3, -0.0, 1},
    {OP_POW, 0.0, 2.5, 0.0},
    {OP_POW, -0.0, 3, -0.0},
    {OP_POW, 0.0, -1, INFINITY},
    {OP_POW, -0.0, -3, -INFINITY},
    {OP_POW, 0.0, -2.5, INFINITY},
    {OP_POW, -8, 1.0 / 3, NAN},
    {OP_POW, 1, DBL_MAX, 1},
    {OP_POW, 10, 309, INFINITY},
    {OP_POW, -10, 309, -INFINITY},
    {OP_POW, 10, -400, 0.0},
    {OP_POW, -10, -401, -0.0},
    {OP_DIV, 1, 0.0, INFINITY},
    {OP_DIV, 1, -0.0, -INFINITY},
    {OP_DIV, 0.0, 0.0, NAN},
    {OP_DIV, 1e300, 1e-300, INFINITY},
    {OP_MUL, 1e300, -1e300, -INFINITY},
    {OP_ADD, DBL_MAX, DBL_MAX, INFINITY},
    {OP_SUB, -DBL_MAX, DBL_MAX, -INFINITY},
    {OP_SUB, 1.7, 1.7, 0.0},
};

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

static void judge_special(const table *t, const void *what, const char *kernel_name)
{
    const special *s = what;
    cr_expect(is_same(t->batch[0], s->result) && is_same(t->alone[0], s->result),
              "%s of %.17g, %.17g on %s: %.17g, alone %.17g, but should be %.17g",
              op_spelling(s->o), s->x, s->y, kernel_name, t->batch[0], t->alone[0], s->result);
}

Test(functions, special_values_are_what_the_c_standard_says)
{
    table *t = malloc(sizeof *t);
    for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
        t->n = 1;
        t->x[0] = specials[k].x;
        t->y[0] = specials[k].y;
        on_every_kernel(t, specials[k].o, &specials[k], judge_special);
    }
    free(t);
    cr_assert_eq(noslip_alloc_live(), 0);
}
