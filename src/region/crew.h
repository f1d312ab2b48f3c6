/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_CREW_H
#define NOSLIP_REGION_CREW_H

#include <stdbool.h>
#include <stddef.h>

#include "noslip/error.h"

/*
 * One unit of work. Called by several threads at once, never twice for a unit.
 *
 *   shared   the same for all: read it, or lock it
 *   own      what belongs to the thread alone, a workspace
 *   err      to be filled if the status is not NOSLIP_OK; never NULL
 *
 * Any status but NOSLIP_OK ends the round. A finding about a single unit that shall not, is kept by the job where its
 * results are.
 */
typedef noslip_status crew_job(void *shared, void *own, size_t unit, noslip_error *err);

typedef struct {
    size_t threads; /* at least 1; the calling thread is one of them */
    void **own;     /* one for each thread, or NULL if there are none */
    crew_job *job;
    void *shared;
    /* May be NULL. Asked from the calling thread only, about ten times a second, between two of its own units and while it
     * waits for the others, and once at the very end; false: stop. After a no it is asked at the end only, so that it sees
     * what was done. */
    bool (*go_on)(void *user, size_t done, size_t total);
    void *user;
} crew;

/*
 * Do the units 0 .. units-1, each once, handed out in ascending order to whichever thread is free.
 *
 * With one thread no other is made; if the system refuses to make as many as wanted, there are fewer. All have ended when
 * this returns.
 *
 * After a unit that failed, or after `go_on` said no, no further unit is begun; those begun are finished. As all units below
 * a begun one have been begun before, the unit that fails with the lowest number is always reached: if what a job returns
 * depends on the unit alone, so does what is returned here, whatever the number of threads.
 *
 * Returns NOSLIP_OK if all units were done; the status and the error of the lowest unit that failed; or NOSLIP_STOPPED if
 * `go_on` said no, be it at the end, when all are done: a stop asked for in a short round is not forgotten.
 */
noslip_status crew_run(const crew *c, size_t units, noslip_error *err);

#endif
