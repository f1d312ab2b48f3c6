/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "polish.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "flood.h"

static bool is_known(const sheet *s, size_t at)
{
    return s->kind[at] < POINT_KINDS;
}

/* A node without numbers, in a plain grid, was seen from two tiles and differs between them. */
static bool can_start(const sheet *s, size_t at)
{
    return is_known(s, at) && (!sheet_exists(s, at) || s->slot[at] != NO_SLOT);
}

/* `ends` is 1 if the first of two nodes of one kind ends before the second is reached, 2 if the second does. */
static bool add_crossing(const sheet *s, size_t from, size_t to, int ends, crossing_list *out)
{
    unsigned char a = s->side[from], b = s->side[to];
    if (!can_start(s, from) || !can_start(s, to) || (a == b && !ends)) return true;
    if (ends && a == b) *(ends == 1 ? &b : &a) = POINT_NONE;
    return array_push(out, ((crossing){.from = from, .to = to, .high = 1, .kinds = {a, b}}));
}

static int ends_of(const unsigned char *torn, size_t at, bool upwards)
{
    if (!torn) return 0;
    return torn[at] & (upwards ? 2 : 1) ? 1 : torn[at] & (upwards ? 8 : 4) ? 2 : 0;
}

/* A node on the axis that stands alone lies on a boundary by chance: it goes to one of the sides. */
static unsigned char side_of(const sheet *s, size_t at)
{
    size_t near[4], n = flood_neighbours(s, at, 1, near);
    unsigned char side = s->kind[at];
    if (side != POINT_NEUTRAL && side != POINT_DEGENERATE) return side;
    for (size_t k = 0; k < n; k++) {
        unsigned char there = s->kind[near[k]];
        if (there == POINT_NEUTRAL || there == POINT_DEGENERATE) return s->kind[at];
        if (sheet_exists(s, near[k]) && (side == s->kind[at] || there == POINT_STABLE))
            side = there;
    }
    return side;
}

noslip_status list_crossings(sheet *s, const unsigned char *torn, crossing_list *out,
                             noslip_error *err)
{
    s->side = noslip_malloc(s->nx * s->ny);
    if (!s->side) return noslip_fail_memory(err);
    for (size_t at = 0; at < s->nx * s->ny; at++) s->side[at] = side_of(s, at);
    for (size_t at = 0; at < s->nx * s->ny; at++) {
        bool right = at % s->nx + 1 < s->nx, up = at / s->nx + 1 < s->ny;
        if ((right && !add_crossing(s, at, at + 1, ends_of(torn, at, false), out)) ||
            (up && !add_crossing(s, at, at + s->nx, ends_of(torn, at, true), out)))
            return noslip_fail_memory(err);
    }
    return NOSLIP_OK;
}

/* One end of the interval that is left of an edge. */
typedef struct {
    double at; /* part of the way */
    double abscissa, frequency;
    unsigned char kind;
    double *numbers; /* of the motion there, if there is one */
} end;

typedef struct {
    end ends[2];
    double trial;
    double weight[2];     /* Illinois: an end that stays counts half */
    int stayed;           /* which end stayed last, -1 for none */
    int test;             /* the function that leads */
    int first_test;       /* the one that led when it began */
    const double *beyond; /* of a torn edge: the motion on the other side of the tear, NULL else */
    bool done;
} chase;

static bool exists(const end *e)
{
    return e->kind != POINT_NONE;
}

/* Functions that vanish on a boundary and are smooth across it, also where roots meet: the product of the roots for divergence, of the
 * sums of two for flutter, of the squared differences of two where a real pair becomes a complex one. Roots are taken in units of
 * `size`. */
static double product(const double *re, size_t n, double size)
{
    const double *im = re + n;
    double complex all = 1;
    for (size_t i = 0; i < n; i++) all *= (re[i] + I * im[i]) / size;
    return creal(all);
}

static double product_of_pairs(const double *re, size_t n, double size, double sign)
{
    const double *im = re + n;
    double complex all = 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double complex z = (re[i] + sign * re[j] + I * (im[i] + sign * im[j])) / size;
            all *= sign < 0 ? z * z : z;
        }
    return creal(all);
}

enum { BY_PRODUCT, BY_SUMS, BY_DIFFERENCES, BY_NOTHING };

static double size_of(const sheet *s, const end *e)
{
    const double *re = e->numbers + s->p->N, *im = re + s->roots;
    double size = 0;
    for (size_t i = 0; i < s->roots; i++) size = fmax(size, hypot(re[i], im[i]));
    return size;
}

static double test_value(const sheet *s, const end *e, int test, double size)
{
    const double *re = e->numbers + s->p->N;
    if (test == BY_PRODUCT) return product(re, s->roots, size);
    return product_of_pairs(re, s->roots, size, test == BY_SUMS ? 1 : -1);
}

/* The first of them that has a sign at either end. */
static int choose_test(const sheet *s, const chase *c, double at[2])
{
    if (!exists(&c->ends[0]) || !exists(&c->ends[1])) return BY_NOTHING;
    double size = fmax(size_of(s, &c->ends[0]), size_of(s, &c->ends[1]));
    if (!(size > 0)) return BY_NOTHING;
    for (int test = 0; test < BY_NOTHING; test++) {
        for (int k = 0; k < 2; k++) at[k] = test_value(s, &c->ends[k], test, size);
        if ((at[0] < 0 && at[1] > 0) || (at[0] > 0 && at[1] < 0)) return test;
    }
    return BY_NOTHING;
}

/* The next place to look at: by a test function, but at least half the width from either end; the middle if there is none. */
static void aim(const sheet *s, chase *c, double width)
{
    double low = c->ends[0].at, high = c->ends[1].at, span = high - low, at[2];
    int test = choose_test(s, c, at);
    if (test != c->test) c->weight[0] = c->weight[1] = 1;
    c->test = test;
    c->trial = low + span / 2;
    if (test != BY_NOTHING) {
        double a = fabs(at[0]) * c->weight[0], b = fabs(at[1]) * c->weight[1];
        c->trial = low + span * a / (a + b);
    }
    double least = fmin(width / 2, span / 2);
    c->trial = fmin(fmax(c->trial, low + least), high - least);
}

static bool is_unstable(unsigned char kind)
{
    return kind == POINT_DIVERGENCE || kind == POINT_FLUTTER;
}

/* Where one kind of instability becomes the other nothing is decided, and roots that meet are costly: a curve to look at will do. */
enum { EXCHANGE_WIDTHS = 20000 };
static bool is_exchange(const chase *c)
{
    return is_unstable(c->ends[0].kind) && is_unstable(c->ends[1].kind);
}

/* Over a tear a step may lead to the motion beyond it. */
static bool has_crossed(const sheet *s, const chase *c, const point *t)
{
    if (!c->beyond || t->kind == POINT_NONE) return false;
    return sheet_distance(s, t->numbers, c->beyond) < sheet_distance(s, t->numbers, t->start);
}

/* The trial takes the place of the end that it is like; of one that is like neither, of the second. */
static void narrow(const sheet *s, chase *c, point *t, double width)
{
    if (has_crossed(s, c, t)) t->kind = POINT_NONE;
    int side = t->kind == c->ends[0].kind ? 0 : 1;
    end *e = &c->ends[side];
    e->at = c->trial;
    e->abscissa = t->abscissa;
    e->frequency = t->frequency;
    e->kind = (unsigned char)t->kind;
    if (t->kind != POINT_NONE) memcpy(e->numbers, t->numbers, s->stride * sizeof(double));
    c->weight[side] = 1;
    if (c->stayed == 1 - side) c->weight[1 - side] /= 2;
    c->stayed = 1 - side;
    c->done = c->ends[1].at - c->ends[0].at <= (is_exchange(c) ? EXCHANGE_WIDTHS * width : width);
}

typedef struct {
    const sheet *s;
    crossing *list;
    chase *chases;
    point *points;
    size_t *of;      /* the chase that a point belongs to */
    double *numbers; /* three motions for each: at the two ends, and the trial */
} hunt;

static void place(const hunt *h, size_t k, double part, double *u, double *v)
{
    const crossing *x = &h->list[k];
    *u = sheet_u(h->s, x->from) * (1 - part) + sheet_u(h->s, x->to) * part;
    *v = sheet_v(h->s, x->from) * (1 - part) + sheet_v(h->s, x->to) * part;
}

static void begin(const hunt *h, size_t k)
{
    chase *c = &h->chases[k];
    *c = (chase){.weight = {1, 1}, .stayed = -1};
    for (int i = 0; i < 2; i++) {
        size_t at = i ? h->list[k].to : h->list[k].from;
        end *e = &c->ends[i];
        *e = (end){.at = i, .kind = h->list[k].kinds[i]};
        e->numbers = h->numbers + (3 * k + (size_t)i) * h->s->stride;
        if (!exists(e)) continue;
        e->abscissa = h->s->facts.at[h->s->slot[at]].abscissa;
        e->frequency = h->s->facts.at[h->s->slot[at]].frequency;
        memcpy(e->numbers, sheet_numbers(h->s, at), h->s->stride * sizeof(double));
    }
    size_t other = exists(&c->ends[0]) ? h->list[k].to : h->list[k].from;
    if (sheet_exists(h->s, other) && (!exists(&c->ends[0]) || !exists(&c->ends[1])))
        c->beyond = sheet_numbers(h->s, other);
    double at[2];
    c->first_test = choose_test(h->s, c, at);
}

static void set_point(const hunt *h, size_t k, point *t)
{
    chase *c = &h->chases[k];
    const end *near = exists(&c->ends[0]) ? &c->ends[0] : &c->ends[1];
    *t = (point){.start = near->numbers};
    t->numbers = h->numbers + (3 * k + 2) * h->s->stride;
    place(h, k, c->trial, &t->u, &t->v);
    place(h, k, near->at, &t->start_u, &t->start_v);
}

static boundary type_of(const chase *c, double frequency)
{
    unsigned char a = c->ends[0].kind, b = c->ends[1].kind;
    if (a == POINT_NONE || b == POINT_NONE) return BOUNDARY_EXISTENCE;
    if (is_exchange(c)) return BOUNDARY_EXCHANGE;
    if (c->first_test == BY_PRODUCT) return BOUNDARY_DIVERGENCE;
    return frequency > 0 ? BOUNDARY_FLUTTER : BOUNDARY_DIVERGENCE;
}

/* Of an unstable end, or else of one that is on the axis: its rightmost root is the one that crosses. */
static double frequency_of(const chase *c)
{
    const end *a = &c->ends[0], *b = &c->ends[1];
    if (!exists(a) || !exists(b)) return exists(a) ? a->frequency : b->frequency;
    if (is_unstable(a->kind) || is_unstable(b->kind))
        return is_unstable(a->kind) ? a->frequency : b->frequency;
    return a->kind == POINT_STABLE ? b->frequency : a->frequency;
}

/* The place between the ends: by the abscissa where it has a sign, else the middle. */
static void finish(const hunt *h, size_t k)
{
    crossing *x = &h->list[k];
    chase *c = &h->chases[k];
    const end *a = &c->ends[0], *b = &c->ends[1];
    c->weight[0] = c->weight[1] = 1;
    aim(h->s, c, 0);
    place(h, k, c->trial, &x->u, &x->v);
    x->low = a->at;
    x->high = b->at;
    x->kinds[0] = a->kind;
    x->kinds[1] = b->kind;
    x->frequency = frequency_of(c);
    x->type = type_of(c, x->frequency);
    if (x->type == BOUNDARY_DIVERGENCE) x->frequency = 0;
}

static noslip_status chase_all(sweep *w, hunt *h, size_t n, double width, noslip_error *err)
{
    noslip_status status = NOSLIP_OK;
    for (size_t k = 0; k < n; k++) begin(h, k);
    for (size_t running = n; running && status == NOSLIP_OK;) {
        running = 0;
        for (size_t k = 0; k < n; k++) {
            if (h->chases[k].done) continue;
            aim(h->s, &h->chases[k], width);
            set_point(h, k, &h->points[running]);
            h->of[running++] = k;
        }
        status = sweep_points(w, h->s, h->points, running, err);
        for (size_t i = 0; i < running && status == NOSLIP_OK; i++)
            narrow(h->s, &h->chases[h->of[i]], &h->points[i], width);
    }
    return status;
}

noslip_status polish(sweep *w, const sheet *s, double width, crossing *list, size_t n,
                     noslip_error *err)
{
    hunt h = {.s = s, .list = list};
    double part = width * (double)(s->nx > s->ny ? s->nx - 1 : s->ny - 1);
    h.chases = noslip_calloc(n, sizeof *h.chases);
    h.points = noslip_calloc(n, sizeof *h.points);
    h.of = noslip_calloc(n, sizeof *h.of);
    h.numbers = noslip_calloc(3 * n * s->stride, sizeof *h.numbers);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (h.chases && h.points && h.of && h.numbers)
        status = chase_all(w, &h, n, part, err);
    else
        noslip_fail_memory(err);
    for (size_t k = 0; k < n && status == NOSLIP_OK; k++) finish(&h, k);
    noslip_free(h.chases);
    noslip_free(h.points);
    noslip_free(h.of);
    noslip_free(h.numbers);
    return status;
}
