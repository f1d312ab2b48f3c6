/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_ERROR_H
#define NOSLIP_ERROR_H

#include <stddef.h>

#include "noslip/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What went wrong, and where.
 *
 * A plain block without pointers: it is filled on the way out of a failing
 * call, also when memory is short, and may be copied or thrown away at will.
 * Pass the address of a zeroed one, or NULL if only the status matters.
 * Texts are UTF-8; what the user wrote is quoted with control characters and
 * broken bytes replaced, so that printing it to a terminal is safe.
 */
typedef struct {
    noslip_status status;
    int line, column;  /* place in the user's file, from 1; 0 if there is none. Columns count
                          characters. */
    int length;        /* characters the offender takes */
    int caret, carets; /* where the marks go under `source`, in terminal cells */
    char file[256];    /* "" if the text did not come from a file */
    char message[256];
    char hint[160];   /* a suggestion, or "" */
    char source[200]; /* the offending line, or the part of a long one around the offender */
} noslip_error;

/*
 * Write the error the way compilers do:
 *
 *     disk.yaml:14:22: error: unknown name 'thta'
 *     potential: m*g*a*cos(thta)
 *                          ^~~~  did you mean 'theta'?
 *
 * Like snprintf: at most `size` bytes with the closing zero, returns the length of
 * the whole text. There is no newline at its end.
 */
NOSLIP_API int noslip_error_format(const noslip_error *err, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
