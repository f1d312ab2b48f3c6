/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* To be freed. */
static char *join(const char *path, const char *name)
{
    size_t size = strlen(path) + strlen(name) + 2;
    char *whole = cli_memory(size, 1);
    snprintf(whole, size, "%s/%s", path, name);
    return whole;
}

static noslip_status fail(noslip_error *err, const char *format, const char *path, int number)
{
    err->status = NOSLIP_ERR_FILE;
    snprintf(err->message, sizeof err->message, format, path, strerror(number));
    return NOSLIP_ERR_FILE;
}

static bool is_there(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

static noslip_status make(folder *f, noslip_error *err)
{
    struct stat s;
    f->made = mkdir(f->path, 0777) == 0;
    if (!f->made && errno != EEXIST)
        return fail(err, "the folder '%.150s' cannot be made: %s", f->path, errno);
    if (stat(f->path, &s) != 0 || !S_ISDIR(s.st_mode))
        return fail(err, "'%.150s' is not a folder", f->path, 0);
    if (access(f->path, W_OK | X_OK) != 0)
        return fail(err, "the folder '%.150s' cannot be written to: %s", f->path, errno);
    return NOSLIP_OK;
}

noslip_status folder_open(folder *f, const char *path, bool resume, noslip_error *err)
{
    if (!path) return NOSLIP_OK;
    f->path = path;
    f->checkpoint = join(path, "region.checkpoint");
    if (resume && !is_there(f->checkpoint)) {
        fail(err, "there is no checkpoint '%.150s'", f->checkpoint, 0);
        snprintf(err->hint, sizeof err->hint, "begin without --resume");
        return NOSLIP_ERR_FILE;
    }
    noslip_status status = make(f, err);
    if (status != NOSLIP_OK || resume || !is_there(f->checkpoint)) return status;
    fail(err, "'%.150s' is from a run that did not end", f->checkpoint, 0);
    snprintf(err->hint, sizeof err->hint, "go on with --resume, or remove it");
    return NOSLIP_ERR_FILE;
}

static void remove_in(const char *path, const char *name)
{
    char *whole = join(path, name);
    unlink(whole);
    free(whole);
}

/* A file that was being written when its process was killed: nobody holds the lock that its writer took. */
static bool is_left_over(const char *path, const char *name)
{
    if (strncmp(name, ".noslip-", 8) != 0) return false;
    char *whole = join(path, name);
    int file = open(whole, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool left = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;
    if (file >= 0) close(file);
    free(whole);
    return left;
}

static void sweep_up(const char *path)
{
    DIR *d = opendir(path);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (is_left_over(path, e->d_name)) remove_in(path, e->d_name);
    if (d) closedir(d);
}

void folder_done(folder *f)
{
    if (!f->path) return;
    sweep_up(f->path);
    remove_in(f->path, "region.checkpoint.new");
    if (unlink(f->checkpoint) != 0)
        cli_complain("'%s' cannot be removed: %s", f->checkpoint, strerror(errno));
    f->done = true;
}

bool folder_close(folder *f)
{
    if (!f->path || f->done) return false;
    if (f->made) rmdir(f->path);
    return is_there(f->checkpoint);
}
