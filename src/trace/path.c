/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "path.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "motions.h"

double path_dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

double path_alpha(const path *p, const double *y)
{
    return p->from + p->range * y[p->N];
}

double path_state(const path *p, const double *y, size_t k)
{
    return p->scale[k] * y[k];
}

/* Stations */

station *station_new(const path *p)
{
    size_t N = p->N, n = p->n, numbers = 3 * (N + 1) + p->rows;
    station *a = noslip_calloc(1, sizeof *a);
    if (!a) return NULL;
    a->block = noslip_calloc(2 * N * n + numbers, sizeof *a->block);
    a->roots = noslip_calloc(n, sizeof *a->roots);
    if (!a->block || !a->roots) {
        station_free(a);
        return NULL;
    }
    a->right = a->block;
    a->left = a->right + N * n;
    a->y = (double *)(a->left + N * n);
    a->t = a->y + N + 1;
    a->v = a->t + N + 1;
    a->u = a->v + N + 1;
    return a;
}

void station_free(station *a)
{
    if (!a) return;
    noslip_free(a->block);
    noslip_free(a->roots);
    noslip_free(a);
}

void station_copy(const path *p, const station *from, station *to)
{
    size_t N = p->N, n = p->n;
    memcpy(to->block, from->block, (2 * N * n) * sizeof *to->block);
    memcpy(to->y, from->y, (3 * (N + 1) + p->rows) * sizeof *to->y);
    memcpy(to->roots, from->roots, n * sizeof *to->roots);
    to->sigma = from->sigma;
    to->verdict = from->verdict;
    to->kind = from->kind;
}

/* F and A */

/* F at y, weighted, and the slopes by x if A is wanted. */
static noslip_status evaluate(path *p, const double *y, double *F, double *A)
{
    size_t N = p->N, own = steady_equations(p->s);
    p->given[p->parameter] = path_alpha(p, y);
    noslip_status status = parameters_run(p->values, p->given, p->now);
    for (size_t k = 0; k < N; k++) p->point[k] = path_state(p, y, k);
    if (status == NOSLIP_OK) status = steady_evaluate(p->s, p->now, p->point, F, A ? p->u : NULL);
    if (status != NOSLIP_OK) return status;
    for (size_t i = 0; i < p->held; i++) {
        F[own + i] = 0;
        for (size_t j = 0; j < N; j++)
            F[own + i] += p->open[i * N + j] * (p->point[j] - p->anchor[j]);
    }
    for (size_t i = 0; i < p->rows; i++) F[i] *= p->weight[i];
    for (size_t j = 0; A && j < N; j++)
        for (size_t i = 0; i < p->rows; i++) {
            double slope = i < own ? p->u[i + j * own] : p->open[(i - own) * N + j];
            A[i + j * p->rows] = p->weight[i] * p->scale[j] * slope;
        }
    return NOSLIP_OK;
}

/* The slope by the parameter, from four points around, to 1e-12 of the range; or from those on one side, where formulas end. */
static noslip_status slope_by_parameter(path *p, double *y, double *out)
{
    static const double delta = 1e-3;
    static const struct {
        double at[4], factor[4];
    } stencil[] = {{{-2, -1, 1, 2}, {1. / 12, -8. / 12, 8. / 12, -1. / 12}},
                   {{0, 1, 2, 3}, {-11. / 6, 3, -1.5, 1. / 3}},
                   {{0, -1, -2, -3}, {11. / 6, -3, 1.5, -1. / 3}}};
    const double middle = y[p->N];
    noslip_status status = NOSLIP_NOT_FINITE;
    for (int i = 0; i < 3 && status != NOSLIP_OK; i++) {
        status = NOSLIP_OK;
        memset(out, 0, p->rows * sizeof *out);
        for (int k = 0; k < 4 && status == NOSLIP_OK; k++) {
            y[p->N] = middle + delta * stencil[i].at[k];
            status = evaluate(p, y, p->near, NULL);
            for (size_t j = 0; j < p->rows; j++)
                out[j] += stencil[i].factor[k] / delta * p->near[j];
        }
    }
    y[p->N] = middle;
    return status;
}

/* F and all of A at y; the solver stands there afterwards. */
static noslip_status linearise(path *p, double *y)
{
    noslip_status status = slope_by_parameter(p, y, p->A + p->N * p->rows);
    return status == NOSLIP_OK ? evaluate(p, y, p->F, p->A) : status;
}

/* Correction */

/* step = - [A; normal']^+ [F; 0] */
static noslip_status find_step(path *p, const double *normal)
{
    size_t N = p->N, rows = p->rows + 1;
    for (size_t j = 0; j <= N; j++) {
        memcpy(p->extended + j * rows, p->A + j * p->rows, p->rows * sizeof(double));
        p->extended[p->rows + j * rows] = normal[j];
    }
    noslip_status status = dense_svd(p->d, rows, N + 1, p->extended, p->singular, p->u, p->vt);
    if (status != NOSLIP_OK) return status;
    memset(p->step, 0, (N + 1) * sizeof(double));
    for (size_t k = 0; k <= N; k++) {
        if (!(p->singular[k] > 1e-14 * p->singular[0])) break;
        double move = path_dot(p->u + k * rows, p->F, p->rows) / p->singular[k];
        for (size_t j = 0; j <= N; j++) p->step[j] -= move * p->vt[k + j * (N + 1)];
    }
    return NOSLIP_OK;
}

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++)
        if (!(fabs(x[k]) <= most)) most = isnan(x[k]) ? HUGE_VAL : fabs(x[k]);
    return most;
}

noslip_status path_correct(path *p, const double *normal, station *out)
{
    enum { MOST = 12 };
    static const double small = 1e-9; /* of equations that are weighted to slopes of one */
    size_t N = p->N;
    double before = HUGE_VAL;
    for (int k = 0; k < MOST; k++) {
        noslip_status status = linearise(p, out->y);
        if (status == NOSLIP_OK) status = find_step(p, normal);
        if (status != NOSLIP_OK) return status;
        double length = sqrt(path_dot(p->step, p->step, N + 1)),
               rounding = 4 * DBL_EPSILON * (1 + largest(out->y, N + 1));
        if (!(length < before / 2)) { /* as near as it gets, or astray */
            if (!(before < small && largest(p->F, p->rows) < small)) return NOSLIP_NO_CONVERGENCE;
            break;
        }
        for (size_t j = 0; j <= N; j++) out->y[j] += p->step[j];
        if (length <= rounding) break;
        before = length;
    }
    noslip_status status = path_describe(p, normal, out);
    if (status != NOSLIP_OK) return status;
    return largest(p->F, p->rows) < small ? NOSLIP_OK : NOSLIP_NO_CONVERGENCE;
}

/* Description */

static noslip_status find_tangent(path *p, const double *normal, station *out)
{
    size_t N = p->N, rows = p->rows;
    memcpy(p->extended, p->A, rows * (N + 1) * sizeof(double));
    noslip_status status = dense_svd(p->d, rows, N + 1, p->extended, p->singular, p->u, p->vt);
    if (status != NOSLIP_OK) return status;
    for (size_t j = 0; j <= N; j++) {
        out->t[j] = p->vt[N + j * (N + 1)];
        out->v[j] = N ? p->vt[N - 1 + j * (N + 1)] : 0;
    }
    out->sigma = N ? p->singular[N - 1] : 0;
    for (size_t i = 0; i < rows && N; i++) out->u[i] = p->u[i + (N - 1) * rows];
    if (path_dot(out->t, normal, N + 1) < 0)
        for (size_t j = 0; j <= N; j++) out->t[j] = -out->t[j];
    return NOSLIP_OK;
}

/* A pair stands as real and imaginary part, side by side. */
static void keep_vectors(size_t N, size_t n, const root *roots, const double *from,
                         double complex *to)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < N; i++) {
            const double *at = from + i + k * N;
            to[i + k * N] = roots[k].im > 0   ? at[0] + I * at[N]
                            : roots[k].im < 0 ? *(at - N) - I * at[0]
                                              : at[0];
        }
}

noslip_status path_describe(path *p, const double *normal, station *out)
{
    noslip_status status = linearise(p, out->y);
    if (status == NOSLIP_OK) status = find_tangent(p, normal, out);
    if (status == NOSLIP_OK) status = steady_accept(p->s, p->zeros);
    if (status == NOSLIP_OK) status = spectrum_find(p->x, p->s);
    if (status != NOSLIP_OK) return status;
    memcpy(out->roots, p->x->roots, p->n * sizeof *out->roots);
    keep_vectors(p->N, p->n, out->roots, p->x->modes, out->right);
    keep_vectors(p->N, p->n, out->roots, p->x->left, out->left);
    out->verdict = p->x->verdict;
    out->kind = p->x->kind;
    return NOSLIP_OK;
}

/* Beginning */

static noslip_status make_parts(path *p, noslip_error *err)
{
    const noslip_model *r = p->r;
    size_t n = r->c->system->parameters.n;
    bool *fixed = noslip_calloc(n, sizeof *fixed);
    if (!fixed) return noslip_fail_memory(err);
    fixed[p->parameter] = true;
    noslip_status status = parameters_new(r->c->system, fixed, &p->values, err);
    noslip_free(fixed);
    if (status == NOSLIP_OK) status = motions_solver(r, &p->s, err);
    if (status != NOSLIP_OK) return status;
    p->x = spectrum_new(r->m);
    p->given = noslip_calloc(n, sizeof *p->given);
    p->now = noslip_calloc(n, sizeof *p->now);
    return p->x && p->given && p->now ? NOSLIP_OK : noslip_fail_memory(err);
}

/* The steady motion at `alpha`, from q and w and to them. */
static noslip_status solve_at(path *p, double alpha, double *q, double *w, steady_info *info)
{
    p->given[p->parameter] = alpha;
    noslip_status status = parameters_run(p->values, p->given, p->now);
    return status == NOSLIP_OK ? steady_solve(p->s, p->now, q, w, info) : status;
}

static noslip_status solve_first(path *p, double *q, double *w, steady_info *info,
                                 noslip_error *err)
{
    p->given[p->parameter] = p->from;
    if (parameters_run(p->values, p->given, p->now) != NOSLIP_OK)
        return parameters_fail(p->values, p->now, err);
    noslip_status status = ready_start(p->r, p->now, q, w, err);
    if (status != NOSLIP_OK) return status;
    status = steady_solve(p->s, p->now, q, w, info);
    return status == NOSLIP_OK ? status : explain_failure(p->r, p->s, status, info, err);
}

/* One block for all that the size of the problem decides. */
static bool allocate(path *p)
{
    size_t N = p->N, rows = p->rows, cols = N + 1, wide = rows + 1 > cols ? rows + 1 : cols;
    const struct {
        double **at;
        size_t n;
    } parts[] = {{&p->scale, N},          {&p->weight, rows},
                 {&p->open, p->held * N}, {&p->anchor, N},
                 {&p->point, N},          {&p->F, rows},
                 {&p->A, rows * cols},    {&p->extended, wide * cols},
                 {&p->u, wide * wide},    {&p->vt, cols * cols},
                 {&p->singular, wide},    {&p->near, rows},
                 {&p->step, cols}};
    size_t total = 0, count = sizeof parts / sizeof *parts;
    for (size_t k = 0; k < count; k++) total += parts[k].n;
    p->block = noslip_calloc(total, sizeof(double));
    p->d = dense_new(wide, wide);
    if (!p->block || !p->d) return false;
    double *at = p->block;
    for (size_t k = 0; k < count; at += parts[k++].n) *parts[k].at = at;
    return true;
}

/* Equations are weighted by their slopes; unknowns are measured by their size or by how far they go, whichever is more. */
static noslip_status choose_scales(path *p, station *a)
{
    size_t N = p->N, rows = p->rows;
    for (size_t i = 0; i < rows; i++) p->weight[i] = 1;
    for (int round = 0; round < 2; round++) {
        for (size_t j = 0; j < N; j++) {
            double far = round ? fabs(a->t[j] / a->t[N]) * p->scale[j] : 0,
                   size = fmax(fabs(p->anchor[j]), isfinite(far) ? fmin(far, 1e6) : 0);
            p->scale[j] = size > 1e-3 ? size : 1;
            a->y[j] = p->anchor[j] / p->scale[j];
        }
        noslip_status status = linearise(p, a->y);
        if (status != NOSLIP_OK) return status;
        for (size_t i = 0; i < rows; i++) {
            double most = 0;
            for (size_t j = 0; j <= N; j++) most = fmax(most, fabs(p->A[i + j * rows]));
            if (most > 0) p->weight[i] /= most;
        }
        a->t[N] = 1;
        status = linearise(p, a->y);
        if (status == NOSLIP_OK) status = find_tangent(p, a->t, a);
        if (status != NOSLIP_OK) return status;
    }
    return NOSLIP_OK;
}

/* The dimensions are those of a point a little further if there the manifold has fewer: the beginning may be a special point. */
static noslip_status find_dimensions(path *p, const steady_info *first, double *q, double *w)
{
    const model *m = p->r->m;
    steady_info info;
    size_t n_equations = steady_equations(p->s);
    p->N = steady_unknowns(p->s);
    p->zeros = first->manifold + first->levels;
    p->held = first->free_directions;
    double *copy = noslip_calloc(m->n + m->f, sizeof *copy);
    if (!copy) return NOSLIP_ERR_MEMORY;
    memcpy(copy, q, m->n * sizeof *q);
    memcpy(copy + m->n, w, m->f * sizeof *w);
    if (solve_at(p, p->from + p->range / 512, copy, copy + m->n, &info) == NOSLIP_OK &&
        info.manifold + info.levels < p->zeros) {
        p->zeros = info.manifold + info.levels;
        p->held = info.free_directions < p->held ? info.free_directions : p->held;
    }
    noslip_free(copy);
    p->n = p->N - p->zeros;
    p->rows = n_equations + p->held;
    return solve_at(p, p->from, q, w, &info);
}

static noslip_status begin(path *p, const double *q, const double *w, station **first)
{
    const model *m = p->r->m;
    size_t N = p->N;
    station *a = *first = station_new(p);
    if (!a) return NOSLIP_ERR_MEMORY;
    memcpy(p->open, steady_open(p->s), p->held * N * sizeof(double));
    for (size_t k = 0; k < m->n_positional; k++) p->anchor[k] = q[m->positional[k]];
    memcpy(p->anchor + m->n_positional, w, m->f * sizeof *w);
    noslip_status status = choose_scales(p, a);
    if (status != NOSLIP_OK) return status;
    double *onwards = p->step; /* along the parameter */
    memset(onwards, 0, (N + 1) * sizeof *onwards);
    onwards[N] = 1;
    return path_describe(p, onwards, a);
}

noslip_status path_open(path *p, const noslip_model *r, size_t k, double from, double to,
                        station **first, noslip_error *err)
{
    *p = (path){.r = r, .parameter = k, .from = from, .range = to - from};
    *first = NULL;
    noslip_status status = make_parts(p, err);
    if (status != NOSLIP_OK) return status;
    double *q = noslip_calloc(r->m->n + r->m->f, sizeof *q), *w = q ? q + r->m->n : NULL;
    if (!q) return noslip_fail_memory(err);
    steady_info info;
    status = solve_first(p, q, w, &info, err);
    if (status == NOSLIP_OK) {
        status = find_dimensions(p, &info, q, w);
        if (status == NOSLIP_OK && !allocate(p)) status = NOSLIP_ERR_MEMORY;
        if (status == NOSLIP_OK) status = begin(p, q, w, first);
        if (status != NOSLIP_OK)
            noslip_fail(err, status, "the trace cannot begin: %s", noslip_status_text(status));
    }
    noslip_free(q);
    if (status != NOSLIP_OK) {
        station_free(*first);
        *first = NULL;
    }
    return status;
}

void path_close(path *p)
{
    steady_free(p->s);
    spectrum_free(p->x);
    parameters_free(p->values);
    dense_free(p->d);
    noslip_free(p->given);
    noslip_free(p->now);
    noslip_free(p->block);
    *p = (path){0};
}
