/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a plane by batches against the way of `noslip roots`: the case's guess, the general solver, LAPACK. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "motions.h"
#include "points.h"
#include "sample.h"

enum { POINTS = 3400, STRIDE_MOST = 64 };

static double draw(unsigned long long *state)
{
    return 0.5 + 0.5 * sample_number(state);
}

typedef struct {
    noslip_case *c;
    noslip_model *m;
    noslip_steady *s;
    plane *p;
    evaluator *e;
    size_t roots;
} bench;

static bench open_bench(const char *name)
{
    bench b = {0};
    noslip_error err = {0};
    plane_axis axes[2];
    cr_assert_eq(noslip_case_open(name, NULL, &b.c, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(noslip_model_make(b.c, &b.m, &err), NOSLIP_OK, "%s", err.message);
    cr_assert_eq(noslip_steady_find(b.m, &b.s, &err), NOSLIP_OK, "%s", err.message);
    for (int k = 0; k < 2; k++) {
        const case_trace *t = k ? &b.c->regions.at[0].y : &b.c->regions.at[0].x;
        double ends[2];
        cr_assert_eq(system_evaluate(b.c->system, b.c->parameters, (const expr[]){t->from, t->to},
                                     2, ends, &err),
                     NOSLIP_OK);
        axes[k] = (plane_axis){t->parameter, ends[0], ends[1]};
    }
    noslip_steady_info i = noslip_steady_about(b.s, 0);
    size_t zeros = i.manifold_dimension + i.holonomic_levels;
    cr_assert_eq(plane_new(b.m, axes, &b.p, &err), NOSLIP_OK, "%s", err.message);
    cr_assert(b.e = evaluator_new(b.p, zeros, &err));
    b.roots = b.p->N - zeros;
    cr_assert_leq(b.p->N + 2 * b.roots, STRIDE_MOST);
    return b;
}

static void close_bench(bench *b)
{
    evaluator_free(b->e);
    plane_free(b->p);
    noslip_steady_free(b->s);
    noslip_model_free(b->m);
    noslip_case_close(b->c);
}

static point_kind kind_of(const spectrum *x)
{
    switch (x->verdict) {
    case STABLE_ASYMPTOTICALLY: return POINT_STABLE;
    case NEUTRAL: return POINT_NEUTRAL;
    case UNSTABLE: return x->kind == INSTABILITY_FLUTTER ? POINT_FLUTTER : POINT_DIVERGENCE;
    case DEGENERATE: break;
    }
    return POINT_DEGENERATE;
}

/* The farthest of the batch's roots from the nearest of the others, relative. */
static double worst_root(const bench *b, const point *t, const spectrum *x)
{
    double worst = 0, size = 1;
    for (size_t i = 0; i < x->n; i++) size = fmax(size, hypot(x->roots[i].re, x->roots[i].im));
    for (size_t k = 0; k < b->roots; k++) {
        double nearest = HUGE_VAL, bound = 0;
        for (size_t i = 0; i < x->n; i++) {
            double d = hypot(t->numbers[b->p->N + k] - x->roots[i].re,
                             t->numbers[b->p->N + b->roots + k] - x->roots[i].im);
            if (d < nearest) bound = x->roots[i].bound;
            if (d < nearest) nearest = d;
        }
        worst = fmax(worst, fmax(0, nearest - 4 * bound) / size);
    }
    return worst;
}

static void expect_point(const bench *b, steady *solver, spectrum *x, const point *t,
                         const char *name)
{
    const model *m = b->m->m;
    double parameters[STRIDE_MOST], q[STRIDE_MOST], w[STRIDE_MOST];
    steady_info info;
    evaluator_parameters(b->e, t->u, t->v, parameters);
    cr_assert_leq(m->s->parameters.n, STRIDE_MOST);
    cr_assert_eq(ready_start(b->m, parameters, q, w, NULL), NOSLIP_OK);
    cr_assert_eq(steady_solve(solver, parameters, q, w, &info), NOSLIP_OK, "%s: %g %g", name, t->u,
                 t->v);
    cr_assert_eq(spectrum_find(x, solver), NOSLIP_OK);
    cr_expect_eq(t->kind, kind_of(x), "%s at %.17g %.17g: %d by batch, %d alone; abscissa %g", name,
                 t->u, t->v, t->kind, kind_of(x), x->abscissa);
    double off = worst_root(b, t, x);
    cr_expect_leq(off, 1e-9, "%s at %.17g %.17g: a root is %g off", name, t->u, t->v, off);
}

static void compare(const char *name)
{
    bench b = open_bench(name);
    noslip_error err = {0};
    unsigned long long state = 271828;
    steady *solver;
    spectrum *x = spectrum_new(b.m->m);
    point *points = noslip_calloc(POINTS, sizeof *points);
    double *numbers = noslip_calloc(POINTS * STRIDE_MOST, sizeof *numbers), seed[STRIDE_MOST];
    cr_assert(x && points && numbers);
    cr_assert_eq(motions_solver(b.m, &solver, &err), NOSLIP_OK);
    for (size_t k = 0; k < b.p->N; k++) seed[k] = noslip_steady_state(b.s, 0, k);
    for (size_t k = 0; k < POINTS; k++) {
        double at[2];
        for (int i = 0; i < 2; i++)
            at[i] =
                (b.c->parameters[b.p->parameter[i]] - b.p->from[i]) / (b.p->to[i] - b.p->from[i]);
        points[k] = (point){.u = draw(&state),
                            .v = draw(&state),
                            .start_u = at[0],
                            .start_v = at[1],
                            .start = seed,
                            .numbers = numbers + k * STRIDE_MOST};
    }
    evaluator_run(b.e, points, POINTS);
    for (size_t k = 0; k < POINTS; k++) expect_point(&b, solver, x, &points[k], name);
    steady_free(solver);
    spectrum_free(x);
    noslip_free(points);
    noslip_free(numbers);
    close_bench(&b);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(region_points, verdicts_and_roots_of_batches_are_those_of_points_alone)
{
    compare("rolling-disk");
    compare("caster-wheel");
    compare("whipple-bicycle");
}
