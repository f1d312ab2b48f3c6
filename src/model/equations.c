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

static void name_inputs(derivation *d)
{
    for (size_t k = 0; k < d->s->parameters.n; k++) d->in[k] = d->s->parameters.at[k].symbol;
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

static noslip_status compile(const derivation *d, const expr *out, size_t n_out, tape **t,
                             noslip_error *err)
{
    size_t p = d->s->parameters.n;
    const tape_spec spec = {d->in, p + 3 * d->n + d->m, p, out, n_out};
    return tape_compile(d->g, &spec, t, err);
}

/* U dense, then u: run at v = 0 the latter is u0. */
static noslip_status compile_forms(derivation *d, equations *e, noslip_error *err)
{
    size_t n = d->n, m = d->m;
    expr *out = noslip_calloc(m * n + m, sizeof *out);
    jacobian j = {0};
    noslip_status status =
        out ? diff_jacobian(d->g, d->u, m, d->v, n, JACOBIAN_AUTO, &j) : NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK) {
        expr zero = graph_const(d->g, 0);
        for (size_t k = 0; k < m * n; k++) out[k] = zero;
        for (size_t k = 0; k < j.entries.n; k++) {
            const jacobian_entry *x = &j.entries.at[k];
            out[x->row + x->column * m] = x->e;
        }
        memcpy(out + m * n, d->u, m * sizeof *out);
        status = compile(d, out, m * n + m, &e->forms, err);
    } else
        noslip_fail_memory(err);
    jacobian_free(&j);
    noslip_free(out);
    return status;
}

/* Where the matrices of a workspace begin. */
typedef struct {
    size_t U, u0, L, K, A, uq, Kq, Kv, Lq, Lv, S, total;
} layout;

static layout layout_of(size_t n, size_t m)
{
    layout x = {.U = 0};
    x.u0 = x.U + m * n;
    x.L = x.u0 + m;
    x.K = x.L + n;
    x.A = x.K + m;
    x.uq = x.A + n * n;
    x.Kq = x.uq + m * n;
    x.Kv = x.Kq + m * n;
    x.Lq = x.Kv + m * n;
    x.Lv = x.Lq + n * n;
    x.S = x.Lv + n * n;
    x.total = x.S + n * n;
    return x;
}

/* The place of d out[row] / d (q, v, a)[column], or the total if nobody wants it. */
static size_t place_of(const layout *x, size_t n, size_t m, size_t row, size_t column)
{
    size_t by = column / n, j = column % n;
    const size_t of_L[3] = {x->Lq, x->Lv, x->A}, of_K[3] = {x->Kq, x->Kv, x->total};
    const size_t of_u[3] = {x->uq, x->total, x->total}, of_S[3] = {x->S, x->total, x->total};
    const size_t *block = of_L;
    size_t rows = n;
    if (row >= n) block = of_K, row -= n, rows = m;
    if (block == of_K && row >= m) block = of_u, row -= m;
    if (block == of_u && row >= m) block = of_S, row -= m, rows = n;
    return block[by] == x->total ? x->total : block[by] + row + j * rows;
}

static noslip_status compile_slopes(derivation *d, equations *e, noslip_error *err)
{
    layout x = layout_of(d->n, d->m);
    ARRAY(expr) out = {0};
    jacobian j = {0};
    noslip_status status =
        diff_jacobian(d->g, d->out, 2 * d->n + 2 * d->m, d->q, 3 * d->n, JACOBIAN_FORWARD, &j);
    for (size_t k = 0; status == NOSLIP_OK && k < j.entries.n; k++) {
        size_t place = place_of(&x, d->n, d->m, j.entries.at[k].row, j.entries.at[k].column);
        if (place == x.total) continue;
        if (!array_push(&out, j.entries.at[k].e) || !array_push(&e->slot, (uint32_t)place))
            status = NOSLIP_ERR_MEMORY;
    }
    if (status == NOSLIP_OK)
        status = compile(d, out.at, out.n, &e->slopes, err);
    else
        noslip_fail_memory(err);
    jacobian_free(&j);
    array_free(&out);
    return status;
}

noslip_status equations_new(const mechanical_system *s, const expr *forms, size_t m,
                            equations **out, noslip_error *err)
{
    derivation d;
    equations *e = noslip_calloc(1, sizeof *e);
    noslip_status status = start(&d, s, forms, m) && e ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK) {
        name_inputs(&d);
        *e = (equations){.n = d.n,
                         .m = m,
                         .n_parameters = s->parameters.n,
                         .n_in = s->parameters.n + 3 * d.n + m};
        status = graph_status(d.g);
    }
    if (status == NOSLIP_OK) status = derive_lagrange(&d);
    if (status == NOSLIP_OK) status = derive_forms(&d);
    if (status != NOSLIP_OK) noslip_fail_memory(err);
    if (status == NOSLIP_OK) status = compile_forms(&d, e, err);
    if (status == NOSLIP_OK) status = compile(&d, d.out, d.n + m, &e->motion, err);
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
    tape_free(e->motion);
    tape_free(e->slopes);
    array_free(&e->slot);
    noslip_free(e);
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
    w->U = w->matrices + x.U;
    w->u0 = w->matrices + x.u0;
    w->L = w->matrices + x.L;
    w->K = w->matrices + x.K;
    w->A = w->matrices + x.A;
    w->uq = w->matrices + x.uq;
    w->Kq = w->matrices + x.Kq;
    w->Kv = w->matrices + x.Kv;
    w->Lq = w->matrices + x.Lq;
    w->Lv = w->matrices + x.Lv;
    w->S = w->matrices + x.S;
}

equations_work *equations_work_new(const equations *e)
{
    equations_work *w = noslip_calloc(1, sizeof *w);
    if (!w) return NULL;
    w->e = e;
    w->forms = tape_work_new(e->forms);
    w->motion = tape_work_new(e->motion);
    w->slopes = tape_work_new(e->slopes);
    w->in = noslip_calloc(e->n_in, sizeof(double));
    w->out = noslip_calloc(e->slot.n, sizeof(double));
    w->matrices = noslip_calloc(layout_of(e->n, e->m).total,
                                sizeof(double)); /* zero where no entry ever comes */
    if (!w->forms || !w->motion || !w->slopes || !w->in || !w->out || !w->matrices) {
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
    tape_work_free(w->motion);
    tape_work_free(w->slopes);
    noslip_free(w->in);
    noslip_free(w->out);
    noslip_free(w->matrices);
    noslip_free(w);
}

noslip_status equations_forms(equations_work *w)
{
    memset(w->v, 0, w->e->n * sizeof *w->v);
    return tape_point(w->forms, w->in, w->U); /* U and u0 stand side by side */
}

noslip_status equations_motion(equations_work *w)
{
    return tape_point(w->motion, w->in, w->L); /* and so do L and K */
}

noslip_status equations_slopes(equations_work *w)
{
    noslip_status status = tape_point(w->slopes, w->in, w->out);
    for (size_t k = 0; k < w->e->slot.n; k++) w->matrices[w->e->slot.at[k]] = w->out[k];
    return status;
}
