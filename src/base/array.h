/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_BASE_ARRAY_H
#define NOSLIP_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* A growable array of any type, to be zeroed at first:
 *
 *     ARRAY(int) a = {0};
 *     if (!array_push(&a, 7)) return NOSLIP_ERR_MEMORY;
 *     sum += a.at[a.n - 1];
 *     array_free(&a);
 *
 * Growing moves the items: keep indices, not pointers. A failed push or room
 * leaves the array as it was. */
#define ARRAY(type)     \
    struct {            \
        type *at;       \
        size_t n, room; \
    }

/* Room for `more` further items; false when memory is short. */
#define array_room(a, more)          \
    ((more) <= (a)->room - (a)->n || \
     array_grow((void *)&(a)->at, &(a)->room, (a)->n, (more), sizeof *(a)->at))

#define array_push(a, item) (array_room(a, 1) && ((a)->at[(a)->n++] = (item), true))

#define array_free(a) array_clear((void *)&(a)->at, &(a)->n, &(a)->room)

/* Behind the macros; `at` is the address of the array's pointer. */
bool array_grow(void *at, size_t *room, size_t n, size_t more, size_t item);
void array_clear(void *at, size_t *n, size_t *room);

#endif
