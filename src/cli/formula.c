/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { MOST = 100 }; /* options of a kind */

typedef struct {
    const char *text;
    const char *coordinate[MOST + 1]; /* ended by NULL */
    const char *by[MOST];             /* derivatives wanted */
    const char *given[MOST];          /* name=value */
    int coordinates, derivatives, values;
} request;

static const struct argp_option options[] = {
    {"derivative", 'd', "NAME", 0, "Show the derivative by NAME; by the time for NAME = t", 0},
    {"coordinate", 'c', "NAME", 0, "NAME is a coordinate (as is any name with a prime)", 0},
    {"value", 'x', "NAME=NUMBER", 0, "Evaluate with this number for NAME; rates as \"theta'=2\"",
     0},
    {0},
};

static void take(struct argp_state *state, const char **list, int *n, const char *arg)
{
    if (*n == MOST) argp_error(state, "more than %d of one option", MOST);
    list[(*n)++] = arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    request *r = state->input;
    switch (key) {
    case 'd': take(state, r->by, &r->derivatives, arg); return 0;
    case 'c': take(state, r->coordinate, &r->coordinates, arg); return 0;
    case 'x': take(state, r->given, &r->values, arg); return 0;
    case ARGP_KEY_ARG:
        if (r->text) argp_error(state, "one formula at a time; put it into quotes");
        r->text = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "no formula is given"); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* An entry a line; the first beside the label. */
static void print_lines(const char *label, const char *lines)
{
    printf("%-12s ", label);
    for (; *lines; lines++) {
        putchar(*lines);
        if (*lines == '\n') printf("%-12s ", "");
    }
    putchar('\n');
}

static int print_part(noslip_formula *f, size_t part, const char *label)
{
    const char *lines = noslip_formula_text(f, part);
    noslip_formula_info info;
    if (noslip_formula_measure(f, part, &info) != NOSLIP_OK) {
        cli_complain("out of memory");
        return EXIT_INTERNAL;
    }
    print_lines(label, lines ? lines : "(too long to print)");
    printf("%-12s operations %zu, instructions %zu, registers %zu\n", "", info.operations,
           info.instructions, info.registers);
    return EXIT_DONE;
}

static void print_names(const noslip_formula *f)
{
    const char *kinds[] = {"parameter", "coordinate", "rate", "acceleration", "time"};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        int printed = 0;
        for (size_t k = 0; noslip_formula_name(f, k); k++) {
            if (strcmp(noslip_formula_kind(f, k), kinds[kind]) != 0) continue;
            if (printed++ == 0) printf("%-12s", kinds[kind]);
            printf(" %s", noslip_formula_name(f, k));
        }
        if (printed) putchar('\n');
    }
}

/* Where name=value stands for symbol k: the text behind the '='; the last one counts. */
static const char *given_for(const request *r, const char *name)
{
    const char *found = NULL;
    size_t n = strlen(name);
    for (int i = 0; i < r->values; i++)
        if (strncmp(r->given[i], name, n) == 0 && r->given[i][n] == '=')
            found = r->given[i] + n + 1;
    return found;
}

static int check_given(const request *r, const noslip_formula *f)
{
    for (int i = 0; i < r->values; i++) {
        size_t k = 0, n = strcspn(r->given[i], "=");
        if (!r->given[i][n]) {
            cli_complain("-x '%s': NAME=NUMBER is wanted", r->given[i]);
            return EXIT_INPUT;
        }
        const char *name;
        while ((name = noslip_formula_name(f, k)) &&
               !(strlen(name) == n && strncmp(name, r->given[i], n) == 0))
            k++;
        if (!name) {
            cli_complain("-x '%s': the formula has no name '%.*s'", r->given[i], (int)n,
                         r->given[i]);
            return EXIT_INPUT;
        }
    }
    return EXIT_DONE;
}

static int read_values(const request *r, const noslip_formula *f, double **out)
{
    size_t n = 0;
    while (noslip_formula_name(f, n)) n++;
    double *values = calloc(n + 1, sizeof *values);
    if (!values) return EXIT_INTERNAL;
    for (size_t k = 0; k < n; k++) {
        const char *name = noslip_formula_name(f, k), *number = given_for(r, name);
        char *end = NULL;
        if (number) values[k] = strtod(number, &end);
        if (!number || end == number || *end || !isfinite(values[k])) {
            cli_complain(number ? "-x '%s=%s': not a finite number"
                                : "no value is given for '%s'; add -x \"%s=...\"",
                         name, number ? number : name);
            free(values);
            return EXIT_INPUT;
        }
    }
    *out = values;
    return EXIT_DONE;
}

static void print_number(double x)
{
    if (isnan(x))
        printf(" nan"); /* without the sign that printf would show */
    else
        printf(" %.17g", x);
}

static int print_value(noslip_formula *f, size_t part, const char *label, const double *values)
{
    double out[NOSLIP_FORMULA_ENTRIES];
    noslip_formula_info info;
    noslip_status status = noslip_formula_measure(f, part, &info);
    if (status == NOSLIP_OK) status = noslip_formula_evaluate(f, part, values, out);
    if (status < 0) {
        cli_complain("%s", noslip_status_text(status));
        return EXIT_INTERNAL;
    }
    for (int row = 0; row < info.rows; row++) {
        printf("%-12s", row ? "" : label);
        for (int col = 0; col < info.cols; col++) print_number(out[row * info.cols + col]);
        putchar('\n');
    }
    return status == NOSLIP_OK ? EXIT_DONE : EXIT_FINDING;
}

static const char *derivative_label(const char *by, char *out, size_t size)
{
    snprintf(out, size, "d/d%.*s", (int)size - 5, by);
    return out;
}

static int derive(const request *r, noslip_formula *f)
{
    for (int i = 0; i < r->derivatives; i++) {
        noslip_error err = {0};
        size_t part;
        const char *by = strcmp(r->by[i], "t") == 0 ? NULL : r->by[i];
        if (noslip_formula_derive(f, by, &part, &err) != NOSLIP_OK) return cli_fail(&err);
    }
    return EXIT_DONE;
}

/* Parts are numbered as they were derived: 0 the formula, i + 1 its i-th derivative. */
static int print_parts(const request *r, noslip_formula *f)
{
    char label[40];
    int status = print_part(f, 0, "formula");
    for (int i = 0; i < r->derivatives && status == EXIT_DONE; i++)
        status = print_part(f, (size_t)i + 1, derivative_label(r->by[i], label, sizeof label));
    print_names(f);
    return status;
}

static int print_values(const request *r, noslip_formula *f, const double *values)
{
    char label[40];
    int status = print_value(f, 0, "value", values);
    for (int i = 0; i < r->derivatives && status <= EXIT_FINDING; i++) {
        int found =
            print_value(f, (size_t)i + 1, derivative_label(r->by[i], label, sizeof label), values);
        status = found > status ? found : status;
    }
    if (status == EXIT_FINDING) cli_complain("a result is infinite or not a number");
    return status;
}

static int show(const request *r, noslip_formula *f)
{
    double *values = NULL;
    int status = derive(r, f);
    if (status == EXIT_DONE) status = check_given(r, f);
    if (status == EXIT_DONE && r->values) status = read_values(r, f, &values);
    if (status == EXIT_DONE) status = print_parts(r, f);
    if (status == EXIT_DONE && values) status = print_values(r, f, values);
    free(values);
    return status;
}

static const char about[] = "Show how noslip understands a formula: simplified, with the work to "
                            "evaluate it, its derivatives and its value.\v"
                            "Example:\n  noslip formula \"k*(1 - cos(x)) + c*x'\" -d x -d t\n";

int cli_formula(int argc, char **argv)
{
    static char command[] = "noslip formula";
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "FORMULA", .doc = about};
    request r = {0};
    options_parse(&argp, command, argc, argv, &r);

    noslip_error err = {0};
    noslip_formula *f;
    if (noslip_formula_open(r.text, r.coordinate, &f, &err) != NOSLIP_OK) return cli_fail(&err);
    int status = show(&r, f);
    noslip_formula_close(f);
    return cli_finish(status);
}
