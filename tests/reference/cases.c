/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every value of every cases/NAME/reference.csv, computed through the public door; cases/README.md describes the files. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "noslip/noslip.h"

enum { MOST_OVERRIDES = 12, LINE = 600 };

typedef struct {
    noslip_case *c;
    noslip_model *m;
    noslip_steady *s;
    noslip_roots *r;
    noslip_steady_info steady;
    noslip_roots_info info;
} study;

/* One line of a file, taken apart in place. */
typedef struct {
    char *overrides[MOST_OVERRIDES + 2]; /* room for one more, ended by NULL */
    int n_overrides;
    char *quantity;
    double expected, tolerance;
} row;

static study open_study(const char *name, const row *x, const char *one_more)
{
    study y = {0};
    noslip_error err = {0};
    const char *overrides[MOST_OVERRIDES + 2] = {0};
    memcpy(overrides, x->overrides, (size_t)x->n_overrides * sizeof *overrides);
    overrides[x->n_overrides] = one_more;
    cr_assert_eq(noslip_case_open(name, overrides, &y.c, &err), NOSLIP_OK, "%s: %s", name,
                 err.message);
    cr_assert_eq(noslip_model_make(y.c, &y.m, &err), NOSLIP_OK, "%s: %s", name, err.message);
    cr_assert_eq(noslip_steady_find(y.m, &y.s, &err), NOSLIP_OK, "%s: %s", name, err.message);
    cr_assert_eq(noslip_roots_find(y.s, 0, &y.r, &err), NOSLIP_OK, "%s: %s", name, err.message);
    y.steady = noslip_steady_about(y.s, 0);
    y.info = noslip_roots_about(y.r);
    return y;
}

static void close_study(study *y)
{
    noslip_roots_free(y->r);
    noslip_steady_free(y->s);
    noslip_model_free(y->m);
    noslip_case_close(y->c);
    *y = (study){0};
}

static double state(const study *y, const char *name)
{
    for (size_t k = 0; noslip_model_state(y->m, k); k++)
        if (strcmp(noslip_model_state(y->m, k), name) == 0) return noslip_steady_state(y->s, 0, k);
    return NAN;
}

static double root_part(const study *y, const char *which)
{
    char part[3];
    size_t k;
    if (sscanf(which, "%zu %2s", &k, part) != 2 || k < 1 || k > y->info.roots) return NAN;
    noslip_root e = noslip_roots_at(y->r, k - 1);
    return strcmp(part, "re") == 0 ? e.re : strcmp(part, "im") == 0 ? e.im : NAN;
}

static double abscissa(const char *name, const row *x, const char *parameter, double at)
{
    char assignment[100];
    snprintf(assignment, sizeof assignment, "%s=%.17g", parameter, at);
    study y = open_study(name, x, assignment);
    double found = y.info.abscissa;
    close_study(&y);
    return found;
}

/* A root that comes to the axis along it and leaves it at once, as without damping: halve. */
static double halve(const char *name, const row *x, const char *parameter, double stable,
                    double unstable)
{
    for (int times = 0; times < 60; times++) {
        double middle = stable + (unstable - stable) / 2;
        if (abscissa(name, x, parameter, middle) > 1e-14)
            unstable = middle;
        else
            stable = middle;
    }
    return stable + (unstable - stable) / 2;
}

/* A root that crosses the axis: false position with halving (Illinois), until a straight line is as good as the curve. */
static double cross(const char *name, const row *x, const char *parameter, double a, double fa,
                    double b, double fb)
{
    for (int times = 0; times < 60; times++) {
        double c = b - fb * (b - a) / (fb - fa), fc = abscissa(name, x, parameter, c);
        if (!isfinite(fc)) return c; /* the root is zero here, and taken for the manifold's */
        if (fabs(fc) < 1e-7) return c - fc * (c - b) / (fc - fb);
        if ((fc > 0) != (fb > 0)) {
            a = b;
            fa = fb;
        } else {
            fa /= 2;
        }
        b = c;
        fb = fc;
    }
    return NAN;
}

/* Within 1 % of the expected value. */
static double critical(const char *name, const row *x, const char *parameter)
{
    double a = 0.99 * x->expected, b = 1.01 * x->expected;
    double fa = abscissa(name, x, parameter, a), fb = abscissa(name, x, parameter, b);
    if ((fa > 1e-9) == (fb > 1e-9)) return NAN;
    if (fa < -1e-9 || fb < -1e-9) return cross(name, x, parameter, a, fa, b, fb);
    return fa > fb ? halve(name, x, parameter, b, a) : halve(name, x, parameter, a, b);
}

/* NaN, which is near nothing, for a quantity that nobody knows. */
static double compute(const char *name, const row *x, const study *y)
{
    const char *q = x->quantity;
    if (strcmp(q, "manifold_dimension") == 0) return (double)y->steady.manifold_dimension;
    if (strcmp(q, "holonomic_levels") == 0) return (double)y->steady.holonomic_levels;
    if (strncmp(q, "root ", 5) == 0) return root_part(y, q + 5);
    if (strncmp(q, "steady ", 7) == 0) return state(y, q + 7);
    if (strncmp(q, "critical ", 9) == 0) return critical(name, x, q + 9);
    return NAN;
}

static void take_overrides(row *x, char *line)
{
    char *colon = strstr(line, ": "), *comma = strchr(line, ','), *rest;
    x->quantity = line;
    if (!colon || colon > comma) return;
    *colon = '\0';
    x->quantity = colon + 2;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        cr_assert_lt(x->n_overrides, MOST_OVERRIDES);
        x->overrides[x->n_overrides++] = word;
    }
}

static row take_apart(char *line)
{
    row x = {0};
    take_overrides(&x, line);
    char *comma = strchr(x.quantity, ','), *end;
    cr_assert_not_null(comma, "%s", line);
    *comma = '\0';
    x.expected = strtod(comma + 1, &end);
    cr_assert_eq(*end, ',', "%s: value", x.quantity);
    x.tolerance = strtod(end + 1, &end);
    cr_assert_eq(*end, ',', "%s: tolerance", x.quantity);
    cr_assert_gt(strlen(end + 1), 3, "%s: no source", x.quantity);
    return x;
}

static bool same_overrides(const row *x, const row *y)
{
    bool same = x->n_overrides == y->n_overrides;
    for (int k = 0; k < x->n_overrides && same; k++)
        same = strcmp(x->overrides[k], y->overrides[k]) == 0;
    return same;
}

static int check_case(const char *name, FILE *file)
{
    char lines[2][LINE]; /* the row before this one lives in the other */
    row last = {0};
    study y = {0};
    int values = 0;
    cr_assert(fgets(lines[0], LINE, file) &&
              strcmp(lines[0], "quantity,value,tolerance,source\n") == 0);
    for (; fgets(lines[values % 2], LINE, file); values++) {
        row x = take_apart(lines[values % 2]);
        if (values == 0 || !same_overrides(&x, &last)) {
            close_study(&y);
            y = open_study(name, &x, NULL);
        }
        double found = compute(name, &x, &y);
        cr_expect(fabs(found - x.expected) <= x.tolerance,
                  "%s: %s %s: %.17g, expected %.17g within %g", name,
                  x.n_overrides ? x.overrides[0] : "", x.quantity, found, x.expected, x.tolerance);
        last = x;
    }
    close_study(&y);
    return values;
}

Test(cases, every_shipped_case_has_its_reference_values, .timeout = 240)
{
    DIR *folder = opendir(NOSLIP_SOURCE_CASES);
    cr_assert_not_null(folder);
    int cases = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[PATH_MAX];
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.')) continue;
        snprintf(path, sizeof path, "%s/%s/reference.csv", NOSLIP_SOURCE_CASES, entry->d_name);
        FILE *file = fopen(path, "r");
        cr_assert_not_null(file, "%s", path);
        cr_expect_geq(check_case(entry->d_name, file), 3, "%s has too few values", entry->d_name);
        fclose(file);
        cr_assert_eq(noslip_alloc_live(), 0);
        cases++;
    }
    closedir(folder);
    cr_assert_geq(cases, 9);
}
