/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study.h"

enum { KEY_ALONG = 0x200, KEY_FROM, KEY_TO, KEY_STEPS, KEY_SWITCH, KEY_CSV };

typedef struct {
    case_options common;
    noslip_trace_options o;
    bool has_from, has_to, csv;
    long other; /* branch point to switch at, from 1; 0 for none; negative to go the other way */
} request;

static const struct argp_option options[] = {
    {"along", KEY_ALONG, "NAME", 0, "The parameter to follow, instead of the case's `trace`", 0},
    {"from", KEY_FROM, "X", 0, "Where it begins", 0},
    {"to", KEY_TO, "Y", 0, "Where it ends", 0},
    {"steps", KEY_STEPS, "N", 0, "The longest step is the range over N (200)", 0},
    {"switch", KEY_SWITCH, "K", 0,
     "At critical value K, a branch point, go on along the other branch; -K: the other way", 0},
    {"csv", KEY_CSV, 0, 0, "Print the points as CSV instead of the summary", 0},
    {0},
};

static double number_of(const char *arg, struct argp_state *state)
{
    char *end;
    double x = strtod(arg, &end);
    if (end == arg || *end || !isfinite(x)) argp_error(state, "'%s' is not a number", arg);
    return x;
}

static long integer_of(const char *arg, struct argp_state *state)
{
    char *end;
    long x = strtol(arg, &end, 10);
    if (end == arg || *end || labs(x) > 1000000) argp_error(state, "'%s' is not a number", arg);
    return x;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    request *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &r->common; return 0;
    case KEY_ALONG: r->o.parameter = arg; return 0;
    case KEY_FROM:
        r->o.from = number_of(arg, state);
        r->has_from = true;
        return 0;
    case KEY_TO:
        r->o.to = number_of(arg, state);
        r->has_to = true;
        return 0;
    case KEY_STEPS:
        r->o.steps = (size_t)labs(integer_of(arg, state));
        if (!r->o.steps) argp_error(state, "at least one step is needed");
        return 0;
    case KEY_SWITCH: r->other = integer_of(arg, state); return 0;
    case KEY_CSV: r->csv = true; return 0;
    case ARGP_KEY_END:
        if (r->has_from != r->has_to || r->has_from != !!r->o.parameter)
            argp_error(state, "--along, --from and --to go together");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Words */

static const char *kind_words(const noslip_critical *c)
{
    static const char *const words[4][4] = {
        {"", "fold", "branch point", "fold, branch point"},
        {"divergence", "divergence, fold", "divergence, branch point", "divergence, pitchfork"},
        {"flutter", "flutter, fold", "flutter, branch point", "flutter, pitchfork"},
        {"double root", "double root, fold", "double root, branch point",
         "double root, pitchfork"}};
    return words[c->kind][c->motion];
}

static const char *change_words(noslip_critical_change change)
{
    switch (change) {
    case NOSLIP_CHANGE_UNSTABLE: return "becomes unstable";
    case NOSLIP_CHANGE_STABLE: return "leaves instability";
    case NOSLIP_CHANGE_PAIR: return "two real roots become a pair";
    case NOSLIP_CHANGE_REAL: return "a pair becomes two real roots";
    case NOSLIP_CHANGE_NONE: break;
    }
    return "";
}

static const char *verdict_words(noslip_verdict verdict)
{
    switch (verdict) {
    case NOSLIP_ASYMPTOTICALLY_STABLE: return "asymptotically stable";
    case NOSLIP_UNSTABLE_DIVERGENCE: return "unstable (divergence)";
    case NOSLIP_UNSTABLE_FLUTTER: return "unstable (flutter)";
    case NOSLIP_NEUTRAL: return "neutral";
    case NOSLIP_DEGENERATE: break;
    }
    return "degenerate";
}

static const char *end_words(noslip_trace_end end)
{
    switch (end) {
    case NOSLIP_TRACE_ARRIVED: return "to the end of the range";
    case NOSLIP_TRACE_RETURNED: return "and back to the beginning of the range";
    case NOSLIP_TRACE_CLOSED: return "round a closed curve";
    case NOSLIP_TRACE_LOST: return "until the motion was lost";
    case NOSLIP_TRACE_LONG: break;
    }
    return "and no further";
}

/* Output */

static void print_criticals(FILE *out, const noslip_trace *t, const noslip_trace_info *i)
{
    if (!i->criticals) {
        fprintf(out, "No critical values.\n");
        return;
    }
    fprintf(out, "Critical values, as %s grows\n", i->parameter);
    fprintf(out, "  %2s %-19s %-9s %-26s %-14s %13s  %s\n", "", i->parameter, "bound", "kind",
            "mode", "frequency, Hz", "change");
    for (size_t k = 0; k < i->criticals; k++) {
        noslip_critical c = noslip_trace_critical(t, k);
        const char *mode = c.mode < i->modes ? noslip_trace_mode_at(t, c.mode).name : "";
        fprintf(out, "  %2zu %-19.15g %-9.1e %-26s %-14s", k + 1, c.value, c.bound, kind_words(&c),
                mode);
        if (c.kind == NOSLIP_CRITICAL_FLUTTER)
            fprintf(out, " %13.8g", c.frequency);
        else
            fprintf(out, " %13s", "");
        fprintf(out, "  %s", change_words(c.change));
        if (c.kind == NOSLIP_CRITICAL_DOUBLE) fprintf(out, " at %.12g", c.re);
        fprintf(out, "\n");
    }
}

static void print_ranges(FILE *out, const noslip_trace *t, const noslip_trace_info *i)
{
    fprintf(out, "\nVerdicts\n");
    for (size_t k = 0; k < i->ranges; k++) {
        noslip_trace_range g = noslip_trace_range_at(t, k);
        fprintf(out, "  %-24s for %.8g < %s < %.8g\n", verdict_words(g.verdict), fmin(g.from, g.to),
                i->parameter, fmax(g.from, g.to));
    }
}

static void print_modes(FILE *out, const noslip_trace *t, const noslip_trace_info *i)
{
    fprintf(out, "\nModes, by their roots at the beginning and at the end\n");
    for (size_t k = 0; k < i->modes; k++) {
        noslip_trace_mode m = noslip_trace_mode_at(t, k);
        for (size_t j = 0; j < m.count; j++) {
            noslip_root a = noslip_trace_root(t, 0, m.first + j),
                        b = noslip_trace_root(t, i->points - 1, m.first + j);
            fprintf(out, "  %-14s %16.9g %+16.9gi   %16.9g %+16.9gi\n", j ? "" : m.name, a.re, a.im,
                    b.re, b.im);
        }
    }
}

static void print_summary(FILE *out, const noslip_case *c, const noslip_trace *t,
                          const noslip_trace_info *i)
{
    fprintf(out, "%s\n\n", noslip_case_title(c));
    fprintf(out, "%s%s%s%s from %.12g to %.12g: followed in %zu points %s%s\n\n", i->parameter,
            i->unit ? " (" : "", i->unit ? i->unit : "", i->unit ? ")" : "", i->from, i->to,
            i->points, end_words(i->end), i->folds ? ", through folds" : "");
    print_criticals(out, t, i);
    print_ranges(out, t, i);
    print_modes(out, t, i);
}

/* A name with a comma or a quotation mark in it is quoted. */
static void print_name(FILE *out, const char *name, const char *more)
{
    if (!strpbrk(name, ",\"\n")) {
        fprintf(out, "%s%s", name, more);
        return;
    }
    fputc('"', out);
    for (; *name; name++) fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
    fprintf(out, "%s\"", more);
}

static void print_csv(FILE *out, const noslip_model *m, const noslip_trace *t,
                      const noslip_trace_info *i)
{
    print_name(out, i->parameter, "");
    for (size_t k = 0; k < i->states; k++) {
        fputc(',', out);
        print_name(out, noslip_model_state(m, k), "");
    }
    for (size_t k = 0; k < i->modes; k++) {
        noslip_trace_mode x = noslip_trace_mode_at(t, k);
        for (size_t j = 0; j < x.count; j++) {
            char re[32], im[32];
            snprintf(re, sizeof re, x.count > 1 ? " %zu re" : " re", j + 1);
            snprintf(im, sizeof im, x.count > 1 ? " %zu im" : " im", j + 1);
            fputc(',', out);
            print_name(out, x.name, re);
            fputc(',', out);
            print_name(out, x.name, im);
        }
    }
    fprintf(out, ",verdict\n");
    for (size_t p = 0; p < i->points; p++) {
        fprintf(out, "%.17g", noslip_trace_value(t, p));
        for (size_t k = 0; k < i->states; k++) fprintf(out, ",%.17g", noslip_trace_state(t, p, k));
        for (size_t k = 0; k < i->roots; k++) {
            noslip_root e = noslip_trace_root(t, p, k);
            fprintf(out, ",%.17g,%.17g", e.re, e.im);
        }
        fprintf(out, ",%s\n", verdict_words(noslip_trace_verdict(t, p)));
    }
}

static void warn(const noslip_trace_info *i)
{
    if (i->named && i->named != i->modes)
        cli_complain("the case names %zu modes, this trace has %zu: they are numbered", i->named,
                     i->modes);
    if (i->unclear)
        cli_complain("on %zu steps modes could not be told apart for certain", i->unclear);
    if (i->end == NOSLIP_TRACE_LOST || i->end == NOSLIP_TRACE_LONG)
        cli_complain("the trace does not reach an end of its range");
}

static const char about[] =
    "Follow the steady motion of a case along a parameter, through folds, and find the critical "
    "values: where a root passes "
    "through zero or a pair through the imaginary axis, where real roots meet, where the motion "
    "turns back or branches. CASE is a file, a folder or the name of a shipped case.\v"
    "Exit status: 0 done; 1 no steady motion, or it was lost on the way; 2 bad input.\n\n"
    "Example:\n  noslip trace whipple-bicycle --along v --from 0 --to 10\n";

static noslip_status run(const request *q, noslip_model *m, noslip_trace **t, noslip_trace **b,
                         noslip_error *err)
{
    noslip_status status = noslip_trace_follow(m, &q->o, t, err);
    if (status != NOSLIP_OK || !q->other) return status;
    return noslip_trace_switch(*t, (size_t)labs(q->other) - 1, q->other > 0 ? 1 : -1, b, err);
}

static void put_results(study *y, const request *q, const noslip_trace *t)
{
    noslip_trace_info i = noslip_trace_about(t);
    char *json = NULL;
    if (q->common.json) {
        y->status = noslip_report_trace(t, &json, &y->err);
        study_put_json(y, json);
    } else if (q->csv)
        print_csv(y->out, y->m, t, &i);
    else
        print_summary(y->out, y->c, t, &i);
}

int cli_trace(int argc, char **argv)
{
    static const struct argp_child children[] = {{&case_argp, 0, NULL, 0}, {0}};
    static char command[] = "noslip trace";
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "CASE",
                                     .doc = about,
                                     .children = children};
    request q = {.o = noslip_trace_default()};
    study y = {0};
    noslip_trace *t = NULL, *b = NULL;
    noslip_trace_info i = {0};
    options_parse(&argp, command, argc, argv, &q);
    study_open(&y, &q.common);
    if (y.status == NOSLIP_OK) y.status = run(&q, y.m, &t, &b, &y.err);
    if (y.status == NOSLIP_OK) {
        i = noslip_trace_about(b ? b : t);
        put_results(&y, &q, b ? b : t);
        if (!q.common.quiet) warn(&i);
    }
    noslip_trace_free(b);
    noslip_trace_free(t);
    bool lost = i.end == NOSLIP_TRACE_LOST || i.end == NOSLIP_TRACE_LONG;
    return study_end(&y, &q.common, lost ? EXIT_FINDING : EXIT_DONE);
}
