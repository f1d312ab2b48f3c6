/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stability regions against closed forms: boundaries, kinds at every node, what the refinement may cost. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "case.h"
#include "noslip/noslip.h"

typedef struct {
    noslip_case *c;
    noslip_model *m;
    noslip_region *r;
    noslip_region_info about;
} study;

static study explore(noslip_case *c, const noslip_region_options *o)
{
    study y = {.c = c};
    noslip_error err = {0};
    cr_assert_eq(noslip_model_make(y.c, &y.m, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(noslip_region_find(y.m, o, &y.r, &err), NOSLIP_OK, "%s", err.message);
    y.about = noslip_region_about(y.r);
    return y;
}

static void finish(study *y)
{
    noslip_region_free(y->r);
    noslip_model_free(y->m);
    noslip_case_close(y->c);
    cr_assert_eq(noslip_alloc_live(), 0);
}

static noslip_case *shipped(const char *name)
{
    noslip_case *c;
    noslip_error err = {0};
    cr_assert_eq(noslip_case_open(name, NULL, &c, &err), NOSLIP_OK, "%s", err.message);
    return c;
}

static noslip_case *written(const char *words)
{
    noslip_case *c;
    noslip_error err = {0};
    cr_assert_eq(case_read_bytes("test.yaml", words, strlen(words), NULL, &c, &err), NOSLIP_OK,
                 "%s", err.message);
    return c;
}

/* The part of the lattice that was looked at. */
static double share(const study *y)
{
    return (double)y->about.evaluated / ((double)y->about.nodes[0] * (double)y->about.nodes[1]);
}

/* The disk: a0 on the steady motion of docs/theory.md, with the parameters of the shipped case. */
static double disk_a0(double lean, double turn)
{
    const double m = 1, a = 0.5, A = m * a * a / 4, C = m * a * a / 2, g = 9.81, ma2 = m * a * a;
    double s = sin(lean), c = cos(lean);
    double w3 = (m * g * a * s - A * s * c * turn * turn) / ((C + ma2) * turn * c);
    return (A * turn * turn * (1 + 2 * s * s) + ma2 * c * c * turn * turn +
            (3 * C + ma2) * turn * w3 * s + C / A * (C + ma2) * w3 * w3 - m * g * a * c) /
           (A + ma2);
}

/* How far from a zero of f, along the axis on which that is nearer, in parts of the axes. */
typedef double plane_function(double x, double y);

static double distance(plane_function *f, const noslip_region_info *i, double x, double y)
{
    double step = 1e-6, wide = i->to[0] - i->from[0], high = i->to[1] - i->from[1];
    double fx = (f(x + step * wide, y) - f(x - step * wide, y)) / (2 * step),
           fy = (f(x, y + step * high) - f(x, y - step * high)) / (2 * step);
    return fabs(f(x, y)) / hypot(fx, fy);
}

static size_t expect_on_curve(const study *y, plane_function *f, noslip_boundary kind,
                              double tolerance)
{
    size_t points = 0;
    for (size_t k = 0; k < noslip_region_sheet(y->r, 0).curves; k++) {
        noslip_curve c = noslip_region_curve(y->r, 0, k);
        if (c.kind != kind) continue;
        for (size_t i = 0; i < c.points; i++, points++) {
            noslip_curve_point t = noslip_region_curve_point(y->r, 0, k, i);
            double off = distance(f, &y->about, t.x, t.y);
            cr_expect_leq(off, tolerance, "(%.12g, %.12g) is %g off", t.x, t.y, off);
        }
    }
    return points;
}

Test(region, the_boundary_of_the_disk_is_where_a0_vanishes_and_costs_little)
{
    noslip_region_options o = noslip_region_defaults();
    study y = explore(shipped("rolling-disk"), &o);
    cr_expect_geq(expect_on_curve(&y, disk_a0, NOSLIP_BOUNDARY_DIVERGENCE, 1e-8), 1000);
    cr_expect_leq(share(&y), 0.04, "%g of the lattice", share(&y));
    cr_expect_eq(noslip_region_sheet(y.r, 0).curves, 1);
    finish(&y);
}

/* Planes whose answer is known: x'' + c x' + k x = 0 with c and k functions of a and b. */
static double one(double a, double b)
{
    (void)a;
    (void)b;
    return 1;
}

static double island(double a, double b) /* radius 0.006: smaller than a cell of the first net */
{
    return pow(a - 0.3137, 2) + pow(b - 0.6211, 2) - 3.6e-5;
}

static double cusp(double a, double b)
{
    return pow(a - 0.27, 3) - pow(b - 0.43, 2);
}

static double tongue(double a, double b)
{
    return pow(a - 0.3711, 2) - pow(0.2 * (b + 0.03) * (b + 0.03), 2);
}

static double crossed(double a, double b) /* Bernoulli's lemniscate */
{
    double x = 2.3 * (a - 0.487), y = 2.3 * (b - 0.513);
    return pow(x * x + y * y, 2) - (x * x - y * y);
}

static double wave(double a, double b)
{
    return a - 0.3 - 0.05 * sin(7 * b);
}

static double ring(double a, double b)
{
    double r = hypot(a - 0.55, b - 0.45);
    return (r - 0.07) * (r - 0.15);
}

typedef struct {
    const char *name, *k, *c;
    plane_function *stiffness, *damping;
    double
        most; /* part of the lattice that may be looked at: it has to grow with the length of the boundaries */
} known_plane;

static const known_plane planes[] = {
    {"island", "(a - 0.3137)^2 + (b - 0.6211)^2 - 3.6e-5", "0.37", island, one, 0.04},
    {"cusp", "(a - 0.27)^3 - (b - 0.43)^2", "0.37", cusp, one, 0.04},
    {"tongue", "(a - 0.3711)^2 - (0.2*(b + 0.03)^2)^2", "0.37", tongue, one, 0.04},
    {"crossing",
     "((2.3*(a - 0.487))^2 + (2.3*(b - 0.513))^2)^2 - (2.3*(a - 0.487))^2 + (2.3*(b - 0.513))^2",
     "0.37", crossed, one, 0.04},
    {"flutter and divergence",
     "(sqrt((a - 0.55)^2 + (b - 0.45)^2) - 0.07)*(sqrt((a - 0.55)^2 + "
     "(b - 0.45)^2) - 0.15)",
     "a - 0.3 - 0.05*sin(7*b)", ring, wave, 0.05},
};

static noslip_case *oscillator(const known_plane *p)
{
    char words[900];
    snprintf(words, sizeof words,
             "parameters: {a: 0.95, b: 0.05, k: '%s', c: '%s'}\ncoordinates: [x]\n"
             "kinetic: x'^2/2\npotential: k*x^2/2\ndissipation: c*x'^2/2\n"
             "region: {x: {parameter: a, from: 0, to: 1}, y: {parameter: b, from: 0, to: 1}}\n",
             p->k, p->c);
    return written(words);
}

static noslip_point_kind expected(const known_plane *p, double a, double b)
{
    double k = p->stiffness(a, b), c = p->damping == one ? 0.37 : p->damping(a, b);
    if (k < 0) return NOSLIP_POINT_DIVERGENCE;
    if (c > 0) return NOSLIP_POINT_STABLE;
    return c * c / 4 > k ? NOSLIP_POINT_DIVERGENCE : NOSLIP_POINT_FLUTTER;
}

/* A node may lie on a boundary by chance: it is neutral then. */
static bool is_on_axis(const known_plane *p, const noslip_region_point *t)
{
    double k = p->stiffness(t->x, t->y), c = p->damping == one ? 0.37 : p->damping(t->x, t->y);
    return t->kind == NOSLIP_POINT_NEUTRAL && (fabs(k) < 1e-12 || fabs(c) < 1e-12);
}

/* A node may differ from what it should be only if it was not evaluated and a boundary passes the cell that it lies in. */
static size_t count_wrong(const study *y, const known_plane *p, double slack)
{
    size_t wrong = 0;
    for (size_t j = 0; j < y->about.nodes[1]; j++)
        for (size_t i = 0; i < y->about.nodes[0]; i++) {
            noslip_region_point t = noslip_region_at(y->r, 0, i, j);
            if (t.kind == expected(p, t.x, t.y) || is_on_axis(p, &t)) continue;
            bool close = false;
            for (int k = 0; k < 8 && !close; k++) {
                double dx = slack * cos(k * 0.7853981633974483),
                       dy = slack * sin(k * 0.7853981633974483);
                close = t.kind == expected(p, t.x + dx, t.y + dy);
            }
            wrong += !close;
        }
    return wrong;
}

Test(region, islands_cusps_tongues_and_crossings_are_found_at_little_cost)
{
    for (size_t k = 0; k < sizeof planes / sizeof *planes; k++) {
        noslip_region_options o = noslip_region_defaults();
        o.sheets = 1;
        study y = explore(oscillator(&planes[k]), &o);
        cr_expect_leq(share(&y), planes[k].most, "%s: %g of the lattice", planes[k].name,
                      share(&y));
        size_t wrong = count_wrong(&y, &planes[k], 1.0 / 1024);
        cr_expect_eq(wrong, 0, "%s: %zu nodes", planes[k].name, wrong);
        cr_expect_geq(noslip_region_sheet(y.r, 0).curves, 1);
        finish(&y);
    }
}

/* x^3 - a x - b = 0: one motion outside of 27 b^2 = 4 a^3, three inside, the middle one a saddle. */
static const char catastrophe[] =
    "parameters: {a: -0.7, b: 0.21}\ncoordinates: [x]\nkinetic: x'^2/2\n"
    "potential: x^4/4 - a*x^2/2 - b*x\ndissipation: 0.31*x'^2\nsteady: {guess: {x: 0.2}}\n"
    "region: {x: {parameter: a, from: -1, to: 1}, y: {parameter: b, from: -0.47, to: 0.51}}\n";

static double fold(double a, double b)
{
    return 27 * b * b - 4 * a * a * a;
}

Test(region, a_cusp_of_folds_has_three_sheets_that_end_where_they_should)
{
    noslip_region_options o = noslip_region_defaults();
    study y = explore(written(catastrophe), &o);
    size_t folds = 0;
    double none = 0, saddle = 0;
    for (size_t s = 0; s < y.about.sheets; s++) {
        noslip_sheet_info i = noslip_region_sheet(y.r, s);
        saddle += i.area[NOSLIP_POINT_DIVERGENCE];
        none += i.area[NOSLIP_POINT_NONE];
        for (size_t k = 0; k < i.curves; k++) {
            noslip_curve c = noslip_region_curve(y.r, s, k);
            if (c.kind != NOSLIP_BOUNDARY_EXISTENCE) continue;
            for (size_t n = 0; n < c.points; n++, folds++) {
                noslip_curve_point t = noslip_region_curve_point(y.r, s, k, n);
                double off = distance(fold, &y.about, t.x, t.y);
                cr_expect_leq(off, t.x > 0.02 ? 2e-8 : 1e-5, "(%.9g, %.9g) is %g off a fold", t.x,
                              t.y, off);
            }
        }
    }
    /* inside: 4 a^3 > 27 b^2, by integration; the saddle covers it once */
    double inside = 2 * sqrt(4.0 / 27) * 2 / 5.0 / (2 * 0.98);
    cr_expect_geq(y.about.sheets, 2);
    cr_expect_geq(folds, 500);
    cr_expect_leq(fabs(saddle - inside), 0.003, "the saddle covers %g, expected %g", saddle,
                  inside);
    cr_expect_gt(none, 0.5);
    finish(&y);
}

/* A conservative system: neutral where k > 0, divergence where k < 0. */
Test(region, without_damping_the_boundary_of_neutral_motions_is_found)
{
    known_plane p = {"ring", planes[4].k, "0", ring, NULL, 1};
    noslip_region_options o = noslip_region_defaults();
    o.sheets = 1;
    o.resolution = 256;
    study y = explore(oscillator(&p), &o);
    cr_expect_geq(expect_on_curve(&y, ring, NOSLIP_BOUNDARY_DIVERGENCE, 1e-8), 400);
    cr_expect_leq(fabs(noslip_region_sheet(y.r, 0).area[NOSLIP_POINT_DIVERGENCE] -
                       3.141592653589793 * (0.15 * 0.15 - 0.07 * 0.07)),
                  0.005);
    finish(&y);
}

/* The same bits, whatever the number of threads. */
static void expect_same(const study *a, const study *b)
{
    cr_assert_eq(a->about.sheets, b->about.sheets);
    cr_expect_eq(a->about.evaluated, b->about.evaluated);
    for (size_t s = 0; s < a->about.sheets; s++) {
        noslip_sheet_info i = noslip_region_sheet(a->r, s), j = noslip_region_sheet(b->r, s);
        cr_assert_eq(memcmp(i.area, j.area, sizeof i.area), 0);
        cr_assert_eq(i.curves, j.curves);
        for (size_t k = 0; k < i.curves; k++) {
            noslip_curve c = noslip_region_curve(a->r, s, k);
            cr_assert_eq(c.points, noslip_region_curve(b->r, s, k).points);
            for (size_t n = 0; n < c.points; n++) {
                noslip_curve_point t = noslip_region_curve_point(a->r, s, k, n),
                                   u = noslip_region_curve_point(b->r, s, k, n);
                cr_expect(t.x == u.x && t.y == u.y && t.frequency == u.frequency);
            }
        }
        for (size_t k = 0; k < a->about.nodes[0] * a->about.nodes[1]; k++) {
            noslip_region_point t = noslip_region_at(a->r, s, k % a->about.nodes[0],
                                                     k / a->about.nodes[0]),
                                u = noslip_region_at(b->r, s, k % a->about.nodes[0],
                                                     k / a->about.nodes[0]);
            cr_expect(t.kind == u.kind && t.abscissa == u.abscissa && t.frequency == u.frequency);
        }
    }
}

Test(region, the_number_of_threads_does_not_change_a_bit)
{
    for (int plain = 0; plain < 2; plain++) {
        study y[2];
        for (int k = 0; k < 2; k++) {
            noslip_region_options o = noslip_region_defaults();
            o.resolution = 128;
            if (plain) o.grid[0] = 211, o.grid[1] = 97;
            o.threads = k ? 5 : 1;
            y[k] = explore(written(catastrophe), &o);
        }
        expect_same(&y[0], &y[1]);
        for (int k = 0; k < 2; k++) {
            noslip_region_free(y[k].r);
            noslip_model_free(y[k].m);
            noslip_case_close(y[k].c);
        }
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(region, a_plain_grid_has_the_right_kind_at_every_point)
{
    for (size_t k = 0; k < sizeof planes / sizeof *planes; k++) {
        noslip_region_options o = noslip_region_defaults();
        o.sheets = 1;
        o.grid[0] = 331;
        o.grid[1] = 217;
        study y = explore(oscillator(&planes[k]), &o);
        size_t wrong = count_wrong(&y, &planes[k], 1e-6);
        cr_expect_eq(wrong, 0, "%s: %zu nodes", planes[k].name, wrong);
        finish(&y);
    }
}

/* Work that was stopped goes on where it was, to the same bits. */
static bool stop_after(void *user, double part)
{
    int *left = user;
    (void)part;
    return --*left > 0;
}

Test(region, work_that_was_stopped_goes_on_from_its_checkpoint_to_the_same_bits)
{
    char path[] = "/tmp/noslip-region-XXXXXX";
    int file = mkstemp(path), stops = 0;
    cr_assert_geq(file, 0);
    noslip_region_options o = noslip_region_defaults();
    o.resolution = 64;
    o.threads = 2;
    study whole = explore(written(catastrophe), &o);
    o.checkpoint = path;
    for (int calls = 1;; calls += 3) {
        noslip_error err = {0};
        noslip_region *r;
        study y = {.c = written(catastrophe)};
        int left = calls;
        cr_assert_eq(noslip_model_make(y.c, &y.m, &err), NOSLIP_OK);
        o.go_on = stop_after;
        o.user = &left;
        noslip_status status = noslip_region_find(y.m, &o, &r, &err);
        o.resume = true;
        y.r = status == NOSLIP_OK ? r : NULL;
        if (status == NOSLIP_OK) y.about = noslip_region_about(r);
        if (status == NOSLIP_OK) expect_same(&whole, &y);
        noslip_region_free(y.r);
        noslip_model_free(y.m);
        noslip_case_close(y.c);
        if (status == NOSLIP_OK) break;
        cr_assert_eq(status, NOSLIP_STOPPED, "%s", err.message);
        stops++;
    }
    cr_expect_geq(stops, 5);
    unlink(path);
    finish(&whole);
}
