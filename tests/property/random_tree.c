/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_tree.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Numbers with errors */

static const long double ulp = DBL_EPSILON;

/* An error is small against the distance to where the function changes its nature. */
static bool is_far(long double error, long double distance)
{
    return error == 0 ? distance >= 0 : error < 1e-4L * distance;
}

tracked tracked_exact(long double value)
{
    return (tracked){value, 0};
}

bool tracked_is_sure(tracked x)
{
    return isfinite(x.value) && isfinite(x.error);
}

bool tracked_is_undefined(tracked x)
{
    return isnan(x.value) && x.error == 0;
}

static tracked unsure(void)
{
    return (tracked){NAN, INFINITY};
}

static tracked undefined(void)
{
    return (tracked){NAN, 0};
}

/* A result: what the operands' errors make of it, and `ulps` of its own. */
static tracked rounded(long double value, long double passed_on, long double ulps)
{
    bool in_range = value == 0 || (fabsl(value) > 1e-290L && fabsl(value) < 1e290L);
    if (!isfinite(passed_on) || !in_range) return unsure();
    return (tracked){value, passed_on + ulps * ulp * fabsl(value) + (long double)DBL_TRUE_MIN};
}

static tracked power(tracked a, tracked b)
{
    bool whole = b.error == 0 && b.value == floorl(b.value);
    if (b.error == 0 && !whole && a.value < 0) return -a.value > a.error ? undefined() : unsure();
    if (whole ? b.value < 0 && !is_far(a.error, fabsl(a.value)) : a.value <= 0) return unsure();
    if (!is_far(a.error, fabsl(a.value)) && a.value != 0) return unsure();
    if (a.value == 0 && (b.value < 0 || (a.error > 0 && b.value < 1))) return unsure();
    long double v = powl(a.value, b.value);
    long double by_base = a.error == 0 ? 0 : fabsl(b.value * v / a.value) * a.error;
    if (a.value == 0 && b.value == 1) by_base = a.error;
    long double by_exponent = b.error == 0 ? 0 : fabsl(v * logl(a.value)) * b.error;
    long double factors = fabsl(b.value) <= 16 ? fabsl(b.value) : 0; /* it may become products */
    return rounded(v, 1.01L * (by_base + by_exponent), 1.01L + factors);
}

static tracked angle(tracked y, tracked x)
{
    long double r2 = x.value * x.value + y.value * y.value;
    bool near_cut = x.value - x.error <= 0 && fabsl(y.value) <= y.error;
    if (near_cut || r2 == 0 || !is_far(x.error + y.error, sqrtl(r2))) return unsure();
    long double passed = (fabsl(x.value) * y.error + fabsl(y.value) * x.error) / r2;
    return rounded(atan2l(y.value, x.value), 1.01L * passed, 1.01L);
}

static tracked quotient(tracked a, tracked b)
{
    if (a.value == 0 && a.error == 0 && b.value == 0 && b.error == 0) return undefined();
    if (b.value == 0 || !is_far(b.error, fabsl(b.value))) return unsure();
    long double v = a.value / b.value;
    return rounded(v, 1.01L * (a.error + fabsl(v) * b.error) / fabsl(b.value), 0.5L);
}

static tracked product(tracked a, tracked b)
{
    long double passed = fabsl(a.value) * b.error + fabsl(b.value) * a.error + a.error * b.error;
    return rounded(a.value * b.value, passed, 0.5L);
}

/* How far the function goes on as its tangent says, within a small factor. */
static long double reach(op o, long double x)
{
    switch (o) {
    case OP_TAN: return fminl(1, fabsl(1 / tanl(x)));
    case OP_ASIN:
    case OP_ACOS: return 1 - fabsl(x);
    case OP_ATAN: return 1 + fabsl(x);
    case OP_LOG:
    case OP_SQRT: return x;
    default: return 1;
    }
}

static long double slope(op o, long double x)
{
    switch (o) {
    case OP_SIN: return cosl(x);
    case OP_COS: return sinl(x);
    case OP_TAN: return 1 + tanl(x) * tanl(x);
    case OP_ASIN:
    case OP_ACOS: return 1 / sqrtl(1 - x * x);
    case OP_ATAN: return 1 / (1 + x * x);
    case OP_SINH: return coshl(x);
    case OP_COSH: return sinhl(x);
    case OP_TANH: return 1 - tanhl(x) * tanhl(x);
    case OP_EXP: return expl(x);
    case OP_LOG: return 1 / x;
    case OP_SQRT: return 0.5L / sqrtl(x);
    default: return NAN;
    }
}

static long double value_at(op o, long double x)
{
    switch (o) {
    case OP_SIN: return sinl(x);
    case OP_COS: return cosl(x);
    case OP_TAN: return tanl(x);
    case OP_ASIN: return asinl(x);
    case OP_ACOS: return acosl(x);
    case OP_ATAN: return atanl(x);
    case OP_SINH: return sinhl(x);
    case OP_COSH: return coshl(x);
    case OP_TANH: return tanhl(x);
    case OP_EXP: return expl(x);
    case OP_LOG: return logl(x);
    case OP_SQRT: return sqrtl(x);
    default: return NAN;
    }
}

static bool has_domain(op o)
{
    return o == OP_ASIN || o == OP_ACOS || o == OP_LOG || o == OP_SQRT;
}

static tracked function(op o, tracked a)
{
    long double room = reach(o, a.value);
    if (!is_far(a.error, room) || (o == OP_LOG && a.value == 0))
        return has_domain(o) && -room > a.error ? undefined() : unsure();
    long double passed_on = a.error == 0 ? 0 : (fabsl(slope(o, a.value)) + a.error) * a.error;
    return rounded(value_at(o, a.value), 1.01L * passed_on, 1.01L);
}

tracked tracked_apply(op o, tracked a, tracked b)
{
    bool two = op_arity(o) == 2;
    if (tracked_is_undefined(a) || (two && tracked_is_undefined(b)))
        return o == OP_POW ? unsure() : undefined(); /* C says that NAN^0 and 1^NAN are 1 */
    if (!tracked_is_sure(a) || (two && !tracked_is_sure(b))) return unsure();
    switch (o) {
    case OP_NEG: return (tracked){-a.value, a.error};
    case OP_ABS: return (tracked){fabsl(a.value), a.error};
    case OP_ADD: return rounded(a.value + b.value, a.error + b.error, 0.5L);
    case OP_SUB: return rounded(a.value - b.value, a.error + b.error, 0.5L);
    case OP_MUL: return product(a, b);
    case OP_DIV: return quotient(a, b);
    case OP_POW: return power(a, b);
    case OP_ATAN2: return angle(a, b);
    default: return function(o, a);
    }
}

/* Symbols */

const char *tree_symbol_name(int which)
{
    static const char *const names[TREE_INPUTS] = {"x",     "\u03b8", "q[2]",     "m",
                                                   "k_1",   "t",      "x'",       "\u03b8'",
                                                   "q[2]'", "x''",    "\u03b8''", "q[2]''"};
    return names[which];
}

symbol_kind tree_symbol_kind(int which)
{
    return which < TREE_COORDINATES     ? SYMBOL_COORDINATE
           : which < 5                  ? SYMBOL_PARAMETER
           : which < TREE_RATES         ? SYMBOL_TIME
           : which < TREE_ACCELERATIONS ? SYMBOL_RATE
                                        : SYMBOL_ACCELERATION;
}

/* Growing */

static tracked value_of(const tree_node *x, const tracked *value)
{
    int arity = op_arity(x->o);
    return tracked_apply(x->o, value[x->a], arity == 2 ? value[x->b] : tracked_exact(0));
}

static int add(tree *t, tree_node x)
{
    t->node[t->n] = x;
    return t->n++;
}

static int add_constant(tree *t, double value)
{
    return add(t, (tree_node){.o = OP_CONST,
                              .value = value,
                              .size = 1,
                              .at_middle = tracked_exact((long double)value)});
}

static int add_symbol(tree *t, int which)
{
    return add(t, (tree_node){.o = OP_SYMBOL,
                              .symbol = which,
                              .size = 1,
                              .at_middle = tracked_exact((long double)t->middle[which])});
}

/* The operation on two nodes, or its first operand if it is not defined there. */
static int add_operation(tree *t, op o, int a, int b)
{
    const tree_node *x = &t->node[a], *y = &t->node[b];
    bool two = op_arity(o) == 2;
    tree_node made = {.o = o, .a = a, .b = two ? b : 0, .size = 1 + x->size + (two ? y->size : 0)};
    made.at_middle = tracked_apply(o, x->at_middle, y->at_middle);
    bool fits = t->n + 8 < TREE_NODES && made.size < 150;
    bool tame = tracked_is_sure(made.at_middle) && fabsl(made.at_middle.value) < 1e5L &&
                made.at_middle.error < 1e-9L;
    return fits && tame ? add(t, made) : a;
}

static double middle_value(const tree *t, int k)
{
    return (double)t->node[k].at_middle.value;
}

/* An operand at which the operation is defined: the one at hand, or one made from it. */
static int inside(tree *t, op o, int a)
{
    double v = middle_value(t, a);
    switch (o) {
    case OP_LOG:
    case OP_SQRT:
        if (v > 0.02) return a;
        return add_operation(t, OP_ADD, add_operation(t, OP_MUL, a, a), add_constant(t, 0.5));
    case OP_ASIN:
    case OP_ACOS: return fabs(v) < 0.97 ? a : add_operation(t, OP_SIN, a, a);
    case OP_EXP:
    case OP_SINH:
    case OP_COSH: return fabs(v) < 6 ? a : add_operation(t, OP_ATAN, a, a);
    case OP_TAN: return fabs(cos(v)) > 0.05 ? a : add_operation(t, OP_TANH, a, a);
    case OP_DIV: return fabs(v) > 0.05 ? a : add_operation(t, OP_COSH, a, a);
    default: return a;
    }
}

static int leaf(tree *t, dice *d)
{
    static const double usual[] = {0, 1, 2, 0.5, -3, -1, 4, 0.25, 3, 1e-9, 0.1, 12345.678, -0.75};
    if (!dice_once_in(d, 3)) return add_symbol(t, dice_below(d, TREE_SYMBOLS));
    if (dice_once_in(d, 4)) return add_constant(t, dice_between(d, -4, 4));
    return add_constant(t, usual[dice_below(d, (int)(sizeof usual / sizeof *usual))]);
}

static int branch(tree *t, dice *d, int size);

/* A power: of whole, half and odd constant exponents, and of any exponent. */
static int power_branch(tree *t, dice *d, int size)
{
    int base = branch(t, d, size * 2 / 3), kind = dice_below(d, 4);
    if (kind == 0) {
        int whole = dice_below(d, 36) - 18;
        if (whole < 0) base = inside(t, OP_DIV, base);
        return add_operation(t, OP_POW, base, add_constant(t, whole));
    }
    base = inside(t, OP_LOG, base);
    if (kind == 1) return add_operation(t, OP_POW, base, add_constant(t, dice_below(d, 8) - 3.5));
    if (kind == 2) return add_operation(t, OP_POW, base, add_constant(t, dice_between(d, -3, 3)));
    return add_operation(t, OP_POW, base, branch(t, d, size / 3));
}

/* What is zero or one wherever it is defined, and must not be simplified away where it is not. */
static int vanishing_branch(tree *t, dice *d, int size)
{
    int a = branch(t, d, size);
    switch (dice_below(d, 5)) {
    case 0: return add_operation(t, OP_SUB, a, a);
    case 1: return add_operation(t, OP_MUL, add_constant(t, 0), a);
    case 2: return add_operation(t, OP_POW, a, add_constant(t, 0));
    case 3: return add_operation(t, OP_DIV, inside(t, OP_DIV, a), a);
    default: return add_operation(t, OP_MUL, a, add_constant(t, 0));
    }
}

static int branch(tree *t, dice *d, int size)
{
    if (t->n > 4 && dice_once_in(d, 8)) return dice_below(d, t->n); /* a part once more */
    if (size <= 0 || t->n > TREE_NODES - 40) return leaf(t, d);
    if (dice_once_in(d, 25)) return vanishing_branch(t, d, size - 1);
    op o = (op)(OP_NEG + dice_below(d, OP_COUNT - OP_NEG));
    if (dice_once_in(d, 3)) o = (op)(OP_ADD + dice_below(d, 4)); /* as in life: sums, products */
    if (o == OP_POW) return power_branch(t, d, size - 1);
    if (op_arity(o) == 1) {
        int a = inside(t, o, branch(t, d, size - 1));
        return add_operation(t, o, a, a);
    }
    int share = dice_below(d, size);
    int a = branch(t, d, share), b = inside(t, o, branch(t, d, size - 1 - share));
    return add_operation(t, o, a, b);
}

/* Give the root the last place. */
static void crown(tree *t, int root)
{
    t->n = root + 1;
}

void tree_grow(tree *t, uint64_t seed, int size)
{
    dice d = {seed};
    *t = (tree){.seed = seed};
    for (int k = 0; k < TREE_INPUTS; k++)
        t->middle[k] = dice_between(&d, 0.2, 2.1) * (dice_once_in(&d, 3) ? -1 : 1);
    crown(t, branch(t, &d, size));
}

/* Asking */

tracked tree_value(const tree *t, const tracked *point)
{
    tracked value[TREE_NODES];
    for (int k = 0; k < t->n; k++) {
        const tree_node *x = &t->node[k];
        value[k] = x->o == OP_CONST    ? tracked_exact((long double)x->value)
                   : x->o == OP_SYMBOL ? point[x->symbol]
                                       : value_of(x, value);
    }
    return value[t->n - 1];
}

expr tree_build(const tree *t, graph *g, const expr *symbols)
{
    expr built[TREE_NODES];
    for (int k = 0; k < t->n; k++) {
        const tree_node *x = &t->node[k];
        built[k] = x->o == OP_CONST    ? graph_const(g, x->value)
                   : x->o == OP_SYMBOL ? symbols[x->symbol]
                                       : graph_apply(g, x->o, built[x->a], built[x->b]);
    }
    return built[t->n - 1];
}

/* Whether some node below the root (and not merely left over from growing) is of interest. */
static bool any_below(const tree *t, bool (*is)(const tree_node *, int), int what)
{
    bool below[TREE_NODES] = {false};
    below[t->n - 1] = true;
    for (int k = t->n; k-- > 0;) {
        const tree_node *x = &t->node[k];
        if (!below[k]) continue;
        if (is(x, what)) return true;
        if (op_arity(x->o) > 0) below[x->a] = true;
        if (op_arity(x->o) > 1) below[x->b] = true;
    }
    return false;
}

static bool has_operation(const tree_node *x, int what)
{
    return (int)x->o == what;
}

static bool has_symbol(const tree_node *x, int what)
{
    return x->o == OP_SYMBOL && x->symbol == what;
}

bool tree_uses(const tree *t, op o)
{
    return any_below(t, has_operation, (int)o);
}

bool tree_uses_symbol(const tree *t, int which)
{
    return any_below(t, has_symbol, which);
}

/* Writing: how tightly a node binds, and how tightly its place wants it. */
enum { SUM, PRODUCT, SIGNED, POWER, PRIMARY };

static int binding(const tree_node *x)
{
    switch (x->o) {
    case OP_ADD:
    case OP_SUB: return SUM;
    case OP_MUL:
    case OP_DIV: return PRODUCT;
    case OP_NEG: return SIGNED;
    case OP_POW: return POWER;
    case OP_CONST: return signbit(x->value) ? SIGNED : PRIMARY;
    default: return PRIMARY;
    }
}

typedef struct {
    const tree *t;
    dice *d;
    text *out;
} writer;

static void space(const writer *w)
{
    static const char *const spaces[] = {" ", "  ", "\t", "\n", ""};
    text_puts(w->out, dice_once_in(w->d, 5) ? spaces[dice_below(w->d, 5)] : "");
}

static void sign(const writer *w, const char *spelling)
{
    space(w);
    text_puts(w->out, spelling);
    space(w);
}

static void write_node(const writer *w, int k, int wanted);

static void write_pair(const writer *w, const tree_node *x, int left, int right)
{
    write_node(w, x->a, left);
    sign(w, op_spelling(x->o));
    write_node(w, x->b, right);
}

static void write_call(const writer *w, const tree_node *x)
{
    text_puts(w->out, op_spelling(x->o));
    sign(w, "(");
    write_node(w, x->a, SUM);
    if (op_arity(x->o) == 2) {
        sign(w, ",");
        write_node(w, x->b, SUM);
    }
    space(w);
    text_puts(w->out, ")");
}

static void write_bare(const writer *w, const tree_node *x)
{
    switch (x->o) {
    case OP_CONST: text_printf(w->out, "%.17g", x->value); break;
    case OP_SYMBOL: text_puts(w->out, tree_symbol_name(x->symbol)); break;
    case OP_NEG:
        sign(w, "-");
        write_node(w, x->a, SIGNED);
        break;
    case OP_ADD:
    case OP_SUB: write_pair(w, x, SUM, PRODUCT); break;
    case OP_MUL:
    case OP_DIV: write_pair(w, x, PRODUCT, SIGNED); break;
    case OP_POW: write_pair(w, x, PRIMARY, SIGNED); break;
    default: write_call(w, x);
    }
}

static void write_node(const writer *w, int k, int wanted)
{
    const tree_node *x = &w->t->node[k];
    bool enclosed = binding(x) < wanted || dice_once_in(w->d, 12);
    if (enclosed) sign(w, "(");
    write_bare(w, x);
    if (enclosed) sign(w, ")");
}

void tree_write(const tree *t, dice *d, text *out)
{
    const writer w = {t, d, out};
    write_node(&w, t->n - 1, SUM);
}
