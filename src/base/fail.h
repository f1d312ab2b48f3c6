/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_BASE_FAIL_H
#define NOSLIP_BASE_FAIL_H

#include <stddef.h>

#include "noslip/error.h"

/* Fill `err` (NULL is fine) and hand the status back, so that a failing function ends in
 *
 *     return noslip_fail(err, NOSLIP_ERR_ARG, "no parameter '%s'", name);
 */
noslip_status noslip_fail(noslip_error *err, noslip_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add a suggestion to an error just filled. */
void noslip_hint(noslip_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Out of memory needs no words of its own. */
noslip_status noslip_fail_memory(noslip_error *err);

/* A text that a user wrote: a whole file, or a piece that stands by itself. Borrowed. */
typedef struct {
    const char *file; /* name for messages, or NULL */
    const char *text; /* need not end in a zero byte */
    size_t size;      /* bytes */
    int line, column; /* where `text` begins in that file, from 1 */
} source;

/* A source made of one string, at line 1, column 1. */
source source_of_string(const char *string);

/* A piece of a source: where something that turns out wrong later was written. */
typedef struct {
    const source *src; /* borrowed; NULL if it was not written by a user */
    size_t from, to;
} origin;

/* Like noslip_fail, pointing at the bytes from..to of a source: works out line and column and
 * quotes the line. The range may be empty and may lie at the very end. */
noslip_status source_fail(const source *src, size_t from, size_t to, noslip_error *err,
                          noslip_status status, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
