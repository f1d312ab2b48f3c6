/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "alloc.h"
#include "build.h"
#include "diff.h"
#include "noslip/formula.h"
#include "print.h"
#include "tape.h"

struct noslip_formula {
    char *source;
    graph *g;
    scope *names;
    formula f;
    ARRAY(value) parts;
    text printed; /* the last one asked for */
};

enum { LONGEST_TEXT = 1 << 16 };
static const unsigned any_kind = ~0u;

static symbol_kind kind_of_name(const formula *f, const char *name, const char *const *coordinates)
{
    for (; coordinates && *coordinates; coordinates++)
        if (strcmp(*coordinates, name) == 0) return SYMBOL_COORDINATE;
    for (size_t k = 0; k + 1 < f->items.n; k++) {
        const item *x = &f->items.at[k];
        char other[NAME_MOST + 1];
        if (x->kind != ITEM_NAME || x[1].kind != ITEM_RATE) continue;
        if (name_normalise(f->src.text + x->name_from, x->name_to - x->name_from, other) &&
            strcmp(other, name) == 0)
            return SYMBOL_COORDINATE;
    }
    return strcmp(name, "t") == 0 ? SYMBOL_TIME : SYMBOL_PARAMETER;
}

static bool is_index_of_a_sum(const formula *f, const char *name)
{
    for (size_t k = 0; k < f->items.n; k++) {
        const item *x = &f->items.at[k];
        char other[NAME_MOST + 1];
        if (x->kind != ITEM_SUM) continue;
        if (name_normalise(f->src.text + x->name_from, x->name_to - x->name_from, other) &&
            strcmp(other, name) == 0)
            return true;
    }
    return false;
}

static noslip_status declare_names(noslip_formula *s, const char *const *coordinates,
                                   noslip_error *err)
{
    for (size_t k = 0; k < s->f.items.n; k++) {
        const item *x = &s->f.items.at[k];
        char name[NAME_MOST + 1];
        if (x->kind != ITEM_NAME || x->indexed) continue;
        if (!name_normalise(s->source + x->name_from, x->name_to - x->name_from, name))
            continue; /* building complains */
        if (strcmp(name, "pi") == 0 || scope_find(s->names, name) || is_index_of_a_sum(&s->f, name))
            continue;
        noslip_status status =
            scope_symbol(s->names, name, strlen(name), kind_of_name(&s->f, name, coordinates), err);
        if (status != NOSLIP_OK) return status;
    }
    return NOSLIP_OK;
}

static noslip_status read_formula(noslip_formula *s, const char *const *coordinates,
                                  noslip_error *err)
{
    source src = source_of_string(s->source);
    value v;
    noslip_status status = formula_parse(&src, 0, src.size, false, &s->f, err);
    if (status == NOSLIP_OK) status = declare_names(s, coordinates, err);
    if (status == NOSLIP_OK) status = formula_build(&s->f, s->names, any_kind, NULL, &v, err);
    if (status == NOSLIP_OK && !array_push(&s->parts, v)) status = noslip_fail_memory(err);
    return status;
}

noslip_status noslip_formula_open(const char *string, const char *const *coordinates,
                                  noslip_formula **out, noslip_error *err)
{
    noslip_formula *s = noslip_calloc(1, sizeof *s);
    if (!s) return noslip_fail_memory(err);
    size_t size = strlen(string) + 1;
    s->source = noslip_malloc(size);
    s->g = graph_new();
    s->names = s->g ? scope_new(s->g) : NULL;
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (s->source && s->names) {
        memcpy(s->source, string, size);
        status = read_formula(s, coordinates, err);
    } else
        noslip_fail_memory(err);
    if (status == NOSLIP_OK)
        *out = s;
    else
        noslip_formula_close(s);
    return status;
}

void noslip_formula_close(noslip_formula *s)
{
    if (!s) return;
    text_free(&s->printed);
    array_free(&s->parts);
    formula_free(&s->f);
    scope_free(s->names);
    graph_free(s->g);
    noslip_free(s->source);
    noslip_free(s);
}

const char *noslip_formula_name(const noslip_formula *s, size_t k)
{
    return k < s->g->symbols.n ? s->g->symbols.at[k].name : NULL;
}

const char *noslip_formula_kind(const noslip_formula *s, size_t k)
{
    if (k >= s->g->symbols.n) return NULL;
    switch (s->g->symbols.at[k].kind) {
    case SYMBOL_PARAMETER: return "parameter";
    case SYMBOL_TIME: return "time";
    case SYMBOL_COORDINATE: return "coordinate";
    case SYMBOL_RATE: return "rate";
    case SYMBOL_ACCELERATION: return "acceleration";
    case SYMBOL_QUASI: return "quasi-velocity";
    }
    return NULL;
}

static noslip_status derive_by_name(noslip_formula *s, const char *name, value *v,
                                    noslip_error *err)
{
    size_t k = 0, n = (size_t)value_size(v);
    while (k < s->g->symbols.n && strcmp(s->g->symbols.at[k].name, name) != 0) k++;
    if (k == s->g->symbols.n)
        return noslip_fail(err, NOSLIP_ERR_ARG, "the formula has no name '%s'", name);
    expr variable = s->g->symbols.at[k].self, one = graph_const(s->g, 1);
    value of = *v;
    noslip_status status = diff_forward(s->g, of.at, n, &variable, &one, 1, v->at);
    return status == NOSLIP_OK ? status : noslip_fail_memory(err);
}

noslip_status noslip_formula_derive(noslip_formula *s, const char *name, size_t *part,
                                    noslip_error *err)
{
    value v = s->parts.at[0];
    noslip_status status;
    if (name)
        status = derive_by_name(s, name, &v, err);
    else {
        value of = v;
        status = diff_time(s->g, of.at, (size_t)value_size(&of), v.at);
        if (status == NOSLIP_ERR_ARG)
            noslip_fail(err, status,
                        "the formula depends on an acceleration, whose rate has no meaning here");
        if (status == NOSLIP_ERR_MEMORY) noslip_fail_memory(err);
    }
    if (status != NOSLIP_OK) return status;
    if (!array_push(&s->parts, v)) return noslip_fail_memory(err);
    *part = s->parts.n - 1;
    return NOSLIP_OK;
}

const char *noslip_formula_text(noslip_formula *s, size_t part)
{
    text_free(&s->printed);
    if (part >= s->parts.n) return NULL;
    const value *v = &s->parts.at[part];
    for (int k = 0; k < value_size(v); k++) {
        if (k) text_puts(&s->printed, "\n");
        if (print_expr(s->g, v->at[k], LONGEST_TEXT, &s->printed) != NOSLIP_OK) return NULL;
    }
    return s->printed.failed ? NULL : s->printed.at;
}

/* All symbols are inputs, in their order. */
static noslip_status compile_part(noslip_formula *s, size_t part, tape **out)
{
    size_t n = s->g->symbols.n;
    const value *v = &s->parts.at[part];
    expr *in = noslip_calloc(n, sizeof *in);
    if (!in) return NOSLIP_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) in[k] = s->g->symbols.at[k].self;
    const tape_spec spec = {.in = in, .n_in = n, .out = v->at, .n_out = (size_t)value_size(v)};
    noslip_status status = tape_compile(s->g, &spec, out, NULL);
    noslip_free(in);
    return status;
}

noslip_status noslip_formula_evaluate(noslip_formula *s, size_t part, const double *values,
                                      double *out)
{
    tape *t;
    if (part >= s->parts.n) return NOSLIP_ERR_ARG;
    noslip_status status = compile_part(s, part, &t);
    if (status != NOSLIP_OK) return status;
    tape_work *w = tape_work_new(t);
    status = w ? tape_point(w, values, out) : NOSLIP_ERR_MEMORY;
    tape_work_free(w);
    tape_free(t);
    return status;
}

noslip_status noslip_formula_measure(noslip_formula *s, size_t part, noslip_formula_info *info)
{
    tape *t;
    if (part >= s->parts.n) return NOSLIP_ERR_ARG;
    noslip_status status = compile_part(s, part, &t);
    if (status != NOSLIP_OK) return status;
    tape_info i = tape_measure(t);
    const value *v = &s->parts.at[part];
    *info = (noslip_formula_info){v->rows, v->cols, i.operations, i.instructions, i.registers};
    tape_free(t);
    return NOSLIP_OK;
}
