/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REPORT_WRITE_H
#define NOSLIP_REPORT_WRITE_H

#include <stdio.h>

#include "noslip/error.h"

/* Print what belongs into a file; that it could not be written is found out afterwards. */
typedef void write_fill(FILE *f, const void *user);

/* As noslip_report_write, for contents that need not be in memory as a whole. */
noslip_status write_file(const char *path, write_fill *fill, const void *user, noslip_error *err);

#endif
