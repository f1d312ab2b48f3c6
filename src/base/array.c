/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "array.h"

#include <stdint.h>
#include <string.h>

#include "alloc.h"

bool array_grow(void *at, size_t *room, size_t n, size_t more, size_t item)
{
    if (more > SIZE_MAX / 2 / item - n) return false;
    size_t wanted = n + more;
    size_t doubled = *room < SIZE_MAX / 4 / item ? 2 * *room : wanted;
    size_t now = doubled > wanted ? doubled : wanted;
    if (now < 8) now = 8;

    void *old; /* by memcpy: `at` points at a pointer of another type */
    memcpy(&old, at, sizeof old);
    void *new = noslip_realloc(old, now * item);
    if (!new) return false;
    memcpy(at, &new, sizeof new);
    *room = now;
    return true;
}

void array_clear(void *at, size_t *n, size_t *room)
{
    void *block;
    memcpy(&block, at, sizeof block);
    noslip_free(block);
    block = NULL;
    memcpy(at, &block, sizeof block);
    *n = 0;
    *room = 0;
}
