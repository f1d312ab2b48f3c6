/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "text.h"

page page_new(void)
{
    return (page){.top = json_object()};
}

void page_put(page *p, json_t *object, const char *key, json_t *item)
{
    if (json_object_set_new(object, key, item) != 0) p->failed = true;
}

void page_append(page *p, json_t *list, json_t *item)
{
    if (json_array_append_new(list, item) != 0) p->failed = true;
}

json_t *page_put_object(page *p, json_t *object, const char *key)
{
    page_put(p, object, key, json_object());
    return json_object_get(object, key);
}

json_t *page_put_list(page *p, json_t *object, const char *key)
{
    page_put(p, object, key, json_array());
    return json_object_get(object, key);
}

json_t *page_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *page_count(size_t n)
{
    return json_integer((json_int_t)n);
}

/* A file's name may be any bytes. */
static json_t *mended(const char *string)
{
    size_t n = strlen(string);
    char *copy = noslip_malloc(n + 1);
    if (!copy) return NULL;
    for (size_t k = 0; k <= n; k++) copy[k] = (unsigned char)string[k] < 0x80 ? string[k] : '?';
    json_t *item = json_string(copy);
    noslip_free(copy);
    return item;
}

json_t *page_words(const char *string)
{
    if (!string) return json_null();
    json_t *item = json_string(string);
    return item ? item : mended(string);
}

/* Into a text of ours, which remembers that memory was short: jansson's own writer forgets it after a key. */
static int append(const char *bytes, size_t n, void *words)
{
    text_add(words, bytes, n);
    return ((text *)words)->failed ? -1 : 0;
}

noslip_status page_finish(page *p, char **out, noslip_error *err)
{
    static const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(17);
    text words = {0};
    bool written = !p->failed && json_dump_callback(p->top, append, &words, flags) == 0;
    text_puts(&words, "\n");
    json_decref(p->top);
    *p = (page){0};
    if (written && !words.failed) {
        *out = words.at;
        return NOSLIP_OK;
    }
    text_free(&words);
    return noslip_fail_memory(err);
}
