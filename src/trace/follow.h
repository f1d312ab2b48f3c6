/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TRACE_FOLLOW_H
#define NOSLIP_TRACE_FOLLOW_H

#include "locate.h"
#include "noslip/trace.h"

/* A critical value; `place` and `other` begin at 2*(N+1)*k of the trace's `places` for critical k: the station's y, and near a branch
 * point the direction in which the other branch leaves. Its mode is a strand until modes are made. */
typedef struct {
    noslip_critical c;
    double at; /* between the two stations, while they are sorted */
} critical;

struct noslip_trace {
    path p;
    const case_trace
        *asked; /* that of the case along the same parameter, which names modes; may be NULL */
    size_t steps;
    double longest; /* step */
    station *previous, *here, *next;
    double previous_length, length; /* of the last two steps */
    bool *bent; /* by strand: it met another on the last step, and its course says nothing */
    double complex *expected; /* by strand */
    double *first;            /* y and t of the first point */
    match *m;
    locator l;
    ARRAY(double) alpha;  /* a point each */
    ARRAY(double) states; /* N numbers a point */
    ARRAY(root) roots;    /* n a point, by strand */
    ARRAY(noslip_verdict) verdicts;
    ARRAY(critical) criticals;
    ARRAY(double) places;
    ARRAY(noslip_trace_range) ranges;
    size_t *joined; /* by strand: one of the same mode, itself if it is the first */
    size_t *strand; /* by root of a point as it is shown: the strand */
    size_t n_modes, n_named;
    noslip_trace_mode *modes;
    char *names; /* of modes that the case does not name */
    size_t unclear;
    noslip_trace_end end;
};

/* follow.c: from the station `here` until the parameter leaves the range. NOSLIP_OK or NOSLIP_ERR_MEMORY. */
noslip_status follow(noslip_trace *t);

/* critical.c: the critical values between `here` and `next`, whose match is in t->m, are added. NOSLIP_OK or NOSLIP_ERR_MEMORY. */
noslip_status criticals_between(noslip_trace *t);

/* critical.c: a station of another branch, from a branch point at `place` in the direction `other`, which is a unit vector, or against it
 * (way 1 or -1). False if there is none near. */
bool step_aside(noslip_trace *t, const double *place, const double *other, double way,
                station *out);

/* modes.c: after following. Strands that are a pair somewhere are one mode; modes get their order and their names; verdicts
 * are put together to ranges. NOSLIP_OK or NOSLIP_ERR_MEMORY. */
size_t strand_mode(const noslip_trace *t, size_t strand); /* its mode, by the first strand of it */
noslip_status make_modes(noslip_trace *t);
noslip_status make_ranges(noslip_trace *t);

#endif
