/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rolling disk from case file to roots at random steady motions, with the paper's quasi-velocities and with automatic ones, against
 * the closed form of docs/theory.md and cases/rolling-disk/README.md. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "motions.h"
#include "sample.h"
#include "spectrum.h"

static const char disk[] =
    "parameters: {m: 1.3, a: 0.47, A: 0.07, C: 0.15, g: 9.81, h: 0.11, lean: 0.3, turn: 2}\n"
    "coordinates: [theta, psi, phi, x, y]\n"
    "kinetic: >\n"
    "  (A + m*a^2)/2*theta'^2 + (A*cos(theta)^2 + (C + m*a^2)*sin(theta)^2)/2*psi'^2\n"
    "  - C*sin(theta)*psi'*phi' + C/2*phi'^2 + m/2*(x'^2 + y'^2)\n"
    "  + m*a*cos(theta)*theta'*(cos(psi)*y' - sin(psi)*x')\n"
    "  - m*a*sin(theta)*psi'*(cos(psi)*x' + sin(psi)*y')\n"
    "potential: m*g*a*cos(theta)\n"
    "dissipation: h*theta'^2/2\n"
    "constraints:\n"
    "  no slip along x: x' - a*cos(psi)*phi' = 0\n"
    "  no slip along y: y' - a*sin(psi)*phi' = 0\n"
    "steady:\n"
    "  with: [theta = lean, psi' = turn]\n"
    "  guess: {theta: lean, psi': turn, phi': 1}\n";
static const char paper[] =
    "quasi-velocities: {w1: theta', w2: psi', w3: phi' - sin(theta)*psi'}\n";

enum { MASS, RADIUS, A, C, G, H, LEAN, TURN, PARAMETERS };

typedef struct {
    noslip_case *c;
    noslip_model *m;
    steady *s;
    spectrum *x;
} study;

static study open_study(bool given)
{
    char bytes[2000];
    study y = {0};
    noslip_error err = {0};
    snprintf(bytes, sizeof bytes, "%s%s", disk, given ? paper : "");
    cr_assert_eq(case_read_bytes("disk.yaml", bytes, strlen(bytes), NULL, &y.c, &err), NOSLIP_OK,
                 "%s", err.message);
    cr_assert_eq(noslip_model_make(y.c, &y.m, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(y.m->m->own_quasi, !given);
    cr_assert_eq(motions_solver(y.m, &y.s, &err), NOSLIP_OK, "%s", err.message);
    y.x = spectrum_new(y.m->m);
    cr_assert_not_null(y.x);
    return y;
}

static void close_study(study *y)
{
    spectrum_free(y->x);
    steady_free(y->s);
    noslip_model_free(y->m);
    noslip_case_close(y->c);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* The spin w3 from the steady relation; no steady motion stands upright and turns on it. */
static double spin(const double *p)
{
    double ma2 = p[MASS] * p[RADIUS] * p[RADIUS], th = p[LEAN], w2 = p[TURN];
    return (p[MASS] * p[G] * p[RADIUS] * sin(th) - p[A] * sin(th) * cos(th) * w2 * w2) /
           ((p[C] + ma2) * w2 * cos(th));
}

/* a0, and the sum of the absolute values of its terms: what its rounding is relative to. */
static double closed_form(const double *p, double *size)
{
    double ma2 = p[MASS] * p[RADIUS] * p[RADIUS], th = p[LEAN], w2 = p[TURN], w3 = spin(p);
    const double term[] = {p[A] * w2 * w2 * (1 + 2 * sin(th) * sin(th)),
                           ma2 * cos(th) * cos(th) * w2 * w2, (3 * p[C] + ma2) * w2 * w3 * sin(th),
                           p[C] / p[A] * (p[C] + ma2) * w3 * w3,
                           -p[MASS] * p[G] * p[RADIUS] * cos(th)};
    double sum = 0;
    *size = 0;
    for (size_t k = 0; k < 5; k++) {
        sum += term[k] / (p[A] + ma2);
        *size += fabs(term[k]) / (p[A] + ma2);
    }
    return sum;
}

static void random_parameters(double p[PARAMETERS], unsigned long long *seed)
{
    static const double middle[] = {1.3, 0.5, 0.09, 0.19, 9.81, 0.2, 0, 3};
    static const double half[] = {0.7, 0.2, 0.04, 0.08, 0.5, 0.2, 1.3, 2.2};
    for (int k = 0; k < PARAMETERS; k++) p[k] = middle[k] + half[k] * sample_number(seed);
}

typedef struct {
    double spin, a1, a0, below;
} worst;

static void check_point(study *y, const double *p, int point, worst *w)
{
    double q[5] = {p[LEAN], 0.3, 0.1, 7, -3}, quasi[3] = {0}, size;
    steady_info info;
    cr_assert_eq(ready_start(y->m, p, q, quasi, NULL), NOSLIP_OK);
    noslip_status status = steady_solve(y->s, p, q, quasi, &info);
    cr_assert_eq(status, NOSLIP_OK,
                 "point %d: status %d, residual %g after %d steps, lean %g, turn %g, spin %g",
                 point, status, info.residual, info.iterations, p[LEAN], p[TURN], spin(p));
    cr_assert_eq(info.manifold, 2, "point %d: k = %zu, between %g and %g", point, info.manifold,
                 info.gap_above, info.gap_below);
    cr_assert_eq(info.levels, 0);
    const double *v = steady_point(y->s)->e->v; /* theta', psi', phi', ... */
    double w3 = v[2] - sin(q[0]) * v[1], ma2 = p[MASS] * p[RADIUS] * p[RADIUS];
    double spin_size = fabs(spin(p)) + fabs(v[1]);
    cr_assert_eq(spectrum_find(y->x, y->s), NOSLIP_OK);
    cr_assert_eq(y->x->n, 2);
    const root *e = y->x->roots;
    double a1 = -(e[0].re + e[1].re), a0 = e[0].re * e[1].re - e[0].im * e[1].im;
    double exact = closed_form(p, &size);
    w->spin = fmax(w->spin, fabs(w3 - spin(p)) / spin_size);
    w->a1 = fmax(w->a1, fabs(a1 - p[H] / (p[A] + ma2)) / sqrt(size));
    w->a0 = fmax(w->a0, fabs(a0 - exact) / size);
    w->below = fmax(w->below, info.gap_below);
}

/* Sums of terms are relative to the size of their terms: where a0 goes through zero its terms cancel, and no digits are left. */
Test(disk_roots, a_thousand_steady_motions_have_the_roots_of_the_closed_form)
{
    for (int given = 0; given < 2; given++) {
        unsigned long long seed = 33550336;
        study y = open_study(given);
        worst w = {0};
        for (int point = 0; point < 1000; point++) {
            double p[PARAMETERS];
            random_parameters(p, &seed);
            check_point(&y, p, point, &w);
        }
        cr_log_info("given %d: spin %.1e, a1 %.1e, a0 %.1e, below the gap %.1e\n", given, w.spin,
                    w.a1, w.a0, w.below);
        cr_expect_leq(w.spin, 1e-12, "given %d, seed 33550336: spin off by %g", given, w.spin);
        cr_expect_leq(w.a1, 1e-12, "given %d, seed 33550336: a1 off by %g", given, w.a1);
        cr_expect_leq(w.a0, 1e-12, "given %d, seed 33550336: a0 off by %g", given, w.a0);
        close_study(&y);
    }
}
