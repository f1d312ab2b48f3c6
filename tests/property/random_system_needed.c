/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdio.h>

#include "alloc.h"
#include "model.h"
#include "random_tree.h"

/* A carriage s pushed by a force that depends on x_1 alone, and coordinates without mass that follow it,
 *
 *     x_i' = sin(turn x_(i+1)) s'  for i < length,
 *
 * the last of which, with a mass of its own, turns freely. Mass and force know x_1 only; x_2 is needed for the rate of x_1, x_3 for that
 * of x_2, and so on. A cyclic coordinate stands beside. */
enum { MOST_FOLLOWERS = 5 };

typedef struct {
    mechanical_system *s;
    int length, place[MOST_FOLLOWERS + 2]; /* of s, x_1 .., the cyclic one */
    expr q[MOST_FOLLOWERS + 2], v[MOST_FOLLOWERS + 2];
} train;

static void add_coordinates(train *t, dice *d)
{
    int n = t->length + 2;
    for (int i = 0; i < n; i++) t->place[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = dice_below(d, i + 1), other = t->place[j];
        t->place[j] = t->place[i];
        t->place[i] = other;
    }
    for (int i = 0; i < n; i++) {
        char name[8];
        int size = snprintf(name, sizeof name, "q%d", i);
        cr_assert_eq(system_add_coordinate(t->s, name, (size_t)size, (origin){0}, NULL), NOSLIP_OK);
    }
    for (int i = 0; i < n; i++) {
        t->q[i] = t->s->coordinates.at[t->place[i]].symbol;
        t->v[i] = graph_rate(t->s->g, t->q[i]);
    }
}

static expr times(graph *g, double factor, expr a, expr b)
{
    return expr_mul(g, graph_const(g, factor), expr_mul(g, a, b));
}

static expr sine(graph *g, double factor, expr e)
{
    return graph_apply(g, OP_SIN, expr_mul(g, graph_const(g, factor), e), 0);
}

static void build_train(train *t, dice *d)
{
    graph *g = t->s->g;
    const int moving[] = {0, t->length, t->length + 1};
    add_coordinates(t, d);
    for (int k = 0; k < 3; k++) {
        expr v = t->v[moving[k]];
        const char name[] = {'w', (char)('0' + k), 0};
        t->s->kinetic = expr_add(g, t->s->kinetic, times(g, dice_between(d, 0.3, 1.7), v, v));
        cr_assert_eq(system_add_quasi(t->s, name, 2, v, (origin){0}, NULL), NOSLIP_OK);
    }
    t->s->coordinates.at[t->place[0]].force =
        times(g, dice_between(d, 0.3, 1.7), sine(g, 1.3, t->q[1]), graph_const(g, 1));
    for (int i = 1; i < t->length; i++) {
        expr follows = expr_sub(
            g, t->v[i], times(g, 1, sine(g, dice_between(d, 0.7, 1.9), t->q[i + 1]), t->v[0]));
        cr_assert(array_push(&t->s->constraints, ((system_constraint){"follows", follows, {0}})));
    }
}

Test(random_system_needed, coordinates_that_only_rates_depend_on_are_positional)
{
    static const double reference[MOST_FOLLOWERS + 2] = {0.3, -0.7, 0.5, 0.1, -0.2, 0.9, 0.4};
    static const double none[1]; /* parameters: they must be somewhere */
    int rates = 0;
    for (int k = 0; k < 60; k++) {
        dice d = {7717 + (uint64_t)k};
        train t = {.s = system_new(), .length = 1 + k % MOST_FOLLOWERS};
        noslip_error err = {0};
        model *m = NULL;
        build_train(&t, &d);
        cr_assert_eq(model_new(t.s, none, reference, &m, &err), NOSLIP_OK, "seed %d: %s", k,
                     err.message);
        cr_assert_eq(m->n_positional, (size_t)t.length, "seed %d: %zu positional, not %d", k,
                     m->n_positional, t.length);
        cr_expect_eq(m->why[t.place[0]], NEEDED_NOT);
        cr_expect_eq(m->why[t.place[t.length + 1]], NEEDED_NOT);
        cr_expect_eq(m->why[t.place[1]], NEEDED_EQUATIONS);
        for (int i = 2; i <= t.length; i++, rates++) {
            cr_expect_eq(m->why[t.place[i]], NEEDED_RATE, "seed %d: x%d", k, i);
            cr_expect_eq(m->because[t.place[i]], (size_t)t.place[i - 1], "seed %d: x%d", k, i);
        }
        model_free(m);
        system_free(t.s);
    }
    cr_assert_gt(rates, 100);
    cr_assert_eq(noslip_alloc_live(), 0);
}
