/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"
#include "text.h"

/* Where a formula is read from. A scalar that YAML left as it was is read in the file itself, so that places come out exact;
 * one with escapes is read from its value, and a message then points at the scalar as a whole. */
typedef struct {
    source src;
    size_t from, to;
    bool exact;
} passage;

static passage passage_of(const reader *r, const tree_node *x)
{
    if (x->exact) return (passage){*r->src, x->inside_from, x->inside_to, true};
    source own = {.file = r->src->file, .text = x->value, .size = x->n, .line = 1, .column = 1};
    return (passage){own, 0, x->n, false};
}

/* Give an error of r->err another place. */
static noslip_status point_to(reader *r, size_t from, size_t to, noslip_status status)
{
    if (!r->err || status >= 0 || status == NOSLIP_ERR_MEMORY) return status;
    noslip_error bare = *r->err;
    source_fail(r->src, from, to, r->err, status, "%s", bare.message);
    if (bare.hint[0]) noslip_hint(r->err, "%s", bare.hint);
    return status;
}

noslip_status point_at(reader *r, const tree_node *x, noslip_status status)
{
    return point_to(r, x->from, x->to, status);
}

/* [f(a, b), c] is three items to YAML: "f(a", "b)" and "c". */
static void suspect_commas(reader *r, const tree_node *x)
{
    int open = 0;
    for (size_t k = 0; k < x->n; k++) open += (x->value[k] == '(') - (x->value[k] == ')');
    if (x->flow && x->plain && open)
        noslip_hint(r->err, "inside [ ] or { } a formula that contains a comma needs quotes");
}

static noslip_status build(reader *r, const passage *p, bool equation, unsigned allowed,
                           const index_binding *index, bool number, value *out)
{
    formula f = {0};
    noslip_status status = formula_parse(&p->src, p->from, p->to, equation, &f, r->err);
    if (status == NOSLIP_OK && number) {
        expr e;
        status = formula_build_number(&f, r->s->names, allowed, index, &e, r->err);
        if (status == NOSLIP_OK) *out = value_number(e);
    } else if (status == NOSLIP_OK)
        status = formula_build(&f, r->s->names, allowed, index, out, r->err);
    formula_free(&f);
    return status;
}

static noslip_status build_scalar(reader *r, const tree_node *x, bool equation, unsigned allowed,
                                  const index_binding *index, bool number, value *out)
{
    if (x->kind != TREE_SCALAR)
        return FAIL_AT(r, x, "%s is wanted here, this is a %s",
                       equation ? "an equation" : "a formula",
                       x->kind == TREE_MAPPING ? "mapping" : "list");
    passage p = passage_of(r, x);
    noslip_status status = build(r, &p, equation, allowed, index, number, out);
    if (status == NOSLIP_OK) return status;
    if (!p.exact) point_at(r, x, status);
    if (status == NOSLIP_ERR_FORMULA) suspect_commas(r, x);
    return status;
}

noslip_status read_number(reader *r, const tree_node *x, unsigned allowed,
                          const index_binding *index, expr *out)
{
    value v;
    noslip_status status = build_scalar(r, x, false, allowed, index, true, &v);
    if (status == NOSLIP_OK) *out = v.at[0];
    return status;
}

noslip_status read_equation(reader *r, const tree_node *x, unsigned allowed,
                            const index_binding *index, expr *out)
{
    value v;
    char words[SHAPE_WORDS];
    noslip_status status = build_scalar(r, x, true, allowed, index, false, &v);
    if (status != NOSLIP_OK) return status;
    if (!value_is_number(&v)) {
        FAIL_AT(r, x, "the sides of an equation must be numbers, each of these is %s",
                shape_words(&v, words));
        noslip_hint(r->err, "write an equation for each component: v.x = 0");
        return NOSLIP_ERR_CASE;
    }
    *out = v.at[0];
    return NOSLIP_OK;
}

noslip_status read_number_in(reader *r, const source *src, size_t from, size_t to, unsigned allowed,
                             expr *out)
{
    const passage p = {*src, from, to, true};
    value v;
    noslip_status status = build(r, &p, false, allowed, NULL, true, &v);
    if (status == NOSLIP_OK) *out = v.at[0];
    return status;
}

/* Lists */

static noslip_status read_row(reader *r, const tree_node *x, unsigned allowed,
                              const index_binding *index, expr *row)
{
    noslip_status status = NOSLIP_OK;
    for (const tree_node *i = x->first; i && status == NOSLIP_OK; i = i->next)
        status = read_number(r, i, allowed, index, row++);
    return status;
}

static noslip_status check_length(reader *r, const tree_node *x)
{
    if (x->count >= 2 && x->count <= VALUE_MOST) return NOSLIP_OK;
    return FAIL_AT(r, x, "a vector or a row has 2 to %d entries, this has %zu", VALUE_MOST,
                   x->count);
}

static noslip_status read_matrix(reader *r, const tree_node *x, unsigned allowed,
                                 const index_binding *index, value *out)
{
    value m = {.rows = (int)x->count, .cols = (int)x->first->count};
    int row = 0;
    for (const tree_node *i = x->first; i; i = i->next, row++) {
        if (i->kind != TREE_SEQUENCE)
            return FAIL_AT(r, i, "a row of the matrix is wanted here: a list of numbers");
        noslip_status status = check_length(r, i);
        if (status != NOSLIP_OK) return status;
        if (i->count != x->first->count)
            return FAIL_AT(r, i, "this row has %zu entries, the first has %zu", i->count,
                           x->first->count);
        status = read_row(r, i, allowed, index, m.at + row * m.cols);
        if (status != NOSLIP_OK) return status;
    }
    *out = m;
    return NOSLIP_OK;
}

noslip_status read_value(reader *r, const tree_node *x, unsigned allowed,
                         const index_binding *index, value *out)
{
    if (x->kind != TREE_SEQUENCE) return build_scalar(r, x, false, allowed, index, false, out);
    noslip_status status = check_length(r, x);
    if (status != NOSLIP_OK) return status;
    if (x->first->kind == TREE_SEQUENCE) return read_matrix(r, x, allowed, index, out);
    expr e[VALUE_MOST];
    status = read_row(r, x, allowed, index, e);
    if (status == NOSLIP_OK) *out = value_vector(e, (int)x->count);
    return status;
}

const char *shape_words(const value *v, char out[SHAPE_WORDS])
{
    if (value_is_number(v))
        snprintf(out, SHAPE_WORDS, "a number");
    else if (value_is_vector(v))
        snprintf(out, SHAPE_WORDS, "a vector of %d", v->rows);
    else
        snprintf(out, SHAPE_WORDS, "a %d x %d matrix", v->rows, v->cols);
    return out;
}

noslip_status read_vector3(reader *r, const tree_node *x, unsigned allowed,
                           const index_binding *index, value *out)
{
    char words[SHAPE_WORDS];
    noslip_status status = read_value(r, x, allowed, index, out);
    if (status != NOSLIP_OK || (out->rows == 3 && out->cols == 1)) return status;
    FAIL_AT(r, x, "a vector of 3 is wanted here, this is %s", shape_words(out, words));
    noslip_hint(r->err, "write vec(x, y, z)");
    return NOSLIP_ERR_CASE;
}

/* Whole numbers */

/* In an index a name means its whole number: read the formula as one. */
static noslip_status build_integer(reader *r, const passage *p, long *out)
{
    formula f = {0};
    expr e;
    double number = 0;
    noslip_status status = formula_parse(&p->src, p->from, p->to, false, &f, r->err);
    for (size_t k = 0; status == NOSLIP_OK && k < f.items.n; k++)
        if (f.items.at[k].kind == ITEM_NAME) f.items.at[k].kind = ITEM_INDEX_NAME;
    if (status == NOSLIP_OK) status = formula_build_number(&f, r->s->names, 0, NULL, &e, r->err);
    if (status == NOSLIP_OK &&
        !(graph_is_const(r->s->g, e, &number) && number == floor(number) && fabs(number) < 1e9))
        status = source_fail(&p->src, p->from, p->to, r->err, NOSLIP_ERR_CASE,
                             "this is not a whole number");
    formula_free(&f);
    *out = status == NOSLIP_OK ? (long)number : 0; /* what is no whole number may not fit */
    return status;
}

noslip_status read_integer(reader *r, const tree_node *x, size_t from, size_t to, long *out)
{
    passage p = passage_of(r, x);
    if (p.to - p.from != x->n) p = (passage){{r->src->file, x->value, x->n, 1, 1}, 0, x->n, false};
    p.to = p.from + to;
    p.from += from;
    noslip_status status = build_integer(r, &p, out);
    return status != NOSLIP_OK && !p.exact ? point_at(r, x, status) : status;
}
