/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CASEFILE_READER_H
#define NOSLIP_CASEFILE_READER_H

#include "build.h"
#include "case.h"

/* What the readers of all sections share. Every function here that can fail fills r->err, with the place. */
typedef struct {
    noslip_case *c;
    mechanical_system *s;
    const source *src;
    noslip_error *err;
    size_t quasi_read; /* quasi-velocities whose formulas have been read */
} reader;

/* Kinds of symbols that may stand in a formula. */
enum {
    OF_PARAMETERS = SYMBOL_PARAMETER,
    OF_POSITION = OF_PARAMETERS + SYMBOL_COORDINATE,
    OF_MOTION = OF_POSITION + SYMBOL_RATE,
    OF_ALL = OF_MOTION + SYMBOL_QUASI,
};

/* Point at a node. */
#define FAIL_AT(r, x, ...) \
    source_fail((r)->src, (x)->from, (x)->to, (r)->err, NOSLIP_ERR_CASE, __VA_ARGS__)

static inline origin origin_of(const reader *r, const tree_node *x)
{
    return (origin){.src = r->src, .from = x->from, .to = x->to};
}

/* keys.c: mappings */

typedef struct {
    const char *name;
    bool later; /* has its meaning, but not in this version */
} key_info;

/* Every key is one of a list that ends in a NULL name. `where` ends the sentence "unknown key 'x' ...", e.g. "in a body". */
noslip_status check_keys(reader *r, const tree_node *mapping, const key_info *known,
                         const char *where);

/* The value of a key, NULL if there is none; *key (may be NULL) takes the key itself. */
const tree_node *find_key(const tree_node *mapping, const char *name, const tree_node **key);

/* A node is of the kind wanted: "'bodies' must be a mapping (label: body), this is a list". `form` stands in the parentheses. */
noslip_status need_kind(reader *r, const tree_node *key, const tree_node *x, tree_kind kind,
                        const char *form);

/* A key with nothing behind it. */
bool is_empty(const tree_node *x);

/* A key must have a value. */
noslip_status need_value(reader *r, const tree_node *key, const tree_node *x);

/* The nearest of n names to one that is not among them, NULL if none is near; name_at gives them. */
const char *nearest_name(const char *name, const char *(*name_at)(const void *, size_t),
                         const void *list, size_t n);

/* unit, about, latex of a parameter or a coordinate; the texts live as long as the case. */
typedef struct {
    const char *unit, *about, *latex;
} description;
noslip_status read_description(reader *r, const tree_node *mapping, description *out);

/* formulas.c: formulas at nodes */

/* A scalar is a formula; a list of numbers is a vector, a list of lists a matrix, row by row. */
noslip_status read_value(reader *r, const tree_node *x, unsigned allowed,
                         const index_binding *index, value *out);
noslip_status read_number(reader *r, const tree_node *x, unsigned allowed,
                          const index_binding *index, expr *out);
noslip_status read_vector3(reader *r, const tree_node *x, unsigned allowed,
                           const index_binding *index, value *out);

/* lhs = rhs gives lhs - rhs. */
noslip_status read_equation(reader *r, const tree_node *x, unsigned allowed,
                            const index_binding *index, expr *out);

/* A whole number known in advance: a piece of the value of node x, e.g. a bound of a family. */
noslip_status read_integer(reader *r, const tree_node *x, size_t from, size_t to, long *out);

/* A formula in another source. */
noslip_status read_number_in(reader *r, const source *src, size_t from, size_t to, unsigned allowed,
                             expr *out);

enum { SHAPE_WORDS = 24 };
const char *shape_words(const value *v, char out[SHAPE_WORDS]); /* "a vector of 3" */

/* family.c: x[i=1..N] */

typedef struct {
    const char
        *name; /* "x[3]"; of what is no family, the key as it is. Lives as long as the case. */
    size_t n;
    const tree_node *key;
    const tree_node *body; /* what stands behind the key; NULL if it is not part of a mapping */
    const index_binding *index; /* NULL if this is no member of a family */
} member;

typedef noslip_status (*member_reader)(reader *r, const member *m);

enum { FAMILY_LARGEST = 20000 };

/* Read a key that may be a family: once for each member, the index bound to its number. */
noslip_status each_member(reader *r, const tree_node *key, const tree_node *body,
                          member_reader read);

/* The same for every key of a mapping. */
noslip_status each_entry(reader *r, const tree_node *mapping, member_reader read);

/* An error of the scope has words but no place: give it that of a node. */
noslip_status point_at(reader *r, const tree_node *x, noslip_status status);

/* Sections. Each takes the key, for messages, and what stands behind it. */
typedef noslip_status section_reader(reader *r, const tree_node *key, const tree_node *x);
section_reader read_parameters, read_coordinates, read_definitions, read_gravity, read_bodies,
    read_kinetic, read_potential, read_dissipation, read_forces, read_constraints,
    declare_quasi_velocities, read_quasi_velocities, read_steady, read_traces, read_regions;

/* Overrides are told before parameters are read, and must then all have found theirs. */
noslip_status take_overrides(reader *r, const char *const *overrides);

#endif
