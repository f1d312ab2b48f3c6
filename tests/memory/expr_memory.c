/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "alloc.h"
#include "build.h"
#include "diff.h"
#include "noslip/formula.h"
#include "print.h"
#include "tape.h"

/* Memory runs out on purpose: at the 1st, the 2nd, the 3rd ... allocation of a job, until the job
 * gets through. Each time it says so, and leaves nothing behind. */

typedef noslip_status (*job)(void);

/* The number of allocations that the job needs. */
static long let_every_allocation_fail(job work)
{
    for (long allowed = 0; allowed < 100000; allowed++) {
        noslip_alloc_fail_after(allowed);
        noslip_status status = work();
        noslip_alloc_fail_after(-1);
        if (status != NOSLIP_OK && status != NOSLIP_ERR_MEMORY)
            cr_assert_fail("status %d after %ld allocations", status, allowed);
        if (noslip_alloc_live() != 0)
            cr_assert_fail("%ld blocks left after %ld allocations", noslip_alloc_live(), allowed);
        if (status == NOSLIP_OK) return allowed;
    }
    cr_assert_fail("the job never gets through");
    return 0;
}

/* A world of names, and what is made in it */

enum { SYMBOLS = 7, POINTS = 150 };

static const struct {
    const char *name;
    symbol_kind kind;
} symbols[SYMBOLS] = {
    {"m", SYMBOL_PARAMETER},  {"k", SYMBOL_PARAMETER},     {"x", SYMBOL_COORDINATE},
    {"y", SYMBOL_COORDINATE}, {"q[1]", SYMBOL_COORDINATE}, {"q[2]", SYMBOL_COORDINATE},
    {"t", SYMBOL_TIME},
};

/* Every feature of the language. */
static const char *const formulas[] = {
    "m/2*(x'^2 + y'^2) + k*cos(x)^2*sin(x - y)/(1 + abs(y))",
    "sum(i, 1, N, q[i]'^2 + sum(j, 1, i, exp(q[j])*j^2))",
    "dot(dt(vec(x, sin(y)*t, q[N])), unit(cross(vec(1, m, 2), vec(x, 3, y))))",
    "norm(omega(rotz(x)*transpose(rotx(y)*roty(q[1]))) + omega(2*rotx(y*t)/2))",
    "atan2(asin(x/9), acos(y/9)) + tanh(x) + sinh(y)*cosh(k) + log(5 + tan(x/9)) + sqrt(2 + x*y)",
    "(rotz(x)*vec(1, 2, 3)).y^2.5 + 3^x + atan(x^17)*x^-2",
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

typedef struct {
    graph *g;
    scope *names;
    expr in[2 * SYMBOLS]; /* the symbols, then the rates of the coordinates */
    size_t n_in;
    expr e[FORMULAS];
} world;

static noslip_status declare(world *w)
{
    w->g = graph_new();
    w->names = w->g ? scope_new(w->g) : NULL;
    if (!w->names) return NOSLIP_ERR_MEMORY;
    noslip_status status = scope_integer(w->names, "N", 1, 2, NULL);
    for (int k = 0; k < SYMBOLS && status == NOSLIP_OK; k++) {
        const char *name = symbols[k].name;
        status = scope_symbol(w->names, name, strlen(name), symbols[k].kind, NULL);
        if (status == NOSLIP_OK) w->in[w->n_in++] = scope_find(w->names, name)->v.at[0];
    }
    for (int k = 0; k < SYMBOLS && status == NOSLIP_OK; k++)
        if (symbols[k].kind == SYMBOL_COORDINATE) {
            w->in[w->n_in++] = graph_rate(w->g, w->in[k]);
            status = graph_status(w->g);
        }
    return status;
}

static noslip_status read_formulas(world *w)
{
    noslip_status status = NOSLIP_OK;
    for (int k = 0; k < FORMULAS && status == NOSLIP_OK; k++) {
        source src = source_of_string(formulas[k]);
        formula f = {0};
        noslip_error err = {0};
        status = formula_parse(&src, 0, src.size, false, &f, &err);
        if (status == NOSLIP_OK)
            status = formula_build_number(&f, w->names, ~0u, NULL, &w->e[k], &err);
        if (status != err.status) cr_assert_fail("status %d, but err says %d", status, err.status);
        formula_free(&f);
    }
    value v = value_number(w->e[0]);
    return status == NOSLIP_OK ? scope_define(w->names, "T", 1, &v, NULL) : status;
}

/* A world with its formulas, ready for more; closed again by the caller whatever comes back. */
static noslip_status world_open(world *w)
{
    *w = (world){0};
    noslip_status status = declare(w);
    return status == NOSLIP_OK ? read_formulas(w) : status;
}

static void world_close(world *w)
{
    scope_free(w->names);
    graph_free(w->g);
}

/* Jobs */

static noslip_status read_only(void)
{
    world w;
    noslip_status status = world_open(&w);
    world_close(&w);
    return status;
}

Test(expr_memory, reading_and_building_formulas_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(read_only), 50);
}

static noslip_status all_jacobians(world *w)
{
    static const jacobian_mode modes[] = {JACOBIAN_AUTO, JACOBIAN_FORWARD, JACOBIAN_REVERSE};
    jacobian j = {0};
    noslip_status status = NOSLIP_OK;
    for (int k = 0; k < 3 && status == NOSLIP_OK; k++)
        status = diff_jacobian(w->g, w->e, FORMULAS, w->in, w->n_in, modes[k], &j);
    jacobian_free(&j);
    return status;
}

static noslip_status all_derivatives(world *w)
{
    expr out[2 * SYMBOLS];
    if (diff_partial(w->g, w->e[0], w->in[2]) == EXPR_NONE) return NOSLIP_ERR_MEMORY;
    noslip_status status = diff_forward(w->g, w->e, FORMULAS, w->in, w->in, w->n_in, out);
    if (status == NOSLIP_OK) status = diff_time(w->g, w->e, FORMULAS, out);
    for (int k = 0; k < FORMULAS && status == NOSLIP_OK; k++)
        status = diff_gradient(w->g, w->e[k], w->in, w->n_in, out);
    return status == NOSLIP_OK ? all_jacobians(w) : status;
}

static noslip_status differentiate(void)
{
    world w;
    noslip_status status = world_open(&w);
    if (status == NOSLIP_OK) status = all_derivatives(&w);
    world_close(&w);
    return status;
}

Test(expr_memory, every_derivative_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(differentiate), 80);
}

static noslip_status print_all(void)
{
    world w;
    text out = {0};
    expr e[1 + 2 * SYMBOLS];
    static const char *const names[1 + 2 * SYMBOLS] = {"E", "a", "b", "c", "d", "f", "g", "h",
                                                       "i", "j", "l", "n", "o", "p", "r"};
    noslip_status status = world_open(&w);
    for (int k = 0; k < FORMULAS && status == NOSLIP_OK; k++)
        status = print_expr(w.g, w.e[k], 1 << 16, &out);
    e[0] = w.e[0];
    if (status == NOSLIP_OK) status = diff_gradient(w.g, e[0], w.in, w.n_in, e + 1);
    if (status == NOSLIP_OK) status = print_definitions(w.g, e, names, 1 + w.n_in, &out);
    text_free(&out);
    world_close(&w);
    return status;
}

Test(expr_memory, printing_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(print_all), 80);
}

static noslip_status run_tape(const tape *t, size_t n_in)
{
    static double in[2 * SYMBOLS][POINTS], out[2 * FORMULAS][POINTS];
    const double *in_row[2 * SYMBOLS];
    double *out_row[2 * FORMULAS], point[2 * SYMBOLS], alone[2 * FORMULAS];
    unsigned char bad[POINTS];
    for (size_t k = 0; k < n_in; k++) {
        for (int i = 0; i < POINTS; i++) in[k][i] = 0.31 + 0.07 * (double)k + 0.001 * i;
        in_row[k] = in[k];
        point[k] = in[k][0];
    }
    for (int k = 0; k < 2 * FORMULAS; k++) out_row[k] = out[k];
    tape_work *w = tape_work_new(t);
    noslip_status status = w ? tape_batch(w, in_row, out_row, POINTS, bad) : NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK) status = tape_point(w, point, alone);
    tape_work_free(w);
    return status;
}

static noslip_status compile_and_run(void)
{
    world w;
    tape *t = NULL;
    text listed = {0};
    noslip_error err = {0};
    expr out[2 * FORMULAS], one;
    noslip_status status = world_open(&w);
    if (status == NOSLIP_OK) one = graph_const(w.g, 1);
    if (status == NOSLIP_OK)
        status = diff_forward(w.g, w.e, FORMULAS, &w.in[2], &one, 1, out + FORMULAS);
    memcpy(out, w.e, sizeof w.e);
    const tape_spec spec = {w.in, w.n_in, 3, out, 2 * FORMULAS};
    if (status == NOSLIP_OK) {
        status = tape_compile(w.g, &spec, &t, &err);
        if (status != err.status) cr_assert_fail("status %d, but err says %d", status, err.status);
    }
    if (status == NOSLIP_OK) tape_list(t, &listed);
    if (listed.failed) status = NOSLIP_ERR_MEMORY;
    size_t n_in = w.n_in;
    world_close(&w); /* a tape does not need its graph */
    if (status == NOSLIP_OK) status = run_tape(t, n_in);
    text_free(&listed);
    tape_free(t);
    return status;
}

Test(expr_memory, compiling_and_running_tapes_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(compile_and_run), 100);
}

/* The same without looking at anything before the end, as graph.h allows: when memory is short the
 * result is EXPR_NONE, which every function takes and hands on. */
static noslip_status never_look(void)
{
    graph *g = graph_new();
    if (!g) return NOSLIP_ERR_MEMORY;
    expr x = graph_symbol(g, "x", SYMBOL_COORDINATE), m = graph_symbol(g, "m", SYMBOL_PARAMETER);
    expr v = graph_rate(g, x), e = expr_mul(g, m, expr_mul(g, v, v));
    for (int k = 0; k < 40; k++)
        e = expr_add(g, graph_apply(g, OP_SIN, expr_mul(g, e, graph_const(g, 0.1 * k)), 0), x);
    const expr variable[2] = {x, m}, direction[2] = {v, graph_const(g, 1)};
    expr along = EXPR_NONE, rate = EXPR_NONE, gradient[2] = {EXPR_NONE, EXPR_NONE};
    jacobian j = {0};
    expr partial = diff_partial(g, e, x);
    diff_forward(g, &e, 1, variable, direction, 2, &along);
    diff_gradient(g, e, variable, 2, gradient);
    diff_time(g, &e, 1, &rate);
    diff_jacobian(g, &e, 1, variable, 2, JACOBIAN_FORWARD, &j);
    diff_jacobian(g, &e, 1, variable, 2, JACOBIAN_REVERSE, &j);
    expr last = expr_add(g, expr_add(g, partial, along), expr_add(g, rate, gradient[0]));
    noslip_status status = last == EXPR_NONE ? NOSLIP_ERR_MEMORY : graph_status(g);
    jacobian_free(&j);
    graph_free(g);
    return status;
}

Test(expr_memory, a_job_that_looks_at_the_end_only_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(never_look), 20);
}

static noslip_status values_that_never_look(void)
{
    graph *g = graph_new();
    if (!g) return NOSLIP_ERR_MEMORY;
    expr x = graph_symbol(g, "x", SYMBOL_COORDINATE), y = graph_symbol(g, "y", SYMBOL_COORDINATE);
    value a = value_rotation(g, 0, x), b = value_rotation(g, 2, expr_mul(g, x, y));
    value product = value_mul(g, &a, &b), back = value_transpose(g, &product);
    value omega = value_omega(g, &back), two = value_number(graph_const(g, 2));
    value doubled = value_mul(g, &product, &two), half = value_div(g, &doubled, &two);
    value general = value_omega(g, &half), rate = value_rate(g, &general);
    value sum = value_add(g, &rate, &omega), difference = value_sub(g, &sum, &general);
    value turned = value_cross(g, &sum, &difference), negative = value_neg(g, &turned);
    expr last = expr_add(g, value_dot(g, &turned, &sum), value_norm(g, &negative));
    noslip_status status = last == EXPR_NONE ? NOSLIP_ERR_MEMORY : graph_status(g);
    graph_free(g);
    return status;
}

Test(expr_memory, vectors_and_rotations_survive_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(values_that_never_look), 10);
}

/* The public door */

static noslip_status use_part(noslip_formula *f, size_t part)
{
    static const double values[16] = {0.3, 0.7, 1.1, 0.2, 0.9, 1.3, 0.4, 0.8,
                                      0.5, 0.6, 1.2, 0.1, 1.4, 1.6, 1.7, 1.9};
    double out[NOSLIP_FORMULA_ENTRIES];
    noslip_formula_info info;
    if (!noslip_formula_text(f, part)) return NOSLIP_ERR_MEMORY;
    noslip_status status = noslip_formula_evaluate(f, part, values, out);
    return status == NOSLIP_OK ? noslip_formula_measure(f, part, &info) : status;
}

static noslip_status use_formula(const char *string)
{
    static const char *const coordinates[] = {"x", "y", NULL};
    noslip_formula *f = NULL;
    noslip_error err = {0};
    size_t part = 0;
    noslip_status status = noslip_formula_open(string, coordinates, &f, &err);
    if (status != err.status) cr_assert_fail("status %d, but err says %d", status, err.status);
    if (status == NOSLIP_OK) status = use_part(f, 0);
    if (status == NOSLIP_OK) status = noslip_formula_derive(f, "x", &part, &err);
    if (status == NOSLIP_OK) status = use_part(f, part);
    if (status == NOSLIP_OK) status = noslip_formula_derive(f, NULL, &part, &err);
    if (status == NOSLIP_OK) status = use_part(f, part);
    noslip_formula_close(f);
    return status;
}

static noslip_status use_number(void)
{
    return use_formula("m/2*x'^2*sin(y) + sum(i, 1, 3, cos(i*x)*t^i) + sqrt(1 + y*y)");
}

static noslip_status use_matrix(void)
{
    return use_formula("rotz(x)*rotx(y)*rotz(m*t)");
}

static noslip_status use_vector(void)
{
    return use_formula("dt(rotz(x)*vec(1, y, m)) + cross(omega(rotx(x)*roty(y)), vec(1, 2, 3))");
}

Test(expr_memory, a_formula_by_itself_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(use_number), 50);
    cr_assert_geq(let_every_allocation_fail(use_vector), 50);
    cr_assert_geq(let_every_allocation_fail(use_matrix), 50);
}

/* After a failure the object still answers: with an error, or, where it can, with the result. */
static noslip_status fail_then_close(void)
{
    noslip_formula *f = NULL;
    size_t part = 0;
    noslip_status status = noslip_formula_open("sin(x)^3*x'", NULL, &f, NULL);
    if (status != NOSLIP_OK) return status;
    for (int k = 0; k < 3; k++) {
        noslip_status next = noslip_formula_derive(f, k % 2 ? "x" : NULL, &part, NULL);
        if (next == NOSLIP_OK) next = use_part(f, part);
        if (use_part(f, 0) != NOSLIP_OK) next = NOSLIP_ERR_MEMORY;
        if (next != NOSLIP_OK) status = next;
    }
    noslip_formula_close(f);
    return status;
}

Test(expr_memory, a_formula_can_be_used_and_closed_after_a_failure)
{
    cr_assert_geq(let_every_allocation_fail(fail_then_close), 30);
}
