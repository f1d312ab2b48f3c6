/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fail.h"
#include "name.h"

static noslip_status fail_system(const char *path, int number, noslip_error *err)
{
    return noslip_fail(err, NOSLIP_ERR_FILE, "cannot read '%.*s': %s",
                       text_clip(path, strlen(path), 150), path, strerror(number));
}

/* Not by the size that the system tells: a pipe has none. */
static noslip_status read_stream(FILE *f, const char *path, size_t most, text *out,
                                 noslip_error *err)
{
    char block[16384];
    size_t n;
    errno = 0;
    text_add(out, "", 0);
    while ((n = fread(block, 1, sizeof block, f)) > 0 && out->n <= most && !out->failed)
        text_add(out, block, n);
    if (out->failed) return noslip_fail_memory(err);
    if (ferror(f)) return fail_system(path, errno, err);
    if (out->n > most)
        return noslip_fail(err, NOSLIP_ERR_FILE,
                           "'%.*s' has more than the %zu bytes that are allowed",
                           text_clip(path, strlen(path), 150), path, most);
    return NOSLIP_OK;
}

noslip_status file_read(const char *path, size_t most, char **bytes, size_t *n, noslip_error *err)
{
    text all = {0};
    FILE *f = fopen(path, "rb");
    if (!f) return fail_system(path, errno, err);
    noslip_status status = read_stream(f, path, most, &all, err);
    fclose(f);
    if (status != NOSLIP_OK) {
        text_free(&all);
        return status;
    }
    *bytes = all.at;
    *n = all.n;
    return NOSLIP_OK;
}

/* Shipped cases */

enum { PLACES = 3 };

static const char *place(int k)
{
    return k == 0 ? getenv("NOSLIP_CASES") : k == 1 ? NOSLIP_SOURCE_CASES : NOSLIP_INSTALLED_CASES;
}

static bool is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* path = FOLDER/NAME/NAME.yaml; true if that is a file. */
static bool try_name(const char *folder, const char *name, text *path)
{
    path->n = 0;
    text_printf(path, "%s/%s/%s.yaml", folder, name, name);
    return !path->failed && is_file(path->at);
}

static bool find_shipped(const char *name, text *path)
{
    if (!*name || strchr(name, '/')) return false;
    for (int k = 0; k < PLACES && !path->failed; k++)
        if (place(k) && *place(k) && try_name(place(k), name, path)) return true;
    return false;
}

/* The name of a folder, also if it is given as ".": the last part of its full path. */
static bool in_folder(const char *folder, text *path)
{
    char *full = realpath(folder, NULL);
    const char *slash = full ? strrchr(full, '/') : NULL;
    path->n = 0;
    if (slash) text_printf(path, "%s/%s.yaml", folder, slash + 1);
    free(full); /* the system's own block */
    return slash && !path->failed && is_file(path->at);
}

static void nearest_in(const char *folder, const char *name, int *nearest, char best[NAME_MAX + 1])
{
    DIR *d = folder && *folder ? opendir(folder) : NULL;
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.') continue;
        int distance =
            text_distance(name, strlen(name), e->d_name, strlen(e->d_name), *nearest - 1);
        if (distance >= *nearest) continue;
        *nearest = distance;
        memcpy(best, e->d_name, strlen(e->d_name) + 1);
    }
    if (d) closedir(d);
}

static noslip_status fail_shipped(const char *name, noslip_error *err)
{
    char best[NAME_MAX + 1] = "";
    int nearest = name_tolerance(name, strlen(name)) + 1;
    for (int k = 0; k < PLACES; k++) nearest_in(place(k), name, &nearest, best);
    noslip_fail(err, NOSLIP_ERR_FILE, "no file, no folder and no shipped case '%.*s'",
                text_clip(name, strlen(name), 150), name);
    if (best[0]) noslip_hint(err, "did you mean '%s'?", best);
    return NOSLIP_ERR_FILE;
}

noslip_status file_of_case(const char *given, text *path, noslip_error *err)
{
    bool folder = is_folder(given), found = false;
    if (is_file(given))
        text_puts(path, given);
    else {
        found = (folder && in_folder(given, path)) || find_shipped(given, path);
        if (!found && !path->failed && folder)
            return noslip_fail(err, NOSLIP_ERR_FILE,
                               "the folder '%.*s' holds no case file of its name (.yaml)",
                               text_clip(given, strlen(given), 150), given);
        if (!found && !path->failed && strchr(given, '/')) return fail_system(given, ENOENT, err);
        if (!found && !path->failed) return fail_shipped(given, err);
    }
    return path->failed ? noslip_fail_memory(err) : NOSLIP_OK;
}
