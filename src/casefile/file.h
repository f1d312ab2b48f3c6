/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CASEFILE_FILE_H
#define NOSLIP_CASEFILE_FILE_H

#include <stddef.h>

#include "noslip/error.h"
#include "text.h"

/* A whole file. *bytes ends in a zero byte (not counted in *n) and belongs to the caller. NOSLIP_OK; NOSLIP_ERR_FILE, with the
 * reason, if it cannot be read or has more than `most` bytes; NOSLIP_ERR_MEMORY. */
noslip_status file_read(const char *path, size_t most, char **bytes, size_t *n, noslip_error *err);

/*
 * The file of a case.
 *
 *   given   a file; a folder DIR, which stands for DIR/DIR.yaml; or the name of a shipped case, a folder looked for in the
 *           folder that the environment variable NOSLIP_CASES names, in the source tree and where noslip is installed
 *   path    zeroed before, to be freed after
 *
 * NOSLIP_OK; NOSLIP_ERR_FILE, with the shipped case of the nearest name, if there is none; NOSLIP_ERR_MEMORY.
 */
noslip_status file_of_case(const char *given, text *path, noslip_error *err);

#endif
