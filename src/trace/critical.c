/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "follow.h"

/* Critical values between two stations: each change that the matched roots and the tangents show is located by its own test. A root that
 * passes zero at a fold or a branch point is found twice and told once. */

/* +1 or -1; 0 if the bound leaves it open. */
static int side(const root *e)
{
    return e->re > e->bound ? 1 : e->re < -e->bound ? -1 : 0;
}

/* The direction of the parameter along the path. */
static int direction(const noslip_trace *t)
{
    double a = t->here->t[t->p.N], b = t->next->t[t->p.N];
    return a > 0 && b > 0 ? 1 : a < 0 && b < 0 ? -1 : 0;
}

static noslip_critical_change crossing_change(const noslip_trace *t, bool to_right)
{
    if (t->p.range * direction(t) < 0) to_right = !to_right;
    return to_right ? NOSLIP_CHANGE_UNSTABLE : NOSLIP_CHANGE_STABLE;
}

static noslip_critical_change pair_change(const noslip_trace *t, bool to_pair)
{
    if (t->p.range * direction(t) < 0) to_pair = !to_pair;
    return to_pair ? NOSLIP_CHANGE_PAIR : NOSLIP_CHANGE_REAL;
}

/* x, a motion's, is at the same place. */
static bool is_merged(const critical *x, const critical *y)
{
    return x->c.kind == NOSLIP_CRITICAL_MOTION && fabs(x->at - y->at) < 1e-4;
}

/* Where the other branch leaves: v, in the kernel of A at the place, but for what it has of the tangent. */
static bool find_other(noslip_trace *t, double *place, double *other)
{
    size_t N = t->p.N;
    station *x = t->l.probe;
    memcpy(x->y, place, (N + 1) * sizeof *place);
    if (path_describe(&t->p, t->here->t, x) != NOSLIP_OK) return false;
    for (size_t j = 0; j <= N; j++) other[j] = t->next->y[j] - t->here->y[j];
    double length = sqrt(path_dot(other, other, N + 1)), size = 0;
    /* of the kernel, spanned by x->t and x->v, what is at right angles to the path */
    double a = path_dot(other, x->t, N + 1) / length, b = path_dot(other, x->v, N + 1) / length;
    for (size_t j = 0; j <= N; j++) {
        other[j] = a * x->v[j] - b * x->t[j];
        size += other[j] * other[j];
    }
    for (size_t j = 0; j <= N && size > 0; j++) other[j] /= sqrt(size);
    return size > 0;
}

/* A step of this length to the side and back to the curve in the plane there; how far it went in that plane, in lengths. */
static double try_aside(noslip_trace *t, const double *place, const double *other, double length,
                        station *out)
{
    size_t N = t->p.N;
    double *normal = t->first + 2 * (N + 1), off = 0;
    for (size_t j = 0; j <= N; j++) {
        normal[j] = length > 0 ? other[j] : -other[j];
        out->y[j] = place[j] + length * other[j];
    }
    if (path_correct(&t->p, normal, out) != NOSLIP_OK) return HUGE_VAL;
    for (size_t j = 0; j <= N; j++) off += pow(out->y[j] - place[j] - length * other[j], 2);
    return sqrt(off) / fabs(length);
}

/* A branch through the place is met at a distance that shrinks with the length; this branch itself, which may bend into the plane, at one
 * that shrinks with the square root of it. */
bool step_aside(noslip_trace *t, const double *place, const double *other, double way, station *out)
{
    for (double length = 4 * t->longest; length > t->longest / 100; length /= 2) {
        double half = try_aside(t, place, other, way * length / 2, out),
               whole = half < 30 ? try_aside(t, place, other, way * length, out) : HUGE_VAL;
        if (whole < 30 && fabs(whole - half) < 0.2 * fmax(1, whole)) return true;
    }
    return false;
}

/* A kernel of two dimensions is not yet a second branch: the equations depend on each other, and terms of second order may leave none. */
static bool is_branch(noslip_trace *t, double *place, double *other)
{
    return find_other(t, place, other) && (step_aside(t, place, other, 1, t->l.probe) ||
                                           step_aside(t, place, other, -1, t->l.probe));
}

static noslip_status add(noslip_trace *t, const test *test_of, critical x, size_t since)
{
    size_t N = t->p.N, room = 2 * (N + 1);
    located found;
    if (!array_room(&t->places, room)) return NOSLIP_ERR_MEMORY;
    double *place = t->places.at + t->places.n;
    if (locate(&t->l, test_of, t->here, t->next, &found, place) != NOSLIP_OK) return NOSLIP_OK;
    x.at = found.at;
    x.c.value = found.alpha;
    x.c.bound = found.bound;
    x.c.point = t->alpha.n - 1;
    bool zero = x.c.kind == NOSLIP_CRITICAL_DIVERGENCE;
    x.c.re = zero || x.c.kind == NOSLIP_CRITICAL_FLUTTER ? 0 : creal(found.value);
    x.c.im = zero ? 0 : fabs(cimag(found.value));
    x.c.frequency = x.c.im / (2 * acos(-1.0));
    memset(place + N + 1, 0, (N + 1) * sizeof *place);
    if (x.c.motion == NOSLIP_MOTION_BRANCH && !is_branch(t, place, place + N + 1)) return NOSLIP_OK;
    for (size_t k = since; k < t->criticals.n; k++) {
        critical *other = &t->criticals.at[k];
        if (!is_merged(&x, other)) continue;
        other->c.motion |= x.c.motion;
        if (x.c.motion == NOSLIP_MOTION_FOLD) return NOSLIP_OK;
        memcpy(t->places.at + k * room + N + 1, place + N + 1, (N + 1) * sizeof *place);
        return NOSLIP_OK;
    }
    if (!array_push(&t->criticals, x)) return NOSLIP_ERR_MEMORY;
    t->places.n += room;
    return NOSLIP_OK;
}

/* A strand that keeps its kind and changes sides. */
static noslip_status add_crossing(noslip_trace *t, size_t k, size_t since)
{
    const root *a = &t->here->roots[k], *b = &t->next->roots[k];
    bool were_real = a->im == 0, are_real = b->im == 0;
    if (were_real != are_real || a->im < 0 || side(a) * side(b) >= 0) return NOSLIP_OK;
    const test test_of = {were_real ? TEST_ROOT : TEST_REAL_PART, k, k};
    critical x = {.c = {.kind = were_real ? NOSLIP_CRITICAL_DIVERGENCE : NOSLIP_CRITICAL_FLUTTER,
                        .change = crossing_change(t, side(b) > 0),
                        .mode = k}};
    return add(t, &test_of, x, since);
}

static noslip_status add_meeting(noslip_trace *t, const meeting *m, size_t since)
{
    const root *a = t->here->roots, *b = t->next->roots;
    const test test_of = {TEST_GAP, m->i, m->j};
    bool to_pair = b[m->i].im != 0;
    double bound = a[m->i].bound + a[m->j].bound + b[m->i].bound + b[m->j].bound;
    double sum = cabs(root_number(&a[m->i]) + root_number(&a[m->j])) +
                 cabs(root_number(&b[m->i]) + root_number(&b[m->j]));
    critical x = {.c = {.mode = m->i}};
    if (m->pairs) {
        x.c.kind = NOSLIP_CRITICAL_FLUTTER;
        x.c.change = crossing_change(t, side(&b[m->i]) != 0);
    } else if (sum <= bound) { /* +-sigma collapse at zero and are +-i omega beyond */
        x.c.kind = NOSLIP_CRITICAL_DIVERGENCE;
        x.c.change = crossing_change(t, !to_pair);
    } else {
        x.c.kind = NOSLIP_CRITICAL_DOUBLE;
        x.c.change = pair_change(t, to_pair);
    }
    return add(t, &test_of, x, since);
}

static noslip_status add_motions(noslip_trace *t, size_t since)
{
    const station *a = t->here, *b = t->next;
    size_t N = t->p.N;
    critical x = {.c = {.kind = NOSLIP_CRITICAL_MOTION, .mode = t->p.n}};
    noslip_status status = NOSLIP_OK;
    if (a->t[N] * b->t[N] < 0) {
        x.c.motion = NOSLIP_MOTION_FOLD;
        status = add(t, &(test){TEST_TURN, 0, 0}, x, since);
    }
    double left = path_dot(a->u, b->u, t->p.rows), right = path_dot(a->v, b->v, N + 1);
    if (status != NOSLIP_OK || left * right >= 0 || fabs(left) < 0.3 || fabs(right) < 0.3)
        return status;
    x.c.motion = NOSLIP_MOTION_BRANCH;
    return add(t, &(test){TEST_BRANCH, 0, 0}, x, since);
}

/* By their place on the path; few, so by insertion, places along with them. */
static void sort(noslip_trace *t, size_t since)
{
    size_t room = 2 * (t->p.N + 1);
    for (size_t i = since + 1; i < t->criticals.n; i++)
        for (size_t k = i; k > since && t->criticals.at[k].at < t->criticals.at[k - 1].at; k--) {
            critical c = t->criticals.at[k];
            t->criticals.at[k] = t->criticals.at[k - 1];
            t->criticals.at[k - 1] = c;
            for (size_t j = 0; j < room; j++) {
                double *x = t->places.at + k * room + j, y = *x;
                *x = *(x - room);
                *(x - room) = y;
            }
        }
}

noslip_status criticals_between(noslip_trace *t)
{
    size_t since = t->criticals.n;
    noslip_status status = NOSLIP_OK;
    for (size_t k = 0; k < t->p.n && status == NOSLIP_OK; k++) status = add_crossing(t, k, since);
    for (size_t k = 0; k < t->m->n_met && status == NOSLIP_OK; k++)
        status = add_meeting(t, &t->m->met[k], since);
    if (status == NOSLIP_OK) status = add_motions(t, since);
    sort(t, since);
    return status;
}
