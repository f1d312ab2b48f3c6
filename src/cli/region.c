/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "picture.h"
#include "progress.h"
#include "study.h"
#include "table.h"

enum {
    KEY_REGION = 0x200,
    KEY_X,
    KEY_Y,
    KEY_BOX,
    KEY_GRID,
    KEY_RESOLUTION,
    KEY_SHEETS,
    KEY_RESUME
};
enum { MOST_BOXES = 2 };

typedef struct {
    case_options common; /* `output` is the folder */
    noslip_region_options o;
    noslip_range boxes[MOST_BOXES]; /* of parameters */
    size_t n_boxes;
} request;

/* Output */

static const char *unit_of(const noslip_case *c, const char *name)
{
    for (size_t k = 0; k < noslip_case_parameter_count(c); k++)
        if (strcmp(noslip_case_parameter_name(c, k), name) == 0)
            return noslip_case_parameter_unit(c, k);
    return NULL;
}

/* To be freed. */
static char *label_of(const noslip_case *c, const char *name)
{
    const char *unit = unit_of(c, name);
    size_t size = strlen(name) + (unit ? strlen(unit) : 0) + 4;
    char *label = cli_memory(size, 1);
    snprintf(label, size, unit ? "%s (%s)" : "%s", name, unit);
    return label;
}

static void print_head(const study *y, const noslip_region_info *i)
{
    fprintf(y->out, "%s\n\n", noslip_case_title(y->c));
    for (int k = 0; k < 2; k++) {
        const char *unit = unit_of(y->c, i->parameter[k]);
        fprintf(y->out, "  %s from %.12g to %.12g%s%s\n", i->parameter[k], i->from[k], i->to[k],
                unit ? " " : "", unit ? unit : "");
    }
    if (i->adaptive)
        fprintf(y->out, "  refined along boundaries, down to 1/%zu of the axes\n", i->nodes[0] - 1);
    else
        fprintf(y->out, "  on a grid of %zu x %zu points\n", i->nodes[0], i->nodes[1]);
}

static void print_shares(FILE *out, const noslip_sheet_info *s)
{
    table *t = table_new(2, "lr");
    fprintf(out, "\nShare of the plane\n");
    for (int k = 0; k < NOSLIP_POINT_KINDS; k++) {
        int kind = (k + NOSLIP_POINT_STABLE) % NOSLIP_POINT_KINDS;
        if (s->area[kind] == 0) continue;
        table_cell(t, "%s", picture_kind((noslip_point_kind)kind));
        table_cell(t, "%.3f %%", 100 * s->area[kind]);
    }
    table_print(t, out);
}

/* Curves: what they are, and the box that each lies in. */

static const char *const boundary_words[] = {
    [NOSLIP_BOUNDARY_DIVERGENCE] = "divergence",
    [NOSLIP_BOUNDARY_FLUTTER] = "flutter",
    [NOSLIP_BOUNDARY_EXCHANGE] = "exchange",
    [NOSLIP_BOUNDARY_EXISTENCE] = "existence",
};
static const char *const boundary_meaning[] = {
    [NOSLIP_BOUNDARY_DIVERGENCE] = "a real root passes zero",
    [NOSLIP_BOUNDARY_FLUTTER] = "a pair of roots passes the imaginary axis",
    [NOSLIP_BOUNDARY_EXCHANGE] = "divergence and flutter meet, unstable on both sides",
    [NOSLIP_BOUNDARY_EXISTENCE] = "the steady motion ceases to exist",
};
enum { BOUNDARIES = NOSLIP_BOUNDARY_EXISTENCE + 1, LISTED = 40 };

typedef struct {
    double least, most;
} span;

static void widen(span *s, double x)
{
    s->least = fmin(s->least, x);
    s->most = fmax(s->most, x);
}

static void put_span(table *t, span s)
{
    if (s.least == s.most)
        table_cell(t, "%.5g", s.least);
    else
        table_cell(t, "%.5g .. %.5g", s.least, s.most);
}

static void put_curve(table *t, const noslip_region *r, size_t sheet, size_t number)
{
    noslip_curve c = noslip_region_curve(r, sheet, number);
    span x = {INFINITY, -INFINITY}, y = x, frequency = x;
    for (size_t k = 0; k < c.points; k++) {
        noslip_curve_point p = noslip_region_curve_point(r, sheet, number, k);
        widen(&x, p.x);
        widen(&y, p.y);
        widen(&frequency, p.frequency);
    }
    table_cell(t, "%s%s", boundary_words[c.kind], c.closed ? ", closed" : "");
    put_span(t, x);
    put_span(t, y);
    if (c.kind == NOSLIP_BOUNDARY_FLUTTER)
        put_span(t, frequency);
    else
        table_cell(t, "%s", "");
}

static void print_meanings(FILE *out, const noslip_region *r, size_t sheet, size_t curves)
{
    bool seen[BOUNDARIES] = {false};
    for (size_t k = 0; k < curves; k++) seen[noslip_region_curve(r, sheet, k).kind] = true;
    for (int k = 0; k < BOUNDARIES; k++)
        if (seen[k]) fprintf(out, "  %s: %s\n", boundary_words[k], boundary_meaning[k]);
}

static void print_curves(FILE *out, const noslip_region *r, size_t sheet,
                         const noslip_sheet_info *s)
{
    noslip_region_info i = noslip_region_about(r);
    if (!s->curves) {
        fprintf(out, "\nNo boundary curves\n");
        return;
    }
    fprintf(out, "\nBoundary curves: %zu\n", s->curves);
    print_meanings(out, r, sheet, s->curves);
    fputc('\n', out);
    table *t = table_new(4, "llll");
    table_cell(t, "%s", "");
    for (int k = 0; k < 2; k++) table_cell(t, "%s", i.parameter[k]);
    table_cell(t, "frequency, Hz");
    for (size_t k = 0; k < s->curves && k < LISTED; k++) put_curve(t, r, sheet, k);
    table_print(t, out);
    if (s->curves > LISTED) fprintf(out, "  and %zu more\n", s->curves - LISTED);
}

static void print_junctions(FILE *out, const noslip_region *r, size_t sheet, size_t n)
{
    if (!n) return;
    noslip_region_info i = noslip_region_about(r);
    table *t = table_new(2, "..");
    fprintf(out, "\nJunctions of curves: %zu\n", n);
    for (int k = 0; k < 2; k++) table_cell(t, "%s", i.parameter[k]);
    for (size_t k = 0; k < n && k < LISTED; k++) {
        noslip_curve_point p = noslip_region_junction(r, sheet, k);
        table_cell(t, "%.6g", p.x);
        table_cell(t, "%.6g", p.y);
    }
    table_print(t, out);
    if (n > LISTED) fprintf(out, "  and %zu more\n", n - LISTED);
}

/* The same everywhere: there is nothing to draw. */
static bool is_plain(const noslip_sheet_info *s)
{
    int kinds = 0;
    for (int k = 0; k < NOSLIP_POINT_KINDS; k++) kinds += s->area[k] > 0;
    return kinds == 1;
}

static void print_sheet(const study *y, const noslip_region *r, size_t k,
                        const char *const label[2])
{
    noslip_sheet_info s = noslip_region_sheet(r, k);
    size_t sheets = noslip_region_about(r).sheets;
    if (sheets > 1) fprintf(y->out, "\nSheet %zu of %zu\n", k + 1, sheets);
    fprintf(y->out, "\nManifold of steady motions: dimension %zu", s.manifold);
    if (s.levels)
        fprintf(y->out, "; %zu holonomic %s", s.levels, s.levels > 1 ? "levels" : "level");
    fputc('\n', y->out);
    if (!is_plain(&s)) picture_print(r, k, label, y->out);
    print_shares(y->out, &s);
    print_curves(y->out, r, k, &s);
    print_junctions(y->out, r, k, s.junctions);
}

static void print_work(FILE *out, const noslip_region_info *i, double seconds)
{
    double lattice = (double)i->nodes[0] * (double)i->nodes[1] * (double)i->sheets;
    fprintf(out, "\nPoints evaluated: %zu", i->evaluated);
    if (i->adaptive) fprintf(out, ", %.3g %% of a full grid", 100 * (double)i->evaluated / lattice);
    fprintf(out, "\n  in %.3g s with %zu %s: %.3g points per second\n", seconds, i->threads,
            i->threads > 1 ? "threads" : "thread", (double)i->evaluated / seconds);
}

static void print_all(const study *y, const noslip_region *r, size_t most, double seconds)
{
    noslip_region_info i = noslip_region_about(r);
    char *x = label_of(y->c, i.parameter[0]), *up = label_of(y->c, i.parameter[1]);
    const char *const label[2] = {x, up};
    print_head(y, &i);
    for (size_t k = 0; k < i.sheets; k++) print_sheet(y, r, k, label);
    if (i.sheets == most && most > 1)
        fprintf(y->out, "\nNo more sheets were looked for; there may be others (--sheets).\n");
    print_work(y->out, &i, seconds);
    free(x);
    free(up);
}

/* Work */

/* --box narrows the axis that has its name. */
static void apply_boxes(study *y, request *q)
{
    for (size_t b = 0; b < q->n_boxes && y->status == NOSLIP_OK; b++) {
        int found = -1;
        for (int k = 0; k < 2; k++) {
            const char *name = q->o.axis[k].parameter
                                   ? q->o.axis[k].parameter
                                   : noslip_case_region_parameter(y->c, q->o.which, k);
            if (name && strcmp(name, q->boxes[b].name) == 0) found = k;
        }
        if (found >= 0) {
            q->o.axis[found].from = q->boxes[b].from;
            q->o.axis[found].to = q->boxes[b].to;
            continue;
        }
        y->status = y->err.status = NOSLIP_ERR_ARG;
        snprintf(y->err.message, sizeof y->err.message,
                 "--box: '%.100s' is on neither axis; --x and --y choose them", q->boxes[b].name);
    }
}

static noslip_region *find(study *y, request *q, folder *f, double *seconds)
{
    noslip_region *r = NULL;
    progress p;
    progress_begin(&p, q->common.quiet);
    q->o.go_on = progress_go_on;
    q->o.user = &p;
    if (y->status == NOSLIP_OK) y->status = folder_open(f, q->common.output, q->o.resume, &y->err);
    q->o.checkpoint = f->checkpoint;
    if (y->status == NOSLIP_OK) y->status = noslip_region_find(y->m, &q->o, &r, &y->err);
    *seconds = progress_end(&p);
    return r;
}

static void deliver(study *y, const request *q, const noslip_region *r, folder *f, double seconds)
{
    char *json = NULL;
    if (y->status == NOSLIP_OK && q->common.json) {
        y->status = noslip_report_region(r, &json, &y->err);
        study_put_json(y, json);
    } else if (y->status == NOSLIP_OK)
        print_all(y, r, q->o.sheets, seconds);
    if (y->status == NOSLIP_OK && q->common.output)
        y->status = noslip_report_region_files(r, q->common.output, &y->err);
    if (y->status == NOSLIP_OK) folder_done(f);
}

/* Parsing */

static const struct argp_option options[] = {
    {"region", KEY_REGION, "K", 0, "Region K of the case (1)", 0},
    {"x", KEY_X, "NAME=FROM..TO", 0, "The parameter to the right", 0},
    {"y", KEY_Y, "NAME=FROM..TO", 0, "The parameter upwards", 0},
    {"box", KEY_BOX, "NAME=FROM..TO", 0, "Restrict an axis of the case", 0},
    {"grid", KEY_GRID, "NxM", 0, "A plain grid of so many points", 0},
    {"resolution", KEY_RESOLUTION, "N", 0, "Finest cells: 1/N of the axes (1024)", 0},
    {"sheets", KEY_SHEETS, "N", 0, "Look for at most N sheets (8)", 0},
    {"threads", 'j', "N", 0, "Use N threads (all processors)", 0},
    {"resume", KEY_RESUME, NULL, 0, "Go on from the checkpoint in the folder", 0},
    {0},
};

static void read_axis(struct argp_state *state, char *arg, const char *option, noslip_axis *out)
{
    noslip_range x;
    options_range(state, option, arg, &x);
    *out = (noslip_axis){x.name, x.from, x.to};
}

static void read_grid(struct argp_state *state, const char *arg, size_t grid[2])
{
    char *end = NULL;
    long n[2] = {strtol(arg, &end, 10), 0};
    if (end != arg && (*end == 'x' || *end == 'X')) n[1] = strtol(end + 1, &end, 10);
    if (*end || n[0] < 2 || n[1] < 2 || n[0] > 65536 || n[1] > 65536)
        argp_error(state, "--grid '%s': two numbers from 2 to 65536 are wanted, as in 400x300",
                   arg);
    grid[0] = (size_t)n[0];
    grid[1] = (size_t)n[1];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    request *q = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &q->common; return 0;
    case KEY_REGION: q->o.which = options_count(state, "--region", arg) - 1; return 0;
    case KEY_X: read_axis(state, arg, "--x", &q->o.axis[0]); return 0;
    case KEY_Y: read_axis(state, arg, "--y", &q->o.axis[1]); return 0;
    case KEY_BOX:
        if (q->n_boxes == MOST_BOXES) argp_error(state, "--box: there are only two axes");
        options_range(state, "--box", arg, &q->boxes[q->n_boxes++]);
        return 0;
    case KEY_GRID: read_grid(state, arg, q->o.grid); return 0;
    case KEY_RESOLUTION: q->o.resolution = options_count(state, "--resolution", arg); return 0;
    case KEY_SHEETS: q->o.sheets = options_count(state, "--sheets", arg); return 0;
    case 'j': q->o.threads = options_count(state, "-j", arg); return 0;
    case KEY_RESUME: q->o.resume = true; return 0;
    case ARGP_KEY_END:
        if (q->o.resume && !q->common.output)
            argp_error(state, "--resume goes on in a folder: -o FOLDER is wanted, too");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char about[] =
    "Where in a plane of two parameters the steady motion exists and is stable, and the curves "
    "between. -o names a folder.\v"
    "Exit status: 0 done; 1 no steady motion; 2 bad input; 3 internal; 130 stopped.\n"
    "Example:\n  noslip region rolling-disk -o disk\n";

int cli_region(int argc, char **argv)
{
    static const struct argp_child children[] = {{&case_argp, 0, NULL, 0}, {0}};
    static char command[] = "noslip region";
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "CASE",
                                     .doc = about,
                                     .children = children};
    request q = {.o = noslip_region_defaults()};
    study y = {0};
    folder f = {0};
    double seconds;
    options_parse(&argp, command, argc, argv, &q);
    study_open(&y, &q.common);
    apply_boxes(&y, &q);
    noslip_region *r = find(&y, &q, &f, &seconds);
    deliver(&y, &q, r, &f, seconds);
    bool stopped = y.status == NOSLIP_STOPPED;
    bool kept = folder_close(&f);
    noslip_region_free(r);
    q.common.output = NULL; /* what is printed goes to standard output */
    if (stopped) q.common.quiet = q.common.json = false;
    int status = study_end(&y, &q.common, EXIT_DONE);
    if (kept && !q.common.quiet)
        cli_complain("what is done is in '%s'; go on with --resume", f.checkpoint);
    free(f.checkpoint);
    return stopped ? 128 + progress_signal() : status;
}
