/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_PROGRESS_H
#define NOSLIP_CLI_PROGRESS_H

#include <stdbool.h>

/* Long work: a line on a terminal that says how far it is, and signals that ask it to stop. Zero it at first. */
typedef struct {
    bool shown;      /* there is a terminal to show it on */
    bool written;    /* a line stands there */
    int round;       /* from 1 */
    double part;     /* of the round, as it was said last */
    double began;    /* the work, in seconds */
    double round_at; /* the round */
    double said_at;
} progress;

/* From here on SIGINT and SIGTERM ask for a stop, once: a second one ends the program. A file that grows too large is an error like a full
 * disk, not a signal. Nothing is shown if `quiet`. */
void progress_begin(progress *p, bool quiet);

/* For noslip_region_options: false once a signal came. A part that is smaller than the last begins a new round. */
bool progress_go_on(void *user, double part);

/* Take the line away. Returns the seconds since the beginning. */
double progress_end(progress *p);

/* The signal that asked for a stop, or 0. */
int progress_signal(void);

#endif
