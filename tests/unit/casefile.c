/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "case.h"
#include "tape.h"

/* Good case files. */

static noslip_case *read_with(const char *bytes, const char *const *overrides)
{
    noslip_case *c = NULL;
    noslip_error err = {0};
    char said[1000];
    if (case_read_bytes("case.yaml", bytes, strlen(bytes), overrides, &c, &err) != NOSLIP_OK) {
        noslip_error_format(&err, said, sizeof said);
        cr_assert_fail("%s", said);
    }
    return c;
}

static noslip_case *understand(const char *bytes)
{
    return read_with(bytes, NULL);
}

static noslip_case *shipped(const char *name)
{
    noslip_case *c = NULL;
    noslip_error err = {0};
    char said[1000];
    if (noslip_case_open(name, NULL, &c, &err) != NOSLIP_OK) {
        noslip_error_format(&err, said, sizeof said);
        cr_assert_fail("%s", said);
    }
    return c;
}

static void done(noslip_case *c)
{
    case_free(c);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* The number of an expression: parameters as in the case, coordinates, then rates, from `state`; quasi-velocities are 0. */
static double number(const noslip_case *c, expr e, const double *state)
{
    const mechanical_system *s = c->system;
    size_t p = s->parameters.n, q = s->coordinates.n, w = s->quasi.n;
    expr in[200];
    double at[200] = {0}, out;
    cr_assert_lt(p + 2 * q + w, 200);
    for (size_t k = 0; k < p; k++) in[k] = s->parameters.at[k].symbol;
    for (size_t k = 0; k < p; k++) at[k] = c->parameters[k];
    for (size_t k = 0; k < q; k++) in[p + k] = s->coordinates.at[k].symbol;
    for (size_t k = 0; k < q; k++) in[p + q + k] = graph_rate(s->g, s->coordinates.at[k].symbol);
    for (size_t k = 0; k < 2 * q && state; k++) at[p + k] = state[k];
    for (size_t k = 0; k < w; k++) in[p + 2 * q + k] = s->quasi.at[k].symbol;
    tape *t;
    const tape_spec spec = {.in = in, .n_in = p + 2 * q + w, .out = &e, .n_out = 1};
    cr_assert_eq(tape_compile(s->g, &spec, &t, NULL), NOSLIP_OK);
    tape_work *work = tape_work_new(t);
    tape_point(work, at, &out);
    tape_work_free(work);
    tape_free(t);
    return out;
}

static void near(double x, double y)
{
    cr_assert(fabs(x - y) <= 1e-13 * (1 + fabs(y)), "%.17g is not %.17g", x, y);
}

static double parameter(const noslip_case *c, const char *name)
{
    for (size_t k = 0; k < c->system->parameters.n; k++)
        if (strcmp(c->system->parameters.at[k].name, name) == 0) return c->parameters[k];
    cr_assert_fail("no parameter %s", name);
    return 0;
}

/* What the user wrote at a place. */
static void wrote(origin at, const char *expected)
{
    cr_assert(at.src);
    size_t n = at.to - at.from;
    cr_assert(n == strlen(expected) && memcmp(at.src->text + at.from, expected, n) == 0, "'%.*s'",
              (int)n, at.src->text + at.from);
}

/* Shipped cases */

Test(casefile, every_shipped_case_can_be_read)
{
    static const struct {
        const char *name;
        size_t coordinates, constraints, quasi;
    } cases[] = {
        {"rolling-disk", 5, 2, 3},   {"rolling-disk-bodies", 5, 2, 3},
        {"rolling-hoop", 5, 2, 3},   {"chaplygin-sleigh", 3, 1, 2},
        {"turntable-ball", 5, 2, 3}, {"whipple-bicycle", 8, 5, 3},
        {"bead-on-wire", 3, 1, 0},   {"caster-wheel", 3, 1, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        noslip_case *c = shipped(cases[k].name);
        cr_expect(noslip_case_title(c)[0]);
        cr_expect_eq(noslip_case_coordinate_count(c), cases[k].coordinates, "%s", cases[k].name);
        cr_expect_eq(c->system->constraints.n, cases[k].constraints, "%s", cases[k].name);
        cr_expect_eq(c->system->quasi.n, cases[k].quasi, "%s", cases[k].name);
        cr_expect_geq(c->conditions.n, 1);
        cr_expect_geq(c->traces.n, 1);
        done(c);
    }
}

static double random_number(void)
{
    return 2.6 * rand() / RAND_MAX - 1.3;
}

Test(casefile, the_disk_from_bodies_is_the_disk_from_formulas)
{
    noslip_case *one = shipped("rolling-disk"), *two = shipped("rolling-disk-bodies");
    const mechanical_system *a = one->system, *b = two->system;
    srand(11);
    for (int round = 0; round < 50; round++) {
        double state[10];
        for (int k = 0; k < 10; k++) state[k] = random_number();
        near(number(two, b->kinetic, state), number(one, a->kinetic, state));
        near(number(two, b->potential, state), number(one, a->potential, state));
        near(number(two, b->dissipation, state), number(one, a->dissipation, state));
        for (size_t k = 0; k < 2; k++)
            near(number(two, b->constraints.at[k].e, state),
                 number(one, a->constraints.at[k].e, state));
    }
    case_free(one);
    done(two);
}

/* The wheels turn at -v/r about y, which points to the right. */
Test(casefile, the_bicycle_upright_and_straight_keeps_its_constraints)
{
    noslip_case *c = shipped("whipple-bicycle");
    enum { X, Y, PSI, PHI, THETA, DELTA, REAR, FRONT, N };
    double v = parameter(c, "v"), yaw = 0.7, state[2 * N] = {0.3, -2.1, yaw, 0, 0, 0, 1.7, 0.4};
    double *rate = state + N;
    rate[X] = v * cos(yaw);
    rate[Y] = v * sin(yaw);
    rate[REAR] = -v / parameter(c, "rR");
    rate[FRONT] = -v / parameter(c, "rF");
    for (size_t k = 0; k < c->system->constraints.n; k++)
        near(number(c, c->system->constraints.at[k].e, state), 0);
    double energy =
        (2 + 85 + 4 + 3) * v * v / 2 + 0.12 * pow(v / 0.3, 2) / 2 + 0.28 * pow(v / 0.35, 2) / 2;
    near(number(c, c->system->kinetic, state), energy);
    near(number(c, c->system->potential, state), 9.81 * (2 * 0.3 + 85 * 0.9 + 4 * 0.7 + 3 * 0.35));
    done(c);
}

/* Any lean and steer: the front wheel touches the ground where the contact says, to the first order of a small pitch. */
Test(casefile, the_bicycle_leant_and_steered_needs_a_pitch)
{
    noslip_case *c = shipped("whipple-bicycle");
    double state[16] = {0, 0, 0.4, 0.3, 0, 0.5}; /* lean 0.3, steer 0.5 */
    double sunk = number(c, c->system->constraints.at[0].e, state);
    cr_expect(fabs(sunk) > 1e-4 && fabs(sunk) < 0.1, "%g", sunk);
    state[2] = -1.1; /* a yaw changes nothing */
    near(number(c, c->system->constraints.at[0].e, state), sunk);
    done(c);
}

/* Parameters */

Test(casefile, parameters_stand_in_any_order_and_in_any_form)
{
    noslip_case *c =
        understand("parameters:\n"
                   "  area: length^2*pi\n"
                   "  length: {value: 2*width, unit: m, about: along the axis, latex: \\ell}\n"
                   "  width: 1/8\n"
                   "  tiny: 1e-3\n"
                   "  many: sum(i, 1, N, i*width)\n"
                   "  N: 4\n"
                   "coordinates: [x]\n"
                   "kinetic: x'^2\n");
    near(parameter(c, "area"), 0.0625 * 3.14159265358979323846);
    near(parameter(c, "tiny"), 0.001);
    near(parameter(c, "many"), 1.25);
    cr_expect_str_eq(noslip_case_parameter_name(c, 1), "length");
    cr_expect_str_eq(noslip_case_parameter_unit(c, 1), "m");
    cr_expect_str_eq(c->system->parameters.at[1].about, "along the axis");
    cr_expect_str_eq(c->system->parameters.at[1].latex, "\\ell");
    cr_expect_null(noslip_case_parameter_unit(c, 0));
    cr_expect_null(noslip_case_parameter_name(c, 6));
    cr_expect_eq(noslip_case_parameter_value(c, 6), 0);
    wrote(c->system->parameters.at[2].at, "width");
    done(c);
}

Test(casefile, an_override_takes_the_place_of_a_formula)
{
    static const char bytes[] =
        "parameters: {m: 2, k: 10*m, c: k/m}\ncoordinates: [x]\nkinetic: m*x'^2\n";
    noslip_case *c = read_with(bytes, (const char *const[]){"m=4", "k = m^2 + 1", NULL});
    near(parameter(c, "m"), 4);
    near(parameter(c, "k"), 17);
    near(parameter(c, "c"), 4.25);
    done(c);
    c = read_with(bytes, (const char *const[]){"m=k", "k=3", "k=5", NULL});
    near(parameter(c, "m"), 5); /* the later of two */
    wrote(c->system->parameters.at[0].at, "m=k");
    done(c);
}

Test(casefile, a_case_needs_no_parameters)
{
    noslip_case *c = understand("coordinates: [x]\nkinetic: x'^2/2\npotential: 9.81*x\n");
    cr_expect_eq(noslip_case_parameter_count(c), 0);
    cr_expect_str_eq(noslip_case_title(c), "");
    cr_expect_str_eq(noslip_case_file(c), "case.yaml");
    done(c);
}

/* Coordinates */

Test(casefile, coordinates_have_four_notations)
{
    static const char *const notations[] = {
        "coordinates: [x, y]",
        "coordinates:\n  - x: {unit: m, about: east}\n  - y",
        "coordinates:\n  - {name: x, unit: m, about: east}\n  - {name: y}",
        "coordinates:\n  x: {unit: m, about: east}\n  y:",
    };
    for (int k = 0; k < 4; k++) {
        char bytes[200];
        snprintf(bytes, sizeof bytes, "%s\nkinetic: x'^2 + y'^2\n", notations[k]);
        noslip_case *c = understand(bytes);
        cr_assert_eq(noslip_case_coordinate_count(c), 2);
        cr_expect_str_eq(noslip_case_coordinate_name(c, 0), "x");
        cr_expect_str_eq(noslip_case_coordinate_name(c, 1), "y");
        cr_expect_null(noslip_case_coordinate_name(c, 2));
        cr_expect_null(noslip_case_coordinate_unit(c, 1));
        if (k) cr_expect_str_eq(noslip_case_coordinate_unit(c, 0), "m");
        wrote(c->system->coordinates.at[0].at, "x");
        done(c);
    }
}

/* Definitions and bodies */

Test(casefile, definitions_are_numbers_vectors_and_matrices)
{
    noslip_case *c = understand("coordinates: [x, y]\n"
                                "define:\n"
                                "  n: 2*x\n"
                                "  v: vec(n, y, 1)\n"
                                "  w: [n, y, 1]\n"
                                "  R: rotz(y)\n"
                                "  M: [[1, x, 0], [0, 1, 0], [0, 0, 2]]\n"
                                "  s: dot(R*v, M*w)\n"
                                "kinetic: dot(dt(v), dt(w))/2\n"
                                "potential: s\n");
    const double state[4] = {0.3, 0.5, 0.7, 1.1};
    near(number(c, c->system->kinetic, state), (4 * 0.49 + 1.21) / 2);
    double a = 0.6 * cos(0.5) - 0.5 * sin(0.5), b = 0.6 * sin(0.5) + 0.5 * cos(0.5);
    near(number(c, c->system->potential, state), a * (0.6 + 0.3 * 0.5) + b * 0.5 + 2);
    done(c);
}

Test(casefile, an_inertia_has_three_notations)
{
    static const char *const notations[] = {
        "[A, B, A]", "[[A, 0, 0], [0, B, 0], [0, 0, A]]",
        "\"A*rotx(0) + (B - A)*vec(0, 1, 0)*transpose(vec(0, 1, 0))\""};
    for (int k = 0; k < 3; k++) {
        char bytes[400];
        snprintf(bytes, sizeof bytes,
                 "parameters: {A: 2, B: 3}\ncoordinates: [x, y]\nbodies:\n"
                 "  top: {mass: 0, rotation: rotz(x)*rotx(y), inertia: %s}\n",
                 notations[k]);
        noslip_case *c = understand(bytes);
        const double state[4] = {0.3, 0.5, 0.7, 1.1};
        double o1 = 1.1, o2 = 0.7 * sin(0.5), o3 = 0.7 * cos(0.5);
        near(number(c, c->system->kinetic, state), (2 * o1 * o1 + 3 * o2 * o2 + 2 * o3 * o3) / 2);
        done(c);
    }
}

Test(casefile, bodies_stand_besides_formulas)
{
    noslip_case *c = understand("parameters: {g: 10}\n"
                                "coordinates: [x, y]\n"
                                "bodies:\n"
                                "  bead: {mass: 2, position: [x, 0, y]}\n"
                                "  rotor: {mass: 0, spin: [0, \"x'\", 0], inertia: [1, 4, 1]}\n"
                                "gravity: [0, 0, -g]\n"
                                "kinetic: y'^2\n"
                                "potential: 3*x\n");
    const double state[4] = {0.3, 0.5, 0.7, 1.1};
    near(number(c, c->system->kinetic, state), (0.49 + 1.21) + 2 * 0.49 + 1.21);
    near(number(c, c->system->potential, state), 2 * 10 * 0.5 + 0.9);
    wrote(c->system->kinetic_at, "y'^2");
    done(c);
}

/* Forces and constraints */

Test(casefile, forces_stand_by_coordinate_and_at_points)
{
    static const char *const notations[] = {
        "  x: -2*x'\n  push: {at: \"vec(x, 2*y, 0)\", force: [3, x, 7]}\n  y: 1\n",
        "  - x: -2*x'\n    y: 1\n  - at: vec(x, 2*y, 0)\n    force: [3, x, 7]\n",
        "  - x: -2*x'\n  - y: 1\n  - push: {at: [x, 2*y, 0], force: [3, x, 7]}\n",
    };
    for (int k = 0; k < 3; k++) {
        char bytes[400];
        snprintf(bytes, sizeof bytes, "coordinates: [x, y]\nkinetic: x'^2 + y'^2\nforces:\n%s",
                 notations[k]);
        noslip_case *c = understand(bytes);
        const double state[4] = {0.3, 0.5, 0.7, 1.1};
        near(number(c, c->system->coordinates.at[0].force, state), -1.4 + 3);
        near(number(c, c->system->coordinates.at[1].force, state), 1 + 0.6);
        done(c);
    }
}

Test(casefile, a_constraint_is_an_equation_or_a_mapping_with_one)
{
    noslip_case *c = understand("coordinates: [x, y]\nkinetic: x'^2 + y'^2\n"
                                "constraints:\n"
                                "  no slip: x' = 3*y'\n"
                                "  on the circle:\n    equation: x^2 + y^2 = 4\n");
    const double state[4] = {0.3, 0.5, 0.7, 1.1};
    const system_constraint *k = c->system->constraints.at;
    cr_assert_eq(c->system->constraints.n, 2);
    cr_expect_str_eq(k[0].label, "no slip");
    cr_expect_str_eq(k[1].label, "on the circle");
    near(number(c, k[0].e, state), 0.7 - 3.3);
    near(number(c, k[1].e, state), 0.09 + 0.25 - 4);
    wrote(k[0].at, "x' = 3*y'");
    wrote(k[1].at, "x^2 + y^2 = 4");
    done(c);
}

/* Families */

static const char chain[] = "parameters: {N: 3, k: 2, half: N/2 + 1/2}\n"
                            "coordinates:\n"
                            "  - q[i=1..N]: {unit: m}\n"
                            "  - z\n"
                            "define:\n"
                            "  gap[j=1..N-1]: q[j+1] - q[j]\n"
                            "bodies:\n"
                            "  bead[i=1..N]: {mass: i, position: 'vec(q[i], 0, z)'}\n"
                            "potential: sum(i, 1, N-1, k/2*gap[i]^2) + q[half]\n"
                            "forces:\n"
                            "  q[i=2..N]: -i*q[i-1]'\n"
                            "  z: 5\n"
                            "constraints:\n"
                            "  rod [i=1..N-1]: dt(gap[i]) = z\n";

Test(casefile, families_are_written_out)
{
    noslip_case *c = understand(chain);
    const mechanical_system *s = c->system;
    const double state[8] = {0.1, 0.4, 0.9, 0.2, 1, 2, 3, 4};
    cr_assert_eq(s->coordinates.n, 4);
    cr_expect_str_eq(s->coordinates.at[2].name, "q[3]");
    cr_expect_str_eq(s->coordinates.at[2].unit, "m");
    near(number(c, s->kinetic, state), (1 * 17 + 2 * 20 + 3 * 25) / 2.0);
    near(number(c, s->potential, state), 0.09 + 0.25 + 0.4);
    near(number(c, s->coordinates.at[0].force, state), 0);
    near(number(c, s->coordinates.at[2].force, state), -3 * 2);
    cr_assert_eq(s->constraints.n, 2);
    cr_expect_str_eq(s->constraints.at[1].label, "rod [2]");
    near(number(c, s->constraints.at[1].e, state), 3 - 2 - 0.2);
    done(c);

    c = read_with(chain, (const char *const[]){"N=7", NULL});
    cr_expect_eq(c->system->coordinates.n, 8);
    cr_expect_eq(c->system->constraints.n, 6);
    done(c);
    c = read_with(chain, (const char *const[]){"N=1", NULL}); /* families may be empty */
    cr_expect_eq(c->system->constraints.n, 0);
    done(c);
}

/* Analyses */

Test(casefile, a_steady_motion_has_conditions_and_a_guess)
{
    noslip_case *c =
        understand("parameters: {lean: 0.3, N: 2}\n"
                   "coordinates: [x, 'q[i=1..N]']\n"
                   "kinetic: x'^2 + sum(i, 1, N, q[i]'^2)\n"
                   "define: {twice: 2*x}\n"
                   "quasi-velocities:\n  w: x' + q[1]'\n  u[i=1..N]: q[i]'\n"
                   "steady:\n"
                   "  with: [twice = lean, \"w = u[2]\", x' = 1]\n"
                   "  guess: {x: lean, x': 2*lean, w: 1, 'u[i=1..N]': i, 'q[i=1..N]''': 3*i}\n");
    const mechanical_system *s = c->system;
    const double state[6] = {0.5, 0, 0, 7, 0, 0};
    cr_assert_eq(s->quasi.n, 3);
    cr_expect_str_eq(s->quasi.at[2].name, "u[2]");
    cr_assert_eq(c->conditions.n, 3);
    near(number(c, c->conditions.at[0].e, state), 0.7);
    near(number(c, c->conditions.at[2].e, state), 6);
    wrote(c->conditions.at[0].at, "twice = lean");
    cr_assert_eq(c->guess.n, 7);
    cr_expect_eq(c->guess.at[0].target, s->coordinates.at[0].symbol);
    cr_expect_eq(c->guess.at[1].target, graph_rate(s->g, s->coordinates.at[0].symbol));
    cr_expect_eq(c->guess.at[2].target, s->quasi.at[0].symbol);
    cr_expect_eq(c->guess.at[4].target, s->quasi.at[2].symbol);
    cr_expect_eq(c->guess.at[6].target, graph_rate(s->g, s->coordinates.at[2].symbol));
    near(number(c, c->guess.at[1].start, NULL), 0.6);
    near(number(c, c->guess.at[6].start, NULL), 6);
    wrote(c->guess.at[0].at, "x");
    done(c);
}

Test(casefile, a_single_condition_needs_no_list)
{
    noslip_case *c = understand("coordinates: [x]\nkinetic: x'^2\nsteady: {with: x = 1}\n");
    cr_assert_eq(c->conditions.n, 1);
    done(c);
}

Test(casefile, traces_and_regions_are_one_or_several)
{
#define HEAD "parameters: {a: 2, b: 3}\ncoordinates: [x]\nkinetic: x'^2\n"
    noslip_case *c = understand(
        HEAD "trace: {parameter: b, from: a/2, to: 2*b}\n"
             "region: {x: {parameter: a, from: 0, to: 1}, y: {parameter: b, from: 5, to: 1}}\n");
    cr_assert(c->traces.n == 1 && c->regions.n == 1);
    cr_expect_eq(c->traces.at[0].parameter, 1);
    near(number(c, c->traces.at[0].from, NULL), 1);
    near(number(c, c->traces.at[0].to, NULL), 6);
    wrote(c->traces.at[0].at, "{parameter: b, from: a/2, to: 2*b}");
    cr_expect_eq(c->regions.at[0].x.parameter, 0);
    near(number(c, c->regions.at[0].y.from, NULL), 5);
    done(c);
    c = understand(
        HEAD "trace:\n  - {parameter: b, from: 1, to: 2}\n  - {parameter: a, from: 1, to: 2}\n"
             "region:\n  - x: {parameter: a, from: 0, to: 1}\n    y: {parameter: b, from: 0, "
             "to: 1}\n"
             "  - x: {parameter: b, from: 0, to: 1}\n    y: {parameter: a, from: 0, to: 1}\n");
    cr_assert(c->traces.n == 2 && c->regions.n == 2);
    cr_expect_eq(c->traces.at[1].parameter, 0);
    cr_expect_eq(c->regions.at[1].x.parameter, 1);
    done(c);
}

/* Notation and places */

Test(casefile, a_formula_may_be_plain_quoted_folded_or_literal)
{
    static const char *const notations[] = {
        "x'^2 +\n  3*y'^2  # plain",
        "\"x'^2 +\n  3*y'^2\"",
        "'x''^2 + 3*y''^2'",
        "\"x\\x27^2 + 3*y'^2\"",
        ">  # folded\n\n  x'^2 +\n    3*y'^2\n",
        ">-\n  x'^2 +\n\n  3*y'^2",
        "|2\n   x'^2 +\n  3*y'^2\n\n",
    };
    for (size_t k = 0; k < sizeof notations / sizeof *notations; k++) {
        char bytes[200];
        snprintf(bytes, sizeof bytes, "coordinates: [x, y]\nkinetic: %s\n# end\npotential: x\n",
                 notations[k]);
        noslip_case *c = understand(bytes);
        near(number(c, c->system->kinetic, (const double[]){0, 0, 2, 3}), 31);
        done(c);
    }
}

Test(casefile, places_are_right_behind_letters_of_several_bytes)
{
    noslip_case *c = understand("\xEF\xBB\xBFtitle: Zażółć gęślą jaźń 🚲\r\n"
                                "# ÄÖÜ\r\n"
                                "parameters: {Länge: 2, größe: Länge^2}\r\n"
                                "coordinates: [θ, ψ]\r\n"
                                "kinetic: >\r\n"
                                "   Länge*θ'^2 +\r\n"
                                "   ψ'^2\r\n"
                                "constraints: {żółw: \"ψ' = größe*θ'\"}\r\n"
                                "steady: {with: [θ = Länge]}\r\n");
    cr_expect_str_eq(noslip_case_title(c), "Zażółć gęślą jaźń 🚲");
    wrote(c->system->parameters.at[1].at, "größe");
    wrote(c->system->coordinates.at[1].at, "ψ");
    wrote(c->system->kinetic_at, "Länge*θ'^2 +\r\n   ψ'^2");
    wrote(c->system->constraints.at[0].at, "\"ψ' = größe*θ'\"");
    wrote(c->conditions.at[0].at, "θ = Länge");
    done(c);
}

Test(casefile, names_are_the_same_however_their_letters_are_composed)
{
    noslip_case *c =
        read_with("parameters: {\"La\u0308nge\": 2}\ncoordinates: [x]\nkinetic: L\u00e4nge*x'^2\n",
                  (const char *const[]){"L\u00e4nge=5", NULL});
    near(number(c, c->system->kinetic, (const double[]){0, 1}), 5);
    done(c);
}

Test(casefile, the_order_of_sections_does_not_matter)
{
    noslip_case *c =
        understand("steady: {with: w = v}\nquasi-velocities: {w: speed}\nkinetic: m*speed^2\n"
                   "define: {speed: x'}\ncoordinates: [x]\nparameters: {v: m, m: 3}\n");
    near(number(c, c->system->kinetic, (const double[]){0, 2}), 12);
    done(c);
}

/* Where cases are found */

static void make(const char *path, const char *content)
{
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fputs(content, f);
    fclose(f);
}

Test(casefile, a_case_is_a_file_a_folder_or_a_name)
{
    char folder[] = "/tmp/noslip-cases-XXXXXX";
    noslip_case *c;
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(mkdir("swing", 0700), 0);
    cr_assert_eq(mkdir("rolling-disk", 0700), 0); /* a folder of results, not a case */
    make("swing/swing.yaml", "title: mine\ncoordinates: [x]\nkinetic: x'^2\n");
    static const char *const ways[] = {"swing", "swing/", "./swing", "swing/swing.yaml"};
    for (int k = 0; k < 4; k++) {
        c = shipped(ways[k]);
        cr_expect_str_eq(noslip_case_title(c), "mine");
        done(c);
    }
    c = shipped("rolling-disk");
    cr_expect_str_eq(noslip_case_title(c), "Rolling disk");
    done(c);
    setenv("NOSLIP_CASES", folder, 1);
    cr_assert_eq(chdir("swing"), 0);
    c = shipped("swing");
    cr_expect_str_eq(noslip_case_title(c), "mine");
    done(c);
    c = shipped(".");
    cr_expect_str_eq(noslip_case_title(c), "mine");
    done(c);
    cr_assert_eq(chdir(folder), 0);
    unlink("swing/swing.yaml");
    rmdir("swing");
    rmdir("rolling-disk");
    rmdir(folder);
}
