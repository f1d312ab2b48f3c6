/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CASEFILE_TREE_H
#define NOSLIP_CASEFILE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "array.h"
#include "fail.h"

/* YAML as a tree in which everything knows where it was written.
 *
 *     m: {value: 2}     becomes   mapping --first--> scalar m --next--> mapping --first--> scalar value --next--> scalar 2
 *
 * A mapping has keys (scalars, no two alike) and values in turn. */

typedef enum { TREE_SCALAR, TREE_SEQUENCE, TREE_MAPPING } tree_kind;

typedef struct tree_node {
    tree_kind kind;
    bool plain; /* a scalar without quotes and without > or | */
    bool flow;  /* stands inside [ ] or { } */
    bool
        exact; /* a scalar whose bytes inside_from..inside_to are, but for white space, its value */
    size_t from,
        to; /* bytes of the source: what a message points at; of a collection, its first line */
    size_t inside_from, inside_to; /* a scalar without quotes or > */
    struct tree_node *first, *next;
    size_t count; /* of a collection: nodes in it, keys and values both */
    size_t n;     /* of a scalar: bytes of its value */
    char value
        []; /* what YAML makes of a scalar; ends in a zero byte, UTF-8, holds no other zero byte */
} tree_node;

typedef struct {
    tree_node *root;
    ARRAY(tree_node *) nodes;
} tree;

enum {
    TREE_DEEPEST = 32,
    TREE_MOST_NODES = 1 << 18,
};

/*
 * Read one YAML document. The source must be text without a byte order mark.
 *
 *   out   to be zeroed before and freed with tree_free after, whatever comes back
 *
 * Refused, with the place, are: what is not UTF-8 or not YAML, control characters, anchors, aliases, tags, several documents,
 * keys that are collections, keys that stand twice in one mapping, collections nested deeper than TREE_DEEPEST, more than
 * TREE_MOST_NODES nodes, and no document at all. Returns NOSLIP_OK, NOSLIP_ERR_CASE or NOSLIP_ERR_MEMORY.
 */
noslip_status tree_read(const source *src, tree *out, noslip_error *err);
void tree_free(tree *t);

#endif
