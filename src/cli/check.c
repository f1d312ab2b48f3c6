/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "study.h"
#include "table.h"

static const char *role_words(noslip_coordinate x, char *room, size_t size)
{
    switch (x.role) {
    case NOSLIP_CYCLIC: return "cyclic: nothing depends on it";
    case NOSLIP_IN_EQUATIONS: return "positional: the equations depend on it";
    case NOSLIP_IN_LEVEL: return "positional: a holonomic constraint depends on it";
    case NOSLIP_IN_RATE: break;
    }
    snprintf(room, size, "positional: the rate of %s depends on it", x.because);
    return room;
}

static const char *or_nothing(const char *words)
{
    return words ? words : "";
}

static void print_coordinates(const study *y)
{
    noslip_model_info i = noslip_model_about(y->m);
    table *t = table_new(4, "l");
    fprintf(y->out, "\nCoordinates: %zu, of them %zu positional\n", i.coordinates, i.positional);
    for (size_t k = 0; k < i.coordinates; k++) {
        noslip_coordinate x = noslip_model_coordinate(y->m, k);
        char room[300];
        table_cell(t, "%s", x.name);
        table_cell(t, "%s", or_nothing(x.unit));
        table_cell(t, "%s", role_words(x, room, sizeof room));
        table_cell(t, "%s", or_nothing(noslip_case_coordinate_about(y->c, k)));
    }
    table_print(t, y->out);
}

/* A label and a formula: on one line, or the formula below. */
static void print_formula(FILE *out, const char *label, const char *words)
{
    if (2 + table_width(label) + 1 + table_width(words) <= PAGE_WIDTH) {
        fprintf(out, "  %s %s\n", label, words);
    } else {
        table_wrap(out, label, 0, 2);
        table_wrap(out, words, 0, 6);
    }
}

/* What is zero; of a long one the beginning, for `check --json` has the rest. */
static void print_constraint(FILE *out, noslip_constraint x)
{
    char label[400], words[260];
    int most = 220, n = (int)strlen(x.formula);
    bool cut = n > most;
    while (cut && most > 0 && x.formula[most] != ' ') most--;
    snprintf(label, sizeof label, "%s (%s%s):", x.label,
             x.holonomic ? "holonomic" : "linear in the rates",
             x.kept ? "" : "; left out: it follows from the others");
    snprintf(words, sizeof words, "%.*s%s = 0", cut ? most : n, x.formula, cut ? " ..." : "");
    print_formula(out, label, words);
}

static void print_constraints(const study *y)
{
    noslip_model_info i = noslip_model_about(y->m);
    fprintf(y->out, "\nConstraints: %zu", i.constraints);
    if (i.independent < i.constraints) fprintf(y->out, ", of them %zu independent", i.independent);
    fputc('\n', y->out);
    for (size_t k = 0; k < i.constraints; k++)
        print_constraint(y->out, noslip_model_constraint(y->m, k));
}

static void print_quasi(const study *y)
{
    noslip_model_info i = noslip_model_about(y->m);
    fprintf(y->out, "\nQuasi-velocities: %zu, %s\n", i.quasi_velocities,
            i.chosen ? "chosen by noslip" : "as given");
    for (size_t k = 0; k < i.quasi_velocities; k++) {
        noslip_quasi_velocity x = noslip_model_quasi(y->m, k);
        char label[300];
        snprintf(label, sizeof label, "%s =", x.name);
        if (i.chosen)
            table_wrap(y->out, x.formula, 0, 2);
        else
            print_formula(y->out, label, x.formula);
    }
}

static void print_energies(const study *y)
{
    static const char *const name[] = {"T =", "V =", "F ="};
    fputs("\nKinetic energy T, potential V, Rayleigh function F\n", y->out);
    for (int k = 0; k < 3; k++) {
        fprintf(y->out, "  %s", name[k]);
        table_wrap(y->out, noslip_model_energy(y->m, (noslip_energy)k), 5, 6);
    }
}

static void print_parameters(const study *y)
{
    size_t n = noslip_case_parameter_count(y->c);
    if (!n) return;
    fputs("\nParameters\n", y->out);
    table *t = table_new(4, "l.l");
    for (size_t k = 0; k < n; k++) {
        table_cell(t, "%s", noslip_case_parameter_name(y->c, k));
        table_cell(t, "%.12g", noslip_case_parameter_value(y->c, k));
        table_cell(t, "%s", or_nothing(noslip_case_parameter_unit(y->c, k)));
        table_cell(t, "%s", or_nothing(noslip_case_parameter_about(y->c, k)));
    }
    table_print(t, y->out);
}

static void print_check(const study *y)
{
    noslip_model_info i = noslip_model_about(y->m);
    const char *title = noslip_case_title(y->c);
    if (title[0]) table_wrap(y->out, title, 0, 0);
    fprintf(y->out, "%s\n", noslip_case_file(y->c));
    print_coordinates(y);
    print_constraints(y);
    print_quasi(y);
    fprintf(y->out,
            "\nDegrees of freedom: %zu (%zu coordinates less %zu independent constraint%s)\n",
            i.quasi_velocities, i.coordinates, i.independent, i.independent == 1 ? "" : "s");
    print_energies(y);
    print_parameters(y);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

static const char about[] =
    "Say what is understood of a case: which coordinates matter and why, the constraints, the "
    "quasi-velocities, the energies, the parameters.\v"
    "Exit status: 0 done; 2 bad input; 3 internal error.\n\n"
    "Example:\n  noslip check whipple-bicycle\n";

int cli_check(int argc, char **argv)
{
    static const struct argp_child children[] = {{&case_argp, 0, NULL, 0}, {0}};
    static char command[] = "noslip check";
    static const struct argp argp = {
        .parser = parse, .args_doc = "CASE", .doc = about, .children = children};
    case_options q = {0};
    study y = {0};
    options_parse(&argp, command, argc, argv, &q);
    study_open(&y, &q);
    if (y.status == NOSLIP_OK && q.json) {
        char *json = NULL;
        y.status = noslip_report_check(y.m, &json, &y.err);
        study_put_json(&y, json);
    } else if (y.status == NOSLIP_OK) {
        print_check(&y);
    }
    return study_end(&y, &q, EXIT_DONE);
}
