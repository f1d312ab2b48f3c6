/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "diff.h"

struct steady {
    const model *m;
    size_t p, N;         /* positional coordinates, unknowns */
    size_t n_conditions; /* given */
    size_t n_equations;  /* rows of F */
    reduced *r;
    dense *d;
    tape *conditions; /* values, then slopes by q, v, w */
    tape_work *conditions_work, *levels_work;
    double *in, *conditions_out, *levels_in, *levels_out;
    double *F, *J, *copy, *u, *vt,
        *singular; /* the equations, their slopes, and the singular values of these */
    double *x, *trial, *basis, *open;
    size_t kernel;
    int limit; /* of steps */
    bool branches;
};

static size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Inputs: parameters, q, v, and a symbol for each quasi-velocity that the case names. */
static noslip_status compile_conditions(steady *s, const expr *conditions, noslip_error *err)
{
    const model *m = s->m;
    mechanical_system *y = m->s;
    size_t n = m->n, f = m->own_quasi ? 0 : m->f, k = s->n_conditions, p = y->parameters.n,
           slopes = 2 * n + f;
    expr *in = noslip_calloc(p + slopes, sizeof *in),
         *out = noslip_calloc(k * (1 + slopes), sizeof *out);
    noslip_status status = in && out ? NOSLIP_OK : noslip_fail_memory(err);
    for (size_t i = 0; i < p && status == NOSLIP_OK; i++) in[i] = y->parameters.at[i].symbol;
    for (size_t i = 0; i < n && status == NOSLIP_OK; i++) {
        in[p + i] = y->coordinates.at[i].symbol;
        in[p + n + i] = graph_rate(y->g, in[p + i]);
    }
    for (size_t i = 0; i < f && status == NOSLIP_OK; i++) in[p + 2 * n + i] = y->quasi.at[i].symbol;
    for (size_t i = 0; i < k && status == NOSLIP_OK; i++) {
        out[i] = conditions[i];
        for (size_t j = 0; j < slopes; j++)
            out[k + i + j * k] = diff_partial(y->g, conditions[i], in[p + j]);
    }
    const tape_spec spec = {in, p + slopes, p, out, k * (1 + slopes)};
    if (status == NOSLIP_OK) status = tape_compile(y->g, &spec, &s->conditions, err);
    noslip_free(in);
    noslip_free(out);
    return status;
}

static bool allocate(steady *s)
{
    const model *m = s->m;
    size_t rows = max_size(s->n_equations, s->N), n = m->n, h = m->n_levels, k = s->n_conditions,
           p = m->s->parameters.n;
    s->r = reduced_new(m->e, m->f);
    s->d = dense_new(rows, s->N);
    s->conditions_work = tape_work_new(s->conditions);
    s->levels_work = tape_work_new(m->levels);
    s->in = noslip_calloc(p + 2 * n + m->f, sizeof(double));
    s->conditions_out = noslip_calloc(k * (1 + 2 * n + m->f), sizeof(double));
    s->levels_in = noslip_calloc(p + n, sizeof(double));
    s->levels_out = noslip_calloc(h * (1 + n), sizeof(double));
    s->F = noslip_calloc(4 * rows, sizeof(double)); /* of x, of a trial, and twice scratch */
    s->J = noslip_calloc(rows * s->N, sizeof(double));
    s->copy = noslip_calloc(rows * s->N, sizeof(double));
    s->u = noslip_calloc(rows * rows, sizeof(double));
    s->vt = noslip_calloc(s->N * s->N, sizeof(double));
    s->basis = noslip_calloc(s->N * s->N, sizeof(double));
    s->open = noslip_calloc(s->N * s->N, sizeof(double));
    s->singular = noslip_calloc(rows, sizeof(double));
    s->x = noslip_calloc(s->N, sizeof(double));
    s->trial = noslip_calloc(s->N, sizeof(double));
    return s->r && s->d && s->conditions_work && s->levels_work && s->in && s->conditions_out &&
           s->levels_in && s->levels_out && s->F && s->J && s->copy && s->u && s->vt && s->basis &&
           s->open && s->singular && s->x && s->trial;
}

noslip_status steady_new(const model *m, const expr *conditions, size_t n, steady **out,
                         noslip_error *err)
{
    steady *s = noslip_calloc(1, sizeof *s);
    if (!s) return noslip_fail_memory(err);
    *s = (steady){
        .m = m, .p = m->n_positional, .N = m->n_positional + m->f, .n_conditions = n, .limit = 200};
    s->n_equations = s->N + m->n_levels + n;
    noslip_status status = compile_conditions(s, conditions, err);
    if (status == NOSLIP_OK && !allocate(s)) status = noslip_fail_memory(err);
    if (status == NOSLIP_OK)
        *out = s;
    else
        steady_free(s);
    return status;
}

void steady_free(steady *s)
{
    if (!s) return;
    reduced_free(s->r);
    dense_free(s->d);
    tape_work_free(s->conditions_work);
    tape_work_free(s->levels_work);
    tape_free(s->conditions);
    double *const blocks[] = {s->in,   s->conditions_out, s->levels_in, s->levels_out, s->F,
                              s->J,    s->copy,           s->u,         s->vt,         s->basis,
                              s->open, s->singular,       s->x,         s->trial};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) noslip_free(blocks[k]);
    noslip_free(s);
}

/* x into the point: positional coordinates and quasi-velocities. */
static void put(steady *s, const double *x)
{
    for (size_t i = 0; i < s->p; i++) s->r->e->q[s->m->positional[i]] = x[i];
    memcpy(s->r->w, x + s->p, s->m->f * sizeof *x);
}

static noslip_status evaluate_rest(steady *s)
{
    const model *m = s->m;
    const equations_work *e = s->r->e;
    size_t p = m->s->parameters.n, n = m->n;
    memcpy(s->levels_in, e->parameters, p * sizeof(double));
    memcpy(s->levels_in + p, e->q, n * sizeof(double));
    memcpy(s->in, s->levels_in, (p + n) * sizeof(double));
    memcpy(s->in + p + n, e->v, n * sizeof(double));
    if (!m->own_quasi) memcpy(s->in + p + 2 * n, s->r->w, m->f * sizeof(double));
    noslip_status status = tape_point(s->levels_work, s->levels_in, s->levels_out);
    return status == NOSLIP_OK ? tape_point(s->conditions_work, s->in, s->conditions_out) : status;
}

/* F at x; the point is there afterwards. */
static noslip_status evaluate(steady *s, const double *x, double *F)
{
    const model *m = s->m;
    put(s, x);
    noslip_status status = reduced_values(s->r);
    if (status == NOSLIP_OK) status = evaluate_rest(s);
    if (status != NOSLIP_OK) return status;
    for (size_t i = 0; i < s->p; i++) F[i] = s->r->e->v[m->positional[i]];
    memcpy(F + s->p, s->r->c, m->f * sizeof *F);
    memcpy(F + s->N, s->levels_out, m->n_levels * sizeof *F);
    memcpy(F + s->N + m->n_levels, s->conditions_out, s->n_conditions * sizeof *F);
    return NOSLIP_OK;
}

/* d(condition i)/d unknown, through the rates. */
static double condition_slope(const steady *s, size_t i, size_t unknown)
{
    const model *m = s->m;
    size_t n = m->n, k = s->n_conditions;
    const double *by_q = s->conditions_out + k, *by_v = by_q + n * k, *by_w = by_v + n * k;
    bool positional = unknown < s->p;
    size_t j = positional ? m->positional[unknown] : unknown - s->p;
    const double *rates = positional ? s->r->vq + j * n : s->r->vw + j * n;
    double sum = positional ? by_q[i + j * k] : m->own_quasi ? 0 : by_w[i + j * k];
    for (size_t l = 0; l < n; l++) sum += by_v[i + l * k] * rates[l];
    return sum;
}

static double slope(const steady *s, size_t row, size_t unknown)
{
    const model *m = s->m;
    size_t n = m->n, f = m->f, h = m->n_levels;
    bool positional = unknown < s->p;
    size_t j = positional ? m->positional[unknown] : unknown - s->p;
    if (row < s->p) return (positional ? s->r->vq : s->r->vw)[m->positional[row] + j * n];
    if (row < s->N) return (positional ? s->r->cq : s->r->cw)[row - s->p + j * f];
    if (row < s->N + h) return positional ? s->levels_out[h + (row - s->N) + j * h] : 0;
    return condition_slope(s, row - s->N - h, unknown);
}

/* J at the point where F was evaluated last. */
static noslip_status differentiate(steady *s)
{
    noslip_status status = reduced_slopes(s->r);
    for (size_t j = 0; j < s->N && status == NOSLIP_OK; j++)
        for (size_t i = 0; i < s->n_equations; i++) s->J[i + j * s->n_equations] = slope(s, i, j);
    return status;
}

static double length(const double *x, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++)
        if (!(fabs(x[k]) <= most)) most = isnan(x[k]) ? HUGE_VAL : fabs(x[k]);
    return most;
}

/* trial = x - V diag(s/(s^2 + damping)) U' F; returns the length of the step. */
static double damped_step(steady *s, double damping)
{
    size_t rows = s->n_equations, rank = rows < s->N ? rows : s->N;
    memcpy(s->trial, s->x, s->N * sizeof(double));
    for (size_t k = 0; k < rank; k++) {
        double along = 0, sigma = s->singular[k];
        for (size_t i = 0; i < rows; i++) along += s->u[i + k * rows] * s->F[i];
        double move = sigma > 0 ? along * sigma / (sigma * sigma + damping) : 0;
        for (size_t j = 0; j < s->N; j++) s->trial[j] -= move * s->vt[k + j * s->N];
    }
    double sum = 0;
    for (size_t j = 0; j < s->N; j++) sum += (s->trial[j] - s->x[j]) * (s->trial[j] - s->x[j]);
    return sqrt(sum);
}

/* Make the damping larger until the step makes F smaller. False if no step does. */
static bool take_step(steady *s, double *damping, double *step)
{
    double now = length(s->F, s->n_equations), scale = s->singular[0] * s->singular[0];
    double *F = s->F + s->n_equations; /* of the trial */
    for (int tries = 0; tries < 25; tries++) {
        *step = damped_step(s, *damping * scale);
        bool defined = evaluate(s, s->trial, F) == NOSLIP_OK;
        if (defined && length(F, s->n_equations) < now) {
            memcpy(s->x, s->trial, s->N * sizeof(double));
            memcpy(s->F, F, s->n_equations * sizeof(double));
            *damping = fmax(*damping / 30, 1e-15);
            return true;
        }
        *damping = fmax(*damping * 8, 1e-12);
    }
    return false;
}

static noslip_status decompose(steady *s, size_t rows)
{
    for (size_t j = 0; j < s->N; j++)
        memcpy(s->copy + j * rows, s->J + j * s->n_equations, rows * sizeof(double));
    memset(s->singular, 0, max_size(rows, s->N) * sizeof(double));
    return dense_svd(s->d, rows, s->N, s->copy, s->singular, s->u, s->vt);
}

/* What rounding alone makes of F. */
static double noise(const steady *s)
{
    double size = 1 + length(s->x, s->N);
    return 64 * DBL_EPSILON * fmax(s->singular[0] * size, reduced_value_terms(s->r));
}

static noslip_status iterate(steady *s, double damping, steady_info *info)
{
    double before = HUGE_VAL;
    noslip_status status = evaluate(s, s->x, s->F);
    for (; status == NOSLIP_OK; info->iterations++) {
        status = differentiate(s);
        if (status == NOSLIP_OK) status = decompose(s, s->n_equations);
        if (status != NOSLIP_OK) return status;
        info->residual = largest(s->F, s->n_equations);
        bool small = info->residual <= noise(s);
        if (info->residual == 0 || (small && info->residual > before / 4)) return NOSLIP_OK;
        before = info->residual;
        if (info->iterations >= s->limit) return small ? NOSLIP_OK : NOSLIP_NO_CONVERGENCE;
        if (!take_step(s, &damping, &info->step)) { /* as small as it gets */
            status = evaluate(s, s->x, s->F);
            if (status == NOSLIP_OK) status = differentiate(s);
            return status != NOSLIP_OK ? status : small ? NOSLIP_OK : NOSLIP_NO_CONVERGENCE;
        }
    }
    return status;
}

/* Singular values that are zero to rounding, beyond the rank that the number of rows allows. */
static size_t kernel_of(const steady *s, size_t rows, double *above, double *below)
{
    static const double zero =
        1e-13; /* rounding leaves some 1e-16; a root whose value is larger counts */
    size_t most = rows < s->N ? rows : s->N, rank = 0;
    double least = fmax(zero * s->singular[0], 64 * DBL_EPSILON * reduced_slope_terms(s->r));
    while (rank < most && s->singular[rank] > least) rank++;
    *above = rank ? s->singular[rank - 1] / s->singular[0] : 0;
    *below = rank && rank < most ? s->singular[rank] / s->singular[0] : 0;
    return s->N - rank;
}

static void keep_open(steady *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < s->N; j++)
            s->open[i * s->N + j] = s->vt[s->N - count + i + j * s->N];
}

/* A unit vector of the kernel of dE, another one for each `look`; in `copy`, which nobody needs here. */
static const double *look_along(steady *s, size_t dimension, int look)
{
    size_t N = s->N;
    double *n = s->copy;
    memset(n, 0, N * sizeof *n);
    for (size_t i = 0; i < dimension; i++)
        for (size_t j = 0; j < N; j++)
            n[j] += cos(1 + 2.1 * look + 6.7 * (double)i) * s->vt[N - dimension + i + j * N];
    double size = length(n, N);
    for (size_t j = 0; j < N; j++) n[j] /= size;
    return n;
}

/* The second difference of E along n into `out`; false where E is not defined. */
static bool second_difference(steady *s, const double *n, double step, double *out)
{
    size_t rows = s->N + s->m->n_levels;
    double *there = s->F + s->n_equations;
    for (size_t i = 0; i < rows; i++) out[i] = -2 * s->F[i];
    for (int side = -1; side <= 1; side += 2) {
        for (size_t j = 0; j < s->N; j++) s->trial[j] = s->x[j] + side * step * n[j];
        if (evaluate(s, s->trial, there) != NOSLIP_OK) return false;
        for (size_t i = 0; i < rows; i++) out[i] += there[i];
    }
    for (size_t i = 0; i < rows; i++) out[i] /= step * step;
    return true;
}

/* The part of E''[n,n] in the left kernel of dE; from two steps, so that fourth derivatives do not matter. 0 where E is not defined. */
static double curvature(steady *s, size_t dimension, const double *n, double step)
{
    size_t rows = s->N + s->m->n_levels;
    double *near = s->F + 2 * s->n_equations, *far = near + s->n_equations, most = 0;
    if (!second_difference(s, n, step, near) || !second_difference(s, n, 2 * step, far)) return 0;
    for (size_t k = s->N - dimension; k < rows; k++) {
        double along = 0;
        for (size_t i = 0; i < rows; i++) along += s->u[i + k * rows] * (4 * near[i] - far[i]) / 3;
        most = fmax(most, fabs(along));
    }
    return most;
}

/* [T-14], after the singular values of dE with the levels, whose kernel has `dimension`. Rounding leaves some 1e-9 of systems with terms that cancel. */
static noslip_status find_branches(steady *s, size_t dimension)
{
    enum { LOOKS = 3 };
    static const double zero = 1e-6;
    double size = 1 + length(s->x, s->N), step = 3e-4 * size, most = 0;
    for (int look = 0; look < LOOKS && dimension; look++)
        most = fmax(most, curvature(s, dimension, look_along(s, dimension, look), step));
    double rounding = 64 * DBL_EPSILON * reduced_value_terms(s->r) / (step * step);
    s->branches = most > zero * s->singular[0] / size + rounding;
    return evaluate(s, s->x, s->F); /* the point is there again; its slopes have not been touched */
}

/* Kernels of E alone, of E with the levels, of all: what is left of each is what the next one adds. */
static noslip_status find_kernels(steady *s, steady_info *info)
{
    double above, below;
    noslip_status status = decompose(s, s->n_equations);
    if (status != NOSLIP_OK) return status;
    info->free_directions = kernel_of(s, s->n_equations, &above, &below);
    keep_open(s, info->free_directions);
    status = decompose(s, s->N + s->m->n_levels);
    if (status == NOSLIP_OK) info->manifold = kernel_of(s, s->N + s->m->n_levels, &above, &below);
    if (status == NOSLIP_OK) status = find_branches(s, info->manifold);
    if (status == NOSLIP_OK) status = decompose(s, s->N);
    if (status != NOSLIP_OK) return status;
    s->kernel = kernel_of(s, s->N, &info->gap_above, &info->gap_below);
    info->levels = s->kernel - info->manifold;
    info->spare = s->n_conditions - (info->manifold - info->free_directions);
    memcpy(s->basis, s->vt, s->N * s->N * sizeof(double));
    return NOSLIP_OK;
}

static noslip_status iterate_from(steady *s, const double *q, const double *w, double damping,
                                  steady_info *info)
{
    const model *m = s->m;
    *info = (steady_info){.residual = HUGE_VAL};
    for (size_t i = 0; i < s->p; i++) s->x[i] = q[m->positional[i]];
    memcpy(s->x + s->p, w, m->f * sizeof(double));
    return iterate(s, damping, info);
}

/* Damped from the start, steps stay near the guess. They may still be led into a valley without a solution, where conditions that
 * held are given up for smaller forces; undamped, a step keeps them. If that does not help either, what is said about the failure
 * is that of the first way. */
static noslip_status find_motion(steady *s, const double *q, const double *w, steady_info *info)
{
    static const double damped = 1e-4, undamped = 1e-15;
    noslip_status status = iterate_from(s, q, w, damped, info);
    if (status != NOSLIP_NO_CONVERGENCE) return status;
    status = iterate_from(s, q, w, undamped, info);
    return status == NOSLIP_OK ? status : iterate_from(s, q, w, damped, info);
}

noslip_status steady_solve(steady *s, const double *parameters, double *q, double *w,
                           steady_info *info)
{
    const model *m = s->m;
    memcpy(s->r->e->parameters, parameters, m->s->parameters.n * sizeof(double));
    memcpy(s->r->e->q, q, m->n * sizeof(double));
    memset(s->r->wdot, 0, m->f * sizeof(double));
    noslip_status status = find_motion(s, q, w, info);
    if (status == NOSLIP_OK && s->r->rcond < 64 * DBL_EPSILON) status = NOSLIP_SINGULAR;
    if (status == NOSLIP_OK) status = find_kernels(s, info);
    if (status != NOSLIP_OK) return status;
    memcpy(q, s->r->e->q, m->n * sizeof(double));
    memcpy(w, s->r->w, m->f * sizeof(double));
    return NOSLIP_OK;
}

void steady_limit(steady *s, int steps)
{
    s->limit = steps;
}

const reduced *steady_point(const steady *s)
{
    return s->r;
}

const double *steady_basis(const steady *s, size_t *dimension)
{
    *dimension = s->kernel;
    return s->basis;
}

bool steady_branches(const steady *s)
{
    return s->branches;
}

const model *steady_model(const steady *s)
{
    return s->m;
}

const double *steady_open(const steady *s)
{
    return s->open;
}

const double *steady_residuals(const steady *s)
{
    return s->F;
}

size_t steady_unknowns(const steady *s)
{
    return s->N;
}

size_t steady_equations(const steady *s)
{
    return s->n_equations;
}

noslip_status steady_evaluate(steady *s, const double *parameters, const double *x, double *F,
                              double *J)
{
    memcpy(s->r->e->parameters, parameters, s->m->s->parameters.n * sizeof *x);
    noslip_status status = evaluate(s, x, F);
    if (!J || status != NOSLIP_OK) return status;
    status = differentiate(s);
    if (status == NOSLIP_OK) memcpy(J, s->J, s->n_equations * s->N * sizeof *J);
    return status;
}

noslip_status steady_accept(steady *s, size_t dimension)
{
    noslip_status status = decompose(s, s->N);
    if (status != NOSLIP_OK) return status;
    s->kernel = dimension;
    memcpy(s->basis, s->vt, s->N * s->N * sizeof(double));
    return NOSLIP_OK;
}
