/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "hash.h"
#include "head.h"
#include "noslip/report.h"
#include "region.h"
#include "region_report.h"

static void put_source(page *p, const noslip_case *c)
{
    char hash[HASH_ROOM];
    hash_of(c->bytes, c->src.size, hash);
    page_put(p, p->top, "case_sha256", page_words(hash));
    page_put(p, p->top, "case_text", json_stringn(c->bytes, c->src.size));
}

static void put_axis(page *p, const noslip_region *r, const char *key, int axis)
{
    noslip_region_info i = noslip_region_about(r);
    json_t *object = page_put_object(p, p->top, key);
    page_put(p, object, "parameter", page_words(i.parameter[axis]));
    page_put(p, object, "unit",
             page_words(noslip_case_parameter_unit(r->m->c, r->p->parameter[axis])));
    page_put(p, object, "from", page_number(i.from[axis]));
    page_put(p, object, "to", page_number(i.to[axis]));
    page_put(p, object, "nodes", page_count(i.nodes[axis]));
}

static void put_curve(page *p, json_t *list, const noslip_region *r, size_t sheet_number, size_t k)
{
    noslip_curve c = noslip_region_curve(r, sheet_number, k);
    json_t *object = json_object();
    page_put(p, object, "kind", page_words(region_boundary(c.kind)));
    page_put(p, object, "closed", json_boolean(c.closed));
    json_t *x = page_put_list(p, object, "x"), *y = page_put_list(p, object, "y");
    json_t *frequency = page_put_list(p, object, "frequency");
    for (size_t n = 0; n < c.points; n++) {
        noslip_curve_point at = noslip_region_curve_point(r, sheet_number, k, n);
        page_append(p, x, page_number(at.x));
        page_append(p, y, page_number(at.y));
        page_append(p, frequency, page_number(at.frequency));
    }
    page_append(p, list, object);
}

static void put_junctions(page *p, json_t *object, const noslip_region *r, size_t sheet_number,
                          size_t n)
{
    json_t *list = page_put_list(p, object, "junctions");
    for (size_t k = 0; k < n; k++) {
        noslip_curve_point at = noslip_region_junction(r, sheet_number, k);
        json_t *item = json_object();
        page_put(p, item, "x", page_number(at.x));
        page_put(p, item, "y", page_number(at.y));
        page_append(p, list, item);
    }
}

static json_t *sheet_object(page *p, const noslip_region *r, size_t k)
{
    noslip_sheet_info i = noslip_region_sheet(r, k);
    json_t *object = json_object();
    page_put(p, object, "manifold_dimension", page_count(i.manifold));
    page_put(p, object, "holonomic_levels", page_count(i.levels));
    page_put(p, object, "roots", page_count(i.roots));
    page_put(p, object, "points_evaluated", page_count(i.evaluated));
    json_t *area = page_put_object(p, object, "area");
    for (int kind = 0; kind < NOSLIP_POINT_UNKNOWN; kind++)
        page_put(p, area, region_kind((noslip_point_kind)kind), page_number(i.area[kind]));
    json_t *list = page_put_list(p, object, "curves");
    for (size_t n = 0; n < i.curves; n++) put_curve(p, list, r, k, n);
    put_junctions(p, object, r, k, i.junctions);
    return object;
}

static void put_states(page *p, const noslip_model *m)
{
    json_t *names = page_put_list(p, p->top, "states");
    for (size_t k = 0; noslip_model_state(m, k); k++)
        page_append(p, names, page_words(noslip_model_state(m, k)));
}

noslip_status noslip_report_region(const noslip_region *r, char **json, noslip_error *err)
{
    noslip_region_info i = noslip_region_about(r);
    page p = page_new();
    head_put(&p, r->m);
    put_source(&p, r->m->c);
    put_states(&p, r->m);
    put_axis(&p, r, "x", 0);
    put_axis(&p, r, "y", 1);
    page_put(&p, p.top, "adaptive", json_boolean(i.adaptive));
    page_put(&p, p.top, "most_sheets", page_count(r->o.sheets));
    page_put(&p, p.top, "points_evaluated", page_count(i.evaluated));
    json_t *list = page_put_list(&p, p.top, "sheets");
    for (size_t k = 0; k < i.sheets; k++) page_append(&p, list, sheet_object(&p, r, k));
    return page_finish(&p, json, err);
}
