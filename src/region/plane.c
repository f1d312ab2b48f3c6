/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plane.h"

#include <string.h>

#include "alloc.h"
#include "walk.h"

/* Whether formula k names a parameter that varies. */
static noslip_status names_varying(const plane *p, size_t k, walk *below, bool *yes)
{
    const mechanical_system *y = p->r->m->s;
    graph *g = y->g;
    *yes = false;
    if (!walk_below(below, g, &y->parameters.at[k].formula, 1, SYMBOL_PARAMETER))
        return NOSLIP_ERR_MEMORY;
    for (size_t i = 0; i < below->nodes.n; i++)
        for (size_t j = 0; j < y->parameters.n; j++)
            *yes = *yes || (below->nodes.at[i] == y->parameters.at[j].symbol && p->varies[j]);
    return NOSLIP_OK;
}

static bool is_fixed(const plane *p, size_t k)
{
    const noslip_case *c = p->r->c;
    for (size_t i = 0; i < c->n_overrides; i++)
        if (c->overrides[i].parameter == k) return true;
    return k == p->parameter[0] || k == p->parameter[1];
}

/* Grow the set until nothing is added. */
static noslip_status find_varying(plane *p)
{
    size_t n = p->r->m->s->parameters.n;
    walk below = {0};
    noslip_status status = NOSLIP_OK;
    p->varies[p->parameter[0]] = p->varies[p->parameter[1]] = true;
    for (bool grew = true; grew && status == NOSLIP_OK;) {
        grew = false;
        for (size_t k = 0; k < n && status == NOSLIP_OK; k++) {
            bool yes = false;
            if (p->varies[k] || is_fixed(p, k)) continue;
            status = names_varying(p, k, &below, &yes);
            if (yes) p->dependent[p->n_dependent++] = k;
            p->varies[k] = yes;
            grew = grew || yes;
        }
    }
    walk_free(&below);
    return status;
}

/* The fixed ones first, as in the equations. */
static noslip_status compile_formulas(plane *p, noslip_error *err)
{
    const mechanical_system *y = p->r->m->s;
    const equations *e = p->plan->e->e;
    expr *in = noslip_calloc(e->n_parameters + p->n_dependent, sizeof *in),
         *out = in ? in + e->n_parameters : NULL;
    if (!in) return noslip_fail_memory(err);
    for (size_t k = 0; k < e->n_parameters; k++) in[k] = y->parameters.at[e->order[k]].symbol;
    for (size_t k = 0; k < p->n_dependent; k++) out[k] = y->parameters.at[p->dependent[k]].formula;
    const tape_spec spec = {in, e->n_parameters, e->n_fixed, out, p->n_dependent};
    noslip_status status = tape_compile(y->g, &spec, &p->formulas, err);
    noslip_free(in);
    return status;
}

static noslip_status make(plane *p, noslip_error *err)
{
    const noslip_case *c = p->r->c;
    size_t n = p->r->m->s->parameters.n, k = c->conditions.n;
    p->varies = noslip_calloc(n, sizeof *p->varies);
    p->dependent = noslip_calloc(n, sizeof *p->dependent);
    expr *conditions = noslip_calloc(k, sizeof *conditions);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (p->varies && p->dependent && conditions) status = find_varying(p);
    if (status != NOSLIP_OK) noslip_fail_memory(err);
    for (size_t i = 0; i < k && status == NOSLIP_OK; i++) conditions[i] = c->conditions.at[i].e;
    if (status == NOSLIP_OK)
        status = steady_plan_new(p->r->m, conditions, k, p->varies, &p->plan, err);
    if (status == NOSLIP_OK) status = compile_formulas(p, err);
    noslip_free(conditions);
    return status;
}

noslip_status plane_new(const noslip_model *r, const plane_axis axes[2], plane **out,
                        noslip_error *err)
{
    plane *p = noslip_calloc(1, sizeof *p);
    if (!p) return noslip_fail_memory(err);
    *p = (plane){.r = r, .N = r->m->n_positional + r->m->f};
    for (int k = 0; k < 2; k++) {
        p->parameter[k] = axes[k].parameter;
        p->from[k] = axes[k].from;
        p->to[k] = axes[k].to;
    }
    noslip_status status = make(p, err);
    if (status == NOSLIP_OK)
        *out = p;
    else
        plane_free(p);
    return status;
}

void plane_free(plane *p)
{
    if (!p) return;
    steady_plan_free(p->plan);
    tape_free(p->formulas);
    noslip_free(p->varies);
    noslip_free(p->dependent);
    noslip_free(p);
}

/* Work */

plane_work *plane_work_new(const plane *p, double *parameters, size_t lanes)
{
    plane_work *w = noslip_calloc(1, sizeof *w);
    if (!w) return NULL;
    const equations *e = p->plan->e->e;
    size_t n = e->n_parameters, k = p->n_dependent;
    *w = (plane_work){.p = p, .lanes = lanes, .formulas = tape_work_new(p->formulas)};
    w->in = noslip_calloc(n, sizeof *w->in);
    w->out = noslip_calloc(k, sizeof *w->out);
    w->scratch = many_rows(k * lanes);
    if (!w->formulas || !w->in || !w->out || !w->scratch) {
        plane_work_free(w);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        w->in[i] = parameters + e->order[i] * lanes;
        for (size_t l = 0; l < lanes; l++) parameters[i * lanes + l] = p->r->c->parameters[i];
    }
    for (size_t i = 0; i < k; i++) w->out[i] = w->scratch + i * lanes;
    return w;
}

void plane_work_free(plane_work *w)
{
    if (!w) return;
    tape_work_free(w->formulas);
    noslip_free(w->in);
    noslip_free(w->out);
    many_rows_free(w->scratch);
    noslip_free(w);
}

void plane_put(plane_work *w, double *parameters, const double *u, const double *v)
{
    const plane *p = w->p;
    size_t lanes = w->lanes;
    const double *const at[2] = {u, v};
    for (int k = 0; k < 2; k++)
        for (size_t l = 0; l < lanes; l++) {
            double t = at[k][l]; /* exact at both ends */
            parameters[p->parameter[k] * lanes + l] = p->from[k] * (1 - t) + p->to[k] * t;
        }
    for (bool moved = p->n_dependent > 0; moved;) { /* no circle, so that it ends */
        moved = false;
        tape_batch(w->formulas, w->in, w->out, lanes, NULL); /* what is not finite shows later */
        for (size_t k = 0; k < p->n_dependent; k++) {
            double *to = parameters + p->dependent[k] * lanes;
            moved = moved || memcmp(to, w->out[k], lanes * sizeof *to) != 0;
            memcpy(to, w->out[k], lanes * sizeof *to);
        }
    }
}
