/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_FOLDER_H
#define NOSLIP_CLI_FOLDER_H

#include "cli.h"

/* A folder for results, with the checkpoint of the work in it while it lasts. Zero it at first. */
typedef struct {
    const char *path; /* borrowed; NULL if results are not kept */
    char *checkpoint; /* path of the checkpoint, NULL without a folder; freed by the user */
    bool made;        /* by us */
    bool done;
} folder;

/*
 * Make the folder if it is not there; its parent must be. Does nothing for a path that is NULL.
 *
 * NOSLIP_OK; NOSLIP_ERR_FILE, with words, if it cannot be made or written to, is no folder, has a checkpoint and `resume` is false, or has none
 * and `resume` is true.
 */
noslip_status folder_open(folder *f, const char *path, bool resume, noslip_error *err);

/* All results are there: the checkpoint is removed, and what killed runs have left. */
void folder_done(folder *f);

/* A folder that we made and that is empty is removed. Returns whether there is a checkpoint to go on from. */
bool folder_close(folder *f);

#endif
