/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "reader.h"
#include "text.h"

/* Energies: what is written is added to what the bodies have. */
static noslip_status add_energy(reader *r, const tree_node *key, const tree_node *x,
                                unsigned allowed, expr *sum, origin *at)
{
    expr e;
    noslip_status status = need_value(r, key, x);
    if (status == NOSLIP_OK) status = read_number(r, x, allowed, NULL, &e);
    if (status != NOSLIP_OK) return status;
    *sum = expr_add(r->s->g, *sum, e);
    *at = origin_of(r, x);
    return *sum == EXPR_NONE ? noslip_fail_memory(r->err) : NOSLIP_OK;
}

noslip_status read_kinetic(reader *r, const tree_node *key, const tree_node *x)
{
    return add_energy(r, key, x, OF_MOTION, &r->s->kinetic, &r->s->kinetic_at);
}

noslip_status read_potential(reader *r, const tree_node *key, const tree_node *x)
{
    return add_energy(r, key, x, OF_POSITION, &r->s->potential, &r->s->potential_at);
}

noslip_status read_dissipation(reader *r, const tree_node *key, const tree_node *x)
{
    return add_energy(r, key, x, OF_MOTION, &r->s->dissipation, &r->s->dissipation_at);
}

/* Forces. One mapping holds both kinds: a key that is a coordinate has a formula, any other key is a label and has a point and
 * a force. A list of such mappings, or of {at, force} without labels, is the same.
 *
 *     forces:
 *       theta: -k*theta'
 *       push at the saddle: {at: saddle, force: vec(F, 0, 0)}
 */
static const key_info point_keys[] = {{"at", false}, {"force", false}, {0}};

static const char *coordinate_name(const void *list, size_t k)
{
    return ((const system_coordinate *)list)[k].name;
}

static noslip_status fail_coordinate(reader *r, const member *m)
{
    FAIL_AT(r, m->key, "'%.*s' is not a coordinate", text_clip(m->name, m->n, 60), m->name);
    const char *near =
        nearest_name(m->name, coordinate_name, r->s->coordinates.at, r->s->coordinates.n);
    if (near)
        noslip_hint(r->err, "did you mean '%s'?", near);
    else
        noslip_hint(r->err, "a force at a point is {at: vector, force: vector}");
    return NOSLIP_ERR_CASE;
}

static system_coordinate *find_coordinate(const reader *r, const member *m)
{
    char name[NAME_MOST + 1];
    const scope_entry *entry =
        name_normalise(m->name, m->n, name) ? scope_find(r->s->names, name) : NULL;
    for (size_t k = 0; entry && entry->has_value && k < r->s->coordinates.n; k++)
        if (r->s->coordinates.at[k].symbol == entry->v.at[0]) return &r->s->coordinates.at[k];
    return NULL;
}

static noslip_status add_generalised(reader *r, const member *m)
{
    expr e;
    system_coordinate *c = find_coordinate(r, m);
    if (!c) return fail_coordinate(r, m);
    noslip_status status = read_number(r, m->body, OF_MOTION, m->index, &e);
    if (status != NOSLIP_OK) return status;
    c->force = expr_add(r->s->g, c->force, e);
    return c->force == EXPR_NONE ? noslip_fail_memory(r->err) : NOSLIP_OK;
}

static noslip_status add_at_point(reader *r, const tree_node *where, const tree_node *x,
                                  const index_binding *index)
{
    value point, force;
    noslip_status status = check_keys(r, x, point_keys, "in a force");
    if (status != NOSLIP_OK) return status;
    const tree_node *at = find_key(x, "at", NULL), *by = find_key(x, "force", NULL);
    if (!at || !by) return FAIL_AT(r, where, "a force at a point needs '%s'", at ? "force" : "at");
    status = read_vector3(r, at, OF_POSITION, index, &point);
    if (status == NOSLIP_OK) status = read_vector3(r, by, OF_MOTION, index, &force);
    return status == NOSLIP_OK ? system_add_force_at(r->s, &point, &force, r->err) : status;
}

static noslip_status add_force(reader *r, const member *m)
{
    noslip_status status = need_value(r, m->key, m->body);
    if (status != NOSLIP_OK) return status;
    if (m->body->kind == TREE_MAPPING) return add_at_point(r, m->key, m->body, m->index);
    return add_generalised(r, m);
}

static noslip_status add_item(reader *r, const tree_node *x)
{
    if (x->kind != TREE_MAPPING)
        return FAIL_AT(
            r, x, "a force is wanted here: coordinate: formula, or {at: vector, force: vector}");
    const tree_node *at = find_key(x, "at", NULL), *by = find_key(x, "force", NULL);
    return at || by ? add_at_point(r, x, x, NULL) : each_entry(r, x, add_force);
}

noslip_status read_forces(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = NOSLIP_OK;
    if (x->kind != TREE_SEQUENCE) {
        status =
            need_kind(r, section, x, TREE_MAPPING, "coordinate: formula, or label: {at, force}");
        return status == NOSLIP_OK ? each_entry(r, x, add_force) : status;
    }
    for (const tree_node *i = x->first; i && status == NOSLIP_OK; i = i->next)
        status = add_item(r, i);
    return status;
}
