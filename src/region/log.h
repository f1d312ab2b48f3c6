/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_LOG_H
#define NOSLIP_REGION_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "noslip/error.h"

/*
 * A checkpoint: a file to which the results of units of work are appended as they are finished, so that work that was killed can
 * go on. A kill loses the record that was being written, a loss of power what was written in about the last second; nothing that
 * is found in the file later is wrong: every part has a checksum.
 *
 * The bytes of a record are the caller's business, their order on different machines too.
 */
typedef struct checkpoint checkpoint;

/* What a record is looked up by. */
typedef struct {
    uint32_t sheet, round, unit;
} unit_key;

/*
 * Begin a new checkpoint.
 *
 * It is made as `path`.new and gets its name when it is complete on the disk: an existing file at `path` stays as it is until
 * then, and whatever it was, is replaced.
 *
 *   identity   n bytes that tell what is computed, in all that matters; copied into the file
 *   out        set on NOSLIP_OK only; to be closed by checkpoint_close
 *
 * Returns NOSLIP_OK; NOSLIP_ERR_FILE, with the system's reason, if it cannot be written, or if another process is about to make
 * the same; NOSLIP_ERR_ARG if the identity has 4 GiB or more; NOSLIP_ERR_MEMORY.
 */
noslip_status checkpoint_create(const char *path, const void *identity, size_t n, checkpoint **out,
                                noslip_error *err);

/*
 * Go on with a checkpoint. Every record is read and checked.
 *
 * A record cut short at the end of the file, or damaged with nothing valid behind it, is what a killed process or a crashed
 * system leaves: it is dropped, and the file truncated there.
 *
 * Returns NOSLIP_OK; NOSLIP_ERR_FILE, with words and a hint, if there is no such file, it is not a checkpoint, of another version
 * of the format, damaged in its header, of another identity, damaged in a record that valid ones follow (with the offset), in use
 * by another process, or cannot be read or written; NOSLIP_ERR_MEMORY. A file that is refused is not touched.
 */
noslip_status checkpoint_resume(const char *path, const void *identity, size_t n, checkpoint **out,
                                noslip_error *err);

/* The next three may be called from several threads at once. */

/* Whether there is a record of this key, and if so of how many bytes (`bytes` may be NULL). */
bool checkpoint_has(const checkpoint *c, unit_key key, size_t *bytes);

/*
 * Read a record of n bytes, neither more nor fewer, to `to`, whose contents are undefined on an error.
 *
 * Returns NOSLIP_OK; NOSLIP_ERR_ARG if there is no such record or it has another size; NOSLIP_ERR_FILE if it cannot be read or is
 * not any more what was written.
 */
noslip_status checkpoint_read(checkpoint *c, unit_key key, void *to, size_t n, noslip_error *err);

/*
 * Append a record of n bytes. When this returns it survives the death of the process; it is brought to the disk, with all before
 * it, about once a second and when the checkpoint is closed.
 *
 * Returns NOSLIP_OK; NOSLIP_ERR_ARG if there is a record of this key already, or n is 4 GiB or more; NOSLIP_ERR_FILE, with the
 * system's reason, if it cannot be written: the disk is full, for example; NOSLIP_ERR_MEMORY. If it could
 * not be written, the file is left with the records it had, and one may go on; if it was, but cannot be brought to the disk, it
 * is there as long as the system runs.
 */
noslip_status checkpoint_append(checkpoint *c, unit_key key, const void *bytes, size_t n,
                                noslip_error *err);

/* Bring all to the disk and free. Accepts NULL. The file stays. */
void checkpoint_close(checkpoint *c);

/* Remove the file, with what an interrupted checkpoint_create may have left beside it. NOSLIP_OK also if there is none; else
 * NOSLIP_ERR_FILE with the system's reason, or NOSLIP_ERR_MEMORY. */
noslip_status checkpoint_remove(const char *path, noslip_error *err);

#endif
