/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "reader.h"
#include "text.h"

static const char *kind_words(const tree_node *x)
{
    return x->kind == TREE_MAPPING ? "a mapping" : x->kind == TREE_SEQUENCE ? "a list" : "a text";
}

bool is_empty(const tree_node *x)
{
    return x->kind == TREE_SCALAR && x->plain && x->n == 0;
}

noslip_status need_value(reader *r, const tree_node *key, const tree_node *x)
{
    if (!is_empty(x)) return NOSLIP_OK;
    return FAIL_AT(r, key, "'%.*s' has no value", text_clip(key->value, key->n, 60), key->value);
}

noslip_status need_kind(reader *r, const tree_node *key, const tree_node *x, tree_kind kind,
                        const char *form)
{
    if (x->kind == kind) return NOSLIP_OK;
    noslip_status status = need_value(r, key, x);
    if (status != NOSLIP_OK) return status;
    const tree_node wanted = {.kind = kind};
    return FAIL_AT(r, x, "'%.*s' must be %s (%s), this is %s", text_clip(key->value, key->n, 60),
                   key->value, kind_words(&wanted), form, kind_words(x));
}

const tree_node *find_key(const tree_node *mapping, const char *name, const tree_node **key)
{
    for (const tree_node *k = mapping->first; k; k = k->next->next) {
        if (strcmp(k->value, name) != 0) continue;
        if (key) *key = k;
        return k->next;
    }
    return NULL;
}

const char *nearest_name(const char *name, const char *(*name_at)(const void *, size_t),
                         const void *list, size_t n)
{
    const char *best = NULL;
    size_t length = strlen(name);
    int nearest = name_tolerance(name, length) + 1;
    for (size_t k = 0; k < n; k++) {
        const char *known = name_at(list, k);
        int d = text_distance(name, length, known, strlen(known), nearest - 1);
        if (d >= nearest) continue;
        nearest = d;
        best = known;
    }
    return best;
}

static const char *key_name(const void *list, size_t k)
{
    return ((const key_info *)list)[k].name;
}

static noslip_status check_key(reader *r, const tree_node *key, const key_info *known,
                               const char *where)
{
    size_t n = 0;
    for (; known[n].name; n++) {
        if (strcmp(known[n].name, key->value) != 0) continue;
        return known[n].later ? FAIL_AT(r, key, "'%s' is not available yet", key->value)
                              : NOSLIP_OK;
    }
    FAIL_AT(r, key, "unknown key '%.*s' %s", text_clip(key->value, key->n, 60), key->value, where);
    const char *near = nearest_name(key->value, key_name, known, n);
    if (near) noslip_hint(r->err, "did you mean '%s'?", near);
    return NOSLIP_ERR_CASE;
}

noslip_status check_keys(reader *r, const tree_node *mapping, const key_info *known,
                         const char *where)
{
    noslip_status status = NOSLIP_OK;
    for (const tree_node *key = mapping->first; key && status == NOSLIP_OK; key = key->next->next)
        status = check_key(r, key, known, where);
    return status;
}

static noslip_status read_text(reader *r, const tree_node *mapping, const char *name,
                               const char **out)
{
    const tree_node *key, *x = find_key(mapping, name, &key);
    if (!x) return NOSLIP_OK;
    if (x->kind != TREE_SCALAR)
        return FAIL_AT(r, x, "'%s' must be a text, this is %s", name, kind_words(x));
    *out = x->value;
    return need_value(r, key, x);
}

noslip_status read_description(reader *r, const tree_node *mapping, description *out)
{
    noslip_status status = read_text(r, mapping, "unit", &out->unit);
    if (status == NOSLIP_OK) status = read_text(r, mapping, "about", &out->about);
    if (status == NOSLIP_OK) status = read_text(r, mapping, "latex", &out->latex);
    return status;
}
