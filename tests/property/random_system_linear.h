/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_TEST_RANDOM_SYSTEM_LINEAR_H
#define NOSLIP_TEST_RANDOM_SYSTEM_LINEAR_H

#include <complex.h>
#include <stdbool.h>

/* Small matrices in long double, for tests: rows of LINEAR_MOST. */
enum { LINEAR_MOST = 16 };

/* x of a x = b, by elimination with pivots; `a` and `b` (count columns, x afterwards) are destroyed. */
void linear_solve(int n, long double a[][LINEAR_MOST], int count, long double b[][LINEAR_MOST]);

/* The eigenvalues of a, by QR steps on a Hessenberg matrix; false if they do not converge. */
bool linear_eigenvalues(int n, const long double a[][LINEAR_MOST], long double complex *out);

#endif
