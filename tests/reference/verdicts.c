/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From case file to roots, against closed forms and published numbers (docs/theory.md, the cases' own references). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "case.h"
#include "spectrum.h"

typedef struct {
    noslip_case *c;
    model *m;
    steady *s;
    spectrum *x;
    steady_info info;
    double q[32], w[32];
} study;

/* The guesses that name coordinates and quasi-velocities; their formulas are of parameters. */
static void start_from_guess(study *y)
{
    mechanical_system *s = y->c->system;
    for (size_t k = 0; k < y->c->guess.n; k++) {
        tape *t = NULL;
        expr in[64];
        for (size_t i = 0; i < s->parameters.n; i++) in[i] = s->parameters.at[i].symbol;
        const tape_spec spec = {in, s->parameters.n, 0, &y->c->guess.at[k].start, 1};
        cr_assert_eq(tape_compile(s->g, &spec, &t, NULL), NOSLIP_OK);
        tape_work *work = tape_work_new(t);
        double start;
        cr_assert_eq(tape_point(work, y->c->parameters, &start), NOSLIP_OK);
        for (size_t i = 0; i < y->m->n; i++)
            if (s->coordinates.at[i].symbol == y->c->guess.at[k].target) y->q[i] = start;
        for (size_t i = 0; i < s->quasi.n; i++)
            if (s->quasi.at[i].symbol == y->c->guess.at[k].target) y->w[i] = start;
        tape_work_free(work);
        tape_free(t);
    }
}

static study open_study(const char *name, const char *const *overrides)
{
    study y = {0};
    noslip_error err = {0};
    expr conditions[16];
    cr_assert_eq(noslip_case_open(name, overrides, &y.c, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(model_new(y.c->system, y.c->parameters, NULL, &y.m, &err), NOSLIP_OK, "%s: %s",
                 name, err.message);
    for (size_t k = 0; k < y.c->conditions.n; k++) conditions[k] = y.c->conditions.at[k].e;
    cr_assert_eq(steady_new(y.m, conditions, y.c->conditions.n, &y.s, &err), NOSLIP_OK, "%s",
                 err.message);
    y.x = spectrum_new(y.m);
    start_from_guess(&y);
    noslip_status status = steady_solve(y.s, y.c->parameters, y.q, y.w, &y.info);
    cr_assert_eq(status, NOSLIP_OK, "%s: status %d after %d iterations, residual %g", name, status,
                 y.info.iterations, y.info.residual);
    cr_assert_eq(spectrum_find(y.x, y.s), NOSLIP_OK);
    return y;
}

static void close_study(study *y)
{
    spectrum_free(y->x);
    steady_free(y->s);
    model_free(y->m);
    noslip_case_close(y->c);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A root that must be among those found, within its own bound and a relative tolerance. */
static void expect_root(const study *y, double re, double im, double tolerance)
{
    double nearest = HUGE_VAL, bound = 0;
    for (size_t k = 0; k < y->x->n; k++) {
        double d = hypot(y->x->roots[k].re - re, y->x->roots[k].im - im);
        if (d < nearest) bound = y->x->roots[k].bound;
        if (d < nearest) nearest = d;
    }
    cr_expect_leq(nearest, tolerance * hypot(re, im), "root %.15g %+.15gi: %g off", re, im,
                  nearest);
    cr_expect_leq(nearest, bound + 1e-14 * hypot(re, im),
                  "root %.15g %+.15gi: %g off, the bound is %g", re, im, nearest, bound);
}

/* Meijaard, Papadopoulos, Ruina and Schwab (2007), recomputed to 40 digits: weave, capsize, castering. */
static const struct {
    const char *v;
    double weave_re, weave_im, capsize, castering;
} bicycle[] = {
    {"v=1", 3.52696170990069417, 0.807740275199310045, -3.13423125066578423, -7.11008014637440773},
    {"v=2", 2.68234517512745345, 1.68066296590675776, -3.07158645641514251, -8.67387984831737163},
    {"v=3", 1.70675605663973515, 2.31582447384324357, -2.63366137253665296, -10.3510146724592282},
    {"v=4", 0.413253315211241321, 3.07910818603205363, -1.42944427361325745, -12.1586142657644397},
    {"v=5", -0.775341882195841925, 4.46486771378822514, -0.322866429004087078,
     -14.0783896927982472},
    {"v=6", -1.52644486584141715, 5.87673060598708403, -0.00406690076970336242,
     -16.085371230980284},
    {"v=7", -2.13875644258363428, 7.19525913329804255, 0.102681705747664159, -18.1578846612520209},
    {"v=8", -2.69348683581094772, 8.4603797139693359, 0.143278797657129498, -20.279408943945663},
    {"v=9", -3.21675402252490747, 9.69377351531782195, 0.157901840309172982, -22.4378855904085906},
    {"v=10", -3.72016840437287573, 10.906811394762882, 0.161053386531715542, -24.6245963501740002},
};

Test(verdicts, the_bicycle_has_its_four_roots_one_speed_and_one_level)
{
    for (size_t k = 0; k < sizeof bicycle / sizeof *bicycle; k++) {
        study y = open_study("whipple-bicycle", (const char *const[]){bicycle[k].v, NULL});
        cr_expect_eq(y.info.manifold, 1, "k = %zu, levels %zu, N %zu, gap %g %g", y.info.manifold,
                     y.info.levels, y.x->N, y.info.gap_above, y.info.gap_below);
        cr_expect_eq(y.info.levels, 1);
        cr_expect_eq(y.x->n, 4);
        expect_root(&y, bicycle[k].weave_re, bicycle[k].weave_im, 1e-10);
        expect_root(&y, bicycle[k].weave_re, -bicycle[k].weave_im, 1e-10);
        expect_root(&y, bicycle[k].capsize, 0, k == 5 ? 1e-9 : 1e-10);
        expect_root(&y, bicycle[k].castering, 0, 1e-10);
        bool stable = k == 4 || k == 5;
        cr_expect_eq(y.x->verdict, stable ? STABLE_ASYMPTOTICALLY : UNSTABLE, "%s", bicycle[k].v);
        if (!stable) cr_expect_eq(y.x->kind, k < 4 ? INSTABILITY_FLUTTER : INSTABILITY_DIVERGENCE);
        close_study(&y);
    }
}

Test(verdicts, the_disk_as_formulas_and_as_bodies_has_the_same_roots)
{
    study a = open_study("rolling-disk", NULL), b = open_study("rolling-disk-bodies", NULL);
    cr_expect_eq(a.info.manifold, 2);
    cr_expect_eq(b.info.manifold, 2);
    cr_assert_eq(a.x->n, 2);
    cr_assert_eq(b.x->n, 2);
    for (size_t k = 0; k < 2; k++) expect_root(&a, b.x->roots[k].re, b.x->roots[k].im, 1e-10);
    spectrum_free(a.x);
    steady_free(a.s);
    model_free(a.m);
    noslip_case_close(a.c);
    close_study(&b);
}

Test(verdicts, every_shipped_case_has_a_steady_motion)
{
    static const char *const names[] = {
        "rolling-disk",   "rolling-disk-bodies", "rolling-hoop", "chaplygin-sleigh",
        "turntable-ball", "whipple-bicycle",     "bead-on-wire", "caster-wheel"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        study y = open_study(names[k], NULL);
        cr_log_info("%s: k = %zu, levels %zu, verdict %d, abscissa %g\n", names[k], y.info.manifold,
                    y.info.levels, (int)y.x->verdict, y.x->abscissa);
        cr_expect_geq(y.info.manifold + y.x->n, 1);
        close_study(&y);
    }
}

/* A homogeneous ball on a table turning at Om: k = 3 and the roots +- i 2 Om/7. */
Test(verdicts, the_ball_on_a_turntable_swings_at_two_sevenths)
{
    study y = open_study("turntable-ball", NULL);
    double turn = 0;
    for (size_t k = 0; k < noslip_case_parameter_count(y.c); k++)
        if (strcmp(noslip_case_parameter_name(y.c, k), "Om") == 0)
            turn = noslip_case_parameter_value(y.c, k);
    cr_assert_neq(turn, 0);
    cr_expect_eq(y.info.manifold, 3);
    cr_expect_eq(y.x->n, 2);
    expect_root(&y, 0, 2 * turn / 7, 1e-12);
    cr_expect_eq(y.x->verdict, NEUTRAL);
    close_study(&y);
}
