/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "machine.h"
#include "tape.h"

enum { SYMBOLS = 6, POINTS = 203 };

typedef struct {
    graph *g;
    expr x[SYMBOLS];
} fixture;

static fixture make(void)
{
    static const char *const names[SYMBOLS] = {"a", "b", "c", "d", "e", "f"};
    fixture f = {.g = graph_new()};
    for (int k = 0; k < SYMBOLS; k++) f.x[k] = graph_symbol(f.g, names[k], SYMBOL_COORDINATE);
    return f;
}

static tape *compile(const fixture *f, size_t n_fixed, const expr *out, size_t n_out)
{
    tape *t = NULL;
    const tape_spec spec = {f->x, SYMBOLS, n_fixed, out, n_out};
    cr_assert_eq(tape_compile(f->g, &spec, &t, NULL), NOSLIP_OK);
    return t;
}

static double input(int k, size_t point)
{
    return 0.3 + 0.17 * k + 0.0131 * (double)point;
}

/* Every evaluator of this machine against the one-point kernel, by bits. */
static void compare_all(const tape *t, size_t n_fixed)
{
    static double in[SYMBOLS][POINTS], out[80][POINTS], one_out[80];
    const double *in_row[SYMBOLS];
    double *out_row[80];
    cr_assert_leq(t->n_out, 80);
    for (int k = 0; k < SYMBOLS; k++) {
        in_row[k] = in[k];
        for (size_t p = 0; p < POINTS; p++) in[k][p] = input(k, (size_t)k < n_fixed ? 0 : p);
    }
    for (size_t k = 0; k < t->n_out; k++) out_row[k] = out[k];
    const kernel *many, *one;
    for (int k = 0; (many = kernel_at(k, &one)) != NULL; k++) {
        tape_work *w = tape_work_with(t, many, one);
        cr_assert_eq(tape_batch(w, in_row, out_row, POINTS, NULL), NOSLIP_OK);
        for (size_t p = 0; p < POINTS; p++) {
            double point[SYMBOLS];
            for (int i = 0; i < SYMBOLS; i++) point[i] = in[i][p];
            cr_assert_eq(tape_point(w, point, one_out), NOSLIP_OK);
            for (size_t i = 0; i < t->n_out; i++)
                cr_assert_eq(out[i][p], one_out[i], "%s: output %zu, point %zu: %.17g, alone %.17g",
                             many->name, i, p, out[i][p], one_out[i]);
        }
        tape_work_free(w);
    }
}

Test(tape, many_values_alive_at_once_are_spilled_and_found_again)
{
    fixture f = make();
    expr value[70], out[70];
    for (int k = 0; k < 70; k++) { /* 70 values, each needed again after all the others were made */
        expr odd = graph_const(f.g, 0.37 + k);
        value[k] =
            expr_sub(f.g, expr_mul(f.g, odd, f.x[k % 6]), expr_div(f.g, f.x[(k + 1) % 6], odd));
    }
    expr all = value[0];
    for (int k = 1; k < 70; k++)
        all = expr_add(f.g, expr_mul(f.g, all, graph_const(f.g, 0.93)), value[k]);
    for (int k = 0; k < 70; k++)
        out[k] = expr_sub(f.g, expr_mul(f.g, value[k], all), value[69 - k]);
    tape *t = compile(&f, 0, out, 70);
    cr_assert_gt(tape_measure(t).registers, 40);
    compare_all(t, 0);
    tape_free(t);
    graph_free(f.g);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A fused operation overwrites one of its operands: each may be the one that lives on, or be the same as another. */
Test(tape, fused_operations_leave_their_operands_alone)
{
    fixture f = make();
    graph *g = f.g;
    expr a = expr_add(g, f.x[0], f.x[1]), b = expr_sub(g, f.x[2], f.x[3]),
         c = expr_mul(g, f.x[4], f.x[5]);
    expr square = expr_mul(g, a, a);
    const expr out[] = {
        expr_add(g, expr_mul(g, a, b), c),
        expr_sub(g, expr_mul(g, a, c), b),
        expr_sub(g, c, expr_mul(g, b, b)),
        expr_add(g, expr_mul(g, a, c), a),
        expr_sub(g, a, expr_mul(g, a, b)),
        expr_add(g, square, a),
        expr_sub(g, expr_mul(g, b, c), f.x[0]),
        expr_add(g, expr_mul(g, graph_const(g, 1.7), a), b),
        expr_sub(g, graph_const(g, 0.3), expr_mul(g, f.x[1], c)),
        expr_add(g, expr_mul(g, graph_const(g, 2.3), f.x[0]), graph_const(g, 4.1)),
        expr_neg(g, expr_mul(g, a, c)),
        graph_apply(g, OP_ABS, expr_sub(g, b, c), 0),
        graph_apply(g, OP_SQRT, expr_mul(g, a, a), 0),
        a,
        b,
        c,
    };
    tape *t = compile(&f, 0, out, sizeof out / sizeof *out);
    compare_all(t, 0);
    tape_free(t);
    graph_free(g);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(tape, calls_in_the_middle_cut_the_machine_code_into_pieces)
{
    fixture f = make();
    graph *g = f.g;
    expr e = f.x[0], out[3];
    for (int k = 0; k < 5; k++) {
        for (int i = 1; i < 6; i++)
            e = expr_add(g, expr_mul(g, e, f.x[i]), graph_const(g, 0.1 + k));
        expr s = graph_apply(g, OP_SIN, e, 0), c = graph_apply(g, OP_COS, e, 0);
        e = expr_add(g, expr_mul(g, s, f.x[k]), graph_apply(g, OP_EXP, c, 0));
        e = expr_add(
            g, e, graph_apply(g, OP_POW, expr_add(g, graph_const(g, 3), c), graph_const(g, 1.3)));
        e = expr_add(g, e, graph_apply(g, OP_ATAN2, graph_const(g, 0.7), s));
    }
    out[0] = e;
    out[1] = expr_div(g, e, f.x[2]);
    out[2] = f.x[3];
    tape *t = compile(&f, 0, out, 3);
    compare_all(t, 0);
    tape_free(t);
    graph_free(g);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(tape, what_depends_on_fixed_inputs_alone_runs_once)
{
    fixture f = make();
    graph *g = f.g;
    expr mass = expr_add(g, expr_mul(g, f.x[0], f.x[0]), graph_apply(g, OP_SIN, f.x[1], 0));
    const expr out[] = {expr_mul(g, mass, f.x[4]), mass, f.x[0], expr_add(g, f.x[5], f.x[1]),
                        graph_const(g, 7)};
    tape *t = compile(&f, 2, out, 5);
    tape_info i = tape_measure(t);
    cr_assert_eq(i.operations, 2);
    cr_assert_eq(i.prologue, 4); /* sine, square and sum in one, two copies */
    compare_all(t, 2);
    tape_free(t);
    graph_free(g);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(tape, sine_and_cosine_of_one_angle_are_one_instruction)
{
    fixture f = make();
    const expr out[] = {graph_apply(f.g, OP_COS, f.x[0], 0), graph_apply(f.g, OP_SIN, f.x[0], 0)};
    tape *t = compile(&f, 0, out, 2);
    cr_assert_eq(tape_measure(t).instructions, 1);
    text list = {0};
    tape_list(t, &list);
    cr_assert_str_eq(list.at, "2 operations, 1 instructions, 2 stores, 0 registers, 0 constants, 0 "
                              "instructions once a "
                              "batch\nSINCOS  in0 -> out1 , cos -> out0\n");
    text_free(&list);
    compare_all(t, 0);
    tape_free(t);
    graph_free(f.g);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(tape, wrong_inputs_are_named)
{
    fixture f = make();
    noslip_error err;
    tape *t;
    const expr product = expr_mul(f.g, f.x[0], f.x[3]);
    const expr twice[] = {f.x[0], f.x[3], f.x[0]}, one[] = {f.x[0]},
               sum[] = {expr_add(f.g, f.x[0], f.x[1])};
    const expr stranger = 12345;
    const tape_spec missing = {.in = one, .n_in = 1, .out = &product, .n_out = 1};
    cr_assert_eq(tape_compile(f.g, &missing, &t, &err), NOSLIP_ERR_ARG);
    cr_assert_str_eq(err.message, "no value is given for 'd'");
    const tape_spec doubled = {.in = twice, .n_in = 3, .out = &product, .n_out = 1};
    cr_assert_eq(tape_compile(f.g, &doubled, &t, &err), NOSLIP_ERR_ARG);
    cr_assert_str_eq(err.message, "input 'a' stands twice");
    const tape_spec no_symbol = {.in = sum, .n_in = 1, .out = &product, .n_out = 1};
    cr_assert_eq(tape_compile(f.g, &no_symbol, &t, &err), NOSLIP_ERR_ARG);
    cr_assert_str_eq(err.message, "input 0 is not a symbol");
    const tape_spec foreign = {.in = one, .n_in = 1, .out = &stranger, .n_out = 1};
    cr_assert_eq(tape_compile(f.g, &foreign, &t, &err), NOSLIP_ERR_ARG);
    graph_free(f.g);
    cr_assert_eq(noslip_alloc_live(), 0);
}
