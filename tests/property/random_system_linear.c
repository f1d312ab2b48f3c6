/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "random_system_linear.h"

static void exchange(long double *a, long double *b)
{
    for (int j = 0; j < LINEAR_MOST; j++) {
        long double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
}

static int largest_below(int n, long double a[][LINEAR_MOST], int first, int column)
{
    int best = first;
    for (int i = first + 1; i < n; i++)
        if (fabsl(a[i][column]) > fabsl(a[best][column])) best = i;
    return best;
}

void linear_solve(int n, long double a[][LINEAR_MOST], int count, long double b[][LINEAR_MOST])
{
    for (int k = 0; k < n; k++) {
        int best = largest_below(n, a, k, k);
        exchange(a[k], a[best]);
        exchange(b[k], b[best]);
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            long double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++) a[i][j] -= factor * a[k][j];
            for (int j = 0; j < count; j++) b[i][j] -= factor * b[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < count; j++) b[i][j] /= a[i][i];
}

typedef long double complex row[LINEAR_MOST];

/* Turn rows k and i so that (x, y) of them would become (r, 0), and columns k and i back. */
static void rotate(int n, row *a, int k, int i, long double complex x, long double complex y)
{
    long double r = hypotl(cabsl(x), cabsl(y));
    if (r == 0) return;
    long double complex c = x / r, s = y / r;
    for (int j = 0; j < n; j++) {
        long double complex u = a[k][j], v = a[i][j];
        a[k][j] = conjl(c) * u + conjl(s) * v;
        a[i][j] = c * v - s * u;
    }
    for (int j = 0; j < n; j++) {
        long double complex u = a[j][k], v = a[j][i];
        a[j][k] = c * u + s * v;
        a[j][i] = conjl(c) * v - conjl(s) * u;
    }
}

/* The eigenvalue of the last 2 x 2 block that is nearer to its last entry (Wilkinson). */
static long double complex shift_of(row *a, int last)
{
    long double complex p = a[last - 1][last - 1], q = a[last][last],
                        bc = a[last - 1][last] * a[last][last - 1];
    long double complex half = (p - q) / 2, root_of = csqrtl(half * half + bc);
    long double complex one = half + root_of, two = half - root_of;
    return q + (cabsl(one) < cabsl(two) ? one : two);
}

/* One implicit step on rows first..last: a rotation of the first two rows, and the bulge chased out. */
static void chase(int n, row *a, int first, int last, long double complex shift)
{
    long double complex x = a[first][first] - shift, y = a[first + 1][first];
    for (int k = first; k < last; k++) {
        rotate(n, a, k, k + 1, x, y);
        if (k + 2 > last) return;
        x = a[k + 1][k];
        y = a[k + 2][k];
    }
}

static long double norm_of(int n, row *a)
{
    long double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += cabsl(a[i][j]);
    return sum;
}

bool linear_eigenvalues(int n, const long double given[][LINEAR_MOST], long double complex *out)
{
    row a[LINEAR_MOST];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i][j] = given[i][j];
    for (int k = 0; k + 2 < n; k++)
        for (int i = k + 2; i < n; i++) rotate(n, a, k + 1, i, a[k + 1][k], a[i][k]);
    long double small = LDBL_EPSILON * norm_of(n, a) / 8;
    int last = n - 1;
    for (int steps = 0; last > 0; steps++) {
        int first = last;
        if (steps == 900) return false;
        while (first > 0 && cabsl(a[first][first - 1]) > small) first--;
        if (first == last)
            last--;
        else
            chase(n, a, first, last,
                  steps % 30 == 29 ? a[last][last] + 0.7L * cabsl(a[last][last - 1])
                                   : shift_of(a, last));
    }
    for (int k = 0; k < n; k++) out[k] = a[k][k];
    return true;
}
