/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steady_many.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "diff.h"

/* The plan */

typedef ARRAY(expr) expr_list;

/* Unknown j of the rest: a positional coordinate, a rate, a quasi-velocity that the case names. */
static expr unknown(const model *m, size_t j)
{
    const mechanical_system *y = m->s;
    if (j < m->n_positional) return y->coordinates.at[m->positional[j]].symbol;
    j -= m->n_positional;
    if (j < m->n) return graph_rate(y->g, y->coordinates.at[j].symbol);
    return y->quasi.at[j - m->n].symbol;
}

/* g and conditions, then their slopes where they are not zero. */
static noslip_status list_rest(steady_plan *p, const model *m, const expr *conditions,
                               expr_list *out)
{
    graph *g = m->s->g;
    size_t rows = p->levels + p->conditions;
    size_t columns = m->n_positional + m->n + (m->own_quasi ? 0 : m->f);
    bool fine = true;
    for (size_t i = 0; i < p->levels && fine; i++)
        fine = array_push(out, m->s->constraints.at[m->level[i]].e);
    for (size_t i = 0; i < p->conditions && fine; i++) fine = array_push(out, conditions[i]);
    for (size_t i = 0; i < rows && fine; i++)
        for (size_t j = 0; j < columns && fine; j++) {
            double c;
            expr slope = diff_partial(g, out->at[i], unknown(m, j));
            if (slope == EXPR_NONE) return NOSLIP_ERR_MEMORY;
            if (graph_is_const(g, slope, &c) && c == 0) continue;
            const equation_entry entry = {.row = (uint32_t)i, .column = (uint32_t)j};
            fine = array_push(out, slope) && array_push(&p->slopes, entry);
        }
    return fine ? graph_status(g) : NOSLIP_ERR_MEMORY;
}

/* Inputs: parameters in the order of the equations, q, v, w. */
static noslip_status compile_rest(steady_plan *p, const model *m, const expr_list *out,
                                  noslip_error *err)
{
    const mechanical_system *y = m->s;
    const equations *e = p->e->e;
    size_t n = m->n, f = m->own_quasi ? 0 : m->f, k = e->n_parameters;
    expr *in = noslip_calloc(k + 2 * n + f, sizeof *in);
    if (!in) return noslip_fail_memory(err);
    for (size_t i = 0; i < k; i++) in[i] = y->parameters.at[e->order[i]].symbol;
    for (size_t i = 0; i < n; i++) {
        in[k + i] = y->coordinates.at[i].symbol;
        in[k + n + i] = graph_rate(y->g, in[k + i]);
    }
    for (size_t i = 0; i < f; i++) in[k + 2 * n + i] = y->quasi.at[i].symbol;
    const tape_spec spec = {in, k + 2 * n + f, e->n_fixed, out->at, out->n};
    noslip_status status = tape_compile(y->g, &spec, &p->rest, err);
    noslip_free(in);
    return status;
}

noslip_status steady_plan_new(const model *m, const expr *conditions, size_t n, const bool *varies,
                              steady_plan **out, noslip_error *err)
{
    expr_list list = {0};
    steady_plan *p = noslip_calloc(1, sizeof *p);
    if (!p) return noslip_fail_memory(err);
    *p = (steady_plan){.levels = m->n_levels, .conditions = n};
    noslip_status status = many_equations_new(m, varies, &p->e, err);
    if (status == NOSLIP_OK && list_rest(p, m, conditions, &list) != NOSLIP_OK)
        status = noslip_fail_memory(err);
    if (status == NOSLIP_OK) status = compile_rest(p, m, &list, err);
    array_free(&list);
    if (status == NOSLIP_OK)
        *out = p;
    else
        steady_plan_free(p);
    return status;
}

void steady_plan_free(steady_plan *p)
{
    if (!p) return;
    many_equations_free(p->e);
    tape_free(p->rest);
    array_free(&p->slopes);
    noslip_free(p);
}

/* The workspace */

static bool allocate(steady_many *s)
{
    size_t lanes = s->lanes, rest = s->plan->levels + s->plan->conditions;
    size_t sizes[] = {s->N, s->rows, s->rows * s->N, s->N, rest, s->plan->slopes.n, 1, 1, 1, 1,
                      1,    1};
    double **parts[] = {&s->x,    &s->F,      &s->J,     &s->step, &s->values, &s->slopes,
                        &s->size, &s->before, &s->ratio, &s->off,  &s->slope,  &s->reach};
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) total += sizes[i];
    s->memory = many_rows(total * lanes);
    s->state = noslip_calloc(lanes, 1);
    if (!s->memory || !s->state) return false;
    double *at = s->memory;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        *parts[i] = at;
        at += sizes[i] * lanes;
    }
    return true;
}

static bool point_rest(steady_many *s)
{
    const many *k = s->k;
    const model *m = s->plan->e->m;
    size_t lanes = s->lanes, n = k->n, p = s->plan->e->e->n_parameters;
    size_t values = s->plan->levels + s->plan->conditions, f = m->own_quasi ? 0 : m->f;
    s->in = noslip_calloc(p + 2 * n + f, sizeof *s->in);
    s->out = noslip_calloc(values + s->plan->slopes.n, sizeof *s->out);
    if (!s->in || !s->out) return false;
    for (size_t i = 0; i < p; i++) s->in[i] = k->in[i];
    for (size_t i = 0; i < n; i++) {
        s->in[p + i] = k->q + i * lanes;
        s->in[p + n + i] = k->v + i * lanes;
    }
    for (size_t i = 0; i < f; i++) s->in[p + 2 * n + i] = k->w + i * lanes;
    for (size_t i = 0; i < values; i++) s->out[i] = s->values + i * lanes;
    for (size_t i = 0; i < s->plan->slopes.n; i++) s->out[values + i] = s->slopes + i * lanes;
    return true;
}

steady_many *steady_many_new(const steady_plan *p, size_t lanes)
{
    steady_many *s = noslip_calloc(1, sizeof *s);
    if (!s) return NULL;
    const model *m = p->e->m;
    size_t N = m->n_positional + m->f;
    *s = (steady_many){.plan = p, .lanes = lanes, .N = N, .rows = N + p->levels + p->conditions};
    s->k = many_new(p->e, lanes);
    s->b = batch_work_new(s->rows);
    s->rest = tape_work_new(p->rest);
    if (!s->k || !s->b || !s->rest || !allocate(s) || !point_rest(s)) {
        steady_many_free(s);
        return NULL;
    }
    return s;
}

void steady_many_free(steady_many *s)
{
    if (!s) return;
    many_free(s->k);
    batch_work_free(s->b);
    tape_work_free(s->rest);
    many_rows_free(s->memory);
    noslip_free(s->state);
    noslip_free(s->in);
    noslip_free(s->out);
    noslip_free(s);
}

/* The iteration */

static void put(steady_many *s)
{
    const model *m = s->plan->e->m;
    size_t lanes = s->lanes, row = lanes * sizeof(double), p = m->n_positional;
    for (size_t i = 0; i < p; i++)
        memcpy(s->k->q + m->positional[i] * lanes, s->x + i * lanes, row);
    memcpy(s->k->w, s->x + p * lanes, m->f * row);
}

/* Row i of J += number * row j of vx, in every lane. */
static void add_rates(steady_many *s, size_t i, size_t j, const double *number)
{
    size_t lanes = s->lanes, n = s->k->n;
    for (size_t c = 0; c < s->N; c++) {
        double *to = s->J + (i + c * s->rows) * lanes;
        const double *from = s->k->vx + (j + c * n) * lanes;
        for (size_t l = 0; l < lanes; l++) to[l] += number[l] * from[l];
    }
}

static void fill_rest(steady_many *s)
{
    const model *m = s->plan->e->m;
    size_t lanes = s->lanes, p = m->n_positional, rest = s->rows - s->N;
    memcpy(s->F + s->N * lanes, s->values, rest * lanes * sizeof(double));
    for (size_t c = 0; c < s->N; c++)
        memset(s->J + (s->N + c * s->rows) * lanes, 0, rest * lanes * sizeof(double));
    for (size_t i = 0; i < s->plan->slopes.n; i++) {
        const equation_entry *x = &s->plan->slopes.at[i];
        const double *number = s->slopes + i * lanes;
        size_t row = s->N + x->row, column = x->column;
        if (column >= p && column < p + m->n) {
            add_rates(s, row, column - p, number);
            continue;
        }
        if (column >= p) column -= m->n; /* a quasi-velocity */
        double *to = s->J + (row + column * s->rows) * lanes;
        for (size_t l = 0; l < lanes; l++) to[l] += number[l];
    }
}

/* F and J at x. */
static void evaluate(steady_many *s)
{
    many *k = s->k;
    const model *m = s->plan->e->m;
    size_t lanes = s->lanes, row = lanes * sizeof(double), p = m->n_positional, f = m->f, n = m->n;
    put(s);
    many_values(k);
    many_slopes(k);
    tape_batch(s->rest, s->in, s->out, lanes, k->flag);
    for (size_t l = 0; l < lanes; l++) k->bad[l] |= k->flag[l];
    for (size_t i = 0; i < p; i++) memcpy(s->F + i * lanes, k->v + m->positional[i] * lanes, row);
    memcpy(s->F + p * lanes, k->c, f * row);
    for (size_t c = 0; c < s->N; c++) {
        double *column = s->J + c * s->rows * lanes;
        for (size_t i = 0; i < p; i++)
            memcpy(column + i * lanes, k->vx + (m->positional[i] + c * n) * lanes, row);
        memcpy(column + p * lanes, k->cx + c * f * lanes, f * row);
    }
    fill_rest(s);
}

/* The size of the step in each lane, relative to x. */
static void measure(const steady_many *s, double *size)
{
    size_t lanes = s->lanes;
    memset(size, 0, lanes * sizeof *size);
    for (size_t i = 0; i < s->N; i++)
        for (size_t l = 0; l < lanes; l++) {
            double part = fabs(s->step[i * lanes + l]) / (1 + fabs(s->x[i * lanes + l]));
            size[l] = part > size[l] ? part : size[l];
        }
}

static void largest(const double *rows, size_t n, size_t lanes, double *out)
{
    memset(out, 0, lanes * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < lanes; l++) {
            double part = fabs(rows[i * lanes + l]);
            out[l] = part > out[l] ? part : out[l];
        }
}

static const double small = 1e-11; /* a step this small need not be followed by slopes at its end */
static const double contracts = 0.4; /* what the next step may be of the one before */

/* Whether the size of a step alone does not end the matter in some lane. */
static bool is_unsettled(const steady_many *s)
{
    for (size_t l = 0; l < s->lanes; l++)
        if (s->state[l] == LANE_RUNS && (s->k->flag[l] || !(s->size[l] <= small))) return true;
    return false;
}

static void find_rounding(steady_many *s)
{
    largest(s->F, s->rows, s->lanes, s->off);
    largest(s->J, s->rows * s->N, s->lanes, s->slope);
    largest(s->x, s->N, s->lanes, s->reach);
}

/* Where F is nothing but rounding there is no step to take, however long it looks where J is nearly singular. */
static bool is_rounding(const steady_many *s, size_t l)
{
    return s->off[l] <= 16 * DBL_EPSILON * s->slope[l] * (1 + s->reach[l]);
}

/* Which lanes go on, for the step just found. */
static bool judge(steady_many *s, int iteration)
{
    bool running = false;
    for (size_t l = 0; l < s->lanes; l++) {
        if (s->state[l] != LANE_RUNS) continue;
        bool done = (!s->k->flag[l] && s->size[l] <= small) || is_rounding(s, l);
        bool shrinks = iteration == 0 || s->size[l] <= contracts * s->before[l];
        if (done && !s->k->bad[l])
            s->state[l] = LANE_DONE;
        else if (s->k->bad[l] || s->k->flag[l] || !isfinite(s->size[l]) || !shrinks)
            s->state[l] = LANE_ALONE;
        running = running || s->state[l] == LANE_RUNS;
        s->before[l] = s->size[l];
    }
    return running;
}

/* The step, in the lanes of a state. */
static void move(steady_many *s, lane_state state)
{
    size_t lanes = s->lanes;
    for (size_t i = 0; i < s->N; i++)
        for (size_t l = 0; l < lanes; l++)
            s->x[i * lanes + l] -= s->state[l] == state ? s->step[i * lanes + l] : 0;
}

/* A lane that is done by rounding has no step to take. */
static void forget_long_steps(steady_many *s)
{
    size_t lanes = s->lanes;
    for (size_t l = 0; l < lanes; l++)
        for (size_t i = 0; i < s->N && !(s->size[l] <= small && !s->k->flag[l]); i++)
            s->step[i * lanes + l] = 0;
}

void steady_many_solve(steady_many *s)
{
    enum { MOST = 9 };
    memset(s->k->bad, 0, s->lanes);
    memset(s->state, LANE_RUNS, s->lanes);
    for (int iteration = 0;; iteration++) {
        evaluate(s);
        batch_least_squares(s->b, s->lanes, s->rows, s->N, s->J, s->F, s->step, s->k->flag,
                            s->ratio);
        measure(s, s->size);
        if (is_unsettled(s)) find_rounding(s);
        if (!judge(s, iteration) || iteration == MOST) break;
        move(s, LANE_RUNS);
    }
    for (size_t l = 0; l < s->lanes; l++)
        if (s->state[l] == LANE_RUNS) s->state[l] = LANE_ALONE;
    forget_long_steps(s);
    move(
        s,
        LANE_DONE); /* too short for the slopes to feel, but the next place may be extrapolated from here */
}
