/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "build.h"
#include "formula.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* What may stand in a formula. */
enum {
    ALL = SYMBOL_PARAMETER + SYMBOL_TIME + SYMBOL_COORDINATE + SYMBOL_RATE + SYMBOL_ACCELERATION,
    NO_ACCELERATIONS = ALL - SYMBOL_ACCELERATION,
    NO_RATES = NO_ACCELERATIONS - SYMBOL_RATE,
    CONSTANTS = SYMBOL_PARAMETER,
};

typedef enum { VALUE, NUMBER, EQUATION } wanted;

/* The names that every formula may use: symbols here, definitions below. */
static const struct {
    const char *name;
    symbol_kind kind;
} symbols[] = {
    {"x", SYMBOL_COORDINATE},    {"y", SYMBOL_COORDINATE},    {"theta", SYMBOL_COORDINATE},
    {"psi", SYMBOL_COORDINATE},  {"z[1]", SYMBOL_COORDINATE}, {"z[2]", SYMBOL_COORDINATE},
    {"z[3]", SYMBOL_COORDINATE}, {"m", SYMBOL_PARAMETER},     {"g", SYMBOL_PARAMETER},
    {"a", SYMBOL_PARAMETER},     {"N", SYMBOL_PARAMETER},     {"t", SYMBOL_TIME},
};

static const struct {
    const char *name, *formula;
} definitions[] = {
    {"r", "vec(x, y, a)"},    {"v2", "vec(x, y)"},   {"R", "rotz(psi)"},
    {"speed", "x'^2 + y'^2"}, {"f[1]", "vec(x, y)"}, {"f[2]", "vec(x, y, a)"},
};

static graph *shared;
static scope *names;

static noslip_status build(const char *bytes, size_t size, wanted what, unsigned allowed, value *v,
                           noslip_error *err)
{
    source src = {.text = bytes, .size = size, .line = 1, .column = 1};
    formula f = {0};
    noslip_status status = formula_parse(&src, 0, size, what == EQUATION, &f, err);
    if (status == NOSLIP_OK && what == NUMBER)
        status = formula_build_number(&f, names, allowed, NULL, &v->at[0], err);
    else if (status == NOSLIP_OK)
        status = formula_build(&f, names, allowed, NULL, v, err);
    formula_free(&f);
    return status;
}

static void start(void)
{
    noslip_error err;
    shared = graph_new();
    names = scope_new(shared);
    cr_assert(shared && names);
    for (size_t k = 0; k < COUNT(symbols); k++)
        cr_assert_eq(
            scope_symbol(names, symbols[k].name, strlen(symbols[k].name), symbols[k].kind, &err),
            NOSLIP_OK);
    cr_assert_eq(scope_integer(names, "N", 1, 3, &err), NOSLIP_OK);
    for (size_t k = 0; k < COUNT(definitions); k++) {
        const char *name = definitions[k].name, *text = definitions[k].formula;
        value v;
        cr_assert_eq(build(text, strlen(text), VALUE, ALL, &v, &err), NOSLIP_OK, "%s", err.message);
        cr_assert_eq(scope_define(names, name, strlen(name), &v, &err), NOSLIP_OK);
    }
}

static void finish(void)
{
    scope_free(names);
    graph_free(shared);
    cr_assert_eq(noslip_alloc_live(), 0);
}

typedef struct {
    const char *formula;
    wanted what;
    unsigned allowed;
    int column, length;
    const char *message, *hint;
} row;

static void expect_error(const char *bytes, size_t size, const row *r)
{
    value v;
    noslip_error err = {0};
    noslip_status status = build(bytes, size, r->what, r->allowed, &v, &err);
    cr_expect_eq(status, NOSLIP_ERR_FORMULA, "%s\n  is accepted", r->formula);
    if (status == NOSLIP_OK) return;
    cr_expect_eq(err.status, status, "%s", r->formula);
    cr_expect_eq(err.line, 1, "%s\n  line %d", r->formula, err.line);
    cr_expect(err.column == r->column && err.length == r->length,
              "%s\n  place %d, %d instead of %d, %d: %s", r->formula, err.column, err.length,
              r->column, r->length, err.message);
    cr_expect_str_eq(err.message, r->message, "%s\n  says   '%s'\n  not    '%s'", r->formula,
                     err.message, r->message);
    cr_expect_str_eq(err.hint, r->hint, "%s\n  hints  '%s'\n  not    '%s'", r->formula, err.hint,
                     r->hint);
}

static void expect_errors(const row *rows, size_t n)
{
    start();
    for (size_t k = 0; k < n; k++) expect_error(rows[k].formula, strlen(rows[k].formula), &rows[k]);
    finish();
}

/* clang-format off */

#define ENDS "the formula ends where an operand should follow"
#define PRODUCT "write * for a product"

static const row operands[] = {
    {"",            VALUE, ALL, 1, 0, "the formula is empty", ""},
    {"   ",         VALUE, ALL, 1, 3, "the formula is empty", ""},
    {"",            EQUATION, ALL, 1, 0, "the formula is empty", ""},
    {"x +",         VALUE, ALL, 3, 1, ENDS, ""},
    {"x -   ",      VALUE, ALL, 3, 1, ENDS, ""},
    {"x*",          VALUE, ALL, 2, 1, ENDS, ""},
    {"x^",          VALUE, ALL, 2, 1, ENDS, ""},
    {"-",           VALUE, ALL, 1, 1, ENDS, ""},
    {"sin(",        VALUE, ALL, 4, 1, ENDS, ""},
    {"*x",          VALUE, ALL, 1, 1, "an operand is missing before '*'", ""},
    {"x + /y",      VALUE, ALL, 5, 1, "an operand is missing before '/'", ""},
    {"x // y",      VALUE, ALL, 4, 1, "an operand is missing before '/'", ""},
    {"x^^2",        VALUE, ALL, 3, 1, "an operand is missing before '^'", ""},
    {"()",          VALUE, ALL, 2, 1, "an operand is missing before ')'", ""},
    {"(x + )",      VALUE, ALL, 6, 1, "an operand is missing before ')'", ""},
    {"sin(, x)",    VALUE, ALL, 5, 1, "an operand is missing before ','", ""},
    {"sin(x, )",    VALUE, ALL, 8, 1, "an operand is missing before ')'", ""},
    {"'x",          VALUE, ALL, 1, 1, "an operand is missing before '''", ""},
    {".x",          VALUE, ALL, 1, 1, "an operand is missing before '.'", ""},
    {"z[]",         VALUE, ALL, 3, 1, "an operand is missing before ']'", ""},
    {"[x, y]",      VALUE, ALL, 1, 1, "an operand is missing before '['",
                                      "write vec(x, y) for a vector"},
    {"x**2",        VALUE, ALL, 2, 2, "'**' is no operator", "write ^ for a power"},
    {"x y",         VALUE, ALL, 3, 1, "an operator is missing before 'y'", PRODUCT},
    {"2theta",      VALUE, ALL, 2, 5, "an operator is missing before 'theta'", PRODUCT},
    {"2(x + y)",    VALUE, ALL, 2, 1, "an operator is missing before '('", PRODUCT},
    {"(x)(y)",      VALUE, ALL, 4, 1, "an operator is missing before '('", PRODUCT},
    {"x 345",       VALUE, ALL, 3, 3, "an operator is missing before '345'", PRODUCT},
};

static const row brackets[] = {
    {"(x",          VALUE, ALL, 1, 1, "'(' is never closed", ""},
    {"y + ((x)",    VALUE, ALL, 5, 1, "'(' is never closed", ""},
    {"sin(x",       VALUE, ALL, 4, 1, "'(' is never closed", ""},
    {"vec(x, y",    VALUE, ALL, 4, 1, "'(' is never closed", ""},
    {"sum(i, 1, 3, i", VALUE, ALL, 4, 1, "'(' is never closed", ""},
    {"z[1",         VALUE, ALL, 2, 1, "'[' is never closed", ""},
    {"x)",          VALUE, ALL, 2, 1, "')' without '('", ""},
    {"sin(x)) + 1", VALUE, ALL, 7, 1, "')' without '('", ""},
    {"x]",          VALUE, ALL, 2, 1, "unexpected character ']'",
                                      "an index stands in [ ] behind a name"},
    {"x, y",        VALUE, ALL, 2, 1, "',' may only stand between the arguments of a function",
                                      "a decimal number is written with a point"},
    {"0,5*x",       VALUE, ALL, 2, 1, "',' may only stand between the arguments of a function",
                                      "a decimal number is written with a point"},
    {"{x}",         VALUE, ALL, 1, 1, "unexpected character '{'", "write ( and )"},
    {"x}",          VALUE, ALL, 2, 1, "unexpected character '}'", "write ( and )"},
    {"|x|",         VALUE, ALL, 1, 1, "unexpected character '|'",
                                      "write abs(x), or norm(v) for a vector"},
};

static const row characters[] = {
    {"x ? y",       VALUE, ALL, 3, 1, "unexpected character '?'", ""},
    {"x % 2",       VALUE, ALL, 3, 1, "unexpected character '%'", ""},
    {"$x",          VALUE, ALL, 1, 1, "unexpected character '$'", ""},
    {"x\"",         VALUE, ALL, 2, 1, "unexpected character '\"'",
                                      "write two ' for an acceleration"},
    {"x . y",       VALUE, ALL, 3, 1, "unexpected '.'", ""},
    {"x < y",       EQUATION, ALL, 3, 1, "unexpected character '<'",
                                      "inequalities cannot be written here"},
    /* pasted from papers */
    {"x − y",       VALUE, ALL, 3, 1, "unexpected character '−'", "write - for minus"},
    {"−x",          VALUE, ALL, 1, 1, "unexpected character '−'", "write - for minus"},
    {"x – y",       VALUE, ALL, 3, 1, "unexpected character '–'", "write - for minus"},
    {"m · x",       VALUE, ALL, 3, 1, "unexpected character '·'", PRODUCT},
    {"m·x",         VALUE, ALL, 2, 1, "unexpected character '·'", PRODUCT},
    {"2·x",         VALUE, ALL, 2, 1, "unexpected character '·'", PRODUCT},
    {"m⋅x",         VALUE, ALL, 2, 1, "unexpected character '⋅'", PRODUCT},
    {"r × r",       VALUE, ALL, 3, 1, "unexpected character '×'",
                                      "write * for a product, cross(a, b) for the vector product"},
    {"x÷y",         VALUE, ALL, 2, 1, "unexpected character '÷'", "write / for a quotient"},
    {"x²",          VALUE, ALL, 2, 1, "unexpected character '²'", "write ^2"},
    {"theta'³",     VALUE, ALL, 7, 1, "unexpected character '³'", "write ^3"},
    {"x’",          VALUE, ALL, 2, 1, "unexpected character '’'", "write ' for a rate"},
    {"x′",          VALUE, ALL, 2, 1, "unexpected character '′'", "write ' for a rate"},
    {"√x",          VALUE, ALL, 1, 1, "unexpected character '√'", "write sqrt(x)"},
    {"x\u00a0+ y",  VALUE, ALL, 2, 1, "unexpected character U+00A0",
                                      "this is a no-break space: write an ordinary one"},
    /* what cannot be shown has its number */
    {"x\u200b + y", VALUE, ALL, 2, 1, "unexpected character U+200B", ""},
    {"x + \001",    VALUE, ALL, 5, 1, "unexpected character U+0001", ""},
    {"x + \xff",    VALUE, ALL, 5, 1, "a byte that is not UTF-8: 0xFF", ""},
    {"θ\xc3",       VALUE, ALL, 2, 1, "a byte that is not UTF-8: 0xC3", ""},
    {"\xe2\x82*x",  VALUE, ALL, 1, 1, "a byte that is not UTF-8: 0xE2", ""},
    {"x\xc0\xaf",   VALUE, ALL, 2, 1, "a byte that is not UTF-8: 0xC0", ""},
};

static const row equations[] = {
    {"x + y",       EQUATION, ALL, 1, 5, "an equation needs an '='", ""},
    {"  x + y  ",   EQUATION, ALL, 3, 5, "an equation needs an '='", ""},
    {"x =",         EQUATION, ALL, 3, 1, ENDS, ""},
    {"= y",         EQUATION, ALL, 1, 1, "an operand is missing before '='", ""},
    {"x == y",      EQUATION, ALL, 3, 2, "'==' is no operator", "write one ="},
    {"x = y = m",   EQUATION, ALL, 7, 1, "only one '=' may stand in an equation", ""},
    {"(x = y)",     EQUATION, ALL, 4, 1, "'=' may not stand inside parentheses", ""},
    {"x = y z",     EQUATION, ALL, 7, 1, "an operator is missing before 'z'", PRODUCT},
    {"x = y",       VALUE, ALL, 3, 1,
                    "'=' may not stand here: a formula is wanted, not an equation", ""},
    {"x == y",      VALUE, ALL, 3, 1,
                    "'=' may not stand here: a formula is wanted, not an equation", ""},
    {"r = 0",       EQUATION, ALL, 3, 1,
                    "cannot set equal: a vector of 3 on the left, a number on the right", ""},
    {"x = R",       EQUATION, ALL, 3, 1,
                    "cannot set equal: a number on the left, a 3 x 3 matrix on the right", ""},
    {"v2 = r",      EQUATION, ALL, 4, 1,
                    "cannot set equal: a vector of 2 on the left, a vector of 3 on the right", ""},
    {"r = r",       NUMBER, ALL, 3, 1,
                    "'=' may not stand here: a formula is wanted, not an equation", ""},
};

#define NOT_FINITE "this is not a finite number"

static const row numbers[] = {
    {"1e400",       VALUE, ALL, 1, 5, "the number 1e400 is too large", ""},
    {"x + 2.5e309", VALUE, ALL, 5, 7, "the number 2.5e309 is too large", ""},
    {"1e-400*x",    VALUE, ALL, 1, 6, "the number 1e-400 is too small", ""},
    {"1/0",         VALUE, ALL, 2, 1, "division by zero", ""},
    {"x/(3 - 3)",   VALUE, ALL, 2, 1, "division by zero", ""},
    {"x/(y - y)",   VALUE, ALL, 2, 1, "division by zero", ""},
    {"r/0",         VALUE, ALL, 2, 1, "division by zero", ""},
    {"z[1/0]",      VALUE, ALL, 4, 1, "division by zero", ""},
    {"0^-1",        VALUE, ALL, 2, 1, NOT_FINITE, ""},
    {"sqrt(-1)",    VALUE, ALL, 1, 4, NOT_FINITE, ""},
    {"x*log(0)",    VALUE, ALL, 3, 3, NOT_FINITE, ""},
    {"0*log(0)",    VALUE, ALL, 3, 3, NOT_FINITE, ""},
    {"asin(2)",     VALUE, ALL, 1, 4, NOT_FINITE, ""},
    {"(-8)^(1/3)",  VALUE, ALL, 5, 1, NOT_FINITE, ""},
    {"1e300*1e300", VALUE, ALL, 6, 1, NOT_FINITE, ""},
    {"1e308 + 1e308", VALUE, ALL, 7, 1, NOT_FINITE, ""},
    {"-1e308 - 1e308", VALUE, ALL, 8, 1, NOT_FINITE, ""},
    {"exp(1000)",   VALUE, ALL, 1, 3, NOT_FINITE, ""},
    {"1e300/1e-300", VALUE, ALL, 6, 1, NOT_FINITE, ""},
    {"unit(vec(0, 0, 0))", VALUE, ALL, 1, 4, NOT_FINITE, ""},
    {"vec(1, log(0))", VALUE, ALL, 8, 3, NOT_FINITE, ""},
};

static const row unknown[] = {
    {"thta",        VALUE, ALL, 1, 4, "unknown name 'thta'", "did you mean 'theta'?"},
    {"2*Theta",     VALUE, ALL, 3, 5, "unknown name 'Theta'", "did you mean 'theta'?"},
    {"m*thetaa'^2", VALUE, ALL, 3, 6, "unknown name 'thetaa'", "did you mean 'theta'?"},
    {"sped",        VALUE, ALL, 1, 4, "unknown name 'sped'", "did you mean 'speed'?"},
    {"thta + x",    VALUE, ALL, 1, 4, "unknown name 'thta'", "did you mean 'theta'?"},
    {"spi",         VALUE, ALL, 1, 3, "unknown name 'spi'", "did you mean 'psi'?"},
    {"2*Pi",        VALUE, ALL, 3, 2, "unknown name 'Pi'", "did you mean 'pi'?"},
    {"q",           VALUE, ALL, 1, 1, "unknown name 'q'", ""},
    {"x + velocity", VALUE, ALL, 5, 8, "unknown name 'velocity'", ""},
    {"cos(θ)",      VALUE, ALL, 5, 1, "unknown name 'θ'", ""},
    {"2*z",         VALUE, ALL, 3, 1, "'z' is a family and needs an index", "z[1] to z[3]"},
    {"z'",          VALUE, ALL, 1, 1, "'z' is a family and needs an index", "z[1] to z[3]"},
    {"sin",         VALUE, ALL, 1, 3, "'sin' needs its arguments in parentheses", ""},
    {"2 + cos x",   VALUE, ALL, 5, 3, "'cos' needs its arguments in parentheses", ""},
    {"sin^2(x)",    VALUE, ALL, 1, 3, "'sin' needs its arguments in parentheses",
                                      "write sin(x)^2"},
    {"cot(x)",      VALUE, ALL, 1, 3, "'cot' is not a function", "write 1/tan(x)"},
    {"π*x",         VALUE, ALL, 1, 1, "unknown name 'π'", "did you mean 'pi'?"},
    {"sine(x)",     VALUE, ALL, 1, 4, "'sine' is not a function", "did you mean 'sin'?"},
    {"1 + Cos(x)",  VALUE, ALL, 5, 3, "'Cos' is not a function", "did you mean 'cos'?"},
    {"arctan(x)",   VALUE, ALL, 1, 6, "'arctan' is not a function", "did you mean 'atan'?"},
    {"ln(x)",       VALUE, ALL, 1, 2, "'ln' is not a function", "did you mean 'log'?"},
    {"tg(x)",       VALUE, ALL, 1, 2, "'tg' is not a function", "did you mean 'tan'?"},
    {"x(y + 1)",    VALUE, ALL, 1, 1, "'x' is not a function", "write x*(...) for a product"},
    {"energy(x)",   VALUE, ALL, 1, 6, "'energy' is not a function",
                                      "write energy*(...) for a product"},
};

static const row counts[] = {
    {"sin()",       VALUE, ALL, 1, 3, "'sin' takes 1 argument, not 0", ""},
    {"sin(x, y)",   VALUE, ALL, 1, 3, "'sin' takes 1 argument, not 2", ""},
    {"1 + atan2(x)", VALUE, ALL, 5, 5, "'atan2' takes 2 arguments, not 1", ""},
    {"vec(x)",      VALUE, ALL, 1, 3, "'vec' takes 2 to 4 arguments, not 1", ""},
    {"vec(1, 2, 3, 4, 5)", VALUE, ALL, 1, 3, "'vec' takes 2 to 4 arguments, not 5", ""},
    {"dot(r)",      VALUE, ALL, 1, 3, "'dot' takes 2 arguments, not 1", ""},
    {"cross(r, r, r)", VALUE, ALL, 1, 5, "'cross' takes 2 arguments, not 3", ""},
    {"norm(r, r)",  VALUE, ALL, 1, 4, "'norm' takes 1 argument, not 2", ""},
    {"unit()",      VALUE, ALL, 1, 4, "'unit' takes 1 argument, not 0", ""},
    {"transpose(R, R)", VALUE, ALL, 1, 9, "'transpose' takes 1 argument, not 2", ""},
    {"rotx(x, y)",  VALUE, ALL, 1, 4, "'rotx' takes 1 argument, not 2", ""},
    {"dt(x, t)",    VALUE, ALL, 1, 2, "'dt' takes 1 argument, not 2", ""},
    {"omega()",     VALUE, ALL, 1, 5, "'omega' takes 1 argument, not 0", ""},
};

static const row shapes[] = {
    {"r + 1",       VALUE, ALL, 3, 1,
                    "cannot add: a vector of 3 on the left, a number on the right", ""},
    {"R + r",       VALUE, ALL, 3, 1,
                    "cannot add: a 3 x 3 matrix on the left, a vector of 3 on the right", ""},
    {"1 - r",       VALUE, ALL, 3, 1,
                    "cannot subtract: a number on the left, a vector of 3 on the right", ""},
    {"v2 - r",      VALUE, ALL, 4, 1,
                    "cannot subtract: a vector of 2 on the left, a vector of 3 on the right", ""},
    {"transpose(r) - r", VALUE, ALL, 14, 1,
                    "cannot subtract: a 1 x 3 matrix on the left, a vector of 3 on the right", ""},
    {"m*r*r",       VALUE, ALL, 4, 1,
                    "cannot multiply: a vector of 3 on the left, a vector of 3 on the right",
                    "write dot(a, b) or cross(a, b)"},
    {"r*R",         VALUE, ALL, 2, 1,
                    "cannot multiply: a vector of 3 on the left, a 3 x 3 matrix on the right", ""},
    {"R*v2",        VALUE, ALL, 2, 1,
                    "cannot multiply: a 3 x 3 matrix on the left, a vector of 2 on the right", ""},
    {"x/r",         VALUE, ALL, 2, 1, "cannot divide by a vector of 3", ""},
    {"R/R",         VALUE, ALL, 2, 1, "cannot divide by a 3 x 3 matrix", ""},
    {"r^2",         VALUE, ALL, 2, 1, "cannot take the power of a vector of 3",
                                      "write dot(v, v) for a square"},
    {"R^-1",        VALUE, ALL, 2, 1, "cannot take the power of a 3 x 3 matrix",
                                      "write R*R, or transpose(R) for the inverse of a rotation"},
    {"2^r",         VALUE, ALL, 2, 1, "the exponent must be a number, this is a vector of 3", ""},
    {"x + sin(r)",  VALUE, ALL, 5, 3, "'sin' takes numbers, argument 1 is a vector of 3", ""},
    {"atan2(x, R)", VALUE, ALL, 1, 5, "'atan2' takes numbers, argument 2 is a 3 x 3 matrix", ""},
    {"vec(x, r)",   VALUE, ALL, 1, 3, "'vec' takes numbers, argument 2 is a vector of 3", ""},
    {"rotx(v2)",    VALUE, ALL, 1, 4, "'rotx' takes numbers, argument 1 is a vector of 2", ""},
    {"roty(R)",     VALUE, ALL, 1, 4, "'roty' takes numbers, argument 1 is a 3 x 3 matrix", ""},
    {"rotz(r)",     VALUE, ALL, 1, 4, "'rotz' takes numbers, argument 1 is a vector of 3", ""},
    {"dot(r, x)",   VALUE, ALL, 1, 3, "'dot' takes vectors, argument 2 is a number", ""},
    {"dot(v2, r)",  VALUE, ALL, 1, 3,
                    "'dot' takes vectors of one length: a vector of 2, then a vector of 3", ""},
    {"cross(r, v2)", VALUE, ALL, 1, 5,
                    "'cross' takes vectors of 3, argument 2 is a vector of 2", ""},
    {"cross(x, r)", VALUE, ALL, 1, 5, "'cross' takes vectors, argument 1 is a number", ""},
    {"norm(x)",     VALUE, ALL, 1, 4, "'norm' takes vectors, argument 1 is a number", ""},
    {"norm(R)",     VALUE, ALL, 1, 4, "'norm' takes vectors, argument 1 is a 3 x 3 matrix", ""},
    {"unit(x)",     VALUE, ALL, 1, 4, "'unit' takes vectors, argument 1 is a number", ""},
    {"omega(r)",    VALUE, ALL, 1, 5, "'omega' takes a 3 x 3 rotation, this is a vector of 3", ""},
    {"omega(x)",    VALUE, ALL, 1, 5, "'omega' takes a 3 x 3 rotation, this is a number", ""},
    {"x.x",         VALUE, ALL, 2, 2, "a number has no component .x", ""},
    {"v2.z",        VALUE, ALL, 3, 2, "a vector of 2 has no component .z", ""},
    {"R.y",         VALUE, ALL, 2, 2, "a 3 x 3 matrix has no component .y", ""},
    {"r.w",         VALUE, ALL, 2, 2, "a component is .x, .y or .z", ""},
    {"r.xy",        VALUE, ALL, 2, 3, "a component is .x, .y or .z", ""},
    {"r.",          VALUE, ALL, 2, 1, "a component is .x, .y or .z", ""},
    {"2*r",         NUMBER, ALL, 1, 3, "a number is wanted here, this is a vector of 3", ""},
    {"  2*R  ",     NUMBER, ALL, 3, 3, "a number is wanted here, this is a 3 x 3 matrix", ""},
};

#define NOT_HERE(words) words ", which may not stand here"

static const row kinds[] = {
    {"m*x'",        VALUE, NO_RATES, 3, 2, NOT_HERE("'x'' depends on rates"), ""},
    {"x = y'",      EQUATION, NO_RATES, 5, 2, NOT_HERE("'y'' depends on rates"), ""},
    {"0*x'",        VALUE, NO_RATES, 3, 2, NOT_HERE("'x'' depends on rates"), ""},
    {"z[N]'",       VALUE, NO_RATES, 1, 5, NOT_HERE("'z[N]'' depends on rates"), ""},
    {"sum(i, 1, 3, z[i]')", VALUE, NO_RATES, 14, 5, NOT_HERE("'z[i]'' depends on rates"), ""},
    {"x''",         VALUE, NO_ACCELERATIONS, 1, 3, NOT_HERE("'x''' depends on accelerations"), ""},
    {"m + x",       VALUE, CONSTANTS, 5, 1, NOT_HERE("'x' depends on coordinates"), ""},
    {"x + m",       VALUE, CONSTANTS, 1, 1, NOT_HERE("'x' depends on coordinates"), ""},
    {"speed *2",    VALUE, NO_RATES, 1, 5, NOT_HERE("'speed' depends on rates"), ""},
    {"t",           VALUE, CONSTANTS, 1, 1, NOT_HERE("'t' depends on the time"), ""},
    {"m",           VALUE, 0, 1, 1, NOT_HERE("'m' depends on parameters"), ""},
    {"2*speed",     VALUE, NO_RATES, 3, 5, NOT_HERE("'speed' depends on rates"), ""},
    {"r.x",         VALUE, CONSTANTS, 1, 1, NOT_HERE("'r' depends on coordinates"), ""},
    {"2*dt(x)",     VALUE, NO_RATES, 3, 2, NOT_HERE("'dt' depends on rates"), ""},
    {"dt(x')",      VALUE, NO_ACCELERATIONS, 1, 2, NOT_HERE("'dt' depends on accelerations"), ""},
    {"dt(speed)",   VALUE, NO_ACCELERATIONS, 1, 2, NOT_HERE("'dt' depends on accelerations"), ""},
    {"omega(R)",    VALUE, NO_RATES, 1, 5, NOT_HERE("'omega' depends on rates"), ""},
    {"dt(x'')",     VALUE, ALL, 1, 2, "the time derivative of an acceleration has no meaning here", ""},
    {"dt(dt(dt(x)))", VALUE, ALL, 1, 2,
                    "the time derivative of an acceleration has no meaning here", ""},
    {"omega(rotx(x'))", VALUE, ALL, 1, 5,
                    "'omega' takes a rotation that does not depend on rates", ""},
};

#define BEHIND "a prime stands right behind a coordinate, two at the most"
#define USE_DT "write dt(...) for a time derivative"

static const row primes[] = {
    {"2*m'",        VALUE, ALL, 3, 2, "'m' is not a coordinate and has no rate", ""},
    {"t'",          VALUE, ALL, 1, 2, "'t' is not a coordinate and has no rate", ""},
    {"speed'",      VALUE, ALL, 1, 6, "'speed' is not a coordinate and has no rate", USE_DT},
    {"r'",          VALUE, ALL, 1, 2, "'r' is not a coordinate and has no rate", USE_DT},
    {"R'*r",        VALUE, ALL, 1, 2, "'R' is not a coordinate and has no rate",
                                      "write dt(...) for a time derivative, transpose(...) for a transpose"},
    {"(x + y)'",    VALUE, ALL, 1, 8, "'(x + y)' is not a coordinate and has no rate", USE_DT},
    {"1 + sin(x)'", VALUE, ALL, 5, 7, "'sin(x)' is not a coordinate and has no rate", USE_DT},
    {"x^2'",        VALUE, ALL, 3, 2, "'2' is not a coordinate and has no rate", USE_DT},
    {"x'''",        VALUE, ALL, 4, 1, BEHIND, ""},
    {"sin(x''')",   VALUE, ALL, 8, 1, BEHIND, ""},
    {"x '",         VALUE, ALL, 3, 1, BEHIND, ""},
    {"(x'')'",      VALUE, ALL, 1, 6, "'(x'')' is not a coordinate and has no rate", ""},
};

static const row indices[] = {
    {"z[4]",        VALUE, ALL, 1, 4, "z[4] does not exist: the index goes from 1 to 3", ""},
    {"x*z[0]'",     VALUE, ALL, 3, 4, "z[0] does not exist: the index goes from 1 to 3", ""},
    {"z[-1]",       VALUE, ALL, 1, 5, "z[-1] does not exist: the index goes from 1 to 3", ""},
    {"z[N + 1]",    VALUE, ALL, 1, 8, "z[4] does not exist: the index goes from 1 to 3", ""},
    {"sum(i, 1, 4, z[i])", VALUE, ALL, 14, 4,
                    "z[4] does not exist: the index goes from 1 to 3", ""},
    {"z[2000000000]", VALUE, ALL, 1, 13,
                    "z[2000000000] does not exist: the index goes from 1 to 3", ""},
    {"z[1.5]",      VALUE, ALL, 2, 5, "the index is not a whole number", ""},
    {"z[vec(1, 2)]", VALUE, ALL, 2, 11, "the index is not a whole number", ""},
    {"z[m]",        VALUE, ALL, 3, 1, "'m' is not a whole number known in advance", ""},
    {"z[x + 1]",    VALUE, ALL, 3, 1, "'x' is not a whole number known in advance", ""},
    {"z[pi]",       VALUE, ALL, 3, 2, "'pi' is not a whole number known in advance", ""},
    {"z[i]",        VALUE, ALL, 3, 1, "unknown name 'i'", ""},
    {"z[z[1]]",     VALUE, ALL, 3, 4, "an index may not be a member of a family", ""},
    {"z [1]",       VALUE, ALL, 3, 1, "an index stands right behind a name", ""},
    {"(x)[1]",      VALUE, ALL, 4, 1, "an index stands right behind a name", ""},
    {"z[1, 2]",     VALUE, ALL, 4, 1, "',' may only stand between the arguments of a function",
                                      "a decimal number is written with a point"},
    {"x[1]",        VALUE, ALL, 1, 4, "'x' has no index", ""},
    {"w[1]",        VALUE, ALL, 1, 4, "unknown name 'w'", ""},
    {"thta[1]",     VALUE, ALL, 1, 7, "unknown name 'thta'", "did you mean 'theta'?"},
};

#define FOUR "'sum' takes 4 arguments: sum(i, low, high, formula)"
#define BEGINS "sum begins with the name of its index: sum(i, 1, N, ...)"
#define TAKEN(name) "'" name "' has a meaning already, take another index"

static const row sums[] = {
    {"sum",              VALUE, ALL, 1, 3, "'sum' needs its arguments in parentheses", ""},
    {"sum()",            VALUE, ALL, 5, 1, BEGINS, ""},
    {"sum(1, 1, 3, x)",  VALUE, ALL, 5, 1, BEGINS, ""},
    {"sum(i)",           VALUE, ALL, 1, 3, FOUR, ""},
    {"2*sum(i, 1, 3)",   VALUE, ALL, 3, 3, FOUR, ""},
    {"sum(i, 1, 3, x, y)", VALUE, ALL, 1, 3, FOUR, ""},
    {"sum(i = 1, 3, x)", VALUE, ALL, 1, 3, FOUR, ""},
    {"sum(sin, 1, 3, x)", VALUE, ALL, 5, 3, "'sin' is the name of a function", ""},
    {"sum(x, 1, 3, x)",  VALUE, ALL, 5, 1, TAKEN("x"), ""},
    {"sum(N, 1, 3, x)",  VALUE, ALL, 5, 1, TAKEN("N"), ""},
    {"sum(pi, 1, 3, pi)", VALUE, ALL, 5, 2, TAKEN("pi"), ""},
    {"sum(z, 1, 3, z[z])", VALUE, ALL, 5, 1, TAKEN("z"), ""},
    {"sum(i, 1, 2, sum(i, 1, 2, i))", VALUE, ALL, 18, 1, TAKEN("i"), ""},
    {"sum(i, 1, 2.5, x)", VALUE, ALL, 1, 3, "the bounds of a sum are whole numbers", ""},
    {"sum(i, r, 2, x)",  VALUE, ALL, 8, 1, "'r' is not a whole number known in advance", ""},
    {"sum(i, 1, vec(1, 2), x)", VALUE, ALL, 1, 3, "the bounds of a sum are whole numbers", ""},
    {"sum(i, 1, m, x)",  VALUE, ALL, 11, 1, "'m' is not a whole number known in advance", ""},
    {"sum(i, 1, x', x)", VALUE, ALL, 11, 1, "'x' is not a whole number known in advance", ""},
    {"sum(i, 1, i, x)",  VALUE, ALL, 11, 1, "unknown name 'i'", ""},
    {"sum(i, 1, 3, q)",  VALUE, ALL, 14, 1, "unknown name 'q'", ""},
    {"sum(i, 1, 2, z[i]) + i", VALUE, ALL, 22, 1, "unknown name 'i'", ""},
    {"sum(i, 1, 3, 1/(i - 2))", VALUE, ALL, 15, 1, "division by zero", ""},
    {"sum(i, 1, 2, f[i])", VALUE, ALL, 1, 3,
                         "the terms of the sum differ: a vector of 2, then a vector of 3", ""},
    {"sum(i, 1, 2, i')", VALUE, ALL, 14, 2, "'i' is not a coordinate and has no rate", USE_DT},
};

/* clang-format on */

Test(formula_errors, operands_and_operators_that_are_missing)
{
    expect_errors(operands, COUNT(operands));
}

Test(formula_errors, brackets_that_do_not_match)
{
    expect_errors(brackets, COUNT(brackets));
}

Test(formula_errors, characters_that_mean_nothing_here)
{
    expect_errors(characters, COUNT(characters));
}

Test(formula_errors, equations_that_are_none)
{
    expect_errors(equations, COUNT(equations));
}

Test(formula_errors, numbers_beyond_all_bounds)
{
    expect_errors(numbers, COUNT(numbers));
}

Test(formula_errors, names_and_functions_that_do_not_exist)
{
    expect_errors(unknown, COUNT(unknown));
}

Test(formula_errors, too_few_and_too_many_arguments)
{
    expect_errors(counts, COUNT(counts));
}

Test(formula_errors, dimensions_that_do_not_fit)
{
    expect_errors(shapes, COUNT(shapes));
}

Test(formula_errors, quantities_that_may_not_stand_here)
{
    expect_errors(kinds, COUNT(kinds));
}

Test(formula_errors, primes_where_there_is_no_rate)
{
    expect_errors(primes, COUNT(primes));
}

Test(formula_errors, indices_that_do_not_exist)
{
    expect_errors(indices, COUNT(indices));
}

Test(formula_errors, sums_that_cannot_be_taken)
{
    expect_errors(sums, COUNT(sums));
}

/* What does not fit into a table */

Test(formula_errors, a_zero_byte_is_found_where_it_stands)
{
    static const struct {
        char bytes[8];
        size_t size;
        row r;
    } table[] = {
        {"\0", 1, {"\\0", VALUE, ALL, 1, 1, "unexpected character U+0000", ""}},
        {"x\0", 2, {"x\\0", VALUE, ALL, 2, 1, "unexpected character U+0000", ""}},
        {"x\0y", 3, {"x\\0y", VALUE, ALL, 2, 1, "unexpected character U+0000", ""}},
        {"x + \0y", 6, {"x + \\0y", VALUE, ALL, 5, 1, "unexpected character U+0000", ""}},
        {"(x\0)", 4, {"(x\\0)", VALUE, ALL, 3, 1, "unexpected character U+0000", ""}},
        {"x\0= y", 5, {"x\\0= y", EQUATION, ALL, 2, 1, "unexpected character U+0000", ""}},
    };
    start();
    for (size_t k = 0; k < COUNT(table); k++)
        expect_error(table[k].bytes, table[k].size, &table[k].r);
    finish();
}

Test(formula_errors, a_place_is_found_on_a_later_line_and_in_the_middle_of_a_file)
{
    start();
    const char *file = "coordinates: [x]\npotential: >\n  m*g*x\n  + thta # lean\n";
    source src = source_of_string(file);
    src.file = "disk.yaml";
    size_t from = (size_t)(strstr(file, "m*g") - file), to = (size_t)(strstr(file, " #") - file);
    formula f = {0};
    value v;
    noslip_error err;
    char out[300];
    cr_assert_eq(formula_parse(&src, from, to, false, &f, &err), NOSLIP_OK);
    cr_assert_eq(formula_build(&f, names, ALL, NULL, &v, &err), NOSLIP_ERR_FORMULA);
    noslip_error_format(&err, out, sizeof out);
    cr_expect_str_eq(out, "disk.yaml:4:5: error: unknown name 'thta'\n"
                          "  + thta # lean\n"
                          "    ^~~~  did you mean 'theta'?");
    formula_free(&f);

    from = (size_t)(strstr(file, "+ thta") - file);
    formula g = {0};
    cr_assert_eq(formula_parse(&src, from, from + 2, false, &g, &err), NOSLIP_ERR_FORMULA);
    cr_expect_str_eq(err.message, ENDS, "what stands behind the piece is not looked at");
    cr_expect_eq(err.column, 3);
    formula_free(&g);
    finish();
}

Test(formula_errors, an_error_needs_nobody_to_ask_for_it)
{
    static const char *const table[] = {"x +", "thta", "sin(r)", "z[4]", "x''' + 1", "1e400", "x²"};
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        value v;
        cr_expect_eq(build(table[k], strlen(table[k]), VALUE, ALL, &v, NULL), NOSLIP_ERR_FORMULA,
                     "%s", table[k]);
    }
    finish();
}

/* Long and deep formulas */

/* `n` times a piece, then an end; free it. */
static char *repeat(const char *piece, size_t n, const char *end)
{
    size_t bytes = strlen(piece);
    char *out = malloc(n * bytes + strlen(end) + 1);
    cr_assert_not_null(out);
    for (size_t k = 0; k < n; k++) memcpy(out + k * bytes, piece, bytes);
    strcpy(out + n * bytes, end);
    return out;
}

/* How much slower a program may be that looks at itself. */
#if defined __SANITIZE_ADDRESS__
enum { PATIENCE = 6 };
#else
enum { PATIENCE = 1 };
#endif

/* Seconds of the processor since then. */
static double since(clock_t then)
{
    return (double)(clock() - then) / CLOCKS_PER_SEC;
}

static void expect_refusal(const char *piece, size_t n, const char *end, int column, int length,
                           const char *message)
{
    char *all = repeat(piece, n, end);
    const row r = {piece, VALUE, ALL, column, length, message, ""};
    clock_t then = clock();
    expect_error(all, strlen(all), &r);
    cr_expect_lt(since(then), 0.5 * PATIENCE, "%zu times '%s' took %g s", n, piece, since(then));
    free(all);
}

Test(formula_errors, formulas_that_are_too_long_are_refused_at_once)
{
    char message[100];
    snprintf(message, sizeof message, "the formula has %d bytes, more than the %d that are allowed",
             4 * (1 << 18) + 1, FORMULA_LONGEST);
    start();
    expect_refusal("x + ", 1 << 18, "x", 1, 0, message);
    expect_refusal("y)  ", 1 << 18, "x", 1, 0, message);
    finish();
}

Test(formula_errors, formulas_that_are_too_deep_are_refused_at_once)
{
    static const struct {
        const char *piece, *end;
        int bracket; /* which character of the piece goes a level deeper */
    } table[] = {
        {"(", "", 1},   {"(", "x", 1},   {"-", "x", 1},
        {"+", "x", 1},  {"x^", "x", 2},  {"sin(", "x", 4},
        {"z[", "1", 2}, {"2*(", "x", 3}, {"sum(i, 1, 2, ", "x", 4},
    };
    char message[100];
    snprintf(message, sizeof message, "the formula is nested too deeply (more than %d levels)",
             FORMULA_DEEPEST);
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        size_t bytes = strlen(table[k].piece), most = FORMULA_LONGEST / bytes - 1;
        int column = FORMULA_DEEPEST * (int)bytes + table[k].bracket;
        expect_refusal(table[k].piece, most < 100000 ? most : 100000, table[k].end, column, 1,
                       message);
    }
    finish();
}

Test(formula_errors, the_deepest_formula_is_understood)
{
    static const struct {
        const char *open, *close;
    } table[] = {{"(", ")"}, {"-", ""}, {"x^", ""}, {"sin(", ")"}, {"2*(", ")"}};
    start();
    for (size_t k = 0; k < COUNT(table); k++)
        for (size_t levels = FORMULA_DEEPEST; levels <= FORMULA_DEEPEST + 1; levels++) {
            char *close = repeat(table[k].close, levels, ""), *end = repeat("x", 1, close);
            char *all = repeat(table[k].open, levels, end);
            value v;
            noslip_error err = {0};
            cr_expect_eq(build(all, strlen(all), VALUE, ALL, &v, &err),
                         levels == FORMULA_DEEPEST ? NOSLIP_OK : NOSLIP_ERR_FORMULA, "%s: %s",
                         table[k].open, err.message);
            free(all);
            free(end);
            free(close);
        }
    finish();
}

Test(formula_errors, fifty_thousand_terms_are_not_too_many)
{
    start();
    static const char *const pieces[] = {"x + ", "m - ", "x*", "y/"};
    for (size_t k = 0; k < COUNT(pieces); k++) {
        char *all = repeat(pieces[k], 50000, "x");
        value v;
        noslip_error err = {0};
        clock_t then = clock();
        cr_expect_eq(build(all, strlen(all), VALUE, ALL, &v, &err), NOSLIP_OK, "%s: %s", pieces[k],
                     err.message);
        cr_expect_lt(since(then), 0.5 * PATIENCE, "'%s' took %g s", pieces[k], since(then));
        free(all);
    }
    cr_expect_gt(shared->nodes.n, 3 * 49000);
    finish();
}

/* A sum whose terms are too many; `place` is where the word sum of an offender may stand. */
static void expect_too_many(const char *written, const int *place, int places)
{
    char message[100];
    snprintf(message, sizeof message, "the formula has more than %d terms, its sums written out",
             BUILD_MOST_STEPS);
    value v;
    noslip_error err = {0};
    clock_t then = clock();
    cr_expect_eq(build(written, strlen(written), VALUE, ALL, &v, &err), NOSLIP_ERR_FORMULA);
    cr_expect_lt(since(then), 2 * PATIENCE, "%s took %g s", written, since(then));
    cr_expect_str_eq(err.message, message, "%s says '%s'", written, err.message);
    bool found = false;
    for (int k = 0; k < places; k++) found = found || (err.column == place[k] && err.length == 3);
    cr_expect(found, "%s: place %d, %d is no sum", written, err.column, err.length);
}

Test(formula_errors, a_sum_that_is_too_long_is_refused_at_once)
{
    start();
    expect_too_many("2*sum(i, 1, 1000000000, x)", (const int[]){3}, 1);
    finish();
}

Test(formula_errors, three_sums_inside_each_other_are_refused_at_once)
{
    start();
    expect_too_many("sum(i, 1, 1000, sum(j, 1, 1000, sum(k, 1, 1000, i*x + j*y + k)))",
                    (const int[]){1, 17, 33}, 3);
    finish();
}

Test(formula_errors, a_sum_is_measured_by_its_terms_not_by_its_longest_row)
{
    /* pairs i <= j: half a square */
    char written[100];
    int n = 1;
    while ((n + 1) * (n + 1) < BUILD_MOST_STEPS * 3 / 2) n++;
    snprintf(written, sizeof written, "sum(i, 1, %d, sum(j, 1, i, 1))", n);
    start();
    value v;
    noslip_error err = {0};
    double terms = 0;
    cr_assert_eq(build(written, strlen(written), VALUE, ALL, &v, &err), NOSLIP_OK, "%s: %s",
                 written, err.message);
    cr_expect(graph_is_const(shared, v.at[0], &terms));
    cr_expect_eq(terms, 0.5 * n * (n + 1));
    finish();
}

Test(formula_errors, a_number_of_nine_hundred_digits_is_too_long_not_too_large)
{
    start();
    char *all = repeat("0", 900, "1");
    all[1] = '.';
    const row r = {
        "0.000...1", VALUE, ALL,
        1,           901,   "the number 0.00000000000000000000000000000000000000... is too long",
        ""};
    expect_error(all, strlen(all), &r);
    free(all);
    finish();
}

Test(formula_errors, a_name_that_is_too_long_is_cut_between_letters)
{
    static const struct {
        const char *letter, *message;
    } table[] = {
        {"q", "the name 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq...' is too long"},
        {"ψ", "the name 'ψψψψψψψψψψψψψψψψψψψψ...' is too long"},
        {"漢", "the name '漢漢漢漢漢漢漢漢漢漢漢漢漢...' is too long"},
    };
    start();
    for (size_t k = 0; k < COUNT(table); k++) {
        char *all = repeat(table[k].letter, NAME_MOST / strlen(table[k].letter) + 1, "");
        const row r = {
            table[k].letter,  VALUE, ALL, 1, (int)(NAME_MOST / strlen(table[k].letter)) + 1,
            table[k].message, ""};
        expect_error(all, strlen(all), &r);
        free(all);
    }
    finish();
}

Test(formula_errors, what_is_quoted_is_cut_between_letters)
{
    static const char *const patterns[] = {"%s(x)", "x %s", "%s'", "m*(%s)'", "%s + x"};
    static const char *const letters[] = {"ψ", "漢"};
    start();
    for (size_t k = 0; k < COUNT(letters); k++) {
        char name[NAME_MOST + 1] = "a", all[300];
        noslip_error err = {0};
        while (strlen(name) < 80) strcat(name, letters[k]);
        cr_assert_eq(scope_symbol(names, name, strlen(name), SYMBOL_TIME, &err), NOSLIP_OK);
        for (size_t i = 0; i < COUNT(patterns); i++) {
            value v;
            snprintf(all, sizeof all, patterns[i], name);
            cr_expect_eq(build(all, strlen(all), VALUE, SYMBOL_COORDINATE + CONSTANTS, &v, &err),
                         NOSLIP_ERR_FORMULA, "%s", all);
            cr_expect_null(strchr(err.message, '?'), "%s", err.message);
        }
    }
    finish();
}

Test(formula_errors, a_name_whose_normal_form_is_too_long_is_refused)
{
    start();
    char *all = repeat("\u0958", 40, ""); /* a Devanagari letter that NFC takes apart */
    const row r = {"\u0958...", VALUE, ALL, 1, 40, "the name is too long", ""};
    expect_error(all, strlen(all), &r);
    free(all);
    finish();
}
