/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grid.h"

#include <string.h>

#include "alloc.h"

enum { HISTORY = 6 }; /* rows that the next one is extrapolated from: then most need no step */

/* Numbers of a node in a record: kind, abscissa, frequency. */
enum { BRIEF = 3 };

typedef struct {
    size_t x, y, columns,
        rows; /* first node, and how many: with those shared with the next tiles */
} tile;

/* What a tile leaves: BRIEF numbers a node, then for each node beside a change its index in the tile, fold, and numbers. */
typedef ARRAY(double) record;

typedef struct {
    sweep *w;
    sheet *s;
    size_t step;       /* of the net that is known */
    size_t across, up; /* tiles */
    record *records;
} round_of_tiles;

static size_t tiles_along(size_t nodes, size_t step)
{
    return (nodes - 2) / step + 1;
}

static tile tile_at(const round_of_tiles *r, size_t unit)
{
    tile t = {.x = (unit % r->across) * GRID_WIDTH, .y = (unit / r->across) * r->step};
    t.columns = r->s->nx - t.x <= GRID_WIDTH ? r->s->nx - t.x : GRID_WIDTH + 1;
    t.rows = r->s->ny - t.y <= r->step ? r->s->ny - t.y : r->step + 1;
    return t;
}

/* One tile at work */
typedef struct {
    const sheet *s;
    size_t step;
    tile t;
    evaluator *e;
    point *rows;     /* (HISTORY + 1) x columns, row y at y % (HISTORY + 1) */
    double *numbers; /* of these */
    double *guess;   /* columns x N */
    point *list;     /* those of a row that are evaluated together */
    size_t *of;      /* their columns */
    record *out;
    bool fine;
} mason;

static point *row_at(const mason *k, size_t y)
{
    return k->rows + (y % (HISTORY + 1)) * k->t.columns;
}

static void place(const mason *k, size_t x, size_t y, point *t)
{
    size_t at = k->t.x + x + (k->t.y + y) * k->s->nx;
    double *numbers = t->numbers;
    *t = (point){.u = sheet_u(k->s, at), .v = sheet_v(k->s, at), .numbers = numbers};
}

static bool exists(const point *t)
{
    return t->kind != POINT_NONE;
}

static void begin_at(point *t, const point *from)
{
    t->start = from->numbers;
    t->start_u = from->u;
    t->start_v = from->v;
}

/* Evaluate the listed columns of a row. */
static void run(mason *k, size_t y, size_t n)
{
    point *row = row_at(k, y);
    for (size_t i = 0; i < n; i++) k->list[i] = row[k->of[i]];
    evaluator_run(k->e, k->list, n);
    for (size_t i = 0; i < n; i++) row[k->of[i]] = k->list[i];
}

/* The first row: known nodes, then halves of what lies between, each from a neighbour that exists. */
static void lay_first(mason *k)
{
    point *row = row_at(k, 0);
    const sheet *s = k->s;
    for (size_t x = 0; x < k->t.columns; x++) {
        size_t at = k->t.x + x + k->t.y * s->nx;
        place(k, x, 0, &row[x]);
        if (x % k->step || !sheet_exists(s, at)) continue;
        const node_facts *f = &s->facts.at[s->slot[at]];
        memcpy(row[x].numbers, sheet_numbers(s, at), s->stride * sizeof(double));
        row[x].kind = (point_kind)s->kind[at];
        row[x].abscissa = f->abscissa;
        row[x].frequency = f->frequency;
        row[x].fold = f->fold;
    }
    for (size_t half = k->step / 2; half; half /= 2) {
        size_t n = 0;
        for (size_t x = half; x < k->t.columns; x += 2 * half) {
            bool right = x + half < k->t.columns && exists(&row[x + half]);
            if (!exists(&row[x - half]) && !right) continue;
            begin_at(&row[x], &row[exists(&row[x - half]) ? x - half : x + half]);
            k->of[n++] = x;
        }
        run(k, 0, n);
    }
}

/* Extrapolate from the rows below, as many as there are without a gap. */
static void extrapolate(mason *k, size_t x, size_t y)
{
    static const double weight[HISTORY][HISTORY] = {
        {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}, {5, -10, 10, -5, 1}, {6, -15, 20, -15, 6, -1}};
    size_t N = k->s->p->N, depth = 0;
    const point *below[HISTORY];
    while (depth < HISTORY && depth < y && exists(&row_at(k, y - 1 - depth)[x])) {
        below[depth] = &row_at(k, y - 1 - depth)[x];
        depth++;
    }
    double *guess = k->guess + x * N;
    memset(guess, 0, N * sizeof *guess);
    for (size_t h = 0; h < depth; h++)
        for (size_t i = 0; i < N; i++) guess[i] += weight[depth - 1][h] * below[h]->numbers[i];
    point *t = &row_at(k, y)[x];
    begin_at(t, below[0]);
    t->guess = guess;
}

/* Where the row below has no motion, one may come in from the side. */
static void spread(mason *k, size_t y)
{
    point *row = row_at(k, y);
    for (int direction = 0; direction < 2; direction++)
        for (size_t i = 1; i < k->t.columns; i++) {
            size_t x = direction ? k->t.columns - 1 - i : i, beside = direction ? x + 1 : x - 1;
            if (exists(&row[x]) || !exists(&row[beside])) continue;
            place(k, x, y, &row[x]);
            begin_at(&row[x], &row[beside]);
            k->of[0] = x;
            run(k, y, 1);
        }
}

static void lay_row(mason *k, size_t y)
{
    point *row = row_at(k, y);
    const point *below = row_at(k, y - 1);
    size_t n = 0;
    for (size_t x = 0; x < k->t.columns; x++) {
        place(k, x, y, &row[x]);
        if (!exists(&below[x])) continue;
        extrapolate(k, x, y);
        k->of[n++] = x;
    }
    run(k, y, n);
    spread(k, y);
}

static void push(mason *k, double number)
{
    k->fine = k->fine && array_push(k->out, number);
}

static void keep_brief(mason *k, size_t y)
{
    const point *row = row_at(k, y);
    for (size_t x = 0; x < k->t.columns; x++) {
        push(k, row[x].kind);
        push(k, row[x].abscissa);
        push(k, row[x].frequency);
    }
}

/* Numbers of a node that is beside a change, once. */
static void keep_numbers(mason *k, size_t x, size_t y, bool *kept)
{
    const point *t = &row_at(k, y)[x];
    size_t at = x + y * k->t.columns;
    if (kept[at] || !exists(t)) return;
    kept[at] = true;
    push(k, (double)at);
    push(k, t->fold);
    for (size_t i = 0; i < k->s->stride; i++) push(k, t->numbers[i]);
}

static void keep_changes(mason *k, size_t y, bool *kept)
{
    const point *row = row_at(k, y), *below = y ? row_at(k, y - 1) : row;
    for (size_t x = 0; x < k->t.columns; x++) {
        if (x && row[x].kind != row[x - 1].kind) {
            keep_numbers(k, x - 1, y, kept);
            keep_numbers(k, x, y, kept);
        }
        if (row[x].kind != below[x].kind) {
            keep_numbers(k, x, y - 1, kept);
            keep_numbers(k, x, y, kept);
        }
    }
}

/* The briefs come first: the changes of all rows are gathered behind them. */
static noslip_status build(mason *k)
{
    record changes = {0}, *briefs = k->out;
    bool *kept = noslip_calloc(k->t.columns * k->t.rows, sizeof *kept);
    k->fine = kept;
    for (size_t y = 0; y < k->t.rows && k->fine; y++) {
        if (y)
            lay_row(k, y);
        else
            lay_first(k);
        k->out = briefs;
        keep_brief(k, y);
        k->out = &changes;
        keep_changes(k, y, kept);
    }
    k->out = briefs;
    for (size_t i = 0; i < changes.n; i++) push(k, changes.at[i]);
    array_free(&changes);
    noslip_free(kept);
    return k->fine ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
}

static noslip_status lay_tile(const round_of_tiles *r, const tile *t, evaluator *e, record *out)
{
    size_t columns = t->columns, stride = r->s->stride, held = (HISTORY + 1) * columns;
    mason k = {.s = r->s, .step = r->step, .t = *t, .e = e, .out = out};
    k.rows = noslip_calloc(held, sizeof *k.rows);
    k.numbers = noslip_calloc(held * stride, sizeof *k.numbers);
    k.guess = noslip_calloc(columns * r->s->p->N, sizeof *k.guess);
    k.list = noslip_calloc(columns, sizeof *k.list);
    k.of = noslip_calloc(columns, sizeof *k.of);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (k.rows && k.numbers && k.guess && k.list && k.of) {
        for (size_t i = 0; i < held; i++) k.rows[i].numbers = k.numbers + i * stride;
        status = build(&k);
    }
    noslip_free(k.rows);
    noslip_free(k.numbers);
    noslip_free(k.guess);
    noslip_free(k.list);
    noslip_free(k.of);
    return status;
}

/* Put the briefs of a tile into the sheet; a shared node belongs to the tile it is first in. */
static void enter_briefs(const round_of_tiles *r, const tile *t, const double *from)
{
    sheet *s = r->s;
    for (size_t y = 0; y < t->rows; y++)
        for (size_t x = 0; x < t->columns; x++, from += BRIEF) {
            size_t at = t->x + x + (t->y + y) * s->nx;
            bool shared =
                (x == GRID_WIDTH && t->x + x < s->nx - 1) || (y == r->step && t->y + y < s->ny - 1);
            if (shared) continue;
            s->kind[at] = (unsigned char)from[0];
            s->abscissa[at] = from[1];
            s->frequency[at] = from[2];
        }
}

static noslip_status run_tile(void *shared, void *own, size_t unit, noslip_error *err)
{
    round_of_tiles *r = shared;
    tile t = tile_at(r, unit);
    record *out = &r->records[unit];
    const unit_key key = {r->s->number, r->w->round, (uint32_t)unit};
    size_t bytes, briefs = t.columns * t.rows * BRIEF;
    noslip_status status = NOSLIP_OK;
    if (r->w->log && checkpoint_has(r->w->log, key, &bytes)) {
        for (size_t k = 0; k < bytes / sizeof(double) && status == NOSLIP_OK; k++)
            if (!array_push(out, 0.0)) status = noslip_fail_memory(err);
        if (status == NOSLIP_OK) status = checkpoint_read(r->w->log, key, out->at, bytes, err);
    } else {
        status = lay_tile(r, &t, own, out);
        if (status != NOSLIP_OK) return noslip_fail_memory(err);
        if (r->w->log)
            status = checkpoint_append(r->w->log, key, out->at, out->n * sizeof *out->at, err);
    }
    if (status != NOSLIP_OK) return status;
    enter_briefs(r, &t, out->at);
    memmove(out->at, out->at + briefs, (out->n - briefs) * sizeof *out->at);
    out->n -= briefs;
    return NOSLIP_OK;
}

/* Nodes beside a change get their slots, in the order of the tiles. */
static noslip_status enter_changes(const round_of_tiles *r, size_t unit)
{
    sheet *s = r->s;
    tile t = tile_at(r, unit);
    const record *x = &r->records[unit];
    for (size_t k = 0; k < x->n; k += 2 + s->stride) {
        size_t in_tile = (size_t)x->at[k];
        size_t at = t.x + in_tile % t.columns + (t.y + in_tile / t.columns) * s->nx;
        const point found = {.kind = (point_kind)s->kind[at],
                             .abscissa = s->abscissa[at],
                             .frequency = s->frequency[at],
                             .fold = x->at[k + 1],
                             .numbers = x->at + k + 2};
        if (!sheet_exists(s, at)) continue;
        if (sheet_enter(s, at, &found) != NOSLIP_OK) return NOSLIP_ERR_MEMORY;
    }
    return NOSLIP_OK;
}

noslip_status grid(sweep *w, sheet *s, size_t step, noslip_error *err)
{
    round_of_tiles r = {.w = w, .s = s, .step = step};
    r.across = tiles_along(s->nx, GRID_WIDTH);
    r.up = tiles_along(s->ny, step);
    size_t tiles = r.across * r.up;
    r.records = noslip_calloc(tiles, sizeof *r.records);
    s->abscissa = noslip_calloc(s->nx * s->ny, sizeof *s->abscissa);
    s->frequency = noslip_calloc(s->nx * s->ny, sizeof *s->frequency);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (r.records && s->abscissa && s->frequency) {
        crew c = w->crew;
        c.job = run_tile;
        c.shared = &r;
        status = crew_run(&c, tiles, err);
        w->round++;
        w->evaluated += s->nx * s->ny;
    } else
        noslip_fail_memory(err);
    for (size_t k = 0; k < tiles && status == NOSLIP_OK; k++)
        if (enter_changes(&r, k) != NOSLIP_OK) status = noslip_fail_memory(err);
    for (size_t k = 0; r.records && k < tiles; k++) array_free(&r.records[k]);
    noslip_free(r.records);
    return status;
}
