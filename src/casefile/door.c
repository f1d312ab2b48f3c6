/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "case.h"
#include "file.h"

noslip_status noslip_case_open(const char *path_or_name, const char *const *overrides,
                               noslip_case **out, noslip_error *err)
{
    text path = {0};
    noslip_status status = file_of_case(path_or_name, &path, err);
    if (status == NOSLIP_OK) status = case_read(path.at, overrides, out, err);
    text_free(&path);
    return status;
}

void noslip_case_close(noslip_case *c)
{
    case_free(c);
}

const char *noslip_case_title(const noslip_case *c)
{
    return c->title;
}

const char *noslip_case_file(const noslip_case *c)
{
    return c->file;
}

size_t noslip_case_parameter_count(const noslip_case *c)
{
    return c->system->parameters.n;
}

const char *noslip_case_parameter_name(const noslip_case *c, size_t k)
{
    return k < c->system->parameters.n ? c->system->parameters.at[k].name : NULL;
}

double noslip_case_parameter_value(const noslip_case *c, size_t k)
{
    return k < c->system->parameters.n ? c->parameters[k] : 0;
}

const char *noslip_case_parameter_unit(const noslip_case *c, size_t k)
{
    return k < c->system->parameters.n ? c->system->parameters.at[k].unit : NULL;
}

const char *noslip_case_parameter_about(const noslip_case *c, size_t k)
{
    return k < c->system->parameters.n ? c->system->parameters.at[k].about : NULL;
}

size_t noslip_case_coordinate_count(const noslip_case *c)
{
    return c->system->coordinates.n;
}

const char *noslip_case_coordinate_name(const noslip_case *c, size_t k)
{
    return k < c->system->coordinates.n ? c->system->coordinates.at[k].name : NULL;
}

const char *noslip_case_coordinate_unit(const noslip_case *c, size_t k)
{
    return k < c->system->coordinates.n ? c->system->coordinates.at[k].unit : NULL;
}

const char *noslip_case_coordinate_about(const noslip_case *c, size_t k)
{
    return k < c->system->coordinates.n ? c->system->coordinates.at[k].about : NULL;
}

const char *noslip_case_region_parameter(const noslip_case *c, size_t which, int axis)
{
    if (which >= c->regions.n) return NULL;
    const case_region *r = &c->regions.at[which];
    return c->system->parameters.at[axis ? r->y.parameter : r->x.parameter].name;
}
