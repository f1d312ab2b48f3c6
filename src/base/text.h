/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_BASE_TEXT_H
#define NOSLIP_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* A text that grows. Zero it at first; `failed` stays set once memory was short,
 * so it is enough to look at it at the end. `at` ends in a zero byte, and is NULL
 * as long as nothing was added. Free with text_free. */
typedef struct {
    char *at;
    size_t n, room;
    bool failed;
} text;

void text_add(text *t, const char *bytes, size_t n);
void text_puts(text *t, const char *string);
void text_printf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(text *t);

/* Room that text_of_number needs. */
enum { TEXT_NUMBER_ROOM = 32 };

/* The shortest decimal notation that reads back as the same double, without an exponent where that is
 * as short, with a point whatever the locale; "inf", "-inf" and "nan" for the others. Returns `out`. */
const char *text_of_number(double x, char out[TEXT_NUMBER_ROOM]);

/* Read a decimal number at `s`, whatever the locale: digits with an optional point and
 * exponent, no sign, no hexadecimal, no "inf". Returns the bytes taken, 0 if there is no number
 * here. A number too large for a double, or written with 800 characters and more, gives infinity;
 * a nonzero one too small gives zero. */
size_t text_to_number(const char *s, size_t n, double *out);

/* At most `most` bytes of a text, cut between two characters. */
int text_clip(const char *s, size_t n, int most);

/* Edit distance (insert, delete, replace, swap neighbours) of two UTF-8 names, for
 * suggestions; anything above `most` counts as most + 1. Names longer than 64 characters
 * are taken as most + 1 apart. */
int text_distance(const char *a, size_t na, const char *b, size_t nb, int most);

#endif
