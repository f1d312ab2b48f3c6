/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_SPECTRUM_ROOTS_H
#define NOSLIP_SPECTRUM_ROOTS_H

#include "noslip/roots.h"
#include "spectrum.h"

enum { MATRICES = NOSLIP_MATRIX_A + 1 };

struct noslip_roots {
    noslip_steady *s; /* borrowed */
    size_t motion;
    spectrum *x;
    double *vq, *vw;          /* slopes of the rates, for modes */
    double *matrix[MATRICES]; /* column after column */
};

noslip_verdict roots_verdict(const spectrum *x);

#endif
