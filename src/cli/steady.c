/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"
#include "table.h"

typedef struct {
    case_options common;
    search_options search;
} request;

/* What stands in the lines of a table: a number for each motion; and what rounding may have made of a zero there. */
typedef double quantity(const noslip_steady *s, size_t motion, size_t k);
typedef double noise(const noslip_steady *s, size_t motion);

typedef struct {
    quantity *of;
    size_t n; /* lines */
    noise *rounding;
} lines;

static double largest_of(const noslip_steady *s, quantity *of, size_t n, size_t motion)
{
    double largest = 0;
    for (size_t k = 0; k < n; k++) largest = table_larger(largest, of(s, motion, k));
    return largest;
}

static double relative_only(const noslip_steady *s, size_t motion)
{
    (void)s;
    (void)motion;
    return 0;
}

/* Reactions come from the same sums of forces as the residual. */
static double force_noise(const noslip_steady *s, size_t motion)
{
    return 100 * noslip_steady_about(s, motion).residual;
}

static void add_numbers(table *t, const study *y, const lines *x, size_t k)
{
    for (size_t motion = 0; motion < y->n; motion++) {
        double number = x->of(y->s, motion, k);
        if (fabs(number) <= x->rounding(y->s, motion)) number = 0;
        table_number(t, number, largest_of(y->s, x->of, x->n, motion), y->n > 1 ? 10 : 12);
    }
}

/* A column a motion, numbered if there are several; the unit stands behind a single one and before the others. */
static table *new_table(const study *y)
{
    if (y->n == 1) return table_new(3, "l.l");
    table *t = table_new(2 + y->n, "ll.");
    table_cell(t, "motion");
    table_cell(t, "%s", "");
    for (size_t k = 0; k < y->n; k++) table_cell(t, "%zu", k + 1);
    return t;
}

static void add_row(table *t, const study *y, const char *name, const char *unit, const lines *x,
                    size_t k)
{
    table_cell(t, "%s", name);
    if (y->n > 1) table_cell(t, "%s", unit);
    add_numbers(t, y, x, k);
    if (y->n == 1) table_cell(t, "%s", unit);
}

/* The unit of a rate: "rad/s", "(kg m)/s"; nothing if the coordinate has none. */
static const char *rate_unit(const char *unit, char *room, size_t size)
{
    if (!unit) return "";
    snprintf(room, size, strpbrk(unit, " /*") ? "(%s)/s" : "%s/s", unit);
    return room;
}

/* Of a coordinate its own; of a quasi-velocity that is the rate of a coordinate, that of the rate; otherwise nothing is known. */
static const char *state_unit(const study *y, size_t k, char *room, size_t size)
{
    noslip_model_info i = noslip_model_about(y->m);
    const char *name = noslip_model_state(y->m, k);
    const char *form = k < i.positional ? name : noslip_model_quasi(y->m, k - i.positional).formula;
    size_t n = strlen(form) - (k >= i.positional);
    for (size_t j = 0; j < i.coordinates; j++) {
        noslip_coordinate x = noslip_model_coordinate(y->m, j);
        if (strlen(x.name) != n || strncmp(x.name, form, n) != 0) continue;
        if (k < i.positional) return x.unit ? x.unit : "";
        if (form[n] == '\'') return rate_unit(x.unit, room, size);
    }
    return "";
}

static void print_states(const study *y)
{
    table *t = new_table(y);
    const lines x = {noslip_steady_state, study_states(y), relative_only};
    fprintf(y->out, "\nSteady motion%s\n", y->n > 1 ? "s" : "");
    for (size_t k = 0; k < x.n; k++) {
        char room[100];
        add_row(t, y, noslip_model_state(y->m, k), state_unit(y, k, room, sizeof room), &x, k);
    }
    table_print(t, y->out);
}

static void print_rates(const study *y)
{
    table *t = new_table(y);
    const lines x = {noslip_steady_rate, noslip_model_about(y->m).coordinates, relative_only};
    fputs("\nRates of the coordinates\n", y->out);
    for (size_t k = 0; k < x.n; k++) {
        noslip_coordinate q = noslip_model_coordinate(y->m, k);
        char name[300], room[100];
        snprintf(name, sizeof name, "%s'", q.name);
        add_row(t, y, name, rate_unit(q.unit, room, sizeof room), &x, k);
    }
    table_print(t, y->out);
}

static void print_reactions(const study *y)
{
    const lines x = {noslip_steady_reaction, noslip_model_about(y->m).constraints, force_noise};
    if (!x.n) return;
    table *t = new_table(y);
    fputs("\nReactions: along each rate a constraint adds the force of this number times the\n"
          "coefficient of that rate in left minus right of the constraint\n",
          y->out);
    for (size_t k = 0; k < x.n; k++) {
        noslip_constraint c = noslip_model_constraint(y->m, k);
        add_row(t, y, c.label, c.kept ? "" : "left out", &x, k);
    }
    table_print(t, y->out);
}

static double power_entry(const noslip_steady *s, size_t motion, size_t k)
{
    noslip_power p = noslip_steady_power(s, motion);
    const double entry[] = {p.dissipation, p.potential, p.forces, p.constraints};
    return entry[k];
}

static double power_noise(const noslip_steady *s, size_t motion)
{
    return force_noise(s, motion);
}

/* Nothing to say where no force does work. */
static bool works(const study *y, const lines *x)
{
    for (size_t motion = 0; motion < y->n; motion++)
        if (largest_of(y->s, x->of, x->n, motion) > x->rounding(y->s, motion)) return true;
    return false;
}

static void print_power(const study *y)
{
    static const char *const name[] = {"dissipation", "potential", "forces", "constraints"};
    const lines x = {power_entry, 4, power_noise};
    if (!works(y, &x)) return;
    table *t = new_table(y);
    fputs("\nPower that each takes out of the system\n", y->out);
    for (size_t k = 0; k < x.n; k++) add_row(t, y, name[k], "", &x, k);
    table_print(t, y->out);
}

/* How good it is */

enum { GOODNESS = 6 };

static double goodness_entry(const noslip_steady *s, size_t motion, size_t k)
{
    noslip_steady_info i = noslip_steady_about(s, motion);
    const double entry[GOODNESS] = {(double)i.manifold_dimension,
                                    (double)i.holonomic_levels,
                                    i.gap_above,
                                    i.gap_below,
                                    i.residual,
                                    i.iterations};
    return entry[k];
}

static void print_goodness(const study *y)
{
    static const char *const name[GOODNESS] = {"dimension of the manifold",
                                               "zero roots of holonomic constraints",
                                               "rank decided between",
                                               "and",
                                               "residual",
                                               "steps"};
    table *t = table_new(1 + y->n, "lr");
    fputc('\n', y->out);
    table_cell(t, "motion");
    for (size_t motion = 0; motion < y->n; motion++) table_cell(t, "%zu", motion + 1);
    for (size_t k = 0; k < GOODNESS; k++) {
        table_cell(t, "%s", name[k]);
        for (size_t motion = 0; motion < y->n; motion++)
            table_cell(t, "%.2g", goodness_entry(y->s, motion, k));
    }
    table_print(t, y->out);
}

static void print_steady(const study *y)
{
    motion_print_head(y);
    print_states(y);
    print_rates(y);
    print_reactions(y);
    print_power(y);
    if (y->n > 1) {
        print_goodness(y);
        return;
    }
    noslip_steady_info i = noslip_steady_about(y->s, 0);
    fputc('\n', y->out);
    motion_print_manifold(y, 0);
    fprintf(y->out, "  residual %.1e after %d step%s\n", i.residual, i.iterations,
            i.iterations == 1 ? "" : "s");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    request *q = state->input;
    if (key != ARGP_KEY_INIT) return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = &q->common;
    state->child_inputs[1] = &q->search;
    return 0;
}

static const char about[] =
    "Find the steady motion of a case that is nearest to its guess, or all of them: values, "
    "rates, the manifold they belong to, reactions, power.\v"
    "Exit status: 0 done; 1 there is none; 2 bad input; 3 internal error.\n\n"
    "Example:\n  noslip steady rolling-disk --all --box 'w3=-20..20'\n";

int cli_steady(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&case_argp, 0, NULL, 0}, {&search_argp, 0, NULL, 0}, {0}};
    static char command[] = "noslip steady";
    static const struct argp argp = {
        .parser = parse, .args_doc = "CASE", .doc = about, .children = children};
    request q = {.search = search_options_default()};
    study y = {0};
    options_parse(&argp, command, argc, argv, &q);
    study_open(&y, &q.common);
    study_find(&y, &q.search);
    if (y.status == NOSLIP_OK && q.common.json) {
        char *json = NULL;
        y.status = noslip_report_steady(y.s, &json, &y.err);
        study_put_json(&y, json);
    } else if (y.status == NOSLIP_OK) {
        print_steady(&y);
    }
    return study_end(&y, &q.common, EXIT_DONE);
}
