/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "formula.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>

#include "text.h"

/* Grammar; names in capitals are characters of the text:
 *
 *     formula  = sum [ = sum ]
 *     sum      = product { (+|-) product }
 *     product  = signed { (*|/) signed }
 *     signed   = (+|-) signed | power
 *     power    = postfix [ ^ exponent ]           2^-3 is allowed, -2^2 is -(2^2), a^b^c is a^(b^c)
 *     exponent = (+|-) exponent | power
 *     postfix  = primary { ' | . component }
 *     primary  = number | name [ [ index ] ] | function ( arguments ) | ( sum )
 *
 * The parser holds a place in the text and writes items as it goes. Every function returns a status
 * and leaves the place behind what it read. */
typedef struct {
    formula *f;
    const source *src;
    noslip_error *err;
    size_t start, at, end;
    int depth;
    int index_depth; /* inside an index or a bound: names are whole numbers */
    bool equation;   /* an = may stand */
} parser;

static noslip_status parse_sum(parser *p);
static noslip_status parse_signed(parser *p);

static void skip_space(parser *p)
{
    while (p->at < p->end && strchr(" \t\r\n", p->src->text[p->at]) && p->src->text[p->at]) p->at++;
}

/* The next character that is not a space, '\0' at the end; a zero byte in the text shows as one that fits nowhere. */
static char peek(parser *p)
{
    skip_space(p);
    if (p->at >= p->end) return '\0';
    return p->src->text[p->at] ? p->src->text[p->at] : '\1';
}

/* The same without going there. */
static char glance(const parser *p)
{
    parser copy = *p;
    return peek(&copy);
}

/* Behind the last character that is not a space. */
static size_t behind_last(const parser *p)
{
    size_t at = p->at;
    while (at > p->start && strchr(" \t\r\n", p->src->text[at - 1])) at--;
    return at;
}

static const char *here(const parser *p)
{
    return p->src->text + p->at;
}

static size_t left(const parser *p)
{
    return p->end - p->at;
}

#define FAIL(p, from, to, ...) \
    source_fail((p)->src, from, to, (p)->err, NOSLIP_ERR_FORMULA, __VA_ARGS__)

static noslip_status push(parser *p, item x)
{
    return array_push(&p->f->items, x) ? NOSLIP_OK : noslip_fail_memory(p->err);
}

static noslip_status push_operator(parser *p, item_kind kind, size_t at, size_t left)
{
    return push(
        p,
        (item){.kind = kind, .from = (uint32_t)at, .to = (uint32_t)at + 1, .left = (uint32_t)left});
}

/* Bytes of the character at a place; at least 1 where something is left. */
static size_t character_at(const parser *p, size_t at)
{
    if (at >= p->end) return 0;
    int n = u8_mblen((const uint8_t *)p->src->text + at, p->end - at);
    return n > 0 ? (size_t)n : 1;
}

/* What people type, or paste, for what we understand. */
static const char *replacement(const char *s, size_t n)
{
    static const struct {
        const char *seen, *hint;
    } table[] = {
        {"\u00a0", "this is a no-break space: write an ordinary one"},
        {"\u2212", "write - for minus"},
        {"\u2013", "write - for minus"},
        {"\u00b7", "write * for a product"},
        {"\u2217", "write * for a product"},
        {"\u2219", "write * for a product"},
        {"\u00b4", "write ' for a rate"},
        {"\u2018", "write ' for a rate"},
        {"\u22c5", "write * for a product"},
        {"\u00d7", "write * for a product, cross(a, b) for the vector product"},
        {"\u00f7", "write / for a quotient"},
        {"\u2019", "write ' for a rate"},
        {"\u2032", "write ' for a rate"},
        {"\u00b2", "write ^2"},
        {"\u00b3", "write ^3"},
        {"\u221a", "write sqrt(x)"},
        {"\"", "write two ' for an acceleration"},
        {"|", "write abs(x), or norm(v) for a vector"},
        {"{", "write ( and )"},
        {"}", "write ( and )"},
        {"<", "inequalities cannot be written here"},
        {">", "inequalities cannot be written here"},
        {"]", "an index stands in [ ] behind a name"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (n >= strlen(table[k].seen) && memcmp(s, table[k].seen, strlen(table[k].seen)) == 0)
            return table[k].hint;
    return NULL;
}

static noslip_status fail_character(parser *p)
{
    size_t n = character_at(p, p->at);
    ucs4_t c;
    u8_mbtouc(&c, (const uint8_t *)here(p), left(p));
    if (uc_is_general_category_withtable(c, UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Z))
        FAIL(p, p->at, p->at + n, "unexpected character U+%04X", (unsigned)c);
    else
        FAIL(p, p->at, p->at + n, "unexpected character '%.*s'", (int)n, here(p));
    const char *hint = replacement(here(p), left(p));
    if (hint) noslip_hint(p->err, "%s", hint);
    return NOSLIP_ERR_FORMULA;
}

static noslip_status fail_double(parser *p, size_t first, const char *hint)
{
    FAIL(p, first, p->at + 1, "'%c%c' is no operator", *here(p), *here(p));
    noslip_hint(p->err, "%s", hint);
    return NOSLIP_ERR_FORMULA;
}

/* Where an operand should begin and none does. */
static noslip_status fail_operand(parser *p)
{
    char c = peek(p);
    size_t before = behind_last(p);
    if (before == p->start && !c) return FAIL(p, p->start, p->at, "the formula is empty");
    char last = before > p->start ? p->src->text[before - 1] : '\0';
    if (c == '*' && last == '*') return fail_double(p, before - 1, "write ^ for a power");
    if (c == '=' && last == '=') return fail_double(p, before - 1, "write one =");
    if (!c) return FAIL(p, before - 1, before, "the formula ends where an operand should follow");
    if (c == '[') {
        FAIL(p, p->at, p->at + 1, "an operand is missing before '['");
        noslip_hint(p->err, "write vec(x, y) for a vector");
        return NOSLIP_ERR_FORMULA;
    }
    if (strchr("*/^),=]'.", c))
        return FAIL(p, p->at, p->at + 1, "an operand is missing before '%c'", c);
    return fail_character(p);
}

static noslip_status enter(parser *p)
{
    if (++p->depth <= FORMULA_DEEPEST) return NOSLIP_OK;
    return FAIL(p, p->at, p->at + 1, "the formula is nested too deeply (more than %d levels)",
                FORMULA_DEEPEST);
}

static noslip_status parse_number(parser *p)
{
    double x;
    size_t n = text_to_number(here(p), left(p), &x);
    size_t shown = n < 40 ? n : 40;
    if (isinf(x) && n >= 800)
        return FAIL(p, p->at, p->at + n, "the number %.*s... is too long", (int)shown, here(p));
    if (isinf(x))
        return FAIL(p, p->at, p->at + n, "the number %.*s is too large", (int)shown, here(p));
    bool nonzero = false;
    for (size_t k = 0; k < n && !strchr("eE", here(p)[k]); k++)
        nonzero |= here(p)[k] >= '1' && here(p)[k] <= '9';
    if (x == 0 && nonzero)
        return FAIL(p, p->at, p->at + n, "the number %.*s is too small", (int)shown, here(p));
    item x_item = {.kind = ITEM_NUMBER,
                   .from = (uint32_t)p->at,
                   .to = (uint32_t)(p->at + n),
                   .left = (uint32_t)p->at,
                   .number = x};
    p->at += n;
    return push(p, x_item);
}

static bool starts_operand(parser *p)
{
    char c = peek(p);
    double x;
    return c == '(' || name_length(here(p), left(p)) || text_to_number(here(p), left(p), &x);
}

/* After a whole sum something stands that can go on with none of its parts. */
static noslip_status fail_rest(parser *p)
{
    char c = peek(p);
    if (starts_operand(p)) {
        double x;
        size_t n = name_length(here(p), left(p));
        if (!n) n = text_to_number(here(p), left(p), &x);
        if (!n) n = 1; /* a parenthesis */
        FAIL(p, p->at, p->at + n, "an operator is missing before '%.*s'", text_clip(here(p), n, 60),
             here(p));
        noslip_hint(p->err, "write * for a product");
        return NOSLIP_ERR_FORMULA;
    }
    if (c == ')') return FAIL(p, p->at, p->at + 1, "')' without '('");
    if (c == '=' && p->equation)
        return FAIL(p, p->at, p->at + 1, "only one '=' may stand in an equation");
    if (c == '=')
        return FAIL(p, p->at, p->at + 1,
                    "'=' may not stand here: a formula is wanted, not an equation");
    if (c == '[') return FAIL(p, p->at, p->at + 1, "an index stands right behind a name");
    if (c == '.') return FAIL(p, p->at, p->at + 1, "unexpected '.'");
    if (c == '\'')
        return FAIL(p, p->at, p->at + 1,
                    "a prime stands right behind a coordinate, two at the most");
    if (c == ',') {
        FAIL(p, p->at, p->at + 1, "',' may only stand between the arguments of a function");
        noslip_hint(p->err, "a decimal number is written with a point");
        return NOSLIP_ERR_FORMULA;
    }
    return fail_character(p);
}

/* Behind what an opening bracket at `open` encloses: the closing one. */
static noslip_status closed(parser *p, char closing, size_t open)
{
    char c = peek(p);
    if (c == '\0') return FAIL(p, open, open + 1, "'%c' is never closed", p->src->text[open]);
    if (c == '=') return FAIL(p, p->at, p->at + 1, "'=' may not stand inside parentheses");
    if (c != closing) return fail_rest(p);
    p->at++;
    return NOSLIP_OK;
}

static noslip_status parse_group(parser *p)
{
    noslip_status status = enter(p);
    size_t open = p->at++;
    if (status == NOSLIP_OK) status = parse_sum(p);
    if (status == NOSLIP_OK) status = closed(p, ')', open);
    p->depth--;
    return status;
}

/* sum(i, low, high, body): the bounds are read as indices, the body follows the SUM item. */
static noslip_status parse_sum_call(parser *p, size_t from, size_t open)
{
    peek(p);
    size_t name_from = p->at, n = name_length(here(p), left(p));
    if (!n)
        return FAIL(p, p->at, p->at + character_at(p, p->at),
                    "sum begins with the name of its index: sum(i, 1, N, ...)");
    if (function_find(here(p), n))
        return FAIL(p, p->at, p->at + n, "'%.*s' is the name of a function", (int)n, here(p));
    p->at += n;
    size_t name_to = p->at;
    for (int bound = 0; bound < 2; bound++) {
        if (peek(p) != ',')
            return FAIL(p, from, open, "'sum' takes 4 arguments: sum(i, low, high, formula)");
        p->at++;
        p->index_depth++;
        noslip_status status = parse_sum(p);
        p->index_depth--;
        if (status != NOSLIP_OK) return status;
    }
    if (peek(p) != ',')
        return FAIL(p, from, open, "'sum' takes 4 arguments: sum(i, low, high, formula)");
    p->at++;

    size_t place = p->f->items.n;
    noslip_status status = push(p, (item){.kind = ITEM_SUM,
                                          .from = (uint32_t)from,
                                          .to = (uint32_t)open,
                                          .left = (uint32_t)from,
                                          .name_from = (uint32_t)name_from,
                                          .name_to = (uint32_t)name_to});
    if (status == NOSLIP_OK) status = parse_sum(p);
    if (status != NOSLIP_OK) return status;
    if (peek(p) == ',')
        return FAIL(p, from, open, "'sum' takes 4 arguments: sum(i, low, high, formula)");
    p->f->items.at[place].count = (uint32_t)(p->f->items.n - place - 1);
    return closed(p, ')', open);
}

static noslip_status fail_count(parser *p, const function_info *f, size_t from, size_t to,
                                int given)
{
    if (f->least == f->most)
        return FAIL(p, from, to, "'%s' takes %d argument%s, not %d", f->name, f->least,
                    f->least == 1 ? "" : "s", given);
    return FAIL(p, from, to, "'%s' takes %d to %d arguments, not %d", f->name, f->least, f->most,
                given);
}

static noslip_status parse_call(parser *p, const function_info *f, size_t from, size_t to)
{
    size_t open = p->at++;
    if (f->id == FUNCTION_SUM) return parse_sum_call(p, from, open);
    int arguments = 0;
    if (peek(p) == ')') {
        p->at++;
    } else {
        for (;;) {
            noslip_status status = parse_sum(p);
            if (status != NOSLIP_OK) return status;
            arguments++;
            if (peek(p) != ',') break;
            p->at++;
        }
        noslip_status status = closed(p, ')', open);
        if (status != NOSLIP_OK) return status;
    }
    if (arguments < f->least || arguments > f->most) return fail_count(p, f, from, to, arguments);
    return push(p, (item){.kind = ITEM_CALL,
                          .from = (uint32_t)from,
                          .to = (uint32_t)to,
                          .left = (uint32_t)from,
                          .function = f,
                          .arguments = arguments});
}

static noslip_status parse_index(parser *p)
{
    size_t open = p->at++;
    p->index_depth++;
    noslip_status status = parse_sum(p);
    p->index_depth--;
    return status == NOSLIP_OK ? closed(p, ']', open) : status;
}

/* A name with a parenthesis behind it that is no function: a slip in a function's name, or a
 * product without *. */
static noslip_status fail_call(parser *p, size_t from, size_t to)
{
    const char *name = p->src->text + from;
    int shown = text_clip(name, to - from, 60);
    const char *near = function_nearest(name, to - from);
    FAIL(p, from, to, "'%.*s' is not a function", shown, name);
    const char *instead = function_instead(name, to - from);
    if (instead)
        noslip_hint(p->err, "write %s", instead);
    else if (near)
        noslip_hint(p->err, "did you mean '%s'?", near);
    else
        noslip_hint(p->err, "write %.*s*(...) for a product", shown, name);
    return NOSLIP_ERR_FORMULA;
}

static noslip_status parse_name(parser *p)
{
    size_t from = p->at, n = name_length(here(p), left(p));
    const function_info *f = function_find(here(p), n);
    if (n > NAME_MOST)
        return FAIL(p, from, from + n, "the name '%.*s...' is too long", text_clip(here(p), n, 40),
                    here(p));
    p->at += n;
    bool direct =
        p->at < p->end && p->src->text[p->at] == '['; /* x [1] is no index: too easily a slip */
    if (f) {
        if (glance(p) != '(') {
            FAIL(p, from, from + n, "'%s' needs its arguments in parentheses", f->name);
            if (glance(p) == '^') noslip_hint(p->err, "write %s(x)^2", f->name);
            return NOSLIP_ERR_FORMULA;
        }
        peek(p);
        noslip_status status = enter(p);
        if (status == NOSLIP_OK) status = parse_call(p, f, from, from + n);
        p->depth--;
        return status;
    }
    if (glance(p) == '(') return fail_call(p, from, from + n);
    if (direct) {
        noslip_status status = enter(p);
        if (status == NOSLIP_OK) status = parse_index(p);
        p->depth--;
        if (status != NOSLIP_OK) return status;
    }
    return push(p, (item){.kind = p->index_depth ? ITEM_INDEX_NAME : ITEM_NAME,
                          .from = (uint32_t)from,
                          .to = (uint32_t)p->at,
                          .left = (uint32_t)from,
                          .name_from = (uint32_t)from,
                          .name_to = (uint32_t)(from + n),
                          .indexed = direct});
}

static noslip_status parse_primary(parser *p)
{
    double x;
    char c = peek(p);
    if (c == '(') return parse_group(p);
    if (text_to_number(here(p), left(p), &x)) return parse_number(p);
    if (name_length(here(p), left(p))) return parse_name(p);
    return fail_operand(p);
}

static noslip_status parse_component(parser *p, size_t operand)
{
    size_t dot = p->at++;
    size_t n = name_length(here(p), left(p));
    static const char axes[] = "xyz";
    const char *axis = n == 1 ? strchr(axes, *here(p)) : NULL;
    if (!axis) {
        FAIL(p, dot, p->at + n, "a component is .x, .y or .z");
        return NOSLIP_ERR_FORMULA;
    }
    p->at += n;
    return push(p, (item){.kind = ITEM_COMPONENT,
                          .from = (uint32_t)dot,
                          .to = (uint32_t)p->at,
                          .left = (uint32_t)operand,
                          .component = (int)(axis - axes)});
}

static noslip_status parse_postfix(parser *p)
{
    peek(p);
    size_t operand = p->at;
    noslip_status status = parse_primary(p);
    for (int primes = 0; status == NOSLIP_OK;) {
        char c = p->at < p->end ? p->src->text[p->at] : '\0';
        if (c == '\'' && primes++ < 2) {
            status = push_operator(p, ITEM_RATE, p->at, operand);
            p->at++;
        } else if (c == '.')
            status = parse_component(p, operand);
        else
            break;
    }
    return status;
}

static noslip_status parse_power(parser *p)
{
    peek(p);
    size_t operand = p->at;
    noslip_status status = parse_postfix(p);
    if (status != NOSLIP_OK || peek(p) != '^') return status;
    status = enter(p);
    size_t at = p->at++;
    if (status == NOSLIP_OK) status = parse_signed(p); /* right-associative, may carry a sign */
    p->depth--;
    return status == NOSLIP_OK ? push_operator(p, ITEM_POW, at, operand) : status;
}

static noslip_status parse_signed(parser *p)
{
    char c = peek(p);
    if (c != '-' && c != '+') return parse_power(p);
    noslip_status status = enter(p);
    size_t at = p->at++;
    if (status == NOSLIP_OK) status = parse_signed(p);
    p->depth--;
    if (status != NOSLIP_OK || c == '+') return status;
    return push_operator(p, ITEM_NEG, at, at);
}

static noslip_status parse_product(parser *p)
{
    peek(p);
    size_t operand = p->at;
    noslip_status status = parse_signed(p);
    for (char c; status == NOSLIP_OK && ((c = peek(p)) == '*' || c == '/');) {
        size_t at = p->at++;
        status = parse_signed(p);
        if (status == NOSLIP_OK)
            status = push_operator(p, c == '*' ? ITEM_MUL : ITEM_DIV, at, operand);
    }
    return status;
}

static noslip_status parse_sum(parser *p)
{
    peek(p);
    size_t operand = p->at;
    noslip_status status = parse_product(p);
    for (char c; status == NOSLIP_OK && ((c = peek(p)) == '+' || c == '-');) {
        size_t at = p->at++;
        status = parse_product(p);
        if (status == NOSLIP_OK)
            status = push_operator(p, c == '+' ? ITEM_ADD : ITEM_SUB, at, operand);
    }
    return status;
}

static noslip_status parse_equation(parser *p)
{
    peek(p);
    size_t operand = p->at;
    noslip_status status = parse_sum(p);
    if (status != NOSLIP_OK || !p->equation) return status;
    if (peek(p) == '\0') return FAIL(p, operand, behind_last(p), "an equation needs an '='");
    if (peek(p) != '=') return NOSLIP_OK; /* parse_all complains */
    size_t at = p->at++;
    status = parse_sum(p);
    return status == NOSLIP_OK ? push_operator(p, ITEM_EQUAL, at, operand) : status;
}

static noslip_status check_bytes(const source *src, size_t from, size_t to, noslip_error *err)
{
    if (to - from > FORMULA_LONGEST)
        return source_fail(src, from, from, err, NOSLIP_ERR_FORMULA,
                           "the formula has %zu bytes, more than the %d that are allowed",
                           to - from, FORMULA_LONGEST);
    const uint8_t *bytes = (const uint8_t *)src->text, *bad = u8_check(bytes + from, to - from);
    if (!bad) return NOSLIP_OK;
    size_t at = (size_t)(bad - bytes);
    return source_fail(src, at, at + 1, err, NOSLIP_ERR_FORMULA, "a byte that is not UTF-8: 0x%02X",
                       *bad);
}

noslip_status formula_parse(const source *src, size_t from, size_t to, bool equation, formula *out,
                            noslip_error *err)
{
    noslip_status status = check_bytes(src, from, to, err);
    if (status != NOSLIP_OK) return status;
    out->src = *src;
    out->is_equation = equation;
    parser p = {.f = out,
                .src = &out->src,
                .err = err,
                .start = from,
                .at = from,
                .end = to,
                .equation = equation};
    peek(&p);
    out->from = p.at;
    status = parse_equation(&p);
    out->to = behind_last(&p);
    if (status == NOSLIP_OK && peek(&p) != '\0') status = fail_rest(&p);
    return status;
}

void formula_free(formula *f)
{
    array_free(&f->items);
}
