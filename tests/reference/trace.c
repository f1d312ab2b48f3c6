/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces against closed forms and published numbers (docs/theory.md, the cases' own references). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "case.h"
#include "noslip/noslip.h"

typedef struct {
    noslip_case *c;
    noslip_model *m;
    noslip_trace *t;
    noslip_trace_info i;
} study;

static void follow_study(study *y, const noslip_trace_options *o)
{
    noslip_error err = {0};
    cr_assert_eq(noslip_model_make(y->c, &y->m, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(noslip_trace_follow(y->m, o, &y->t, &err), NOSLIP_OK, "%s", err.message);
    y->i = noslip_trace_about(y->t);
}

/* A shipped case; along a parameter if one is named. */
static study open_shipped(const char *name, const char *parameter, double from, double to)
{
    study y = {0};
    noslip_error err = {0};
    noslip_trace_options o = noslip_trace_default();
    o.parameter = parameter;
    o.from = from;
    o.to = to;
    cr_assert_eq(noslip_case_open(name, NULL, &y.c, &err), NOSLIP_OK, "%s", err.message);
    follow_study(&y, &o);
    return y;
}

static study open_bytes(const char *bytes, const char *const *overrides)
{
    study y = {0};
    noslip_error err = {0};
    noslip_trace_options o = noslip_trace_default();
    cr_assert_eq(case_read_bytes("case", bytes, strlen(bytes), overrides, &y.c, &err), NOSLIP_OK,
                 "%s", err.message);
    follow_study(&y, &o);
    return y;
}

static void close_study(study *y)
{
    noslip_trace_free(y->t);
    noslip_model_free(y->m);
    noslip_case_close(y->c);
    cr_assert_eq(noslip_alloc_live(), 0);
}

static void expect_critical(const study *y, size_t k, double expected, noslip_critical_kind kind,
                            noslip_critical_motion motion, noslip_critical_change change)
{
    cr_assert_lt(k, y->i.criticals, "there are only %zu critical values", y->i.criticals);
    noslip_critical c = noslip_trace_critical(y->t, k);
    cr_expect_leq(fabs(c.value - expected), 1e-10 * fabs(expected),
                  "critical value %.17g is %g off", c.value, c.value - expected);
    cr_expect_leq(fabs(c.value - expected), 10 * c.bound + 1e-12 * fabs(expected),
                  "critical value %.17g is %g off, its bound is %g", c.value, c.value - expected,
                  c.bound);
    cr_expect_eq(c.kind, kind, "%g: kind %d", expected, c.kind);
    cr_expect_eq(c.motion, motion, "%g: motion %d", expected, c.motion);
    cr_expect_eq(c.change, change, "%g: change %d", expected, c.change);
}

/* Meijaard, Papadopoulos, Ruina and Schwab (2007), recomputed to 40 digits. */
static const double bicycle_double = 0.684283078892456, bicycle_weave = 4.292382536341104,
                    bicycle_capsize = 6.024262015388359;

Test(trace, the_bicycle_has_its_critical_speeds_and_three_modes)
{
    study y = open_shipped("whipple-bicycle", NULL, 0, 0);
    cr_assert_eq(y.i.criticals, 3);
    expect_critical(&y, 0, bicycle_double, NOSLIP_CRITICAL_DOUBLE, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_PAIR);
    expect_critical(&y, 1, bicycle_weave, NOSLIP_CRITICAL_FLUTTER, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_STABLE);
    expect_critical(&y, 2, bicycle_capsize, NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_BRANCH,
                    NOSLIP_CHANGE_UNSTABLE);
    cr_expect_float_eq(noslip_trace_critical(y.t, 0).re, 3.782904051293203, 1e-9);
    cr_expect_float_eq(noslip_trace_critical(y.t, 1).im, 3.4350338, 1e-6);
    cr_assert_eq(y.i.modes, 3);
    static const char *const names[] = {"weave", "capsize", "castering"};
    static const size_t counts[] = {2, 1, 1}, owner[] = {0, 0, 1};
    for (size_t k = 0; k < 3; k++) {
        cr_expect_str_eq(noslip_trace_mode_at(y.t, k).name, names[k]);
        cr_expect_eq(noslip_trace_mode_at(y.t, k).count, counts[k]);
        cr_expect_eq(noslip_trace_critical(y.t, k).mode, owner[k]);
    }
    close_study(&y);
}

/* Two critical values never share a step, so the verdict between them is seen. */
Test(trace, long_steps_lose_no_verdict)
{
    for (size_t steps = 1; steps < 8; steps++) {
        study y = {0};
        noslip_error err = {0};
        noslip_trace_options o = noslip_trace_default();
        o.steps = steps;
        cr_assert_eq(noslip_case_open("whipple-bicycle", NULL, &y.c, &err), NOSLIP_OK);
        follow_study(&y, &o);
        cr_expect_eq(y.i.criticals, 3, "%zu steps", steps);
        cr_expect_eq(y.i.ranges, 4, "%zu steps", steps);
        cr_expect_eq(y.i.modes, 3, "%zu steps", steps);
        expect_critical(&y, 2, bicycle_capsize, NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_BRANCH,
                        NOSLIP_CHANGE_UNSTABLE);
        close_study(&y);
    }
}

/* At every point the castering root is far to the left, and capsize is the other real one. */
Test(trace, the_bicycles_modes_keep_their_names_at_every_point)
{
    study y = open_shipped("whipple-bicycle", NULL, 0, 0);
    for (size_t p = 0; p < y.i.points; p++) {
        noslip_root weave = noslip_trace_root(y.t, p, 0), capsize = noslip_trace_root(y.t, p, 2),
                    castering = noslip_trace_root(y.t, p, 3);
        double v = noslip_trace_value(y.t, p);
        cr_expect_eq(weave.im > 0, v > bicycle_double, "v = %g", v);
        cr_expect(capsize.im == 0 && capsize.re > -3.2 && capsize.re < 0.2, "v = %g: capsize %g", v,
                  capsize.re);
        cr_expect(castering.im == 0 && castering.re < -5.5, "v = %g: castering %g", v,
                  castering.re);
    }
    close_study(&y);
}

Test(trace, verdicts_make_ranges_between_critical_values)
{
    study y = open_shipped("whipple-bicycle", NULL, 0, 0);
    static const noslip_verdict verdicts[] = {NOSLIP_UNSTABLE_DIVERGENCE, NOSLIP_UNSTABLE_FLUTTER,
                                              NOSLIP_ASYMPTOTICALLY_STABLE,
                                              NOSLIP_UNSTABLE_DIVERGENCE};
    const double ends[] = {0, bicycle_double, bicycle_weave, bicycle_capsize, 10};
    cr_assert_eq(y.i.ranges, 4);
    for (size_t k = 0; k < 4; k++) {
        noslip_trace_range g = noslip_trace_range_at(y.t, k);
        cr_expect_eq(g.verdict, verdicts[k]);
        cr_expect_float_eq(g.from, ends[k], 1e-10);
        cr_expect_float_eq(g.to, ends[k + 1], 1e-10);
    }
    close_study(&y);
}

/* Basu-Mandal, Chatterjee and Papadopoulos (2007): hands-free turning at a lean of 20 degrees, at v = 5.52924680577149. */
Test(trace, the_bicycles_other_branch_at_capsize_is_hands_free_turning)
{
    study y = open_shipped("whipple-bicycle", "v", 10, 5.52924680577149);
    noslip_error err = {0};
    for (int side = -1; side <= 1; side += 2) {
        noslip_trace *b;
        cr_assert_eq(noslip_trace_critical(y.t, 0).motion, NOSLIP_MOTION_BRANCH);
        cr_assert_eq(noslip_trace_switch(y.t, 0, side, &b, &err), NOSLIP_OK, "%s", err.message);
        noslip_trace_info i = noslip_trace_about(b);
        cr_expect_eq(i.end, NOSLIP_TRACE_ARRIVED);
        size_t last = i.points - 1;
        cr_expect_float_eq(fabs(noslip_trace_state(b, last, 0)), acos(-1.0) / 9, 1e-9);
        static const double roots[4][2] = {{-1.71469731041388, 5.83867059852686},
                                           {-1.71469731041388, -5.83867059852686},
                                           {0.282159334612222, 0},
                                           {-13.887926836867, 0}};
        for (size_t k = 0; k < 4; k++) {
            cr_expect_float_eq(noslip_trace_root(b, last, k).re, roots[k][0], 1e-8);
            cr_expect_float_eq(noslip_trace_root(b, last, k).im, roots[k][1], 1e-8);
        }
        noslip_trace_free(b);
    }
    close_study(&y);
}

/* Upright straight rolling: v^2 = g a/4 (hoop), g a/3 (disk). */
Test(trace, hoop_and_disk_become_neutral_at_their_critical_speeds)
{
    study y = open_shipped("rolling-hoop", "speed", 0.13, 2.9);
    cr_assert_eq(y.i.criticals, 1);
    expect_critical(&y, 0, sqrt(9.81 * 0.5 / 4), NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_STABLE);
    cr_expect_eq(y.i.modes, 1);
    cr_expect_eq(noslip_trace_range_at(y.t, 1).verdict, NOSLIP_NEUTRAL);
    close_study(&y);
}

#define DISK                                                                             \
    "parameters: {m: 1.3, a: 0.37, A: m*a^2/4, C: m*a^2/2, g: 9.81, h: 0, v: 1}\n"       \
    "coordinates: [theta, psi, phi, x, y]\n"                                             \
    "kinetic: >\n"                                                                       \
    "  (A + m*a^2)/2*theta'^2 + (A*cos(theta)^2 + (C + m*a^2)*sin(theta)^2)/2*psi'^2\n"  \
    "  - C*sin(theta)*psi'*phi' + C/2*phi'^2 + m/2*(x'^2 + y'^2)\n"                      \
    "  + m*a*cos(theta)*theta'*(cos(psi)*y' - sin(psi)*x')\n"                            \
    "  - m*a*sin(theta)*psi'*(cos(psi)*x' + sin(psi)*y')\n"                              \
    "potential: m*g*a*cos(theta)\n"                                                      \
    "dissipation: h*theta'^2/2\n"                                                        \
    "constraints: {along: x' - a*cos(psi)*phi' = 0, across: y' - a*sin(psi)*phi' = 0}\n" \
    "quasi-velocities: {w1: theta', w2: psi', w3: phi' - sin(theta)*psi'}\n"             \
    "steady:\n"                                                                          \
    "  with: [theta = 0, w3 = v/a]\n"                                                    \
    "  guess: {theta: 0, w3: v/a}\n"

Test(trace, the_disk_is_critical_at_its_speed_whatever_it_is_traced_along)
{
    study y = open_bytes(DISK "trace: {parameter: v, from: 0.21, to: 3.3}\n", NULL);
    cr_assert_eq(y.i.criticals, 1);
    expect_critical(&y, 0, sqrt(9.81 * 0.37 / 3), NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_STABLE);
    close_study(&y);
}

/* A and C follow from a: they must move along, also where an override gives them another formula. */
Test(trace, parameters_that_depend_on_the_swept_one_move_along)
{
    study y = open_bytes(DISK "trace: {parameter: a, from: 0.1, to: 1}\n", NULL);
    cr_assert_eq(y.i.criticals, 1);
    expect_critical(&y, 0, 3 / 9.81, NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_UNSTABLE);
    close_study(&y);
    y = open_bytes(DISK "trace: {parameter: a, from: 0.1, to: 1}\n",
                   (const char *const[]){"A=m*a^2/2", "C=m*a^2", NULL});
    cr_assert_eq(y.i.criticals, 1);
    expect_critical(&y, 0, 4 / 9.81, NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_UNSTABLE);
    close_study(&y);
}

/* Damping h moves the pair off the axis, and lambda^2 + a1 lambda + a0: divergence stays at a0 = 0, the double root is at a1^2 = 4 a0. */
Test(trace, with_damping_divergence_and_double_root_are_two_values)
{
    study y = open_bytes(DISK "trace: {parameter: v, from: 0.21, to: 3.3}\n",
                         (const char *const[]){"h=0.2", NULL});
    double m = 1.3, a = 0.37, A = m * a * a / 4, C = 2 * A, I = A + m * a * a, g = 9.81,
           a1 = 0.2 / I, per_spin = C / A * (C + m * a * a) / I, fall = m * g * a / I;
    cr_assert_eq(y.i.criticals, 2);
    expect_critical(&y, 0, a * sqrt(fall / per_spin), NOSLIP_CRITICAL_DIVERGENCE,
                    NOSLIP_MOTION_SMOOTH, NOSLIP_CHANGE_STABLE);
    expect_critical(&y, 1, a * sqrt((fall + a1 * a1 / 4) / per_spin), NOSLIP_CRITICAL_DOUBLE,
                    NOSLIP_MOTION_SMOOTH, NOSLIP_CHANGE_PAIR);
    close_study(&y);
}

/* A fold. A bead on a wire in the potential -(k x - x^3/3) + s x: rest where k - x^2 = s, so x = +-sqrt(k - s); it ends at s = k. */
#define SNAP                               \
    "parameters: {k: 0.7, s: 0, c: 0.3}\n" \
    "coordinates: [x]\n"                   \
    "kinetic: x'^2/2\n"                    \
    "potential: s*x - k*x + x^3/3\n"       \
    "dissipation: c*x'^2/2\n"              \
    "steady: {guess: {x: 2}}\n"

Test(trace, a_fold_is_passed_and_the_other_side_followed_back)
{
    study y = open_bytes(SNAP "trace: {parameter: s, from: -1.1, to: 1.9}\n", NULL);
    cr_expect_eq(y.i.end, NOSLIP_TRACE_RETURNED);
    cr_expect_eq(y.i.folds, 1);
    size_t fold = y.i.criticals, doubles = 0;
    for (size_t k = 0; k < y.i.criticals; k++) {
        noslip_critical c = noslip_trace_critical(y.t, k);
        if (c.motion == NOSLIP_MOTION_FOLD) fold = k;
        doubles += c.kind == NOSLIP_CRITICAL_DOUBLE;
    }
    expect_critical(&y, fold, 0.7, NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_FOLD,
                    NOSLIP_CHANGE_UNSTABLE);
    cr_expect_leq(fabs(noslip_trace_critical_state(y.t, fold, 0)), 1e-9);
    cr_expect_eq(doubles, 1);
    for (size_t p = 0; p < y.i.points; p++) {
        double s = noslip_trace_value(y.t, p), x = noslip_trace_state(y.t, p, 0);
        cr_expect_leq(fabs(x * x - (0.7 - s)), 1e-12 * (1 + x * x), "s = %g, x = %g", s, x);
    }
    cr_expect_float_eq(noslip_trace_state(y.t, y.i.points - 1, 0), -sqrt(1.8), 1e-12);
    cr_expect_float_eq(noslip_trace_value(y.t, y.i.points - 1), -1.1, 1e-15);
    cr_assert_eq(y.i.ranges, 2);
    cr_expect_float_eq(noslip_trace_range_at(y.t, 0).to, 0.7, 1e-10);
    close_study(&y);
}

/* A branch point. A bead on a hoop that turns at Om about its vertical diameter: at the bottom until Om^2 = g/R, then cos(th) = g/(R Om^2). */
#define HOOP                                                          \
    "parameters: {m: 0.4, g: 9.81, R: 0.3, J: 0.7, Om: 1, c: 0.02}\n" \
    "coordinates: [th, psi]\n"                                        \
    "kinetic: m*R^2/2*(th'^2 + sin(th)^2*psi'^2) + J/2*psi'^2\n"      \
    "potential: -m*g*R*cos(th)\n"                                     \
    "dissipation: c*th'^2/2\n"                                        \
    "steady: {with: psi' = Om, guess: {th: 0, psi': Om}}\n"           \
    "trace: {parameter: Om, from: 3, to: 9}\n"

Test(trace, a_branch_point_is_passed_and_both_other_branches_are_followed)
{
    study y = open_bytes(HOOP, NULL);
    double critical = sqrt(9.81 / 0.3);
    noslip_error err = {0};
    cr_expect_eq(y.i.end, NOSLIP_TRACE_ARRIVED);
    size_t k = 0;
    while (k < y.i.criticals && noslip_trace_critical(y.t, k).motion != NOSLIP_MOTION_BRANCH) k++;
    expect_critical(&y, k, critical, NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_BRANCH,
                    NOSLIP_CHANGE_UNSTABLE);
    double sum = 0;
    for (int side = -1; side <= 1; side += 2) {
        noslip_trace *b;
        cr_assert_eq(noslip_trace_switch(y.t, k, side, &b, &err), NOSLIP_OK, "%s", err.message);
        noslip_trace_info i = noslip_trace_about(b);
        cr_expect_eq(i.end, NOSLIP_TRACE_ARRIVED);
        for (size_t p = 0; p < i.points; p++) {
            double Om = noslip_trace_value(b, p), th = noslip_trace_state(b, p, 0);
            cr_expect_leq(fabs(cos(th) - 9.81 / (0.3 * Om * Om)), 1e-12, "Om = %g, th = %g", Om,
                          th);
            cr_expect_eq(noslip_trace_verdict(b, p), NOSLIP_ASYMPTOTICALLY_STABLE, "Om = %g", Om);
        }
        cr_expect_gt(fabs(noslip_trace_state(b, i.points - 1, 0)), 1);
        sum += noslip_trace_state(b, i.points - 1, 0);
        noslip_trace_free(b);
    }
    cr_expect_leq(fabs(sum), 1e-9, "the two are each other's mirror images");
    close_study(&y);
}

#define PRONG                                                         \
    "parameters: {m: 0.4, g: 9.81, R: 0.3, J: 0.7, Om: 9, c: 0.02}\n" \
    "coordinates: [th, psi]\n"                                        \
    "kinetic: m*R^2/2*(th'^2 + sin(th)^2*psi'^2) + J/2*psi'^2\n"      \
    "potential: -m*g*R*cos(th)\n"                                     \
    "dissipation: c*th'^2/2\n"                                        \
    "steady: {with: psi' = Om, guess: {th: 1.2, psi': Om}}\n"         \
    "trace: {parameter: Om, from: 9, to: 3}\n"

/* Along a prong of the same pitchfork, th^2 goes through zero: the motion turns back on the other prong. */
Test(trace, a_pitchfork_is_a_fold_and_a_branch_point_on_its_prongs)
{
    study y = open_bytes(PRONG, NULL);
    noslip_trace *d;
    noslip_error err = {0};
    size_t k = 0;
    cr_expect_eq(y.i.end, NOSLIP_TRACE_RETURNED);
    while (k < y.i.criticals && !(noslip_trace_critical(y.t, k).motion & NOSLIP_MOTION_FOLD)) k++;
    cr_assert_lt(k, y.i.criticals);
    noslip_critical c = noslip_trace_critical(y.t, k);
    cr_expect_eq(c.motion, NOSLIP_MOTION_FOLD_BRANCH);
    cr_expect_leq(fabs(c.value - sqrt(9.81 / 0.3)), 1e-10, "%g", c.value - sqrt(9.81 / 0.3));
    cr_assert_eq(noslip_trace_switch(y.t, k, 1, &d, &err), NOSLIP_OK, "%s", err.message);
    cr_expect_leq(fabs(noslip_trace_state(d, noslip_trace_about(d).points - 1, 0)), 1e-9);
    noslip_trace_free(d);
    close_study(&y);
}

/* Two oscillators, stiffness 1 + s and 3 - s, with a spring e between them. Without it their frequencies cross at s = 1 and
 * each keeps its own; with it they veer: lambda^2 = -(2 + e) +- sqrt((1 - s)^2 + e^2). */
#define TWO                                                      \
    "parameters: {s: 0, e: 0, c: 0, d: 0}\n"                     \
    "coordinates: [x, y]\n"                                      \
    "kinetic: x'^2/2 + y'^2/2\n"                                 \
    "potential: (1 + s)*x^2/2 + (3 - s)*y^2/2 + e*(x - y)^2/2\n" \
    "dissipation: c*x'^2/2 + d*y'^2/2\n"                         \
    "steady: {guess: {x: 0}}\n"                                  \
    "trace: {parameter: s, from: 0, to: 2, modes: [x, y]}\n"

Test(trace, modes_that_cross_keep_their_identity)
{
    study y = open_bytes(TWO, NULL);
    cr_assert_eq(y.i.modes, 2);
    cr_expect_eq(y.i.criticals, 0);
    for (size_t p = 0; p < y.i.points; p++) {
        double s = noslip_trace_value(y.t, p);
        cr_expect_float_eq(fabs(noslip_trace_root(y.t, p, 0).im), sqrt(1 + s), 1e-12, "s = %g", s);
        cr_expect_float_eq(fabs(noslip_trace_root(y.t, p, 2).im), sqrt(3 - s), 1e-12, "s = %g", s);
    }
    close_study(&y);
}

Test(trace, modes_that_cross_keep_their_identity_with_damping)
{
    study y = open_bytes(TWO, (const char *const[]){"c=0.02", "d=0.02", NULL});
    for (size_t p = 0; p < y.i.points; p++) {
        double s = noslip_trace_value(y.t, p);
        cr_expect_float_eq(fabs(noslip_trace_root(y.t, p, 0).im), sqrt(1 + s - 1e-4), 1e-12,
                           "s = %g", s);
        cr_expect_float_eq(noslip_trace_root(y.t, p, 0).re, -0.01, 1e-12);
    }
    close_study(&y);
}

/* Stiffness 2 + (s - 1)^3 and 2: they cross with the same slope, and only the vectors tell that they do. */
Test(trace, modes_that_cross_with_one_slope_keep_their_identity)
{
    study y = open_bytes("parameters: {s: 0}\ncoordinates: [x, y]\nkinetic: x'^2/2 + y'^2/2\n"
                         "potential: (2 + (s - 1)^3)*x^2/2 + y^2\nsteady: {guess: {x: 0}}\n"
                         "trace: {parameter: s, from: 0, to: 2.1}\n",
                         NULL);
    cr_assert_eq(y.i.modes, 2);
    for (size_t p = 0; p < y.i.points; p++) {
        double s = noslip_trace_value(y.t, p);
        cr_expect_float_eq(fabs(noslip_trace_root(y.t, p, 0).im), sqrt(2 + pow(s - 1, 3)), 1e-12,
                           "s = %g", s);
        cr_expect_float_eq(fabs(noslip_trace_root(y.t, p, 2).im), sqrt(2), 1e-12, "s = %g", s);
    }
    close_study(&y);
}

Test(trace, modes_that_veer_follow_their_curves)
{
    static const char *const couplings[] = {"e=0.3", "e=1e-2", "e=1e-3", "e=1e-5"};
    for (size_t k = 0; k < 4; k++) {
        study y = open_bytes(TWO, (const char *const[]){couplings[k], NULL});
        double e = strtod(couplings[k] + 2, NULL);
        cr_assert_eq(y.i.modes, 2);
        cr_expect_eq(y.i.criticals, 0);
        for (size_t p = 0; p < y.i.points; p++) {
            double s = noslip_trace_value(y.t, p), half = hypot(1 - s, e);
            cr_expect_float_eq(fabs(noslip_trace_root(y.t, p, 0).im), sqrt(2 + e + half), 1e-11,
                               "%s, s = %g", couplings[k], s);
            cr_expect_float_eq(fabs(noslip_trace_root(y.t, p, 2).im), sqrt(2 + e - half), 1e-11,
                               "%s, s = %g", couplings[k], s);
        }
        close_study(&y);
    }
}

/* Two oscillators that are the same all along: nothing to tell apart, and nothing to stumble over. */
Test(trace, modes_that_are_always_equal_do_not_stop_the_trace)
{
    study y = open_bytes("parameters: {k: 1}\ncoordinates: [x, y]\nkinetic: x'^2/2 + y'^2/2\n"
                         "potential: k*(x^2 + y^2)/2\ndissipation: 0.1*(x'^2 + y'^2)\n"
                         "steady: {guess: {x: 0}}\ntrace: {parameter: k, from: 1, to: 3}\n",
                         NULL);
    cr_expect_eq(y.i.end, NOSLIP_TRACE_ARRIVED);
    cr_expect_lt(y.i.points, 1000, "%zu points", y.i.points);
    cr_expect_eq(y.i.criticals, 0);
    cr_expect_eq(y.i.modes, 2);
    close_study(&y);
}

/* Forces like a follower's: x' pushed by y and the other way round. lambda^2 = -2 +- sqrt((1 - s)^2 - b^2): pairs on the axis
 * meet at 1 - s = b, leave it, and come back. */
Test(trace, pairs_that_meet_on_the_axis_are_flutter)
{
    study y = open_bytes("parameters: {s: 0, b: 0.23}\ncoordinates: [x, y]\n"
                         "kinetic: x'^2/2 + y'^2/2\npotential: (1 + s)*x^2/2 + (3 - s)*y^2/2\n"
                         "forces: {x: b*y, y: -b*x}\nsteady: {guess: {x: 0}}\n"
                         "trace: {parameter: s, from: 0, to: 2}\n",
                         NULL);
    cr_assert_eq(y.i.criticals, 2);
    expect_critical(&y, 0, 0.77, NOSLIP_CRITICAL_FLUTTER, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_UNSTABLE);
    expect_critical(&y, 1, 1.23, NOSLIP_CRITICAL_FLUTTER, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_STABLE);
    cr_expect_float_eq(noslip_trace_critical(y.t, 0).im, sqrt(2), 1e-9);
    cr_expect_eq(y.i.modes, 2);
    close_study(&y);
}

/* Real roots 1 and -s: their sum is zero at s = 1, and nothing happens there. */
Test(trace, a_neutral_saddle_is_not_critical)
{
    study y = open_bytes("parameters: {s: 1}\ncoordinates: [x]\nkinetic: x'^2/2\n"
                         "potential: -s*x^2/2\ndissipation: (s - 1)*x'^2/2\n"
                         "steady: {guess: {x: 0}}\ntrace: {parameter: s, from: 0.4, to: 2.1}\n",
                         NULL);
    cr_expect_eq(y.i.criticals, 0);
    cr_expect_eq(y.i.modes, 2);
    for (size_t p = 0; p < y.i.points; p++) {
        cr_expect_float_eq(noslip_trace_root(y.t, p, 0).re, 1, 1e-12);
        cr_expect_float_eq(noslip_trace_root(y.t, p, 1).re, -noslip_trace_value(y.t, p), 1e-12);
    }
    close_study(&y);
}

/* x'' + (s - c) x' + 1e4 x = 0: a pair through the axis at s = c. Steps are 0.1, 0.17, 0.289 ... and 1 in the end, so one of them
 * ends at c, where the real part is less than its bound. */
Test(trace, a_step_that_lands_on_a_critical_value_does_not_miss_it)
{
    study y = open_bytes("parameters: {s: 1, c: 10.88551}\ncoordinates: [x]\nkinetic: x'^2/2\n"
                         "potential: 1e4*x^2/2\ndissipation: (s - c)*x'^2/2\n"
                         "steady: {guess: {x: 0}}\ntrace: {parameter: s, from: 0, to: 200}\n",
                         NULL);
    cr_assert_eq(y.i.criticals, 1);
    expect_critical(&y, 0, 10.88551, NOSLIP_CRITICAL_FLUTTER, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_STABLE);
    close_study(&y);
}

/* Rest on two curves, x = s and x = 0.3 - s^2 + sin(s)/2, which exchange stability where they cross: at a right angle nearly, and
 * at a small one. */
Test(trace, curves_that_cross_at_an_angle_are_branch_points)
{
    study y = open_bytes("parameters: {s: 0, c: 0.7}\ncoordinates: [x]\nkinetic: x'^2/2\n"
                         "dissipation: c*x'^2/2\n"
                         "forces: {x: -(x - s)*(x - 0.3 + s^2 - sin(s)/2)}\n"
                         "steady: {guess: {x: s}}\ntrace: {parameter: s, from: -1.3, to: 1.3}\n",
                         NULL);
    noslip_error err = {0};
    size_t found = 0;
    for (size_t k = 0; k < y.i.criticals; k++) {
        if (noslip_trace_critical(y.t, k).motion != NOSLIP_MOTION_BRANCH) continue;
        expect_critical(&y, k, found ? 0.34914502299648415 : -0.89850085087969276,
                        NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_BRANCH,
                        found ? NOSLIP_CHANGE_STABLE : NOSLIP_CHANGE_UNSTABLE);
        found++;
        for (int side = -1; side <= 1; side += 2) {
            noslip_trace *b;
            cr_assert_eq(noslip_trace_switch(y.t, k, side, &b, &err), NOSLIP_OK, "%s", err.message);
            for (size_t p = 0; p < noslip_trace_about(b).points; p++) {
                double s = noslip_trace_value(b, p), x = noslip_trace_state(b, p, 0);
                cr_expect_leq(fabs(x - 0.3 + s * s - sin(s) / 2), 1e-12, "s = %g, x = %g", s, x);
            }
            noslip_trace_free(b);
        }
    }
    cr_expect_eq(found, 2);
    close_study(&y);
}

/* m a u + c = 0: any yaw rate would be steady if the blade did not slow down then; there is no other branch. */
Test(trace, a_kernel_that_leads_nowhere_is_no_branch_point)
{
    study y = open_shipped("chaplygin-sleigh", "speed", -2.1, 2);
    cr_assert_eq(y.i.criticals, 1);
    expect_critical(&y, 0, -0.0625, NOSLIP_CRITICAL_DIVERGENCE, NOSLIP_MOTION_SMOOTH,
                    NOSLIP_CHANGE_STABLE);
    close_study(&y);
}

/* The conditions leave a direction open: along it the motion stays where it was at the beginning. */
Test(trace, what_the_conditions_leave_open_is_kept)
{
    study y = open_bytes("parameters: {m: 1, g: 9, R: 0.3, J: 0.7, h: 1}\ncoordinates: [th, psi]\n"
                         "kinetic: m*R^2/2*(th'^2 + sin(th)^2*psi'^2) + J/2*psi'^2\n"
                         "potential: -m*g*R*cos(th)\nsteady: {guess: {th: 1, psi': 8}}\n"
                         "trace: {parameter: g, from: 9, to: 5}\n",
                         NULL);
    noslip_steady *first;
    cr_assert_eq(noslip_steady_find(y.m, &first, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_steady_about(first, 0).free_directions, 1);
    cr_expect_eq(y.i.end, NOSLIP_TRACE_ARRIVED);
    double open[3];
    for (size_t k = 0; k < 3; k++) open[k] = noslip_steady_free_direction(first, 0, 0, k);
    noslip_steady_free(first);
    for (size_t p = 0; p < y.i.points; p++) {
        double along = 0;
        for (size_t k = 0; k < 3; k++)
            along += open[k] * (noslip_trace_state(y.t, p, k) - noslip_trace_state(y.t, 0, k));
        cr_expect_leq(fabs(along), 1e-12);
        double Om = noslip_trace_state(y.t, p, 2), g = noslip_trace_value(y.t, p);
        cr_expect_float_eq(cos(noslip_trace_state(y.t, p, 0)), g / (0.3 * Om * Om), 1e-11);
    }
    close_study(&y);
}

/* Property: forwards and backwards give the same values. */
Test(trace, forwards_and_backwards_find_the_same)
{
    static const struct {
        const char *name, *parameter;
        double from, to;
    } rows[] = {{"whipple-bicycle", "v", 0, 10},     {"whipple-bicycle", "c", -0.05, 0.2},
                {"rolling-disk", "turn", 0.5, 8},    {"rolling-hoop", "speed", 0.2, 3},
                {"caster-wheel", "speed", 0.5, 9.7}, {"chaplygin-sleigh", "speed", -2.1, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        study a = open_shipped(rows[r].name, rows[r].parameter, rows[r].from, rows[r].to),
              b = open_shipped(rows[r].name, rows[r].parameter, rows[r].to, rows[r].from);
        cr_assert_eq(a.i.criticals, b.i.criticals, "%s: %zu and %zu", rows[r].name, a.i.criticals,
                     b.i.criticals);
        cr_expect_eq(a.i.modes, b.i.modes, "%s", rows[r].name);
        for (size_t k = 0; k < a.i.criticals; k++) {
            noslip_critical x = noslip_trace_critical(a.t, k),
                            y = noslip_trace_critical(b.t, a.i.criticals - 1 - k);
            cr_expect_leq(fabs(x.value - y.value), 1e-11 * fabs(rows[r].to - rows[r].from),
                          "%s: %.17g and %.17g", rows[r].name, x.value, y.value);
            cr_expect(x.kind == y.kind && x.motion == y.motion && x.change == y.change, "%s: %.9g",
                      rows[r].name, x.value);
        }
        noslip_trace_free(b.t);
        noslip_model_free(b.m);
        noslip_case_close(b.c);
        close_study(&a);
    }
}

/* Property: roots of points are those that noslip roots finds there. */
Test(trace, points_have_the_roots_of_their_parameter)
{
    study y = open_shipped("rolling-disk", NULL, 0, 0);
    noslip_error err = {0};
    for (size_t p = 3; p < y.i.points; p += 37) {
        char given[64];
        noslip_case *c;
        noslip_model *m;
        noslip_steady *s;
        noslip_roots *r;
        snprintf(given, sizeof given, "turn=%.17g", noslip_trace_value(y.t, p));
        cr_assert_eq(noslip_case_open("rolling-disk", (const char *const[]){given, NULL}, &c, &err),
                     NOSLIP_OK);
        cr_assert_eq(noslip_model_make(c, &m, &err), NOSLIP_OK);
        cr_assert_eq(noslip_steady_find(m, &s, &err), NOSLIP_OK, "%s", err.message);
        cr_assert_eq(noslip_roots_find(s, 0, &r, &err), NOSLIP_OK);
        cr_expect_eq(noslip_roots_about(r).verdict, noslip_trace_verdict(y.t, p));
        for (size_t k = 0; k < y.i.roots; k++) {
            noslip_root e = noslip_trace_root(y.t, p, k);
            double nearest = HUGE_VAL;
            for (size_t j = 0; j < y.i.roots; j++) {
                noslip_root f = noslip_roots_at(r, j);
                nearest = fmin(nearest, hypot(e.re - f.re, e.im - f.im));
            }
            cr_expect_leq(nearest, 1e-10, "%s: %g%+gi is %g off", given, e.re, e.im, nearest);
        }
        noslip_roots_free(r);
        noslip_steady_free(s);
        noslip_model_free(m);
        noslip_case_close(c);
    }
    close_study(&y);
}

Test(trace, what_cannot_be_traced_is_said)
{
    study y = {0};
    noslip_error err = {0};
    noslip_trace *t = NULL;
    cr_assert_eq(noslip_case_open("rolling-hoop", NULL, &y.c, &err), NOSLIP_OK);
    cr_assert_eq(noslip_model_make(y.c, &y.m, &err), NOSLIP_OK);
    noslip_trace_options o = noslip_trace_default();
    o.parameter = "sped";
    o.to = 1;
    cr_expect_eq(noslip_trace_follow(y.m, &o, &t, &err), NOSLIP_ERR_ARG);
    cr_expect_str_eq(err.message, "the case has no parameter 'sped'");
    o.parameter = "speed";
    o.from = 1;
    cr_expect_eq(noslip_trace_follow(y.m, &o, &t, &err), NOSLIP_ERR_ARG);
    o = noslip_trace_default();
    o.which = 1;
    cr_expect_eq(noslip_trace_follow(y.m, &o, &t, &err), NOSLIP_ERR_ARG);
    cr_expect_null(t);
    close_study(&y);
}
