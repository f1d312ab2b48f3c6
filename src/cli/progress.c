/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "progress.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void ask(int number)
{
    asked = number;
}

int progress_signal(void)
{
    return asked;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A shell starts what runs in the background with SIGINT ignored: that stays so. */
static void listen_to(int number)
{
    struct sigaction old, new = {.sa_handler = ask, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(number, &new, NULL);
}

void progress_begin(progress *p, bool quiet)
{
    *p = (progress){.shown = !quiet && isatty(STDERR_FILENO), .round = 1};
    p->began = p->round_at = p->said_at = now();
    signal(SIGXFSZ, SIG_IGN);
    listen_to(SIGINT);
    listen_to(SIGTERM);
}

/* The work is done in rounds, of which only the present one is known in advance. */
static void say(progress *p, double at)
{
    double spent = at - p->round_at, left = p->part > 0 ? spent * (1 - p->part) / p->part : 0;
    fprintf(stderr, "\r\033[K%.0f s, round %d: %3.0f %%", at - p->began, p->round, 100 * p->part);
    if (p->part > 0 && spent > 1) fprintf(stderr, ", %.0f s left", left);
    fflush(stderr);
    p->said_at = at;
    p->written = true;
}

bool progress_go_on(void *user, double part)
{
    progress *p = user;
    double at = now();
    if (part < p->part) {
        p->round++;
        p->round_at = at;
    }
    p->part = part;
    if (p->shown && at - p->said_at > 0.2) say(p, at);
    return !asked;
}

double progress_end(progress *p)
{
    if (p->written) fputs("\r\033[K", stderr);
    p->written = false;
    return now() - p->began;
}
