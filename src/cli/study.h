/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_STUDY_H
#define NOSLIP_CLI_STUDY_H

#include <stdio.h>

#include "options.h"

/* A case under study: what was asked for is opened stage by stage, and what is printed is held back until all of it is there.
 * Zero it at first; a stage that fails fills `err`, and all later ones do nothing. */
typedef struct {
    noslip_case *c;
    noslip_model *m;
    noslip_steady *s;
    noslip_roots **r; /* one for each motion of s */
    size_t n;         /* how many motions there are; 0 before they are found */
    noslip_status status;
    noslip_error err;
    FILE *out; /* results */
    char *bytes;
    size_t n_bytes;
} study;

void study_open(study *y, const case_options *q);   /* the case and its model */
void study_find(study *y, const search_options *q); /* steady motions */
void study_roots(study *y);                         /* their roots */
void study_put_json(study *y, char *json);          /* a result; frees it, accepts NULL */

/* Write the results where they belong, say what went wrong, close everything. Returns the exit status: `done` if all went well. */
int study_end(study *y, const case_options *q, int done);

/* Number of states: positional coordinates and quasi-velocities. */
size_t study_states(const study *y);

#endif
