/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "alloc.h"
#include "fail.h"

/* One run of a crew. */
typedef struct {
    const crew *c;
    size_t units;
    atomic_size_t next, done; /* the unit to be handed out next; how many are finished */
    atomic_bool halt;         /* begin no further unit */
    bool stopped;             /* go_on said no; the calling thread's */

    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t ended; /* a thread has */
    size_t running;       /* threads at work, without the calling one */
    size_t worst;         /* the lowest unit that failed, SIZE_MAX if none */
    noslip_status status; /* its status and error */
    noslip_error err;
} run;

/* A thread besides the calling one. */
typedef struct {
    run *r;
    void *own;
    pthread_t id;
} helper;

/* Hand out a unit. It is looked at `halt` before a unit is taken, never after: a unit that is taken is done, on which the
 * promise about the lowest failing unit rests. */
static bool take_unit(run *r, size_t *unit)
{
    if (atomic_load(&r->halt)) return false;
    *unit = atomic_fetch_add(&r->next, 1);
    return *unit < r->units;
}

static void note_failure(run *r, size_t unit, noslip_status status, const noslip_error *err)
{
    atomic_store(&r->halt, true);
    pthread_mutex_lock(&r->lock);
    if (unit < r->worst) {
        r->worst = unit;
        r->status = status;
        r->err = *err;
    }
    pthread_mutex_unlock(&r->lock);
}

static void do_unit(run *r, void *own, size_t unit)
{
    noslip_error err = {0};
    noslip_status status = r->c->job(r->c->shared, own, unit, &err);
    if (status != NOSLIP_OK) note_failure(r, unit, status, &err);
    atomic_fetch_add(&r->done, 1);
}

static void *help(void *arg)
{
    helper *h = arg;
    size_t unit;
    while (take_unit(h->r, &unit)) do_unit(h->r, h->own, unit);
    pthread_mutex_lock(&h->r->lock);
    h->r->running--;
    pthread_cond_signal(&h->r->ended);
    pthread_mutex_unlock(&h->r->lock);
    return NULL;
}

static size_t make_helpers(run *r, helper *helpers, size_t n)
{
    size_t made = 0;
    for (; made < n; made++) {
        helpers[made] = (helper){.r = r, .own = r->c->own ? r->c->own[made + 1] : NULL};
        pthread_mutex_lock(&r->lock);
        bool failed = pthread_create(&helpers[made].id, NULL, help, &helpers[made]) != 0;
        if (!failed) r->running++;
        pthread_mutex_unlock(&r->lock);
        if (failed) break;
    }
    return made;
}

/* When `go_on` has to be asked again */

enum { BETWEEN = 100 * 1000 * 1000, SECOND = 1000 * 1000 * 1000 }; /* ns */

static struct timespec from_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += BETWEEN;
    if (t.tv_nsec >= SECOND) {
        t.tv_nsec -= SECOND;
        t.tv_sec++;
    }
    return t;
}

static bool is_past(const struct timespec *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

static void ask(run *r)
{
    const crew *c = r->c;
    if (!c->go_on || c->go_on(c->user, atomic_load(&r->done), r->units)) return;
    r->stopped = true;
    atomic_store(&r->halt, true);
}

static void ask_if_due(run *r, struct timespec *due)
{
    if (r->stopped || !is_past(due)) return;
    ask(r);
    *due = from_now();
}

/* The calling thread: works like the others, then waits for them; asks all the while. */
static void lead(run *r)
{
    struct timespec due = from_now();
    void *own = r->c->own ? r->c->own[0] : NULL;
    size_t unit;
    while (take_unit(r, &unit)) {
        do_unit(r, own, unit);
        ask_if_due(r, &due);
    }
    pthread_mutex_lock(&r->lock);
    while (r->running > 0) {
        struct timespec until = from_now();
        pthread_cond_timedwait(&r->ended, &r->lock, &until);
        pthread_mutex_unlock(&r->lock); /* whoever is asked may take its time */
        ask_if_due(r, &due);
        pthread_mutex_lock(&r->lock);
    }
    pthread_mutex_unlock(&r->lock);
}

static void begin(run *r)
{
    pthread_condattr_t steadily; /* a clock that is set while we wait changes nothing */
    pthread_condattr_init(&steadily);
    pthread_condattr_setclock(&steadily, CLOCK_MONOTONIC);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->ended, &steadily);
    pthread_condattr_destroy(&steadily);
}

static void end(run *r)
{
    pthread_cond_destroy(&r->ended);
    pthread_mutex_destroy(&r->lock);
}

static noslip_status result(const run *r, noslip_error *err)
{
    if (r->worst != SIZE_MAX) {
        if (err) *err = r->err;
        return r->status;
    }
    if (r->stopped)
        return noslip_fail(err, NOSLIP_STOPPED, "%s", noslip_status_text(NOSLIP_STOPPED));
    return NOSLIP_OK;
}

noslip_status crew_run(const crew *c, size_t units, noslip_error *err)
{
    run r = {.c = c, .units = units, .worst = SIZE_MAX};
    size_t wanted = c->threads < units ? c->threads : units;
    size_t n = wanted > 1 ? wanted - 1 : 0;
    helper *helpers = n ? noslip_calloc(n, sizeof *helpers) : NULL;
    if (!helpers) n = 0;

    begin(&r);
    n = make_helpers(&r, helpers, n);
    lead(&r);
    for (size_t k = 0; k < n; k++) pthread_join(helpers[k].id, NULL);
    end(&r);
    noslip_free(helpers);

    ask(&r);
    return result(&r, err);
}
