/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "motions.h"
#include "region.h"
#include "search.h"

/* Places: the middles of a net of NET x NET squares, moved to nodes that every sheet has looked at. */
enum { NET = 3, STARTS = 24, STEPS = 40 };

static size_t node_of(const noslip_region *r, size_t place, size_t step)
{
    size_t i = place % NET, j = place / NET;
    size_t x = (2 * i + 1) * (r->nodes[0] - 1) / (2 * NET) / step * step;
    size_t y = (2 * j + 1) * (r->nodes[1] - 1) / (2 * NET) / step * step;
    return x + y * r->nodes[0];
}

bool seed_is_known(const noslip_region *r, const sheet_seed *seed)
{
    size_t x = (size_t)(seed->u * (double)(r->nodes[0] - 1) + 0.5),
           y = (size_t)(seed->v * (double)(r->nodes[1] - 1) + 0.5), at = x + y * r->nodes[0];
    for (size_t k = 0; k < r->sheets.n; k++) {
        const sheet *s = r->sheets.at[k].s;
        bool same = s->slot[at] != NO_SLOT;
        for (size_t i = 0; i < r->p->N && same; i++) {
            double there = sheet_numbers(s, at)[i];
            same = fabs(there - seed->x[i]) <= 1e-6 * (1 + fabs(there));
        }
        if (same) return true;
    }
    return false;
}

/* How many zero roots the sheet has: from the solver, at the motion itself. */
static bool count_zeros(const noslip_region *r, steady *solver, const double *parameters, double *q,
                        const double *x, sheet_seed *out)
{
    const model *m = r->m->m;
    steady_info info;
    memcpy(q, r->m->q, m->n * sizeof *q);
    for (size_t k = 0; k < m->n_positional; k++) q[m->positional[k]] = x[k];
    memcpy(q + m->n, x + m->n_positional, m->f * sizeof *q);
    if (steady_solve(solver, parameters, q, q + m->n, &info) != NOSLIP_OK) return false;
    out->manifold = info.manifold;
    out->levels = info.levels;
    return !info.free_directions;
}

static noslip_status add_seed(const noslip_region *r, const sheet_seed *seed, const double *x,
                              seed_list *out)
{
    for (size_t i = 0; i < r->p->N; i++)
        if (!array_push(&out->numbers, x[i])) return NOSLIP_ERR_MEMORY;
    return array_push(&out->list, *seed) ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
}

static noslip_status search_place(const noslip_region *r, steady *solver, evaluator *e, size_t at,
                                  double *memory, seed_list *out)
{
    size_t N = r->p->N, n = r->m->m->n + r->m->m->f;
    double *from = memory, *to = from + N, *q = to + N, *parameters = q + n;
    search_result list;
    size_t column = at % r->nodes[0], row = at / r->nodes[0];
    sheet_seed seed = {.u = (double)column / (double)(r->nodes[0] - 1),
                       .v = (double)row / (double)(r->nodes[1] - 1)};
    motions_box(r->m, from, to);
    evaluator_parameters(e, seed.u, seed.v, parameters);
    const search_box box = {parameters, r->m->q, from, to, STARTS};
    noslip_status status = search_all(solver, &box, &list);
    for (size_t k = 0; k < list.n && status == NOSLIP_OK; k++) {
        const double *x = list.x.at + k * N;
        if (count_zeros(r, solver, parameters, q, x, &seed)) status = add_seed(r, &seed, x, out);
    }
    search_result_free(&list);
    return status;
}

noslip_status seeds_find(const noslip_region *r, evaluator *e, seed_list *out, noslip_error *err)
{
    const model *m = r->m->m;
    size_t step = region_step(r), N = r->p->N;
    double *memory = noslip_calloc(2 * N + m->n + m->f + m->s->parameters.n, sizeof *memory);
    steady *solver = NULL;
    *out = (seed_list){{0}, {0}};
    noslip_status status = memory ? motions_solver(r->m, &solver, err) : noslip_fail_memory(err);
    if (status == NOSLIP_OK) steady_limit(solver, STEPS);
    for (size_t place = 0; place < NET * NET && status == NOSLIP_OK; place++) {
        size_t at = node_of(r, place, step);
        status = search_place(r, solver, e, at, memory, out);
        if (status == NOSLIP_ERR_MEMORY) noslip_fail_memory(err);
        if (r->o.go_on && !r->o.go_on(r->o.user, 1)) status = NOSLIP_STOPPED;
    }
    for (size_t k = 0; k < out->list.n; k++) out->list.at[k].x = out->numbers.at + k * N;
    steady_free(solver);
    noslip_free(memory);
    return status;
}

void seeds_free(seed_list *s)
{
    array_free(&s->list);
    array_free(&s->numbers);
}
