/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "hash.h"
#include "region.h"
#include "region_report.h"
#include "text.h"

/* Tables with a header of comments, which begin with #. A number that there is none of is an empty cell. */

/* 17 digits: to look for the fewest takes ten times as long, and there are many numbers. */
static void put_number(FILE *f, double x)
{
    char words[TEXT_NUMBER_ROOM];
    fputc(',', f);
    if (!isfinite(x)) return;
    snprintf(words, sizeof words, "%.17g", x);
    char *comma = strchr(words, ','); /* of the user's locale */
    if (comma) *comma = '.';
    fputs(words, f);
}

/* A name with a comma or a quotation mark in it is quoted. */
static void put_name(FILE *f, const char *name)
{
    fputc(',', f);
    if (!strpbrk(name, ",\"\n")) {
        fputs(name, f);
        return;
    }
    fputc('"', f);
    for (; *name; name++) {
        if (*name == '"') fputc('"', f);
        fputc(*name, f);
    }
    fputc('"', f);
}

static void put_case(FILE *f, const noslip_case *c)
{
    fputs("# case text:\n#   ", f);
    for (size_t k = 0; k < c->src.size; k++) {
        bool last = k + 1 == c->src.size;
        if (c->bytes[k] != '\n')
            fputc(c->bytes[k], f);
        else if (!last)
            fputs("\n#   ", f);
    }
    fputc('\n', f);
}

static void put_head(FILE *f, const noslip_region *r)
{
    const noslip_case *c = r->m->c;
    char hash[HASH_ROOM], words[TEXT_NUMBER_ROOM];
    hash_of(c->bytes, c->src.size, hash);
    fprintf(f, "# noslip %s\n# title: %s\n# file: %s\n# sha256: %s\n", NOSLIP_VERSION,
            noslip_case_title(c), noslip_case_file(c), hash);
    for (size_t k = 0; k < noslip_case_parameter_count(c); k++) {
        const char *unit = noslip_case_parameter_unit(c, k);
        fprintf(f, "# parameter: %s = %s%s%s\n", noslip_case_parameter_name(c, k),
                text_of_number(noslip_case_parameter_value(c, k), words), unit ? " " : "",
                unit ? unit : "");
    }
    put_case(f, c);
}

static void put_axes(FILE *f, const noslip_region *r)
{
    noslip_region_info i = noslip_region_about(r);
    for (int k = 0; k < 2; k++) put_name(f, i.parameter[k]);
}

static void put_curve(FILE *f, const noslip_region *r, size_t sheet_number, size_t number)
{
    noslip_curve c = noslip_region_curve(r, sheet_number, number);
    for (size_t k = 0; k < c.points; k++) {
        noslip_curve_point at = noslip_region_curve_point(r, sheet_number, number, k);
        fprintf(f, "%zu,%zu,%s,%d", sheet_number + 1, number + 1, region_boundary(c.kind),
                c.closed);
        put_number(f, at.x);
        put_number(f, at.y);
        put_number(f, at.frequency);
        fputc('\n', f);
    }
}

void region_fill_curves(FILE *f, const void *user)
{
    const noslip_region *r = user;
    put_head(f, r);
    fputs("sheet,curve,kind,closed", f);
    put_axes(f, r);
    fputs(",frequency\n", f);
    for (size_t s = 0; s < noslip_region_about(r).sheets; s++)
        for (size_t k = 0; k < noslip_region_sheet(r, s).curves; k++) put_curve(f, r, s, k);
}

/* Points */

static void put_numbers(FILE *f, const noslip_region *r, size_t sheet_number, size_t i, size_t j,
                        size_t most)
{
    noslip_sheet_info s = noslip_region_sheet(r, sheet_number);
    for (size_t k = 0; k < s.states; k++)
        put_number(f, noslip_region_state(r, sheet_number, i, j, k));
    for (size_t k = 0; k < s.roots; k++) {
        noslip_root e = noslip_region_root(r, sheet_number, i, j, k);
        put_number(f, e.re);
        put_number(f, e.im);
    }
    for (size_t k = s.roots; k < most; k++) fputs(",,", f);
}

static void put_point(FILE *f, const noslip_region *r, size_t sheet_number, size_t i, size_t j,
                      size_t most)
{
    noslip_region_point t = noslip_region_at(r, sheet_number, i, j);
    if (!t.evaluated) return;
    bool there = t.kind != NOSLIP_POINT_NONE;
    fprintf(f, "%zu", sheet_number + 1);
    put_number(f, t.x);
    put_number(f, t.y);
    fprintf(f, ",%s", region_kind(t.kind));
    put_number(f, there ? t.abscissa : (double)NAN);
    put_number(f, there ? t.frequency : (double)NAN);
    put_numbers(f, r, sheet_number, i, j, most);
    fputc('\n', f);
}

static size_t most_roots(const noslip_region *r)
{
    size_t most = 0;
    for (size_t k = 0; k < noslip_region_about(r).sheets; k++) {
        size_t n = noslip_region_sheet(r, k).roots;
        if (n > most) most = n;
    }
    return most;
}

void region_fill_points(FILE *f, const void *user)
{
    const noslip_region *r = user;
    noslip_region_info about = noslip_region_about(r);
    size_t most = most_roots(r);
    put_head(f, r);
    fputs("sheet", f);
    put_axes(f, r);
    fputs(",verdict,abscissa,frequency", f);
    for (size_t k = 0; noslip_model_state(r->m, k); k++) put_name(f, noslip_model_state(r->m, k));
    for (size_t k = 1; k <= most; k++) fprintf(f, ",root %zu re,root %zu im", k, k);
    fputc('\n', f);
    for (size_t s = 0; s < about.sheets; s++)
        for (size_t j = 0; j < about.nodes[1]; j++)
            for (size_t i = 0; i < about.nodes[0]; i++) put_point(f, r, s, i, j, most);
}
