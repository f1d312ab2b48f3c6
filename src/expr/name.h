/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_NAME_H
#define NOSLIP_EXPR_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Names in formulas: a letter of any alphabet or _, then letters, digits, marks and _. */

enum { NAME_MOST = 128 }; /* bytes of a name, as written and in normal form */

/* Bytes of the name that begins at s; 0 if none does. */
size_t name_length(const char *s, size_t n);

/* Copy a name in Unicode's composed form (NFC), in which two ways to write one letter are the same
 * bytes. False if it is longer than NAME_MOST or not UTF-8. */
bool name_normalise(const char *s, size_t n, char out[NAME_MOST + 1]);

/* The functions of the language. */
typedef enum {
    FUNCTION_NONE,
    FUNCTION_OPERATION, /* sin, atan2 ...: an operation of the graph */
    FUNCTION_VEC,
    FUNCTION_DOT,
    FUNCTION_CROSS,
    FUNCTION_NORM,
    FUNCTION_UNIT,
    FUNCTION_TRANSPOSE,
    FUNCTION_ROTX,
    FUNCTION_ROTY,
    FUNCTION_ROTZ,
    FUNCTION_DT,
    FUNCTION_OMEGA,
    FUNCTION_SUM,
} function;

typedef struct {
    const char *name;
    function id;
    int operation;   /* an op, for FUNCTION_OPERATION */
    int least, most; /* arguments */
} function_info;

/* The function of that name, NULL if there is none. */
const function_info *function_find(const char *s, size_t n);

/* Function k, NULL beyond the last. */
const function_info *function_at(size_t k);

/* The function whose name is nearest to one that is not; NULL if none is near. */
const char *function_nearest(const char *s, size_t n);

/* How to write a function of other languages that ours has not: "1/tan(x)" for cot; NULL if we do not know it. */
const char *function_instead(const char *s, size_t n);

/* How many typing errors a name may have and still be known again: two, one in a name of two or
 * three letters. */
int name_tolerance(const char *s, size_t n);

#endif
