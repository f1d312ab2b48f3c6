/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "choose.h"
#include "degree.h"
#include "depend.h"
#include "diff.h"
#include "print.h"

/* A model is made twice over: first the equations of all forms that may be used, to decide in numbers which constraints are
 * independent and which forms make good quasi-velocities; then the equations of those. */
typedef struct {
    mechanical_system *s;
    model *m;
    const double *parameters, *reference;
    noslip_error *err;
    form_list forms; /* candidates, then constraints in rate form */
    size_t candidates;
    bool *is_level; /* by constraint of the system: holonomic */
    bool *level;    /* by coordinate: a holonomic constraint depends on it */
    equations *all;
    reduced *r;
    samples x;
} maker;

static noslip_status fail_at(maker *k, origin at, const char *words, const char *name)
{
    if (!at.src) return noslip_fail(k->err, NOSLIP_ERR_FORMULA, "%s%s", words, name);
    return source_fail(at.src, at.from, at.to, k->err, NOSLIP_ERR_FORMULA, "%s%s", words, name);
}

static void list_rates(const mechanical_system *s, expr *rate)
{
    for (size_t i = 0; i < s->coordinates.n; i++)
        rate[i] = graph_rate(s->g, s->coordinates.at[i].symbol);
}

/* d/dv of forms must not depend on v. */
static noslip_status check_linear(maker *k, const expr *form, size_t n, const expr *rate,
                                  uint32_t *offender, bool *linear)
{
    jacobian j = {0};
    noslip_status status =
        diff_jacobian(k->s->g, form, n, rate, k->s->coordinates.n, JACOBIAN_AUTO, &j);
    if (status == NOSLIP_OK)
        status = degree_free_of_rates(k->s, k->parameters, k->reference, &j, offender, linear);
    jacobian_free(&j);
    return status == NOSLIP_OK ? status : noslip_fail_memory(k->err);
}

static noslip_status check_degrees(maker *k)
{
    mechanical_system *s = k->s;
    size_t n = s->coordinates.n;
    uint32_t offender = 0;
    bool linear = true, quadratic = true;
    expr *rate = noslip_calloc(2 * n, sizeof *rate), *momentum = rate ? rate + n : NULL;
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (rate) {
        list_rates(s, rate);
        status = check_linear(k, k->forms.at, k->forms.n, rate, &offender, &linear);
    }
    if (status == NOSLIP_OK) status = diff_gradient(s->g, s->kinetic, rate, n, momentum);
    if (status == NOSLIP_OK) status = check_linear(k, momentum, n, rate, &offender, &quadratic);
    noslip_free(rate);
    if (status != NOSLIP_OK) return noslip_fail_memory(k->err);
    if (!quadratic)
        return fail_at(k, s->kinetic_at, "the kinetic energy is not quadratic in the rates", "");
    if (linear) return NOSLIP_OK;
    if (offender < k->candidates)
        return fail_at(k, s->quasi.at[offender].at,
                       "this quasi-velocity is not linear in the rates", "");
    return fail_at(k, s->constraints.at[offender - k->candidates].at,
                   "this constraint is not linear in the rates", "");
}

/* Candidates, then all constraints; a holonomic one as its time derivative [T-2]. */
static noslip_status list_forms(maker *k)
{
    mechanical_system *s = k->s;
    size_t n = s->constraints.n;
    expr *rate_form = noslip_calloc(n, sizeof *rate_form);
    noslip_status status = rate_form ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    for (size_t i = 0; i < n && status == NOSLIP_OK; i++) {
        rate_form[i] = s->constraints.at[i].e;
        k->is_level[i] = !(graph_at(s->g, rate_form[i])->depends & SYMBOL_RATE);
        if (k->is_level[i]) status = diff_time(s->g, &s->constraints.at[i].e, 1, &rate_form[i]);
    }
    if (status == NOSLIP_OK && !s->quasi.n && !choose_candidates(s, rate_form, n, &k->forms))
        status = NOSLIP_ERR_MEMORY;
    for (size_t i = 0; i < s->quasi.n && status == NOSLIP_OK; i++)
        if (!array_push(&k->forms, s->quasi.at[i].form)) status = NOSLIP_ERR_MEMORY;
    k->candidates = k->forms.n;
    for (size_t i = 0; i < n && status == NOSLIP_OK; i++)
        if (!array_push(&k->forms, rate_form[i])) status = NOSLIP_ERR_MEMORY;
    noslip_free(rate_form);
    return status == NOSLIP_OK ? status : noslip_fail_memory(k->err);
}

/* g, then dg/dq column by column. */
static noslip_status compile_levels(maker *k)
{
    model *m = k->m;
    graph *g = k->s->g;
    size_t h = m->n_levels, n = m->n, p = k->s->parameters.n;
    expr *out = noslip_calloc(h + h * n, sizeof *out), *in = noslip_calloc(p + n, sizeof *in);
    noslip_status status = out && in ? NOSLIP_OK : noslip_fail_memory(k->err);
    for (size_t i = 0; i < p && status == NOSLIP_OK; i++) in[i] = k->s->parameters.at[i].symbol;
    for (size_t j = 0; j < n && status == NOSLIP_OK; j++) {
        in[p + j] = k->s->coordinates.at[j].symbol;
        for (size_t i = 0; i < h; i++) {
            out[i] = k->s->constraints.at[m->level[i]].e;
            out[h + i + j * h] = diff_partial(g, out[i], in[p + j]);
        }
    }
    const tape_spec spec = {in, p + n, p, out, h + h * n};
    tape_free(m->levels);
    m->levels = NULL;
    if (status == NOSLIP_OK) status = tape_compile(g, &spec, &m->levels, k->err);
    noslip_free(out);
    noslip_free(in);
    return status;
}

static noslip_status fail_samples(maker *k, noslip_status status)
{
    if (status == NOSLIP_ERR_MEMORY) return noslip_fail_memory(k->err);
    return fail_at(
        k, k->s->kinetic_at,
        "the equations cannot be evaluated near the reference point: something is not finite there",
        "");
}

static noslip_status take_samples(maker *k)
{
    noslip_status status =
        equations_new(k->s, k->forms.at, k->forms.n, (equations_wish){0}, &k->all, k->err);
    if (status != NOSLIP_OK) return status;
    equations_work *w = equations_work_new(k->all);
    if (!w) return noslip_fail_memory(k->err);
    memcpy(w->parameters, k->parameters, k->all->n_parameters * sizeof *w->parameters);
    status = samples_take(&k->x, w, k->reference);
    if (status == NOSLIP_OK)
        status = depend_find(w, k->candidates, k->s->constraints.n, k->is_level, k->m->levels,
                             &k->x, k->m->fate);
    equations_work_free(w);
    return status == NOSLIP_OK ? status : fail_samples(k, status);
}

static noslip_status sort_constraints(maker *k)
{
    model *m = k->m;
    m->n_levels = 0;
    for (size_t i = 0; i < k->s->constraints.n; i++) {
        if (m->fate[i] == CONSTRAINT_CONTRADICTS)
            return fail_at(k, k->s->constraints.at[i].at,
                           "this constraint contradicts the others: together they cannot hold", "");
        if (m->fate[i] == CONSTRAINT_FOLLOWS) continue;
        m->constraint[m->n_constraints++] = i;
        if (k->is_level[i]) m->level[m->n_levels++] = i;
    }
    m->f = m->n - m->n_constraints;
    if (m->f == 0)
        return noslip_fail(
            k->err, NOSLIP_ERR_FORMULA,
            "the constraints leave no motion: %zu coordinates, %zu independent constraints", m->n,
            m->n_constraints);
    return NOSLIP_OK;
}

/* Until it is known which ones are kept, all holonomic constraints are levels. */
static noslip_status list_levels(maker *k)
{
    for (size_t i = 0; i < k->s->constraints.n; i++)
        if (k->is_level[i]) k->m->level[k->m->n_levels++] = i;
    return compile_levels(k);
}

/* Which coordinates the levels depend on: by their gradients at the samples, for a name may stand in a formula and cancel. */
static noslip_status find_levels(maker *k)
{
    static const double rounding = 1e-10;
    model *m = k->m;
    size_t n = m->n, h = m->n_levels, p = k->s->parameters.n;
    tape_work *w = tape_work_new(m->levels);
    double *in = noslip_calloc(p + n, sizeof *in), *out = noslip_calloc(h * (1 + n), sizeof *out);
    noslip_status status = w && in && out ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    for (size_t x = 0; x < SAMPLES && status == NOSLIP_OK; x++) {
        memcpy(in, k->parameters, p * sizeof *in);
        memcpy(in + p, k->x.q + x * n, n * sizeof *in);
        status = tape_point(w, in, out);
        for (size_t i = 0; i < h && status == NOSLIP_OK; i++) {
            double size = 0;
            for (size_t j = 0; j < n; j++) size = fmax(size, fabs(out[h + i + j * h]));
            for (size_t j = 0; j < n; j++)
                k->level[j] = k->level[j] || fabs(out[h + i + j * h]) > rounding * size;
        }
    }
    tape_work_free(w);
    noslip_free(in);
    noslip_free(out);
    return status == NOSLIP_OK ? status : fail_samples(k, status);
}

static noslip_status choose_quasi(maker *k)
{
    model *m = k->m;
    k->r = reduced_new(k->all, m->f);
    if (!k->r) return noslip_fail_memory(k->err);
    memcpy(k->r->e->parameters, k->parameters, k->all->n_parameters * sizeof(double));
    for (size_t i = 0; i < m->n_constraints; i++)
        k->r->row[m->f + i] = k->candidates + m->constraint[i];
    if (k->s->quasi.n) {
        if (k->s->quasi.n == m->f) return NOSLIP_OK;
        return source_fail(k->s->quasi.at[0].at.src ? k->s->quasi.at[0].at.src
                                                    : &(source){.text = "", .line = 1, .column = 1},
                           k->s->quasi.at[0].at.from, k->s->quasi.at[0].at.to, k->err,
                           NOSLIP_ERR_FORMULA,
                           "%zu quasi-velocities are given, %zu are needed: coordinates less "
                           "independent constraints",
                           k->s->quasi.n, m->f);
    }
    noslip_status status = choose_forms(k->r, k->candidates, &k->x, k->level);
    if (status == NOSLIP_ERR_MEMORY) return noslip_fail_memory(k->err);
    if (status == NOSLIP_OK) return status;
    return noslip_fail(k->err, NOSLIP_ERR_FORMULA, "no quasi-velocities can be chosen: give some");
}

static noslip_status name_quasi(maker *k, size_t i)
{
    text name = {0};
    size_t row = k->r->row[i];
    if (k->s->quasi.n)
        text_puts(&name, k->s->quasi.at[row].name);
    else
        print_expr(k->s->g, k->forms.at[row], 200, &name);
    k->m->quasi[i] = name.at;
    return name.failed ? noslip_fail_memory(k->err) : NOSLIP_OK;
}

static noslip_status make_equations(maker *k)
{
    model *m = k->m;
    m->own_quasi = k->s->quasi.n == 0;
    for (size_t i = 0; i < m->n; i++) m->form[i] = k->forms.at[k->r->row[i]];
    for (size_t i = 0; i < m->f; i++) {
        noslip_status status = name_quasi(k, i);
        if (status != NOSLIP_OK) return status;
    }
    return equations_new(k->s, m->form, m->n, (equations_wish){0}, &m->e, k->err);
}

/* M must be positive definite wherever it is looked at. */
static noslip_status check_mass(maker *k, reduced *r)
{
    for (size_t p = 0; p < SAMPLES; p++) {
        samples_put(&k->x, p, r);
        noslip_status status = reduced_values(r);
        if (status == NOSLIP_OK) status = reduced_slopes(r);
        if (status == NOSLIP_SINGULAR) break;
        if (status != NOSLIP_OK) return fail_samples(k, status);
        if (!dense_is_positive(r->f, r->M))
            return fail_at(k, k->s->kinetic_at,
                           "the mass matrix is not positive definite on the constraints", "");
    }
    return NOSLIP_OK;
}

static noslip_status find_needed(maker *k)
{
    model *m = k->m;
    double rcond;
    reduced *r = reduced_new(m->e, m->f);
    if (!r) return noslip_fail_memory(k->err);
    memcpy(r->e->parameters, k->parameters, m->e->n_parameters * sizeof(double));
    noslip_status status = check_mass(k, r);
    if (status == NOSLIP_OK) {
        status = needed_find(r, &k->x, k->level, m->why, m->because, &rcond);
        if (status == NOSLIP_SINGULAR)
            status = fail_at(k, k->s->quasi.n ? k->s->quasi.at[0].at : k->s->kinetic_at,
                             "the quasi-velocities depend on each other or on the constraints", "");
        else if (status != NOSLIP_OK)
            status = fail_samples(k, status);
    }
    reduced_free(r);
    for (size_t j = 0; status == NOSLIP_OK && j < m->n; j++)
        if (m->why[j] != NEEDED_NOT) m->positional[m->n_positional++] = j;
    return status;
}

static bool allocate(maker *k)
{
    model *m = k->m;
    size_t n = k->s->coordinates.n, s = k->s->constraints.n;
    m->s = k->s;
    m->n = n;
    m->constraint = noslip_calloc(s, sizeof *m->constraint);
    m->level = noslip_calloc(s, sizeof *m->level);
    m->quasi = noslip_calloc(n, sizeof *m->quasi);
    m->form = noslip_calloc(n, sizeof *m->form);
    m->why = noslip_calloc(n, sizeof *m->why);
    m->because = noslip_calloc(n, sizeof *m->because);
    m->positional = noslip_calloc(n, sizeof *m->positional);
    m->fate = noslip_calloc(s, sizeof *m->fate);
    k->is_level = noslip_calloc(s, sizeof *k->is_level);
    k->level = noslip_calloc(n, sizeof *k->level);
    return m->constraint && m->level && m->quasi && m->form && m->why && m->because &&
           m->positional && m->fate && k->is_level && k->level;
}

static noslip_status make(maker *k)
{
    if (!k->m || !allocate(k)) return noslip_fail_memory(k->err);
    noslip_status status = list_forms(k);
    if (status == NOSLIP_OK) status = check_degrees(k);
    if (status == NOSLIP_OK) status = list_levels(k);
    if (status == NOSLIP_OK) status = take_samples(k);
    if (status == NOSLIP_OK) status = sort_constraints(k);
    if (status == NOSLIP_OK) status = compile_levels(k);
    if (status == NOSLIP_OK) status = find_levels(k);
    if (status == NOSLIP_OK) status = choose_quasi(k);
    if (status == NOSLIP_OK) status = make_equations(k);
    if (status == NOSLIP_OK) status = find_needed(k);
    return status;
}

noslip_status model_new(mechanical_system *s, const double *parameters, const double *reference,
                        model **out, noslip_error *err)
{
    if (!s->coordinates.n)
        return noslip_fail(err, NOSLIP_ERR_FORMULA, "the system has no coordinates");
    maker k = {.s = s, .parameters = parameters, .reference = reference, .err = err};
    k.m = noslip_calloc(1, sizeof *k.m);
    noslip_status status = make(&k);
    array_free(&k.forms);
    noslip_free(k.is_level);
    noslip_free(k.level);
    reduced_free(k.r);
    equations_free(k.all);
    samples_free(&k.x);
    if (status == NOSLIP_OK)
        *out = k.m;
    else
        model_free(k.m);
    return status;
}

void model_free(model *m)
{
    if (!m) return;
    for (size_t i = 0; m->quasi && i < m->n; i++) noslip_free(m->quasi[i]);
    equations_free(m->e);
    tape_free(m->levels);
    noslip_free(m->constraint);
    noslip_free(m->level);
    noslip_free(m->fate);
    noslip_free(m->quasi);
    noslip_free(m->form);
    noslip_free(m->why);
    noslip_free(m->because);
    noslip_free(m->positional);
    noslip_free(m);
}
