/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ready.h"

#include <string.h>

#include "alloc.h"
#include "print.h"

/* The start */

/* Coordinates and rates of the guess. They need no model: it is made for the neighbourhood of the guess. */
static void place(const noslip_case *c, const double *guess, double *q, double *v)
{
    const mechanical_system *y = c->system;
    for (size_t k = 0; k < c->guess.n; k++)
        for (size_t i = 0; i < y->coordinates.n; i++) {
            expr coordinate = y->coordinates.at[i].symbol;
            if (coordinate == c->guess.at[k].target) q[i] = guess[k];
            if (graph_rate(y->g, coordinate) == c->guess.at[k].target) v[i] = guess[k];
        }
}

/* w of rates at a position: D* v + d*. */
static noslip_status find_quasi(const model *m, const double *parameters, const double *q,
                                const double *v, double *w)
{
    equations_work *e = equations_work_new(m->e);
    if (!e) return NOSLIP_ERR_MEMORY;
    memcpy(e->parameters, parameters, m->s->parameters.n * sizeof(double));
    memcpy(e->q, q, m->n * sizeof(double));
    noslip_status status = equations_forms(e);
    for (size_t k = 0; k < m->f && status == NOSLIP_OK; k++) {
        w[k] = e->u0[k];
        for (size_t j = 0; j < m->n; j++) w[k] += e->U[k + j * m->n] * v[j];
    }
    equations_work_free(e);
    return status;
}

/* Numbers of the guess (k), then q and v (n each), zero where nothing is guessed. */
static noslip_status evaluate_guess(const noslip_case *c, const double *parameters, double **out,
                                    noslip_error *err)
{
    size_t k = c->guess.n, n = c->system->coordinates.n;
    expr *start = noslip_calloc(k, sizeof *start);
    *out = noslip_calloc(k + 2 * n, sizeof **out);
    noslip_status status = start && *out ? NOSLIP_OK : noslip_fail_memory(err);
    for (size_t i = 0; i < k && status == NOSLIP_OK; i++) start[i] = c->guess.at[i].start;
    if (status == NOSLIP_OK) status = system_evaluate(c->system, parameters, start, k, *out, err);
    if (status == NOSLIP_NOT_FINITE) noslip_fail(err, status, "the guess is not finite");
    if (status == NOSLIP_OK) place(c, *out, *out + k, *out + k + n);
    noslip_free(start);
    return status;
}

/* Quasi-velocities follow from the rates; those that are guessed themselves hold. */
noslip_status ready_start(const noslip_model *r, const double *parameters, double *q, double *w,
                          noslip_error *err)
{
    const noslip_case *c = r->c;
    const mechanical_system *y = c->system;
    size_t n = y->coordinates.n, k = c->guess.n;
    double *guess;
    noslip_status status = evaluate_guess(c, parameters, &guess, err);
    if (status == NOSLIP_OK) {
        memcpy(q, guess + k, n * sizeof *q);
        status = find_quasi(r->m, parameters, q, guess + k + n, w);
        if (status == NOSLIP_ERR_MEMORY) noslip_fail_memory(err);
        if (status > NOSLIP_OK)
            noslip_fail(err, status, "the equations cannot be evaluated at the guess");
    }
    for (size_t i = 0; i < k && status == NOSLIP_OK; i++)
        for (size_t j = 0; j < y->quasi.n; j++)
            if (y->quasi.at[j].symbol == c->guess.at[i].target) w[j] = guess[i];
    noslip_free(guess);
    return status;
}

/* The model */

static noslip_status write_formula(noslip_model *r, expr e)
{
    text words = {0};
    if (print_expr(r->c->system->g, e, 400, &words) == NOSLIP_ERR_LIMIT) text_puts(&words, " ...");
    if (!words.failed && array_push(&r->formulas, words.at)) return NOSLIP_OK;
    text_free(&words);
    return NOSLIP_ERR_MEMORY;
}

static noslip_status write_formulas(noslip_model *r)
{
    const mechanical_system *y = r->c->system;
    noslip_status status = NOSLIP_OK;
    for (size_t k = 0; k < y->constraints.n && status == NOSLIP_OK; k++)
        status = write_formula(r, y->constraints.at[k].e);
    for (size_t k = 0; k < r->m->f && status == NOSLIP_OK; k++)
        status = write_formula(r, r->m->form[k]);
    const expr energies[] = {y->kinetic, y->potential, y->dissipation};
    for (size_t k = 0; k < 3 && status == NOSLIP_OK; k++) status = write_formula(r, energies[k]);
    return status;
}

static noslip_status make(noslip_model *r, noslip_error *err)
{
    noslip_case *c = r->c;
    size_t n = c->system->coordinates.n;
    double *guess;
    noslip_status status = evaluate_guess(c, c->parameters, &guess, err);
    if (status == NOSLIP_OK)
        status = model_new(c->system, c->parameters, guess + c->guess.n, &r->m, err);
    noslip_free(guess);
    if (status != NOSLIP_OK) return status;
    r->q = noslip_calloc(n, sizeof(double));
    r->w = noslip_calloc(n, sizeof(double));
    if (!r->q || !r->w || write_formulas(r) != NOSLIP_OK) return noslip_fail_memory(err);
    return ready_start(r, c->parameters, r->q, r->w, err);
}

noslip_status noslip_model_make(noslip_case *c, noslip_model **out, noslip_error *err)
{
    noslip_model *r = noslip_calloc(1, sizeof *r);
    if (!r) return noslip_fail_memory(err);
    r->c = c;
    noslip_status status = make(r, err);
    if (status == NOSLIP_OK)
        *out = r;
    else
        noslip_model_free(r);
    return status;
}

void noslip_model_free(noslip_model *r)
{
    if (!r) return;
    for (size_t k = 0; k < r->formulas.n; k++) noslip_free(r->formulas.at[k]);
    array_free(&r->formulas);
    model_free(r->m);
    noslip_free(r->q);
    noslip_free(r->w);
    noslip_free(r);
}

/* What it says */

noslip_model_info noslip_model_about(const noslip_model *r)
{
    const model *m = r->m;
    return (noslip_model_info){.coordinates = m->n,
                               .positional = m->n_positional,
                               .constraints = m->s->constraints.n,
                               .independent = m->n_constraints,
                               .levels = m->n_levels,
                               .quasi_velocities = m->f,
                               .chosen = m->own_quasi};
}

noslip_coordinate noslip_model_coordinate(const noslip_model *r, size_t k)
{
    static const noslip_role roles[] = {[NEEDED_NOT] = NOSLIP_CYCLIC,
                                        [NEEDED_EQUATIONS] = NOSLIP_IN_EQUATIONS,
                                        [NEEDED_LEVEL] = NOSLIP_IN_LEVEL,
                                        [NEEDED_RATE] = NOSLIP_IN_RATE};
    const model *m = r->m;
    if (k >= m->n) return (noslip_coordinate){0};
    const system_coordinate *c = m->s->coordinates.at;
    return (noslip_coordinate){c[k].name, c[k].unit, roles[m->why[k]],
                               m->why[k] == NEEDED_RATE ? c[m->because[k]].name : NULL};
}

noslip_constraint noslip_model_constraint(const noslip_model *r, size_t k)
{
    const mechanical_system *y = r->m->s;
    if (k >= y->constraints.n) return (noslip_constraint){0};
    const system_constraint *c = &y->constraints.at[k];
    return (noslip_constraint){c->label, r->formulas.at[k],
                               !(graph_at(y->g, c->e)->depends & SYMBOL_RATE),
                               r->m->fate[k] == CONSTRAINT_KEPT};
}

noslip_quasi_velocity noslip_model_quasi(const noslip_model *r, size_t k)
{
    if (k >= r->m->f) return (noslip_quasi_velocity){0};
    return (noslip_quasi_velocity){r->m->quasi[k], r->formulas.at[r->m->s->constraints.n + k]};
}

const char *noslip_model_energy(const noslip_model *r, noslip_energy which)
{
    return r->formulas.at[r->formulas.n - 3 + which];
}

const char *noslip_model_state(const noslip_model *r, size_t k)
{
    const model *m = r->m;
    size_t p = m->n_positional;
    if (k < p) return m->s->coordinates.at[m->positional[k]].name;
    return k - p < m->f ? m->quasi[k - p] : NULL;
}
