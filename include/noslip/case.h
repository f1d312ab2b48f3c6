/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CASE_H
#define NOSLIP_CASE_H

#include <stddef.h>

#include "noslip/error.h"
#include "noslip/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A case: a mechanical system and what is asked about it, read from a file. Belongs to one thread at a
 * time. */
typedef struct noslip_case noslip_case;

/*
 *   path_or_name   a file; a folder DIR, which stands for DIR/DIR.yaml; or the name of a shipped case, looked for in the folder
 *                  that the environment variable NOSLIP_CASES names, then where noslip was built and installed
 *   overrides      NULL, or texts "name=value" ended by NULL: value, a number or a formula of parameters, takes the place of
 *                  what the file says about that parameter; of two with one name the later holds
 *   out            set on NOSLIP_OK; free with noslip_case_close
 *
 * Returns NOSLIP_OK; NOSLIP_ERR_FILE if there is no such case or it cannot be read; NOSLIP_ERR_CASE or NOSLIP_ERR_FORMULA, with
 * the place and the reason in `err`, if it cannot be understood; NOSLIP_ERR_ARG if an override has no =; NOSLIP_ERR_MEMORY.
 */
NOSLIP_API noslip_status noslip_case_open(const char *path_or_name, const char *const *overrides,
                                          noslip_case **out, noslip_error *err);
NOSLIP_API void noslip_case_close(noslip_case *c); /* accepts NULL */

NOSLIP_API const char *noslip_case_title(const noslip_case *c); /* "" if there is none */
NOSLIP_API const char *noslip_case_file(const noslip_case *c);  /* the file it was read from */

/* Parameters, in the order of the file. Beyond the last, texts are NULL and values 0; units and descriptions are NULL, too,
 * where the file gives none. Values are those after overrides. */
NOSLIP_API size_t noslip_case_parameter_count(const noslip_case *c);
NOSLIP_API const char *noslip_case_parameter_name(const noslip_case *c, size_t k);
NOSLIP_API double noslip_case_parameter_value(const noslip_case *c, size_t k);
NOSLIP_API const char *noslip_case_parameter_unit(const noslip_case *c, size_t k);
NOSLIP_API const char *noslip_case_parameter_about(const noslip_case *c, size_t k);

/* Coordinates, in the order of the file, families written out. */
NOSLIP_API size_t noslip_case_coordinate_count(const noslip_case *c);
NOSLIP_API const char *noslip_case_coordinate_name(const noslip_case *c, size_t k);
NOSLIP_API const char *noslip_case_coordinate_unit(const noslip_case *c, size_t k);
NOSLIP_API const char *noslip_case_coordinate_about(const noslip_case *c, size_t k);

/* The parameter along x (axis 0) or y (1) of region `which` of the case, from 0; NULL beyond the last. */
NOSLIP_API const char *noslip_case_region_parameter(const noslip_case *c, size_t which, int axis);

#ifdef __cplusplus
}
#endif
#endif
