/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "reader.h"
#include "text.h"

/* Coordinates: a list of names, of `name: {unit, about, latex}` or of `{name: .., unit: ..}`; or a mapping of the second form. */

static const key_info attributes[] = {{"unit", false}, {"about", false}, {"latex", false}, {0}};
static const key_info attributes_with_name[] = {
    {"name", false}, {"unit", false}, {"about", false}, {"latex", false}, {0}};

/* m->body is the mapping that describes the coordinate, or NULL. */
static noslip_status add_coordinate(reader *r, const member *m)
{
    description d = {0};
    noslip_status status = m->body ? read_description(r, m->body, &d) : NOSLIP_OK;
    if (status == NOSLIP_OK)
        status = system_add_coordinate(r->s, m->name, m->n, origin_of(r, m->key), r->err);
    if (status != NOSLIP_OK) return status;
    system_coordinate *c = &r->s->coordinates.at[r->s->coordinates.n - 1];
    c->unit = d.unit;
    c->about = d.about;
    c->latex = d.latex;
    return NOSLIP_OK;
}

static noslip_status add_described(reader *r, const tree_node *key, const tree_node *x)
{
    if (is_empty(x)) return each_member(r, key, NULL, add_coordinate);
    noslip_status status = need_kind(r, key, x, TREE_MAPPING, "unit, about, latex");
    if (status == NOSLIP_OK) status = check_keys(r, x, attributes, "in a coordinate");
    return status == NOSLIP_OK ? each_member(r, key, x, add_coordinate) : status;
}

static noslip_status add_each_described(reader *r, const tree_node *mapping)
{
    noslip_status status = NOSLIP_OK;
    for (const tree_node *key = mapping->first; key && status == NOSLIP_OK; key = key->next->next)
        status = add_described(r, key, key->next);
    return status;
}

static noslip_status add_item(reader *r, const tree_node *x)
{
    if (x->kind == TREE_SEQUENCE)
        return FAIL_AT(r, x, "the name of a coordinate is wanted here, this is a list");
    if (x->kind == TREE_SCALAR) {
        if (is_empty(x)) return FAIL_AT(r, x, "the name of a coordinate is missing");
        return each_member(r, x, NULL, add_coordinate);
    }
    const tree_node *name = find_key(x, "name", NULL);
    if (!name || name->kind != TREE_SCALAR) return add_each_described(r, x);
    noslip_status status = check_keys(r, x, attributes_with_name, "in a coordinate");
    return status == NOSLIP_OK ? each_member(r, name, x, add_coordinate) : status;
}

noslip_status read_coordinates(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = NOSLIP_OK;
    if (x->kind == TREE_MAPPING)
        status = add_each_described(r, x);
    else
        status = need_kind(r, section, x, TREE_SEQUENCE, "of names");
    if (x->kind == TREE_SEQUENCE)
        for (const tree_node *i = x->first; i && status == NOSLIP_OK; i = i->next)
            status = add_item(r, i);
    if (status == NOSLIP_OK && !r->s->coordinates.n)
        return FAIL_AT(r, section, "there are no coordinates");
    return status;
}

/* Definitions */

static noslip_status add_definition(reader *r, const member *m)
{
    value v;
    noslip_status status = need_value(r, m->key, m->body);
    if (status == NOSLIP_OK) status = read_value(r, m->body, OF_MOTION, m->index, &v);
    if (status != NOSLIP_OK) return status;
    return point_at(r, m->key, scope_define(r->s->names, m->name, m->n, &v, r->err));
}

noslip_status read_definitions(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = need_kind(r, section, x, TREE_MAPPING, "name: formula");
    return status == NOSLIP_OK ? each_entry(r, x, add_definition) : status;
}

/* Quasi-velocities. Their names are taken early, so that nothing else takes them and a formula that uses one where it may not
 * is told so; their formulas are read after all definitions. */

static noslip_status declare_quasi(reader *r, const member *m)
{
    return system_add_quasi(r->s, m->name, m->n, graph_const(r->s->g, 0), origin_of(r, m->key),
                            r->err);
}

noslip_status declare_quasi_velocities(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = need_kind(r, section, x, TREE_MAPPING, "name: formula");
    return status == NOSLIP_OK ? each_entry(r, x, declare_quasi) : status;
}

static noslip_status read_quasi(reader *r, const member *m)
{
    expr e;
    noslip_status status = need_value(r, m->key, m->body);
    if (status == NOSLIP_OK) status = read_number(r, m->body, OF_MOTION, m->index, &e);
    if (status != NOSLIP_OK) return status;
    if (!(graph_at(r->s->g, e)->depends & SYMBOL_RATE))
        return FAIL_AT(r, m->body, "the quasi-velocity '%s' contains no rate", m->name);
    system_quasi *w = &r->s->quasi.at[r->quasi_read++]; /* the order is that of the declarations */
    w->form = e;
    w->at = origin_of(r, m->body);
    return NOSLIP_OK;
}

noslip_status read_quasi_velocities(reader *r, const tree_node *section, const tree_node *x)
{
    (void)section;
    return each_entry(r, x, read_quasi);
}
