/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "case.h"

#include <string.h>

#include "alloc.h"
#include "file.h"
#include "reader.h"
#include "text.h"

static noslip_status read_title(reader *r, const tree_node *key, const tree_node *x)
{
    noslip_status status = need_value(r, key, x);
    if (status == NOSLIP_OK && x->kind != TREE_SCALAR)
        return FAIL_AT(r, x, "'title' must be a text");
    r->c->title = x->value;
    return status;
}

/* In the order in which they are read, whatever the order in the file: names before the formulas that use them. A section may
 * be read in two goes. */
static const struct {
    const char *name;
    section_reader *read;
} sections[] = {
    {"title", read_title},
    {"parameters", read_parameters},
    {"coordinates", read_coordinates},
    {"quasi-velocities", declare_quasi_velocities},
    {"define", read_definitions},
    {"gravity", read_gravity},
    {"bodies", read_bodies},
    {"kinetic", read_kinetic},
    {"potential", read_potential},
    {"dissipation", read_dissipation},
    {"forces", read_forces},
    {"constraints", read_constraints},
    {"quasi-velocities", read_quasi_velocities},
    {"steady", read_steady},
    {"trace", read_traces},
    {"region", read_regions},
};

static const key_info section_keys[] = {
    {"title", false},       {"parameters", false},
    {"coordinates", false}, {"quasi-velocities", false},
    {"define", false},      {"gravity", false},
    {"bodies", false},      {"kinetic", false},
    {"potential", false},   {"dissipation", false},
    {"forces", false},      {"constraints", false},
    {"steady", false},      {"trace", false},
    {"region", false},      {"states", true},
    {"flow", true},         {"admissible", true},
    {"events", true},       {0},
};

/* The beginning of the file, for what is missing in it. */
static tree_node beginning(const tree_node *root)
{
    tree_node at = {.from = root->from, .to = root->to};
    if (root->first) at.to = root->first->to;
    return at;
}

static noslip_status check_root(reader *r, const tree_node *root)
{
    if (is_empty(root)) return FAIL_AT(r, root, "the file is empty");
    if (root->kind != TREE_MAPPING)
        return FAIL_AT(
            r, root,
            "a case file is a mapping of sections (parameters: .., coordinates: ..), this is a %s",
            root->kind == TREE_SEQUENCE ? "list" : "text");
    noslip_status status = check_keys(r, root, section_keys, "in a case file");
    if (status != NOSLIP_OK) return status;
    const tree_node at = beginning(root);
    if (!find_key(root, "coordinates", NULL))
        return FAIL_AT(r, &at, "the case has no 'coordinates'");
    if (find_key(root, "kinetic", NULL) || find_key(root, "bodies", NULL)) return NOSLIP_OK;
    return FAIL_AT(r, &at, "the case has neither 'kinetic' nor 'bodies'");
}

/* Overrides are looked at with the parameters; without these none can be right. There is a block of no values all the same, which may be
 * copied from. */
static noslip_status check_parameters(reader *r, const tree_node *root)
{
    if (find_key(root, "parameters", NULL)) return NOSLIP_OK;
    if (r->c->n_overrides) {
        const case_override *o = &r->c->overrides[0];
        return source_fail(&o->src, 0, o->equals, r->err, NOSLIP_ERR_CASE,
                           "the case has no parameters");
    }
    r->c->parameters = noslip_calloc(0, sizeof *r->c->parameters);
    return r->c->parameters ? NOSLIP_OK : noslip_fail_memory(r->err);
}

static noslip_status check_kinetic(reader *r)
{
    if (graph_status(r->s->g) != NOSLIP_OK) return noslip_fail_memory(r->err);
    if (graph_at(r->s->g, r->s->kinetic)->depends & SYMBOL_RATE) return NOSLIP_OK;
    const origin at = r->s->kinetic_at;
    return source_fail(at.src, at.from, at.to, r->err, NOSLIP_ERR_CASE,
                       "the kinetic energy contains no rate");
}

static noslip_status read_sections(reader *r)
{
    const tree_node *root = r->c->t.root;
    noslip_status status = check_root(r, root);
    if (status == NOSLIP_OK) status = check_parameters(r, root);
    for (size_t k = 0; k < sizeof sections / sizeof *sections && status == NOSLIP_OK; k++) {
        const tree_node *key, *x = find_key(root, sections[k].name, &key);
        if (x) status = sections[k].read(r, key, x);
    }
    return status == NOSLIP_OK ? check_kinetic(r) : status;
}

static char *copy(const char *bytes, size_t n)
{
    char *out = noslip_malloc(n + 1);
    if (!out) return NULL;
    if (n) memcpy(out, bytes, n);
    out[n] = '\0';
    return out;
}

/* What is built takes over `bytes`, also when it fails. */
static noslip_status read_owned(const char *name, char *bytes, size_t n,
                                const char *const *overrides, noslip_case **out, noslip_error *err)
{
    noslip_case *c = noslip_calloc(1, sizeof *c);
    if (!c) {
        noslip_free(bytes);
        return noslip_fail_memory(err);
    }
    c->bytes = bytes;
    c->title = "";
    c->file = copy(name, strlen(name));
    c->system = system_new();
    if (!c->file || !c->system) {
        case_free(c);
        return noslip_fail_memory(err);
    }
    size_t mark = n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    c->src =
        (source){.file = c->file, .text = bytes + mark, .size = n - mark, .line = 1, .column = 1};
    reader r = {.c = c, .s = c->system, .src = &c->src, .err = err};
    noslip_status status = take_overrides(&r, overrides);
    if (status == NOSLIP_OK) status = tree_read(&c->src, &c->t, err);
    if (status == NOSLIP_OK) status = read_sections(&r);
    if (status == NOSLIP_OK)
        *out = c;
    else
        case_free(c);
    return status;
}

noslip_status case_read_bytes(const char *name, const char *bytes, size_t n,
                              const char *const *overrides, noslip_case **out, noslip_error *err)
{
    if (n > CASE_LARGEST)
        return noslip_fail(err, NOSLIP_ERR_CASE,
                           "the case has %zu bytes, more than the %d that are allowed", n,
                           CASE_LARGEST);
    char *own = copy(bytes, n);
    return own ? read_owned(name, own, n, overrides, out, err) : noslip_fail_memory(err);
}

noslip_status case_read(const char *path, const char *const *overrides, noslip_case **out,
                        noslip_error *err)
{
    char *bytes;
    size_t n;
    noslip_status status = file_read(path, CASE_LARGEST, &bytes, &n, err);
    return status == NOSLIP_OK ? read_owned(path, bytes, n, overrides, out, err) : status;
}

void case_free(noslip_case *c)
{
    if (!c) return;
    array_free(&c->conditions);
    array_free(&c->guess);
    array_free(&c->traces);
    array_free(&c->regions);
    array_free(&c->mode_names);
    for (size_t k = 0; k < c->n_overrides; k++) noslip_free(c->overrides[k].bytes);
    noslip_free(c->overrides);
    for (size_t k = 0; k < c->strings.n; k++) noslip_free(c->strings.at[k]);
    array_free(&c->strings);
    noslip_free(c->parameters);
    system_free(c->system);
    tree_free(&c->t);
    noslip_free(c->bytes);
    noslip_free(c->file);
    noslip_free(c);
}
