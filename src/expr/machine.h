/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_MACHINE_H
#define NOSLIP_EXPR_MACHINE_H

#include "tape.h"

/* Machine code for a tape.
 *
 * An interpreter reads and writes memory for every instruction, and that is all it waits for. So the
 * pieces of a tape between calls are translated to straight code in which values stay in registers, for
 * one vector of points at a time; it works on the same rows as the kernel that does the calls, and gives the same bits.
 * Nothing depends on it: where it cannot be had (another processor, no executable memory) the kernel does all. */
typedef struct machine machine;

/* NULL if the kernel has no machine code, the tape is too short to gain, or memory cannot be had. */
machine *machine_new(const tape *t, const kernel *k);
void machine_free(machine *m);

/* Run the tape on one block with the kernel it was made for; constants as for the kernel, followed by MACHINE_CONSTANTS more
 * that machine_constants sets. */
void machine_run(const machine *m, const tape *t, const kernel *k, double *const *row,
                 const double *constants);

enum { MACHINE_CONSTANTS = 2 };
void machine_constants(double *behind_the_last);

size_t machine_size(const machine *m); /* bytes of code; 0 for NULL */

#endif
