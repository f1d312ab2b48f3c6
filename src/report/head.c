/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "head.h"

#include <string.h>

#include "alloc.h"
#include "noslip/report.h"
#include "ready.h"

/* The name of a case is that of its file, without folder and ending. */
static json_t *case_name(const char *file)
{
    const char *slash = strrchr(file, '/'), *from = slash ? slash + 1 : file;
    const char *dot = strrchr(from, '.');
    size_t n = dot && dot > from ? (size_t)(dot - from) : strlen(from);
    char *name = noslip_calloc(n + 1, 1);
    if (!name) return NULL;
    memcpy(name, from, n);
    json_t *item = page_words(name);
    noslip_free(name);
    return item;
}

static void put_parameters(page *p, const noslip_case *c)
{
    json_t *object = page_put_object(p, p->top, "parameters");
    for (size_t k = 0; k < noslip_case_parameter_count(c); k++)
        page_put(p, object, noslip_case_parameter_name(c, k),
                 page_number(noslip_case_parameter_value(c, k)));
}

static void put_units(page *p, const noslip_case *c)
{
    json_t *object = page_put_object(p, p->top, "units");
    for (size_t k = 0; k < noslip_case_parameter_count(c); k++)
        if (noslip_case_parameter_unit(c, k))
            page_put(p, object, noslip_case_parameter_name(c, k),
                     page_words(noslip_case_parameter_unit(c, k)));
    for (size_t k = 0; k < noslip_case_coordinate_count(c); k++)
        if (noslip_case_coordinate_unit(c, k))
            page_put(p, object, noslip_case_coordinate_name(c, k),
                     page_words(noslip_case_coordinate_unit(c, k)));
}

static void put_roles(page *p, const noslip_model *m)
{
    json_t *positional = page_put_list(p, p->top, "positional");
    json_t *cyclic = page_put_list(p, p->top, "cyclic");
    for (size_t k = 0; k < noslip_model_about(m).coordinates; k++) {
        noslip_coordinate x = noslip_model_coordinate(m, k);
        page_append(p, x.role == NOSLIP_CYCLIC ? cyclic : positional, page_words(x.name));
    }
}

void head_put(page *p, const noslip_model *m)
{
    const noslip_case *c = m->c;
    page_put(p, p->top, "version", page_words(NOSLIP_VERSION));
    page_put(p, p->top, "case", case_name(noslip_case_file(c)));
    page_put(p, p->top, "title", page_words(noslip_case_title(c)));
    page_put(p, p->top, "file", page_words(noslip_case_file(c)));
    put_parameters(p, c);
    put_units(p, c);
    put_roles(p, m);
    json_t *list = page_put_list(p, p->top, "quasi_velocities");
    for (size_t k = 0; k < noslip_model_about(m).quasi_velocities; k++)
        page_append(p, list, page_words(noslip_model_quasi(m, k).name));
}

/* What was understood */

static const char *const roles[] = {
    [NOSLIP_CYCLIC] = "cyclic",
    [NOSLIP_IN_EQUATIONS] = "in the equations",
    [NOSLIP_IN_LEVEL] = "in a holonomic constraint",
    [NOSLIP_IN_RATE] = "in a rate",
};

static void put_coordinates(page *p, const noslip_model *m)
{
    json_t *list = page_put_list(p, p->top, "coordinates");
    for (size_t k = 0; k < noslip_model_about(m).coordinates; k++) {
        noslip_coordinate x = noslip_model_coordinate(m, k);
        json_t *item = json_object();
        page_put(p, item, "name", page_words(x.name));
        page_put(p, item, "unit", page_words(x.unit));
        page_put(p, item, "positional", json_boolean(x.role != NOSLIP_CYCLIC));
        page_put(p, item, "role", page_words(roles[x.role]));
        page_put(p, item, "because_of", page_words(x.because));
        page_append(p, list, item);
    }
}

static void put_constraints(page *p, const noslip_model *m)
{
    json_t *list = page_put_list(p, p->top, "constraints");
    for (size_t k = 0; k < noslip_model_about(m).constraints; k++) {
        noslip_constraint x = noslip_model_constraint(m, k);
        json_t *item = json_object();
        page_put(p, item, "label", page_words(x.label));
        page_put(p, item, "zero", page_words(x.formula));
        page_put(p, item, "holonomic", json_boolean(x.holonomic));
        page_put(p, item, "kept", json_boolean(x.kept));
        page_append(p, list, item);
    }
}

static void put_forms(page *p, const noslip_model *m)
{
    json_t *object = page_put_object(p, p->top, "quasi_velocity_forms");
    for (size_t k = 0; k < noslip_model_about(m).quasi_velocities; k++) {
        noslip_quasi_velocity x = noslip_model_quasi(m, k);
        page_put(p, object, x.name, page_words(x.formula));
    }
}

noslip_status noslip_report_check(const noslip_model *m, char **json, noslip_error *err)
{
    noslip_model_info i = noslip_model_about(m);
    page p = page_new();
    head_put(&p, m);
    page_put(&p, p.top, "degrees_of_freedom", page_count(i.quasi_velocities));
    page_put(&p, p.top, "independent_constraints", page_count(i.independent));
    page_put(&p, p.top, "holonomic_levels", page_count(i.levels));
    page_put(&p, p.top, "quasi_velocities_chosen", json_boolean(i.chosen));
    put_coordinates(&p, m);
    put_constraints(&p, m);
    put_forms(&p, m);
    page_put(&p, p.top, "kinetic", page_words(noslip_model_energy(m, NOSLIP_KINETIC)));
    page_put(&p, p.top, "potential", page_words(noslip_model_energy(m, NOSLIP_POTENTIAL)));
    page_put(&p, p.top, "dissipation", page_words(noslip_model_energy(m, NOSLIP_DISSIPATION)));
    return page_finish(&p, json, err);
}
