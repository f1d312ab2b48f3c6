/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "noslip/noslip.h"

static noslip_formula *open_formula(const char *words, const char *const *coordinates)
{
    noslip_formula *f = NULL;
    noslip_error err = {0};
    cr_assert_eq(noslip_formula_open(words, coordinates, &f, &err), NOSLIP_OK, "%s", err.message);
    return f;
}

Test(explore, names_find_their_kind)
{
    noslip_formula *f =
        open_formula("m*x'^2/2 + k*x*t + sum(i, 1, 3, i*y)", (const char *const[]){"y", NULL});
    const struct {
        const char *name, *kind;
    } expected[] = {{"m", "parameter"}, {"x", "coordinate"}, {"k", "parameter"},
                    {"t", "time"},      {"y", "coordinate"}, {"x'", "rate"}};
    for (size_t k = 0; k < 6; k++) {
        cr_assert_str_eq(noslip_formula_name(f, k), expected[k].name);
        cr_assert_str_eq(noslip_formula_kind(f, k), expected[k].kind);
    }
    cr_assert_null(noslip_formula_name(f, 6));
    noslip_formula_close(f);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(explore, derivatives_are_parts_that_print_and_evaluate)
{
    noslip_formula *f = open_formula("vec(sin(x), m*x^2)", (const char *const[]){"x", NULL});
    size_t by_x, by_time;
    cr_assert_eq(noslip_formula_derive(f, "x", &by_x, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_formula_derive(f, NULL, &by_time, NULL), NOSLIP_OK);
    cr_assert_str_eq(noslip_formula_text(f, by_x), "cos(x)\n2*(x*m)");
    cr_assert_str_eq(noslip_formula_text(f, by_time), "cos(x)*x'\n2*(x*x'*m)");
    noslip_formula_info info;
    cr_assert_eq(noslip_formula_measure(f, by_x, &info), NOSLIP_OK);
    cr_assert_eq(info.rows, 2);
    cr_assert_eq(info.cols, 1);
    cr_assert_eq(info.operations, 3);
    const double at[] = {0.73, 1.9, -2.1}; /* x, m, x' */
    double out[NOSLIP_FORMULA_ENTRIES];
    cr_assert_eq(noslip_formula_evaluate(f, by_time, at, out), NOSLIP_OK);
    cr_assert_float_eq(out[0], -2.1 * cos(0.73), 1e-15);
    cr_assert_float_eq(out[1], 2 * 0.73 * -2.1 * 1.9, 1e-14);
    noslip_formula_close(f);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(explore, what_cannot_be_done_is_said)
{
    noslip_formula *f = open_formula("x''*m", NULL);
    noslip_error err;
    size_t part;
    cr_assert_eq(noslip_formula_derive(f, "z", &part, &err), NOSLIP_ERR_ARG);
    cr_assert_str_eq(err.message, "the formula has no name 'z'");
    cr_assert_eq(noslip_formula_derive(f, NULL, &part, &err), NOSLIP_ERR_ARG);
    cr_assert(strstr(err.message, "acceleration"));
    noslip_formula_close(f);
    cr_assert_eq(noslip_formula_open("sin(", NULL, &f, &err), NOSLIP_ERR_FORMULA);
    cr_assert_eq(err.column, 4);
    f = open_formula("log(x)", NULL);
    const double minus = -3.1;
    double out;
    cr_assert_eq(noslip_formula_evaluate(f, 0, &minus, &out), NOSLIP_NOT_FINITE);
    cr_assert(isnan(out));
    noslip_formula_close(f);
    cr_assert_eq(noslip_alloc_live(), 0);
}
