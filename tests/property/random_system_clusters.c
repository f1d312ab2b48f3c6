/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "alloc.h"
#include "build.h"
#include "random_tree.h"
#include "spectrum.h"

/* Chains of oscillators, each pushed by the one before it,
 *
 *     y_i'' + 2 damping y_i' + (stiffness + i apart) y_i = push y_(i-1),
 *
 * written in other coordinates, y = R q with whole numbers in R, beside a cyclic one. Their roots are known, and lie as near together as
 * one likes; with a push and without a distance they are one root of a Jordan block. All numbers are sums of few powers of 2. */
typedef struct {
    int length;
    double damping, stiffness, apart, push;
    int R[6][6];
} chain;

static void draw_mixture(chain *c, dice *d)
{
    for (int i = 0; i < c->length; i++)
        for (int j = 0; j < c->length; j++)
            c->R[i][j] = i == j ? 1 : i < j ? dice_below(d, 5) - 2 : 0;
    for (int j = 0; j + 1 < c->length; j++) /* and not triangular: add the first row to others */
        for (int i = 0; i < c->length; i++) c->R[j + 1][i] += (j % 2 ? 1 : -1) * c->R[0][i];
}

typedef struct {
    graph *g;
    expr y[6], rate[6];
} words;

static expr sum_of(graph *g, const int *row, const expr *e, int n)
{
    expr sum = graph_const(g, 0);
    for (int j = 0; j < n; j++) sum = expr_add(g, sum, expr_mul(g, graph_const(g, row[j]), e[j]));
    return sum;
}

static expr half_square(graph *g, double factor, expr e)
{
    return expr_mul(g, graph_const(g, factor / 2), expr_mul(g, e, e));
}

static void add_coordinates(const chain *c, mechanical_system *s, words *k)
{
    expr q[6], v[6];
    for (int i = 0; i <= c->length; i++) {
        char name[8];
        int size = snprintf(name, sizeof name, "q%d", i);
        cr_assert_eq(system_add_coordinate(s, name, (size_t)size, (origin){0}, NULL), NOSLIP_OK);
        if (i < c->length) q[i] = s->coordinates.at[i].symbol;
        if (i < c->length) v[i] = graph_rate(s->g, q[i]);
    }
    for (int i = 0; i < c->length; i++) {
        k->y[i] = sum_of(s->g, c->R[i], q, c->length);
        k->rate[i] = sum_of(s->g, c->R[i], v, c->length);
    }
}

static mechanical_system *build_chain(const chain *c)
{
    mechanical_system *s = system_new();
    graph *g = s->g;
    words k = {.g = g};
    add_coordinates(c, s, &k);
    s->kinetic = half_square(g, 1, graph_rate(g, s->coordinates.at[c->length].symbol));
    for (int i = 0; i < c->length; i++) {
        double stiffness = c->stiffness + i * c->apart;
        s->kinetic = expr_add(g, s->kinetic, half_square(g, 1, k.rate[i]));
        s->potential = expr_add(g, s->potential, half_square(g, stiffness, k.y[i]));
        s->dissipation = expr_add(g, s->dissipation, half_square(g, 2 * c->damping, k.rate[i]));
        for (int j = 0; i > 0 && j < c->length; j++) {
            expr push = expr_mul(g, graph_const(g, c->push * c->R[i][j]), k.y[i - 1]);
            s->coordinates.at[j].force = expr_add(g, s->coordinates.at[j].force, push);
        }
    }
    return s;
}

static long double complex exact_root(const chain *c, int i)
{
    long double b = c->damping, k = (long double)c->stiffness + i * (long double)c->apart;
    return -b + csqrtl(b * b - k);
}

/* How far a root is from the nearest exact one, in bounds. */
static double ratio_of(const chain *c, const root *e)
{
    long double complex found = e->re + fabs(e->im) * I;
    long double nearest = HUGE_VALL;
    for (int i = 0; i < c->length; i++) nearest = fminl(nearest, cabsl(found - exact_root(c, i)));
    return (double)(nearest / e->bound);
}

static double worst_ratio(const chain *c, stability *verdict, double *bound)
{
    const double none[1] = {0}; /* parameters: they must be somewhere */
    double q[7] = {0}, w[7] = {0}, worst = 0;
    steady_info info;
    steady *motion;
    model *m;
    mechanical_system *s = build_chain(c);
    w[c->length] = 1.7;
    cr_assert_eq(model_new(s, none, NULL, &m, NULL), NOSLIP_OK);
    cr_assert_eq(steady_new(m, NULL, 0, &motion, NULL), NOSLIP_OK);
    spectrum *x = spectrum_new(m);
    cr_assert_eq(steady_solve(motion, none, q, w, &info), NOSLIP_OK);
    cr_assert_eq(spectrum_find(x, motion), NOSLIP_OK);
    cr_assert_eq(x->n, 2 * (size_t)c->length, "%zu roots", x->n);
    *bound = 0;
    for (size_t i = 0; i < x->n; i++) {
        worst = fmax(worst, ratio_of(c, &x->roots[i]));
        *bound = fmax(*bound, x->roots[i].bound);
    }
    *verdict = x->verdict;
    spectrum_free(x);
    steady_free(motion);
    model_free(m);
    system_free(s);
    return worst;
}

Test(random_system_clusters, roots_that_are_nearly_one_are_within_their_bounds)
{
    static const double apart[] = {0x1p-4, 0x1p-12, 0x1p-20, 0x1p-28, 0x1p-36, 0x1p-44, 0};
    int chains = 0, sharp = 0;
    for (int length = 3; length <= 5; length++)
        for (size_t a = 0; a < sizeof apart / sizeof *apart; a++)
            for (unsigned seed = 1; seed <= 8; seed++) {
                dice d = {1000 * seed + a};
                chain c = {length, 0.375, 1.625, apart[a], seed % 4 ? 0.875 : 0, {{0}}};
                stability verdict;
                double bound;
                draw_mixture(&c, &d);
                double worst = worst_ratio(&c, &verdict, &bound);
                cr_expect_leq(worst, 1, "length %d, apart %g, seed %u: %g bounds off", length,
                              apart[a], seed, worst);
                cr_expect_neq(verdict, UNSTABLE, "length %d, apart %g, seed %u: unstable", length,
                              apart[a], seed);
                if (bound < c.damping) cr_expect_eq(verdict, STABLE_ASYMPTOTICALLY);
                sharp += bound < c.damping;
                chains++;
            }
    cr_assert_eq(chains, 3 * 7 * 8);
    cr_assert_gt(sharp, 80, "%d of %d verdicts are certain", sharp, chains);
    cr_assert_eq(noslip_alloc_live(), 0);
}
