/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TRACE_H
#define NOSLIP_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "noslip/roots.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One steady motion followed along a parameter: its roots as modes, and the critical values of the parameter. docs/trace.md tells how. */
typedef struct noslip_trace noslip_trace;

typedef struct {
    const char *parameter; /* NULL: what the case says under `trace` */
    double from, to;       /* used if a parameter is named */
    size_t which;          /* of several traces of the case; default 0, the first */
    size_t steps;          /* the longest step is the range over this; default 200, at least 1 */
} noslip_trace_options;
NOSLIP_API noslip_trace_options noslip_trace_default(void);

/*
 * Begin at the steady motion nearest to the guess at `from`, and follow it until the parameter leaves the range, at either end. The
 * model must live longer, and is not used by anyone else meanwhile.
 *
 * NOSLIP_OK, also if the motion was lost on the way (noslip_trace_info tells); as noslip_steady_find if there is none at the beginning;
 * NOSLIP_ERR_ARG, with words, if there is no such parameter or trace or the range is empty; NOSLIP_ERR_FORMULA if a parameter is not finite
 * at the beginning; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_trace_follow(noslip_model *m, const noslip_trace_options *o,
                                             noslip_trace **out, noslip_error *err);

/*
 * The other branch through a branch point of `t`, which must live longer, followed from there to one side.
 *
 *   critical   the number of the branch point
 *   side       which of the two ways to go: positive or not
 *
 * Returns as noslip_trace_follow; NOSLIP_ERR_ARG if that is no branch point; NOSLIP_NO_CONVERGENCE if the other branch was not found.
 */
NOSLIP_API noslip_status noslip_trace_switch(noslip_trace *t, size_t critical, int side,
                                             noslip_trace **out, noslip_error *err);
NOSLIP_API void noslip_trace_free(noslip_trace *t); /* accepts NULL */

typedef enum {
    NOSLIP_TRACE_ARRIVED,  /* at `to` */
    NOSLIP_TRACE_RETURNED, /* to `from`, after a fold */
    NOSLIP_TRACE_CLOSED,   /* back at the point where it began */
    NOSLIP_TRACE_LOST, /* the equations could not be followed further: the formulas end, or the motion does */
    NOSLIP_TRACE_LONG, /* after 50000 points */
} noslip_trace_end;

typedef struct {
    size_t points, states, roots; /* rows; numbers of each of them */
    size_t modes, criticals, ranges;
    size_t folds;
    size_t unclear; /* steps on which modes could not be told apart */
    size_t named;   /* modes that the case names; the names are used if there are as many modes */
    noslip_trace_end end;
    const char *parameter, *unit; /* unit NULL if there is none */
    double from, to;
} noslip_trace_info;
NOSLIP_API noslip_trace_info noslip_trace_about(const noslip_trace *t);

/* A mode: one root, or the roots that are a pair somewhere along the trace. It has one name from end to end; its number is good
 * for a colour. Modes are in the order of their roots at the end of the trace: by falling imaginary, then falling real part. */
typedef struct {
    const char *name;
    size_t first, count; /* its roots are first .. first + count - 1 of every point */
} noslip_trace_mode;
NOSLIP_API noslip_trace_mode noslip_trace_mode_at(const noslip_trace *t, size_t mode);

/* At a point: the parameter; state k (noslip_model_state); root k, in the order of modes; the verdict. */
NOSLIP_API double noslip_trace_value(const noslip_trace *t, size_t point);
NOSLIP_API double noslip_trace_state(const noslip_trace *t, size_t point, size_t k);
NOSLIP_API noslip_root noslip_trace_root(const noslip_trace *t, size_t point, size_t k);
NOSLIP_API noslip_verdict noslip_trace_verdict(const noslip_trace *t, size_t point);

typedef enum {
    NOSLIP_CRITICAL_MOTION,     /* nothing happens to the roots: a fold or a branch point only */
    NOSLIP_CRITICAL_DIVERGENCE, /* a real root, or two that are each other's negatives, through zero */
    NOSLIP_CRITICAL_FLUTTER,    /* a pair through the axis, or two pairs on the axis that meet */
    NOSLIP_CRITICAL_DOUBLE,     /* two real roots meet and are a pair beyond */
} noslip_critical_kind;

typedef enum {
    NOSLIP_MOTION_SMOOTH = 0,
    NOSLIP_MOTION_FOLD = 1,        /* the parameter turns round */
    NOSLIP_MOTION_BRANCH = 2,      /* another branch of steady motions goes through */
    NOSLIP_MOTION_FOLD_BRANCH = 3, /* both: a pitchfork, from the side of a prong */
} noslip_critical_motion;

/* What happens as the parameter grows; at a fold, along the trace. */
typedef enum {
    NOSLIP_CHANGE_NONE,
    NOSLIP_CHANGE_UNSTABLE, /* the mode's root goes to the right half plane */
    NOSLIP_CHANGE_STABLE,   /* it leaves the right half plane */
    NOSLIP_CHANGE_PAIR,     /* two real roots become a pair */
    NOSLIP_CHANGE_REAL,     /* a pair becomes two real roots */
} noslip_critical_change;

typedef struct {
    noslip_critical_kind kind;
    noslip_critical_motion motion;
    noslip_critical_change change;
    double value;     /* of the parameter */
    double bound;     /* estimated error of it */
    double re, im;    /* the root that is critical; im is not negative */
    double frequency; /* im/(2 pi), in Hz if the time is in seconds */
    size_t mode;      /* whose root it is; `modes` if nobody's */
    size_t point;     /* it lies between this point and the next */
} noslip_critical;
NOSLIP_API noslip_critical noslip_trace_critical(const noslip_trace *t, size_t k);

/* State j at critical value k. */
NOSLIP_API double noslip_trace_critical_state(const noslip_trace *t, size_t k, size_t j);

/* Where one verdict holds, from one critical value to the next, in the order of the trace. */
typedef struct {
    double from, to;
    noslip_verdict verdict;
} noslip_trace_range;
NOSLIP_API noslip_trace_range noslip_trace_range_at(const noslip_trace *t, size_t k);

#ifdef __cplusplus
}
#endif
#endif
