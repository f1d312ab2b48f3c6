/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_STATUS_H
#define NOSLIP_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define NOSLIP_API __attribute__((visibility("default")))

/* Every function that can go wrong returns one of these; the sign has a meaning:
 * 0 success; > 0 a finding about the mathematics; < 0 an error, outputs not set. */
#define NOSLIP_STATUS_LIST(X)                                          \
    X(NOSLIP_OK, 0, "success")                                         \
    X(NOSLIP_NOT_FINITE, 1, "a result is infinite or not a number")    \
    X(NOSLIP_SINGULAR, 2, "a matrix is singular to working precision") \
    X(NOSLIP_NO_CONVERGENCE, 3, "an iteration did not converge")       \
    X(NOSLIP_ERR_ARG, -1, "argument out of range")                     \
    X(NOSLIP_ERR_MEMORY, -2, "out of memory")                          \
    X(NOSLIP_ERR_FORMULA, -3, "the formula cannot be understood")      \
    X(NOSLIP_ERR_LIMIT, -4, "a size limit was exceeded")               \
    X(NOSLIP_ERR_CASE, -5, "the case file cannot be understood")       \
    X(NOSLIP_ERR_FILE, -6, "a file cannot be read or written")

#define NOSLIP_AS_ENUMERATOR(name, value, text) name = (value),
typedef enum { NOSLIP_STATUS_LIST(NOSLIP_AS_ENUMERATOR) } noslip_status;
#undef NOSLIP_AS_ENUMERATOR

/* The text of a status, a static string; "unknown status" for a number that is none. */
NOSLIP_API const char *noslip_status_text(noslip_status status);

#ifdef __cplusplus
}
#endif
#endif
