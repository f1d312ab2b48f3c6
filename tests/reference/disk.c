/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rolling disk through the reduced equations, against the closed form of docs/theory.md. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "build.h"
#include "model.h"
#include "sample.h"

static const char *const kinetic =
    "(A + m*a^2)/2*theta'^2 + (A*cos(theta)^2 + (C + m*a^2)*sin(theta)^2)/2*psi'^2 - "
    "C*sin(theta)*psi'*phi'"
    " + C/2*phi'^2 + m/2*(x'^2 + y'^2) + m*a*cos(theta)*theta'*(cos(psi)*y' - sin(psi)*x')"
    " - m*a*sin(theta)*psi'*(cos(psi)*x' + sin(psi)*y')";

static expr build(mechanical_system *s, const char *words)
{
    noslip_error err = {0};
    formula f = {0};
    expr e = EXPR_NONE;
    source src = source_of_string(words);
    cr_assert_eq(formula_parse(&src, 0, src.size, false, &f, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(formula_build_number(&f, s->names, ~0u, NULL, &e, &err), NOSLIP_OK, "%s",
                 err.message);
    formula_free(&f);
    return e;
}

enum { M, A, C, G, H, RADIUS, PARAMETERS };

/* The disk; with the paper's quasi-velocities (115), or without any. */
static mechanical_system *make_disk(bool with_quasi)
{
    static const char *const parameters[] = {"m", "A", "C", "g", "h", "a"};
    static const char *const coordinates[] = {"theta", "psi", "phi", "x", "y"};
    static const char *const constraints[] = {"x' - a*cos(psi)*phi'", "y' - a*sin(psi)*phi'"};
    static const char *const quasi[][2] = {
        {"w1", "theta'"}, {"w2", "psi'"}, {"w3", "phi' - sin(theta)*psi'"}};
    mechanical_system *s = system_new();
    for (int k = 0; k < PARAMETERS; k++)
        cr_assert_eq(system_add_parameter(s, parameters[k], 1, (origin){0}, NULL), NOSLIP_OK);
    for (int k = 0; k < 5; k++)
        cr_assert_eq(
            system_add_coordinate(s, coordinates[k], strlen(coordinates[k]), (origin){0}, NULL),
            NOSLIP_OK);
    s->kinetic = build(s, kinetic);
    s->potential = build(s, "m*g*a*cos(theta)");
    s->dissipation = build(s, "h*theta'^2/2");
    for (int k = 0; k < 2; k++)
        cr_assert(array_push(&s->constraints,
                             ((system_constraint){constraints[k], build(s, constraints[k]), {0}})));
    for (int k = 0; with_quasi && k < 3; k++)
        cr_assert_eq(system_add_quasi(s, quasi[k][0], 2, build(s, quasi[k][1]), (origin){0}, NULL),
                     NOSLIP_OK);
    return s;
}

static model *make_model(mechanical_system *s, const double *parameters)
{
    noslip_error err = {0};
    model *m = NULL;
    cr_assert_eq(model_new(s, parameters, NULL, &m, &err), NOSLIP_OK, "%s", err.message);
    return m;
}

Test(disk, only_the_lean_is_positional_with_given_and_with_chosen_quasi_velocities)
{
    const double parameters[PARAMETERS] = {1.3, 0.07, 0.15, 9.81, 0.11, 0.47};
    for (int given = 0; given < 2; given++) {
        mechanical_system *s = make_disk(given);
        model *m = make_model(s, parameters);
        cr_assert_eq(m->f, 3);
        cr_assert_eq(m->n_constraints, 2);
        cr_assert_eq(m->own_quasi, !given);
        cr_assert_eq(m->n_positional, 1);
        cr_assert_eq(m->positional[0], 0);
        cr_assert_eq(m->why[0], NEEDED_EQUATIONS);
        model_free(m);
        system_free(s);
        cr_assert_eq(noslip_alloc_live(), 0);
    }
}

/* One steady motion: lean and turn at random, the spin from the steady relation. */
static double spin(const double *p, double th, double w2)
{
    double ma2 = p[M] * p[RADIUS] * p[RADIUS];
    return (p[M] * p[G] * p[RADIUS] * sin(th) - p[A] * sin(th) * cos(th) * w2 * w2) /
           ((p[C] + ma2) * w2 * cos(th));
}

/* The second row of G of the paper, by theta, w1, w2, w3, with the two entries that the scan garbles mended. */
static void closed_form(const double *p, double th, double w2, double w3, double row[4])
{
    double ma2 = p[M] * p[RADIUS] * p[RADIUS], J = p[A] + ma2, mga = p[M] * p[G] * p[RADIUS];
    row[0] = ((p[C] + ma2) * w2 * w3 * sin(th) - p[A] * w2 * w2 * cos(2 * th) + mga * cos(th)) / J;
    row[1] = -p[H] / J;
    row[2] = -(2 * p[A] * w2 * sin(th) + (p[C] + ma2) * w3) * cos(th) / J;
    row[3] = -(p[C] + ma2) * w2 * cos(th) / J;
}

static double a0(const double *p, double th, double w2, double w3)
{
    double ma2 = p[M] * p[RADIUS] * p[RADIUS];
    return (p[A] * w2 * w2 * (1 + 2 * sin(th) * sin(th)) + ma2 * cos(th) * cos(th) * w2 * w2 +
            (3 * p[C] + ma2) * w2 * w3 * sin(th) + p[C] / p[A] * (p[C] + ma2) * w3 * w3 -
            p[M] * p[G] * p[RADIUS] * cos(th)) /
           (p[A] + ma2);
}

/* M^-1 (dc/dtheta, dc/dw), so that G's lower rows are its negative. */
static void lower_rows(reduced *r, double g[3][4])
{
    double lu[9], columns[12];
    int pivot[3];
    memcpy(lu, r->M, sizeof lu);
    memcpy(columns, r->cq, 3 * sizeof *columns);
    memcpy(columns + 3, r->cw, 9 * sizeof *columns);
    cr_assert_eq(dense_factor(r->d, 3, lu, pivot, NULL), NOSLIP_OK);
    dense_solve(false, 3, lu, pivot, 4, columns);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) g[i][j] = -columns[i + 3 * j];
}

Test(disk, G_equals_the_closed_form_at_a_thousand_steady_motions)
{
    unsigned long long seed = 8128;
    mechanical_system *s = make_disk(true);
    for (int draw = 0; draw < 20; draw++) {
        double p[PARAMETERS];
        for (int k = 0; k < PARAMETERS; k++) p[k] = 0.9 + 0.8 * sample_number(&seed);
        model *m = make_model(s, p);
        reduced *r = reduced_new(m->e, m->f);
        memcpy(r->e->parameters, p, sizeof p);
        for (int times = 0; times < 50; times++) {
            double th = 1.4 * sample_number(&seed), w2 = 2.5 + 2.1 * sample_number(&seed),
                   w3 = spin(p, th, w2);
            const double q[5] = {th, 3 * sample_number(&seed), sample_number(&seed), 7.1, -3.3},
                         w[3] = {0, w2, w3};
            memcpy(r->e->q, q, sizeof q);
            memcpy(r->w, w, sizeof w);
            cr_assert_eq(reduced_values(r), NOSLIP_OK);
            cr_assert_eq(reduced_slopes(r), NOSLIP_OK);
            double g[3][4], row[4], size = 1;
            lower_rows(r, g);
            closed_form(p, th, w2, w3, row);
            for (int j = 0; j < 4; j++) size = fmax(size, fabs(row[j]));
            for (int i = 0; i < 3; i++)
                cr_expect_leq(fabs(r->c[i]), 1e-12 * size * (p[A] + p[M] * p[RADIUS] * p[RADIUS]),
                              "seed 8128, draw %d: c%d = %g", draw, i, r->c[i]);
            for (int j = 0; j < 4; j++)
                cr_expect_leq(fabs(g[0][j] - row[j]), 1e-12 * size, "draw %d: G %g, closed form %g",
                              draw, g[0][j], row[j]);
            /* lambda^2 (lambda^2 + a1 lambda + a0): a0 is the sum of the principal minors of order two */
            double minors = -g[0][0] - g[0][2] * g[1][1] - g[0][3] * g[2][1];
            cr_expect_leq(fabs(minors - a0(p, th, w2, w3)), 1e-11 * (1 + size * size),
                          "draw %d: a0 %g, closed form %g", draw, minors, a0(p, th, w2, w3));
        }
        reduced_free(r);
        model_free(m);
    }
    system_free(s);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* 2*(m/2)*norm(v)^2 has rates in its second derivatives that cancel; m*norm(v)^3 has rates that do not. */
Test(disk, a_kinetic_energy_is_judged_by_numbers_where_rates_cancel)
{
    static const struct {
        const char *kinetic;
        noslip_status status;
    } rows[] = {{"m*norm(vec(x', y'))^2", NOSLIP_OK},
                {"m*norm(vec(x', y'))^3", NOSLIP_ERR_FORMULA}};
    for (int k = 0; k < 2; k++) {
        const double m_value = 1.7;
        noslip_error err = {0};
        model *m = NULL;
        mechanical_system *s = system_new();
        cr_assert_eq(system_add_parameter(s, "m", 1, (origin){0}, NULL), NOSLIP_OK);
        cr_assert_eq(system_add_coordinate(s, "x", 1, (origin){0}, NULL), NOSLIP_OK);
        cr_assert_eq(system_add_coordinate(s, "y", 1, (origin){0}, NULL), NOSLIP_OK);
        s->kinetic = build(s, rows[k].kinetic);
        cr_expect_eq(model_new(s, &m_value, NULL, &m, &err), rows[k].status, "%s", err.message);
        if (rows[k].status != NOSLIP_OK)
            cr_expect_str_eq(err.message, "the kinetic energy is not quadratic in the rates");
        model_free(m);
        system_free(s);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A constraint besides those of the disk that depends on them. */
static noslip_status add_constraint(const char *words, model **m, mechanical_system **out,
                                    noslip_error *err)
{
    const double parameters[PARAMETERS] = {1.3, 0.07, 0.15, 9.81, 0.11, 0.47};
    mechanical_system *s = *out = make_disk(false);
    expr e = build(s, words);
    cr_assert(array_push(&s->constraints, ((system_constraint){"along", e, {0}})));
    return model_new(s, parameters, NULL, m, err);
}

Test(disk, a_constraint_that_follows_from_others_is_left_out)
{
    mechanical_system *s;
    model *m = NULL;
    noslip_error err = {0};
    cr_assert_eq(add_constraint("cos(psi)*x' + sin(psi)*y' - a*phi'", &m, &s, &err), NOSLIP_OK,
                 "%s", err.message);
    cr_expect_eq(m->n_constraints, 2);
    cr_expect_eq(m->fate[2], CONSTRAINT_FOLLOWS);
    cr_expect_eq(m->f, 3);
    model_free(m);
    system_free(s);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(disk, a_constraint_that_contradicts_the_others_is_refused)
{
    mechanical_system *s;
    model *m = NULL;
    noslip_error err = {0};
    cr_assert_eq(add_constraint("cos(psi)*x' + sin(psi)*y' - a*phi' - 0.37", &m, &s, &err),
                 NOSLIP_ERR_FORMULA);
    cr_expect_str_eq(err.message,
                     "this constraint contradicts the others: together they cannot hold");
    system_free(s);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Levels go first: they say where the system is, and a rate form of the same is what follows. */
Test(disk, of_a_level_and_its_rate_form_the_level_is_kept_and_two_levels_must_agree)
{
    static const struct {
        const char *second;
        noslip_status status;
    } rows[] = {{"3*x*x' - 3*y*y'*x/x + 0*x", NOSLIP_OK},
                {"3*x^2 - 3*y^2 - 2.1", NOSLIP_OK},
                {"3*x^2 - 3*y^2 - 2.3", NOSLIP_ERR_FORMULA}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        model *m = NULL;
        mechanical_system *s = system_new();
        cr_assert_eq(system_add_coordinate(s, "x", 1, (origin){0}, NULL), NOSLIP_OK);
        cr_assert_eq(system_add_coordinate(s, "y", 1, (origin){0}, NULL), NOSLIP_OK);
        s->kinetic = build(s, "1.3*x'^2 + 0.7*y'^2");
        system_constraint first = {"rows", build(s, rows[k].second), {0}},
                          level = {"level", build(s, "x^2 - y^2 - 0.7"), {0}};
        cr_assert(array_push(&s->constraints, first) && array_push(&s->constraints, level));
        const double reference[2] = {1.7, 1.3};
        const double none = 0;
        cr_expect_eq(model_new(s, &none, reference, &m, NULL), rows[k].status, "row %zu", k);
        if (m) cr_expect_eq(m->n_levels, 1);
        if (m) cr_expect_eq(m->fate[k == 0 ? 0 : 1], CONSTRAINT_FOLLOWS);
        model_free(m);
        system_free(s);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}
