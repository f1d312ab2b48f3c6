/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A random system's motion by Lagrange's equations with multipliers, in long double and with derivatives by hand. */
#include <math.h>
#include <string.h>

#include "random_system.h"
#include "random_system_linear.h"

/* The derivative of a wave, `by` times by its own coordinate. */
static real swing(const wave *a, const real *q, int times)
{
    static const real quarter = 1.5707963267948966192313216916398L;
    return a->size * powl(a->turn, times) * sinl(a->turn * q[a->by] + a->phase + quarter * times);
}

static real factor(const wave *a, const real *q)
{
    return a->times < 0 ? 1 : q[a->times];
}

real field_value(const field *f, const real *q)
{
    real sum = f->middle;
    for (int k = 0; k < f->n; k++) sum += swing(&f->at[k], q, 0) * factor(&f->at[k], q);
    return sum;
}

real field_slope(const field *f, const real *q, int j)
{
    real sum = 0;
    for (int k = 0; k < f->n; k++) {
        const wave *a = &f->at[k];
        if (a->by == j) sum += swing(a, q, 1) * factor(a, q);
        if (a->times == j) sum += swing(a, q, 0);
    }
    return sum;
}

real field_curvature(const field *f, const real *q, int i, int j)
{
    real sum = 0;
    for (int k = 0; k < f->n; k++) {
        const wave *a = &f->at[k];
        if (a->by == i && a->by == j) sum += swing(a, q, 2) * factor(a, q);
        if (a->by == i && a->times == j) sum += swing(a, q, 1);
        if (a->by == j && a->times == i) sum += swing(a, q, 1);
    }
    return sum;
}

static void energies_at(position *x)
{
    const random_system *y = x->y;
    const real *q = x->q;
    for (int i = 0; i < y->n; i++) {
        x->linear[i] = field_value(&y->linear[i], q);
        x->force[i] = field_value(&y->force[i], q);
        for (int k = 0; k < y->n; k++) {
            x->mass[i][k] = field_value(&y->mass[i][k], q);
            x->friction[i][k] = field_value(&y->friction[i][k], q);
            x->gyro[i][k] = field_value(&y->gyro[i][k], q);
            for (int j = 0; j < y->m; j++)
                x->mass_slope[j][i][k] = field_slope(&y->mass[i][k], q, j);
        }
    }
    for (int j = 0; j < y->m; j++) {
        x->rest_slope[j] = field_slope(&y->rest, q, j);
        x->potential_slope[j] = field_slope(&y->potential, q, j) + y->well[j] * q[j] + y->tilt[j];
        for (int i = 0; i < y->n; i++) x->linear_slope[j][i] = field_slope(&y->linear[i], q, j);
    }
}

static void one_form_at(position *x, int k, const field *coefficients, const field *free_term)
{
    const random_system *y = x->y;
    x->form_free[k] = field_value(free_term, x->q);
    for (int j = 0; j < y->m; j++) x->form_free_slope[j][k] = field_slope(free_term, x->q, j);
    for (int i = 0; i < y->n; i++) {
        x->form[k][i] = field_value(&coefficients[i], x->q);
        for (int j = 0; j < y->m; j++)
            x->form_slope[j][k][i] = field_slope(&coefficients[i], x->q, j);
    }
}

static void level_at(position *x, int k, const field *level)
{
    for (int i = 0; i < x->y->m; i++) {
        x->form[k][i] = field_slope(level, x->q, i);
        for (int j = 0; j < x->y->m; j++)
            x->form_slope[j][k][i] = field_curvature(level, x->q, i, j);
    }
}

void position_at(position *x, const random_system *y, const real *q, int set)
{
    memset(x, 0, sizeof *x);
    x->y = y;
    memcpy(x->q, q, (size_t)y->n * sizeof *q);
    energies_at(x);
    int f = y->n - y->s;
    for (int k = 0; k < f; k++) one_form_at(x, k, y->quasi[set][k], &y->quasi_free[set][k]);
    for (int k = 0; k < y->s; k++) {
        if (k < y->levels)
            level_at(x, f + k, &y->level[k]);
        else
            one_form_at(x, f + k, y->D[k], &y->d[k]);
    }
}

static void turn_by(const position *x, const real *u, real sign, real *out)
{
    int h = x->y->heading;
    memmove(out, u, (size_t)x->y->n * sizeof *u);
    if (h < 0) return;
    real c = cosl(x->q[h]), s = sign * sinl(x->q[h]), one = u[h + 1], two = u[h + 2];
    out[h + 1] = c * one + s * two;
    out[h + 2] = c * two - s * one;
}

void position_turn(const position *x, const real *u, real *out)
{
    turn_by(x, u, 1, out);
}

void position_turn_back(const position *x, const real *u, real *out)
{
    turn_by(x, u, -1, out);
}

/* sigma and its time derivative. */
static void turned_rates(const position *x, const real *v, const real *a, real *sigma, real *rate)
{
    int h = x->y->heading;
    position_turn(x, v, sigma);
    position_turn(x, a, rate);
    if (h < 0) return;
    rate[h + 1] += v[h] * sigma[h + 2];
    rate[h + 2] -= v[h] * sigma[h + 1];
}

static real dot(int n, const real *a, const real *b)
{
    real sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* d/dt dT/dv, in the turned directions: mu' - what turning adds. */
static void momentum_rates(const position *x, const real *v, const real *sigma, const real *rate,
                           real *mu, real *mu_rate)
{
    int n = x->y->n, h = x->y->heading;
    for (int i = 0; i < n; i++) {
        mu[i] = dot(n, x->mass[i], sigma) + x->linear[i];
        mu_rate[i] = dot(n, x->mass[i], rate);
        for (int j = 0; j < x->y->m; j++)
            mu_rate[i] += v[j] * (dot(n, x->mass_slope[j][i], sigma) + x->linear_slope[j][i]);
    }
    if (h < 0) return;
    mu_rate[h + 1] -= v[h] * mu[h + 2];
    mu_rate[h + 2] += v[h] * mu[h + 1];
}

static real kinetic_slope(const position *x, const real *sigma, int j)
{
    int n = x->y->n;
    real sum = x->rest_slope[j] + dot(n, x->linear_slope[j], sigma);
    for (int i = 0; i < n; i++) sum += sigma[i] * dot(n, x->mass_slope[j][i], sigma) / 2;
    return sum;
}

void position_lagrange(const position *x, const real *v, const real *a, real *L)
{
    int n = x->y->n, h = x->y->heading;
    real sigma[MOST] = {0}, rate[MOST] = {0}, mu[MOST] = {0}, turned[MOST] = {0};
    turned_rates(x, v, a, sigma, rate);
    momentum_rates(x, v, sigma, rate, mu, turned);
    for (int i = 0; i < n; i++)
        turned[i] += dot(n, x->friction[i], sigma) - x->force[i] - dot(n, x->gyro[i], sigma);
    position_turn_back(x, turned, L);
    for (int j = 0; j < x->y->m; j++) L[j] += x->potential_slope[j] - kinetic_slope(x, sigma, j);
    if (h >= 0) L[h] -= mu[h + 1] * sigma[h + 2] - mu[h + 2] * sigma[h + 1];
}

void position_forms(const position *x, const real *v, real *u)
{
    real sigma[MOST] = {0};
    position_turn(x, v, sigma);
    for (int k = 0; k < x->y->n; k++) u[k] = dot(x->y->n, x->form[k], sigma) + x->form_free[k];
}

void position_form_rates(const position *x, const real *v, const real *a, real *K)
{
    int n = x->y->n;
    real sigma[MOST] = {0}, rate[MOST] = {0};
    turned_rates(x, v, a, sigma, rate);
    for (int k = 0; k < n; k++) {
        K[k] = dot(n, x->form[k], rate);
        for (int j = 0; j < x->y->m; j++)
            K[k] += v[j] * (dot(n, x->form_slope[j][k], sigma) + x->form_free_slope[j][k]);
    }
}

void position_rates(const position *x, const real *w, real *v)
{
    int n = x->y->n, f = n - x->y->s;
    real a[LINEAR_MOST][LINEAR_MOST] = {{0}}, b[LINEAR_MOST][LINEAR_MOST] = {{0}},
         sigma[MOST] = {0};
    for (int k = 0; k < n; k++) {
        memcpy(a[k], x->form[k], sizeof x->form[k]);
        b[k][0] = (k < f ? w[k] : 0) - x->form_free[k];
    }
    linear_solve(n, a, 1, b);
    for (int k = 0; k < n; k++) sigma[k] = b[k][0];
    position_turn_back(x, sigma, v);
}

/*     [ A  -D' ] [ a      ]     [ L(a = 0)    ]
 *     [ D   0  ] [ lambda ] = - [ (Du)' (a=0) ]        */
void position_accelerate(const position *x, const real *v, real *a, real *lambda)
{
    int n = x->y->n, s = x->y->s, f = n - s;
    real left[LINEAR_MOST][LINEAR_MOST] = {{0}}, right[LINEAR_MOST][LINEAR_MOST] = {{0}};
    real L[MOST], L0[MOST], K[MOST], K0[MOST], unit[MOST] = {0};
    position_lagrange(x, v, unit, L0);
    position_form_rates(x, v, unit, K0);
    for (int j = 0; j < n; j++) {
        unit[j] = 1;
        position_lagrange(x, v, unit, L);
        position_form_rates(x, v, unit, K);
        unit[j] = 0;
        for (int i = 0; i < n; i++) left[i][j] = L[i] - L0[i];
        for (int k = 0; k < s; k++) {
            left[n + k][j] = K[f + k] - K0[f + k];
            left[j][n + k] = -left[n + k][j];
        }
    }
    for (int i = 0; i < n; i++) right[i][0] = -L0[i];
    for (int k = 0; k < s; k++) right[n + k][0] = -K0[f + k];
    linear_solve(n + s, left, 1, right);
    for (int i = 0; i < n; i++) a[i] = right[i][0];
    for (int k = 0; k < s; k++) lambda[k] = right[n + k][0];
}

int oracle_states(const random_system *y)
{
    return y->m + y->n - y->s;
}

void oracle_field(const random_system *y, int set, const real *state, real *out)
{
    position x;
    real q[MOST], v[MOST] = {0}, a[MOST], lambda[MOST], K[MOST];
    for (int i = 0; i < y->n; i++) q[i] = i < y->m ? state[i] : y->q0[i];
    position_at(&x, y, q, set);
    position_rates(&x, state + y->m, v);
    position_accelerate(&x, v, a, lambda);
    position_form_rates(&x, v, a, K);
    memcpy(out, v, (size_t)y->m * sizeof *out);
    memcpy(out + y->m, K, (size_t)(y->n - y->s) * sizeof *out);
}

void oracle_matrix(const random_system *y, int set, const real *state, real G[][MOST_STATES])
{
    static const real weight[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    const real h = 0.001L;
    int N = oracle_states(y);
    real x[MOST_STATES], up[MOST_STATES], down[MOST_STATES];
    memcpy(x, state, (size_t)N * sizeof *x);
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) G[i][j] = 0;
        for (int k = 0; k < 4; k++) {
            x[j] = state[j] + h * (real)(k + 1);
            oracle_field(y, set, x, up);
            x[j] = state[j] - h * (real)(k + 1);
            oracle_field(y, set, x, down);
            for (int i = 0; i < N; i++) G[i][j] += weight[k] * (up[i] - down[i]) / h;
        }
        x[j] = state[j];
    }
}
