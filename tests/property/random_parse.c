/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistr.h>

#include "alloc.h"
#include "build.h"
#include "noslip/formula.h"
#include "print.h"
#include "random_tree.h"

/* Whatever stands in a text: it is understood, or there is a message that points into it. */

enum { STRINGS = 20000 }; /* of each of three sorts */

/* cr_assert reports to the runner each time it is passed; many checks cannot. */
#define MUST(condition, ...)                           \
    do {                                               \
        if (!(condition)) cr_assert_fail(__VA_ARGS__); \
    } while (0)

/* A text of bytes, with what tells where it came from. */
typedef struct {
    char at[600];
    size_t n;
    const char *sort;
    int number;
} sample;

static void put(sample *s, const char *bytes, size_t n)
{
    if (n > sizeof s->at - s->n) n = sizeof s->at - s->n;
    memcpy(s->at + s->n, bytes, n);
    s->n += n;
}

/* The bytes for a message: what cannot be shown as \xNN. */
static const char *shown(const sample *s)
{
    static char out[4 * sizeof s->at + 1];
    size_t n = 0;
    for (size_t k = 0; k < s->n; k++)
        n += (size_t)snprintf(out + n, sizeof out - n,
                              isprint((unsigned char)s->at[k]) ? "%c" : "\\x%02x",
                              (unsigned char)s->at[k]);
    return out;
}

/* A scope with something of every kind in it. */
typedef struct {
    graph *g;
    scope *names;
} world;

static void name(const world *w, const char *word, symbol_kind kind)
{
    cr_assert(scope_symbol(w->names, word, strlen(word), kind, NULL) == NOSLIP_OK);
}

static world world_open(void)
{
    world w = {.g = graph_new()};
    w.names = scope_new(w.g);
    name(&w, "x", SYMBOL_COORDINATE);
    name(&w, "\u03b8", SYMBOL_COORDINATE);
    name(&w, "m", SYMBOL_PARAMETER);
    name(&w, "t", SYMBOL_TIME);
    name(&w, "q[1]", SYMBOL_COORDINATE);
    name(&w, "q[2]", SYMBOL_COORDINATE);
    name(&w, "q[3]", SYMBOL_COORDINATE);
    scope_integer(w.names, "N", 1, 3, NULL);
    value unity = value_rotation(w.g, 2, graph_const(w.g, 0.7));
    scope_define(w.names, "R", 1, &unity, NULL);
    return w;
}

static void world_close(world *w)
{
    scope_free(w->names);
    graph_free(w->g);
}

static size_t count_characters(const char *s, size_t n)
{
    size_t count = 0;
    for (size_t at = 0; at < n; count++) {
        ucs4_t c;
        int bytes = u8_mbtoucr(&c, (const uint8_t *)s + at, n - at);
        at += bytes > 0 ? (size_t)bytes : 1;
    }
    return count;
}

/* The characters of line `number`, from 1; the place right behind the text ends the last one. */
static bool line_length(const sample *s, int number, size_t *characters)
{
    size_t from = 0;
    for (int line = 1;; line++) {
        const char *end = memchr(s->at + from, '\n', s->n - from);
        size_t to = end ? (size_t)(end - s->at) : s->n;
        *characters = count_characters(s->at + from, to - from);
        if (line == number) return true;
        if (!end) return false;
        from = to + 1;
    }
}

static bool is_printable(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f) return false;
    return true;
}

static void error_must_point_into(const sample *s, const noslip_error *err)
{
    size_t length = 0;
    char buffer[1200];
    MUST(err->status == NOSLIP_ERR_FORMULA, "%s %d: status %d: %s", s->sort, s->number, err->status,
         shown(s));
    MUST(err->message[0] && is_printable(err->message) && is_printable(err->hint) &&
             is_printable(err->source),
         "%s %d: message '%s': %s", s->sort, s->number, err->message, shown(s));
    MUST(err->line >= 1 && line_length(s, err->line, &length), "%s %d: line %d: %s", s->sort,
         s->number, err->line, shown(s));
    MUST(err->column >= 1 && (size_t)err->column <= length + 1,
         "%s %d: column %d of %zu: '%s' for %s", s->sort, s->number, err->column, length,
         err->message, shown(s));
    MUST(err->length >= 0 && err->caret >= 0 && err->carets >= 0, "%s %d: %s", s->sort, s->number,
         shown(s));
    int n = noslip_error_format(err, buffer, sizeof buffer);
    MUST(n > 0 && (size_t)n < sizeof buffer && strstr(buffer, "error: "), "%s %d: %s", s->sort,
         s->number, buffer);
}

/* What was understood can be printed and read again. */
static void value_must_read_back(const sample *s, const world *w, const value *v)
{
    MUST(v->rows >= 1 && v->rows <= VALUE_MOST && v->cols >= 1 && v->cols <= VALUE_MOST,
         "%s %d: %d x %d: %s", s->sort, s->number, v->rows, v->cols, shown(s));
    for (int k = 0; k < value_size(v); k++) {
        text printed = {0};
        if (print_expr(w->g, v->at[k], 10000, &printed) == NOSLIP_OK) {
            formula f = {0};
            noslip_error err = {0};
            expr again = EXPR_NONE;
            source src = source_of_string(printed.at);
            noslip_status status = formula_parse(&src, 0, src.size, false, &f, &err);
            if (status == NOSLIP_OK)
                status = formula_build_number(&f, w->names, ~0u, NULL, &again, &err);
            formula_free(&f);
            MUST(status == NOSLIP_OK && again == v->at[k], "%s %d: %s is printed as %s: %s",
                 s->sort, s->number, shown(s), printed.at, err.message);
        }
        text_free(&printed);
    }
}

/* Read and build one text; true if it was understood. */
static bool attempt(const sample *s, dice *d)
{
    world w = world_open();
    formula f = {0};
    noslip_error err = {0};
    value v;
    char *copy = noslip_malloc(s->n); /* of the right size: a byte read too far is seen by ASan */
    memcpy(copy, s->at, s->n);
    source src = {.text = copy, .size = s->n, .line = 1, .column = 1};
    unsigned allowed = dice_once_in(d, 3) ? (unsigned)dice_below(d, 32) : ~0u;
    noslip_status status = formula_parse(&src, 0, s->n, dice_once_in(d, 4), &f, &err);
    if (status == NOSLIP_OK) status = formula_build(&f, w.names, allowed, NULL, &v, &err);
    if (status == NOSLIP_OK)
        value_must_read_back(s, &w, &v);
    else
        error_must_point_into(s, &err);
    formula_free(&f);
    noslip_free(copy);
    world_close(&w);
    MUST(noslip_alloc_live() == 0, "%s %d: a leak: %s", s->sort, s->number, shown(s));
    return status == NOSLIP_OK;
}

/* The same through the public door, which takes strings. */
static void attempt_open(const sample *s)
{
    char string[sizeof s->at + 1];
    memcpy(string, s->at, s->n);
    string[s->n] = '\0';
    noslip_formula *f = NULL;
    noslip_error err = {0};
    noslip_status status = noslip_formula_open(string, NULL, &f, &err);
    MUST(status == NOSLIP_OK || (status == NOSLIP_ERR_FORMULA && err.message[0]),
         "%s %d: status %d: %s", s->sort, s->number, status, shown(s));
    noslip_formula_close(f);
    MUST(noslip_alloc_live() == 0, "%s %d: a leak: %s", s->sort, s->number, shown(s));
}

/* Three sorts of text */

static void random_bytes(sample *s, dice *d)
{
    static const char likely[] = "0123456789.eE+-*/^()[],='xmt \t\n\r";
    int n = dice_below(d, 60);
    for (int k = 0; k < n; k++) {
        char byte = (char)dice_below(d, 256);
        if (!dice_once_in(d, 4)) byte = likely[dice_below(d, (int)sizeof likely)];
        put(s, &byte, 1);
    }
}

static const char *const operands[] = {"x",     "\u03b8", "m",   "t",   "q[1]", "q[i]", "q[i+1]",
                                       "q",     "R",      "N",   "i",   "j",    "pi",   "1",
                                       "2",     "0",      "0.5", ".5",  "3.",   "1e-3", "7e2",
                                       "1e999", "thta",   "x'",  "x''", "m'",   "\xff", "\u00b2"};
static const char *const openers[] = {
    "(",     "-",      "+",    "sin(",   "cos(",  "sqrt(",      "log(",          "atan2(",
    "vec(",  "vec(1,", "dot(", "cross(", "norm(", "unit(",      "transpose(",    "rotx(",
    "roty(", "rotz(",  "dt(",  "omega(", "sinn(", "sum(j,0,2,", "sum(i, 1, N, ", "abs("};
static const char *const operators[] = {"+", "-",  "*",  "/",  "^",  "=", ",",      ", ",
                                        " ", "\n", ")*", ")+", ".x", "'", "\u2212", "]["};

#define ONE_OF(list, d) (list)[dice_below(d, (int)(sizeof(list) / sizeof *(list)))]

static const char *any_token(dice *d)
{
    int sort = dice_below(d, 3);
    return sort == 0 ? ONE_OF(operands, d) : sort == 1 ? ONE_OF(openers, d) : ONE_OF(operators, d);
}

/* Operands and operators by turns, now and then not; brackets closed at the end, now and then not. */
static void random_tokens(sample *s, dice *d)
{
    int n = 1 + dice_below(d, 8), open = 0;
    bool wild = dice_once_in(d, 3);
    for (int k = 0; k < n; k++) {
        const char *token[3] = {dice_once_in(d, 2) ? ONE_OF(openers, d) : "", ONE_OF(operands, d),
                                k + 1 < n ? ONE_OF(operators, d) : ""};
        for (int i = 0; i < 3; i++) {
            if (wild && dice_once_in(d, 4)) token[i] = any_token(d);
            open += strchr(token[i], '(') != NULL;
            open -= strchr(token[i], ')') != NULL;
            put(s, token[i], strlen(token[i]));
        }
    }
    if (!dice_once_in(d, 5))
        while (open-- > 0) put(s, ")", 1);
}

static const char *const good[] = {
    "m/2*(x'^2 + \u03b8'^2) - m*9.81*cos(\u03b8)",
    "sum(i, 1, N, q[i]'^2)/2 + sum(i, 1, N - 1, (q[i+1] - q[i])^2)",
    "dot(dt(vec(x, sin(\u03b8), 0)), vec(1, 2, 3)).x",
    "omega(rotz(x)*rotx(\u03b8)).y",
    "cross(R*vec(0, 0, -m), unit(vec(x, \u03b8, 1)))",
    "transpose(R)*R",
    "x'' + 2*m*x' + x",
    "atan2(sin(x), cos(x)) = x",
    "-x^-2^0.5 + (+m)*-t/1e-3",
    "norm(vec(x, 3., .5e1, t))",
    "sum(i, 1, 3, sum(j, 1, i, q[j]*i^j))",
    "exp(-abs(x))*sqrt(1 + tanh(x)*sinh(m)*cosh(t))*log(2 + acos(asin(0.5)))*atan(tan(pi/4))",
};

/* A good formula with a few bytes, or pieces, changed, lost, doubled or swapped. */
static void mutated(sample *s, dice *d)
{
    const char *from = ONE_OF(good, d);
    put(s, from, strlen(from));
    for (int changes = dice_below(d, 5); changes-- > 0 && s->n > 1;) {
        size_t at = (size_t)dice_below(d, (int)s->n), room = s->n - at;
        size_t piece = 1 + (size_t)dice_below(d, 6);
        if (piece > room) piece = room;
        const char *token = any_token(d);
        size_t length = strlen(token);
        switch (dice_below(d, 4)) {
        case 0: s->at[at] = (char)dice_below(d, 256); break;
        case 1:
            memmove(s->at + at, s->at + at + piece, room - piece);
            s->n -= piece;
            break;
        case 2:
            memmove(s->at + at + length, s->at + at, room);
            memcpy(s->at + at, token, length);
            s->n += length;
            break;
        default: {
            char swap = s->at[at];
            s->at[at] = s->at[at + piece - 1];
            s->at[at + piece - 1] = swap;
        }
        }
    }
}

static int attempt_all(const char *sort, void (*make)(sample *, dice *))
{
    int understood = 0;
    for (int k = 0; k < STRINGS; k++) {
        dice d = {(uint64_t)k};
        sample s = {.sort = sort, .number = k};
        make(&s, &d);
        understood += attempt(&s, &d);
        attempt_open(&s);
    }
    return understood;
}

Test(random_parse, random_bytes_are_refused_with_a_place_or_understood)
{
    int understood = attempt_all("bytes", random_bytes);
    cr_assert_geq(understood, 50, "%d", understood);
}

Test(random_parse, random_tokens_are_refused_with_a_place_or_understood)
{
    int understood = attempt_all("tokens", random_tokens);
    cr_assert_geq(understood, 500, "%d", understood);
}

Test(random_parse, damaged_formulas_are_refused_with_a_place_or_understood)
{
    int understood = attempt_all("damaged", mutated);
    cr_assert_geq(understood, 1000, "%d", understood);
}

/* A formula inside a file: the place counts from the file's beginning, whatever stands around. */
Test(random_parse, a_formula_inside_a_file_is_read_like_one_by_itself)
{
    static const char before[] = "title: \u03b8\nkinetic: ", behind[] = "\npotential: 1";
    for (int k = 0; k < STRINGS; k++) {
        dice d = {(uint64_t)k};
        sample s = {.sort = "inside", .number = k}, file = s;
        mutated(&s, &d);
        put(&file, before, strlen(before));
        put(&file, s.at, s.n);
        put(&file, behind, strlen(behind));
        source alone = {.text = s.at, .size = s.n, .line = 1, .column = 1};
        source whole = {.text = file.at, .size = file.n, .line = 1, .column = 1};
        formula f = {0}, g = {0};
        noslip_error err = {0}, there = {0};
        size_t from = strlen(before);
        noslip_status status = formula_parse(&alone, 0, s.n, false, &f, &err);
        noslip_status same = formula_parse(&whole, from, from + s.n, false, &g, &there);
        MUST(status == same && f.items.n == g.items.n, "inside %d: %s", k, shown(&s));
        MUST(strcmp(err.message, there.message) == 0, "inside %d: '%s', '%s'", k, err.message,
             there.message);
        if (status != NOSLIP_OK) {
            int shift = err.line == 1 ? (int)strlen("kinetic: ") : 0;
            MUST(there.line == err.line + 1 && there.column == err.column + shift,
                 "inside %d: %d:%d, alone %d:%d, %s: %s", k, there.line, there.column, err.line,
                 err.column, err.message, shown(&s));
        }
        formula_free(&f);
        formula_free(&g);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}
