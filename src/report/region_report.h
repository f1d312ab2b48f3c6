/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REPORT_REGION_REPORT_H
#define NOSLIP_REPORT_REGION_REPORT_H

#include "fail.h"
#include "noslip/region.h"
#include "write.h"

/* The files of a region. What is the same for two runs that compute the same is in them, and nothing else: no times, no threads. */

/* Words for kinds of points and of boundaries, as they stand in all files; never NULL. */
const char *region_kind(noslip_point_kind kind);
const char *region_boundary(noslip_boundary kind);

/* Whether the states and roots of a node are known. */
bool region_has_numbers(const noslip_region *r, size_t sheet, size_t i, size_t j);

/* region_csv.c; `region` is a noslip_region. */
write_fill region_fill_curves, region_fill_points;

/* region_hdf5.c: the file as it shall stand on the disk. *bytes is freed by noslip_free, and NULL if noslip was built without HDF5.
 * NOSLIP_OK; NOSLIP_ERR_FILE if the library fails; NOSLIP_ERR_MEMORY. */
noslip_status region_hdf5(const noslip_region *r, char **bytes, size_t *n, noslip_error *err);

#endif
