/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "points.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "motions.h"

enum { LANES = 128, SOME = 16, FEW = BATCH_STEP };

/* A batch of steady motions with their roots; one of few lanes does single points. */
typedef struct {
    steady_many *s;
    spectrum_many *x;
    plane_work *w;
    size_t lanes;
    double *u, *v; /* rows */
} squad;

struct evaluator {
    const plane *p;
    size_t zeros, roots;
    squad many, some, few; /* few is for points alone */
    steady *s;
    spectrum *x;
    double *q, *w, *parameters; /* for a point alone */
    double *here, *there;       /* N: on the way from one place to another */
    evaluator_counts count;
};

static bool open_squad(squad *a, const plane *p, size_t zeros, size_t lanes)
{
    a->lanes = lanes;
    a->s = steady_many_new(p->plan, lanes);
    a->x = spectrum_many_new(p->r->m, zeros, lanes);
    a->w = a->s ? plane_work_new(p, a->s->k->parameters, lanes) : NULL;
    a->u = many_rows(lanes);
    a->v = many_rows(lanes);
    if (!a->s || !a->x || !a->w || !a->u || !a->v) return false;
    for (size_t i = 0; i < p->r->m->n; i++)
        for (size_t l = 0; l < lanes; l++) a->s->k->q[i * lanes + l] = p->r->q[i];
    return true;
}

static void close_squad(squad *a)
{
    steady_many_free(a->s);
    spectrum_many_free(a->x);
    plane_work_free(a->w);
    many_rows_free(a->u);
    many_rows_free(a->v);
}

evaluator *evaluator_new(const plane *p, size_t zeros, noslip_error *err)
{
    const model *m = p->r->m;
    evaluator *e = noslip_calloc(1, sizeof *e);
    if (!e) return noslip_fail_memory(err), NULL;
    *e = (evaluator){.p = p, .zeros = zeros, .roots = p->N - zeros};
    bool fine = open_squad(&e->many, p, zeros, LANES) && open_squad(&e->some, p, zeros, SOME) &&
                open_squad(&e->few, p, zeros, FEW);
    e->x = spectrum_new(m);
    e->q = noslip_calloc(m->n + m->f + m->s->parameters.n + 2 * p->N, sizeof(double));
    if (!fine || !e->x || !e->q || motions_solver(p->r, &e->s, err) != NOSLIP_OK) {
        noslip_fail_memory(err);
        evaluator_free(e);
        return NULL;
    }
    e->w = e->q + m->n;
    e->parameters = e->w + m->f;
    e->here = e->parameters + m->s->parameters.n;
    e->there = e->here + p->N;
    return e;
}

void evaluator_free(evaluator *e)
{
    if (!e) return;
    close_squad(&e->many);
    close_squad(&e->some);
    close_squad(&e->few);
    steady_free(e->s);
    spectrum_free(e->x);
    noslip_free(e->q);
    noslip_free(e);
}

evaluator_counts evaluator_count(const evaluator *e)
{
    return e->count;
}

static point_kind kind_of(stability verdict, instability kind)
{
    switch (verdict) {
    case STABLE_ASYMPTOTICALLY: return POINT_STABLE;
    case NEUTRAL: return POINT_NEUTRAL;
    case UNSTABLE: return kind == INSTABILITY_FLUTTER ? POINT_FLUTTER : POINT_DIVERGENCE;
    case DEGENERATE: break;
    }
    return POINT_DEGENERATE;
}

static void summarise(point *t, size_t N, size_t roots)
{
    t->abscissa = roots ? t->numbers[N] : 0;
    t->frequency = roots ? fabs(t->numbers[N + roots]) / 6.283185307179586 : 0;
}

/* Pairs of complex ones count for nothing: what is left is the number of real ones to the left. */
int point_sign(const double *roots, size_t n)
{
    int sign = 1;
    for (size_t k = 0; k < n; k++)
        if (roots[n + k] == 0) sign *= roots[k] < 0 ? -1 : roots[k] > 0;
    return sign;
}

/* Alone */

/* One place from a motion nearby, by Newton's iteration; true if it went as it should. */
static bool step_to(evaluator *e, double u, double v, const double *from, double *to)
{
    squad *a = &e->few;
    size_t N = e->p->N;
    for (size_t l = 0; l < FEW; l++) {
        a->u[l] = u;
        a->v[l] = v;
        for (size_t i = 0; i < N; i++) a->s->x[i * FEW + l] = from[i];
    }
    plane_put(a->w, a->s->k->parameters, a->u, a->v);
    steady_many_solve(a->s);
    if (a->s->state[0] != LANE_DONE) return false;
    for (size_t i = 0; i < N; i++) to[i] = a->s->x[i * FEW];
    return true;
}

/* Along the straight line from where the start is known, in steps as long as they can be. What is left of the way when they
 * become too short is left in *rest: a fold is near. e->here is the motion reached. */
static void walk_to(evaluator *e, const point *t, double longest, double *rest)
{
    static const double shortest = 1.0 / 128;
    double done = 0, step = longest;
    memcpy(e->here, t->start, e->p->N * sizeof(double));
    while (done < 1 && step >= shortest) {
        double next = fmin(1, done + step);
        double u = t->start_u * (1 - next) + t->u * next, v = t->start_v * (1 - next) + t->v * next;
        if (step_to(e, u, v, e->here, e->there)) {
            memcpy(e->here, e->there, e->p->N * sizeof(double));
            done = next;
            step = fmin(2 * step, longest);
        } else
            step /= 2;
    }
    *rest = 1 - done;
}

void evaluator_parameters(evaluator *e, double u, double v, double *out)
{
    squad *a = &e->few;
    for (size_t l = 0; l < FEW; l++) {
        a->u[l] = u;
        a->v[l] = v;
    }
    plane_put(a->w, a->s->k->parameters, a->u, a->v);
    for (size_t k = 0; k < e->p->r->m->s->parameters.n; k++) out[k] = a->s->k->parameters[k * FEW];
}

/* The general solver, from where the walk ended: for points where Newton's own iteration does not do, but only if it stays near. */
static bool solve_alone(evaluator *e, const point *t)
{
    static const double part = 0.5, rounding = 1e-7;
    const model *m = e->p->r->m;
    squad *a = &e->few;
    steady_info info;
    for (size_t l = 0; l < FEW; l++) a->u[l] = t->u, a->v[l] = t->v;
    plane_put(a->w, a->s->k->parameters, a->u, a->v);
    for (size_t k = 0; k < m->s->parameters.n; k++) e->parameters[k] = a->s->k->parameters[k * FEW];
    memcpy(e->q, e->p->r->q, m->n * sizeof(double));
    for (size_t k = 0; k < m->n_positional; k++) e->q[m->positional[k]] = e->here[k];
    memcpy(e->w, e->here + m->n_positional, m->f * sizeof(double));
    if (steady_solve(e->s, e->parameters, e->q, e->w, &info) != NOSLIP_OK) return false;
    double moved = 0; /* on the way there: what is left of it cannot be much */
    for (size_t k = 0; k < e->p->N; k++) moved = fmax(moved, fabs(e->here[k] - t->start[k]));
    for (size_t k = 0; k < e->p->N; k++) {
        double x = k < m->n_positional ? e->q[m->positional[k]] : e->w[k - m->n_positional];
        if (!(fabs(x - e->here[k]) <= part * moved + rounding * (1 + fabs(x)))) return false;
        t->numbers[k] = x;
    }
    return true;
}

/* A root that is zero to rounding may have gone to the kernel: it is put back among the others. */
static void take_alone(const evaluator *e, point *t)
{
    const spectrum *x = e->x;
    size_t N = e->p->N, n = e->roots, from = 0;
    for (size_t k = 0; k < n; k++) {
        bool lost = from == x->n || (n - k > x->n - from && x->roots[from].re < 0);
        t->numbers[N + k] = lost ? 0 : x->roots[from].re;
        t->numbers[N + n + k] = lost ? 0 : x->roots[from].im;
        from += !lost;
    }
    t->fold = e->few.s->ratio[0];
    t->kind = kind_of(x->verdict, x->kind);
    if (x->n < n && x->verdict != UNSTABLE) t->kind = POINT_DEGENERATE;
    summarise(t, N, n);
}

static void run_alone(evaluator *e, point *t, double longest)
{
    size_t N = e->p->N, n = e->roots;
    double rest;
    e->count.alone++;
    memset(t->numbers, 0, (N + 2 * n) * sizeof(double));
    t->abscissa = t->frequency = t->fold = 0;
    t->kind = POINT_NONE;
    walk_to(e, t, longest, &rest);
    if (rest > 0.02 || !solve_alone(e, t) || spectrum_find(e->x, e->s) != NOSLIP_OK) {
        memset(t->numbers, 0, N * sizeof(double));
        return;
    }
    take_alone(e, t);
}

/* Together */

static void take(const evaluator *e, const squad *a, point *t, size_t lane)
{
    size_t N = e->p->N, n = e->roots, lanes = a->lanes;
    for (size_t i = 0; i < N; i++) t->numbers[i] = a->s->x[i * lanes + lane];
    for (size_t i = 0; i < n; i++) {
        t->numbers[N + i] = a->x->re[i * lanes + lane];
        t->numbers[N + n + i] = a->x->im[i * lanes + lane];
    }
    t->fold = a->s->ratio[lane];
    t->kind = kind_of((stability)a->x->verdict[lane], (instability)a->x->kind[lane]);
    summarise(t, N, n);
}

/* Whether a step may have led over a fold to another sheet. */
static bool may_have_jumped(const evaluator *e, const point *t)
{
    size_t N = e->p->N;
    if (!t->sign || t->sign == point_sign(t->numbers + N, e->roots)) return false;
    for (size_t k = 0; k < N; k++)
        if (fabs(t->numbers[k] - t->start[k]) > t->expected * (1 + fabs(t->start[k]))) return true;
    return false;
}

/* At most as many as there are lanes; the last one fills the rest. */
static void run_together(evaluator *e, squad *a, point *points, size_t n)
{
    size_t lanes = a->lanes;
    for (size_t l = 0; l < lanes; l++) {
        const point *t = &points[l < n ? l : n - 1];
        const double *x = t->guess ? t->guess : t->start;
        a->u[l] = t->u;
        a->v[l] = t->v;
        for (size_t i = 0; i < e->p->N; i++) a->s->x[i * lanes + l] = x[i];
    }
    plane_put(a->w, a->s->k->parameters, a->u, a->v);
    steady_many_solve(a->s);
    spectrum_many_find(a->x, a->s);
    for (size_t l = 0; l < n; l++) {
        if (a->s->state[l] == LANE_UNSURE) spectrum_many_look(a->x, a->s, l);
        if (a->s->state[l] == LANE_DONE)
            take(e, a, &points[l], l);
        else
            run_alone(e, &points[l], 1);
        if (may_have_jumped(e, &points[l])) run_alone(e, &points[l], 1.0 / 16);
    }
}

void evaluator_run(evaluator *e, point *points, size_t n)
{
    for (size_t at = 0; at < n;) {
        squad *a = n - at <= SOME ? &e->some : &e->many;
        size_t now = n - at < a->lanes ? n - at : a->lanes;
        run_together(e, a, points + at, now);
        at += now;
    }
    e->count.points += n;
}
