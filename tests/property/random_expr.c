/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "build.h"
#include "chain.h"
#include "diff.h"
#include "kernel.h"
#include "print.h"
#include "random_tree.h"
#include "tape.h"

/* Random trees are written, built, differentiated, compiled and run, and compared with what the
 * tree itself says, which knows nothing of the graph. A tree is known by its seed alone. */

enum { WANTED = 3000, TRIED = 4000 }; /* trees compared for each property, and grown at the most */

/* cr_assert reports to the runner each time it is passed; millions of checks cannot. */
#define MUST(condition, ...)                           \
    do {                                               \
        if (!(condition)) cr_assert_fail(__VA_ARGS__); \
    } while (0)

#define SEED(t) ((unsigned long long)(t)->seed)

static void grow(tree *t, int number)
{
    tree_grow(t, 7001 + (uint64_t)number, 1 + number % 30);
}

/* The formula for messages, in a buffer of its own. */
static const char *shown(const tree *t)
{
    static char buffer[4000];
    text written = {0};
    dice d = {t->seed};
    tree_write(t, &d, &written);
    snprintf(buffer, sizeof buffer, "%s", written.at);
    text_free(&written);
    return buffer;
}

/* A graph with the symbols of the trees. */
typedef struct {
    graph *g;
    scope *names;
    expr symbol[TREE_INPUTS];
} world;

static world world_open(void)
{
    world w = {.g = graph_new()};
    w.names = scope_new(w.g);
    for (int k = 0; k < TREE_RATES; k++) {
        const char *name = tree_symbol_name(k);
        scope_symbol(w.names, name, strlen(name), tree_symbol_kind(k), NULL);
        w.symbol[k] = scope_find(w.names, name)->v.at[0];
    }
    for (int k = TREE_RATES; k < TREE_INPUTS; k++)
        w.symbol[k] = graph_rate(
            w.g, w.symbol[k < TREE_ACCELERATIONS ? k - TREE_RATES : k - TREE_COORDINATES]);
    return w;
}

static void world_close(world *w)
{
    scope_free(w->names);
    graph_free(w->g);
}

static expr read_formula(const world *w, const char *string, size_t size, noslip_error *err)
{
    source src = {.text = string, .size = size, .line = 1, .column = 1};
    formula f = {0};
    expr e = EXPR_NONE;
    noslip_status status = formula_parse(&src, 0, size, false, &f, err);
    if (status == NOSLIP_OK) status = formula_build_number(&f, w->names, ~0u, NULL, &e, err);
    formula_free(&f);
    return status == NOSLIP_OK ? e : EXPR_NONE;
}

/* Text, graph and back */

Test(random_expr, a_formula_read_is_the_node_built_directly)
{
    int used[OP_COUNT] = {0};
    for (int number = 0; number < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        text written = {0};
        dice d = {t.seed};
        noslip_error err = {0};
        tree_write(&t, &d, &written);
        expr direct = number % 2 ? tree_build(&t, w.g, w.symbol) : EXPR_NONE;
        expr read = read_formula(&w, written.at, written.n, &err);
        if (number % 2 == 0) direct = tree_build(&t, w.g, w.symbol);
        MUST(read != EXPR_NONE, "seed %llu: '%s' is refused: %s", SEED(&t), written.at,
             err.message);
        MUST(read == direct, "seed %llu: '%s' read is another node", SEED(&t), written.at);
        for (int o = 0; o < OP_COUNT; o++) used[o] += tree_uses(&t, (op)o);
        text_free(&written);
        world_close(&w);
    }
    for (int o = 0; o < OP_COUNT; o++)
        cr_assert_geq(used[o], 100, "only %d trees have '%s' in them", used[o], op_spelling((op)o));
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(random_expr, what_is_printed_reads_back_as_the_same_node)
{
    for (int number = 0; number < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        text printed = {0};
        noslip_error err = {0};
        expr e = tree_build(&t, w.g, w.symbol);
        MUST(print_expr(w.g, e, SIZE_MAX, &printed) == NOSLIP_OK, "seed %llu", SEED(&t));
        expr again = read_formula(&w, printed.at, printed.n, &err);
        MUST(again == e, "seed %llu: '%s' printed reads back as another node: %s", SEED(&t),
             printed.at, err.message);
        text_free(&printed);
        world_close(&w);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Read definitions, one a line, into the scope; false if one is refused. */
static bool read_definitions(const world *w, const char *lines, noslip_error *err)
{
    while (*lines) {
        const char *colon = strchr(lines, ':'), *end = strchr(lines, '\n');
        if (!colon || !end) return false;
        expr e = read_formula(w, colon + 1, (size_t)(end - colon - 1), err);
        if (e == EXPR_NONE) return false;
        value v = value_number(e);
        if (scope_define(w->names, lines, (size_t)(colon - lines), &v, err) != NOSLIP_OK)
            return false;
        lines = end + 1;
    }
    return true;
}

Test(random_expr, definitions_of_a_formula_and_its_gradient_read_back_as_the_same_nodes)
{
    static const char *const name[1 + TREE_SYMBOLS] = {"E",  "d0", "d1", "d2", "d3",
                                                       "d4", "d5", "d6", "d7", "d8"};
    for (int number = 0; number < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        text printed = {0};
        noslip_error err = {0};
        expr e[1 + TREE_SYMBOLS] = {tree_build(&t, w.g, w.symbol)};
        MUST(diff_gradient(w.g, e[0], w.symbol, TREE_SYMBOLS, e + 1) == NOSLIP_OK, "seed %llu",
             SEED(&t));
        MUST(print_definitions(w.g, e, name, 1 + TREE_SYMBOLS, &printed) == NOSLIP_OK, "seed %llu",
             SEED(&t));
        MUST(read_definitions(&w, printed.at, &err), "seed %llu: %s in\n%s", SEED(&t), err.message,
             printed.at);
        for (int k = 0; k < 1 + TREE_SYMBOLS; k++)
            MUST(scope_find(w.names, name[k])->v.at[0] == e[k], "seed %llu: '%s' differs in\n%s",
                 SEED(&t), name[k], printed.at);
        text_free(&printed);
        world_close(&w);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(random_expr, labels_of_shared_parts_leave_the_names_of_the_caller_alone)
{
    static const char *const name[] = {"t1", "t2"};
    world w = world_open();
    text printed = {0};
    noslip_error err = {0};
    const char *string = "sin(x)*sin(x) + cos(m)/cos(m)";
    expr e[2] = {read_formula(&w, string, strlen(string), &err), w.symbol[0]};
    cr_assert_eq(print_definitions(w.g, e, name, 2, &printed), NOSLIP_OK);
    cr_expect(read_definitions(&w, printed.at, &err), "%s in\n%s", err.message, printed.at);
    text_free(&printed);
    world_close(&w);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Not finite at any x, but text and node must still belong together. */
Test(random_expr, the_derivative_of_a_power_of_zero_reads_back)
{
    world w = world_open();
    text printed = {0};
    noslip_error err = {0};
    expr e = diff_partial(w.g, read_formula(&w, "0^x", 3, &err), w.symbol[0]);
    cr_assert_eq(print_expr(w.g, e, SIZE_MAX, &printed), NOSLIP_OK);
    cr_expect_eq(read_formula(&w, printed.at, printed.n, &err), e, "%s: %s", printed.at,
                 err.message);
    text_free(&printed);
    world_close(&w);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Programs: a tape whose inputs stand in an order of their own. */
typedef struct {
    tape *t;
    int input[TREE_INPUTS]; /* the symbol that stands there */
    size_t n_fixed, n_out;
} program;

static program compile(const world *w, const expr *out, size_t n_out, size_t n_fixed, dice *d)
{
    program p = {.n_fixed = n_fixed, .n_out = n_out};
    expr in[TREE_INPUTS];
    for (int k = 0; k < TREE_INPUTS; k++) { /* shuffled */
        int at = dice_below(d, k + 1);
        p.input[k] = p.input[at];
        p.input[at] = k;
    }
    for (int k = 0; k < TREE_INPUTS; k++) in[k] = w->symbol[p.input[k]];
    const tape_spec spec = {in, TREE_INPUTS, n_fixed, out, n_out};
    noslip_error err = {0};
    cr_assert(tape_compile(w->g, &spec, &p.t, &err) == NOSLIP_OK, "%s", err.message);
    return p;
}

static noslip_status run_point(const program *p, tape_work *work, const double *point, double *out)
{
    double in[TREE_INPUTS];
    for (int k = 0; k < TREE_INPUTS; k++) in[k] = point[p->input[k]];
    return tape_point(work, in, out);
}

static tape_work *work_for(const program *p, int kernel_number)
{
    const kernel *one, *many = kernel_at(kernel_number, &one);
    return many ? tape_work_with(p->t, many, one) : NULL;
}

/* A point near the tree's own. */
static void nearby(const tree *t, dice *d, double spread, double point[TREE_INPUTS])
{
    for (int k = 0; k < TREE_INPUTS; k++)
        point[k] = t->middle[k] * (1 + dice_between(d, -spread, spread));
}

static void exactly(const double point[TREE_INPUTS], tracked wide[TREE_INPUTS])
{
    for (int k = 0; k < TREE_INPUTS; k++) wide[k] = tracked_exact((long double)point[k]);
}

/* Values */

/* Run a tree's tape with every kernel; false if the point is none at which the tree is sure. */
static bool value_is_right(const tree *t, const program *p, const double *point)
{
    tracked wide[TREE_INPUTS];
    exactly(point, wide);
    tracked exact = tree_value(t, wide);
    if (!tracked_is_sure(exact)) return false;
    tape_work *work;
    for (int k = 0; (work = work_for(p, k)) != NULL; k++) {
        double out;
        noslip_status status = run_point(p, work, point, &out);
        MUST(status == NOSLIP_OK, "seed %llu: not finite: %s", SEED(t), shown(t));
        MUST(fabsl((long double)out - exact.value) <= exact.error,
             "seed %llu, kernel %d: %.17g, but %.17Lg within %.3Lg: %s", SEED(t), k, out,
             exact.value, exact.error, shown(t));
        tape_work_free(work);
    }
    return true;
}

Test(random_expr, a_tape_gives_the_value_of_the_formula_within_its_rounding)
{
    int compared = 0;
    for (int number = 0; number < TRIED && compared < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        dice d = {t.seed};
        expr e = tree_build(&t, w.g, w.symbol);
        bool all = true;
        for (size_t n_fixed = 0; n_fixed < TREE_INPUTS; n_fixed += 5) {
            program p = compile(&w, &e, 1, n_fixed, &d);
            all &= value_is_right(&t, &p, t.middle);
            for (int k = 0; k < 3; k++) {
                double point[TREE_INPUTS];
                nearby(&t, &d, 0.05, point);
                value_is_right(&t, &p, point);
            }
            tape_free(p.t);
        }
        compared += all;
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Batches */

enum {
    BLOCK_MOST = 64,
    POINTS = 3 * BLOCK_MOST + 5,
    OUTPUTS = TREE_SYMBOLS + 7, /* of one formula */
    TOGETHER = 100,             /* formulas in one tape */
};

/* Arrays that stand at odd addresses, with a guard on either side of each output. */
typedef struct {
    _Alignas(64) double in[TREE_INPUTS][POINTS + 3], out[TOGETHER][POINTS + 3];
    const double *in_row[TREE_INPUTS];
    double *out_row[TOGETHER];
    size_t n_out;
    unsigned char bad[POINTS + 1];
} batch;

static const double guard = -7.25e77;

static void batch_fill(batch *b, const program *p, double (*point)[TREE_INPUTS])
{
    for (int k = 0; k < TREE_INPUTS; k++) {
        b->in_row[k] = b->in[k] + 1;
        for (int i = 0; i < POINTS; i++) b->in[k][1 + i] = point[i][p->input[k]];
    }
    b->n_out = p->n_out;
    for (size_t k = 0; k < b->n_out; k++) b->out_row[k] = b->out[k] + 1;
}

static noslip_status batch_run(batch *b, tape_work *work, size_t points)
{
    for (size_t k = 0; k < b->n_out; k++)
        for (int i = 0; i < POINTS + 3; i++) b->out[k][i] = guard;
    memset(b->bad, 7, sizeof b->bad);
    return tape_batch(work, b->in_row, b->out_row, points, b->bad);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool same_bits(double a, double b)
{
    return (isnan(a) && isnan(b)) || bits_of(a) == bits_of(b);
}

/* Everything that a batch of so many points leaves behind, against the points one by one. */
static void batch_must_match(const batch *b, const program *p, double (*single)[TOGETHER],
                             size_t points, const char *where)
{
    for (size_t k = 0; k < p->n_out; k++) {
        MUST(b->out[k][0] == guard && b->out[k][1 + points] == guard,
             "%s: output %zu is written beyond its ends", where, k);
        for (size_t i = 0; i < points; i++)
            MUST(same_bits(b->out[k][1 + i], single[i][k]),
                 "%s: output %zu, point %zu: %a, alone %a", where, k, i, b->out[k][1 + i],
                 single[i][k]);
    }
    for (size_t i = 0; i < points; i++) {
        bool finite = true;
        for (size_t k = 0; k < p->n_out; k++) finite = finite && isfinite(single[i][k]);
        MUST(b->bad[i] == !finite, "%s: bad[%zu] is %d", where, i, b->bad[i]);
    }
    MUST(b->bad[points] == 7, "%s: bad is written beyond its end", where);
}

static void all_sizes_must_match(batch *b, const program *p, double (*point)[TREE_INPUTS],
                                 const tree *t)
{
    static double single[POINTS][TOGETHER];
    tape_work *work;
    batch_fill(b, p, point);
    for (int number = 0; (work = work_for(p, number)) != NULL; number++) {
        const kernel *many = kernel_at(number, NULL);
        size_t block = (size_t)many->block;
        cr_assert_leq(block, BLOCK_MOST, "make room for larger blocks here");
        const size_t sizes[] = {1, 7, block - 1, block, block + 1, 3 * block + 5};
        for (int i = 0; i < POINTS; i++) run_point(p, work, point[i], single[i]);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char where[200];
            snprintf(where, sizeof where, "seed %llu, kernel %s, %zu points, %zu fixed", SEED(t),
                     many->name, sizes[s], p->n_fixed);
            double foreign[TREE_INPUTS] = {0}, ignored[TOGETHER];
            run_point(p, work, foreign, ignored); /* what it leaves behind must not matter */
            batch_run(b, work, sizes[s]);
            batch_must_match(b, p, single, sizes[s], where);
        }
        tape_work_free(work);
    }
}

/* The formula, its gradient, doubles of both, inputs and constants. */
static void make_outputs(const world *w, expr e, expr out[OUTPUTS])
{
    out[0] = e;
    cr_assert(diff_gradient(w->g, e, w->symbol, TREE_SYMBOLS, out + 1) == NOSLIP_OK);
    size_t n = 1 + TREE_SYMBOLS;
    out[n++] = e;
    out[n++] = out[2];
    out[n++] = w->symbol[0];
    out[n++] = w->symbol[7];
    out[n++] = graph_const(w->g, -0.71);
    out[n++] = w->symbol[0];
}

/* Points of a batch; what is fixed has one value in all of them. */
static void scatter(const tree *t, const program *p, dice *d, double (*point)[TREE_INPUTS])
{
    for (int i = 0; i < POINTS; i++) {
        nearby(t, d, 0.3, point[i]);
        for (size_t k = 0; k < p->n_fixed; k++) point[i][p->input[k]] = t->middle[p->input[k]];
    }
}

Test(random_expr, a_batch_of_any_size_has_the_bits_of_its_points_on_every_kernel)
{
    static batch b;
    static double point[POINTS][TREE_INPUTS];
    for (int number = 0; number < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        dice d = {t.seed};
        expr out[OUTPUTS];
        make_outputs(&w, tree_build(&t, w.g, w.symbol), out);
        for (int fixed = 0; fixed < 2; fixed++) {
            size_t n_fixed = fixed ? 1 + (size_t)dice_below(&d, TREE_INPUTS) : 0;
            program p = compile(&w, out, OUTPUTS, n_fixed, &d);
            scatter(&t, &p, &d, point);
            all_sizes_must_match(&b, &p, point, &t);
            tape_free(p.t);
        }
        world_close(&w);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Long tapes: rows, registers and constants by the hundred. */
Test(random_expr, many_formulas_in_one_tape_do_not_disturb_each_other)
{
    static tree t[TOGETHER];
    static batch b;
    static double point[POINTS][TREE_INPUTS];
    int compared = 0;
    for (int round = 0; round < 40; round++) {
        world w = world_open();
        dice d = {(uint64_t)round};
        expr e[TOGETHER];
        double got[TOGETHER];
        tracked exact[TREE_INPUTS];
        for (int k = 0; k < TOGETHER; k++) {
            grow(&t[k], TOGETHER * round + k);
            e[k] = tree_build(&t[k], w.g, w.symbol);
        }
        program p = compile(&w, e, TOGETHER, (size_t)dice_below(&d, TREE_INPUTS), &d);
        scatter(&t[round % TOGETHER], &p, &d, point);
        all_sizes_must_match(&b, &p, point, &t[0]);
        tape_work *work = tape_work_new(p.t);
        run_point(&p, work, point[0], got);
        exactly(point[0], exact);
        for (int k = 0; k < TOGETHER; k++) {
            tracked alone = tree_value(&t[k], exact);
            if (!tracked_is_sure(alone)) continue;
            compared++;
            MUST(fabsl((long double)got[k] - alone.value) <= alone.error,
                 "round %d, seed %llu: %.17g, but %.17Lg within %.3Lg: %s", round, SEED(&t[k]),
                 got[k], alone.value, alone.error, shown(&t[k]));
        }
        tape_work_free(work);
        tape_free(p.t);
        world_close(&w);
    }
    cr_assert_geq(compared, 2000);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(random_expr, a_result_does_not_depend_on_what_else_is_asked_for_beyond_its_rounding)
{
    int compared = 0;
    for (int number = 0; number < TRIED && compared < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        dice d = {t.seed};
        expr out[OUTPUTS];
        double got[OUTPUTS];
        tracked wide[TREE_INPUTS];
        make_outputs(&w, tree_build(&t, w.g, w.symbol), out);
        exactly(t.middle, wide);
        tracked exact = tree_value(&t, wide);
        program p = compile(&w, out, OUTPUTS, number % TREE_INPUTS, &d);
        tape_work *work = tape_work_new(p.t);
        run_point(&p, work, t.middle, got);
        if (tracked_is_sure(exact)) {
            compared++;
            MUST(fabsl((long double)got[0] - exact.value) <= exact.error,
                 "seed %llu: %.17g, but %.17Lg within %.3Lg: %s", SEED(&t), got[0], exact.value,
                 exact.error, shown(&t));
        }
        tape_work_free(work);
        tape_free(p.t);
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Points that leave the domain */

/* Three ways to leave it, beside those that the tree itself finds: log(x), 1/x', exp(m). */
static void add_traps(const world *w, expr out[4])
{
    out[1] = graph_apply(w->g, OP_LOG, w->symbol[0], 0);
    out[2] = expr_div(w->g, graph_const(w->g, 1), w->symbol[TREE_RATES]);
    out[3] = graph_apply(w->g, OP_EXP, w->symbol[3], 0);
}

/* Take about one point in six out of the domain; trapped[i] says which. */
static void spring_traps(dice *d, double (*point)[TREE_INPUTS], bool *trapped)
{
    for (int i = 0; i < POINTS; i++) {
        trapped[i] = dice_once_in(d, 6);
        if (!trapped[i]) continue;
        switch (dice_below(d, 3)) {
        case 0: point[i][0] = -0.3; break;
        case 1: point[i][TREE_RATES] = 0; break;
        default: point[i][3] = 711.3;
        }
    }
}

Test(random_expr, points_outside_the_domain_are_marked_and_disturb_no_other)
{
    static batch sound, mixed;
    static double point[POINTS][TREE_INPUTS];
    int compared = 0;
    for (int number = 0; number < TRIED && compared < WANTED; number++) {
        tree t;
        grow(&t, number);
        t.middle[0] = fabs(t.middle[0]);
        world w = world_open();
        dice d = {t.seed};
        bool trapped[POINTS];
        expr out[4] = {tree_build(&t, w.g, w.symbol)};
        add_traps(&w, out);
        program p = compile(&w, out, 4, 0, &d);
        const kernel *one, *many = kernel_at(number % 3, &one);
        if (!many) many = kernel_at(0, &one);
        tape_work *work = tape_work_with(p.t, many, one);

        for (int i = 0; i < POINTS; i++) nearby(&t, &d, 0.01, point[i]);
        batch_fill(&sound, &p, point);
        bool all_sound = batch_run(&sound, work, POINTS) == NOSLIP_OK;
        spring_traps(&d, point, trapped);
        batch_fill(&mixed, &p, point);
        noslip_status status = batch_run(&mixed, work, POINTS);
        MUST(!all_sound || status == NOSLIP_NOT_FINITE, "seed %llu: status %d", SEED(&t), status);
        for (int i = 0; all_sound && i < POINTS; i++) {
            MUST(mixed.bad[i] == trapped[i], "seed %llu: bad[%d] is %d", SEED(&t), i, mixed.bad[i]);
            for (int k = 0; k < 4 && !trapped[i]; k++)
                MUST(same_bits(mixed.out[k][1 + i], sound.out[k][1 + i]),
                     "seed %llu: output %d of point %d changed", SEED(&t), k, i);
        }
        status = tape_batch(work, mixed.in_row, mixed.out_row, POINTS, NULL);
        MUST(!all_sound || status == NOSLIP_NOT_FINITE, "seed %llu: without bad", SEED(&t));
        compared += all_sound;
        tape_work_free(work);
        tape_free(p.t);
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Constants that could not be folded: they are computed when the tape runs. */
Test(random_expr, a_constant_that_is_not_finite_makes_the_result_not_finite)
{
    for (size_t n_fixed = 0; n_fixed <= TREE_INPUTS; n_fixed += 6) {
        world w = world_open();
        dice d = {n_fixed};
        expr zero = graph_const(w.g, 0), huge = graph_const(w.g, 1e300);
        const expr not_finite[] = {
            graph_apply(w.g, OP_LOG, zero, 0),
            graph_apply(w.g, OP_SQRT, graph_const(w.g, -1), 0),
            expr_div(w.g, graph_const(w.g, 1), zero),
            expr_mul(w.g, huge, huge),
            diff_partial(w.g, graph_apply(w.g, OP_POW, graph_const(w.g, -3), w.symbol[0]),
                         w.symbol[0]),
        };
        for (size_t k = 0; k < sizeof not_finite / sizeof *not_finite; k++) {
            const expr out[2] = {expr_add(w.g, w.symbol[1], not_finite[k]), not_finite[k]};
            double point[TREE_INPUTS] = {0.7, 0.9}, got[2];
            program p = compile(&w, out, 2, n_fixed, &d);
            tape_work *work = tape_work_new(p.t);
            cr_expect_eq(run_point(&p, work, point, got), NOSLIP_NOT_FINITE);
            cr_expect(!isfinite(got[0]) && !isfinite(got[1]), "%zu: %g, %g", k, got[0], got[1]);
            tape_work_free(work);
            tape_free(p.t);
        }
        world_close(&w);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A number of any size: most formulas leave their domain at such points. */
static double wild(dice *d)
{
    static const double odd[] = {0.0, -0.0, 1.0, -1.0, 710.0, -1e3, 1e200, 1e-200, 1e308, 5e-324};
    if (dice_once_in(d, 4)) return odd[dice_below(d, (int)(sizeof odd / sizeof *odd))];
    return dice_between(d, -1, 1) * pow(10, dice_between(d, -3, 3));
}

Test(random_expr, wild_points_give_the_same_bits_and_marks_alone_and_in_a_batch)
{
    static batch b;
    static double point[POINTS][TREE_INPUTS];
    long finite = 0, not_finite = 0;
    for (int number = 0; number < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        dice d = {t.seed};
        expr e = tree_build(&t, w.g, w.symbol);
        program p = compile(&w, &e, 1, 0, &d);
        for (int i = 0; i < POINTS; i++)
            for (int k = 0; k < TREE_INPUTS; k++) point[i][k] = wild(&d);
        all_sizes_must_match(&b, &p, point, &t);
        for (int i = 0; i < POINTS; i++) *(b.bad[i] ? &not_finite : &finite) += 1;
        tape_free(p.t);
        world_close(&w);
    }
    cr_assert_geq(finite, 10000);
    cr_assert_geq(not_finite, 10000);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A rewrite may not widen a domain: 0*log(x) and sqrt(x) - sqrt(x) are nothing where x < 0. */
Test(random_expr, a_tape_is_defined_where_the_formula_is_and_nowhere_else)
{
    long defined = 0, undefined = 0;
    for (int number = 0; number < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        dice d = {t.seed};
        expr e = tree_build(&t, w.g, w.symbol);
        program p = compile(&w, &e, 1, 0, &d);
        tape_work *work = tape_work_new(p.t);
        for (int i = 0; i < 50; i++) {
            double point[TREE_INPUTS], out;
            tracked exact[TREE_INPUTS];
            for (int k = 0; k < TREE_INPUTS; k++) point[k] = wild(&d);
            exactly(point, exact);
            tracked there = tree_value(&t, exact);
            bool finite = run_point(&p, work, point, &out) == NOSLIP_OK;
            MUST(!finite || !tracked_is_undefined(there), "seed %llu: %.17g where %s is undefined",
                 SEED(&t), out, shown(&t));
            undefined += tracked_is_undefined(there);
            if (!tracked_is_sure(there)) continue;
            defined++;
            MUST(finite && fabsl((long double)out - there.value) <= there.error,
                 "seed %llu: %.17g, but %.17Lg within %.3Lg: %s", SEED(&t), out, there.value,
                 there.error, shown(&t));
        }
        tape_work_free(work);
        tape_free(p.t);
        world_close(&w);
    }
    cr_assert_geq(defined, 10000);
    cr_assert_geq(undefined, 10000);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* First derivatives */

/* A constant of the graph may have been folded, from exact ones (those with few digits) with a few
 * roundings. */
static tracked folded(double c)
{
    bool is_short = (double)(float)c == c;
    long double wide = (long double)c;
    return (tracked){wide, is_short ? 0 : 4 * (long double)DBL_EPSILON * fabsl(wide)};
}

/* The value of every node of a graph, operation by operation; free with free. */
static tracked *graph_values(const graph *g, const tracked *point)
{
    tracked *v = malloc(g->nodes.n * sizeof *v);
    for (size_t k = 0; k < g->nodes.n; k++) {
        const node *n = graph_at(g, (expr)k);
        v[k] = n->op == OP_CONST    ? folded(n->value)
               : n->op == OP_SYMBOL ? point[n->symbol]
                                    : tracked_apply((op)n->op, v[n->a], v[n->b]);
    }
    return v;
}

/* One coordinate of a point a step away, which rounds if it moves at all. */
static tracked stepped(tracked x, long double step)
{
    return step == 0 ? x : tracked_apply(OP_ADD, x, tracked_exact(step));
}

static tracked moved(const tree *t, const tracked *point, const long double *direction,
                     long double h)
{
    tracked there[TREE_SYMBOLS];
    for (int k = 0; k < TREE_SYMBOLS; k++) there[k] = stepped(point[k], h * direction[k]);
    return tree_value(t, there);
}

/* A difference quotient with the error that rounding makes in it. */
static tracked quotient(const tree *t, const tracked *point, const long double *direction,
                        long double h)
{
    tracked up = moved(t, point, direction, h), down = moved(t, point, direction, -h);
    return (tracked){(up.value - down.value) / (2 * h),
                     (up.error + down.error) * TRACKED_OWN / (2 * h)};
}

/* Three quotients of falling step: Richardson's combination of the last two is better than either,
 * and the largest difference of neighbours bounds what truncation does. */
static tracked combine(const tracked q[3])
{
    long double best = (4 * q[2].value - q[1].value) / 3;
    long double truncation = fmaxl(fabsl(q[0].value - q[1].value), fabsl(q[1].value - q[2].value));
    return (tracked){best, truncation + q[0].error + 2 * q[2].error};
}

/* The tree's derivative along a direction, by centred differences. */
static tracked slope(const tree *t, const tracked *point, const long double *direction)
{
    const long double h = cbrtl(LDBL_EPSILON); /* balances truncation and rounding */
    tracked q[3];
    for (int k = 0; k < 3; k++) q[k] = quotient(t, point, direction, ldexpl(4 * h, -k));
    return combine(q);
}

/* Sharp enough to tell a right derivative from a wrong one. */
static bool is_sharp(tracked x, long double relative)
{
    return tracked_is_sure(x) && x.error <= relative * (1 + fabsl(x.value));
}

static void unit(int which, long double direction[TREE_SYMBOLS])
{
    for (int k = 0; k < TREE_SYMBOLS; k++) direction[k] = k == which;
}

/* A derivative that was made as an expression, against the differences. False if it could not be
 * compared. */
static bool derivative_is_right(const tree *t, tracked got, tracked reference, const char *what)
{
    if (!is_sharp(reference, 1e-6L) || !is_sharp(got, 1e-6L)) return false;
    long double allowed = reference.error + got.error;
    MUST(fabsl(got.value - reference.value) <= allowed,
         "seed %llu: %s is %.17Lg, by differences %.17Lg within %.3Lg: %s", SEED(t), what,
         got.value, reference.value, allowed, shown(t));
    return true;
}

static void derivatives_must_agree(const tree *t, tracked a, tracked b, const char *what)
{
    if (!tracked_is_sure(a) || !tracked_is_sure(b)) return;
    MUST(fabsl(a.value - b.value) <= a.error + b.error, "seed %llu: %s: %.20Lg and %.20Lg: %s",
         SEED(t), what, a.value, b.value, shown(t));
}

typedef struct {
    expr partial[TREE_SYMBOLS], gradient[TREE_SYMBOLS], jacobian[3][TREE_SYMBOLS];
} derivatives;

static const jacobian_mode modes[3] = {JACOBIAN_AUTO, JACOBIAN_FORWARD, JACOBIAN_REVERSE};

static derivatives differentiate(const world *w, expr e)
{
    derivatives d;
    jacobian j = {0};
    for (int k = 0; k < TREE_SYMBOLS; k++) d.partial[k] = diff_partial(w->g, e, w->symbol[k]);
    cr_assert(diff_gradient(w->g, e, w->symbol, TREE_SYMBOLS, d.gradient) == NOSLIP_OK);
    for (int mode = 0; mode < 3; mode++) {
        for (int k = 0; k < TREE_SYMBOLS; k++) d.jacobian[mode][k] = graph_const(w->g, 0);
        cr_assert(diff_jacobian(w->g, &e, 1, w->symbol, TREE_SYMBOLS, modes[mode], &j) ==
                  NOSLIP_OK);
        for (size_t i = 0; i < j.entries.n; i++)
            d.jacobian[mode][j.entries.at[i].column] = j.entries.at[i].e;
    }
    jacobian_free(&j);
    return d;
}

Test(random_expr, all_ways_to_a_first_derivative_agree_with_differences_of_the_tree)
{
    int compared = 0;
    for (int number = 0; number < TRIED && compared < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        derivatives d = differentiate(&w, tree_build(&t, w.g, w.symbol));
        tracked point[TREE_INPUTS];
        long double direction[TREE_SYMBOLS];
        exactly(t.middle, point);
        tracked *v = graph_values(w.g, point);
        bool all = true;
        for (int k = 0; k < TREE_SYMBOLS; k++) {
            unit(k, direction);
            tracked partial = v[d.partial[k]];
            all &= derivative_is_right(&t, partial, slope(&t, point, direction), "diff_partial");
            derivatives_must_agree(&t, partial, v[d.gradient[k]], "diff_gradient");
            for (int mode = 0; mode < 3; mode++)
                derivatives_must_agree(&t, partial, v[d.jacobian[mode][k]], "diff_jacobian");
        }
        compared += all;
        free(v);
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(random_expr, tapes_of_derivatives_are_right_within_their_rounding)
{
    int compared = 0;
    for (int number = 0; number < TRIED && compared < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        dice dice_of_tree = {t.seed};
        derivatives d = differentiate(&w, tree_build(&t, w.g, w.symbol));
        enum { ALL = sizeof d / sizeof(expr) };
        expr out[ALL];
        double got[ALL];
        tracked point[TREE_INPUTS];
        memcpy(out, &d, sizeof d);
        exactly(t.middle, point);
        tracked *v = graph_values(w.g, point);
        program p = compile(&w, out, ALL, number % TREE_INPUTS, &dice_of_tree);
        tape_work *work = tape_work_new(p.t);
        run_point(&p, work, t.middle, got);
        bool all = true;
        for (int k = 0; k < ALL; k++) {
            tracked exact = v[out[k]];
            all &= tracked_is_sure(exact);
            MUST(!tracked_is_sure(exact) || fabsl((long double)got[k] - exact.value) <= exact.error,
                 "seed %llu: derivative %d is %.17g, but %.17Lg within %.3Lg: %s", SEED(&t), k,
                 got[k], exact.value, exact.error, shown(&t));
        }
        compared += all;
        free(v);
        tape_work_free(work);
        tape_free(p.t);
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A direction made of numbers, zeros and expressions. */
static void choose_direction(const world *w, dice *d, const tracked *point,
                             expr direction[TREE_SYMBOLS], long double numbers[TREE_SYMBOLS])
{
    for (int k = 0; k < TREE_SYMBOLS; k++) {
        double c = dice_once_in(d, 4) ? 0 : dice_between(d, -2, 2);
        int other = dice_below(d, TREE_SYMBOLS);
        bool symbolic = dice_once_in(d, 3);
        direction[k] = graph_const(w->g, c);
        numbers[k] = (long double)c;
        if (!symbolic) continue;
        direction[k] = expr_mul(w->g, direction[k], w->symbol[other]);
        numbers[k] *= point[other].value;
    }
}

Test(random_expr, a_derivative_along_a_direction_agrees_with_differences_of_the_tree)
{
    int compared = 0;
    for (int number = 0; number < TRIED && compared < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        dice d = {t.seed};
        expr e = tree_build(&t, w.g, w.symbol), direction[TREE_SYMBOLS], along;
        tracked point[TREE_INPUTS];
        long double numbers[TREE_SYMBOLS];
        exactly(t.middle, point);
        choose_direction(&w, &d, point, direction, numbers);
        MUST(diff_forward(w.g, &e, 1, w.symbol, direction, TREE_SYMBOLS, &along) == NOSLIP_OK,
             "seed %llu", SEED(&t));
        tracked *v = graph_values(w.g, point);
        compared += derivative_is_right(&t, v[along], slope(&t, point, numbers), "diff_forward");
        free(v);
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(random_expr, the_time_derivative_moves_coordinates_rates_and_time_and_nothing_else)
{
    int compared = 0;
    for (int number = 0; number < TRIED && compared < WANTED; number++) {
        tree t;
        grow(&t, number);
        world w = world_open();
        expr e = tree_build(&t, w.g, w.symbol), rate;
        tracked point[TREE_INPUTS];
        long double motion[TREE_SYMBOLS] = {0};
        exactly(t.middle, point);
        for (int k = 0; k < TREE_COORDINATES; k++) {
            motion[k] = point[TREE_RATES + k].value;
            motion[TREE_RATES + k] = point[TREE_ACCELERATIONS + k].value;
        }
        motion[5] = 1;
        MUST(diff_time(w.g, &e, 1, &rate) == NOSLIP_OK, "seed %llu", SEED(&t));
        tracked *v = graph_values(w.g, point);
        compared += derivative_is_right(&t, v[rate], slope(&t, point, motion), "diff_time");
        free(v);
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Second derivatives */

/* (f(++) - f(+-) - f(-+) + f(--)) / 4h^2 along two unit directions, which may be the same. */
static tracked second_quotient(const tree *t, const tracked *point, int i, int j, long double h)
{
    tracked sum = {0, 0};
    for (int corner = 0; corner < 4; corner++) {
        tracked there[TREE_SYMBOLS];
        memcpy(there, point, sizeof there);
        there[i] = stepped(there[i], corner & 1 ? h : -h);
        there[j] = stepped(there[j], corner & 2 ? h : -h);
        tracked f = tree_value(t, there);
        sum.value += corner == 0 || corner == 3 ? f.value : -f.value;
        sum.error += f.error;
    }
    return (tracked){sum.value / (4 * h * h), sum.error * TRACKED_OWN / (4 * h * h)};
}

static tracked curvature(const tree *t, const tracked *point, int i, int j)
{
    const long double h = sqrtl(sqrtl(LDBL_EPSILON)); /* balances truncation and rounding */
    tracked q[3];
    for (int k = 0; k < 3; k++) q[k] = second_quotient(t, point, i, j, ldexpl(4 * h, -k));
    return combine(q);
}

/* A symbol that stands in the tree, where there is one. */
static int some_symbol(const tree *t, dice *d)
{
    int which = dice_below(d, TREE_SYMBOLS);
    for (int k = 0; k < TREE_SYMBOLS && !tree_uses_symbol(t, which); k++)
        which = (which + 1) % TREE_SYMBOLS;
    return which;
}

Test(random_expr, second_derivatives_agree_with_second_differences_of_the_tree)
{
    int compared = 0;
    for (int number = 0; number < 2 * TRIED && compared < WANTED; number++) {
        tree t;
        tree_grow(&t, 90001 + (uint64_t)number, 1 + number % 12);
        world w = world_open();
        dice d = {t.seed};
        int i = some_symbol(&t, &d), j = some_symbol(&t, &d);
        expr e = tree_build(&t, w.g, w.symbol), gradient[TREE_SYMBOLS], hessian[TREE_SYMBOLS];
        expr twice = diff_partial(w.g, diff_partial(w.g, e, w.symbol[i]), w.symbol[j]);
        diff_gradient(w.g, e, w.symbol, TREE_SYMBOLS, gradient);
        diff_gradient(w.g, gradient[i], w.symbol, TREE_SYMBOLS, hessian);
        tracked point[TREE_INPUTS];
        exactly(t.middle, point);
        tracked *v = graph_values(w.g, point), got = v[twice], mixed = v[hessian[j]];
        tracked reference = curvature(&t, point, i, j);
        if (is_sharp(reference, 1e-5L) && is_sharp(got, 1e-6L)) {
            compared++;
            MUST(fabsl(got.value - reference.value) <= reference.error + got.error,
                 "seed %llu: d2/d%sd%s is %.17Lg, by differences %.17Lg within %.3Lg: %s", SEED(&t),
                 tree_symbol_name(i), tree_symbol_name(j), got.value, reference.value,
                 reference.error, shown(&t));
        }
        derivatives_must_agree(&t, got, mixed, "gradient of a gradient");
        free(v);
        world_close(&w);
    }
    cr_assert_eq(compared, WANTED);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Jacobians */

enum { ROWS = 6 };

/* Entries ascend, and none is zero by structure. */
static void entries_must_be_in_order(const world *w, const jacobian *j, uint64_t seed)
{
    for (size_t i = 0; i < j->entries.n; i++) {
        const jacobian_entry *x = &j->entries.at[i], *before = x - 1;
        MUST(!chain_is_zero(w->g, x->e), "seed %llu: entry %zu is zero", (unsigned long long)seed,
             i);
        MUST(i == 0 || before->row < x->row ||
                 (before->row == x->row && before->column < x->column),
             "seed %llu: entry %zu is out of order", (unsigned long long)seed, i);
    }
}

static const jacobian_entry *find_entry(const jacobian *j, uint32_t row, uint32_t column)
{
    for (size_t i = 0; i < j->entries.n; i++)
        if (j->entries.at[i].row == row && j->entries.at[i].column == column)
            return &j->entries.at[i];
    return NULL;
}

/* What stands in the Jacobian is the partial derivative; what does not is zero, and of course so
 * where the variable does not stand in the tree at all. */
static void entries_must_be_right(const world *w, const jacobian *j, const tree *t, uint32_t row,
                                  expr e, const tracked *point)
{
    expr partial[TREE_SYMBOLS];
    for (int k = 0; k < TREE_SYMBOLS; k++) partial[k] = diff_partial(w->g, e, w->symbol[k]);
    tracked *v = graph_values(w->g, point);
    for (int k = 0; k < TREE_SYMBOLS; k++) {
        const jacobian_entry *entry = find_entry(j, row, (uint32_t)k);
        MUST(!entry || tree_uses_symbol(t, k), "seed %llu: an entry for %s, which is not there",
             SEED(t), tree_symbol_name(k));
        tracked got = entry ? v[entry->e] : tracked_exact(0);
        derivatives_must_agree(t, got, v[partial[k]], "an entry of a Jacobian");
        MUST(entry || !tracked_is_sure(v[partial[k]]) || v[partial[k]].value == 0,
             "seed %llu: the entry for %s is left out, but is %Lg: %s", SEED(t),
             tree_symbol_name(k), v[partial[k]].value, shown(t));
    }
    free(v);
}

Test(random_expr, a_jacobian_holds_each_partial_derivative_once_and_no_zeros)
{
    for (int number = 0; number < WANTED; number += ROWS) {
        tree t[ROWS];
        expr out[ROWS + 3];
        tracked point[TREE_INPUTS];
        world w = world_open();
        for (int i = 0; i < ROWS; i++) {
            grow(&t[i], number + i);
            out[i] = tree_build(&t[i], w.g, w.symbol);
        }
        out[ROWS] = w.symbol[1];
        out[ROWS + 1] = graph_const(w.g, 0.3);
        out[ROWS + 2] = out[0];
        exactly(t[0].middle, point);
        for (int mode = 0; mode < 3; mode++) {
            jacobian j = {0};
            uint64_t seed = t[0].seed;
            MUST(diff_jacobian(w.g, out, ROWS + 3, w.symbol, TREE_SYMBOLS, modes[mode], &j) ==
                     NOSLIP_OK,
                 "seed %llu", (unsigned long long)seed);
            entries_must_be_in_order(&w, &j, seed);
            for (int i = 0; i < ROWS; i++)
                entries_must_be_right(&w, &j, &t[i], (uint32_t)i, out[i], point);
            entries_must_be_right(&w, &j, &t[0], ROWS + 2, out[0], point);
            MUST(find_entry(&j, ROWS, 1) && !find_entry(&j, ROWS, 0), "the row of a variable");
            MUST(chain_is_zero(w.g, expr_sub(w.g, find_entry(&j, ROWS, 1)->e, graph_const(w.g, 1))),
                 "a variable's derivative by itself is 1");
            for (uint32_t k = 0; k < TREE_SYMBOLS; k++)
                MUST(!find_entry(&j, ROWS + 1, k), "the row of a constant has no entries");
            jacobian_free(&j);
        }
        world_close(&w);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A chain of masses: row i holds the variables i - 1, i and i + 1. */
static void make_chain(graph *g, expr *x, expr *out, int n)
{
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "x[%d]", i);
        x[i] = graph_symbol(g, name, SYMBOL_COORDINATE);
    }
    for (int i = 0; i < n; i++) {
        expr left = i > 0 ? x[i - 1] : graph_const(g, 0);
        expr right = i + 1 < n ? x[i + 1] : graph_const(g, 0);
        expr bend = expr_sub(g, expr_sub(g, right, x[i]), expr_sub(g, x[i], left));
        out[i] = expr_mul(g, bend, graph_apply(g, OP_SIN, x[i], 0));
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The entries of a chain's Jacobian and the time they took. */
static double time_chain(int n, jacobian_mode mode)
{
    graph *g = graph_new();
    expr *x = malloc((size_t)n * sizeof *x), *out = malloc((size_t)n * sizeof *out);
    jacobian j = {0};
    make_chain(g, x, out, n);
    double start = seconds();
    cr_assert_eq(diff_jacobian(g, out, (size_t)n, x, (size_t)n, mode, &j), NOSLIP_OK);
    double taken = seconds() - start;
    cr_assert_eq(j.entries.n, 3 * (size_t)n - 2);
    for (size_t i = 0; i < j.entries.n; i++)
        MUST(j.entries.at[i].column + 1 >= j.entries.at[i].row &&
                 j.entries.at[i].column <= j.entries.at[i].row + 1,
             "entry %zu stands outside the band", i);
    jacobian_free(&j);
    graph_free(g);
    free(x);
    free(out);
    return taken;
}

Test(random_expr, a_banded_jacobian_has_the_entries_of_its_band)
{
    for (int mode = 0; mode < 3; mode++) time_chain(20000, modes[mode]);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Not a timing test: a cost in proportion to the entries is some tenths of a second here, a
 * quadratic one is ten seconds and more. */
Test(random_expr, the_cost_of_a_jacobian_grows_with_its_entries_not_with_rows_times_columns)
{
    cr_assert_lt(time_chain(200000, JACOBIAN_REVERSE), 4);
    cr_assert_lt(time_chain(200000, JACOBIAN_FORWARD), 4);
    cr_assert_eq(noslip_alloc_live(), 0);
}
