/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "reader.h"
#include "text.h"

/* Overrides: "name=value" */

static noslip_status take_override(reader *r, const char *given, case_override *o)
{
    size_t n = strlen(given);
    const char *equals = strchr(given, '=');
    if (!equals) {
        noslip_fail(r->err, NOSLIP_ERR_ARG, "'%.*s' is not of the form name=value",
                    text_clip(given, n, 60), given);
        return NOSLIP_ERR_ARG;
    }
    o->bytes = noslip_malloc(n + 1);
    if (!o->bytes) return noslip_fail_memory(r->err);
    memcpy(o->bytes, given, n + 1);
    o->src = source_of_string(o->bytes);
    o->src.file = "override";
    o->equals = (size_t)(equals - given);
    return NOSLIP_OK;
}

noslip_status take_overrides(reader *r, const char *const *overrides)
{
    size_t n = 0;
    while (overrides && overrides[n]) n++;
    if (!n) return NOSLIP_OK;
    r->c->overrides = noslip_calloc(n, sizeof *r->c->overrides);
    if (!r->c->overrides) return noslip_fail_memory(r->err);
    noslip_status status = NOSLIP_OK;
    for (; r->c->n_overrides < n && status == NOSLIP_OK; r->c->n_overrides++)
        status =
            take_override(r, overrides[r->c->n_overrides], &r->c->overrides[r->c->n_overrides]);
    return status;
}

static const char *parameter_name(const void *list, size_t k)
{
    return ((const system_parameter *)list)[k].name;
}

static noslip_status fail_override(reader *r, const case_override *o, size_t from, size_t to,
                                   const char *name)
{
    int shown = text_clip(o->bytes + from, to - from, 60);
    source_fail(&o->src, from, to, r->err, NOSLIP_ERR_CASE, "the case has no parameter '%.*s'",
                shown, o->bytes + from);
    const mechanical_system *s = r->s;
    const char *near =
        name ? nearest_name(name, parameter_name, s->parameters.at, s->parameters.n) : NULL;
    if (near) noslip_hint(r->err, "did you mean '%s'?", near);
    return NOSLIP_ERR_CASE;
}

static bool find_parameter(const mechanical_system *s, const char *name, size_t *out)
{
    for (*out = 0; *out < s->parameters.n; ++*out)
        if (strcmp(s->parameters.at[*out].name, name) == 0) return true;
    return false;
}

static noslip_status find_overridden(reader *r, case_override *o)
{
    size_t from = 0, to = o->equals;
    while (from < to && o->bytes[from] == ' ') from++;
    while (to > from && o->bytes[to - 1] == ' ') to--;
    char name[NAME_MOST + 1];
    if (!name_normalise(o->bytes + from, to - from, name))
        return fail_override(r, o, from, to, NULL);
    if (!find_parameter(r->s, name, &o->parameter)) return fail_override(r, o, from, to, name);
    return NOSLIP_OK;
}

/* The override of a parameter, the last one given; NULL if there is none. */
static const case_override *override_of(const reader *r, size_t parameter)
{
    for (size_t k = r->c->n_overrides; k-- > 0;)
        if (r->c->overrides[k].parameter == parameter) return &r->c->overrides[k];
    return NULL;
}

/* Parameters of the file. First all names are declared, then formulas are built: they may stand in any order. */

static const key_info attributes[] = {
    {"value", false}, {"unit", false}, {"about", false}, {"latex", false}, {0}};

static noslip_status declare(reader *r, const tree_node *key, const tree_node *x)
{
    description d = {0};
    noslip_status status = need_value(r, key, x);
    if (status == NOSLIP_OK && x->kind == TREE_MAPPING) {
        status = check_keys(r, x, attributes, "in a parameter");
        if (status == NOSLIP_OK && !find_key(x, "value", NULL))
            status = FAIL_AT(r, key, "the parameter '%.*s' has no 'value'",
                             text_clip(key->value, key->n, 60), key->value);
        if (status == NOSLIP_OK) status = read_description(r, x, &d);
    }
    if (status == NOSLIP_OK)
        status = system_add_parameter(r->s, key->value, key->n, origin_of(r, key), r->err);
    if (status != NOSLIP_OK) return status;
    system_parameter *p = &r->s->parameters.at[r->s->parameters.n - 1];
    p->unit = d.unit;
    p->about = d.about;
    p->latex = d.latex;
    return NOSLIP_OK;
}

static const tree_node *formula_of(const tree_node *x)
{
    return x->kind == TREE_MAPPING ? find_key(x, "value", NULL) : x;
}

/* Numbers that stand as such are known as indices at once, for sums in the formulas of other parameters. */
static noslip_status note_literal(reader *r, size_t k, const char *s, size_t n)
{
    double number;
    while (n && strchr(" \t\r\n", *s)) s++, n--;
    while (n && strchr(" \t\r\n", s[n - 1])) n--;
    if (text_to_number(s, n, &number) != n || !n || number != floor(number) || number > 1e9)
        return NOSLIP_OK;
    const char *name = r->s->parameters.at[k].name;
    return scope_integer(r->s->names, name, strlen(name), (long)number, r->err);
}

static noslip_status note_literals(reader *r, const tree_node *x)
{
    noslip_status status = NOSLIP_OK;
    size_t k = 0;
    for (const tree_node *key = x->first; key && status == NOSLIP_OK; key = key->next->next, k++) {
        const case_override *o = override_of(r, k);
        const tree_node *f = formula_of(key->next);
        if (o)
            status = note_literal(r, k, o->bytes + o->equals + 1, o->src.size - o->equals - 1);
        else if (f->kind == TREE_SCALAR)
            status = note_literal(r, k, f->value, f->n);
    }
    return status;
}

static noslip_status build_parameter(reader *r, size_t k, const tree_node *x)
{
    expr e;
    const case_override *o = override_of(r, k);
    noslip_status status =
        o ? read_number_in(r, &o->src, o->equals + 1, o->src.size, OF_PARAMETERS, &e)
          : read_number(r, x, OF_PARAMETERS, NULL, &e);
    if (status != NOSLIP_OK) return status;
    r->s->parameters.at[k].formula = e;
    if (o) r->s->parameters.at[k].at = (origin){&o->src, 0, o->src.size};
    return NOSLIP_OK;
}

static noslip_status note_integers(reader *r)
{
    noslip_status status = NOSLIP_OK;
    for (size_t k = 0; k < r->s->parameters.n && status == NOSLIP_OK; k++) {
        double number = r->c->parameters[k];
        const char *name = r->s->parameters.at[k].name;
        if (number == floor(number) && fabs(number) < 1e9)
            status = scope_integer(r->s->names, name, strlen(name), (long)number, r->err);
    }
    return status;
}

noslip_status read_parameters(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = need_kind(r, section, x, TREE_MAPPING, "name: value");
    for (const tree_node *key = x->first; key && status == NOSLIP_OK; key = key->next->next)
        status = declare(r, key, key->next);
    for (size_t k = 0; k < r->c->n_overrides && status == NOSLIP_OK; k++)
        status = find_overridden(r, &r->c->overrides[k]);
    if (status == NOSLIP_OK) status = note_literals(r, x);
    size_t k = 0;
    for (const tree_node *key = x->first; key && status == NOSLIP_OK; key = key->next->next)
        status = build_parameter(r, k++, formula_of(key->next));
    if (status != NOSLIP_OK) return status;
    r->c->parameters = noslip_calloc(r->s->parameters.n, sizeof *r->c->parameters);
    if (!r->c->parameters) return noslip_fail_memory(r->err);
    status = system_evaluate_parameters(r->s, NULL, r->c->parameters, r->err);
    return status == NOSLIP_OK ? note_integers(r) : status;
}
