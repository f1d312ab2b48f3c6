/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diff.h"
#include "text.h"

typedef struct {
    const formula *f;
    scope *names;
    graph *g;
    unsigned allowed;
    const index_binding *indices;
    noslip_error *err;
    ARRAY(value) stack;
    long steps;
} builder;

static noslip_status run(builder *b, size_t from, size_t to);

#define FAIL(b, from, to, ...) \
    source_fail(&(b)->f->src, from, to, (b)->err, NOSLIP_ERR_FORMULA, __VA_ARGS__)
#define FAIL_AT(b, x, ...) FAIL(b, (x)->from, (x)->to, __VA_ARGS__)

static noslip_status push(builder *b, const value *v)
{
    return array_push(&b->stack, *v) ? NOSLIP_OK : noslip_fail_memory(b->err);
}

static noslip_status push_number(builder *b, expr e)
{
    value v = value_number(e);
    return push(b, &v);
}

/* The k-th value from the top, 0 being the top itself. */
static value *top(const builder *b, size_t k)
{
    return &b->stack.at[b->stack.n - 1 - k];
}

/* Replace the n topmost values by one. */
static noslip_status replace(builder *b, size_t n, value v)
{
    b->stack.n -= n - 1;
    *top(b, 0) = v;
    return NOSLIP_OK;
}

enum { SHAPE_ROOM = 24 };

/* "a number", "a vector of 3", "a 3 x 3 matrix". */
static const char *shape(const value *v, char out[SHAPE_ROOM])
{
    if (value_is_number(v))
        snprintf(out, SHAPE_ROOM, "a number");
    else if (value_is_vector(v))
        snprintf(out, SHAPE_ROOM, "a vector of %d", v->rows);
    else
        snprintf(out, SHAPE_ROOM, "a %d x %d matrix", v->rows, v->cols);
    return out;
}

static bool can_add(const value *a, const value *b)
{
    return a->empty || b->empty || (a->rows == b->rows && a->cols == b->cols);
}

/* A sum without terms: zero, of a shape not known. It stays one through all that keeps zero zero. */
static value nothing(graph *g)
{
    value v = value_number(graph_const(g, 0));
    v.empty = true;
    return v;
}

static value added(graph *g, const value *a, const value *b)
{
    return a->empty ? *b : b->empty ? *a : value_add(g, a, b);
}

static value subtracted(graph *g, const value *a, const value *b)
{
    return a->empty ? value_neg(g, b) : b->empty ? *a : value_sub(g, a, b);
}

/* A constant that could not be folded: log(0), sqrt(-1), 1e300*1e300. */
static noslip_status check_constant(builder *b, const item *x, const value *v)
{
    for (int k = 0; k < value_size(v); k++) {
        if (v->at[k] == EXPR_NONE) return noslip_fail_memory(b->err);
        const node *n = graph_at(b->g, v->at[k]);
        if (n->op == OP_CONST || n->depends) continue;
        return FAIL_AT(b, x, "this is not a finite number");
    }
    return NOSLIP_OK;
}

/* Names */

static noslip_status copy_name(builder *b, const item *x, char out[NAME_MOST + 1])
{
    if (name_normalise(b->f->src.text + x->name_from, x->name_to - x->name_from, out))
        return NOSLIP_OK;
    return FAIL(b, x->name_from, x->name_to, "the name is too long");
}

static const index_binding *find_index(const builder *b, const char *name)
{
    for (const index_binding *i = b->indices; i; i = i->outer)
        if (strcmp(i->name, name) == 0) return i;
    return NULL;
}

static bool to_integer(const builder *b, const value *v, long *out)
{
    double c;
    if (!value_is_number(v) || !graph_is_const(b->g, v->at[0], &c) || c != floor(c) ||
        fabs(c) > 0x1p53)
        return false;
    *out = (long)c;
    return true;
}

static noslip_status fail_unknown(builder *b, const item *x, const char *name)
{
    long low, high;
    if (!x->indexed && scope_family(b->names, name, &low, &high)) {
        FAIL_AT(b, x, "'%s' is a family and needs an index", name);
        noslip_hint(b->err, "%s[%ld] to %s[%ld]", name, low, name, high);
        return NOSLIP_ERR_FORMULA;
    }
    FAIL_AT(b, x, "unknown name '%s'", name);
    const char *near = scope_nearest(b->names, name);
    if (strcmp(name, "Pi") == 0 || strcmp(name, "PI") == 0 || strcmp(name, "\u03c0") == 0)
        near = "pi";
    if (near) noslip_hint(b->err, "did you mean '%s'?", near);
    return NOSLIP_ERR_FORMULA;
}

static noslip_status fail_member(builder *b, const item *x, const char *family, long index)
{
    long low, high;
    if (!scope_family(b->names, family, &low, &high)) {
        if (!scope_find(b->names, family)) return fail_unknown(b, x, family);
        return FAIL_AT(b, x, "'%s' has no index", family);
    }
    return FAIL_AT(b, x, "%s[%ld] does not exist: the index goes from %ld to %ld", family, index,
                   low, high);
}

static const char *kind_words(unsigned kind)
{
    return kind & SYMBOL_ACCELERATION ? "accelerations"
           : kind & SYMBOL_RATE       ? "rates"
           : kind & SYMBOL_COORDINATE ? "coordinates"
           : kind & SYMBOL_TIME       ? "the time"
           : kind & SYMBOL_QUASI      ? "quasi-velocities"
                                      : "parameters";
}

static noslip_status check_allowed(builder *b, size_t from, size_t to, const value *v)
{
    for (int k = 0; k < value_size(v); k++) {
        if (v->at[k] == EXPR_NONE) return noslip_fail_memory(b->err);
        unsigned wrong = graph_at(b->g, v->at[k])->depends & ~b->allowed;
        if (!wrong) continue;
        int n = text_clip(b->f->src.text + from, to - from, 60);
        return FAIL(b, from, to, "'%.*s' depends on %s, which may not stand here", n,
                    b->f->src.text + from, kind_words(wrong));
    }
    return NOSLIP_OK;
}

static noslip_status push_entry(builder *b, const item *x, const char *name, const char *family,
                                long index)
{
    const scope_entry *entry = scope_find(b->names, name);
    if (entry && entry->has_value) return push(b, &entry->v);
    if (entry && entry->has_integer && !x->indexed)
        return push_number(b, graph_const(b->g, (double)entry->integer));
    return x->indexed ? fail_member(b, x, family, index) : fail_unknown(b, x, name);
}

/* Whether the kinds may stand is checked when the name is complete: with its primes, if it has
 * some. */
static noslip_status build_name(builder *b, const item *x, bool rate_follows)
{
    char name[NAME_MOST + 1], full[NAME_MOST + 32];
    noslip_status status = copy_name(b, x, name);
    if (status != NOSLIP_OK) return status;
    long index = 0;
    if (x->indexed) {
        if (!to_integer(b, top(b, 0), &index))
            return FAIL(b, x->name_to, x->to, "the index is not a whole number");
        b->stack.n--;
        snprintf(full, sizeof full, "%s[%ld]", name, index);
    } else {
        const index_binding *bound = find_index(b, name);
        if (bound) return push_number(b, graph_const(b->g, (double)bound->value));
        if (strcmp(name, "pi") == 0)
            return push_number(b, graph_const(b->g, 3.14159265358979323846));
        snprintf(full, sizeof full, "%s", name);
    }
    status = push_entry(b, x, full, name, index);
    if (status != NOSLIP_OK || rate_follows) return status;
    return check_allowed(b, x->from, x->to, top(b, 0));
}

static noslip_status build_index_name(builder *b, const item *x)
{
    char name[NAME_MOST + 1];
    noslip_status status = copy_name(b, x, name);
    if (status != NOSLIP_OK) return status;
    if (x->indexed) return FAIL_AT(b, x, "an index may not be a member of a family");
    const index_binding *bound = find_index(b, name);
    if (bound) return push_number(b, graph_const(b->g, (double)bound->value));
    scope_entry *entry = scope_find(b->names, name);
    if (!entry && strcmp(name, "pi") != 0) return fail_unknown(b, x, name);
    if (!entry || !entry->has_integer)
        return FAIL_AT(b, x, "'%s' is not a whole number known in advance", name);
    entry->used_as_index = true;
    return push_number(b, graph_const(b->g, (double)entry->integer));
}

static noslip_status build_rate(builder *b, const item *x, bool rate_follows)
{
    value *v = top(b, 0);
    const node *n = value_is_number(v) && v->at[0] != EXPR_NONE ? graph_at(b->g, v->at[0]) : NULL;
    const char *words = b->f->src.text + x->left;
    int length = text_clip(words, x->from - x->left, 60);
    if (!n || !(n->op == OP_SYMBOL && n->depends & (SYMBOL_COORDINATE | SYMBOL_RATE))) {
        FAIL(b, x->left, x->to, "'%.*s' is not a coordinate and has no rate", length, words);
        if (v->rows > 1 && v->cols > 1)
            noslip_hint(b->err,
                        "write dt(...) for a time derivative, transpose(...) for a transpose");
        else if (!n || n->op != OP_SYMBOL)
            noslip_hint(b->err, "write dt(...) for a time derivative");
        return NOSLIP_ERR_FORMULA;
    }
    *v = value_number(graph_rate(b->g, v->at[0]));
    return rate_follows ? NOSLIP_OK : check_allowed(b, x->left, x->to, top(b, 0));
}

/* Operators */

static noslip_status fail_shapes(builder *b, const item *x, const char *what)
{
    char left[SHAPE_ROOM], right[SHAPE_ROOM];
    return FAIL_AT(b, x, "cannot %s: %s on the left, %s on the right", what, shape(top(b, 1), left),
                   shape(top(b, 0), right));
}

static noslip_status build_sum_of(builder *b, const item *x)
{
    const value *l = top(b, 1), *r = top(b, 0);
    const char *what = x->kind == ITEM_ADD ? "add" : x->kind == ITEM_SUB ? "subtract" : "set equal";
    if (!can_add(l, r)) return fail_shapes(b, x, what);
    return replace(b, 2, x->kind == ITEM_ADD ? added(b->g, l, r) : subtracted(b->g, l, r));
}

static noslip_status build_product(builder *b, const item *x)
{
    const value *l = top(b, 1), *r = top(b, 0);
    if (l->empty || r->empty) return replace(b, 2, nothing(b->g));
    bool fits = value_is_number(l) || value_is_number(r) || l->cols == r->rows;
    if (!fits) {
        fail_shapes(b, x, "multiply");
        if (value_is_vector(l) && value_is_vector(r))
            noslip_hint(b->err, "write dot(a, b) or cross(a, b)");
        return NOSLIP_ERR_FORMULA;
    }
    return replace(b, 2, value_mul(b->g, l, r));
}

static noslip_status build_quotient(builder *b, const item *x)
{
    char s[SHAPE_ROOM];
    double c;
    if (!value_is_number(top(b, 0)))
        return FAIL_AT(b, x, "cannot divide by %s", shape(top(b, 0), s));
    if (graph_is_const(b->g, top(b, 0)->at[0], &c) && c == 0)
        return FAIL_AT(b, x, "division by zero");
    if (top(b, 1)->empty) return replace(b, 2, nothing(b->g));
    return replace(b, 2, value_div(b->g, top(b, 1), top(b, 0)));
}

static noslip_status build_power(builder *b, const item *x)
{
    const value *l = top(b, 1), *r = top(b, 0);
    char s[SHAPE_ROOM];
    if (!value_is_number(l)) {
        FAIL_AT(b, x, "cannot take the power of %s", shape(l, s));
        noslip_hint(b->err, value_is_vector(l)
                                ? "write dot(v, v) for a square"
                                : "write R*R, or transpose(R) for the inverse of a rotation");
        return NOSLIP_ERR_FORMULA;
    }
    if (!value_is_number(r))
        return FAIL_AT(b, x, "the exponent must be a number, this is %s", shape(r, s));
    return replace(b, 2, value_number(graph_apply(b->g, OP_POW, l->at[0], r->at[0])));
}

static noslip_status build_component(builder *b, const item *x)
{
    const value *v = top(b, 0);
    char s[SHAPE_ROOM];
    if (v->empty) return replace(b, 1, value_number(v->at[0]));
    if (!value_is_vector(v))
        return FAIL_AT(b, x, "%s has no component .%c", shape(v, s), "xyz"[x->component]);
    if (x->component >= v->rows)
        return FAIL_AT(b, x, "%s has no component .%c", shape(v, s), "xyz"[x->component]);
    return replace(b, 1, value_number(v->at[x->component]));
}

/* Functions */

static noslip_status need_numbers(builder *b, const item *x)
{
    char s[SHAPE_ROOM];
    for (int k = x->arguments; k-- > 0;)
        if (!value_is_number(top(b, (size_t)k)))
            return FAIL_AT(b, x, "'%s' takes numbers, argument %d is %s", x->function->name,
                           x->arguments - k, shape(top(b, (size_t)k), s));
    return NOSLIP_OK;
}

/* All arguments are vectors of one length: of `length` if it is not 0. */
static noslip_status need_vectors(builder *b, const item *x, int length)
{
    char s[SHAPE_ROOM], t[SHAPE_ROOM];
    for (int k = x->arguments; k-- > 0;) {
        const value *v = top(b, (size_t)k);
        if (v->empty && x->function->id != FUNCTION_UNIT) return NOSLIP_OK;
        if (!value_is_vector(v))
            return FAIL_AT(b, x, "'%s' takes vectors, argument %d is %s", x->function->name,
                           x->arguments - k, shape(v, s));
        if (length && v->rows != length)
            return FAIL_AT(b, x, "'%s' takes vectors of %d, argument %d is %s", x->function->name,
                           length, x->arguments - k, shape(v, s));
    }
    const value *first = top(b, (size_t)x->arguments - 1), *last = top(b, 0);
    if (first->rows != last->rows)
        return FAIL_AT(b, x, "'%s' takes vectors of one length: %s, then %s", x->function->name,
                       shape(first, s), shape(last, t));
    return NOSLIP_OK;
}

static noslip_status call_vec(builder *b, const item *x)
{
    expr e[VALUE_MOST];
    for (int k = 0; k < x->arguments; k++) e[k] = top(b, (size_t)(x->arguments - 1 - k))->at[0];
    return replace(b, (size_t)x->arguments, value_vector(e, x->arguments));
}

static noslip_status call_operation(builder *b, const item *x)
{
    expr a = top(b, (size_t)x->arguments - 1)->at[0], last = top(b, 0)->at[0];
    return replace(b, (size_t)x->arguments,
                   value_number(graph_apply(b->g, (op)x->function->operation, a, last)));
}

static noslip_status call_unit(builder *b)
{
    value length = value_number(value_norm(b->g, top(b, 0)));
    return replace(b, 1, value_div(b->g, top(b, 0), &length));
}

static noslip_status call_rate(builder *b, const item *x)
{
    const value *v = top(b, 0);
    for (int k = 0; k < value_size(v); k++)
        if (graph_at(b->g, v->at[k])->depends & SYMBOL_ACCELERATION)
            return FAIL_AT(b, x, "the time derivative of an acceleration has no meaning here");
    replace(b, 1, value_rate(b->g, v));
    return check_allowed(b, x->from, x->to, top(b, 0));
}

static noslip_status call_omega(builder *b, const item *x)
{
    char s[SHAPE_ROOM];
    const value *v = top(b, 0);
    if (v->rows != 3 || v->cols != 3)
        return FAIL_AT(b, x, "'omega' takes a 3 x 3 rotation, this is %s", shape(v, s));
    for (int k = 0; k < 9; k++)
        if (graph_at(b->g, v->at[k])->depends & (SYMBOL_RATE | SYMBOL_ACCELERATION))
            return FAIL_AT(b, x, "'omega' takes a rotation that does not depend on rates");
    replace(b, 1, value_omega(b->g, v));
    return check_allowed(b, x->from, x->to, top(b, 0));
}

static noslip_status check_arguments(builder *b, const item *x)
{
    for (int k = 0; k < x->arguments; k++)
        for (int i = 0; i < value_size(top(b, (size_t)k)); i++)
            if (top(b, (size_t)k)->at[i] == EXPR_NONE) return noslip_fail_memory(b->err);
    switch (x->function->id) {
    case FUNCTION_OPERATION:
    case FUNCTION_VEC:
    case FUNCTION_ROTX:
    case FUNCTION_ROTY:
    case FUNCTION_ROTZ: return need_numbers(b, x);
    case FUNCTION_DOT:
    case FUNCTION_NORM:
    case FUNCTION_UNIT: return need_vectors(b, x, 0);
    case FUNCTION_CROSS: return need_vectors(b, x, 3);
    default: return NOSLIP_OK;
    }
}

static bool keeps_nothing(const builder *b, const item *x)
{
    bool any = false;
    for (int k = 0; k < x->arguments; k++) any = any || top(b, (size_t)k)->empty;
    switch (x->function->id) {
    case FUNCTION_DOT:
    case FUNCTION_CROSS:
    case FUNCTION_NORM:
    case FUNCTION_TRANSPOSE:
    case FUNCTION_DT: return any;
    default: return false;
    }
}

static noslip_status call_on_nothing(builder *b, const item *x)
{
    value zero = nothing(b->g);
    if (x->function->id == FUNCTION_DOT || x->function->id == FUNCTION_NORM) zero.empty = false;
    return replace(b, (size_t)x->arguments, zero);
}

static noslip_status build_call(builder *b, const item *x)
{
    noslip_status status = check_arguments(b, x);
    if (status != NOSLIP_OK) return status;
    const value *v = top(b, 0);
    if (keeps_nothing(b, x)) return call_on_nothing(b, x);
    switch (x->function->id) {
    case FUNCTION_OPERATION: return call_operation(b, x);
    case FUNCTION_VEC: return call_vec(b, x);
    case FUNCTION_ROTX: return replace(b, 1, value_rotation(b->g, 0, v->at[0]));
    case FUNCTION_ROTY: return replace(b, 1, value_rotation(b->g, 1, v->at[0]));
    case FUNCTION_ROTZ: return replace(b, 1, value_rotation(b->g, 2, v->at[0]));
    case FUNCTION_DOT: return replace(b, 2, value_number(value_dot(b->g, top(b, 1), v)));
    case FUNCTION_CROSS: return replace(b, 2, value_cross(b->g, top(b, 1), v));
    case FUNCTION_NORM: return replace(b, 1, value_number(value_norm(b->g, v)));
    case FUNCTION_UNIT: return call_unit(b);
    case FUNCTION_TRANSPOSE: return replace(b, 1, value_transpose(b->g, v));
    case FUNCTION_DT: return call_rate(b, x);
    case FUNCTION_OMEGA: return call_omega(b, x);
    case FUNCTION_SUM:
    case FUNCTION_NONE: break;
    }
    return noslip_fail(b->err, NOSLIP_ERR_ARG, "no such function");
}

/* Sums */

static noslip_status add_terms(builder *b, const item *x, size_t at, long low, long high,
                               index_binding *index)
{
    value sum = nothing(b->g);
    char first[SHAPE_ROOM], other[SHAPE_ROOM];
    for (index->value = low; index->value <= high; index->value++) {
        noslip_status status = run(b, at + 1, at + 1 + x->count);
        if (status != NOSLIP_OK) return status;
        value *term = top(b, 0);
        if (!can_add(&sum, term))
            return FAIL_AT(b, x, "the terms of the sum differ: %s, then %s", shape(&sum, first),
                           shape(term, other));
        sum = added(b->g, &sum, term);
        b->stack.n--;
    }
    return push(b, &sum);
}

static noslip_status fail_length(builder *b, const item *x)
{
    return FAIL_AT(b, x, "the formula has more than %d terms, its sums written out",
                   BUILD_MOST_STEPS);
}

static noslip_status build_sum(builder *b, const item *x, size_t at)
{
    long low, high;
    char name[NAME_MOST + 1];
    noslip_status status = copy_name(b, x, name);
    if (status != NOSLIP_OK) return status;
    if (!to_integer(b, top(b, 1), &low) || !to_integer(b, top(b, 0), &high))
        return FAIL_AT(b, x, "the bounds of a sum are whole numbers");
    b->stack.n -= 2;
    long first, last;
    if (find_index(b, name) || scope_find(b->names, name) || strcmp(name, "pi") == 0 ||
        scope_family(b->names, name, &first, &last))
        return FAIL(b, x->name_from, x->name_to, "'%s' has a meaning already, take another index",
                    name);
    index_binding index = {.name = name, .outer = b->indices};
    b->indices = &index;
    double terms = high < low ? 0 : (double)high - (double)low + 1;
    if ((double)b->steps + terms * (x->count + 1) > BUILD_MOST_STEPS) return fail_length(b, x);
    status = add_terms(b, x, at, low, high, &index);
    b->indices = index.outer;
    return status;
}

static noslip_status build_item(builder *b, size_t at)
{
    const item *x = &b->f->items.at[at];
    bool rate_follows = at + 1 < b->f->items.n && x[1].kind == ITEM_RATE;
    switch (x->kind) {
    case ITEM_NUMBER: return push_number(b, graph_const(b->g, x->number));
    case ITEM_NAME: return build_name(b, x, rate_follows);
    case ITEM_INDEX_NAME: return build_index_name(b, x);
    case ITEM_RATE: return build_rate(b, x, rate_follows);
    case ITEM_NEG: return top(b, 0)->empty ? NOSLIP_OK : replace(b, 1, value_neg(b->g, top(b, 0)));
    case ITEM_ADD:
    case ITEM_SUB:
    case ITEM_EQUAL: return build_sum_of(b, x);
    case ITEM_MUL: return build_product(b, x);
    case ITEM_DIV: return build_quotient(b, x);
    case ITEM_POW: return build_power(b, x);
    case ITEM_COMPONENT: return build_component(b, x);
    case ITEM_CALL: return build_call(b, x);
    case ITEM_SUM: return build_sum(b, x, at);
    }
    return noslip_fail(b->err, NOSLIP_ERR_ARG, "no such item");
}

/* Run a piece of the program; calls itself through sums only, which are nested no deeper than the
 * parser allows. */
static noslip_status run(builder *b, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        const item *x = &b->f->items.at[at];
        if (++b->steps > BUILD_MOST_STEPS) return fail_length(b, x);
        noslip_status status = build_item(b, at);
        if (status == NOSLIP_OK) status = check_constant(b, x, top(b, 0));
        if (status != NOSLIP_OK) return status;
        if (x->kind == ITEM_SUM) at += x->count;
    }
    return NOSLIP_OK;
}

noslip_status formula_build(const formula *f, scope *names, unsigned allowed,
                            const index_binding *indices, value *out, noslip_error *err)
{
    builder b = {.f = f,
                 .names = names,
                 .g = scope_graph(names),
                 .allowed = allowed,
                 .indices = indices,
                 .err = err};
    noslip_status status = run(&b, 0, f->items.n);
    if (status == NOSLIP_OK && graph_status(b.g) != NOSLIP_OK) status = noslip_fail_memory(err);
    if (status == NOSLIP_OK) status = check_allowed(&b, f->from, f->to, top(&b, 0));
    if (status == NOSLIP_OK) *out = *top(&b, 0);
    array_free(&b.stack);
    return status;
}

noslip_status formula_build_number(const formula *f, scope *names, unsigned allowed,
                                   const index_binding *indices, expr *out, noslip_error *err)
{
    value v;
    char s[SHAPE_ROOM];
    noslip_status status = formula_build(f, names, allowed, indices, &v, err);
    if (status != NOSLIP_OK) return status;
    if (!value_is_number(&v))
        return source_fail(&f->src, f->from, f->to, err, NOSLIP_ERR_FORMULA,
                           "a number is wanted here, this is %s", shape(&v, s));
    *out = v.at[0];
    return NOSLIP_OK;
}
