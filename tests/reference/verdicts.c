/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From case file to roots, against closed forms and published numbers (docs/theory.md, the cases' own references). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "noslip/noslip.h"

typedef struct {
    noslip_case *c;
    noslip_model *m;
    noslip_steady *s;
    noslip_roots *r;
    noslip_steady_info steady;
    noslip_roots_info info;
} study;

static study open_study(const char *name, const char *const *overrides)
{
    study y = {0};
    noslip_error err = {0};
    cr_assert_eq(noslip_case_open(name, overrides, &y.c, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(noslip_model_make(y.c, &y.m, &err), NOSLIP_OK, "%s: %s", name, err.message);
    cr_assert_eq(noslip_steady_find(y.m, &y.s, &err), NOSLIP_OK, "%s: %s", name, err.message);
    cr_assert_eq(noslip_roots_find(y.s, 0, &y.r, &err), NOSLIP_OK, "%s: %s", name, err.message);
    y.steady = noslip_steady_about(y.s, 0);
    y.info = noslip_roots_about(y.r);
    return y;
}

static void close_study(study *y)
{
    noslip_roots_free(y->r);
    noslip_steady_free(y->s);
    noslip_model_free(y->m);
    noslip_case_close(y->c);
}

/* A root that must be among those found, within its own bound and a relative tolerance. */
static void expect_root(const study *y, double re, double im, double tolerance)
{
    double nearest = HUGE_VAL, bound = 0;
    for (size_t k = 0; k < y->info.roots; k++) {
        noslip_root e = noslip_roots_at(y->r, k);
        double d = hypot(e.re - re, e.im - im);
        if (d < nearest) bound = e.bound;
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
        cr_expect_eq(y.steady.manifold_dimension, 1);
        cr_expect_eq(y.steady.holonomic_levels, 1);
        cr_expect_eq(y.info.roots, 4);
        expect_root(&y, bicycle[k].weave_re, bicycle[k].weave_im, 1e-10);
        expect_root(&y, bicycle[k].weave_re, -bicycle[k].weave_im, 1e-10);
        expect_root(&y, bicycle[k].capsize, 0, 1e-10);
        expect_root(&y, bicycle[k].castering, 0, 1e-10);
        cr_expect_eq(y.info.verdict,
                     k < 4   ? NOSLIP_UNSTABLE_FLUTTER
                     : k < 6 ? NOSLIP_ASYMPTOTICALLY_STABLE
                             : NOSLIP_UNSTABLE_DIVERGENCE,
                     "%s", bicycle[k].v);
        close_study(&y);
    }
}

Test(verdicts, the_disk_as_formulas_and_as_bodies_has_the_same_roots)
{
    study a = open_study("rolling-disk", NULL), b = open_study("rolling-disk-bodies", NULL);
    cr_expect_eq(a.steady.manifold_dimension, 2);
    cr_expect_eq(b.steady.manifold_dimension, 2);
    cr_assert_eq(a.info.roots, 2);
    cr_assert_eq(b.info.roots, 2);
    for (size_t k = 0; k < 2; k++)
        expect_root(&a, noslip_roots_at(b.r, k).re, noslip_roots_at(b.r, k).im, 1e-10);
    close_study(&a);
    close_study(&b);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* k, levels, roots and the verdict of every shipped case at its own parameters. */
static const struct {
    const char *name;
    size_t manifold, levels, roots;
    noslip_verdict verdict;
} shipped[] = {
    {"rolling-disk", 2, 0, 2, NOSLIP_ASYMPTOTICALLY_STABLE},
    {"rolling-disk-bodies", 2, 0, 2, NOSLIP_ASYMPTOTICALLY_STABLE},
    {"rolling-disk-upright", 2, 0, 2, NOSLIP_NEUTRAL},
    {"rolling-hoop", 2, 0, 2, NOSLIP_NEUTRAL},
    {"chaplygin-sleigh", 1, 0, 1, NOSLIP_ASYMPTOTICALLY_STABLE},
    {"turntable-ball", 3, 0, 2, NOSLIP_NEUTRAL},
    {"whipple-bicycle", 1, 1, 4, NOSLIP_ASYMPTOTICALLY_STABLE},
    {"bead-on-wire", 1, 1, 2, NOSLIP_NEUTRAL},
    {"caster-wheel", 1, 0, 3, NOSLIP_ASYMPTOTICALLY_STABLE},
};

Test(verdicts, every_shipped_case_has_its_manifold_and_its_verdict)
{
    for (size_t k = 0; k < sizeof shipped / sizeof *shipped; k++) {
        study y = open_study(shipped[k].name, NULL);
        cr_expect_eq(y.steady.manifold_dimension, shipped[k].manifold, "%s: %zu", shipped[k].name,
                     y.steady.manifold_dimension);
        cr_expect_eq(y.steady.holonomic_levels, shipped[k].levels, "%s: %zu", shipped[k].name,
                     y.steady.holonomic_levels);
        cr_expect_eq(y.info.roots, shipped[k].roots, "%s: %zu", shipped[k].name, y.info.roots);
        cr_expect_eq(y.info.verdict, shipped[k].verdict, "%s: %d", shipped[k].name,
                     (int)y.info.verdict);
        close_study(&y);
        cr_assert_eq(noslip_alloc_live(), 0);
    }
}

/* A homogeneous ball on a table turning at Om: k = 3 and the roots +- i 2 Om/7. */
Test(verdicts, the_ball_on_a_turntable_swings_at_two_sevenths)
{
    study y = open_study("turntable-ball", (const char *const[]){"Om=3.7", NULL});
    expect_root(&y, 0, 2 * 3.7 / 7, 1e-12);
    expect_root(&y, 0, -2 * 3.7 / 7, 1e-12);
    close_study(&y);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* The larger root of x^2 = [m g r It - Ia (Ia + m r^2) W^2]/[It (It + m r^2)], above the critical speed: its imaginary part. */
static double upright(double m, double a, double g, double speed)
{
    double It = m * a * a / 4, Ia = m * a * a / 2, W = speed / a;
    return sqrt((Ia * (Ia + m * a * a) * W * W - m * g * a * It) / (It * (It + m * a * a)));
}

static bool has_root(const study *y, double im)
{
    for (size_t k = 0; k < y->info.roots; k++)
        if (fabs(noslip_roots_at(y->r, k).im - im) < 1e-6 * im) return true;
    return false;
}

/* docs/substituted-constraints.md: energies with the constraints put into them are another system's. */
Test(verdicts, constraints_put_into_the_kinetic_energy_give_another_disk)
{
    double right = upright(1, 0.5, 9.81, 2),
           wrong = sqrt((0.375 * 0.375 * 16 - 4.905 * 0.0625) / (0.0625 * 0.3125));
    study good = open_study("rolling-disk-upright", NULL),
          bad = open_study(NOSLIP_SOURCE_CASES "/../tests/reference/substituted-disk.yaml", NULL);
    expect_root(&good, 0, right, 1e-12);
    expect_root(&bad, 0, wrong, 1e-12);
    cr_expect(!has_root(&good, wrong));
    cr_expect(!has_root(&bad, right));
    close_study(&good);
    close_study(&bad);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Linearising the unreduced equations of the disk (m = r = g = 1) gives a pair +- i v sqrt(2/3) that is none of its roots. */
Test(verdicts, the_disk_has_no_spurious_pair)
{
    static const char *const speeds[] = {"speed=0.9", "speed=1.7", "speed=2.3"};
    for (size_t k = 0; k < 3; k++) {
        double v = strtod(speeds[k] + 6, NULL);
        study y = open_study("rolling-disk-upright",
                             (const char *const[]){"m=1", "a=1", "g=1", speeds[k], NULL});
        cr_expect_eq(y.info.roots, 2);
        cr_expect(!has_root(&y, v * sqrt(2.0 / 3.0)));
        expect_root(&y, 0, upright(1, 1, 1, v), 1e-12);
        close_study(&y);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* max |G x - lambda x| of mode k, in units of max |G|. */
static double mode_error(const study *y, size_t k)
{
    noslip_root e = noslip_roots_at(y->r, k);
    double worst = 0, size = 0;
    for (size_t i = 0; i < y->info.states; i++) {
        noslip_root x = noslip_roots_state_mode(y->r, k, i);
        double re = -(e.re * x.re - e.im * x.im), im = -(e.re * x.im + e.im * x.re);
        for (size_t j = 0; j < y->info.states; j++) {
            double g = noslip_roots_matrix(y->r, NOSLIP_MATRIX_G, i, j);
            noslip_root z = noslip_roots_state_mode(y->r, k, j);
            re += g * z.re;
            im += g * z.im;
            size = fmax(size, fabs(g));
        }
        worst = fmax(worst, hypot(re, im));
    }
    return worst / size;
}

static void expect_modes(const char *name)
{
    study y = open_study(name, NULL);
    for (size_t k = 0; k < y.info.roots; k++)
        cr_expect_leq(mode_error(&y, k), 1e-12, "%s: mode %zu is off by %g", name, k,
                      mode_error(&y, k));
    close_study(&y);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(verdicts, modes_solve_G_x_equals_lambda_x_also_along_the_manifold)
{
    for (size_t k = 0; k < sizeof shipped / sizeof *shipped; k++) expect_modes(shipped[k].name);
    expect_modes(NOSLIP_SOURCE_CASES "/../tests/reference/three-pendulums.yaml");
}

/* At a critical value there is one zero more than the manifold has: branches meet (bicycle, sleigh), or it is double (disk). */
Test(verdicts, a_zero_that_is_not_the_manifolds_is_degenerate)
{
    static const struct {
        const char *name, *at, *more;
        noslip_verdict verdict;
    } rows[] = {
        {"whipple-bicycle", "v=6.024262015388359", NULL, NOSLIP_DEGENERATE},
        {"chaplygin-sleigh", "speed=-c/(m*a)", NULL, NOSLIP_DEGENERATE},
        {"rolling-disk-upright", "speed=sqrt(g*a/3)", NULL, NOSLIP_DEGENERATE},
        {"rolling-disk-upright", "speed=sqrt(g*a/3)", "h=0.3", NOSLIP_DEGENERATE},
        {"rolling-disk", "turn=sqrt(m*g*a/(A + m*a^2))", "lean=0", NOSLIP_DEGENERATE},
        {"chaplygin-sleigh", "a=0", "c=0",
         NOSLIP_ASYMPTOTICALLY_STABLE}, /* all motions are steady */
        {"whipple-bicycle", "v=6.024262", NULL, NOSLIP_ASYMPTOTICALLY_STABLE},
        {"whipple-bicycle", "v=6.024263", NULL, NOSLIP_UNSTABLE_DIVERGENCE},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        study y = open_study(rows[k].name, (const char *const[]){rows[k].at, rows[k].more, NULL});
        cr_expect_eq(y.info.verdict, rows[k].verdict, "%s at %s: verdict %d", rows[k].name,
                     rows[k].at, (int)y.info.verdict);
        close_study(&y);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}
