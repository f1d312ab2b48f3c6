/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "equations.h"

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "diff.h"

/* The expressions on the way, by coordinate (n) or by form (m). */
typedef struct {
    const mechanical_system *s;
    graph *g;
    size_t n, m;
    const expr *forms;
    equations_wish wish;
    expr *in;             /* parameters, q, v, a, mu */
    expr *q, *v, *a, *mu; /* into `in` */
    expr *out;            /* L, K, u, U' mu one after the other: what the slopes are taken of */
    expr *L, *K, *u, *S;  /* into `out` */
    expr *scratch;        /* 2 n */
} derivation;

static bool start(derivation *d, const mechanical_system *s, const expr *forms, size_t m)
{
    size_t n = s->coordinates.n, p = s->parameters.n;
    *d = (derivation){.s = s, .g = s->g, .n = n, .m = m, .forms = forms};
    d->in = noslip_calloc(p + 3 * n + m, sizeof(expr));
    d->out = noslip_calloc(2 * n + 2 * m, sizeof(expr));
    d->scratch = noslip_calloc(2 * n, sizeof(expr));
    if (!d->in || !d->out || !d->scratch) return false;
    d->q = d->in + p;
    d->v = d->q + n;
    d->a = d->v + n;
    d->mu = d->a + n;
    d->L = d->out;
    d->K = d->L + n;
    d->u = d->K + m;
    d->S = d->u + m;
    return true;
}

static void finish(derivation *d)
{
    noslip_free(d->in);
    noslip_free(d->out);
    noslip_free(d->scratch);
}

/* Those that do not vary first. */
static void order_parameters(const derivation *d, equations *e)
{
    size_t p = d->s->parameters.n, k = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < p; i++)
            if ((d->wish.varies && d->wish.varies[i]) == (pass == 1)) e->order[k++] = i;
        if (pass == 0) e->n_fixed = k;
    }
}

static void name_inputs(derivation *d, const equations *e)
{
    for (size_t k = 0; k < d->s->parameters.n; k++)
        d->in[k] = d->s->parameters.at[e->order[k]].symbol;
    for (size_t i = 0; i < d->n; i++) {
        d->q[i] = d->s->coordinates.at[i].symbol;
        d->v[i] = graph_rate(d->g, d->q[i]);
        d->a[i] = graph_rate(d->g, d->v[i]);
    }
    for (size_t k = 0; k < d->m; k++) {
        char name[32];
        snprintf(name, sizeof name, "mu.%zu", k + 1); /* no name of a user has a point */
        d->mu[k] = graph_symbol(d->g, name, SYMBOL_QUASI);
    }
}

/* Add (or take away) the gradient of an energy. */
static noslip_status add_gradient(derivation *d, expr energy, const expr *by, bool plus)
{
    noslip_status status = diff_gradient(d->g, energy, by, d->n, d->scratch);
    for (size_t i = 0; status == NOSLIP_OK && i < d->n; i++)
        d->L[i] = graph_apply(d->g, plus ? OP_ADD : OP_SUB, d->L[i], d->scratch[i]);
    return status;
}

/* [T-1]: L = d/dt dT/dv - dT/dq + dV/dq + dF/dv - Q */
static noslip_status derive_lagrange(derivation *d)
{
    expr *momentum = d->scratch + d->n;
    noslip_status status = diff_gradient(d->g, d->s->kinetic, d->v, d->n, momentum);
    if (status == NOSLIP_OK) status = diff_time(d->g, momentum, d->n, d->L);
    if (status == NOSLIP_OK) status = add_gradient(d, d->s->kinetic, d->q, false);
    if (status == NOSLIP_OK) status = add_gradient(d, d->s->potential, d->q, true);
    if (status == NOSLIP_OK) status = add_gradient(d, d->s->dissipation, d->v, true);
    for (size_t i = 0; status == NOSLIP_OK && i < d->n; i++)
        d->L[i] = expr_sub(d->g, d->L[i], d->s->coordinates.at[i].force);
    return status == NOSLIP_OK ? graph_status(d->g) : status;
}

/* K = du/dt, and U' mu as the gradient of mu.u by v. */
static noslip_status derive_forms(derivation *d)
{
    expr work = graph_const(d->g, 0);
    for (size_t k = 0; k < d->m; k++) {
        d->u[k] = d->forms[k];
        work = expr_add(d->g, work, expr_mul(d->g, d->mu[k], d->forms[k]));
    }
    if (graph_status(d->g) != NOSLIP_OK) return NOSLIP_ERR_MEMORY;
    noslip_status status = diff_time(d->g, d->u, d->m, d->K);
    return status == NOSLIP_OK ? diff_gradient(d->g, work, d->v, d->n, d->S) : status;
}

static noslip_status compile(const derivation *d, const equations *e, const expr *out, size_t n_out,
                             tape **t, noslip_error *err)
{
    const tape_spec spec = {d->in, e->n_in, e->n_fixed, out, n_out};
    return tape_compile(d->g, &spec, t, err);
}

typedef ARRAY(expr) expr_list;

/* U where it is not zero, then u: run at v = 0 the latter is u0. */
static noslip_status compile_forms(derivation *d, equations *e, noslip_error *err)
{
    expr_list out = {0};
    jacobian j = {0};
    noslip_status status = diff_jacobian(d->g, d->u, d->m, d->v, d->n, JACOBIAN_AUTO, &j);
    for (size_t k = 0; status == NOSLIP_OK && k < j.entries.n; k++) {
        const jacobian_entry *x = &j.entries.at[k];
        const equation_entry entry = {BY_U, x->row, x->column};
        if (!array_push(&out, x->e) || !array_push(&e->of_forms, entry)) status = NOSLIP_ERR_MEMORY;
    }
    for (size_t k = 0; status == NOSLIP_OK && k < d->m; k++)
        if (!array_push(&out, d->u[k])) status = NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK)
        status = compile(d, e, out.at, out.n, &e->forms, err);
    else
        noslip_fail_memory(err);
    jacobian_free(&j);
    array_free(&out);
    return status;
}

/* Which matrix d out[row] / d (q, v, a)[column] belongs to; EQUATION_BLOCKS if nobody wants it. */
static equation_entry entry_of(const derivation *d, uint32_t row, uint32_t column)
{
    static const equation_block blocks[4][3] = {{BY_Lq, BY_Lv, BY_A},
                                                {BY_Kq, BY_Kv, EQUATION_BLOCKS},
                                                {BY_uq, EQUATION_BLOCKS, EQUATION_BLOCKS},
                                                {BY_S, EQUATION_BLOCKS, EQUATION_BLOCKS}};
    const size_t rows[4] = {d->n, d->m, d->m, d->n};
    uint32_t n = (uint32_t)d->n, of = 0;
    while (row >= rows[of]) row -= (uint32_t)rows[of++];
    equation_entry x = {blocks[of][column / n], row, column % n};
    if (column < n && d->wish.by && !d->wish.by[column]) x.block = EQUATION_BLOCKS;
    return x;
}

static noslip_status compile_slopes(derivation *d, equations *e, noslip_error *err)
{
    expr_list out = {0};
    jacobian j = {0};
    noslip_status status =
        diff_jacobian(d->g, d->out, 2 * d->n + 2 * d->m, d->q, 3 * d->n, JACOBIAN_FORWARD, &j);
    for (size_t k = 0; status == NOSLIP_OK && k < j.entries.n; k++) {
        equation_entry entry = entry_of(d, j.entries.at[k].row, j.entries.at[k].column);
        if (entry.block == EQUATION_BLOCKS) continue;
        if (!array_push(&out, j.entries.at[k].e) || !array_push(&e->of_slopes, entry))
            status = NOSLIP_ERR_MEMORY;
    }
    if (status == NOSLIP_OK)
        status = compile(d, e, out.at, out.n, &e->slopes, err);
    else
        noslip_fail_memory(err);
    jacobian_free(&j);
    array_free(&out);
    return status;
}

noslip_status equations_new(const mechanical_system *s, const expr *forms, size_t m,
                            equations_wish wish, equations **out, noslip_error *err)
{
    derivation d;
    equations *e = noslip_calloc(1, sizeof *e);
    noslip_status status = start(&d, s, forms, m) && e ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    d.wish = wish;
    if (status == NOSLIP_OK) {
        size_t p = s->parameters.n;
        *e = (equations){.n = d.n, .m = m, .n_parameters = p, .n_in = p + 3 * d.n + m};
        e->order = noslip_calloc(p, sizeof *e->order);
        if (!e->order) status = NOSLIP_ERR_MEMORY;
    }
    if (status == NOSLIP_OK) {
        order_parameters(&d, e);
        name_inputs(&d, e);
        status = graph_status(d.g);
    }
    if (status == NOSLIP_OK) status = derive_lagrange(&d);
    if (status == NOSLIP_OK) status = derive_forms(&d);
    if (status != NOSLIP_OK) noslip_fail_memory(err);
    if (status == NOSLIP_OK) status = compile_forms(&d, e, err);
    if (status == NOSLIP_OK) status = compile(&d, e, d.K, m, &e->turning, err);
    if (status == NOSLIP_OK) status = compile(&d, e, d.out, d.n + m, &e->motion, err);
    if (status == NOSLIP_OK) status = compile_slopes(&d, e, err);
    finish(&d);
    if (status == NOSLIP_OK)
        *out = e;
    else
        equations_free(e);
    return status;
}

void equations_free(equations *e)
{
    if (!e) return;
    tape_free(e->forms);
    tape_free(e->turning);
    tape_free(e->motion);
    tape_free(e->slopes);
    noslip_free(e->order);
    array_free(&e->of_forms);
    array_free(&e->of_slopes);
    noslip_free(e);
}

/* One point */

/* Where the matrices begin: u0, L, K, then the blocks. */
typedef struct {
    size_t L, K, block[EQUATION_BLOCKS], rows[EQUATION_BLOCKS], total;
} layout;

static layout layout_of(size_t n, size_t m)
{
    layout x = {.L = m, .K = m + n, .total = m + n + m};
    for (int k = 0; k < EQUATION_BLOCKS; k++) {
        bool by_form = k == BY_U || k == BY_uq || k == BY_Kq || k == BY_Kv;
        x.block[k] = x.total;
        x.rows[k] = by_form ? m : n;
        x.total += x.rows[k] * n;
    }
    return x;
}

static void point_into(equations_work *w)
{
    const equations *e = w->e;
    layout x = layout_of(e->n, e->m);
    w->parameters = w->in;
    w->q = w->in + e->n_parameters;
    w->v = w->q + e->n;
    w->a = w->v + e->n;
    w->mu = w->a + e->n;
    w->u0 = w->matrices;
    w->L = w->matrices + x.L;
    w->K = w->matrices + x.K;
    double **blocks[EQUATION_BLOCKS] = {&w->U,  &w->A,  &w->uq, &w->Kq,
                                        &w->Kv, &w->Lq, &w->Lv, &w->S};
    for (int k = 0; k < EQUATION_BLOCKS; k++) *blocks[k] = w->matrices + x.block[k];
    for (size_t k = 0; k < e->of_forms.n; k++) {
        const equation_entry *y = &e->of_forms.at[k];
        w->of_forms[k] = (uint32_t)(x.block[y->block] + y->row + y->column * x.rows[y->block]);
    }
    for (size_t k = 0; k < e->of_slopes.n; k++) {
        const equation_entry *y = &e->of_slopes.at[k];
        w->of_slopes[k] = (uint32_t)(x.block[y->block] + y->row + y->column * x.rows[y->block]);
    }
}

equations_work *equations_work_new(const equations *e)
{
    equations_work *w = noslip_calloc(1, sizeof *w);
    if (!w) return NULL;
    size_t forms = e->of_forms.n + e->m, slopes = e->of_slopes.n;
    w->e = e;
    w->forms = tape_work_new(e->forms);
    w->turning = tape_work_new(e->turning);
    w->motion = tape_work_new(e->motion);
    w->slopes = tape_work_new(e->slopes);
    w->in = noslip_calloc(e->n_in, sizeof(double));
    w->out = noslip_calloc(forms > slopes ? forms : slopes, sizeof(double));
    w->of_forms = noslip_calloc(e->of_forms.n, sizeof *w->of_forms);
    w->of_slopes = noslip_calloc(slopes, sizeof *w->of_slopes);
    w->matrices = noslip_calloc(layout_of(e->n, e->m).total,
                                sizeof(double)); /* zero where no entry ever comes */
    if (!w->forms || !w->turning || !w->motion || !w->slopes || !w->in || !w->out || !w->of_forms ||
        !w->of_slopes || !w->matrices) {
        equations_work_free(w);
        return NULL;
    }
    point_into(w);
    return w;
}

void equations_work_free(equations_work *w)
{
    if (!w) return;
    tape_work_free(w->forms);
    tape_work_free(w->turning);
    tape_work_free(w->motion);
    tape_work_free(w->slopes);
    noslip_free(w->in);
    noslip_free(w->out);
    noslip_free(w->of_forms);
    noslip_free(w->of_slopes);
    noslip_free(w->matrices);
    noslip_free(w);
}

noslip_status equations_forms(equations_work *w)
{
    const equations *e = w->e;
    memset(w->v, 0, e->n * sizeof *w->v);
    noslip_status status = tape_point(w->forms, w->in, w->out);
    for (size_t k = 0; k < e->of_forms.n; k++) w->matrices[w->of_forms[k]] = w->out[k];
    memcpy(w->u0, w->out + e->of_forms.n, e->m * sizeof *w->u0);
    return status;
}

noslip_status equations_turning(equations_work *w)
{
    return tape_point(w->turning, w->in, w->K);
}

noslip_status equations_motion(equations_work *w)
{
    return tape_point(w->motion, w->in, w->L); /* L and K stand side by side */
}

noslip_status equations_slopes(equations_work *w)
{
    noslip_status status = tape_point(w->slopes, w->in, w->out);
    for (size_t k = 0; k < w->e->of_slopes.n; k++) w->matrices[w->of_slopes[k]] = w->out[k];
    return status;
}
