/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "diff.h"
#include "motions.h"
#include "text.h"

/* Power. Multiplying L = D' lambda [T-4] by the rates, with D v + d = 0 on the right: what a steady motion, on which T and the
 * reduced state do not change, takes out of the system,
 *
 *     v.dF/dv + v.dV/dq - v.Q + d.lambda = 0                        [T-13]                              */

static noslip_status add_power(const mechanical_system *y, expr energy, bool by_rate, expr *out)
{
    graph *g = y->g;
    *out = graph_const(g, 0);
    for (size_t i = 0; i < y->coordinates.n; i++) {
        expr q = y->coordinates.at[i].symbol, v = graph_rate(g, q);
        *out = expr_add(g, *out, expr_mul(g, v, diff_partial(g, energy, by_rate ? v : q)));
    }
    return graph_status(g);
}

static noslip_status power_forms(const mechanical_system *y, expr out[3])
{
    graph *g = y->g;
    noslip_status status = add_power(y, y->dissipation, true, &out[0]);
    if (status == NOSLIP_OK) status = add_power(y, y->potential, false, &out[1]);
    out[2] = graph_const(g, 0);
    for (size_t i = 0; i < y->coordinates.n; i++) {
        expr v = graph_rate(g, y->coordinates.at[i].symbol);
        out[2] = expr_sub(g, out[2], expr_mul(g, v, y->coordinates.at[i].force));
    }
    return status == NOSLIP_OK ? graph_status(g) : status;
}

static noslip_status evaluate(const model *m, const reduced *r, const expr *e, size_t n,
                              double *out, noslip_error *err)
{
    const mechanical_system *y = m->s;
    size_t p = y->parameters.n, inputs = p + 2 * m->n;
    expr *in = noslip_calloc(inputs, sizeof *in);
    tape *t = NULL;
    if (!in) return noslip_fail_memory(err);
    for (size_t i = 0; i < p; i++) in[i] = y->parameters.at[i].symbol;
    for (size_t i = 0; i < m->n; i++) {
        in[p + i] = y->coordinates.at[i].symbol;
        in[p + m->n + i] = graph_rate(y->g, in[p + i]);
    }
    const tape_spec spec = {.in = in, .n_in = inputs, .out = e, .n_out = n};
    noslip_status status = tape_compile(y->g, &spec, &t, err);
    tape_work *w = status == NOSLIP_OK ? tape_work_new(t) : NULL;
    if (status == NOSLIP_OK) status = w ? tape_point(w, r->e->in, out) : noslip_fail_memory(err);
    if (status == NOSLIP_NOT_FINITE) noslip_fail(err, status, "the power is not finite");
    tape_work_free(w);
    tape_free(t);
    noslip_free(in);
    return status;
}

noslip_status power_at(const steady *s, noslip_power *out, noslip_error *err)
{
    const model *m = steady_model(s);
    const reduced *r = steady_point(s);
    expr forms[3];
    double value_of[3];
    if (power_forms(m->s, forms) != NOSLIP_OK) return noslip_fail_memory(err);
    noslip_status status = evaluate(m, r, forms, 3, value_of, err);
    if (status != NOSLIP_OK) return status;
    *out = (noslip_power){value_of[0], value_of[1], value_of[2], 0};
    for (size_t k = 0; k < m->n_constraints; k++)
        out->constraints += r->e->u0[m->f + k] * r->lambda[k];
    return NOSLIP_OK;
}

/* Where nothing feeds energy in, a motion on which the dissipation is not zero cannot be steady. */
static bool energy_forbids(const steady *s, double *taken)
{
    const model *m = steady_model(s);
    const double *v = steady_point(s)->e->v;
    noslip_power x;
    double moving = 0, along = 0;
    if (power_at(s, &x, NULL) != NOSLIP_OK) return false;
    for (size_t i = 0; i < m->n; i++) moving += v[i] * v[i];
    for (size_t i = 0; i < m->n_positional; i++) along += v[m->positional[i]] * v[m->positional[i]];
    *taken = x.dissipation;
    double feed = fabs(x.potential) + fabs(x.forces) + fabs(x.constraints);
    return x.dissipation > 0 && feed < 1e-9 * x.dissipation && along < 1e-6 * moving;
}

static noslip_status say_energy(double taken, noslip_status status, noslip_error *err)
{
    noslip_fail(err, status,
                "no steady motion: dissipation takes the power %.3g near the guess and nothing "
                "feeds energy in",
                taken);
    noslip_hint(err, "on a steady motion the dissipation must vanish, or forces, a slope or a "
                     "driven constraint must pay for it");
    return status;
}

/* Conditions */

/* As the user wrote it, without the quotes of YAML. */
static const char *words_of(const case_condition *c, int *n)
{
    *n = 0;
    if (!c->at.src) return "";
    const char *from = c->at.src->text + c->at.from, *to = c->at.src->text + c->at.to;
    if (to - from >= 2 && (*from == '"' || *from == '\'') && to[-1] == *from) from++, to--;
    *n = text_clip(from, (size_t)(to - from), 50);
    return from;
}

/* At the smallest |F| the rows that pull against each other are those that are not zero. */
static noslip_status name_conditions(const noslip_model *r, const double *off, noslip_status status,
                                     noslip_error *err)
{
    double most = 0;
    text words = {0};
    const case_condition *first = NULL;
    size_t k = r->c->conditions.n;
    for (size_t i = 0; i < k; i++) most = fmax(most, fabs(off[i]));
    for (size_t i = 0; i < k; i++) {
        int n;
        const case_condition *c = &r->c->conditions.at[i];
        if (!(fabs(off[i]) > 1e-3 * most)) continue;
        const char *at = words_of(c, &n);
        text_printf(&words, "%s'%.*s'", first ? ", " : "", n, at);
        if (!first) first = c;
    }
    const char *list = words.failed || !words.at ? "" : words.at;
    const char *what = "no steady motion near the guess meets";
    if (first && first->at.src)
        source_fail(first->at.src, first->at.from, first->at.to, err, status, "%s %s", what, list);
    else
        noslip_fail(err, status, "%s the conditions %s", what, list);
    noslip_hint(err, "without conditions there is one: change or leave out one of these");
    text_free(&words);
    return status;
}

/* Whether the search gets there from the same guess when nothing is asked for. */
static bool conditions_are_to_blame(const noslip_model *r)
{
    size_t n = r->m->n, f = r->m->f;
    steady *bare = NULL;
    steady_info info;
    double *q = noslip_calloc(n + f, sizeof *q);
    noslip_status status = q ? steady_new(r->m, NULL, 0, &bare, NULL) : NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK) {
        memcpy(q, r->q, n * sizeof *q);
        memcpy(q + n, r->w, f * sizeof *q);
        status = steady_solve(bare, r->c->parameters, q, q + n, &info);
    }
    steady_free(bare);
    noslip_free(q);
    return status == NOSLIP_OK;
}

noslip_status explain_failure(const noslip_model *r, const steady *s, noslip_status status,
                              const steady_info *info, noslip_error *err)
{
    double taken;
    if (status == NOSLIP_ERR_MEMORY) return noslip_fail_memory(err);
    if (status == NOSLIP_NO_CONVERGENCE && energy_forbids(s, &taken))
        return say_energy(taken, status, err);
    if (status == NOSLIP_NO_CONVERGENCE && r->c->conditions.n && conditions_are_to_blame(r)) {
        size_t rows = r->m->n_positional + r->m->f + r->m->n_levels;
        return name_conditions(r, steady_residuals(s) + rows, status, err);
    }
    noslip_fail(err, status,
                "no steady motion was found from the guess: %s (after %d steps, residual %.2g)",
                noslip_status_text(status), info->iterations, info->residual);
    noslip_hint(err, "try another guess, or other conditions under 'with'");
    return status;
}
