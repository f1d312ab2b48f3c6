/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that libnoslip offers. */
#ifndef NOSLIP_H
#define NOSLIP_H

#include "noslip/case.h"
#include "noslip/error.h"
#include "noslip/formula.h"
#include "noslip/model.h"
#include "noslip/region.h"
#include "noslip/report.h"
#include "noslip/roots.h"
#include "noslip/status.h"
#include "noslip/steady.h"
#include "noslip/trace.h"

#endif
