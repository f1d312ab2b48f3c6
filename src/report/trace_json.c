/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "follow.h"
#include "head.h"
#include "noslip/report.h"

static const char *const kinds[] = {
    [NOSLIP_CRITICAL_MOTION] = NULL,
    [NOSLIP_CRITICAL_DIVERGENCE] = "divergence",
    [NOSLIP_CRITICAL_FLUTTER] = "flutter",
    [NOSLIP_CRITICAL_DOUBLE] = "double root",
};
static const char *const changes[] = {
    [NOSLIP_CHANGE_NONE] = NULL,
    [NOSLIP_CHANGE_UNSTABLE] = "becomes unstable",
    [NOSLIP_CHANGE_STABLE] = "leaves instability",
    [NOSLIP_CHANGE_PAIR] = "becomes a pair",
    [NOSLIP_CHANGE_REAL] = "becomes real",
};
static const char *const ends[] = {
    [NOSLIP_TRACE_ARRIVED] = "arrived", [NOSLIP_TRACE_RETURNED] = "returned",
    [NOSLIP_TRACE_CLOSED] = "closed",   [NOSLIP_TRACE_LOST] = "lost",
    [NOSLIP_TRACE_LONG] = "long",
};
static const char *const verdicts[] = {
    [NOSLIP_ASYMPTOTICALLY_STABLE] = "asymptotically stable",
    [NOSLIP_UNSTABLE_DIVERGENCE] = "divergence",
    [NOSLIP_UNSTABLE_FLUTTER] = "flutter",
    [NOSLIP_NEUTRAL] = "neutral",
    [NOSLIP_DEGENERATE] = "degenerate",
};

static void put_criticals(page *p, const noslip_trace *t, const noslip_trace_info *i)
{
    json_t *list = page_put_list(p, p->top, "criticals");
    for (size_t k = 0; k < i->criticals; k++) {
        noslip_critical c = noslip_trace_critical(t, k);
        json_t *item = json_object();
        page_put(p, item, "value", page_number(c.value));
        page_put(p, item, "bound", page_number(c.bound));
        page_put(p, item, "kind", page_words(kinds[c.kind]));
        page_put(p, item, "fold", json_boolean(c.motion & NOSLIP_MOTION_FOLD));
        page_put(p, item, "branch_point", json_boolean(c.motion & NOSLIP_MOTION_BRANCH));
        page_put(p, item, "change", page_words(changes[c.change]));
        page_put(p, item, "mode",
                 page_words(c.mode < i->modes ? noslip_trace_mode_at(t, c.mode).name : NULL));
        page_put(p, item, "re", page_number(c.re));
        page_put(p, item, "im", page_number(c.im));
        page_put(p, item, "frequency", page_number(c.frequency));
        json_t *steady_object = page_put_object(p, item, "steady");
        for (size_t j = 0; j < i->states; j++)
            page_put(p, steady_object, noslip_model_state(t->p.r, j),
                     page_number(noslip_trace_critical_state(t, k, j)));
        page_append(p, list, item);
    }
}

static void put_ranges(page *p, const noslip_trace *t, const noslip_trace_info *i)
{
    json_t *list = page_put_list(p, p->top, "ranges");
    for (size_t k = 0; k < i->ranges; k++) {
        noslip_trace_range x = noslip_trace_range_at(t, k);
        json_t *item = json_object();
        page_put(p, item, "from", page_number(x.from));
        page_put(p, item, "to", page_number(x.to));
        page_put(p, item, "verdict", page_words(verdicts[x.verdict]));
        page_append(p, list, item);
    }
}

/* Columns: a list along the trace for each quantity. */

static void put_values(page *p, const noslip_trace *t, const noslip_trace_info *i)
{
    json_t *values = page_put_list(p, p->top, "values");
    json_t *list = page_put_list(p, p->top, "verdicts");
    for (size_t k = 0; k < i->points; k++) {
        page_append(p, values, page_number(noslip_trace_value(t, k)));
        page_append(p, list, page_words(verdicts[noslip_trace_verdict(t, k)]));
    }
    json_t *steady_object = page_put_object(p, p->top, "steady");
    for (size_t j = 0; j < i->states; j++) {
        json_t *column = page_put_list(p, steady_object, noslip_model_state(t->p.r, j));
        for (size_t k = 0; k < i->points; k++)
            page_append(p, column, page_number(noslip_trace_state(t, k, j)));
    }
}

static json_t *root_object(page *p, const noslip_trace *t, size_t points, size_t number)
{
    json_t *object = json_object();
    json_t *re = page_put_list(p, object, "re"), *im = page_put_list(p, object, "im");
    for (size_t k = 0; k < points; k++) {
        noslip_root e = noslip_trace_root(t, k, number);
        page_append(p, re, page_number(e.re));
        page_append(p, im, page_number(e.im));
    }
    return object;
}

static void put_modes(page *p, const noslip_trace *t, const noslip_trace_info *i)
{
    json_t *list = page_put_list(p, p->top, "modes");
    for (size_t k = 0; k < i->modes; k++) {
        noslip_trace_mode m = noslip_trace_mode_at(t, k);
        json_t *item = json_object();
        page_put(p, item, "name", page_words(m.name));
        json_t *roots = page_put_list(p, item, "roots");
        for (size_t j = 0; j < m.count; j++)
            page_append(p, roots, root_object(p, t, i->points, m.first + j));
        page_append(p, list, item);
    }
}

noslip_status noslip_report_trace(const noslip_trace *t, char **json, noslip_error *err)
{
    noslip_trace_info i = noslip_trace_about(t);
    page p = page_new();
    head_put(&p, t->p.r);
    page_put(&p, p.top, "parameter", page_words(i.parameter));
    page_put(&p, p.top, "unit", page_words(i.unit));
    page_put(&p, p.top, "from", page_number(i.from));
    page_put(&p, p.top, "to", page_number(i.to));
    page_put(&p, p.top, "end", page_words(ends[i.end]));
    page_put(&p, p.top, "folds", page_count(i.folds));
    page_put(&p, p.top, "unclear_steps", page_count(i.unclear));
    put_criticals(&p, t, &i);
    put_ranges(&p, t, &i);
    put_values(&p, t, &i);
    put_modes(&p, t, &i);
    return page_finish(&p, json, err);
}
