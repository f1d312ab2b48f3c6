/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "picture.h"

#include <string.h>

#include "table.h"

enum { COLUMNS = 64, ROWS = 24, MARGIN = 12 };

static const struct {
    char mark;
    const char *name;
} kinds[NOSLIP_POINT_KINDS] = {
    [NOSLIP_POINT_NONE] = {' ', "no steady motion"},
    [NOSLIP_POINT_STABLE] = {'#', "asymptotically stable"},
    [NOSLIP_POINT_DIVERGENCE] = {'.', "unstable (divergence)"},
    [NOSLIP_POINT_FLUTTER] = {'~', "unstable (flutter)"},
    [NOSLIP_POINT_NEUTRAL] = {'o', "neutral"},
    [NOSLIP_POINT_DEGENERATE] = {'x', "degenerate"},
    [NOSLIP_POINT_UNKNOWN] = {'?', "not looked at"},
};

const char *picture_kind(noslip_point_kind kind)
{
    return kinds[kind].name;
}

/* The node next to the middle of character k of n. */
static size_t node_at(size_t k, size_t n, size_t nodes)
{
    return ((2 * k + 1) * (nodes - 1) + n) / (2 * n);
}

static void print_number(FILE *out, double x)
{
    char number[32];
    snprintf(number, sizeof number, "%.6g", x);
    fprintf(out, "%*s ", MARGIN, number);
}

static void print_frame(FILE *out)
{
    char line[COLUMNS + 1];
    memset(line, '-', COLUMNS);
    line[COLUMNS] = '\0';
    fprintf(out, "+%s+\n", line);
}

/* The ends of x below the frame, its label in the middle; below that if there is no room. */
static void print_feet(FILE *out, const noslip_region_info *i, const char *label)
{
    char from[32], to[32];
    int first = snprintf(from, sizeof from, "%.6g", i->from[0]);
    int last = snprintf(to, sizeof to, "%.6g", i->to[0]);
    int width = table_width(label), left = (COLUMNS - width) / 2 - first;
    bool fits = left > 0 && COLUMNS - first - left - width - last > 0;
    fprintf(out, "%*s%s", MARGIN + 2, "", from);
    if (fits)
        fprintf(out, "%*s%s%*s%s\n", left, "", label, COLUMNS - first - left - width - last, "",
                to);
    else
        fprintf(out, "%*s%s\n%*s%s\n", COLUMNS - first - last, "", to, MARGIN + 2, "", label);
}

static void print_legend(FILE *out, const bool *seen)
{
    int column = 0;
    fputc('\n', out);
    for (int k = 0; k < NOSLIP_POINT_KINDS; k++) {
        if (!seen[k]) continue;
        int width = 7 + (int)strlen(kinds[k].name);
        if (column && column + width > PAGE_WIDTH) column = (fputc('\n', out), 0);
        column += fprintf(out, column ? "   '%c' %s" : "  '%c' %s", kinds[k].mark, kinds[k].name);
    }
    fputc('\n', out);
}

void picture_print(const noslip_region *r, size_t sheet, const char *const label[2], FILE *out)
{
    noslip_region_info i = noslip_region_about(r);
    bool seen[NOSLIP_POINT_KINDS] = {false};
    char line[COLUMNS + 1] = "";
    fprintf(out, "\n  %s\n", label[1]);
    print_number(out, i.to[1]);
    print_frame(out);
    for (size_t row = ROWS; row-- > 0;) {
        for (size_t k = 0; k < COLUMNS; k++) {
            noslip_region_point t = noslip_region_at(r, sheet, node_at(k, COLUMNS, i.nodes[0]),
                                                     node_at(row, ROWS, i.nodes[1]));
            seen[t.kind] = true;
            line[k] = kinds[t.kind].mark;
        }
        fprintf(out, "%*s|%s|\n", MARGIN + 1, "", line);
    }
    print_number(out, i.from[1]);
    print_frame(out);
    print_feet(out, &i, label[0]);
    print_legend(out, seen);
}
