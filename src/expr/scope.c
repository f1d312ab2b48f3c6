/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scope.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "text.h"

struct scope {
    graph *g;
    ARRAY(scope_entry) entries;
    uint32_t *table; /* entry + 1 by hash; 0 is empty */
    size_t slots;
};

scope *scope_new(graph *g)
{
    scope *s = noslip_calloc(1, sizeof *s);
    if (s) s->g = g;
    return s;
}

void scope_free(scope *s)
{
    if (!s) return;
    for (size_t k = 0; k < s->entries.n; k++) noslip_free((char *)s->entries.at[k].name);
    array_free(&s->entries);
    noslip_free(s->table);
    noslip_free(s);
}

graph *scope_graph(const scope *s)
{
    return s->g;
}

/* FNV-1a */
static size_t hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return (size_t)(h ^ (h >> 32));
}

static uint32_t *slot(const scope *s, const char *name)
{
    size_t k = hash(name) & (s->slots - 1);
    while (s->table[k] && strcmp(s->entries.at[s->table[k] - 1].name, name) != 0)
        k = (k + 1) & (s->slots - 1);
    return &s->table[k];
}

scope_entry *scope_find(const scope *s, const char *name)
{
    uint32_t *where = s->slots ? slot(s, name) : NULL;
    return where && *where ? &s->entries.at[*where - 1] : NULL;
}

static bool grow(scope *s)
{
    if (2 * (s->entries.n + 1) <= s->slots) return true;
    size_t slots = s->slots ? 2 * s->slots : 32;
    uint32_t *table = noslip_calloc(slots, sizeof *table);
    if (!table) return false;
    noslip_free(s->table);
    s->table = table;
    s->slots = slots;
    for (size_t k = 0; k < s->entries.n; k++) *slot(s, s->entries.at[k].name) = (uint32_t)k + 1;
    return true;
}

/* A name, or a member of a family: a name and a whole number in brackets. */
static bool is_well_formed(const char *s, size_t n)
{
    size_t length = name_length(s, n);
    if (length == 0) return false;
    if (length == n) return true;
    if (s[length++] != '[' || s[n - 1] != ']') return false;
    if (length < n && s[length] == '-') length++;
    size_t digits = length;
    while (digits < n && s[digits] >= '0' && s[digits] <= '9') digits++;
    return digits > length && digits - length <= 15 && digits == n - 1;
}

static noslip_status check_name(const char *name, size_t n, char normal[NAME_MOST + 1],
                                noslip_error *err)
{
    int shown = text_clip(name, n, 60);
    if (!is_well_formed(name, n)) {
        noslip_fail(err, NOSLIP_ERR_FORMULA, "'%.*s' is not a name", shown, name);
        noslip_hint(err, "a name is a letter followed by letters, digits and _");
        return NOSLIP_ERR_FORMULA;
    }
    if (!name_normalise(name, n, normal))
        return noslip_fail(err, NOSLIP_ERR_FORMULA, "the name '%.*s...' is too long", shown, name);
    char *bracket = strchr(normal, '[');
    if (bracket) /* x[07] is x[7] */
        snprintf(bracket, (size_t)(NAME_MOST + 1 - (bracket - normal)), "[%ld]",
                 strtol(bracket + 1, NULL, 10));
    if (function_find(normal, strlen(normal)))
        return noslip_fail(err, NOSLIP_ERR_FORMULA, "'%s' is the name of a function", normal);
    if (strcmp(normal, "pi") == 0)
        return noslip_fail(err, NOSLIP_ERR_FORMULA, "'pi' has its meaning already");
    return NOSLIP_OK;
}

/* The entry of a name, made if there is none. */
static noslip_status enter(scope *s, const char *name, size_t n, scope_entry **out,
                           noslip_error *err)
{
    char normal[NAME_MOST + 1];
    noslip_status status = check_name(name, n, normal, err);
    if (status != NOSLIP_OK) return status;
    *out = scope_find(s, normal);
    if (*out) return NOSLIP_OK;

    size_t bytes = strlen(normal) + 1;
    char *copy = noslip_malloc(bytes);
    if (!copy || !grow(s) || !array_room(&s->entries, 1)) {
        noslip_free(copy);
        return noslip_fail_memory(err);
    }
    memcpy(copy, normal, bytes);
    *slot(s, copy) = (uint32_t)s->entries.n + 1;
    s->entries.at[s->entries.n++] = (scope_entry){.name = copy};
    *out = &s->entries.at[s->entries.n - 1];
    return NOSLIP_OK;
}

static noslip_status enter_value(scope *s, const char *name, size_t n, scope_entry **out,
                                 noslip_error *err)
{
    noslip_status status = enter(s, name, n, out, err);
    if (status == NOSLIP_OK && (*out)->has_value)
        return noslip_fail(err, NOSLIP_ERR_FORMULA, "'%s' is defined already", (*out)->name);
    return status;
}

noslip_status scope_define(scope *s, const char *name, size_t n, const value *v, noslip_error *err)
{
    scope_entry *entry;
    noslip_status status = enter_value(s, name, n, &entry, err);
    if (status != NOSLIP_OK) return status;
    entry->v = *v;
    entry->has_value = true;
    return NOSLIP_OK;
}

noslip_status scope_symbol(scope *s, const char *name, size_t n, symbol_kind kind,
                           noslip_error *err)
{
    scope_entry *entry;
    noslip_status status = enter_value(s, name, n, &entry, err);
    if (status != NOSLIP_OK) return status;
    expr e = graph_symbol(s->g, entry->name, kind);
    if (e == EXPR_NONE) return noslip_fail_memory(err);
    entry->v = value_number(e);
    entry->has_value = true;
    return NOSLIP_OK;
}

noslip_status scope_integer(scope *s, const char *name, size_t n, long integer, noslip_error *err)
{
    scope_entry *entry;
    noslip_status status = enter(s, name, n, &entry, err);
    if (status != NOSLIP_OK) return status;
    entry->integer = integer;
    entry->has_integer = true;
    return NOSLIP_OK;
}

const char *scope_nearest(const scope *s, const char *name)
{
    const char *best = NULL;
    size_t n = strlen(name);
    int nearest = name_tolerance(name, n) + 1;
    for (size_t k = 0; k < s->entries.n; k++) {
        const char *known = s->entries.at[k].name;
        int d = text_distance(name, n, known, strlen(known), nearest - 1);
        if (d >= nearest) continue;
        nearest = d;
        best = known;
    }
    return best;
}

bool scope_family(const scope *s, const char *family, long *low, long *high)
{
    size_t n = strlen(family);
    bool found = false;
    for (size_t k = 0; k < s->entries.n; k++) {
        const char *name = s->entries.at[k].name;
        if (strncmp(name, family, n) != 0 || name[n] != '[') continue;
        long index = strtol(name + n + 1, NULL, 10);
        if (!found || index < *low) *low = index;
        if (!found || index > *high) *high = index;
        found = true;
    }
    return found;
}
