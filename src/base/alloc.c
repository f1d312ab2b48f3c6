/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "alloc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static atomic_long live;
static atomic_long allowed_left = -1;

static bool may_allocate(void)
{
    long left = atomic_load_explicit(&allowed_left, memory_order_relaxed);
    while (left > 0 && !atomic_compare_exchange_weak(&allowed_left, &left, left - 1)) {
    }
    return left != 0;
}

static void *counted(void *block)
{
    if (block) atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return block;
}

void *noslip_malloc(size_t size)
{
    return may_allocate() ? counted(malloc(size ? size : 1)) : NULL;
}

void *noslip_calloc(size_t count, size_t size)
{
    return may_allocate() ? counted(calloc(count ? count : 1, size ? size : 1)) : NULL;
}

void *noslip_realloc(void *block, size_t size)
{
    if (!block) return noslip_malloc(size);
    return may_allocate() ? realloc(block, size ? size : 1) : NULL;
}

void *noslip_aligned(size_t alignment, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - alignment) / size) return NULL;
    size_t bytes = (count * size + alignment - 1) / alignment * alignment;
    if (!bytes) bytes = alignment;
    if (!may_allocate()) return NULL;
    void *block = aligned_alloc(alignment, bytes);
    if (block) memset(block, 0, bytes);
    return counted(block);
}

void noslip_free(void *block)
{
    if (block) atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    free(block);
}

void noslip_alloc_fail_after(long allowed)
{
    atomic_store(&allowed_left, allowed);
}

long noslip_alloc_live(void)
{
    return atomic_load(&live);
}
