/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "reader.h"
#include "tape.h"

static const key_info body_keys[] = {{"mass", false}, {"position", false}, {"rotation", false},
                                     {"spin", false}, {"inertia", false},  {0}};

static value zero_vector(graph *g)
{
    expr zero = graph_const(g, 0);
    return value_vector((const expr[]){zero, zero, zero}, 3);
}

static value diagonal(graph *g, const expr e[3])
{
    value m = {.rows = 3, .cols = 3};
    for (int k = 0; k < 9; k++) m.at[k] = k % 4 == 0 ? e[k / 4] : graph_const(g, 0);
    return m;
}

static value identity(graph *g)
{
    expr one = graph_const(g, 1);
    return diagonal(g, (const expr[]){one, one, one});
}

static noslip_status fail_shape(reader *r, const tree_node *x, const value *v, const char *wanted)
{
    char words[SHAPE_WORDS];
    return FAIL_AT(r, x, "%s is wanted here, this is %s", wanted, shape_words(v, words));
}

/* By value, as formulas that mean the same can look different. */
static noslip_status check_symmetric(reader *r, const tree_node *x, const value *m)
{
    static const int upper[3] = {1, 2, 5}, lower[3] = {3, 6, 7};
    double at[9], largest = 0;
    noslip_status status = system_evaluate(r->s, r->c->parameters, m->at, 9, at, r->err);
    if (status == NOSLIP_NOT_FINITE)
        return FAIL_AT(r, x, "the inertia is not finite at the values of the parameters");
    if (status != NOSLIP_OK) return status;
    for (int k = 0; k < 9; k++) largest = fmax(largest, fabs(at[k]));
    for (int k = 0; k < 3; k++)
        if (fabs(at[upper[k]] - at[lower[k]]) > 1e-12 * largest)
            return FAIL_AT(r, x, "the inertia is not symmetric");
    return NOSLIP_OK;
}

static noslip_status read_inertia(reader *r, const tree_node *x, const index_binding *index,
                                  value *out)
{
    value v;
    noslip_status status = read_value(r, x, OF_PARAMETERS, index, &v);
    if (status != NOSLIP_OK) return status;
    if (v.rows == 3 && v.cols == 1)
        *out = diagonal(r->s->g, v.at);
    else if (v.rows == 3 && v.cols == 3)
        *out = v;
    else
        return fail_shape(r, x, &v, "an inertia of three principal values or of 3 x 3 elements");
    return check_symmetric(r, x, out);
}

/* Whether a matrix that is not made of rotx, roty, rotz alone is a rotation, is tried at one point: odd numbers for the
 * coordinates, the case's values for the parameters. *off takes the largest entry of R'R - 1. */
static noslip_status measure_rotation(reader *r, const value *m, double *off)
{
    const mechanical_system *s = r->s;
    size_t n_p = s->parameters.n, n = n_p + s->coordinates.n;
    expr *in = noslip_calloc(n, sizeof *in);
    double *at = noslip_calloc(n, sizeof *at), R[9] = {0};
    tape *t = NULL;
    tape_work *w = NULL;
    noslip_status status = in && at ? NOSLIP_OK : noslip_fail_memory(r->err);
    for (size_t k = 0; status == NOSLIP_OK && k < n; k++) {
        in[k] = k < n_p ? s->parameters.at[k].symbol : s->coordinates.at[k - n_p].symbol;
        at[k] = k < n_p ? r->c->parameters[k] : 0.37 + 0.119 * (double)(k % 7);
    }
    const tape_spec spec = {.in = in, .n_in = n, .out = m->at, .n_out = 9};
    if (status == NOSLIP_OK) status = tape_compile(s->g, &spec, &t, r->err);
    if (status == NOSLIP_OK && !(w = tape_work_new(t))) status = noslip_fail_memory(r->err);
    if (status == NOSLIP_OK) status = tape_point(w, at, R);
    *off = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            *off = fmax(*off,
                        fabs(R[i] * R[k] + R[3 + i] * R[3 + k] + R[6 + i] * R[6 + k] - (i == k)));
    tape_work_free(w);
    tape_free(t);
    noslip_free(in);
    noslip_free(at);
    return status;
}

static noslip_status read_rotation(reader *r, const tree_node *x, const index_binding *index,
                                   value *out)
{
    double off;
    noslip_status status = read_value(r, x, OF_POSITION, index, out);
    if (status != NOSLIP_OK) return status;
    if (out->rows != 3 || out->cols != 3)
        return fail_shape(r, x, out, "a rotation (a 3 x 3 matrix)");
    if (out->turns) return NOSLIP_OK;
    status = measure_rotation(r, out, &off);
    if (status == NOSLIP_NOT_FINITE) return NOSLIP_OK; /* nothing can be said at that point */
    if (status == NOSLIP_OK && off > 1e-9) return FAIL_AT(r, x, "this matrix is not a rotation");
    return status;
}

/* The nodes of a body; NULL where a key is absent. */
typedef struct {
    const tree_node *mass, *position, *rotation, *spin, *inertia;
} body_nodes;

static body_nodes nodes_of(const tree_node *x)
{
    return (body_nodes){find_key(x, "mass", NULL), find_key(x, "position", NULL),
                        find_key(x, "rotation", NULL), find_key(x, "spin", NULL),
                        find_key(x, "inertia", NULL)};
}

static noslip_status fail_missing(reader *r, const member *m, const char *what)
{
    return FAIL_AT(r, m->key, "the body '%s' has no '%s'", m->name, what);
}

/* Nothing may be given that has no effect. */
static noslip_status check_complete(reader *r, const member *m, const body_nodes *b)
{
    if (!b->mass) return fail_missing(r, m, "mass");
    bool turns = b->rotation || b->spin;
    if (turns && !b->inertia) {
        FAIL_AT(r, m->key, "the body '%s' turns, but has no 'inertia'", m->name);
        noslip_hint(r->err, "a point mass has a mass and a position only");
        return NOSLIP_ERR_CASE;
    }
    if (b->inertia && !turns) return fail_missing(r, m, "rotation");
    return NOSLIP_OK;
}

static noslip_status read_parts(reader *r, const member *m, const body_nodes *b, rigid_body *out)
{
    double mass;
    noslip_status status = read_number(r, b->mass, OF_PARAMETERS, m->index, &out->mass);
    if (status == NOSLIP_OK && !b->position &&
        !(graph_is_const(r->s->g, out->mass, &mass) && mass == 0))
        return fail_missing(r, m, "position");
    if (status == NOSLIP_OK && b->position)
        status = read_vector3(r, b->position, OF_POSITION, m->index, &out->position);
    if (status == NOSLIP_OK && b->rotation)
        status = read_rotation(r, b->rotation, m->index, &out->rotation);
    if (status == NOSLIP_OK && b->spin)
        status = read_vector3(r, b->spin, OF_MOTION, m->index, &out->spin);
    if (status == NOSLIP_OK && b->inertia)
        status = read_inertia(r, b->inertia, m->index, &out->inertia);
    return status;
}

static noslip_status read_body(reader *r, const member *m)
{
    graph *g = r->s->g;
    noslip_status status =
        need_kind(r, m->key, m->body, TREE_MAPPING, "mass, position, rotation, spin, inertia");
    if (status == NOSLIP_OK) status = check_keys(r, m->body, body_keys, "in a body");
    if (status != NOSLIP_OK) return status;
    for (const tree_node *key = m->body->first; key && status == NOSLIP_OK; key = key->next->next)
        status = need_value(r, key, key->next);
    const body_nodes nodes = nodes_of(m->body);
    if (status == NOSLIP_OK) status = check_complete(r, m, &nodes);
    rigid_body body = {.position = zero_vector(g), .rotation = identity(g), .spin = zero_vector(g)};
    const expr zero = graph_const(g, 0);
    body.inertia = diagonal(g, (const expr[]){zero, zero, zero});
    if (status == NOSLIP_OK) status = read_parts(r, m, &nodes, &body);
    return status == NOSLIP_OK ? system_add_body(r->s, &body, r->err) : status;
}

noslip_status read_bodies(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = need_kind(r, section, x, TREE_MAPPING, "label: body");
    if (status != NOSLIP_OK) return status;
    r->s->kinetic_at = r->s->potential_at = origin_of(r, section);
    return each_entry(r, x, read_body);
}

noslip_status read_gravity(reader *r, const tree_node *section, const tree_node *x)
{
    noslip_status status = need_value(r, section, x);
    return status == NOSLIP_OK ? read_vector3(r, x, OF_PARAMETERS, NULL, &r->s->gravity) : status;
}
