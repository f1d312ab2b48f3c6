/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "follow.h"

#include <math.h>
#include <string.h>

#include "alloc.h"
#include "roots.h"

/* Pseudo-arclength continuation. A step goes along the tangent and back to the curve in the plane across it, so a fold is a point like any
 * other. It is taken if the curve does not bend too much on it and every root is recognised on the other side; if not,
 * it is halved. */

enum { MOST_POINTS = 50000 };
static const double shortest = 1e-7; /* of the longest step */
static const double closest = 1e-6;  /* likewise: strands that still seem to cross do */

static bool is_pair(const root *x, const root *y)
{
    return x->re == y->re && x->im == -y->im;
}

/* The other one of the pair of strand i, if possible of the same mode: where two pairs are equal there is a choice. */
static size_t partner(const noslip_trace *t, const station *a, size_t i)
{
    size_t found = i;
    for (size_t j = 0; j < t->p.n; j++) {
        if (!is_pair(&a->roots[i], &a->roots[j])) continue;
        if (strand_mode(t, i) == strand_mode(t, j)) return j;
        if (found == i || t->joined[found] != found) found = j;
    }
    return found;
}

/* Strands that are a pair at this station are of one mode. */
static void join_pairs(noslip_trace *t, const station *a)
{
    for (size_t i = 0; i < t->p.n; i++) {
        if (a->roots[i].im <= 0) continue;
        size_t x = strand_mode(t, i), y = strand_mode(t, partner(t, a, i));
        t->joined[x > y ? x : y] = x < y ? x : y;
    }
}

static noslip_status keep(noslip_trace *t, const station *a)
{
    size_t N = t->p.N, n = t->p.n;
    const spectrum judged = {.verdict = a->verdict, .kind = a->kind};
    if (!array_push(&t->alpha, path_alpha(&t->p, a->y)) ||
        !array_push(&t->verdicts, roots_verdict(&judged)) || !array_room(&t->states, N) ||
        !array_room(&t->roots, n))
        return NOSLIP_ERR_MEMORY;
    for (size_t k = 0; k < N; k++) t->states.at[t->states.n++] = path_state(&t->p, a->y, k);
    if (n) memcpy(t->roots.at + t->roots.n, a->roots, n * sizeof *a->roots);
    t->roots.n += n;
    join_pairs(t, a);
    return NOSLIP_OK;
}

/* Roots go on as they went on the last step, unless they met another on it. */
static void expect(noslip_trace *t, double length)
{
    double part = t->previous_length > 0 ? length / t->previous_length : 0;
    for (size_t k = 0; k < t->p.n; k++) {
        double complex now = root_number(&t->here->roots[k]),
                       before = root_number(&t->previous->roots[k]);
        t->expected[k] = now + (t->bent[k] ? 0 : part * (now - before));
    }
}

static bool is_decided(const root *e)
{
    return fabs(e->re) > e->bound;
}

/* A root that had a sign has none here: the step ends just on a critical value, where nothing can be told. */
static bool is_undecided(const noslip_trace *t)
{
    for (size_t k = 0; k < t->p.n; k++)
        if (is_decided(&t->here->roots[k]) && !is_decided(&t->next->roots[k])) return true;
    return false;
}

static bool changes_sides(const noslip_trace *t, size_t k)
{
    const root *a = &t->here->roots[k], *b = &t->next->roots[k];
    return is_decided(a) && is_decided(b) && a->re * b->re < 0;
}

/* Two real roots that are each other's negatives go up and down the imaginary axis beyond: they meet and change sides at once. */
static bool is_symmetric(const noslip_trace *t, const meeting *m)
{
    const root *a = t->here->roots, *b = t->next->roots;
    double sum = fabs(a[m->i].re + a[m->j].re) + fabs(b[m->i].re + b[m->j].re);
    return sum <= a[m->i].bound + a[m->j].bound + b[m->i].bound + b[m->j].bound;
}

/* More than one thing happens to the roots: the verdict between would not be seen. */
static bool is_too_much(const noslip_trace *t)
{
    size_t events = 0;
    for (size_t k = 0; k < t->m->n_met; k++) events += !is_symmetric(t, &t->m->met[k]);
    for (size_t k = 0; k < t->p.n; k++) events += changes_sides(t, k) && t->here->roots[k].im >= 0;
    return events > 1;
}

typedef enum { STEP_TAKEN, STEP_BENT, STEP_UNCLEAR, STEP_UNDECIDED, STEP_FAILED } step_result;

static step_result judge_step(noslip_trace *t, double length, double off)
{
    size_t N = t->p.N;
    if (!(off <= 0.3 * length) || path_dot(t->here->t, t->next->t, N + 1) < 0.95) return STEP_BENT;
    expect(t, length);
    match_stations(t->m, N, t->here, t->next, t->expected);
    if (!t->m->clear || t->m->crossing || is_too_much(t)) return STEP_UNCLEAR;
    return is_undecided(t) ? STEP_UNDECIDED : STEP_TAKEN;
}

/* To the end of the range, if a step of this length would go beyond it: along the parameter, to have its value exactly. */
static bool lands(const noslip_trace *t, double *length, double *target)
{
    size_t N = t->p.N;
    double y = t->here->y[N], slope = t->here->t[N], end = slope > 0 ? 1 : 0;
    *target = end;
    if ((y + *length * slope - end) * slope < 0) return false;
    *length = (end - y) / slope;
    return true;
}

static step_result try_step(noslip_trace *t, double length, bool *landed)
{
    size_t N = t->p.N;
    double target, *normal = t->first + 2 * (N + 1), off = 0;
    *landed = lands(t, &length, &target);
    for (;;) {
        memcpy(normal, t->here->t, (N + 1) * sizeof *normal);
        for (size_t j = 0; j <= N; j++) t->next->y[j] = t->here->y[j] + length * t->here->t[j];
        if (*landed) {
            memset(normal, 0, (N + 1) * sizeof *normal);
            normal[N] = t->here->t[N] > 0 ? 1 : -1;
            t->next->y[N] = target;
        }
        noslip_status status = path_correct(&t->p, normal, t->next);
        if (status != NOSLIP_OK) return STEP_FAILED;
        if (*landed) t->next->y[N] = target; /* to the last bit */
        if (*landed || (t->next->y[N] >= 0 && t->next->y[N] <= 1)) break;
        if (t->here->t[N] == 0) return STEP_FAILED;
        *landed = true; /* beyond the end, unexpectedly */
        length = (target - t->here->y[N]) / t->here->t[N];
    }
    if (path_dot(t->here->t, t->next->t, N + 1) < 0)
        for (size_t j = 0; j <= N; j++) t->next->t[j] = -t->next->t[j];
    for (size_t j = 0; j <= N; j++) {
        double d = t->next->y[j] - t->here->y[j] - length * t->here->t[j];
        off += d * d;
    }
    return judge_step(t, length, sqrt(off));
}

static bool is_closed(const noslip_trace *t)
{
    size_t N = t->p.N;
    double far = 0;
    for (size_t j = 0; j <= N; j++) far += pow(t->here->y[j] - t->first[j], 2);
    return t->alpha.n > 20 && sqrt(far) < t->longest &&
           path_dot(t->here->t, t->first + N + 1, N + 1) > 0.9;
}

static noslip_status take(noslip_trace *t)
{
    size_t N = t->p.N;
    noslip_status status = criticals_between(t);
    if (status == NOSLIP_OK) status = keep(t, t->next);
    if (status != NOSLIP_OK) return status;
    double far = 0;
    for (size_t j = 0; j <= N; j++) far += pow(t->next->y[j] - t->here->y[j], 2);
    t->previous_length = sqrt(far);
    memset(t->bent, 0, t->p.n * sizeof *t->bent);
    for (size_t k = 0; k < t->m->n_met; k++)
        t->bent[t->m->met[k].i] = t->bent[t->m->met[k].j] = true;
    for (size_t k = 0; k < t->p.n; k++) /* the other ones of pairs that met */
        t->bent[k] = t->bent[k] || t->m->n_met > 0;
    station *last = t->previous;
    t->previous = t->here;
    t->here = t->next;
    t->next = last;
    return NOSLIP_OK;
}

/* One step, as long as may be. False if there is none, or the trace is at its end. */
static bool advance(noslip_trace *t, noslip_status *status)
{
    int undecided = 0;
    for (;;) {
        bool landed;
        step_result result = try_step(t, t->length, &landed);
        bool near = t->length <= closest * t->longest;
        bool settles = result == STEP_UNDECIDED && (landed || ++undecided > 3);
        if (result == STEP_UNCLEAR && near) t->unclear += !t->m->clear;
        if (result == STEP_TAKEN || settles || (result == STEP_UNCLEAR && near)) {
            *status = take(t);
            if (landed)
                t->end = t->here->y[t->p.N] > 0.5 ? NOSLIP_TRACE_ARRIVED : NOSLIP_TRACE_RETURNED;
            t->length = fmin(t->longest, t->length * (near ? 4 : 1.7));
            return !landed;
        }
        t->length *= result == STEP_UNDECIDED ? 0.83 : 0.5;
        if (t->length < shortest * t->longest) {
            t->end = NOSLIP_TRACE_LOST;
            return false;
        }
    }
}

noslip_status follow(noslip_trace *t)
{
    size_t N = t->p.N;
    memcpy(t->first, t->here->y, (N + 1) * sizeof(double));
    memcpy(t->first + N + 1, t->here->t, (N + 1) * sizeof(double));
    t->length = t->longest / 10;
    t->end = NOSLIP_TRACE_LONG;
    noslip_status status = keep(t, t->here);
    while (status == NOSLIP_OK && t->alpha.n < MOST_POINTS && advance(t, &status))
        if (is_closed(t)) {
            t->end = NOSLIP_TRACE_CLOSED;
            break;
        }
    return status;
}
