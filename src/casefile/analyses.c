/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "reader.h"
#include "text.h"

/* steady: with */

static noslip_status add_condition(reader *r, const tree_node *x)
{
    case_condition c = {.at = origin_of(r, x)};
    noslip_status status = read_equation(r, x, OF_ALL, NULL, &c.e);
    if (status != NOSLIP_OK) return status;
    if (!(graph_at(r->s->g, c.e)->depends & (SYMBOL_COORDINATE | SYMBOL_RATE | SYMBOL_QUASI)))
        return FAIL_AT(r, x,
                       "this condition contains no coordinate, no rate and no quasi-velocity");
    return array_push(&r->c->conditions, c) ? NOSLIP_OK : noslip_fail_memory(r->err);
}

static noslip_status read_with(reader *r, const tree_node *key, const tree_node *x)
{
    noslip_status status = need_value(r, key, x);
    if (status != NOSLIP_OK) return status;
    if (x->kind == TREE_SCALAR) return add_condition(r, x);
    status = need_kind(r, key, x, TREE_SEQUENCE, "of equations");
    for (const tree_node *i = x->first; i && status == NOSLIP_OK; i = i->next)
        status = add_condition(r, i);
    return status;
}

/* steady: guess */

/* The symbol of a coordinate, of a rate (with its prime) or of a quasi-velocity; EXPR_NONE if there is none. */
static expr target_of(reader *r, const member *m)
{
    char name[NAME_MOST + 1];
    size_t n = m->n;
    bool prime = n > 0 && m->name[n - 1] == '\'';
    if (!name_normalise(m->name, n - prime, name)) return EXPR_NONE;
    const scope_entry *entry = scope_find(r->s->names, name);
    if (!entry || !entry->has_value || !value_is_number(&entry->v)) return EXPR_NONE;
    expr e = entry->v.at[0];
    const node *x = graph_at(r->s->g, e);
    if (x->op != OP_SYMBOL) return EXPR_NONE;
    if (x->depends == SYMBOL_COORDINATE) return prime ? graph_rate(r->s->g, e) : e;
    return x->depends == SYMBOL_QUASI && !prime ? e : EXPR_NONE;
}

static noslip_status fail_target(reader *r, const member *m)
{
    FAIL_AT(r, m->key, "'%.*s' is not a coordinate, a rate or a quasi-velocity",
            text_clip(m->name, m->n, 60), m->name);
    const char *near = scope_nearest(r->s->names, m->name);
    if (near && strcmp(near, m->name) != 0) noslip_hint(r->err, "did you mean '%s'?", near);
    return NOSLIP_ERR_CASE;
}

static noslip_status add_guess(reader *r, const member *m)
{
    case_guess g = {.target = target_of(r, m), .at = origin_of(r, m->key)};
    if (graph_status(r->s->g) != NOSLIP_OK) return noslip_fail_memory(r->err);
    if (g.target == EXPR_NONE) return fail_target(r, m);
    noslip_status status = need_value(r, m->key, m->body);
    if (status == NOSLIP_OK) status = read_number(r, m->body, OF_PARAMETERS, m->index, &g.start);
    if (status != NOSLIP_OK) return status;
    return array_push(&r->c->guess, g) ? NOSLIP_OK : noslip_fail_memory(r->err);
}

noslip_status read_steady(reader *r, const tree_node *section, const tree_node *x)
{
    static const key_info keys[] = {{"with", false}, {"guess", false}, {0}};
    noslip_status status = need_kind(r, section, x, TREE_MAPPING, "with, guess");
    if (status == NOSLIP_OK) status = check_keys(r, x, keys, "in 'steady'");
    if (status != NOSLIP_OK) return status;
    const tree_node *key, *with = find_key(x, "with", &key);
    if (with) status = read_with(r, key, with);
    const tree_node *guess = find_key(x, "guess", &key);
    if (!guess || status != NOSLIP_OK) return status;
    status = need_kind(r, key, guess, TREE_MAPPING, "name: value");
    return status == NOSLIP_OK ? each_entry(r, guess, add_guess) : status;
}

/* trace and region */

static const char *parameter_name(const void *list, size_t k)
{
    return ((const system_parameter *)list)[k].name;
}

static noslip_status read_parameter(reader *r, const tree_node *x, size_t *out)
{
    const mechanical_system *s = r->s;
    char name[NAME_MOST + 1];
    if (x->kind != TREE_SCALAR) return FAIL_AT(r, x, "the name of a parameter is wanted here");
    bool is_name = name_normalise(x->value, x->n, name);
    for (*out = 0; is_name && *out < s->parameters.n; ++*out)
        if (strcmp(s->parameters.at[*out].name, name) == 0) break;
    if (!is_name || *out == s->parameters.n) {
        FAIL_AT(r, x, "the case has no parameter '%.*s'", text_clip(x->value, x->n, 60), x->value);
        const char *near =
            nearest_name(x->value, parameter_name, s->parameters.at, s->parameters.n);
        if (near) noslip_hint(r->err, "did you mean '%s'?", near);
        return NOSLIP_ERR_CASE;
    }
    if (scope_find(s->names, name)->used_as_index)
        return FAIL_AT(r, x, "the parameter '%s' counts members or terms and cannot be varied",
                       name);
    return NOSLIP_OK;
}

static noslip_status check_range(reader *r, const tree_node *x, const case_trace *t)
{
    double end[2];
    noslip_status status =
        system_evaluate(r->s, r->c->parameters, (const expr[]){t->from, t->to}, 2, end, r->err);
    if (status == NOSLIP_NOT_FINITE) return FAIL_AT(r, x, "an end of the range is not finite");
    if (status == NOSLIP_OK && end[0] == end[1])
        return FAIL_AT(r, x, "the range is empty: 'from' equals 'to'");
    return status;
}

static noslip_status read_range(reader *r, const tree_node *key, const tree_node *x,
                                const key_info *keys, case_trace *out)
{
    noslip_status status = need_kind(r, key, x, TREE_MAPPING, "parameter, from, to");
    if (status == NOSLIP_OK) status = check_keys(r, x, keys, "in a range");
    for (int k = 0; k < 3 && status == NOSLIP_OK; k++) {
        const tree_node *name, *part = find_key(x, keys[k].name, &name);
        if (!part) return FAIL_AT(r, x, "'%s' is missing", keys[k].name);
        status = need_value(r, name, part);
    }
    if (status == NOSLIP_OK)
        status = read_parameter(r, find_key(x, "parameter", NULL), &out->parameter);
    if (status == NOSLIP_OK)
        status = read_number(r, find_key(x, "from", NULL), OF_PARAMETERS, NULL, &out->from);
    if (status == NOSLIP_OK)
        status = read_number(r, find_key(x, "to", NULL), OF_PARAMETERS, NULL, &out->to);
    if (status == NOSLIP_OK) status = check_range(r, x, out);
    out->at = origin_of(r, x);
    return status;
}

static noslip_status add_mode_name(reader *r, const tree_node *x, case_trace *t)
{
    if (x->kind != TREE_SCALAR || x->n == 0)
        return FAIL_AT(r, x, "the name of a mode is wanted here");
    for (size_t k = t->modes; k < r->c->mode_names.n; k++)
        if (strcmp(r->c->mode_names.at[k], x->value) == 0)
            return FAIL_AT(r, x, "two modes are called '%.*s'", text_clip(x->value, x->n, 60),
                           x->value);
    t->n_modes++;
    return array_push(&r->c->mode_names, x->value) ? NOSLIP_OK : noslip_fail_memory(r->err);
}

static noslip_status read_modes(reader *r, const tree_node *x, case_trace *t)
{
    const tree_node *key, *modes = find_key(x, "modes", &key);
    t->modes = r->c->mode_names.n;
    if (!modes) return NOSLIP_OK;
    noslip_status status = need_value(r, key, modes);
    if (status == NOSLIP_OK) status = need_kind(r, key, modes, TREE_SEQUENCE, "of names");
    if (status != NOSLIP_OK) return status;
    for (const tree_node *i = modes->first; i && status == NOSLIP_OK; i = i->next)
        status = add_mode_name(r, i, t);
    return status;
}

static noslip_status add_trace(reader *r, const tree_node *key, const tree_node *x)
{
    static const key_info keys[] = {
        {"parameter", false}, {"from", false}, {"to", false}, {"modes", false}, {0}};
    case_trace t = {0};
    noslip_status status = read_range(r, key, x, keys, &t);
    if (status == NOSLIP_OK) status = read_modes(r, x, &t);
    if (status != NOSLIP_OK) return status;
    return array_push(&r->c->traces, t) ? NOSLIP_OK : noslip_fail_memory(r->err);
}

static noslip_status add_region(reader *r, const tree_node *section, const tree_node *x)
{
    static const key_info keys[] = {{"x", false}, {"y", false}, {0}},
                          axis_keys[] = {{"parameter", false}, {"from", false}, {"to", false}, {0}};
    case_region g = {.at = origin_of(r, x)};
    noslip_status status = need_kind(r, section, x, TREE_MAPPING, "x, y");
    if (status == NOSLIP_OK) status = check_keys(r, x, keys, "in 'region'");
    for (int k = 0; k < 2 && status == NOSLIP_OK; k++) {
        const tree_node *key, *axis = find_key(x, keys[k].name, &key);
        if (!axis) return FAIL_AT(r, x, "'%s' is missing", keys[k].name);
        status = read_range(r, key, axis, axis_keys, k ? &g.y : &g.x);
    }
    if (status != NOSLIP_OK) return status;
    if (g.x.parameter == g.y.parameter)
        return FAIL_AT(r, find_key(x, "y", NULL),
                       "x and y of a region are two different parameters");
    return array_push(&r->c->regions, g) ? NOSLIP_OK : noslip_fail_memory(r->err);
}

/* A single one, or a list. */
static noslip_status each_item(reader *r, const tree_node *section, const tree_node *x,
                               section_reader *read)
{
    if (x->kind != TREE_SEQUENCE) return read(r, section, x);
    noslip_status status = NOSLIP_OK;
    for (const tree_node *i = x->first; i && status == NOSLIP_OK; i = i->next)
        status = read(r, section, i);
    return status;
}

noslip_status read_traces(reader *r, const tree_node *section, const tree_node *x)
{
    return each_item(r, section, x, add_trace);
}

noslip_status read_regions(reader *r, const tree_node *section, const tree_node *x)
{
    return each_item(r, section, x, add_region);
}
