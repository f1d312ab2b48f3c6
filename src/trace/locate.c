/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate.h"

#include <math.h>
#include <string.h>

#include "alloc.h"

enum { NODES = LOCATE_NODES };

noslip_status locator_new(locator *l, path *p)
{
    size_t N = p->N;
    *l = (locator){.p = p, .m = match_new(N, p->n), .probe = station_new(p)};
    l->expected = noslip_calloc(p->n, sizeof *l->expected);
    l->block = noslip_calloc((NODES + 1) * (N + 1), sizeof *l->block);
    if (!l->m || !l->probe || !l->expected || !l->block) return NOSLIP_ERR_MEMORY;
    l->normal = l->block;
    for (int k = 0; k < NODES; k++) l->y[k] = l->block + (size_t)(k + 1) * (N + 1);
    return NOSLIP_OK;
}

void locator_free(locator *l)
{
    match_free(l->m);
    station_free(l->probe);
    noslip_free(l->expected);
    noslip_free(l->block);
    *l = (locator){0};
}

double locate_test(const locator *l, const test *t, const station *a, const station *x)
{
    size_t N = l->p->N;
    const root *r = x->roots;
    double complex gap;
    switch (t->kind) {
    case TEST_ROOT:
    case TEST_REAL_PART: return r[t->i].re;
    case TEST_GAP: gap = root_number(&r[t->i]) - root_number(&r[t->j]); return creal(gap * gap);
    case TEST_TURN: return x->t[N];
    case TEST_BRANCH: break;
    }
    double same = path_dot(a->u, x->u, l->p->rows) * path_dot(a->v, x->v, N + 1);
    return same < 0 ? -x->sigma : x->sigma;
}

static double complex value_of(const test *t, const station *x)
{
    const root *r = x->roots;
    switch (t->kind) {
    case TEST_ROOT:
    case TEST_REAL_PART: return root_number(&r[t->i]);
    case TEST_GAP: return (root_number(&r[t->i]) + root_number(&r[t->j])) / 2;
    case TEST_TURN:
    case TEST_BRANCH: break;
    }
    return 0;
}

/* Roots go straight from one station to the other, those that stay of a kind; the others are where the nearer station has them. */
static void expect(locator *l, const station *a, const station *b, double at)
{
    for (size_t k = 0; k < l->p->n; k++) {
        double complex x = root_number(&a->roots[k]), y = root_number(&b->roots[k]);
        bool straight = (cimag(x) == 0) == (cimag(y) == 0) && cimag(x) * cimag(y) >= 0;
        l->expected[k] = straight ? x + at * (y - x) : at < 0.5 ? x : y;
    }
}

/* The station at a part of the way, matched. */
static noslip_status go_to(locator *l, const station *a, const station *b, double at)
{
    size_t N = l->p->N;
    for (size_t j = 0; j <= N; j++) l->probe->y[j] = a->y[j] + at * (b->y[j] - a->y[j]);
    noslip_status status = path_correct(l->p, l->normal, l->probe);
    if (status != NOSLIP_OK) return status;
    expect(l, a, b, at);
    match_stations(l->m, N, at < 0.5 ? a : b, l->probe, l->expected);
    return NOSLIP_OK;
}

static noslip_status find_bracket(locator *l, const test *t, const station *a, const station *b,
                                  double *low, double *high)
{
    static const double narrow = 0.02;
    double g_low = locate_test(l, t, a, a), g_high = locate_test(l, t, a, b);
    *low = 0;
    *high = 1;
    for (int k = 0; k < 40 && *high - *low > narrow; k++) {
        double at = k % 2 ? (*low + *high) / 2
                          : *low + (*high - *low) * fmin(0.9, fmax(0.1, g_low / (g_low - g_high)));
        noslip_status status = go_to(l, a, b, at);
        if (status != NOSLIP_OK) return status;
        double g = locate_test(l, t, a, l->probe);
        if ((g < 0) == (g_low < 0)) {
            *low = at;
            g_low = g;
        } else {
            *high = at;
            g_high = g;
        }
    }
    return NOSLIP_OK;
}

/* Polynomials through values at Chebyshev's nodes, barycentric */

static double node_at(int k)
{
    return cos((2 * k + 1) * acos(-1.0) / (2 * NODES));
}

/* The weights of the nodes' values at x, a place between -1 and 1. */
static void weights(double x, double out[NODES])
{
    double sum = 0;
    for (int k = 0; k < NODES; k++) {
        double angle = (2 * k + 1) * acos(-1.0) / (2 * NODES), from = x - cos(angle);
        if (from == 0) {
            memset(out, 0, NODES * sizeof *out);
            out[k] = 1;
            return;
        }
        out[k] = (k % 2 ? -1 : 1) * sin(angle) / from;
        sum += out[k];
    }
    for (int k = 0; k < NODES; k++) out[k] /= sum;
}

static double interpolate(const double *values, double x)
{
    double w[NODES];
    weights(x, w);
    return path_dot(w, values, NODES);
}

/* The zero of the polynomial, by secants; false if it is not near the window. */
static bool find_zero(const double *g, double *zero)
{
    double a = -0.1, b = 0.1, fa = interpolate(g, a), fb = interpolate(g, b);
    for (int k = 0; k < 60 && fa != fb; k++) {
        double c = fmin(2, fmax(-2, b - fb * (b - a) / (fb - fa)));
        a = b;
        fa = fb;
        b = c;
        fb = interpolate(g, b);
        if (fabs(b - a) < 1e-15) break;
    }
    *zero = b;
    return fabs(b) < 1.9;
}

/* One window around *at: the place and all that belongs to it. */
static noslip_status look(locator *l, const test *t, const station *a, const station *b,
                          double half, double *at, located *out, double *y)
{
    size_t N = l->p->N;
    double g[NODES], w[NODES], zero, middle = *at;
    double complex values[NODES];
    for (int k = 0; k < NODES; k++) {
        noslip_status status = go_to(l, a, b, middle + half * node_at(k));
        if (status != NOSLIP_OK) return status;
        g[k] = locate_test(l, t, a, l->probe);
        values[k] = value_of(t, l->probe);
        memcpy(l->y[k], l->probe->y, (N + 1) * sizeof *y);
    }
    if (!find_zero(g, &zero)) return NOSLIP_NO_CONVERGENCE;
    weights(zero, w);
    out->value = 0;
    memset(y, 0, (N + 1) * sizeof *y);
    for (int k = 0; k < NODES; k++) {
        out->value += w[k] * values[k];
        for (size_t j = 0; j <= N; j++) y[j] += w[k] * l->y[k][j];
    }
    *at = out->at = middle + half * zero;
    out->alpha = path_alpha(l->p, y);
    return NOSLIP_OK;
}

noslip_status locate(locator *l, const test *t, const station *a, const station *b, located *out,
                     double *y)
{
    enum { WINDOWS = 5 };
    size_t N = l->p->N;
    double low, high;
    for (size_t j = 0; j <= N; j++) l->normal[j] = b->y[j] - a->y[j];
    double length = sqrt(path_dot(l->normal, l->normal, N + 1));
    for (size_t j = 0; j <= N; j++) l->normal[j] /= length;
    noslip_status status = find_bracket(l, t, a, b, &low, &high);
    if (status != NOSLIP_OK) return status;
    double at = (low + high) / 2, half = 0.1, before = HUGE_VAL, enough = 1e-14 * fabs(l->p->range),
           best = HUGE_VAL;
    located now = {0};
    for (int k = 0; k < WINDOWS; k++, half /= 5) {
        if (look(l, t, a, b, half, &at, &now, y) != NOSLIP_OK) {
            at = (low + high) / 2;
            continue;
        }
        double change = fabs(now.alpha - before);
        before = now.alpha;
        if (change < best) {
            best = now.bound = change;
            *out = now;
        }
        if (change <= enough || (best < HUGE_VAL && change > best)) break;
    }
    bool inside = best < HUGE_VAL && out->at > -0.1 && out->at < 1.1;
    return inside && best <= 1e-6 * fabs(l->p->range) ? NOSLIP_OK : NOSLIP_NO_CONVERGENCE;
}
