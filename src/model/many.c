/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "many.h"

#include <stdint.h>
#include <string.h>

#include "alloc.h"

/* Rows */

/* The address that the heap gave stands before the rows. */
double *many_rows(size_t n)
{
    enum { ALIGN = 64 };
    char *raw = noslip_calloc(n * sizeof(double) + sizeof(void *) + ALIGN, 1);
    if (!raw) return NULL;
    char *at = raw + sizeof(void *);
    at += (ALIGN - (uintptr_t)at % ALIGN) % ALIGN;
    memcpy(at - sizeof(void *), &raw, sizeof raw);
    return (double *)(void *)at;
}

void many_rows_free(double *rows)
{
    char *raw;
    if (!rows) return;
    memcpy(&raw, (char *)rows - sizeof(void *), sizeof raw);
    noslip_free(raw);
}

/* Equations */

noslip_status many_equations_new(const model *m, const bool *varies, many_equations **out,
                                 noslip_error *err)
{
    many_equations *e = noslip_calloc(1, sizeof *e);
    bool *by = noslip_calloc(m->n, sizeof *by);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (e && by) {
        e->m = m;
        e->place = noslip_calloc(m->n, sizeof *e->place);
    }
    if (e && by && e->place) {
        for (size_t j = 0; j < m->n; j++) e->place[j] = m->n_positional;
        for (size_t k = 0; k < m->n_positional; k++) {
            by[m->positional[k]] = true;
            e->place[m->positional[k]] = k;
        }
        status = equations_new(m->s, m->form, m->n, (equations_wish){varies, by}, &e->e, err);
    } else
        noslip_fail_memory(err);
    noslip_free(by);
    if (status == NOSLIP_OK)
        *out = e;
    else
        many_equations_free(e);
    return status;
}

void many_equations_free(many_equations *e)
{
    if (!e) return;
    equations_free(e->e);
    noslip_free(e->place);
    noslip_free(e);
}

/* Workspace */

static bool allocate_rows(many *k)
{
    size_t n = k->n, f = k->f, p = k->p, N = k->N;
    struct {
        double **at;
        size_t rows;
    } part[] = {{&k->parameters, k->e->e->n_parameters},
                {&k->q, n},
                {&k->w, f},
                {&k->v, n},
                {&k->a, n},
                {&k->mu, n},
                {&k->u0, n},
                {&k->L, n},
                {&k->K, n},
                {&k->U, n * n},
                {&k->A, n * n},
                {&k->uq, n * p},
                {&k->Kq, n * p},
                {&k->Kv, n * n},
                {&k->Lq, n * p},
                {&k->Lv, n * n},
                {&k->S, n * p},
                {&k->lu, n * n},
                {&k->pivot, n},
                {&k->vx, n * N},
                {&k->Y, n * f},
                {&k->t, n * N},
                {&k->c, n},
                {&k->cx, f * N},
                {&k->M, f * f},
                {&k->hint, 1}};
    size_t total = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) total += part[i].rows;
    k->memory = many_rows(total * k->lanes);
    if (!k->memory) return false;
    double *at = k->memory;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].at = at;
        at += part[i].rows * k->lanes;
    }
    k->W1 = k->vx + n * p * k->lanes;
    return true;
}

/* The row that an entry of a matrix goes to. */
static double *row_of(const many *k, const equation_entry *x)
{
    double *const blocks[EQUATION_BLOCKS] = {k->U, k->A, k->uq, k->Kq, k->Kv, k->Lq, k->Lv, k->S};
    bool by_q = x->block == BY_uq || x->block == BY_Kq || x->block == BY_Lq || x->block == BY_S;
    size_t column = by_q ? k->e->place[x->column] : x->column;
    return blocks[x->block] + (x->row + column * k->n) * k->lanes;
}

static bool point_tapes(many *k)
{
    const equations *e = k->e->e;
    size_t p = e->n_parameters, n = k->n, lanes = k->lanes;
    k->in = noslip_calloc(e->n_in, sizeof *k->in);
    k->forms_out = noslip_calloc(e->of_forms.n + n, sizeof *k->forms_out);
    k->motion_out = noslip_calloc(2 * n, sizeof *k->motion_out);
    k->slopes_out = noslip_calloc(e->of_slopes.n, sizeof *k->slopes_out);
    if (!k->in || !k->forms_out || !k->motion_out || !k->slopes_out) return false;
    for (size_t i = 0; i < p; i++) k->in[i] = k->parameters + e->order[i] * lanes;
    for (size_t i = 0; i < n; i++) {
        k->in[p + i] = k->q + i * lanes;
        k->in[p + n + i] = k->v + i * lanes;
        k->in[p + 2 * n + i] = k->a + i * lanes;
        k->in[p + 3 * n + i] = k->mu + i * lanes;
        k->forms_out[e->of_forms.n + i] = k->u0 + i * lanes;
        k->motion_out[i] = k->L + i * lanes;
        k->motion_out[n + i] = k->K + i * lanes;
    }
    for (size_t i = 0; i < e->of_forms.n; i++) k->forms_out[i] = row_of(k, &e->of_forms.at[i]);
    for (size_t i = 0; i < e->of_slopes.n; i++) k->slopes_out[i] = row_of(k, &e->of_slopes.at[i]);
    return true;
}

many *many_new(const many_equations *e, size_t lanes)
{
    many *k = noslip_calloc(1, sizeof *k);
    if (!k) return NULL;
    const model *m = e->m;
    *k = (many){.e = e, .lanes = lanes, .n = m->n, .f = m->f, .p = m->n_positional};
    k->N = k->p + k->f;
    k->b = batch_work_new(k->n);
    k->forms = tape_work_new(e->e->forms);
    k->turning = tape_work_new(e->e->turning);
    k->motion = tape_work_new(e->e->motion);
    k->slopes = tape_work_new(e->e->slopes);
    k->bad = noslip_calloc(lanes, 1);
    k->flag = noslip_calloc(lanes, 1);
    if (!k->b || !k->forms || !k->turning || !k->motion || !k->slopes || !k->bad || !k->flag ||
        !allocate_rows(k) || !point_tapes(k)) {
        many_free(k);
        return NULL;
    }
    return k;
}

void many_free(many *k)
{
    if (!k) return;
    batch_work_free(k->b);
    tape_work_free(k->forms);
    tape_work_free(k->turning);
    tape_work_free(k->motion);
    tape_work_free(k->slopes);
    noslip_free(k->bad);
    noslip_free(k->flag);
    noslip_free(k->in);
    noslip_free(k->forms_out);
    noslip_free(k->motion_out);
    noslip_free(k->slopes_out);
    many_rows_free(k->memory);
    noslip_free(k);
}

/* Values and slopes */

static void note_bad(many *k)
{
    for (size_t i = 0; i < k->lanes; i++) k->bad[i] |= k->flag[i];
}

static void run(many *k, tape_work *t, double *const *out)
{
    tape_batch(t, k->in, out, k->lanes, k->flag);
    note_bad(k);
}

static void negate(double *to, const double *from, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++) to[i] = -from[i];
}

void many_values(many *k)
{
    size_t n = k->n, f = k->f, lanes = k->lanes, row = lanes * sizeof(double);
    memset(k->v, 0, n * row);
    run(k, k->forms, k->forms_out);
    memcpy(k->lu, k->U, n * n * row);
    batch_factor(k->b, lanes, n, k->lu, k->pivot, k->flag, k->hint);
    note_bad(k);

    negate(k->v, k->u0, n * lanes);
    for (size_t i = 0; i < f * lanes; i++) k->v[i] += k->w[i];
    batch_solve(k->b, lanes, false, n, k->lu, k->pivot, 1, k->v);

    memset(k->a, 0, n * row);
    run(k, k->turning, k->motion_out + n);
    negate(k->a, k->K, n * lanes);
    batch_solve(k->b, lanes, false, n, k->lu, k->pivot, 1, k->a);

    run(k, k->motion, k->motion_out);
    memcpy(k->c, k->L, n * row);
    batch_solve(k->b, lanes, true, n, k->lu, k->pivot, 1, k->c);
    memcpy(k->mu, k->c, n * row);
}

/* [T-8] by x at once, without the accelerations' own slopes: with Y = W' A W1, whose first f rows are M,
 *
 *     vx = W ([0, 1; 0] - [uq, 0]),   cx = W1' ([Lq - S, 0] + Lv vx) - Y' ([Kq, 0] + Kv vx)                      */
void many_slopes(many *k)
{
    size_t n = k->n, f = k->f, p = k->p, N = k->N, lanes = k->lanes;
    run(k, k->slopes, k->slopes_out);
    negate(k->vx, k->uq, n * p * lanes);
    memset(k->W1, 0, n * f * lanes * sizeof(double));
    for (size_t j = 0; j < f; j++)
        for (size_t i = 0; i < lanes; i++) k->W1[(j + j * n) * lanes + i] = 1;
    batch_solve(k->b, lanes, false, n, k->lu, k->pivot, N, k->vx);

    batch_multiply(k->b, lanes, true, false, n, f, n, 1, k->A, k->W1, 0, k->Y);
    batch_solve(k->b, lanes, true, n, k->lu, k->pivot, f, k->Y);
    for (size_t j = 0; j < f; j++)
        memcpy(k->M + j * f * lanes, k->Y + j * n * lanes, f * lanes * sizeof(double));

    for (size_t i = 0; i < n * p * lanes; i++) k->t[i] = k->Lq[i] - k->S[i];
    memset(k->t + n * p * lanes, 0, n * f * lanes * sizeof(double));
    batch_multiply(k->b, lanes, false, false, n, N, n, 1, k->Lv, k->vx, 1, k->t);
    batch_multiply(k->b, lanes, true, false, f, N, n, 1, k->W1, k->t, 0, k->cx);

    memcpy(k->t, k->Kq, n * p * lanes * sizeof(double));
    memset(k->t + n * p * lanes, 0, n * f * lanes * sizeof(double));
    batch_multiply(k->b, lanes, false, false, n, N, n, 1, k->Kv, k->vx, 1, k->t);
    batch_multiply(k->b, lanes, true, false, f, N, n, -1, k->Y, k->t, 1, k->cx);
}
