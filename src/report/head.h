/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REPORT_HEAD_H
#define NOSLIP_REPORT_HEAD_H

#include "noslip/model.h"
#include "page.h"

/* What every result begins with: the version, the case, its parameters and units, the roles of its coordinates, its quasi-velocities. */
void head_put(page *p, const noslip_model *m);

#endif
