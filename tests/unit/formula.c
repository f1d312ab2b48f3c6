/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formula.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "build.h"
#include "tape.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))
enum {
    ALL = SYMBOL_PARAMETER + SYMBOL_TIME + SYMBOL_COORDINATE + SYMBOL_RATE + SYMBOL_ACCELERATION,
};

/* The names that every test may use, and the numbers they stand for. */
static const struct {
    const char *name;
    symbol_kind kind;
    double value, rate, acceleration;
} symbols[] = {
    {"x", SYMBOL_COORDINATE, 0.73, -1.31, 2.19},
    {"y", SYMBOL_COORDINATE, -1.17, 0.59, -0.37},
    {"theta", SYMBOL_COORDINATE, 0.41, 1.83, 0.91},
    {"psi", SYMBOL_COORDINATE, -0.87, -0.67, 1.57},
    {"phi", SYMBOL_COORDINATE, 2.23, 0.79, -1.03},
    {"z[1]", SYMBOL_COORDINATE, 0.31, 1.07, 0},
    {"z[2]", SYMBOL_COORDINATE, -0.53, 0.23, 0},
    {"z[3]", SYMBOL_COORDINATE, 1.61, -2.03, 0},
    {"m", SYMBOL_PARAMETER, 1.7, 0, 0},
    {"a", SYMBOL_PARAMETER, 0.57, 0, 0},
    {"b", SYMBOL_PARAMETER, 1.43, 0, 0},
    {"N", SYMBOL_PARAMETER, 3, 0, 0},
    {"t", SYMBOL_TIME, 2.9, 0, 0},
};

/* One set of names and one graph; each test runs in a process of its own. */
static graph *g;
static scope *names;

static void start(void)
{
    noslip_error err;
    g = graph_new();
    names = scope_new(g);
    cr_assert(g && names);
    for (size_t k = 0; k < COUNT(symbols); k++) {
        const char *name = symbols[k].name;
        cr_assert_eq(scope_symbol(names, name, strlen(name), symbols[k].kind, &err), NOSLIP_OK);
    }
    cr_assert_eq(scope_integer(names, "N", 1, 3, &err), NOSLIP_OK);
}

static void finish(void)
{
    scope_free(names);
    graph_free(g);
    cr_assert_eq(noslip_alloc_live(), 0);
}

static const char *shown(const noslip_error *err)
{
    static char out[1000];
    noslip_error_format(err, out, sizeof out);
    return out;
}

static noslip_status try_to_build(const char *written, bool equation, unsigned allowed,
                                  const index_binding *indices, value *out, noslip_error *err)
{
    source src = source_of_string(written);
    formula f = {0};
    noslip_status status = formula_parse(&src, 0, src.size, equation, &f, err);
    if (status == NOSLIP_OK) status = formula_build(&f, names, allowed, indices, out, err);
    formula_free(&f);
    return status;
}

static value build_with(const char *written, bool equation, const index_binding *indices)
{
    value v = {0};
    noslip_error err;
    noslip_status status = try_to_build(written, equation, ALL, indices, &v, &err);
    cr_assert_eq(status, NOSLIP_OK, "%s", shown(&err));
    return v;
}

static value build(const char *written)
{
    return build_with(written, false, NULL);
}

static expr number(const char *written)
{
    value v = build(written);
    cr_assert(value_is_number(&v), "%s is not a number", written);
    return v.at[0];
}

static void define(const char *name, const char *written)
{
    noslip_error err;
    value v = build(written);
    cr_assert_eq(scope_define(names, name, strlen(name), &v, &err), NOSLIP_OK, "%s", shown(&err));
}

/* The number that a symbol of the graph stands for. */
static double value_of_symbol(const symbol *s)
{
    size_t n = strcspn(s->name, "'");
    for (size_t k = 0; k < COUNT(symbols); k++)
        if (strlen(symbols[k].name) == n && memcmp(symbols[k].name, s->name, n) == 0)
            return s->kind == SYMBOL_RATE           ? symbols[k].rate
                   : s->kind == SYMBOL_ACCELERATION ? symbols[k].acceleration
                                                    : symbols[k].value;
    cr_assert_fail("no number for %s", s->name);
    return (double)NAN;
}

static void evaluate(const value *v, double *out)
{
    enum { MOST = 100 };
    expr in[MOST];
    double at[MOST];
    size_t n = g->symbols.n;
    cr_assert_lt(n, MOST);
    for (size_t k = 0; k < n; k++) {
        in[k] = g->symbols.at[k].self;
        at[k] = value_of_symbol(&g->symbols.at[k]);
    }
    tape *program = NULL;
    tape_spec spec = {.in = in, .n_in = n, .out = v->at, .n_out = (size_t)value_size(v)};
    cr_assert_eq(tape_compile(g, &spec, &program, NULL), NOSLIP_OK);
    tape_work *work = tape_work_new(program);
    cr_assert_not_null(work);
    cr_assert_eq(tape_point(work, at, out), NOSLIP_OK);
    tape_work_free(work);
    tape_free(program);
}

static void expect_near(const char *written, const double *got, const double *wanted, int n)
{
    for (int k = 0; k < n; k++)
        cr_expect_leq(fabs(got[k] - wanted[k]), 1e-14 * (1 + fabs(wanted[k])),
                      "%s, entry %d: %.17g instead of %.17g", written, k, got[k], wanted[k]);
}

/* A formula against its rows x cols numbers, worked out in C. */
static void expect_matrix(const char *written, int rows, int cols, const double *wanted)
{
    double got[VALUE_MOST * VALUE_MOST];
    value v = build(written);
    cr_assert(v.rows == rows && v.cols == cols, "%s: %d x %d", written, v.rows, v.cols);
    evaluate(&v, got);
    expect_near(written, got, wanted, rows * cols);
}

static void expect_number(const char *written, double wanted)
{
    expect_matrix(written, 1, 1, &wanted);
}

/* Several formulas that must be one node each. */
typedef struct {
    const char *one, *other;
} pair;

static void expect_same(const pair *pairs, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        value a = build(pairs[k].one), b = build(pairs[k].other);
        bool same = a.rows == b.rows && a.cols == b.cols;
        for (int i = 0; same && i < value_size(&a); i++) same = a.at[i] == b.at[i];
        cr_expect(same, "%s is not %s", pairs[k].one, pairs[k].other);
    }
}

static void expect_different(const pair *pairs, size_t n)
{
    for (size_t k = 0; k < n; k++)
        cr_expect_neq(number(pairs[k].one), number(pairs[k].other), "%s is %s", pairs[k].one,
                      pairs[k].other);
}

/* Arithmetic */

Test(formula, operators_bind_as_in_mathematics)
{
    static const pair same[] = {
        {"-x^2", "-(x^2)"},
        {"+x", "x"},
        {"--x", "x"},
        {"-+-x", "x"},
        {"x - -y", "x + y"},
        {"x + +y", "x + y"},
        {"x*-y", "-(x*y)"},
        {"x/-y", "-(x/y)"},
        {"-x*y", "-(x*y)"},
        {"x^-y", "x^(-y)"},
        {"x^--y", "x^y"},
        {"-x^-y", "-(x^(-y))"},
        {"a^b^m", "a^(b^m)"},
        {"a^-b^m", "a^(-(b^m))"},
        {"a/b/m", "(a/b)/m"},
        {"a/b*m", "(a/b)*m"},
        {"a*b/m", "(a*b)/m"},
        {"a - b - m", "(a - b) - m"},
        {"a - b + m", "(a - b) + m"},
        {"a + b*m", "a + (b*m)"},
        {"a + b/m", "a + (b/m)"},
        {"a*b^m", "a*(b^m)"},
        {"a/b^m", "a/(b^m)"},
        {"x'^2", "(x')^2"},
        {"-x'", "-(x')"},
        {"((((x))))", "x"},
    };
    static const pair different[] = {
        {"-x^2", "(-x)^2"},       {"a^b^m", "(a^b)^m"},         {"a/b/m", "a/(b/m)"},
        {"a/b*m", "a/(b*m)"},     {"a - b - m", "a - (b - m)"}, {"a - b + m", "a - (b + m)"},
        {"a + b*m", "(a + b)*m"}, {"a*b^m", "(a*b)^m"},         {"x'", "x"},
    };
    start();
    expect_same(same, COUNT(same));
    expect_different(different, COUNT(different));
    finish();
}

Test(formula, operators_give_the_right_numbers)
{
    const double x = 0.73, y = -1.17, m = 1.7, a = 0.57, b = 1.43;
    const struct {
        const char *text;
        double value;
    } table[] = {
        {"-x^2", -(x * x)},
        {"2^-3", 0.125},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^3^2", 512},
        {"a^b^m", pow(a, pow(b, m))},
        {"a/b/m", a / b / m},
        {"a - b - m", a - b - m},
        {"a/b*m", a / b * m},
        {"a*b/m + x*y - 3", a * b / m + x * y - 3},
        {"m*(x + y)^2/2", m * (x + y) * (x + y) / 2},
        {"x^0.5 + x^-0.5", sqrt(x) + 1 / sqrt(x)},
        {"x^17", pow(x, 17)},
        {"m^x", pow(m, x)},
        {"m*x'^2/2", m * 1.31 * 1.31 / 2},
        {"x''*y'", 2.19 * 0.59},
        {"2*pi - t", 2 * 3.14159265358979323846 - 2.9},
        {"N*x", 3 * x},
    };
    start();
    for (size_t k = 0; k < COUNT(table); k++) expect_number(table[k].text, table[k].value);
    finish();
}

Test(formula, functions_give_the_right_numbers)
{
    const double x = 0.73, y = -1.17;
    const struct {
        const char *text;
        double value;
    } table[] = {
        {"sin(x)", sin(x)},
        {"cos(x)", cos(x)},
        {"tan(x)", tan(x)},
        {"asin(x)", asin(x)},
        {"acos(x)", acos(x)},
        {"atan(x)", atan(x)},
        {"sinh(x)", sinh(x)},
        {"cosh(x)", cosh(x)},
        {"tanh(x)", tanh(x)},
        {"exp(x)", exp(x)},
        {"log(x)", log(x)},
        {"sqrt(x)", sqrt(x)},
        {"abs(y)", 1.17},
        {"atan2(y, x)", atan2(y, x)},
        {"atan2(x, y)", atan2(x, y)},
        {"atan2(y, -x)", atan2(y, -x)},
        {"sin(cos(x)*exp(-y))^2", pow(sin(cos(x) * exp(-y)), 2)},
    };
    start();
    for (size_t k = 0; k < COUNT(table); k++) expect_number(table[k].text, table[k].value);
    finish();
}

Test(formula, numbers_are_read_to_the_last_bit)
{
    static const struct {
        const char *text;
        double value;
    } table[] = {
        {"0", 0},
        {"7", 7},
        {"9.80665", 9.80665},
        {".5", 0.5},
        {"2.", 2},
        {"1e-3", 1e-3},
        {"1E+03", 1e3},
        {"0.1", 0.1},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"5e-324", 5e-324},
        {"0e-999", 0},
        {"1/3", 1.0 / 3},
        {"1e3/7", 1e3 / 7},
        {"pi", 3.14159265358979323846},
    };
    start();
    for (size_t k = 0; k < COUNT(table); k++)
        cr_expect_eq(number(table[k].text), graph_const(g, table[k].value), "%s", table[k].text);
    finish();
}

Test(formula, spaces_and_line_ends_mean_nothing)
{
    static const pair same[] = {
        {"  x+y ", "x + y"},
        {"x\n + y\n", "x + y"},
        {"x\t*\r\ny", "x*y"},
        {"sin ( x )", "sin(x)"},
        {"atan2(\n y,\n x\n)", "atan2(y, x)"},
        {"z[ 1 + 1 ]", "z[2]"},
        {"- x ^ 2", "-x^2"},
        {"vec( 1 ,2 )", "vec(1, 2)"},
    };
    start();
    expect_same(same, COUNT(same));
    finish();
}

Test(formula, a_piece_of_a_source_is_read_and_nothing_around_it)
{
    start();
    const char *file = "potential: x + y # height";
    source src = source_of_string(file);
    formula f = {0};
    value v;
    noslip_error err;
    cr_assert_eq(formula_parse(&src, 10, 17, false, &f, &err), NOSLIP_OK, "%s", shown(&err));
    cr_expect_eq(f.from, 11);
    cr_expect_eq(f.to, 16);
    cr_assert_eq(formula_build(&f, names, ALL, NULL, &v, &err), NOSLIP_OK);
    cr_expect_eq(v.at[0], number("x + y"));
    formula_free(&f);
    finish();
}

/* Names */

Test(formula, primes_are_rates_and_accelerations)
{
    start();
    expr x = number("x");
    cr_expect_eq(number("x'"), graph_rate(g, x));
    cr_expect_eq(number("x''"), graph_rate(g, graph_rate(g, x)));
    cr_expect_eq(number("z[2]'"), graph_rate(g, number("z[2]")));
    cr_expect_eq(graph_at(g, number("x''"))->depends, SYMBOL_ACCELERATION);
    finish();
}

Test(formula, names_may_be_written_in_any_alphabet)
{
    static const char *const table[] = {"θ",       "ψ_1", "скорость", "φ2",   "Łódź",  "漢字",
                                        "_hidden", "x1",  "é",        "הטיה", "ñ_",    "𝛚",
                                        "e",       "E1",  "sine",     "pi2",  "vector"};
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        noslip_error err;
        char twice[80];
        size_t n = strlen(table[k]);
        cr_assert_eq(scope_symbol(names, table[k], n, SYMBOL_COORDINATE, &err), NOSLIP_OK, "%s",
                     shown(&err));
        snprintf(twice, sizeof twice, "2*%s' - %s", table[k], table[k]);
        expr e = number(table[k]);
        cr_expect_eq(number(twice),
                     expr_sub(g, expr_mul(g, graph_const(g, 2), graph_rate(g, e)), e), "%s",
                     table[k]);
    }
    finish();
}

Test(formula, two_ways_to_write_one_letter_are_one_name)
{
    static const struct {
        const char *one, *other, *normal;
    } ways[] = {
        {"\u00e9t\u00e9", "e\u0301te\u0301", "\u00e9t\u00e9"}, /* e with an acute */
        {"\u1e8b", "x\u0307", "\u1e8b"},                       /* x with a dot above */
        {"\u01d6", "u\u0308\u0304", "\u01d6"},                 /* two marks */
        {"\u212b", "A\u030a", "\u00c5"},                       /* the unit of length */
        {"\u03ac", "\u03b1\u0301", "\u03ac"},                  /* alpha with tonos */
    };
    start();
    for (size_t k = 0; k < COUNT(ways); k++) {
        noslip_error err;
        const char *one = ways[k].one, *other = ways[k].other;
        cr_assert_eq(scope_symbol(names, other, strlen(other), SYMBOL_PARAMETER, &err), NOSLIP_OK);
        expr e = number(one);
        cr_expect_eq(number(other), e, "row %zu", k);
        cr_expect_str_eq(g->symbols.at[graph_at(g, e)->symbol].name, ways[k].normal, "row %zu", k);
        cr_expect_eq(scope_symbol(names, one, strlen(one), SYMBOL_PARAMETER, &err),
                     NOSLIP_ERR_FORMULA, "row %zu: one name given twice", k);
    }
    finish();
}

Test(formula, letters_that_only_look_alike_are_different_names)
{
    start();
    noslip_error err;
    cr_assert_eq(scope_symbol(names, "а", strlen("а"), SYMBOL_PARAMETER, &err), NOSLIP_OK);
    cr_expect_neq(number("а"), number("a"), "Cyrillic and Latin");
    finish();
}

Test(formula, the_longest_names_are_names)
{
    start();
    noslip_error err;
    char name[NAME_MOST + 1];
    memset(name, 'q', NAME_MOST);
    name[NAME_MOST] = '\0';
    cr_assert_eq(scope_symbol(names, name, NAME_MOST, SYMBOL_PARAMETER, &err), NOSLIP_OK);
    expr e = number(name);
    cr_expect_eq(graph_at(g, e)->op, OP_SYMBOL);
    cr_expect_eq(scope_symbol(names, name, NAME_MOST, SYMBOL_PARAMETER, &err), NOSLIP_ERR_FORMULA);
    finish();
}

/* Giving names a meaning */

Test(scope, a_name_that_cannot_be_given_says_why)
{
    static const struct {
        const char *name, *message, *hint;
    } table[] = {
        {"x", "'x' is defined already", ""},
        {"z[2]", "'z[2]' is defined already", ""},
        {"sin", "'sin' is the name of a function", ""},
        {"sum", "'sum' is the name of a function", ""},
        {"pi", "'pi' has its meaning already", ""},
        {"", "'' is not a name", "a name is a letter followed by letters, digits and _"},
        {"2x", "'2x' is not a name", "a name is a letter followed by letters, digits and _"},
        {"x-y", "'x-y' is not a name", "a name is a letter followed by letters, digits and _"},
        {"x'", "'x'' is not a name", "a name is a letter followed by letters, digits and _"},
        {"x[", "'x[' is not a name", "a name is a letter followed by letters, digits and _"},
        {"x[]", "'x[]' is not a name", "a name is a letter followed by letters, digits and _"},
        {"x[i]", "'x[i]' is not a name", "a name is a letter followed by letters, digits and _"},
        {"x[1]y", "'x[1]y' is not a name", "a name is a letter followed by letters, digits and _"},
    };
    start();
    value v = value_number(graph_const(g, 7));
    for (size_t k = 0; k < COUNT(table); k++) {
        noslip_error err = {0};
        size_t n = strlen(table[k].name);
        cr_expect_eq(scope_define(names, table[k].name, n, &v, &err), NOSLIP_ERR_FORMULA, "row %zu",
                     k);
        cr_expect_str_eq(err.message, table[k].message, "row %zu: %s", k, err.message);
        cr_expect_str_eq(err.hint, table[k].hint, "row %zu: %s", k, err.hint);
        cr_expect_eq(err.line, 0);
        cr_expect_eq(scope_symbol(names, table[k].name, n, SYMBOL_PARAMETER, &err),
                     NOSLIP_ERR_FORMULA, "row %zu", k);
    }
    finish();
}

Test(scope, many_names_are_all_found_again)
{
    enum { NAMES = 3001 };
    start();
    char name[32];
    static expr given[NAMES];
    noslip_error err;
    for (int k = 0; k < NAMES; k++) {
        int n = snprintf(name, sizeof name, "body%d", k);
        given[k] = graph_const(g, k + 0.375);
        value v = value_number(given[k]);
        cr_assert_eq(scope_define(names, name, (size_t)n, &v, &err), NOSLIP_OK);
    }
    for (int k = 0; k < NAMES; k++) {
        snprintf(name, sizeof name, "body%d", k);
        const scope_entry *entry = scope_find(names, name);
        cr_assert(entry && entry->has_value && entry->v.at[0] == given[k], "%s", name);
    }
    cr_expect_null(scope_find(names, "body3001"));
    finish();
}

Test(scope, a_family_knows_its_first_and_last_index)
{
    start();
    noslip_error err;
    long low = 0, high = 0;
    value v = value_number(graph_const(g, 7));
    static const char *const members[] = {"w[5]", "w[-2]", "w[11]"};
    for (size_t k = 0; k < COUNT(members); k++)
        cr_assert_eq(scope_define(names, members[k], strlen(members[k]), &v, &err), NOSLIP_OK);
    cr_expect(scope_family(names, "w", &low, &high));
    cr_expect_eq(low, -2);
    cr_expect_eq(high, 11);
    cr_expect(scope_family(names, "z", &low, &high));
    cr_expect_eq(low, 1);
    cr_expect_eq(high, 3);
    cr_expect_not(scope_family(names, "x", &low, &high));
    cr_expect_eq(number("w[-2]"), number("7"));
    finish();
}

Test(scope, a_member_is_found_however_its_index_was_written)
{
    start();
    noslip_error err;
    value v = value_number(graph_const(g, 7));
    noslip_status status = scope_define(names, "w[007]", 6, &v, &err);
    if (status == NOSLIP_OK) cr_expect_eq(number("w[7]"), number("7"));
    cr_expect_eq(scope_define(names, "z[03]", 5, &v, &err), NOSLIP_ERR_FORMULA,
                 "z[3] has a meaning already");
    finish();
}

/* Vectors and matrices */

Test(formula, vectors_have_components)
{
    static const pair same[] = {
        {"vec(x, y, m).x", "x"},    {"vec(x, y, m).y", "y"},
        {"vec(x, y, m).z", "m"},    {"vec(x, y).y", "y"},
        {"vec(x, y, m, a).z", "m"}, {"(vec(x, y) + vec(a, b)).x", "x + a"},
        {"vec(x, y).x^2", "x^2"},   {"-vec(x, y).x", "-x"},
        {"vec(x, y).x'", "x'"},     {"dt(vec(x, y)).y", "y'"},
    };
    start();
    expect_same(same, COUNT(same));
    finish();
}

Test(formula, vectors_and_numbers_combine)
{
    static const pair same[] = {
        {"vec(x, y) + vec(a, b)", "vec(x + a, y + b)"},
        {"vec(x, y) - vec(a, b)", "vec(x - a, y - b)"},
        {"-vec(x, y)", "vec(-x, -y)"},
        {"m*vec(x, y)", "vec(m*x, m*y)"},
        {"vec(x, y)*m", "vec(x*m, y*m)"},
        {"vec(x, y)/m", "vec(x/m, y/m)"},
        {"dot(vec(x, y), vec(a, b))", "x*a + y*b"},
        {"dot(vec(x, y, m), vec(a, b, t))", "x*a + y*b + m*t"},
        {"cross(vec(x, y, m), vec(a, b, t))", "vec(y*t - m*b, m*a - x*t, x*b - y*a)"},
        {"cross(vec(1, 0, 0), vec(0, 1, 0))", "vec(0, 0, 1)"},
        {"cross(vec(0, 1, 0), vec(0, 0, 1))", "vec(1, 0, 0)"},
        {"norm(vec(x, y))", "sqrt(x*x + y*y)"},
        {"norm(vec(3, 4, 12))", "13"},
        {"unit(vec(x, y))", "vec(x/sqrt(x*x + y*y), y/sqrt(x*x + y*y))"},
        {"transpose(vec(x, y))*vec(a, b)", "x*a + y*b"},
        {"transpose(transpose(vec(x, y)))", "vec(x, y)"},
        {"transpose(x)", "x"},
        {"(vec(x, y)*transpose(vec(a, b)))*vec(m, t)", "vec(x*a*m + x*b*t, y*a*m + y*b*t)"},
        {"(transpose(vec(x, y))*vec(a, b))^2", "(x*a + y*b)^2"},
    };
    start();
    expect_same(same, COUNT(same));
    finish();
}

Test(formula, rotations_are_active_and_right_handed)
{
    const double c = cos(0.41), s = sin(0.41); /* theta */
    const double about_x[] = {1, 0, 0, 0, c, -s, 0, s, c};
    const double about_y[] = {c, 0, s, 0, 1, 0, -s, 0, c};
    const double about_z[] = {c, -s, 0, s, c, 0, 0, 0, 1};
    const double back[] = {c, s, 0, -s, c, 0, 0, 0, 1};
    const double y_turned[] = {-s, c, 0};
    start();
    expect_matrix("rotx(theta)", 3, 3, about_x);
    expect_matrix("roty(theta)", 3, 3, about_y);
    expect_matrix("rotz(theta)", 3, 3, about_z);
    expect_matrix("transpose(rotz(theta))", 3, 3, back);
    expect_matrix("rotz(-theta)", 3, 3, back);
    expect_matrix("rotz(theta)*vec(0, 1, 0)", 3, 1, y_turned);
    finish();
}

/* c = a b, all 3 x 3 */
static void multiply(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            c[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
        }
}

Test(formula, a_product_of_rotations_applies_the_last_one_first)
{
    const double ct = cos(0.41), st = sin(0.41), cp = cos(-0.87), sp = sin(-0.87);
    const double lean[] = {1, 0, 0, 0, ct, -st, 0, st, ct};
    const double yaw[] = {cp, -sp, 0, sp, cp, 0, 0, 0, 1};
    double both[9];
    multiply(yaw, lean, both);
    const double axis[] = {both[2], both[5], both[8]};
    start();
    expect_matrix("rotz(psi)*rotx(theta)", 3, 3, both);
    expect_matrix("rotz(psi)*rotx(theta)*vec(0, 0, 1)", 3, 1, axis);
    expect_matrix("rotz(psi)*(rotx(theta)*vec(0, 0, 1))", 3, 1, axis);
    finish();
}

/* Time derivatives */

Test(formula, dt_is_the_total_time_derivative)
{
    const double x = 0.73, xd = -1.31, xdd = 2.19, y = -1.17, yd = 0.59, m = 1.7, t = 2.9;
    const struct {
        const char *text;
        double value;
    } table[] = {
        {"dt(x)", xd},
        {"dt(x')", xdd},
        {"dt(dt(x))", xdd},
        {"dt(m*x^2)", 2 * m * x * xd},
        {"dt(x*y)", xd * y + x * yd},
        {"dt(sin(x)*t)", cos(x) * xd * t + sin(x)},
        {"dt(x'*y)", xdd * y + xd * yd},
        {"dt(m)", 0},
        {"dt(t^2)", 2 * t},
        {"dt(7)", 0},
        {"dt(dt(x^2))", 2 * xd * xd + 2 * x * xdd},
    };
    start();
    for (size_t k = 0; k < COUNT(table); k++) expect_number(table[k].text, table[k].value);
    const double moved[] = {xd, 2 * y * yd, 0};
    expect_matrix("dt(vec(x, y^2, m))", 3, 1, moved);
    finish();
}

/* omega in body axes, by hand: the angular velocity of rotz(psi)*rotx(theta)*roty(phi) is
 *     roty(phi)' (rotx(theta)' (0, 0, psi') + (theta', 0, 0)) + (0, phi', 0)             */
static void omega_by_hand(double *out)
{
    const double theta = 0.41, thetad = 1.83, psid = -0.67, phi = 2.23, phid = 0.79;
    const double wx = thetad, wy = psid * sin(theta), wz = psid * cos(theta);
    out[0] = cos(phi) * wx - sin(phi) * wz;
    out[1] = wy + phid;
    out[2] = sin(phi) * wx + cos(phi) * wz;
}

#define GIMBAL "rotz(psi)*rotx(theta)*roty(phi)"

Test(omega, one_rotation_turns_about_its_axis)
{
    const double about_x[] = {1.83, 0, 0}, about_y[] = {0, 1.83, 0}, about_z[] = {0, 0, 1.83};
    const double scaled[] = {2 * 1.83 - 1.31, 0, 0}, still[] = {0, 0, 0};
    start();
    expect_matrix("omega(rotx(theta))", 3, 1, about_x);
    expect_matrix("omega(roty(theta))", 3, 1, about_y);
    expect_matrix("omega(rotz(theta))", 3, 1, about_z);
    expect_matrix("omega(rotx(2*theta + x))", 3, 1, scaled);
    expect_matrix("omega(rotx(m))", 3, 1, still);
    const double clock[] = {0, 0, 1.7};
    expect_matrix("omega(rotz(m*t))", 3, 1, clock);
    finish();
}

Test(omega, is_given_in_body_axes)
{
    /* yaw, then lean: the yaw rate is seen in the leaning frame */
    const double leaning[] = {1.83, -0.67 * sin(0.41), -0.67 * cos(0.41)};
    double gimbal[3];
    omega_by_hand(gimbal);
    start();
    expect_matrix("omega(rotz(psi)*rotx(theta))", 3, 1, leaning);
    expect_matrix("omega(" GIMBAL ")", 3, 1, gimbal);
    expect_matrix("omega(rotz(psi)*(rotx(theta)*roty(phi)))", 3, 1, gimbal);
    finish();
}

Test(omega, is_the_same_whether_the_rotation_is_remembered_or_not)
{
    static const struct {
        const char *text;
        bool remembered;
    } table[] = {
        {GIMBAL, true},
        {"transpose(transpose(" GIMBAL "))", true},
        {"transpose(roty(-phi)*rotx(-theta)*rotz(-psi))", true},
        {GIMBAL "*rotx(0)", true},
        {GIMBAL " + 0*(" GIMBAL ")", false},
        {"1*(" GIMBAL ")", false},
        {"-(-(" GIMBAL "))", false},
        {"(2*(" GIMBAL "))/2", false},
        {"rotz(psi)*(rotx(theta)/1)*roty(phi)", false},
    };
    double wanted[3], got[3];
    omega_by_hand(wanted);
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        value r = build(table[k].text), w = value_omega(g, &r);
        cr_expect_eq(r.turns, table[k].remembered, "%s", table[k].text);
        evaluate(&w, got);
        expect_near(table[k].text, got, wanted, 3);
    }
    finish();
}

Test(omega, of_the_transpose_turns_back_seen_from_space)
{
    double r[9], w[3], wanted[3];
    start();
    value rotation = build(GIMBAL);
    evaluate(&rotation, r);
    omega_by_hand(w);
    for (int i = 0; i < 3; i++)
        wanted[i] = -(r[3 * i] * w[0] + r[3 * i + 1] * w[1] + r[3 * i + 2] * w[2]);
    expect_matrix("omega(transpose(" GIMBAL "))", 3, 1, wanted);
    expect_matrix("omega(1*transpose(" GIMBAL "))", 3, 1, wanted);
    finish();
}

Test(omega, is_the_vector_of_the_skew_matrix_of_the_rotation)
{
    double w[3];
    omega_by_hand(w);
    const double skew[] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
    start();
    expect_matrix("transpose(" GIMBAL ")*dt(" GIMBAL ")", 3, 3, skew);
    finish();
}

Test(omega, a_definition_keeps_the_memory_of_its_rotations)
{
    double wanted[3];
    omega_by_hand(wanted);
    start();
    define("L", "rotz(psi)*rotx(theta)");
    define("R", "L*roty(phi)");
    cr_expect(build("R").turns);
    expect_matrix("omega(R)", 3, 1, wanted);
    finish();
}

/* Definitions */

Test(formula, definitions_stand_for_what_they_were_given)
{
    static const pair same[] = {
        {"2*r.y - r.x", "2*y - x"},
        {"dt(r)", "vec(x', y', 0)"},
        {"L*r", "rotz(psi)*vec(x, y, m)"},
        {"dot(r, L*r)", "dot(vec(x, y, m), rotz(psi)*vec(x, y, m))"},
        {"again'", "x'"},
        {"w[2].x", "2*x"},
    };
    start();
    define("r", "vec(x, y, m)");
    define("L", "rotz(psi)");
    define("speed", "norm(dt(r))");
    define("again", "x");
    define("w[2]", "2*r");
    expect_same(same, COUNT(same));
    expect_number("speed^2", 1.31 * 1.31 + 0.59 * 0.59);
    finish();
}

/* Families, sums and whole numbers */

Test(formula, members_of_a_family_are_found_by_their_index)
{
    static const pair same[] = {
        {"z[1] + z[2]", "z[1] + z[1 + 1]"},
        {"z[3]", "z[N]"},
        {"z[2]", "z[N - 1]"},
        {"z[3]", "z[9/3]"},
        {"z[1]", "z[-(-1)]"},
        {"z[2]", "z[2.0]"},
        {"z[2]", "z[sum(k, 1, 2, 1)]"},
        {"z[2]", "z[2^1]"},
    };
    start();
    expect_same(same, COUNT(same));
    finish();
}

Test(formula, sums_are_written_out)
{
    static const pair same[] = {
        {"sum(i, 1, 3, z[i])", "z[1] + z[2] + z[3]"},
        {"sum(i, 1, N, z[i])", "z[1] + z[2] + z[3]"},
        {"sum(i, 1, N, i*z[i]')", "z[1]' + 2*z[2]' + 3*z[3]'"},
        {"sum(i, 1, N - 1, (z[i + 1] - z[i])^2)", "(z[2] - z[1])^2 + (z[3] - z[2])^2"},
        {"sum(i, 1, 2, sum(j, i, 2, z[i]*z[j]))", "z[1]*z[1] + z[1]*z[2] + z[2]*z[2]"},
        {"sum(i, 1, 2, i)*sum(i, 1, 3, i)", "3*6"},
        {"sum(i, -2, 2, i^2)", "10"},
        {"sum(i, 2, 2, x)", "x"},
        {"sum(i, 3, 2, x)", "0"},
        {"sum(i, 5, -7, x)", "0"},
        {"sum(i, 1, 2, vec(z[i], i))", "vec(z[1] + z[2], 3)"},
        {"sum(i, 1, sum(j, 1, 2, 1), z[i])", "z[1] + z[2]"},
        {"x^sum(i, 1, 2, i)", "x^3"},
        {"-sum(i, 1, 2, z[i])", "-(z[1] + z[2])"},
    };
    start();
    expect_same(same, COUNT(same));
    finish();
}

/* The links before link i of a chain; the first has none before it. */
#define PLANE "sum(j, 1, i - 1, vec(z[j], m))"
#define SPACE "sum(j, 1, i - 1, vec(z[j], m, 1))"

Test(formula, a_sum_of_vectors_may_be_empty)
{
    static const pair table[] = {
        {"vec(x, y) + " PLANE, "vec(x, y)"},
        {PLANE " + vec(x, y)", "vec(x, y)"},
        {"vec(x, y) - " PLANE, "vec(x, y)"},
        {PLANE " - vec(x, y)", "-vec(x, y)"},
        {"-" PLANE " + vec(x, y)", "vec(x, y)"},
        {"vec(x, y) + m*" PLANE, "vec(x, y)"},
        {"vec(x, y) + " PLANE "/m", "vec(x, y)"},
        {"vec(x, y) + dt(" PLANE ")", "vec(x, y)"},
        {"vec(x, y) + " PLANE " + " PLANE, "vec(x, y)"},
        {"vec(x, y, a) + rotz(psi)*" SPACE, "vec(x, y, a)"},
        {"vec(x, y, a) + cross(" SPACE ", vec(1, 2, 3))", "vec(x, y, a)"},
        {"x + dot(" PLANE ", vec(x, y))", "x"},
        {"x + norm(" PLANE ")", "x"},
        {"x + (" PLANE ").y", "x"},
    };
    const index_binding first = {.name = "i", .value = 1}, second = {.name = "i", .value = 2};
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        value v = {0}, wanted = build(table[k].other);
        noslip_error err;
        cr_expect_eq(try_to_build(table[k].one, false, ALL, &second, &v, &err), NOSLIP_OK, "%s",
                     shown(&err));
        cr_expect(v.rows == wanted.rows && v.cols == wanted.cols, "%s", table[k].one);
        noslip_status status = try_to_build(table[k].one, false, ALL, &first, &v, &err);
        cr_expect_eq(status, NOSLIP_OK, "%s", shown(&err));
        if (status != NOSLIP_OK) continue;
        bool same = v.rows == wanted.rows && v.cols == wanted.cols;
        for (int e = 0; same && e < value_size(&v); e++) same = v.at[e] == wanted.at[e];
        cr_expect(same, "%s is not %s", table[k].one, table[k].other);
    }
    finish();
}

Test(formula, an_index_from_outside_is_a_number_in_the_formula)
{
    const index_binding outer = {.name = "i", .value = 2};
    const index_binding inner = {.name = "k", .value = -1, .outer = &outer};
    static const struct {
        const char *text, *wanted;
    } table[] = {
        {"z[i]", "z[2]"},
        {"z[i + 1]' - z[i + k]'", "z[3]' - z[1]'"},
        {"i*x + k", "2*x - 1"},
        {"sum(j, 1, i, z[j])", "z[1] + z[2]"},
        {"sum(j, i, N, z[j + k])", "z[1] + z[2]"},
    };
    start();
    for (size_t k = 0; k < COUNT(table); k++)
        cr_expect_eq(build_with(table[k].text, false, &inner).at[0], number(table[k].wanted), "%s",
                     table[k].text);
    finish();
}

Test(formula, the_innermost_of_two_indices_of_one_name_counts)
{
    const index_binding outer = {.name = "i", .value = 2};
    const index_binding inner = {.name = "i", .value = 3, .outer = &outer};
    start();
    cr_expect_eq(build_with("z[i]", false, &inner).at[0], number("z[3]"));
    cr_expect_eq(build_with("z[i]", false, &outer).at[0], number("z[2]"));
    finish();
}

static bool used_as_index(const char *name)
{
    const scope_entry *entry = scope_find(names, name);
    cr_assert_not_null(entry);
    return entry->used_as_index;
}

Test(formula, a_whole_number_is_known_to_shape_the_model_only_if_it_does)
{
    start();
    noslip_error err;
    cr_assert_eq(scope_integer(names, "K", 1, 2, &err), NOSLIP_OK);
    cr_assert_eq(scope_integer(names, "J", 1, 1, &err), NOSLIP_OK);
    number("N*x + K");
    cr_expect_not(used_as_index("N"));
    cr_expect_not(used_as_index("K"));
    number("z[K]");
    cr_expect(used_as_index("K"));
    cr_expect_not(used_as_index("N"));
    number("sum(i, J, N, x)");
    cr_expect(used_as_index("N"));
    cr_expect(used_as_index("J"));
    finish();
}

Test(formula, a_whole_number_is_a_symbol_where_it_is_a_parameter_and_a_number_where_it_is_not)
{
    start();
    noslip_error err;
    cr_assert_eq(scope_integer(names, "K", 1, 2, &err), NOSLIP_OK);
    cr_expect_eq(graph_at(g, number("N"))->op, OP_SYMBOL);
    cr_expect_eq(number("K"), number("2"));
    cr_assert_eq(scope_integer(names, "K", 1, 3, &err), NOSLIP_OK, "a whole number may change");
    cr_expect_eq(number("z[K]"), number("z[3]"));
    finish();
}

/* Equations */

Test(formula, an_equation_is_left_minus_right)
{
    start();
    cr_expect_eq(build_with("x' = a*cos(psi)*phi'", true, NULL).at[0],
                 number("x' - a*cos(psi)*phi'"));
    cr_expect_eq(build_with("x = 0", true, NULL).at[0], number("x"));
    cr_expect_eq(build_with("0 = x", true, NULL).at[0], number("-x"));
    value v = build_with("vec(x, y) = vec(a, b)", true, NULL), wanted = build("vec(x - a, y - b)");
    cr_expect(v.at[0] == wanted.at[0] && v.at[1] == wanted.at[1]);
    finish();
}

Test(formula, an_equation_knows_that_it_is_one)
{
    start();
    source src = source_of_string(" x = y ");
    formula f = {0};
    noslip_error err;
    cr_assert_eq(formula_parse(&src, 0, src.size, true, &f, &err), NOSLIP_OK);
    cr_expect(f.is_equation);
    cr_expect_eq(f.from, 1);
    cr_expect_eq(f.to, 6);
    formula_free(&f);
    finish();
}

/* What may stand in a formula */

Test(formula, only_the_allowed_kinds_may_stand_in_it)
{
    static const struct {
        const char *text;
        unsigned kinds;
    } table[] = {
        {"7*pi", 0},
        {"m", SYMBOL_PARAMETER},
        {"t", SYMBOL_TIME},
        {"x", SYMBOL_COORDINATE},
        {"x'", SYMBOL_RATE},
        {"x''", SYMBOL_ACCELERATION},
        {"z[1]'", SYMBOL_RATE},
        {"m*sin(x)", SYMBOL_PARAMETER + SYMBOL_COORDINATE},
        {"sum(i, 1, N, z[i])", SYMBOL_COORDINATE},
        {"position.x", SYMBOL_COORDINATE + SYMBOL_PARAMETER},
        {"omega(rotx(theta)).x", SYMBOL_COORDINATE + SYMBOL_RATE},
        {"dt(x^2)", SYMBOL_COORDINATE + SYMBOL_RATE},
    };
    start();
    define("position", "vec(x, m)");
    for (size_t k = 0; k < COUNT(table); k++)
        for (unsigned allowed = 0; allowed < 32; allowed++) {
            value v;
            noslip_error err;
            noslip_status status = try_to_build(table[k].text, false, allowed, NULL, &v, &err);
            bool covered = (table[k].kinds & ~allowed) == 0;
            cr_expect_eq(status, covered ? NOSLIP_OK : NOSLIP_ERR_FORMULA, "%s with %u",
                         table[k].text, allowed);
        }
    finish();
}

Test(formula, what_cancels_may_not_stand_in_it_either)
{
    static const char *const table[] = {"x' - x'", "0*x'", "x'^0", "sum(i, 1, 2, 0*z[i]')"};
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        value v;
        noslip_error err;
        cr_expect_eq(try_to_build(table[k], false, ALL & ~SYMBOL_RATE, NULL, &v, &err),
                     NOSLIP_ERR_FORMULA, "%s", table[k]);
    }
    finish();
}

Test(formula, a_number_is_what_has_one_entry)
{
    static const struct {
        const char *text;
        bool number;
    } table[] = {{"x", true},
                 {"dot(vec(x, y), vec(a, b))", true},
                 {"transpose(vec(x, y))*vec(a, b)", true},
                 {"vec(x, y)", false},
                 {"rotx(x)", false},
                 {"transpose(vec(x, y))", false}};
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        source src = source_of_string(table[k].text);
        formula f = {0};
        expr e = EXPR_NONE;
        noslip_error err;
        cr_assert_eq(formula_parse(&src, 0, src.size, false, &f, &err), NOSLIP_OK);
        noslip_status status = formula_build_number(&f, names, ALL, NULL, &e, &err);
        cr_expect_eq(status, table[k].number ? NOSLIP_OK : NOSLIP_ERR_FORMULA, "%s", table[k].text);
        cr_expect_eq(e != EXPR_NONE, table[k].number, "%s", table[k].text);
        formula_free(&f);
    }
    finish();
}

Test(formula, a_formula_can_be_built_twice)
{
    start();
    source src = source_of_string("sum(i, 1, N, m*z[i]'^2/2) - vec(x, y).x");
    formula f = {0};
    value once, twice;
    noslip_error err;
    cr_assert_eq(formula_parse(&src, 0, src.size, false, &f, &err), NOSLIP_OK);
    cr_assert_eq(formula_build(&f, names, ALL, NULL, &once, &err), NOSLIP_OK);
    size_t nodes = g->nodes.n;
    cr_assert_eq(formula_build(&f, names, ALL, NULL, &twice, &err), NOSLIP_OK);
    cr_expect_eq(once.at[0], twice.at[0]);
    cr_expect_eq(g->nodes.n, nodes, "nothing new was made");
    formula_free(&f);
    finish();
}
