/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "matrices.h"
#include "motion.h"
#include "table.h"

enum { KEY_MATRICES = 0x200 };

typedef struct {
    case_options common;
    search_options search;
    bool matrices;
} request;

/* Frequency and damping ratio belong to pairs; of a real root the cells stay empty. */
static void add_pair(table *t, noslip_root e)
{
    table_cell(t, "+-");
    table_cell(t, "%.12g", e.im);
    table_cell(t, "%.1e", e.bound);
    table_cell(t, "%.6g", e.im / (2 * acos(-1.0)));
    table_cell(t, "%.4f", table_rounded(-e.re / hypot(e.re, e.im), 1));
}

static void add_real(table *t, noslip_root e)
{
    table_cell(t, "%s", "");
    table_cell(t, "%s", "");
    table_cell(t, "%.1e", e.bound);
    table_cell(t, "%s", "");
    table_cell(t, "%s", "");
}

/* A pair on one line. */
static void print_roots(const study *y, const noslip_roots *r)
{
    static const char *const heading[] = {"real", "", "imaginary", "bound", "frequency", "damping"};
    noslip_roots_info i = noslip_roots_about(r);
    fputs("\nRoots in 1/s, frequency in Hz", y->out);
    if (i.zeros)
        fprintf(y->out, "; %zu zero%s of the manifold%s set aside", i.zeros,
                i.zeros == 1 ? "" : "s", noslip_model_about(y->m).levels ? " and levels" : "");
    fputc('\n', y->out);
    if (!i.roots) {
        fputs("  no other roots\n", y->out);
        return;
    }
    table *t = table_new(6, ".r.r..");
    for (size_t k = 0; k < 6; k++) table_cell(t, "%s", heading[k]);
    for (size_t k = 0; k < i.roots; k++) {
        noslip_root e = noslip_roots_at(r, k);
        if (e.im < 0) continue;
        table_number(t, e.re, hypot(e.re, e.im), 12);
        if (e.im > 0)
            add_pair(t, e);
        else
            add_real(t, e);
    }
    table_print(t, y->out);
}

/* Modes: a column for each real root and each pair */

static void add_mode_heading(table *t, noslip_root e)
{
    double re = table_rounded(e.re, hypot(e.re, e.im));
    if (e.im > 0)
        table_cell(t, "%.4g +- %.4gi", re, e.im);
    else
        table_cell(t, "%.4g", re);
}

/* From -180, which is left out, to 180. */
static double degrees(noslip_root z)
{
    double phase = table_rounded(atan2(z.im, z.re) * 180 / acos(-1.0), 1e3);
    return phase < -179.95 ? 180 : phase;
}

/* Of a real root the number with its sign; of a pair amplitude and phase. */
static void add_mode_entry(table *t, noslip_root z, bool pair)
{
    double size = table_rounded(hypot(z.re, z.im), 1);
    if (!pair)
        table_number(t, z.re, 1, 4);
    else if (size > 0)
        table_cell(t, "%9.4g %6.1f", size, degrees(z));
    else
        table_cell(t, "%9d", 0);
}

static size_t count_columns(const noslip_roots *r, char *align)
{
    size_t n = 0;
    align[n++] = 'l';
    for (size_t k = 0; k < noslip_roots_about(r).roots; k++) {
        noslip_root e = noslip_roots_at(r, k);
        if (e.im >= 0) align[n++] = e.im > 0 ? 'l' : '.';
    }
    return n;
}

static void add_mode_row(table *t, const study *y, const noslip_roots *r, size_t coordinate)
{
    noslip_coordinate x = noslip_model_coordinate(y->m, coordinate);
    table_cell(t, "%s%s", x.name, x.role == NOSLIP_CYCLIC ? "'" : "");
    for (size_t k = 0; k < noslip_roots_about(r).roots; k++) {
        noslip_root e = noslip_roots_at(r, k);
        if (e.im >= 0) add_mode_entry(t, noslip_roots_mode(r, k, coordinate), e.im > 0);
    }
}

static void print_modes(const study *y, const noslip_roots *r)
{
    size_t roots = noslip_roots_about(r).roots;
    if (!roots) return;
    char *align = cli_memory(roots + 2, 1);
    table *t = table_new(count_columns(r, align), align);
    free(align);
    fputs("\nModes by root: displacements, and rates (') of cyclic coordinates; of a pair\n"
          "amplitude and phase in degrees\n",
          y->out);
    table_cell(t, "%s", "");
    for (size_t k = 0; k < roots; k++) {
        noslip_root e = noslip_roots_at(r, k);
        if (e.im >= 0) add_mode_heading(t, e);
    }
    for (size_t j = 0; j < noslip_model_about(y->m).coordinates; j++) add_mode_row(t, y, r, j);
    table_print(t, y->out);
}

static const char *verdict_words(noslip_verdict verdict, bool alone)
{
    switch (verdict) {
    case NOSLIP_ASYMPTOTICALLY_STABLE:
        return alone ? "asymptotically stable: disturbed motions return to it"
                     : "asymptotically stable: disturbed motions return to the manifold of steady "
                       "motions";
    case NOSLIP_UNSTABLE_DIVERGENCE: return "unstable, by divergence: a real root is positive";
    case NOSLIP_UNSTABLE_FLUTTER: return "unstable, by flutter: an oscillation grows";
    case NOSLIP_NEUTRAL:
        return "neutral: roots on the imaginary axis, which the linear equations cannot judge";
    case NOSLIP_DEGENERATE: break;
    }
    return "degenerate: more zero roots than the manifold accounts for";
}

static bool undecided(noslip_verdict verdict)
{
    return verdict == NOSLIP_NEUTRAL || verdict == NOSLIP_DEGENERATE;
}

static void print_motion(const study *y, const request *q, size_t k)
{
    const noslip_roots *r = y->r[k];
    fputc('\n', y->out);
    if (noslip_steady_starts(y->s)) fprintf(y->out, "Motion %zu of %zu\n\n", k + 1, y->n);
    motion_print_briefly(y, k);
    motion_print_manifold(y, k);
    if (q->matrices) matrices_print(y, k);
    print_roots(y, r);
    print_modes(y, r);
    int column = fprintf(y->out, "\nVerdict:") - 1;
    table_wrap(y->out,
               verdict_words(noslip_roots_about(r).verdict,
                             noslip_steady_about(y->s, k).manifold_dimension == 0),
               column, 2);
}

static void print_all(const study *y, const request *q)
{
    motion_print_head(y);
    for (size_t k = 0; k < y->n; k++) print_motion(y, q, k);
}

static const struct argp_option options[] = {
    {"matrices", KEY_MATRICES, NULL, 0, "Show the matrices as well", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    request *q = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &q->common;
        state->child_inputs[1] = &q->search;
        return 0;
    case KEY_MATRICES: q->matrices = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char about[] =
    "Find the steady motion of a case and the roots of its linearised equations, and say whether "
    "it is stable.\v"
    "Exit status: 0 done; 1 no steady motion, or the roots do not decide; 2 bad input; 3 internal "
    "error.\n\n"
    "Example:\n  noslip roots whipple-bicycle -p v=6.5\n";

static int exit_status(const study *y)
{
    int status = EXIT_DONE;
    for (size_t k = 0; k < y->n && y->status == NOSLIP_OK; k++)
        if (undecided(noslip_roots_about(y->r[k]).verdict)) status = EXIT_FINDING;
    return status;
}

int cli_roots(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&case_argp, 0, NULL, 0}, {&search_argp, 0, NULL, 0}, {0}};
    static char command[] = "noslip roots";
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "CASE",
                                     .doc = about,
                                     .children = children};
    request q = {.search = search_options_default()};
    study y = {0};
    options_parse(&argp, command, argc, argv, &q);
    study_open(&y, &q.common);
    study_find(&y, &q.search);
    study_roots(&y);
    int done = exit_status(&y);
    if (y.status == NOSLIP_OK && q.common.json) {
        char *json = NULL;
        y.status = noslip_report_roots(y.s, y.r, q.matrices, &json, &y.err);
        study_put_json(&y, json);
    } else if (y.status == NOSLIP_OK) {
        print_all(&y, &q);
    }
    return study_end(&y, &q.common, done);
}
