/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "region.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "flood.h"
#include "grid.h"
#include "hash.h"
#include "motions.h"
#include "tear.h"

noslip_region_options noslip_region_defaults(void)
{
    const double nan = (double)NAN;
    return (noslip_region_options){
        .axis = {{NULL, nan, nan}, {NULL, nan, nan}}, .resolution = 1024, .sheets = 8};
}

/* Axes */

static noslip_status find_parameter(const noslip_model *m, const char *name, size_t *out,
                                    noslip_error *err)
{
    const mechanical_system *y = m->m->s;
    for (size_t k = 0; k < y->parameters.n; k++)
        if (strcmp(y->parameters.at[k].name, name) == 0) {
            *out = k;
            return NOSLIP_OK;
        }
    return noslip_fail(err, NOSLIP_ERR_ARG, "the case has no parameter '%s'", name);
}

static noslip_status find_axis(const noslip_model *m, const noslip_region_options *o, int k,
                               plane_axis *out, noslip_error *err)
{
    const noslip_case *c = m->c;
    const noslip_axis *wish = &o->axis[k];
    *out = (plane_axis){0, (double)NAN, (double)NAN};
    if (o->which < c->regions.n) {
        const case_region *r = &c->regions.at[o->which];
        const case_trace *t = k ? &r->y : &r->x;
        double ends[2];
        noslip_status status =
            system_evaluate(c->system, c->parameters, (const expr[]){t->from, t->to}, 2, ends, err);
        if (status < NOSLIP_OK) return status;
        if (status != NOSLIP_OK) return noslip_fail(err, NOSLIP_ERR_ARG, "an axis is not finite");
        *out = (plane_axis){t->parameter, ends[0], ends[1]};
    } else if (!wish->parameter || isnan(wish->from) || isnan(wish->to))
        return noslip_fail(err, NOSLIP_ERR_ARG,
                           c->regions.n ? "the case has only %zu regions"
                                        : "the case has no region: give both axes",
                           c->regions.n);
    if (wish->parameter) {
        noslip_status status = find_parameter(m, wish->parameter, &out->parameter, err);
        if (status != NOSLIP_OK) return status;
    }
    if (!isnan(wish->from)) out->from = wish->from;
    if (!isnan(wish->to)) out->to = wish->to;
    if (!isfinite(out->from) || !isfinite(out->to) || out->from == out->to)
        return noslip_fail(err, NOSLIP_ERR_ARG, "an axis is empty or not finite");
    return NOSLIP_OK;
}

static noslip_status check_options(noslip_region *r, noslip_error *err)
{
    const noslip_region_options *o = &r->o;
    r->adaptive = !o->grid[0] && !o->grid[1];
    size_t n = o->resolution;
    if (r->adaptive && (n < 16 || n > 16384 || (n & (n - 1))))
        return noslip_fail(err, NOSLIP_ERR_ARG,
                           "the resolution must be a power of two from 16 to 16384");
    for (int k = 0; k < 2; k++) {
        r->nodes[k] = r->adaptive ? n + 1 : o->grid[k];
        if (r->nodes[k] < 2 || r->nodes[k] > 65536)
            return noslip_fail(err, NOSLIP_ERR_ARG, "a grid has 2 to 65536 points each way");
    }
    if (!o->sheets) return noslip_fail(err, NOSLIP_ERR_ARG, "at least one sheet is looked for");
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    r->threads = o->threads ? o->threads : processors > 0 ? (size_t)processors : 1;
    if (r->threads > 256) return noslip_fail(err, NOSLIP_ERR_ARG, "at most 256 threads");
    return NOSLIP_OK;
}

/* The checkpoint belongs to the case as it was written, its parameters and the options that change numbers. */

static noslip_status open_log(noslip_region *r, checkpoint **out, noslip_error *err)
{
    const noslip_case *c = r->m->c;
    text words = {0};
    char hash[65];
    if (!r->o.checkpoint) return NOSLIP_OK;
    hash_of(c->bytes, c->src.size, hash);
    text_printf(&words, "noslip %s\ncase %s\nnodes %zu %zu adaptive %d sheets %zu\n",
                NOSLIP_VERSION, hash, r->nodes[0], r->nodes[1], r->adaptive, r->o.sheets);
    for (int k = 0; k < 2; k++)
        text_printf(&words, "axis %zu %a %a\n", r->p->parameter[k], r->p->from[k], r->p->to[k]);
    for (size_t k = 0; k < c->system->parameters.n; k++)
        text_printf(&words, "%a\n", c->parameters[k]);
    noslip_status status = words.failed ? noslip_fail_memory(err) : NOSLIP_OK;
    if (status == NOSLIP_OK)
        status = (r->o.resume ? checkpoint_resume : checkpoint_create)(r->o.checkpoint, words.at,
                                                                       words.n, out, err);
    text_free(&words);
    return status;
}

/* A sheet */

static bool report_progress(void *user, size_t done, size_t total)
{
    const noslip_region *r = user;
    double part = total ? (double)done / (double)total : 1;
    return !r->o.go_on || r->o.go_on(r->o.user, part);
}

static void close_crew(noslip_region *r, crew *c)
{
    for (size_t k = 0; c->own && k < c->threads; k++) {
        if (c->own[k]) r->alone += evaluator_count(c->own[k]).alone;
        evaluator_free(c->own[k]);
    }
    noslip_free(c->own);
}

static noslip_status open_crew(noslip_region *r, size_t zeros, crew *c, noslip_error *err)
{
    *c = (crew){.threads = r->threads, .go_on = report_progress, .user = r};
    c->own = noslip_calloc(r->threads, sizeof *c->own);
    if (!c->own) return noslip_fail_memory(err);
    for (size_t k = 0; k < r->threads; k++)
        if (!(c->own[k] = evaluator_new(r->p, zeros, err))) return NOSLIP_ERR_MEMORY;
    return NOSLIP_OK;
}

size_t region_step(const noslip_region *r)
{
    size_t least = (r->nodes[0] < r->nodes[1] ? r->nodes[0] : r->nodes[1]) - 1;
    size_t step = r->adaptive ? least / 64 : GRID_STEP;
    if (!step) step = 1;
    while (step > 1 && 4 * step > least) step /= 2;
    return step;
}

static noslip_status find_curves(sweep *w, sheet_result *x, bool adaptive, noslip_error *err)
{
    static const double width = 8e-9; /* of an axis */
    unsigned char *torn = noslip_calloc(x->s->nx * x->s->ny, 1);
    noslip_status status = torn ? NOSLIP_OK : noslip_fail_memory(err);
    if (status == NOSLIP_OK && adaptive) status = tear_find(w, x->s, torn, err);
    if (status == NOSLIP_OK) status = list_crossings(x->s, torn, &x->crossings, err);
    noslip_free(torn);
    if (status == NOSLIP_OK) status = polish(w, x->s, width, x->crossings.at, x->crossings.n, err);
    if (status == NOSLIP_OK &&
        curves_join(x->s, x->crossings.at, x->crossings.n, &x->boundaries) != NOSLIP_OK)
        status = noslip_fail_memory(err);
    return status;
}

/* Kinds of the finest cells, from the leaves they lie in, and the areas. A cell whose corners differ counts by quarters. */
static noslip_status find_areas(const noslip_region *r, sheet_result *x)
{
    const sheet *s = x->s;
    double cells = (double)(s->nx - 1) * (double)(s->ny - 1);
    (void)r;
    if (x->leaves.n) {
        x->cell_kinds = noslip_malloc((s->nx - 1) * (s->ny - 1));
        if (!x->cell_kinds) return NOSLIP_ERR_MEMORY;
    }
    for (size_t k = 0; k < x->leaves.n; k++) {
        const cell *c = &x->leaves.at[k];
        for (size_t i = 0; i < 4; i++) {
            size_t at = c->x + (i % 2) * c->size + (c->y + (i / 2) * c->size) * s->nx;
            unsigned char kind = s->kind[at] < POINT_KINDS ? s->kind[at] : POINT_NONE;
            x->area[kind] += (double)c->size * (double)c->size / (4 * cells);
        }
        for (uint32_t j = 0; j < c->size; j++)
            memset(x->cell_kinds + c->x + (c->y + j) * (s->nx - 1),
                   s->kind[c->x + c->y * s->nx] < POINT_KINDS ? s->kind[c->x + c->y * s->nx]
                                                              : POINT_NONE,
                   c->size);
    }
    for (size_t k = 0; !x->leaves.n && k < s->nx * s->ny; k++)
        x->area[s->kind[k] < POINT_KINDS ? s->kind[k] : POINT_NONE] +=
            1 / ((double)s->nx * (double)s->ny);
    return NOSLIP_OK;
}

static void free_result(sheet_result *x)
{
    sheet_free(x->s);
    array_free(&x->leaves);
    array_free(&x->crossings);
    curves_free(&x->boundaries);
    noslip_free(x->cell_kinds);
}

static noslip_status follow(noslip_region *r, checkpoint *log, const sheet_seed *seed,
                            noslip_error *err)
{
    size_t zeros = seed->manifold + seed->levels;
    sheet_result x = {.manifold = seed->manifold, .levels = seed->levels};
    sweep w = {.log = log};
    x.s = sheet_new(r->p, (uint32_t)r->sheets.n, zeros, r->nodes[0], r->nodes[1], seed->u, seed->v,
                    seed->x);
    noslip_status status = x.s ? open_crew(r, zeros, &w.crew, err) : noslip_fail_memory(err);
    size_t step = region_step(r);
    if (status == NOSLIP_OK) status = flood(&w, x.s, step, err);
    if (status == NOSLIP_OK) status = tear_mend(&w, x.s, step, err);
    if (status == NOSLIP_OK)
        status = r->adaptive ? refine(&w, x.s, step, &x.leaves, err) : grid(&w, x.s, step, err);
    if (status == NOSLIP_OK) status = find_curves(&w, &x, r->adaptive, err);
    if (status == NOSLIP_OK && find_areas(r, &x) != NOSLIP_OK) status = noslip_fail_memory(err);
    x.evaluated = w.evaluated;
    r->evaluated += w.evaluated;
    close_crew(r, &w.crew);
    if (array_push(&r->sheets, x)) return status;
    free_result(&x);
    return noslip_fail_memory(err);
}

/* All of them */

static double part_of(const plane *p, int k)
{
    double at = p->r->c->parameters[p->parameter[k]];
    return (at - p->from[k]) / (p->to[k] - p->from[k]);
}

static noslip_status first_seed(noslip_region *r, sheet_seed *out, bool *open, noslip_error *err)
{
    noslip_steady *s;
    noslip_status status = noslip_steady_find(r->m, &s, err);
    if (status != NOSLIP_OK) return status;
    const steady_info *i = &s->motions.at[0].info;
    for (size_t k = 0; k < r->p->N; k++) out->x[k] = noslip_steady_state(s, 0, k);
    out->manifold = i->manifold;
    out->levels = i->levels;
    out->u = part_of(r->p, 0);
    out->v = part_of(r->p, 1);
    *open = i->free_directions;
    noslip_steady_free(s);
    return NOSLIP_OK;
}

static noslip_status follow_others(noslip_region *r, checkpoint *log, size_t zeros,
                                   noslip_error *err)
{
    seed_list seeds = {{0}, {0}};
    if (r->o.sheets == 1) return NOSLIP_OK;
    evaluator *e = evaluator_new(r->p, zeros, err);
    noslip_status status = e ? seeds_find(r, e, &seeds, err) : NOSLIP_ERR_MEMORY;
    for (size_t k = 0; k < seeds.list.n && status == NOSLIP_OK; k++)
        if (r->sheets.n < r->o.sheets && !seed_is_known(r, &seeds.list.at[k]))
            status = follow(r, log, &seeds.list.at[k], err);
    seeds_free(&seeds);
    evaluator_free(e);
    return status;
}

static noslip_status run(noslip_region *r, noslip_error *err)
{
    plane_axis axes[2];
    checkpoint *log = NULL;
    bool open = false;
    noslip_status status = check_options(r, err);
    for (int k = 0; k < 2 && status == NOSLIP_OK; k++)
        status = find_axis(r->m, &r->o, k, &axes[k], err);
    if (status == NOSLIP_OK && axes[0].parameter == axes[1].parameter)
        status = noslip_fail(err, NOSLIP_ERR_ARG, "the axes are the same parameter");
    if (status == NOSLIP_OK) status = plane_new(r->m, axes, &r->p, err);
    if (status != NOSLIP_OK) return status;
    sheet_seed seed = {.x = noslip_calloc(r->p->N, sizeof(double))};
    status = seed.x ? first_seed(r, &seed, &open, err) : noslip_fail_memory(err);
    if (status == NOSLIP_OK && open)
        status = noslip_fail(err, NOSLIP_ERR_ARG,
                             "the conditions leave the steady motion open: a region needs one at "
                             "each point");
    if (status == NOSLIP_OK) status = open_log(r, &log, err);
    if (status == NOSLIP_OK) status = follow(r, log, &seed, err);
    if (status == NOSLIP_OK) status = follow_others(r, log, seed.manifold + seed.levels, err);
    checkpoint_close(log);
    noslip_free(seed.x);
    return status;
}

noslip_status noslip_region_find(noslip_model *m, const noslip_region_options *o,
                                 noslip_region **out, noslip_error *err)
{
    noslip_region *r = noslip_calloc(1, sizeof *r);
    if (!r) return noslip_fail_memory(err);
    *r = (noslip_region){.m = m, .o = *o};
    noslip_status status = run(r, err);
    if (status == NOSLIP_STOPPED) noslip_fail(err, status, "stopped");
    if (status == NOSLIP_OK)
        *out = r;
    else
        noslip_region_free(r);
    return status;
}

void noslip_region_free(noslip_region *r)
{
    if (!r) return;
    for (size_t k = 0; k < r->sheets.n; k++) free_result(&r->sheets.at[k]);
    array_free(&r->sheets);
    plane_free(r->p);
    noslip_free(r);
}
