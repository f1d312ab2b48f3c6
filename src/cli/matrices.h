/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_MATRICES_H
#define NOSLIP_CLI_MATRICES_H

#include "study.h"

/* G by blocks, and the matrices it is made of, with the names of their rows and columns. */
void matrices_print(const study *y, size_t motion);

#endif
