/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../property/random_tree.h"
#include "alloc.h"
#include "build.h"
#include "diff.h"
#include "tape.h"

/* The kinetic energy of the rolling disk and the kinematics of rotations: numbers that do not come
 * from our own rules. */

enum { COORDINATES = 5, PARAMETERS = 4, SYMBOLS = 15 };

/* The order in which points are given: coordinates, rates, parameters, time. */
static const char *const coordinate[COORDINATES] = {"theta", "psi", "phi", "x", "y"};
static const char *const parameter[PARAMETERS] = {"m", "a", "A", "C"};

typedef struct {
    graph *g;
    scope *names;
    expr symbol[SYMBOLS];
} model;

static expr declare(const model *s, const char *name, symbol_kind kind)
{
    cr_assert_eq(scope_symbol(s->names, name, strlen(name), kind, NULL), NOSLIP_OK);
    return scope_find(s->names, name)->v.at[0];
}

static model model_open(void)
{
    model s = {.g = graph_new()};
    s.names = scope_new(s.g);
    for (int k = 0; k < COORDINATES; k++) {
        s.symbol[k] = declare(&s, coordinate[k], SYMBOL_COORDINATE);
        s.symbol[COORDINATES + k] = graph_rate(s.g, s.symbol[k]);
    }
    for (int k = 0; k < PARAMETERS; k++)
        s.symbol[2 * COORDINATES + k] = declare(&s, parameter[k], SYMBOL_PARAMETER);
    s.symbol[SYMBOLS - 1] = declare(&s, "t", SYMBOL_TIME);
    return s;
}

static void model_close(model *s)
{
    scope_free(s->names);
    graph_free(s->g);
}

static value read_value(const model *s, const char *string)
{
    source src = source_of_string(string);
    formula f = {0};
    noslip_error err = {0};
    value v;
    noslip_status status = formula_parse(&src, 0, src.size, false, &f, &err);
    if (status == NOSLIP_OK) status = formula_build(&f, s->names, ~0u, NULL, &v, &err);
    formula_free(&f);
    cr_assert_eq(status, NOSLIP_OK, "%s: %s", string, err.message);
    return v;
}

static void define(const model *s, const char *name, const char *string)
{
    value v = read_value(s, string);
    cr_assert_eq(scope_define(s->names, name, strlen(name), &v, NULL), NOSLIP_OK);
}

/* A tape with its workspace. */
typedef struct {
    tape *t;
    tape_work *w;
} program;

static program compile(const model *s, const expr *out, size_t n)
{
    program p = {0};
    const tape_spec spec = {.in = s->symbol, .n_in = SYMBOLS, .out = out, .n_out = n};
    cr_assert_eq(tape_compile(s->g, &spec, &p.t, NULL), NOSLIP_OK);
    p.w = tape_work_new(p.t);
    return p;
}

static program compile_value(const model *s, const char *string)
{
    value v = read_value(s, string);
    return compile(s, v.at, (size_t)value_size(&v));
}

static void run(const program *p, const double *point, double *out)
{
    cr_assert_eq(tape_point(p->w, point, out), NOSLIP_OK);
}

static void discard(program *p)
{
    tape_work_free(p->w);
    tape_free(p->t);
}

static void random_point(dice *d, double point[SYMBOLS])
{
    for (int k = 0; k < SYMBOLS; k++)
        point[k] = k < 2 * COORDINATES ? dice_between(d, -3, 3) : dice_between(d, 0.2, 2);
}

static void must_be_near(double got, double exact, double relative, const char *what, int which)
{
    cr_expect(fabs(got - exact) <= relative * fabs(exact), "%s %d: %.17g, but should be %.17g",
              what, which, got, exact);
}

/* The disk */

static const char *const disk =
    "(A + m*a^2)/2*theta'^2 + (A*cos(theta)^2 + (C + m*a^2)*sin(theta)^2)/2*psi'^2"
    " - C*sin(theta)*psi'*phi' + C/2*phi'^2 + m/2*(x'^2 + y'^2)"
    " + m*a*cos(theta)*theta'*(cos(psi)*y' - sin(psi)*x')"
    " - m*a*sin(theta)*psi'*(cos(psi)*x' + sin(psi)*y')";

enum { VARIABLES = 14, SECONDS = 20 };

/* Variables of the second derivatives below: the mass matrix, then how it changes. */
static const int second[SECONDS][2] = {{5, 5}, {6, 6},  {7, 7},   {8, 8},  {6, 7},  {5, 8}, {5, 9},
                                       {6, 8}, {6, 9},  {0, 0},   {0, 1},  {1, 1},  {0, 6}, {0, 7},
                                       {1, 8}, {0, 11}, {11, 11}, {10, 5}, {6, 12}, {7, 13}};

/* Computed with mpmath 1.3 from the formula typed in again, in 60 digits, derivatives by mpmath's
 * numerical differentiation at that precision; the inputs are the doubles nearest to what is written. */
static const struct {
    double in[VARIABLES], energy, gradient[VARIABLES], hessian[SECONDS];
} reference[] = {
    {{0.31, -0.87, 0.83, 2.9, -0.64, 0.47, 2.13, -1.71, 0.95, -0.58, 1.37, 0.53, 0.0962, 0.1924},
     1.3328896838395919276,
     {-0.29045728261571582942, -0.50929372617351276421, 0.0, 0.0, 0.0, 0.46956798304881917179,
      0.1667373926678948905, -0.45402068991816042528, 1.2456767545476047397,
      -0.22441978048852415264, 0.4296747207436592695, -0.25707104653951311338,
      2.1677962925080623298, 2.7842687790098915493},
     {0.48103300000000006248, 0.14096530217812565739,   0.1923999999999999877,
      1.3700000000000001066,  -0.058693281651718525542, 0.52852536195990857251,
      0.44589072553981721205, -0.14283106364955508494,  0.16930121056702431675,
      1.9461652895325005955,  -0.40869208767388761294,  0.38373661049643150597,
      0.17850944861382532221, -0.39027772494200393479,  -0.57018021951147585442,
      -1.0894333861499204635, 0.88105715852790859431,   0.30974743288234974032,
      1.9317805563455985401,  -2.3597748956245345858}},
    {{-0.92, 2.41, -3.3, 0.17, 1.9, -1.83, 0.61, 5.17, -2.21, 1.43, 0.73, 0.315, 0.0181, 0.0362},
     3.4543509241724771082,
     {-0.44437082712132541982, 0.70879430508037238824, 0.0, 0.0, 0.0, -0.1082375579257620398,
      0.67052879635832892922, 0.20472247497364304927, -1.5260315515054467703, 1.3081535853996204622,
      3.8957838338606525196, 1.4116033063112953946, 1.7427337104714747284, 15.991305118637212563},
     {0.090534250000000000763, 0.075406545002676167403, 0.036200000000000003009,
      0.72999999999999998224,  0.028800778645316453566, -0.09306571910031510506,
      -0.10366092282339749461, -0.13613412698200571507, 0.12221983054557887227,
      -0.28480810792822095363, 0.83536585136776591561,  -0.18501935594849485527,
      -0.52879310466695271355, -0.01337772069900094659, -0.26425358539962053296,
      -1.2220724015567093426,  2.6166357827116472007,   -0.10289665469282470902,
      0.22388101793926098304,  5.6553169882221832116}},
    {{1.21, 0.37, 12.7, -5.1, 7.7, 0.029, -7.31, 11.3, 3.07, 0.0713, 2.9, 1.13, 0.871, 1.69},
     445.91154732076144714,
     {153.60763761521656778, -23.488528715979502575, 0.0, 0.0, 0.0, -1.0747343911684164868,
      -62.025580945630447505, 30.655506521590373944, 29.786710628640039223, 8.3427756299027813594,
      56.888105889117722056, 210.5406837385361206, 3.3300959666070486831, 164.51806310970729444},
     {4.5740099999999991845,   4.829464915057357776,   1.6899999999999999467,
      2.8999999999999999112,   -1.5811910426252221564, -0.41833285171593256056,
      1.078557834495040978,    -2.8585283558604381834, -1.108717845786925527,
      -376.71548805930119341,  -8.5691655039291354856, -64.693088831336987664,
      -31.918712762667511727,  4.3611663807234851113,  -8.1360056299027813591,
      137.36957830128220935,   135.65501119367909691,  -0.37930806592014362815,
      -0.91099191972833074175, 18.139352971355251426}},
};

enum { REFERENCES = sizeof reference / sizeof *reference };

static void reference_point(int k, double point[SYMBOLS])
{
    memcpy(point, reference[k].in, sizeof reference[k].in);
    point[SYMBOLS - 1] = 0.77; /* the time, which does not matter */
}

Test(mechanics, the_energy_of_the_disk_and_its_gradient_are_right_to_14_digits)
{
    model s = model_open();
    expr out[1 + VARIABLES] = {read_value(&s, disk).at[0]};
    cr_assert_eq(diff_gradient(s.g, out[0], s.symbol, VARIABLES, out + 1), NOSLIP_OK);
    program p = compile(&s, out, 1 + VARIABLES);
    for (int k = 0; k < REFERENCES; k++) {
        double point[SYMBOLS], got[1 + VARIABLES];
        reference_point(k, point);
        run(&p, point, got);
        must_be_near(got[0], reference[k].energy, 1e-14, "energy", k);
        for (int i = 0; i < VARIABLES; i++)
            must_be_near(got[1 + i], reference[k].gradient[i], 1e-14, "derivative by variable", i);
    }
    discard(&p);
    model_close(&s);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Entry of the gradient's Jacobian; the zero constant if it is left out. */
static expr entry(graph *g, const jacobian *j, uint32_t row, uint32_t column)
{
    for (size_t k = 0; k < j->entries.n; k++)
        if (j->entries.at[k].row == row && j->entries.at[k].column == column)
            return j->entries.at[k].e;
    return graph_const(g, 0);
}

Test(mechanics, the_hessian_of_the_disk_is_right_to_14_digits_in_every_mode)
{
    static const jacobian_mode modes[] = {JACOBIAN_FORWARD, JACOBIAN_REVERSE};
    model s = model_open();
    expr gradient[VARIABLES], out[2 * SECONDS];
    value energy = read_value(&s, disk);
    cr_assert_eq(diff_gradient(s.g, energy.at[0], s.symbol, VARIABLES, gradient), NOSLIP_OK);
    for (int mode = 0; mode < 2; mode++) {
        jacobian j = {0};
        cr_assert_eq(diff_jacobian(s.g, gradient, VARIABLES, s.symbol, VARIABLES, modes[mode], &j),
                     NOSLIP_OK);
        for (int k = 0; k < SECONDS; k++)
            out[mode * SECONDS + k] =
                entry(s.g, &j, (uint32_t)second[k][mode], (uint32_t)second[k][1 - mode]);
        jacobian_free(&j);
    }
    program p = compile(&s, out, 2 * SECONDS);
    for (int k = 0; k < REFERENCES; k++) {
        double point[SYMBOLS], got[2 * SECONDS];
        reference_point(k, point);
        run(&p, point, got);
        for (int i = 0; i < 2 * SECONDS; i++)
            must_be_near(got[i], reference[k].hessian[i % SECONDS], 1e-14, "second derivative", i);
    }
    discard(&p);
    model_close(&s);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* The same disk as a body: x, y is the point of contact, the frame leans and turns, and the disk
 * turns about the frame's second axis. */
Test(mechanics, the_disk_as_a_body_has_the_energy_of_the_formula)
{
    model s = model_open();
    define(&s, "L", "rotz(psi)*rotx(-theta)");
    define(&s, "centre", "vec(x, y, 0) + L*vec(0, 0, a)");
    define(&s, "w", "omega(L) + vec(0, phi', 0)");
    const expr out[2] = {
        read_value(&s, disk).at[0],
        read_value(&s, "m/2*dot(dt(centre), dt(centre)) + dot(w, vec(A*w.x, C*w.y, A*w.z))/2")
            .at[0]};
    program p = compile(&s, out, 2);
    dice d = {31};
    for (int k = 0; k < 100; k++) {
        double point[SYMBOLS], got[2];
        random_point(&d, point);
        run(&p, point, got);
        must_be_near(got[1], got[0], 1e-14, "energy at random point", k);
    }
    discard(&p);
    model_close(&s);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Rotations */

static const char *const rotations[] = {
    "rotz(psi)*rotx(theta)",
    "transpose(rotz(psi)*rotx(theta))",
    "rotx(theta)*roty(psi*phi)*rotz(sin(x) + a*y)",
    "transpose(rotx(theta))*roty(phi)*transpose(rotz(psi)*rotx(y^2/5))",
    "roty(t*m)*rotz(psi - 3*t^2)",
    "2*(rotz(psi)*roty(theta))/2", /* not known as rotations any more: the general rule */
    "-(-rotx(phi))*transpose(rotz(psi)*1)",
    "rotx(0.3)*rotz(a)",
};
enum { ROTATIONS = sizeof rotations / sizeof *rotations };

/* The point a time s later, moving with its rates. */
static void drift(const double *from, double s, double *to)
{
    memcpy(to, from, SYMBOLS * sizeof *to);
    for (int k = 0; k < COORDINATES; k++) to[k] += s * from[COORDINATES + k];
    to[SYMBOLS - 1] += s;
}

/* dR/dt by the six-point formula; with h = 1/500 its own error is far below 1e-9. */
static void rate_of(const program *r, const double *point, double rate[9])
{
    static const double weight[4] = {0, 45, -9, 1};
    const double h = 0.002;
    memset(rate, 0, 9 * sizeof *rate);
    for (int step = -3; step <= 3; step++) {
        double there[SYMBOLS], got[9];
        drift(point, step * h, there);
        run(r, there, got);
        for (int k = 0; k < 9; k++)
            rate[k] += (step < 0 ? -1 : 1) * weight[abs(step)] * got[k] / (60 * h);
    }
}

/* The vector of R' dR/dt. */
static void turning(const double r[9], const double rate[9], double omega[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        omega[k] = 0;
        for (int row = 0; row < 3; row++) omega[k] += r[3 * row + j] * rate[3 * row + i];
    }
}

Test(mechanics, angular_velocity_is_that_of_the_rotation_as_it_moves)
{
    for (int which = 0; which < ROTATIONS; which++) {
        model s = model_open();
        define(&s, "R", rotations[which]);
        program r = compile_value(&s, "R"), omega = compile_value(&s, "omega(R)");
        dice d = {(uint64_t)which};
        for (int k = 0; k < 20; k++) {
            double point[SYMBOLS], matrix[9], rate[9], got[3], exact[3];
            random_point(&d, point);
            for (int i = 0; i < COORDINATES; i++) point[COORDINATES + i] /= 3; /* not too fast */
            run(&r, point, matrix);
            run(&omega, point, got);
            rate_of(&r, point, rate);
            turning(matrix, rate, exact);
            for (int i = 0; i < 3; i++)
                cr_expect_lt(fabs(got[i] - exact[i]), 1e-9, "%s, component %d: %.15g, but %.15g",
                             rotations[which], i, got[i], exact[i]);
        }
        discard(&r);
        discard(&omega);
        model_close(&s);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Each is a vector that should be zero, whatever the rotations R and S and the vector u. */
static const char *const identities[] = {
    "omega(R*S) - (transpose(S)*omega(R) + omega(S))",
    "omega(transpose(R)) + R*omega(R)",
    "omega(R*transpose(R))",
    "omega(transpose(transpose(R))) - omega(R)",
    "omega(2*(R*S)/2) - omega(R*S)",
    "dt(R*u) - R*(cross(omega(R), u) + dt(u))",
    "dt(transpose(R)*u) - transpose(R)*(dt(u) - cross(R*omega(R), u))",
    "(transpose(R)*R - rotx(0))*u",
    "cross(R*vec(1, 2, 3), R*u) - R*cross(vec(1, 2, 3), u)",
};

Test(mechanics, angular_velocities_of_products_and_inverses_follow_from_those_of_the_factors)
{
    for (int which = 0; which < ROTATIONS; which++) {
        model s = model_open();
        define(&s, "R", rotations[which]);
        define(&s, "S", rotations[(which + 3) % ROTATIONS]);
        define(&s, "u", "vec(x, y*x, a)");
        for (size_t k = 0; k < sizeof identities / sizeof *identities; k++) {
            program p = compile_value(&s, identities[k]);
            dice d = {k};
            for (int i = 0; i < 20; i++) {
                double point[SYMBOLS], got[3];
                random_point(&d, point);
                run(&p, point, got);
                double most = fmax(fabs(got[0]), fmax(fabs(got[1]), fabs(got[2])));
                cr_expect_lt(most, 1e-12, "R = %s, %s is %g", rotations[which], identities[k],
                             most);
            }
            discard(&p);
        }
        model_close(&s);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}
