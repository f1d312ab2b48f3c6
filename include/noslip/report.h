/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REPORT_H
#define NOSLIP_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "noslip/region.h"
#include "noslip/roots.h"
#include "noslip/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Results as JSON. Nothing is computed here: what the other stages found is written down.
 *
 * A text is UTF-8, one key a line, ends in a newline and a zero byte, and is freed with noslip_report_free. Numbers have 17
 * significant digits and read back as the same double; one that is not finite is null. docs/json.md lists the keys.
 *
 * All return NOSLIP_OK or NOSLIP_ERR_MEMORY; *json is set on NOSLIP_OK only.
 */

/* What was understood of a case: coordinates and their roles, constraints, quasi-velocities, energies. */
NOSLIP_API noslip_status noslip_report_check(const noslip_model *m, char **json, noslip_error *err);

/* A steady motion. Those of a search stand in a list, `motions`, with the box that was searched. */
NOSLIP_API noslip_status noslip_report_steady(const noslip_steady *s, char **json,
                                              noslip_error *err);

/*
 * The roots of the steady motions of `s`, which stand in a list as above if a search found them.
 *
 *   r          one for each motion of s, in their order
 *   matrices   whether the matrices other than G are wanted as well
 */
NOSLIP_API noslip_status noslip_report_roots(const noslip_steady *s, noslip_roots *const *r,
                                             bool matrices, char **json, noslip_error *err);

/* A trace: critical values, where which verdict holds, and by columns the parameter, the states and the roots of the modes. */
NOSLIP_API noslip_status noslip_report_trace(const noslip_trace *t, char **json, noslip_error *err);

/* The summary of a region: areas, boundary curves, junctions, with the text of the case and its SHA-256. */
NOSLIP_API noslip_status noslip_report_region(const noslip_region *r, char **json,
                                              noslip_error *err);

/* That there is no result, and why: an object with the key `finding`. */
NOSLIP_API noslip_status noslip_report_finding(const noslip_error *finding, char **json,
                                               noslip_error *err);

NOSLIP_API void noslip_report_free(char *json); /* accepts NULL */

/*
 * Write a file, whole or not at all: what is there already stays until the last byte of the new one is on the disk. Links are
 * followed. A device or a pipe is written to as it is.
 *
 *   bytes   n of them; borrowed
 *
 * NOSLIP_OK; NOSLIP_ERR_FILE, with words, if the folder is missing or cannot be written to, the file must not be
 * replaced, or the disk is full; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_report_write(const char *path, const char *bytes, size_t n,
                                             noslip_error *err);

/*
 * Write a region into a folder that is there: region.h5 (if noslip was built with HDF5), points.csv, curves.csv, and at last region.json, each
 * whole or not at all, as noslip_report_write. docs/region.md tells what is in them. They hold what was computed and nothing of how: two
 * runs that compute the same write the same bytes.
 *
 * NOSLIP_OK, NOSLIP_ERR_FILE, NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_report_region_files(const noslip_region *r, const char *folder,
                                                    noslip_error *err);

#ifdef __cplusplus
}
#endif
#endif
