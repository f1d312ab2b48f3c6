/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reader.h"

static const key_info constraint_keys[] = {{"equation", false},
                                           {"one-sided", true},
                                           {"reaction", true},
                                           {"stabilise", true},
                                           {"model", true},
                                           {"inertial", true},
                                           {0}};

static noslip_status equation_of(reader *r, const member *m, const tree_node **out)
{
    *out = m->body;
    if (m->body->kind == TREE_SCALAR) return need_value(r, m->key, m->body);
    noslip_status status = need_kind(r, m->key, m->body, TREE_MAPPING, "equation: lhs = rhs");
    if (status == NOSLIP_OK) status = check_keys(r, m->body, constraint_keys, "in a constraint");
    if (status != NOSLIP_OK) return status;
    const tree_node *key;
    *out = find_key(m->body, "equation", &key);
    if (!*out) return FAIL_AT(r, m->key, "the constraint '%s' has no 'equation'", m->name);
    return need_value(r, key, *out);
}

static noslip_status read_constraint(reader *r, const member *m)
{
    const tree_node *x;
    system_constraint c = {.label = m->name};
    noslip_status status = equation_of(r, m, &x);
    if (status == NOSLIP_OK) status = read_equation(r, x, OF_MOTION, m->index, &c.e);
    if (status != NOSLIP_OK) return status;
    if (!(graph_at(r->s->g, c.e)->depends & (SYMBOL_COORDINATE | SYMBOL_RATE)))
        return FAIL_AT(r, x, "the constraint '%s' contains neither a coordinate nor a rate",
                       m->name);
    c.at = origin_of(r, x);
    return array_push(&r->s->constraints, c) ? NOSLIP_OK : noslip_fail_memory(r->err);
}

noslip_status read_constraints(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = need_kind(r, section, x, TREE_MAPPING, "label: lhs = rhs");
    return status == NOSLIP_OK ? each_entry(r, x, read_constraint) : status;
}
