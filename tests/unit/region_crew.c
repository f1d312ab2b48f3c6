/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "crew.h"
#include "fail.h"

/* Threads that the system refuses to make: this stands before the C library's. */

typedef int make_thread(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *),
                        void *arg);

static atomic_long threads_left = -1, threads_made;

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    if (atomic_load(&threads_left) == 0) return EAGAIN;
    if (atomic_load(&threads_left) > 0) atomic_fetch_sub(&threads_left, 1);
    atomic_fetch_add(&threads_made, 1);
    make_thread *real;
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(id, attr, start, arg);
}

enum { UNITS = 1009, THREADS = 7 };

/* What the jobs below see and leave behind. */
typedef struct {
    atomic_int times[UNITS];          /* how often a unit was done */
    atomic_size_t clock;              /* counts the units begun */
    atomic_size_t begun_at[UNITS];    /* its reading when the unit was begun */
    atomic_ulong sum;                 /* of squares */
    bool fails[UNITS];                /* which units shall fail */
    atomic_int at_once, most_at_once; /* jobs */
    long pause;                       /* ns that a job takes */
} board;

static void sleep_for(long ns)
{
    struct timespec t = {ns / 1000000000, ns % 1000000000};
    nanosleep(&t, NULL);
}

static noslip_status mark(void *shared, void *own, size_t unit, noslip_error *err)
{
    (void)own;
    board *b = shared;
    int now = atomic_fetch_add(&b->at_once, 1) + 1;
    if (now > atomic_load(&b->most_at_once)) atomic_store(&b->most_at_once, now);
    atomic_store(&b->begun_at[unit], atomic_fetch_add(&b->clock, 1));
    atomic_fetch_add(&b->times[unit], 1);
    atomic_fetch_add(&b->sum, unit * unit);
    if (b->pause) sleep_for(b->pause);
    atomic_fetch_sub(&b->at_once, 1);
    if (!b->fails[unit]) return NOSLIP_OK;
    return noslip_fail(err, NOSLIP_SINGULAR, "unit %zu fails", unit);
}

static size_t count_done(const board *b)
{
    size_t done = 0;
    for (size_t k = 0; k < UNITS; k++) done += atomic_load(&b->times[k]) > 0;
    return done;
}

static void expect_none_twice(const board *b)
{
    for (size_t k = 0; k < UNITS; k++) cr_assert_leq(atomic_load(&b->times[k]), 1, "unit %zu", k);
}

/* How the units are handed out */

Test(crew, does_every_unit_once_whatever_the_number_of_threads)
{
    static const size_t threads[] = {0, 1, 2, 3, THREADS, 61};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
        board b = {.pause = 0};
        crew c = {.threads = threads[k], .job = mark, .shared = &b};
        noslip_error err = {0};
        cr_assert_eq(crew_run(&c, UNITS, &err), NOSLIP_OK);
        cr_assert_eq(err.status, NOSLIP_OK);
        expect_none_twice(&b);
        cr_assert_eq(count_done(&b), UNITS, "%zu threads", threads[k]);
        cr_assert_eq(noslip_alloc_live(), 0);
    }
}

Test(crew, of_one_and_of_seven_threads_give_the_same_sum)
{
    unsigned long sum[2];
    for (int k = 0; k < 2; k++) {
        board b = {.pause = 0};
        crew c = {.threads = k ? THREADS : 1, .job = mark, .shared = &b};
        cr_assert_eq(crew_run(&c, UNITS, NULL), NOSLIP_OK);
        sum[k] = atomic_load(&b.sum);
    }
    cr_assert_eq(sum[0], 1008ul * 1009 * 2017 / 6);
    cr_assert_eq(sum[0], sum[1]);
}

Test(crew, of_one_thread_makes_none_and_takes_the_units_in_order)
{
    board b = {.pause = 0};
    crew c = {.threads = 1, .job = mark, .shared = &b};
    long before = atomic_load(&threads_made);
    cr_assert_eq(crew_run(&c, UNITS, NULL), NOSLIP_OK);
    cr_assert_eq(atomic_load(&threads_made), before);
    for (size_t k = 0; k < UNITS; k++) cr_assert_eq(atomic_load(&b.begun_at[k]), k);
}

/* A unit is handed out before any higher one; until its job looks at the clock, each of the other threads may have begun units,
 * but not while this one pauses before: so only the pause of the scheduler disturbs the order, and few units are far off. */
Test(crew, of_many_threads_takes_the_units_in_ascending_order)
{
    board b = {.pause = 100000};
    crew c = {.threads = THREADS, .job = mark, .shared = &b};
    cr_assert_eq(crew_run(&c, UNITS, NULL), NOSLIP_OK);
    size_t far_off = 0;
    for (size_t k = 0; k < UNITS; k++) {
        size_t at = atomic_load(&b.begun_at[k]);
        far_off += (at > k ? at - k : k - at) >= THREADS;
    }
    cr_assert_leq(far_off, UNITS / 10, "%zu units far off their place", far_off);
}

Test(crew, makes_no_more_threads_than_there_are_units)
{
    board b = {.pause = 1000000};
    crew c = {.threads = 61, .job = mark, .shared = &b};
    long before = atomic_load(&threads_made);
    cr_assert_eq(crew_run(&c, 3, NULL), NOSLIP_OK);
    cr_assert_eq(atomic_load(&threads_made) - before, 2);
    cr_assert_eq(count_done(&b), 3);
}

Test(crew, works_at_the_same_time)
{
    board b = {.pause = 3000000};
    crew c = {.threads = THREADS, .job = mark, .shared = &b};
    cr_assert_eq(crew_run(&c, 53, NULL), NOSLIP_OK);
    cr_assert_gt(atomic_load(&b.most_at_once), 1);
    cr_assert_leq(atomic_load(&b.most_at_once), THREADS);
    cr_assert_eq(atomic_load(&b.at_once), 0, "no thread is left at work");
}

typedef struct {
    atomic_bool busy;
    size_t count; /* without a lock */
} desk;

static noslip_status sit_down(void *shared, void *own, size_t unit, noslip_error *err)
{
    (void)shared;
    desk *d = own;
    if (atomic_exchange(&d->busy, true))
        return noslip_fail(err, NOSLIP_ERR_ARG, "unit %zu: the desk is taken", unit);
    d->count++;
    sleep_for(100000);
    atomic_store(&d->busy, false);
    return NOSLIP_OK;
}

Test(crew, gives_each_thread_its_own)
{
    desk desks[THREADS] = {0};
    void *own[THREADS];
    for (int k = 0; k < THREADS; k++) own[k] = &desks[k];
    crew c = {.threads = THREADS, .own = own, .job = sit_down};
    noslip_error err = {0};
    cr_assert_eq(crew_run(&c, UNITS, &err), NOSLIP_OK, "%s", err.message);
    size_t sum = 0;
    for (int k = 0; k < THREADS; k++) sum += desks[k].count;
    cr_assert_eq(sum, UNITS);
}

Test(crew, goes_on_with_fewer_if_a_thread_cannot_be_made)
{
    for (long left = 0; left < THREADS; left++) {
        board b = {.pause = 0};
        crew c = {.threads = THREADS, .job = mark, .shared = &b};
        atomic_store(&threads_left, left);
        noslip_status status = crew_run(&c, UNITS, NULL);
        atomic_store(&threads_left, -1);
        cr_assert_eq(status, NOSLIP_OK);
        cr_assert_eq(count_done(&b), UNITS, "%ld threads", left);
        expect_none_twice(&b);
    }
}

Test(crew, works_alone_when_memory_is_short)
{
    board b = {.pause = 0};
    crew c = {.threads = THREADS, .job = mark, .shared = &b};
    noslip_alloc_fail_after(0);
    noslip_status status = crew_run(&c, UNITS, NULL);
    noslip_alloc_fail_after(-1);
    cr_assert_eq(status, NOSLIP_OK);
    cr_assert_eq(count_done(&b), UNITS);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Units that fail */

Test(crew, tells_the_error_of_the_lowest_unit_that_failed)
{
    static const size_t threads[] = {1, 2, 3, THREADS, 23};
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
        for (unsigned seed = 1; seed <= 40; seed++) {
            board b = {.pause = seed % 3 ? 0 : 1000};
            size_t lowest = 37 * seed % 509;
            for (size_t u = lowest; u < UNITS; u += seed % 11 + 1) b.fails[u] = true;
            crew c = {.threads = threads[k], .job = mark, .shared = &b};
            noslip_error err = {0};
            cr_assert_eq(crew_run(&c, UNITS, &err), NOSLIP_SINGULAR);
            char wanted[40];
            snprintf(wanted, sizeof wanted, "unit %zu fails", lowest);
            cr_assert_str_eq(err.message, wanted, "seed %u, %zu threads", seed, threads[k]);
            expect_none_twice(&b);
            for (size_t u = 0; u <= lowest; u++) cr_assert_eq(atomic_load(&b.times[u]), 1);
            if (threads[k] == 1) cr_assert_eq(count_done(&b), lowest + 1);
        }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* The first unit fails at once, so that each of the others can have taken a few units at most. */
Test(crew, begins_no_further_unit_after_one_that_failed)
{
    board b = {.pause = 20000000};
    b.fails[0] = true;
    crew c = {.threads = THREADS, .job = mark, .shared = &b};
    cr_assert_eq(crew_run(&c, UNITS, NULL), NOSLIP_SINGULAR);
    cr_assert_leq(count_done(&b), 3 * THREADS);
    cr_assert_eq(atomic_load(&b.at_once), 0);
}

Test(crew, with_every_unit_failing_tells_of_the_first)
{
    for (int round = 0; round < 100; round++) {
        board b = {.pause = 0};
        memset(b.fails, true, sizeof b.fails);
        crew c = {.threads = THREADS, .job = mark, .shared = &b};
        noslip_error err = {0};
        cr_assert_eq(crew_run(&c, UNITS, &err), NOSLIP_SINGULAR);
        cr_assert_str_eq(err.message, "unit 0 fails");
    }
}

/* Going on or not */

typedef struct {
    pthread_t caller;
    int asked, no_from;      /* says no from this time on */
    size_t done, total;      /* as last told */
    bool foreign, backwards; /* asked by another thread; told of fewer than before */
} asking;

static bool answer(void *user, size_t done, size_t total)
{
    asking *a = user;
    a->foreign |= !pthread_equal(a->caller, pthread_self());
    a->backwards |= done < a->done;
    a->done = done;
    a->total = total;
    return ++a->asked < a->no_from;
}

Test(crew, asks_about_ten_times_a_second_from_the_calling_thread)
{
    static const size_t threads[] = {1, 3};
    for (size_t k = 0; k < 2; k++) {
        board b = {.pause = 5000000};
        asking a = {.caller = pthread_self(), .no_from = 1 << 30};
        crew c = {.threads = threads[k], .job = mark, .shared = &b, .go_on = answer, .user = &a};
        cr_assert_eq(crew_run(&c, 101 * threads[k], NULL), NOSLIP_OK);
        cr_expect_geq(a.asked, 4, "%d times in half a second", a.asked);
        cr_expect_leq(a.asked, 61, "%d times in half a second",
                      a.asked); /* a busy machine is slower */
        cr_expect(!a.foreign && !a.backwards);
        cr_expect_eq(a.done, 101 * threads[k]);
        cr_expect_eq(a.total, 101 * threads[k]);
    }
}

/* Two units: the calling thread's ends as soon as the other was begun, and that takes its time. */
static noslip_status helper_is_slow(void *shared, void *own, size_t unit, noslip_error *err)
{
    (void)unit, (void)err;
    atomic_size_t *begun = shared;
    atomic_fetch_add(begun, 1);
    bool calling = *(bool *)own;
    if (!calling) sleep_for(700000000);
    while (calling && atomic_load(begun) < 2) sleep_for(1000000);
    return NOSLIP_OK;
}

static noslip_status wait_for_helper(asking *a)
{
    bool calling[] = {true, false};
    void *own[] = {&calling[0], &calling[1]};
    atomic_size_t begun = 0;
    crew c = {2, own, helper_is_slow, &begun, answer, a};
    return crew_run(&c, 2, NULL);
}

Test(crew, asks_while_it_waits_for_the_others)
{
    asking a = {.caller = pthread_self(), .no_from = 1 << 30};
    cr_assert_eq(wait_for_helper(&a), NOSLIP_OK);
    cr_assert_geq(a.asked, 3);
}

Test(crew, does_not_ask_again_after_a_no_but_at_the_end)
{
    asking a = {.caller = pthread_self(), .no_from = 1};
    cr_assert_eq(wait_for_helper(&a), NOSLIP_STOPPED);
    cr_assert_eq(a.asked, 2, "asked %d times", a.asked);
    cr_assert_eq(a.done, 2);
}

Test(crew, stops_when_told_and_finishes_what_was_begun)
{
    static const size_t threads[] = {1, THREADS};
    for (size_t k = 0; k < 2; k++) {
        board b = {.pause = 5000000};
        asking a = {.caller = pthread_self(), .no_from = 2};
        crew c = {.threads = threads[k], .job = mark, .shared = &b, .go_on = answer, .user = &a};
        noslip_error err = {0};
        cr_assert_eq(crew_run(&c, UNITS, &err), NOSLIP_STOPPED);
        cr_assert_eq(err.status, NOSLIP_STOPPED);
        size_t done = count_done(&b);
        cr_assert(done > 0 && done < UNITS, "%zu done", done);
        for (size_t u = 0; u < done; u++) cr_assert_eq(atomic_load(&b.times[u]), 1, "no gaps");
        cr_assert_eq(atomic_load(&b.at_once), 0);
        cr_assert_eq(a.done, done);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(crew, does_not_forget_a_stop_that_came_in_a_short_round)
{
    board b = {.pause = 0};
    asking a = {.caller = pthread_self(), .no_from = 1};
    crew c = {.threads = 1, .job = mark, .shared = &b, .go_on = answer, .user = &a};
    cr_assert_eq(crew_run(&c, 5, NULL), NOSLIP_STOPPED);
    cr_assert_eq(a.asked, 1);
    cr_assert_eq(count_done(&b), 5);
}

Test(crew, tells_an_error_rather_than_the_stop)
{
    board b = {.pause = 0};
    b.fails[3] = true;
    asking a = {.caller = pthread_self(), .no_from = 1};
    crew c = {.threads = 2, .job = mark, .shared = &b, .go_on = answer, .user = &a};
    cr_assert_eq(crew_run(&c, 5, NULL), NOSLIP_SINGULAR);
}

Test(crew, has_nothing_to_do_in_a_round_without_units)
{
    board b = {.pause = 0};
    asking a = {.caller = pthread_self(), .no_from = 1 << 30};
    crew c = {.threads = THREADS, .job = mark, .shared = &b, .go_on = answer, .user = &a};
    cr_assert_eq(crew_run(&c, 0, NULL), NOSLIP_OK);
    cr_assert_eq(count_done(&b), 0);
    cr_assert_eq(a.asked, 1);
}
