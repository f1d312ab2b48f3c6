/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { MOST = 100 };

typedef struct {
    const char *name;
    const char *overrides[MOST + 1]; /* ended by NULL */
    int n;
} request;

static const struct argp_option options[] = {
    {"parameter", 'p', "NAME=VALUE", 0, "Give a parameter another value or formula", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    request *r = state->input;
    switch (key) {
    case 'p':
        if (r->n == MOST) argp_error(state, "more than %d parameters", MOST);
        r->overrides[r->n++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (r->name) argp_error(state, "one case at a time");
        r->name = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "no case is given"); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void print_steady(const noslip_model *m, const noslip_steady *s, size_t states)
{
    noslip_steady_info i = noslip_steady_about(s, 0);
    printf("Steady motion (%d steps, residual %.1e)\n", i.iterations, i.residual);
    for (size_t k = 0; k < states; k++)
        printf("  %-24s %20.12g\n", noslip_model_state(m, k), noslip_steady_state(s, 0, k));
    size_t reactions = noslip_model_about(m).constraints;
    if (reactions) printf("\nReactions\n");
    for (size_t k = 0; k < reactions; k++)
        printf("  %-24s %20.12g\n", noslip_model_constraint(m, k).label,
               noslip_steady_reaction(s, 0, k));
    printf("\nManifold of steady motions: dimension %zu", i.manifold_dimension);
    if (i.holonomic_levels) printf(", and %zu of holonomic levels", i.holonomic_levels);
    printf(" (rank decided between %.1e and %.1e)\n", i.gap_above, i.gap_below);
    if (i.free_directions)
        printf("The conditions leave %zu of it open: the nearest point was taken.\n",
               i.free_directions);
}

/* A pair on one line; frequency and damping ratio belong to pairs. */
static void print_roots(const noslip_roots *r, const noslip_roots_info *i)
{
    printf("\nRoots, the manifold's %zu zeros set aside\n", i->zeros);
    printf("  %20s %20s %9s %14s %9s\n", "real", "imaginary", "bound", "frequency, Hz", "damping");
    for (size_t k = 0; k < i->roots; k++) {
        noslip_root e = noslip_roots_at(r, k);
        if (e.im < 0) continue;
        printf("  %20.12g", e.re);
        if (e.im > 0)
            printf(" %s%18.12g %9.1e %14.6g %9.4f\n", "+-", e.im, e.bound, e.im / (2 * acos(-1.0)),
                   0.0 - e.re / hypot(e.re, e.im));
        else
            printf(" %20s %9.1e\n", "", e.bound);
    }
}

static const char *verdict_words(noslip_verdict verdict)
{
    switch (verdict) {
    case NOSLIP_ASYMPTOTICALLY_STABLE:
        return "asymptotically stable: disturbed motions return to the manifold of steady motions";
    case NOSLIP_UNSTABLE_DIVERGENCE: return "unstable, by divergence: a real root is positive";
    case NOSLIP_UNSTABLE_FLUTTER: return "unstable, by flutter: a growing oscillation";
    case NOSLIP_NEUTRAL:
        return "neutral: roots on the imaginary axis, which the linear equations cannot judge";
    case NOSLIP_DEGENERATE: break;
    }
    return "degenerate: more zero roots than the manifold accounts for";
}

static const char about[] =
    "Find the steady motion of a case and the roots of its linearised equations, and say whether "
    "it is stable. CASE is a file, a "
    "folder or the name of a shipped case.\v"
    "Exit status: 0 done; 1 no steady motion, or the roots do not decide; 2 bad input.\n\n"
    "Example:\n  noslip roots whipple-bicycle -p v=6.5\n";

int cli_roots(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "CASE", .doc = about};
    request q = {0};
    char name[] = "noslip roots";
    argv[0] = name;
    argp_err_exit_status = EXIT_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &q)) return EXIT_INPUT;

    noslip_error err = {0};
    noslip_case *c = NULL;
    noslip_model *m = NULL;
    noslip_steady *t = NULL;
    noslip_roots *r = NULL;
    noslip_status status = noslip_case_open(q.name, q.overrides, &c, &err);
    if (status == NOSLIP_OK) status = noslip_model_make(c, &m, &err);
    if (status == NOSLIP_OK) status = noslip_steady_find(m, &t, &err);
    if (status == NOSLIP_OK) status = noslip_roots_find(t, 0, &r, &err);
    noslip_roots_info i = {0};
    if (status == NOSLIP_OK) {
        i = noslip_roots_about(r);
        printf("%s\n\n", noslip_case_title(c));
        print_steady(m, t, i.states);
        print_roots(r, &i);
        printf("\nVerdict: %s.\n", verdict_words(i.verdict));
    }
    noslip_roots_free(r);
    noslip_steady_free(t);
    noslip_model_free(m);
    noslip_case_close(c);
    if (status != NOSLIP_OK) {
        int exit_status = cli_fail(&err);
        return status > NOSLIP_OK ? EXIT_FINDING : exit_status;
    }
    return cli_finish(i.verdict == NOSLIP_NEUTRAL || i.verdict == NOSLIP_DEGENERATE ? EXIT_FINDING
                                                                                    : EXIT_DONE);
}
