/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "noslip/report.h"
#include "region_report.h"
#include "text.h"

const char *region_kind(noslip_point_kind kind)
{
    switch (kind) {
    case NOSLIP_POINT_NONE: return "none";
    case NOSLIP_POINT_STABLE: return "asymptotically stable";
    case NOSLIP_POINT_DIVERGENCE: return "divergence";
    case NOSLIP_POINT_FLUTTER: return "flutter";
    case NOSLIP_POINT_NEUTRAL: return "neutral";
    case NOSLIP_POINT_DEGENERATE: return "degenerate";
    case NOSLIP_POINT_UNKNOWN: break;
    }
    return "unknown";
}

const char *region_boundary(noslip_boundary kind)
{
    switch (kind) {
    case NOSLIP_BOUNDARY_DIVERGENCE: return "divergence";
    case NOSLIP_BOUNDARY_FLUTTER: return "flutter";
    case NOSLIP_BOUNDARY_EXCHANGE: return "exchange";
    case NOSLIP_BOUNDARY_EXISTENCE: break;
    }
    return "existence";
}

bool region_has_numbers(const noslip_region *r, size_t sheet, size_t i, size_t j)
{
    return !isnan(noslip_region_state(r, sheet, i, j, 0));
}

static noslip_status write_json(const noslip_region *r, const char *path, noslip_error *err)
{
    char *json = NULL;
    noslip_status status = noslip_report_region(r, &json, err);
    if (status == NOSLIP_OK) status = noslip_report_write(path, json, strlen(json), err);
    noslip_report_free(json);
    return status;
}

static noslip_status write_hdf5(const noslip_region *r, const char *path, noslip_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    noslip_status status = region_hdf5(r, &bytes, &n, err);
    if (status == NOSLIP_OK && bytes) status = noslip_report_write(path, bytes, n, err);
    noslip_free(bytes);
    return status;
}

static noslip_status write_curves(const noslip_region *r, const char *path, noslip_error *err)
{
    return write_file(path, region_fill_curves, r, err);
}

static noslip_status write_points(const noslip_region *r, const char *path, noslip_error *err)
{
    return write_file(path, region_fill_points, r, err);
}

/* The summary comes last: where it is, the others are. */
noslip_status noslip_report_region_files(const noslip_region *r, const char *folder,
                                         noslip_error *err)
{
    static const struct {
        const char *name;
        noslip_status (*write)(const noslip_region *r, const char *path, noslip_error *err);
    } files[] = {{"region.h5", write_hdf5},
                 {"points.csv", write_points},
                 {"curves.csv", write_curves},
                 {"region.json", write_json}};
    text path = {0};
    noslip_status status = NOSLIP_OK;
    for (size_t k = 0; k < sizeof files / sizeof *files && status == NOSLIP_OK; k++) {
        path.n = 0;
        text_printf(&path, "%s/%s", folder, files[k].name);
        status = path.failed ? noslip_fail_memory(err) : files[k].write(r, path.at, err);
    }
    text_free(&path);
    return status;
}
