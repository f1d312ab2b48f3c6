/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_BASE_ALLOC_H
#define NOSLIP_BASE_ALLOC_H

#include <stddef.h>

/* The one door to the heap. Blocks are counted, so a test can tell a leak, and
 * the door can be told to fail, so a test can walk every way out.
 *
 * All return NULL when memory is short or the size overflows. Free with
 * noslip_free, never with free. A size of zero gives a block of one byte. */
void *noslip_malloc(size_t size);
void *noslip_calloc(size_t count, size_t size);
void *noslip_realloc(void *block, size_t size);
void *noslip_aligned(size_t alignment, size_t count,
                     size_t size); /* zeroed; alignment a power of two */
void noslip_free(void *block);     /* accepts NULL */

/* Let the next `allowed` allocations succeed and all later ones fail;
 * negative: none fails (the state at start). For tests. */
void noslip_alloc_fail_after(long allowed);

/* How many blocks are in use, over all threads. */
long noslip_alloc_live(void);

#endif
