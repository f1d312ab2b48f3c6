/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "noslip/roots.h"

#include <string.h>

#include "alloc.h"
#include "case.h"
#include "spectrum.h"

struct noslip_roots {
    noslip_case *c; /* borrowed */
    model *m;
    steady *s;
    spectrum *x;
    steady_info info;
    double *q, *w, *v; /* n each: the start, then the solution */
};

/* The numbers of the guess: formulas of parameters. */
static noslip_status evaluate_guess(const noslip_case *c, double *out, noslip_error *err)
{
    const mechanical_system *y = c->system;
    size_t p = y->parameters.n, k = c->guess.n;
    expr *in = noslip_calloc(p + k, sizeof *in);
    tape *t = NULL;
    if (!in) return noslip_fail_memory(err);
    for (size_t i = 0; i < p; i++) in[i] = y->parameters.at[i].symbol;
    for (size_t i = 0; i < k; i++) in[p + i] = c->guess.at[i].start;
    const tape_spec spec = {.in = in, .n_in = p, .out = in + p, .n_out = k};
    noslip_status status = tape_compile(y->g, &spec, &t, err);
    tape_work *w = status == NOSLIP_OK ? tape_work_new(t) : NULL;
    if (status == NOSLIP_OK)
        status = w ? tape_point(w, c->parameters, out) : noslip_fail_memory(err);
    if (status == NOSLIP_NOT_FINITE) noslip_fail(err, status, "the guess is not finite");
    tape_work_free(w);
    tape_free(t);
    noslip_free(in);
    return status;
}

/* w of the rates that were guessed: D* v + d*, at the guessed position. */
static noslip_status start_rates(noslip_roots *r, noslip_error *err)
{
    const model *m = r->m;
    equations_work *e = equations_work_new(m->e);
    if (!e) return noslip_fail_memory(err);
    memcpy(e->parameters, r->c->parameters, m->s->parameters.n * sizeof(double));
    memcpy(e->q, r->q, m->n * sizeof(double));
    noslip_status status = equations_forms(e);
    for (size_t k = 0; k < m->f && status == NOSLIP_OK; k++) {
        r->w[k] = e->u0[k];
        for (size_t j = 0; j < m->n; j++) r->w[k] += e->U[k + j * m->n] * r->v[j];
    }
    equations_work_free(e);
    return status == NOSLIP_OK
               ? status
               : noslip_fail(err, status, "the equations cannot be evaluated at the guess");
}

/* Coordinates and rates, before there is a model: it is made for the neighbourhood of the guess. */
static void start_position(noslip_roots *r, const double *guess)
{
    const mechanical_system *y = r->c->system;
    for (size_t k = 0; k < r->c->guess.n; k++)
        for (size_t i = 0; i < y->coordinates.n; i++) {
            expr coordinate = y->coordinates.at[i].symbol;
            if (coordinate == r->c->guess.at[k].target) r->q[i] = guess[k];
            if (graph_rate(y->g, coordinate) == r->c->guess.at[k].target) r->v[i] = guess[k];
        }
}

/* Quasi-velocities follow from the rates; those that are guessed themselves hold. */
static noslip_status start_motion(noslip_roots *r, const double *guess, noslip_error *err)
{
    const mechanical_system *y = r->c->system;
    noslip_status status = start_rates(r, err);
    for (size_t k = 0; k < r->c->guess.n && status == NOSLIP_OK; k++)
        for (size_t i = 0; i < y->quasi.n; i++)
            if (y->quasi.at[i].symbol == r->c->guess.at[k].target) r->w[i] = guess[k];
    return status;
}

static noslip_status fail_search(const noslip_roots *r, noslip_status status, noslip_error *err)
{
    if (status == NOSLIP_ERR_MEMORY) return noslip_fail_memory(err);
    noslip_fail(err, status,
                "no steady motion was found from the guess: %s (after %d steps, residual %.2g)",
                noslip_status_text(status), r->info.iterations, r->info.residual);
    noslip_hint(err, "try another guess, or other conditions under 'with'");
    return status;
}

static noslip_status solve(noslip_roots *r, noslip_error *err)
{
    size_t k = r->c->conditions.n;
    expr *conditions = noslip_calloc(k, sizeof *conditions);
    if (!conditions) return noslip_fail_memory(err);
    for (size_t i = 0; i < k; i++) conditions[i] = r->c->conditions.at[i].e;
    noslip_status status = steady_new(r->m, conditions, k, &r->s, err);
    noslip_free(conditions);
    if (status != NOSLIP_OK) return status;
    if (!(r->x = spectrum_new(r->m))) return noslip_fail_memory(err);
    status = steady_solve(r->s, r->c->parameters, r->q, r->w, &r->info);
    if (status == NOSLIP_OK) status = spectrum_find(r->x, r->s);
    return status == NOSLIP_OK ? status : fail_search(r, status, err);
}

noslip_status noslip_roots_find(noslip_case *c, noslip_roots **out, noslip_error *err)
{
    size_t n = c->system->coordinates.n;
    noslip_roots *r = noslip_calloc(1, sizeof *r);
    double *guess = noslip_calloc(c->guess.n, sizeof *guess);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (r && guess) {
        *r = (noslip_roots){.c = c};
        r->q = noslip_calloc(n, sizeof(double));
        r->w = noslip_calloc(n, sizeof(double));
        r->v = noslip_calloc(n, sizeof(double));
        if (r->q && r->w && r->v) status = evaluate_guess(c, guess, err);
    }
    if (status == NOSLIP_ERR_MEMORY) noslip_fail_memory(err);
    if (status == NOSLIP_OK) start_position(r, guess);
    if (status == NOSLIP_OK) status = model_new(c->system, c->parameters, r->q, &r->m, err);
    if (status == NOSLIP_OK) status = start_motion(r, guess, err);
    if (status == NOSLIP_OK) status = solve(r, err);
    noslip_free(guess);
    if (status == NOSLIP_OK)
        *out = r;
    else
        noslip_roots_free(r);
    return status;
}

void noslip_roots_free(noslip_roots *r)
{
    if (!r) return;
    spectrum_free(r->x);
    steady_free(r->s);
    model_free(r->m);
    noslip_free(r->q);
    noslip_free(r->w);
    noslip_free(r->v);
    noslip_free(r);
}

static noslip_verdict verdict_of(const spectrum *x)
{
    switch (x->verdict) {
    case STABLE_ASYMPTOTICALLY: return NOSLIP_ASYMPTOTICALLY_STABLE;
    case UNSTABLE:
        return x->kind == INSTABILITY_FLUTTER ? NOSLIP_UNSTABLE_FLUTTER
                                              : NOSLIP_UNSTABLE_DIVERGENCE;
    case NEUTRAL: return NOSLIP_NEUTRAL;
    case DEGENERATE: break;
    }
    return NOSLIP_DEGENERATE;
}

noslip_roots_info noslip_roots_about(const noslip_roots *r)
{
    return (noslip_roots_info){.coordinates = r->m->n,
                               .positional = r->m->n_positional,
                               .manifold_dimension = r->info.manifold,
                               .holonomic_levels = r->info.levels,
                               .states = r->x->N,
                               .roots = r->x->n,
                               .reactions = r->m->n_constraints,
                               .free_directions = r->info.free_directions,
                               .iterations = r->info.iterations,
                               .residual = r->info.residual,
                               .gap_above = r->info.gap_above,
                               .gap_below = r->info.gap_below,
                               .abscissa = r->x->abscissa,
                               .verdict = verdict_of(r->x)};
}

noslip_root noslip_roots_at(const noslip_roots *r, size_t k)
{
    const root *e = &r->x->roots[k];
    return (noslip_root){e->re, e->im, e->bound};
}

const char *noslip_roots_state(const noslip_roots *r, size_t k)
{
    size_t p = r->m->n_positional;
    return k < p ? r->m->s->coordinates.at[r->m->positional[k]].name : r->m->quasi[k - p];
}

double noslip_roots_value(const noslip_roots *r, size_t k)
{
    size_t p = r->m->n_positional;
    return k < p ? r->q[r->m->positional[k]] : r->w[k - p];
}

double noslip_roots_matrix(const noslip_roots *r, size_t row, size_t column)
{
    return r->x->G[row + column * r->x->N];
}

const char *noslip_roots_label(const noslip_roots *r, size_t k)
{
    return r->m->s->constraints.at[r->m->constraint[k]].label;
}

double noslip_roots_reaction(const noslip_roots *r, size_t k)
{
    return steady_point(r->s)->lambda[k];
}
