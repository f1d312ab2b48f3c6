/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "fail.h"
#include "noslip/report.h"
#include "text.h"
#include "write.h"

/* The bytes go into a new file beside the old one, to the disk, and only then under the name wanted: whoever opens that name finds
 * the old file or the new one, never a part of it. */

static noslip_status fail_file(noslip_error *err, const char *path, int number)
{
    return noslip_fail(err, NOSLIP_ERR_FILE, "'%s' cannot be written: %s", path, strerror(number));
}

/* What goes into a file. */
typedef struct {
    write_fill *fill;
    const void *user;
} contents;

/* 0, or the number of an error. */
static int fill_stream(FILE *f, const contents *c)
{
    errno = 0;
    c->fill(f, c->user);
    if (fflush(f) == 0 && !ferror(f)) return 0;
    return errno ? errno : EIO;
}

static int write_and_close(int file, const contents *c, bool to_disk)
{
    FILE *f = fdopen(file, "w");
    if (!f) {
        int number = errno;
        close(file);
        return number;
    }
    int number = fill_stream(f, c);
    if (!number && to_disk && fsync(file) != 0) number = errno;
    if (fclose(f) != 0 && !number) number = errno;
    return number;
}

static int write_in_place(const char *path, const contents *c)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    return file < 0 ? errno : write_and_close(file, c, false);
}

/* A file that is not there yet, in the folder of `path`; its name is in `name` afterwards. */
static int open_beside(const char *path, mode_t mode, text *name)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
    int file = -1;
    for (int attempt = 0; file < 0 && attempt < 100; attempt++) {
        name->n = 0;
        text_add(name, path, folder);
        text_printf(name, ".noslip-%ld-%d", (long)getpid(), attempt);
        if (name->failed) return -1;
        file = open(name->at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST) return -1;
    }
    if (file >= 0) flock(file, LOCK_EX | LOCK_NB); /* it is in use as long as this process lives */
    return file;
}

/* `old` is what stands there now, or NULL. */
static int replace(const char *path, const struct stat *old, const contents *c, bool *memory)
{
    text name = {0};
    int file = open_beside(path, 0666, &name), number = file < 0 ? errno : 0;
    *memory = name.failed;
    if (file >= 0) {
        if (old && fchmod(file, old->st_mode & 07777) != 0) number = errno;
        int written = write_and_close(file, c, true);
        if (!number) number = written;
        if (!number && rename(name.at, path) != 0) number = errno;
        if (number) unlink(name.at);
    }
    text_free(&name);
    return number;
}

static noslip_status write_at(const char *shown, const char *path, const contents *c,
                              noslip_error *err)
{
    struct stat old;
    bool there = stat(path, &old) == 0, memory = false;
    int number;
    if (there && S_ISDIR(old.st_mode))
        number = EISDIR;
    else if (there && !S_ISREG(old.st_mode))
        number = write_in_place(path, c);
    else if (there && access(path, W_OK) != 0)
        number = errno;
    else
        number = replace(path, there ? &old : NULL, c, &memory);
    if (memory) return noslip_fail_memory(err);
    return number ? fail_file(err, shown, number) : NOSLIP_OK;
}

noslip_status write_file(const char *path, write_fill *fill, const void *user, noslip_error *err)
{
    const contents c = {fill, user};
    char *target = realpath(path, NULL); /* through links; NULL if nothing is there */
    noslip_status status = write_at(path, target ? target : path, &c, err);
    free(target);
    return status;
}

typedef struct {
    const char *bytes;
    size_t n;
} block;

static void fill_bytes(FILE *f, const void *user)
{
    const block *b = user;
    fwrite(b->bytes, 1, b->n, f);
}

noslip_status noslip_report_write(const char *path, const char *bytes, size_t n, noslip_error *err)
{
    const block b = {bytes, n};
    return write_file(path, fill_bytes, &b, err);
}
