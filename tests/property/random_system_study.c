/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_system_study.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

const double study_parameters[1] = {0};

layout layout_plain(const random_system *y)
{
    layout l = {.prefix = "q"};
    for (int i = 0; i < y->n; i++) l.place[i] = i;
    for (int i = 0; i < y->n; i++) l.scale[i] = 1;
    return l;
}

layout layout_draw(const random_system *y, dice *d)
{
    layout l = layout_plain(y);
    l.prefix = "zeta_";
    for (int i = y->n - 1; i > 0; i--) {
        int j = dice_below(d, i + 1), t = l.place[i];
        l.place[i] = l.place[j];
        l.place[j] = t;
    }
    for (int i = 0; i < y->n; i++)
        l.scale[i] = dice_between(d, 0.3, 3) * (dice_once_in(d, 2) ? 1 : -1);
    return l;
}

/* Everything that formulas are made of, in the order of the random system. */
typedef struct {
    const random_system *y;
    graph *g;
    expr q[MOST], v[MOST], sigma[MOST];
} words;

static expr number(const words *k, double c)
{
    return graph_const(k->g, c);
}

static expr times(const words *k, expr a, expr b)
{
    return expr_mul(k->g, a, b);
}

static expr plus(const words *k, expr a, expr b)
{
    return expr_add(k->g, a, b);
}

static expr write_field(const words *k, const field *f)
{
    expr sum = number(k, f->middle);
    for (int i = 0; i < f->n; i++) {
        const wave *a = &f->at[i];
        expr angle = plus(k, times(k, number(k, a->turn), k->q[a->by]), number(k, a->phase));
        expr e = times(k, number(k, a->size), graph_apply(k->g, OP_SIN, angle, 0));
        sum = plus(k, sum, a->times < 0 ? e : times(k, e, k->q[a->times]));
    }
    return sum;
}

static expr write_form(const words *k, const field *coefficients, const field *free_term)
{
    expr sum = write_field(k, free_term);
    for (int i = 0; i < k->y->n; i++)
        sum = plus(k, sum, times(k, write_field(k, &coefficients[i]), k->sigma[i]));
    return sum;
}

static expr write_quadratic(const words *k, const field matrix[][MOST])
{
    expr sum = number(k, 0);
    for (int i = 0; i < k->y->n; i++)
        for (int j = 0; j < k->y->n; j++) {
            expr pair = times(k, k->sigma[i], k->sigma[j]);
            sum = plus(k, sum, times(k, write_field(k, &matrix[i][j]), pair));
        }
    return times(k, number(k, 0.5), sum);
}

static expr write_potential(const words *k)
{
    expr sum = write_field(k, &k->y->potential);
    for (int j = 0; j < k->y->m; j++) {
        expr half = times(k, number(k, k->y->well[j] / 2), k->q[j]);
        sum = plus(k, sum, times(k, plus(k, half, number(k, k->y->tilt[j])), k->q[j]));
    }
    return sum;
}

/* sigma = P v, or back. */
static void write_turn(const words *k, const expr *u, bool back, expr *out)
{
    int h = k->y->heading;
    memmove(out, u, (size_t)k->y->n * sizeof *u);
    if (h < 0) return;
    expr c = graph_apply(k->g, OP_COS, k->q[h], 0), s = graph_apply(k->g, OP_SIN, k->q[h], 0);
    expr one = u[h + 1], two = u[h + 2];
    if (back) s = expr_neg(k->g, s);
    out[h + 1] = plus(k, times(k, c, one), times(k, s, two));
    out[h + 2] = expr_sub(k->g, times(k, c, two), times(k, s, one));
}

static void write_forces(const words *k, const layout *l, mechanical_system *s)
{
    const random_system *y = k->y;
    expr force[MOST];
    for (int i = 0; i < y->n; i++) force[i] = write_form(k, y->gyro[i], &y->force[i]);
    write_turn(k, force, true, force);
    for (int i = 0; i < y->n; i++)
        s->coordinates.at[l->place[i]].force = times(k, number(k, l->scale[i]), force[i]);
}

static void write_constraints(const words *k, mechanical_system *s)
{
    const random_system *y = k->y;
    for (int i = 0; i < y->s; i++) {
        expr e = i < y->levels ? write_field(k, &y->level[i]) : write_form(k, y->D[i], &y->d[i]);
        cr_assert(array_push(&s->constraints, ((system_constraint){"constraint", e, {0}})));
    }
}

static void add_coordinates(words *k, const layout *l, mechanical_system *s)
{
    int n = k->y->n;
    for (int i = 0; i < n; i++) {
        char name[32];
        int size = snprintf(name, sizeof name, "%s%d", l->prefix, i);
        cr_assert_eq(system_add_coordinate(s, name, (size_t)size, (origin){0}, NULL), NOSLIP_OK);
    }
    for (int i = 0; i < n; i++) {
        expr new = s->coordinates.at[l->place[i]].symbol, scale = number(k, l->scale[i]);
        k->q[i] = times(k, scale, new);
        k->v[i] = times(k, scale, graph_rate(k->g, new));
    }
    write_turn(k, k->v, false, k->sigma);
}

mechanical_system *study_build(const random_system *y, const layout *l, int set)
{
    mechanical_system *s = system_new();
    words k = {.y = y, .g = s->g};
    add_coordinates(&k, l, s);
    s->kinetic = plus(&k, write_quadratic(&k, y->mass), write_form(&k, y->linear, &y->rest));
    s->potential = write_potential(&k);
    s->dissipation = write_quadratic(&k, y->friction);
    write_forces(&k, l, s);
    write_constraints(&k, s);
    for (int i = 0; set >= 0 && i < y->n - y->s; i++) {
        char name[32];
        int size = snprintf(name, sizeof name, "w%d", i);
        expr form = write_form(&k, y->quasi[set][i], &y->quasi_free[set][i]);
        cr_assert_eq(system_add_quasi(s, name, (size_t)size, form, (origin){0}, NULL), NOSLIP_OK);
    }
    return s;
}

/* The known motion: q0, and v of sigma0 through the model's own forms. */
static void start(study *z)
{
    const random_system *y = z->y;
    position x;
    real q[MOST], sigma[MOST], v[MOST] = {0};
    for (int i = 0; i < y->n; i++) q[i] = y->q0[i];
    for (int i = 0; i < y->n; i++) sigma[i] = y->sigma0[i];
    position_at(&x, y, q, 0);
    position_turn_back(&x, sigma, v);
    equations_work *e = equations_work_new(z->m->e);
    memcpy(e->q, z->q, z->m->n * sizeof(double));
    cr_assert_eq(equations_forms(e), NOSLIP_OK);
    for (size_t k = 0; k < z->m->f; k++) {
        real sum = e->u0[k];
        for (int i = 0; i < y->n; i++)
            sum += e->U[k + (size_t)z->l.place[i] * z->m->n] * v[i] / z->l.scale[i];
        z->w[k] = (double)sum;
    }
    equations_work_free(e);
}

void study_open(study *z, const random_system *y, const layout *l, int set, double off)
{
    noslip_error err = {0};
    dice d = {y->seed + 17};
    *z = (study){.y = y, .l = *l, .s = study_build(y, l, set)};
    for (int i = 0; i < y->n; i++) z->q[l->place[i]] = y->q0[i] / l->scale[i];
    if (model_new(z->s, study_parameters, z->q, &z->m, &err) != NOSLIP_OK)
        cr_assert_fail("seed %llu: %s", y->seed, err.message);
    start(z);
    for (int i = 0; i < y->m; i++) z->q[l->place[i]] += off * dice_between(&d, -1, 1);
    for (size_t k = 0; k < z->m->f; k++) z->w[k] += off * dice_between(&d, -1, 1);
    cr_assert_eq(steady_new(z->m, NULL, 0, &z->motion, &err), NOSLIP_OK);
    z->x = spectrum_new(z->m);
    z->status = steady_solve(z->motion, study_parameters, z->q, z->w, &z->info);
    if (z->status == NOSLIP_OK) z->status = spectrum_find(z->x, z->motion);
}

void study_close(study *z)
{
    spectrum_free(z->x);
    steady_free(z->motion);
    model_free(z->m);
    system_free(z->s);
}

bool study_has_positional(const study *z)
{
    for (int i = 0; i < z->y->n; i++)
        if ((z->m->why[z->l.place[i]] != NEEDED_NOT) != (i < z->y->m)) return false;
    return true;
}

void study_state(const study *z, real *state)
{
    for (int i = 0; i < z->y->m; i++) state[i] = z->q[i];
    for (size_t k = 0; k < z->m->f; k++) state[(size_t)z->y->m + k] = z->w[k];
}
