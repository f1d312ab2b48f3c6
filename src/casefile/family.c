/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "alloc.h"
#include "reader.h"
#include "text.h"

/* The parts of a key `x[i=1..N]`, as places in its value. A key that does not end in a bracket with an = in it is no family:
 * labels are free texts. */
typedef struct {
    size_t name_n;               /* x */
    size_t index_from, index_to; /* i */
    size_t low_from, low_to;     /* 1 */
    size_t high_from, high_to;   /* N */
    const char *rest;            /* what follows the bracket: primes, or nothing */
} family_key;

static bool is_family(const tree_node *key, family_key *f)
{
    const char *open = strrchr(key->value, '['), *equals = open ? strchr(open, '=') : NULL;
    size_t end = key->n;
    while (end > 0 && key->value[end - 1] == '\'') end--;
    if (!equals || key->value[end - 1] != ']') return false;
    f->name_n = (size_t)(open - key->value);
    f->index_from = f->name_n + 1;
    f->index_to = (size_t)(equals - key->value);
    f->low_from = f->index_to + 1;
    f->high_to = end - 1;
    f->rest = key->value + end;
    const char *dots = strstr(equals, "..");
    f->low_to = dots ? (size_t)(dots - key->value) : f->high_to;
    f->high_from = dots ? f->low_to + 2 : f->high_to;
    return true;
}

static void trim(const char *s, size_t *from, size_t *to)
{
    while (*from < *to && s[*from] == ' ') ++*from;
    while (*to > *from && s[*to - 1] == ' ') --*to;
}

/* The name of the index, in normal form: new, so that it hides nothing. */
static noslip_status index_name(reader *r, const tree_node *key, family_key *f,
                                char out[NAME_MOST + 1])
{
    trim(key->value, &f->index_from, &f->index_to);
    const char *name = key->value + f->index_from;
    size_t n = f->index_to - f->index_from;
    int shown = text_clip(name, n, 60);
    if (!n || name_length(name, n) != n || !name_normalise(name, n, out)) {
        FAIL_AT(r, key, "'%.*s' is not a name for an index", shown, name);
        noslip_hint(r->err, "a family is written x[i=1..N]");
        return NOSLIP_ERR_CASE;
    }
    long low, high;
    if (scope_find(r->s->names, out) || scope_family(r->s->names, out, &low, &high) ||
        function_find(out, strlen(out)) || strcmp(out, "pi") == 0)
        return FAIL_AT(r, key, "'%s' has a meaning already, take another index", out);
    return NOSLIP_OK;
}

static noslip_status read_range(reader *r, const tree_node *key, const family_key *f, long *low,
                                long *high)
{
    if (f->low_to == f->high_to) {
        FAIL_AT(r, key, "the range of the index is not complete");
        noslip_hint(r->err, "a family is written x[i=1..N]");
        return NOSLIP_ERR_CASE;
    }
    noslip_status status = read_integer(r, key, f->low_from, f->low_to, low);
    if (status == NOSLIP_OK) status = read_integer(r, key, f->high_from, f->high_to, high);
    if (status == NOSLIP_OK && *high - *low >= FAMILY_LARGEST)
        return FAIL_AT(r, key, "a family of %ld members, more than the %d that are allowed",
                       *high - *low + 1, FAMILY_LARGEST);
    return status;
}

/* "x[3]", kept by the case. */
static noslip_status member_name(reader *r, const family_key *f, long index, member *m)
{
    text name = {0};
    text_add(&name, m->key->value, f->name_n);
    text_printf(&name, "[%ld]%s", index, f->rest);
    if (name.failed || !array_push(&r->c->strings, name.at)) {
        text_free(&name);
        return noslip_fail_memory(r->err);
    }
    m->name = name.at;
    m->n = name.n;
    return NOSLIP_OK;
}

static noslip_status each_in_family(reader *r, const family_key *written, const member *like,
                                    member_reader read)
{
    family_key f = *written;
    long low = 0, high = 0;
    char name[NAME_MOST + 1];
    noslip_status status = index_name(r, like->key, &f, name);
    if (status == NOSLIP_OK) status = read_range(r, like->key, &f, &low, &high);
    for (long k = low; status == NOSLIP_OK && k <= high; k++) {
        const index_binding index = {.name = name, .value = k};
        member m = *like;
        m.index = &index;
        status = member_name(r, &f, k, &m);
        if (status == NOSLIP_OK) status = read(r, &m);
    }
    return status;
}

noslip_status each_member(reader *r, const tree_node *key, const tree_node *body,
                          member_reader read)
{
    const member m = {.name = key->value, .n = key->n, .key = key, .body = body};
    family_key f;
    return is_family(key, &f) ? each_in_family(r, &f, &m, read) : read(r, &m);
}

noslip_status each_entry(reader *r, const tree_node *mapping, member_reader read)
{
    noslip_status status = NOSLIP_OK;
    for (const tree_node *key = mapping->first; key && status == NOSLIP_OK; key = key->next->next)
        status = each_member(r, key, key->next, read);
    return status;
}
