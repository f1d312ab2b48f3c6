/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "random_system.h"
#include "random_system_linear.h"

/* A constant and up to MOST_WAVES waves of positional coordinates. */
static field draw_field(dice *d, const random_system *y, double middle, double size, bool products)
{
    field f = {.middle = middle, .n = y->m ? 1 + dice_below(d, MOST_WAVES) : 0};
    for (int k = 0; k < f.n; k++)
        f.at[k] = (wave){.size = size * dice_between(d, -1, 1) / f.n,
                         .turn = 1 + dice_below(d, 2),
                         .phase = dice_between(d, -3, 3),
                         .by = dice_below(d, y->m),
                         .times = products && dice_once_in(d, 3) ? dice_below(d, y->m) : -1};
    return f;
}

static void draw_sizes(dice *d, random_system *y)
{
    y->n = dice_once_in(d, 4) ? 6 + dice_below(d, 3) : 2 + dice_below(d, 4);
    y->heading = -1;
    bool heading = y->n >= 3 && dice_once_in(d, 2);
    int cyclic = heading ? 3 : 1;
    y->m = heading ? dice_below(d, y->n - 2) : 1 + dice_below(d, y->n - 1);
    if (y->m > 4) y->m = 4;
    int room = y->n - y->m - cyclic; /* for further cyclic coordinates */
    int apart = dice_below(d, (room > 2 ? 2 : room) + 1);
    if (y->plain && heading) apart = room;
    if (!heading && room == apart && dice_once_in(d, 3)) apart++; /* no others */
    y->apart = y->n - apart;
    if (heading) y->heading = y->m + dice_below(d, y->apart - y->m - 2);
}

static void draw_constraints(dice *d, random_system *y)
{
    int bound = y->apart - y->m;
    y->levels = y->m > 1 && dice_once_in(d, 3) ? 1 + dice_below(d, y->m > 3 ? 2 : 1) : 0;
    int most = y->n - 1 - y->levels - (y->m > y->levels);
    if (most > 4 - y->levels) most = 4 - y->levels;
    int rolling = bound && most > 0 ? dice_below(d, most + 1) : 0;
    if (y->heading >= 0 && y->plain && !rolling) rolling = 1;
    y->s = y->levels + rolling;
}

static int count_manifold(const random_system *y)
{
    int bound = y->apart - y->m, rolling = y->s - y->levels, apart = y->n - y->apart;
    if (y->driven || !bound) return apart;
    if (y->heading >= 0 || y->gyroscopic) return 1 + apart;
    return apart + (bound - rolling > 1 ? bound - rolling : 1);
}

/* Diagonally dominant wherever it is looked at. */
static void draw_mass(dice *d, random_system *y)
{
    for (int i = 0; i < y->n; i++)
        for (int j = 0; j <= i; j++)
            y->mass[i][j] = y->mass[j][i] = draw_field(
                d, y, i == j ? dice_between(d, 1.1, 2.9) : dice_between(d, -0.5, 0.5) / y->n,
                0.5 / (i == j ? 1 : y->n), false);
}

static void draw_energies(dice *d, random_system *y)
{
    draw_mass(d, y);
    y->potential = draw_field(d, y, 0, 0.7, true);
    for (int j = 0; j < y->m; j++)
        y->well[j] = dice_once_in(d, 7) ? dice_between(d, -2, 1) : dice_between(d, 1, 9);
    if (y->plain || dice_once_in(d, 2)) return;
    y->rest = draw_field(d, y, 0, 0.7, false);
    for (int i = 0; i < y->n; i++)
        y->linear[i] = draw_field(d, y, dice_between(d, -1, 1), 0.7, false);
}

/* Friction acts on positional rates or, if driven, on all but those apart; diagonally dominant. */
static void draw_forces(dice *d, random_system *y)
{
    int last = y->driven ? y->apart : y->m;
    if (y->driven || !dice_once_in(d, 4))
        for (int i = 0; i < last; i++)
            for (int j = 0; j <= i; j++)
                y->friction[i][j] = y->friction[j][i] = draw_field(
                    d, y, i == j ? dice_between(d, 0.7, 1.9) : 0, 0.4 / (i == j ? 1 : y->n), false);
    if (!y->gyroscopic) return;
    for (int i = 0; i < y->apart; i++)
        for (int j = 0; j < i; j++) {
            field *f = &y->gyro[i][j], *g = &y->gyro[j][i];
            *f = *g = draw_field(d, y, dice_between(d, -0.7, 0.7), 0.7, true);
            g->middle = -f->middle;
            for (int k = 0; k < f->n; k++) g->at[k].size = -f->at[k].size;
        }
}

static void draw_forms(dice *d, random_system *y)
{
    for (int k = 0; k < y->levels; k++) {
        y->level[k] = draw_field(d, y, 0, 0, false);
        y->level[k].n = 2;
        for (int i = 0; i < 2; i++)
            y->level[k].at[i] = (wave){dice_between(d, 0.7, 1.3), 1, dice_between(d, -0.3, 0.3),
                                       (k + i) % y->m, -1};
    }
    for (int k = y->levels; k < y->s; k++) {
        for (int i = 0; i < y->apart; i++)
            y->D[k][i] = draw_field(d, y, dice_between(d, -1, 1), 0.7, true);
        if (y->driven && dice_once_in(d, 2)) y->d[k] = draw_field(d, y, 0, 0.7, true);
    }
    for (int set = 0; set < 2; set++)
        for (int k = 0; k < y->n - y->s; k++) {
            if (!y->plain && dice_once_in(d, 3))
                y->quasi_free[set][k] = draw_field(d, y, dice_between(d, -1, 1), 0.5, true);
            for (int i = 0; i < y->n; i++)
                y->quasi[set][k][i] = draw_field(d, y, dice_between(d, -1, 1), 0.4, true);
        }
}

static void draw_motion(dice *d, random_system *y)
{
    for (int i = 0; i < y->n; i++) {
        y->q0[i] = dice_between(d, -0.6, 0.6);
        double speed = dice_between(d, 0.5, 1.9);
        y->sigma0[i] = i < y->m ? 0 : dice_once_in(d, 2) ? speed : -speed;
    }
}

/* The first cyclic coefficient of each constraint, or its free term, is chosen so that it holds. */
static void satisfy_constraints(random_system *y)
{
    real q[MOST];
    for (int i = 0; i < y->n; i++) q[i] = y->q0[i];
    for (int k = 0; k < y->levels; k++) y->level[k].middle -= (double)field_value(&y->level[k], q);
    for (int k = y->levels; k < y->s; k++) {
        real sum = field_value(&y->d[k], q);
        for (int i = y->m; i < y->apart; i++) sum += field_value(&y->D[k][i], q) * y->sigma0[i];
        if (y->d[k].n)
            y->d[k].middle -= (double)sum;
        else
            y->D[k][y->m].middle -= (double)(sum / y->sigma0[y->m]);
    }
}

/* The Lagrange expression of the motion sigma = sigma0, in turned directions. */
static void lagrange_at_motion(const random_system *y, position *x, real *turned)
{
    real q[MOST], v[MOST] = {0}, a[MOST] = {0}, rate[MOST] = {0}, L[MOST] = {0}, sigma[MOST];
    int h = y->heading;
    for (int i = 0; i < y->n; i++) q[i] = y->q0[i];
    for (int i = 0; i < y->n; i++) sigma[i] = y->sigma0[i];
    position_at(x, y, q, 0);
    position_turn_back(x, sigma, v);
    if (h >= 0) {
        rate[h + 1] = -v[h] * sigma[h + 2];
        rate[h + 2] = v[h] * sigma[h + 1];
    }
    position_turn_back(x, rate, a);
    position_lagrange(x, v, a, L);
    position_turn(x, L, turned);
}

/* D' lambda = L in the directions from m to apart, by a change of D that leaves D sigma0 as it is. */
static void bend_constraints(random_system *y, const position *x, const real *L)
{
    int f = y->n - y->s;
    real length = 0;
    for (int k = y->levels; k < y->s; k++) length += y->reaction[k] * y->reaction[k];
    for (int i = y->m; i < y->apart && length > 0; i++) {
        real left = L[i];
        for (int k = y->levels; k < y->s; k++) left -= x->form[f + k][i] * y->reaction[k];
        for (int k = y->levels; k < y->s; k++)
            y->D[k][i].middle += (double)(y->reaction[k] * left / length);
    }
}

/* Without constraints that could: gyro sigma0 = L there, by a skew change. */
static void bend_gyro(random_system *y, const real *L)
{
    real length = 0;
    for (int i = y->m; i < y->apart; i++) length += (real)y->sigma0[i] * y->sigma0[i];
    for (int i = y->m; i < y->apart; i++)
        for (int j = y->m; j < y->apart; j++)
            y->gyro[i][j].middle += (double)((L[i] * y->sigma0[j] - y->sigma0[i] * L[j]) / length);
}

/* What is left of the equations goes into the potential and, if driven, into a force. */
static void balance(random_system *y)
{
    position x;
    real L[MOST];
    lagrange_at_motion(y, &x, L);
    for (int i = 0; i < y->apart; i++) {
        for (int k = 0; k < y->s; k++) L[i] -= x.form[y->n - y->s + k][i] * y->reaction[k];
        if (i < y->m)
            y->tilt[i] -= (double)L[i];
        else if (y->driven)
            y->force[i].middle += (double)L[i];
    }
}

static void make_steady(dice *d, random_system *y)
{
    position x;
    real L[MOST];
    int bound = y->apart - y->m, rolling = y->s - y->levels;
    satisfy_constraints(y);
    lagrange_at_motion(y, &x, L);
    bool free_momenta = !y->driven && y->heading < 0 && !y->gyroscopic && rolling < bound;
    for (int k = 0; k < y->s; k++)
        if (k < y->levels || !free_momenta) y->reaction[k] = dice_between(d, -1.3, 1.3);
    if (!y->driven && rolling && !free_momenta) bend_constraints(y, &x, L);
    if (!y->driven && !rolling) bend_gyro(y, L);
    balance(y);
}

static void draw_all(dice *d, random_system *y)
{
    draw_sizes(d, y);
    draw_constraints(d, y);
    int bound = y->apart - y->m;
    bool wanted = dice_once_in(d, 2) || (y->heading >= 0 && bound > 3);
    y->driven = !y->plain && bound && dice_once_in(d, 3);
    y->gyroscopic = !y->plain && !y->driven && bound > 1 && wanted;
    y->manifold = count_manifold(y);
    draw_motion(d, y);
    draw_energies(d, y);
    draw_forces(d, y);
    draw_forms(d, y);
    make_steady(d, y);
}

/* The largest entry of U^-1. */
static real largest_inverse(const random_system *y, int set)
{
    position x;
    real a[LINEAR_MOST][LINEAR_MOST] = {{0}}, b[LINEAR_MOST][LINEAR_MOST] = {{0}}, q[MOST],
         most = 0;
    for (int i = 0; i < y->n; i++) q[i] = y->q0[i];
    position_at(&x, y, q, set);
    for (int i = 0; i < y->n; i++) {
        memcpy(a[i], x.form[i], sizeof x.form[i]);
        b[i][i] = 1;
    }
    linear_solve(y->n, a, y->n, b);
    for (int i = 0; i < y->n; i++)
        for (int j = 0; j < y->n; j++)
            most = isnan(b[i][j]) ? HUGE_VALL : fmaxl(most, fabsl(b[i][j]));
    return most;
}

void random_system_draw(random_system *y, unsigned long long seed, bool plain)
{
    dice d = {seed};
    do {
        memset(y, 0, sizeof *y);
        y->seed = seed;
        y->plain = plain;
        draw_all(&d, y);
    } while (!(largest_inverse(y, 0) < 9) || !(largest_inverse(y, 1) < 9));
}
