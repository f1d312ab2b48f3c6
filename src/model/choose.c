/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "choose.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "depend.h"
#include "diff.h"

/* Candidates */

static bool turns_with(const mechanical_system *s, const expr *constraint, size_t n, expr x, expr y,
                       expr psi)
{
    const expr rate[2] = {graph_rate(s->g, x), graph_rate(s->g, y)};
    for (size_t k = 0; k < n; k++) {
        bool both = true;
        for (int i = 0; i < 2; i++) {
            expr coefficient = diff_partial(s->g, constraint[k], rate[i]);
            expr slope =
                coefficient == EXPR_NONE ? EXPR_NONE : diff_partial(s->g, coefficient, psi);
            double c;
            both = both && slope != EXPR_NONE && !(graph_is_const(s->g, slope, &c) && c == 0);
        }
        if (both) return true;
    }
    return false;
}

static bool add_heading(const mechanical_system *s, expr x, expr y, expr psi, form_list *out)
{
    graph *g = s->g;
    expr c = graph_apply(g, OP_COS, psi, 0), sine = graph_apply(g, OP_SIN, psi, 0);
    expr dx = graph_rate(g, x), dy = graph_rate(g, y);
    expr along = expr_add(g, expr_mul(g, c, dx), expr_mul(g, sine, dy));
    expr across = expr_sub(g, expr_mul(g, c, dy), expr_mul(g, sine, dx));
    return array_push(out, along) && array_push(out, across);
}

bool choose_candidates(const mechanical_system *s, const expr *constraint, size_t n_constraints,
                       form_list *out)
{
    size_t n = s->coordinates.n;
    for (size_t i = 0; i < n; i++)
        if (!array_push(out, graph_rate(s->g, s->coordinates.at[i].symbol))) return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            for (size_t k = 0; k < n; k++) {
                if (k == i || k == j) continue;
                expr x = s->coordinates.at[i].symbol, y = s->coordinates.at[j].symbol,
                     psi = s->coordinates.at[k].symbol;
                if (!turns_with(s, constraint, n_constraints, x, y, psi)) continue;
                if (!add_heading(s, x, y, psi, out)) return false;
            }
    return graph_status(s->g) == NOSLIP_OK;
}

static noslip_status forms_at(equations_work *e, const samples *x, size_t k)
{
    memcpy(e->q, x->q + k * x->n, x->n * sizeof(double));
    return equations_forms(e);
}

/* Choices */

enum { MOST_CHOICES = 4000, MOST_TRIED = 40 };

typedef struct {
    size_t row[16]; /* of the candidates: there are few enough choices only if f is small */
    double rcond;   /* smallest over the samples */
} choice;

typedef struct {
    reduced *r;
    size_t candidates;
    const samples *x;
    double *U;     /* SAMPLES + 1 matrices m x n */
    size_t states; /* as many of them count */
    choice *choices;
    size_t n_choices;
} chooser;

static double choices_of(size_t candidates, size_t f)
{
    double count = 1;
    for (size_t k = 0; k < f; k++) count = count * (double)(candidates - k) / (double)(k + 1);
    return count;
}

static bool next_combination(size_t *row, size_t f, size_t candidates)
{
    for (size_t k = f; k-- > 0;) {
        if (row[k] + (f - k) >= candidates) continue;
        row[k]++;
        for (size_t i = k + 1; i < f; i++) row[i] = row[i - 1] + 1;
        return true;
    }
    return false;
}

/* The condition of U over the states that count, from the matrices kept. */
static double condition(chooser *c, const size_t *row)
{
    reduced *r = c->r;
    size_t n = r->n, m = r->e->e->m;
    double worst = 1;
    for (size_t p = 0; p < c->states; p++) {
        const double *U = c->U + p * m * n;
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < n; k++)
                r->lu[k + j * n] = U[(k < r->f ? row[k] : r->row[k]) + j * m];
        double rcond = 0;
        if (dense_factor(r->d, n, r->lu, r->pivot, &rcond) != NOSLIP_OK) return 0;
        if (rcond < worst) worst = rcond;
    }
    return worst;
}

static int by_condition(const void *x, const void *y)
{
    const choice *a = x, *b = y;
    if (a->rcond != b->rcond) return a->rcond < b->rcond ? 1 : -1;
    return memcmp(a->row, b->row, sizeof a->row); /* the same order on every machine */
}

static void list_choices(chooser *c)
{
    size_t f = c->r->f;
    choice now = {.row = {0}};
    for (size_t k = 0; k < f; k++) now.row[k] = k;
    do {
        now.rcond = condition(c, now.row);
        if (now.rcond > 1e-10) c->choices[c->n_choices++] = now;
    } while (next_combination(now.row, f, c->candidates));
    qsort(c->choices, c->n_choices, sizeof *c->choices, by_condition);
}

static size_t count_needed(const needed_why *why, size_t n)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += why[j] != NEEDED_NOT;
    return count;
}

/* Try the best conditioned ones; the first with the fewest positional coordinates wins. */
static noslip_status try_choices(chooser *c, const bool *level, needed_why *why, size_t *because)
{
    reduced *r = c->r;
    size_t best = c->n_choices, fewest = r->n + 1;
    for (size_t k = 0; k < c->n_choices && k < MOST_TRIED; k++) {
        double rcond;
        memcpy(r->row, c->choices[k].row, r->f * sizeof *r->row);
        noslip_status status = needed_find(r, c->x, level, why, because, &rcond);
        if (status == NOSLIP_ERR_MEMORY) return status;
        if (status != NOSLIP_OK || count_needed(why, r->n) >= fewest) continue;
        fewest = count_needed(why, r->n);
        best = k;
    }
    if (best == c->n_choices) return NOSLIP_SINGULAR;
    memcpy(r->row, c->choices[best].row, r->f * sizeof *r->row);
    return NOSLIP_OK;
}

/* Too many choices: at each step the candidate that is least explained by what is there, at the last state: the
 * reference, if the forms are defined there. */
static noslip_status choose_greedily(chooser *c)
{
    reduced *r = c->r;
    size_t n = r->n, m = r->e->e->m;
    const double *U = c->U + (c->states - 1) * m * n;
    row_basis rows;
    noslip_status status = row_basis_open(&rows, n) ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    for (size_t k = r->f; k < n && status == NOSLIP_OK; k++) {
        row_basis_rest(&rows, U + r->row[k], m, 0, NULL);
        row_basis_add(&rows);
    }
    for (size_t k = 0; k < r->f && status == NOSLIP_OK; k++) {
        double most = 0;
        for (size_t i = 0; i < c->candidates; i++) {
            double left = row_basis_rest(&rows, U + i, m, 0, NULL);
            if (left > most * 1.0001) r->row[k] = i;
            if (left > most * 1.0001) most = left;
        }
        if (most < 1e-9) status = NOSLIP_SINGULAR;
        row_basis_rest(&rows, U + r->row[k], m, 0, NULL);
        row_basis_add(&rows);
    }
    row_basis_close(&rows);
    return status;
}

static noslip_status keep_forms(chooser *c)
{
    equations_work *e = c->r->e;
    size_t size = e->e->m * e->e->n;
    noslip_status status = NOSLIP_OK;
    for (size_t p = 0; p < c->states && status == NOSLIP_OK; p++) {
        status = forms_at(e, c->x, p);
        memcpy(c->U + p * size, e->U, size * sizeof(double));
    }
    return status;
}

noslip_status choose_forms(reduced *r, size_t candidates, const samples *x, const bool *level)
{
    double count = choices_of(candidates, r->f);
    bool few = count <= MOST_CHOICES && r->f <= sizeof((choice *)0)->row / sizeof(size_t);
    chooser c = {.r = r, .candidates = candidates, .x = x, .states = SAMPLES + x->at_reference};
    c.U = noslip_calloc(c.states * r->e->e->m * r->n, sizeof(double));
    c.choices = noslip_calloc(few ? (size_t)count + 1 : 1, sizeof *c.choices);
    needed_why *why = noslip_calloc(r->n, sizeof *why);
    size_t *because = noslip_calloc(r->n, sizeof *because);
    noslip_status status = c.U && c.choices && why && because ? keep_forms(&c) : NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK && few) {
        list_choices(&c);
        c.states = SAMPLES; /* the reference may be a point to keep away from */
        if (!c.n_choices && x->at_reference) list_choices(&c);
        status = try_choices(&c, level, why, because);
    } else if (status == NOSLIP_OK) {
        status = choose_greedily(&c);
        c.states = SAMPLES;
        if (status == NOSLIP_SINGULAR && x->at_reference) status = choose_greedily(&c);
    }
    noslip_free(c.U);
    noslip_free(c.choices);
    noslip_free(why);
    noslip_free(because);
    return status;
}
