/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_MOTION_H
#define NOSLIP_CLI_MOTION_H

#include "study.h"

/* What more than one command says about steady motions. */

/* The values of the states in one sentence. */
void motion_print_briefly(const study *y, size_t motion);

/* The dimension of the manifold, how clear that is, and what the conditions leave open. */
void motion_print_manifold(const study *y, size_t motion);

/* The title of the case, or else its file; of a search how many motions were found, from how many starts, in which box. */
void motion_print_head(const study *y);

#endif
