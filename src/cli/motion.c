/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion.h"

#include <math.h>
#include <stdlib.h>

#include "table.h"

static double largest_state(const study *y, size_t motion)
{
    double largest = 0;
    for (size_t k = 0; k < study_states(y); k++)
        largest = table_larger(largest, noslip_steady_state(y->s, motion, k));
    return largest;
}

void motion_print_briefly(const study *y, size_t motion)
{
    char *words;
    size_t size, states = study_states(y);
    double largest = largest_state(y, motion);
    FILE *line = open_memstream(&words, &size);
    if (!line) return;
    for (size_t k = 0; k < states; k++)
        fprintf(line, "%s = %.6g%s", noslip_model_state(y->m, k),
                table_rounded(noslip_steady_state(y->s, motion, k), largest),
                k + 1 < states ? ", " : "");
    if (fclose(line) != 0) return;
    int column = fprintf(y->out, "Steady motion:");
    table_wrap(y->out, words, column, 2);
    free(words);
}

/* 0.8 w2 + 0.6 w3 */
static void print_direction(const study *y, size_t motion, size_t d)
{
    bool first = true;
    fputs("  free: ", y->out);
    for (size_t k = 0; k < study_states(y); k++) {
        double x = table_rounded(noslip_steady_free_direction(y->s, motion, d, k), 1e3);
        if (x == 0) continue;
        fprintf(y->out, "%s%.4g %s", first ? (x < 0 ? "-" : "") : (x < 0 ? " - " : " + "), fabs(x),
                noslip_model_state(y->m, k));
        first = false;
    }
    fputc('\n', y->out);
}

static void print_gap(const study *y, const noslip_steady_info *i)
{
    if (i->gap_above == 0) {
        fputs("  rank 0: every state is steady\n", y->out);
        return;
    }
    bool clear = i->gap_below <= 1e-6 * i->gap_above;
    fprintf(y->out, "  rank %s: %.1e against ", clear ? "clear" : "not clear", i->gap_above);
    if (i->gap_below > 0)
        fprintf(y->out, "%.1e\n", i->gap_below);
    else
        fputs("0\n", y->out);
}

void motion_print_manifold(const study *y, size_t motion)
{
    noslip_steady_info i = noslip_steady_about(y->s, motion);
    fprintf(y->out, "Manifold of steady motions: dimension %zu\n", i.manifold_dimension);
    if (i.holonomic_levels)
        fprintf(y->out, "  and %zu zero root%s of holonomic constraints\n", i.holonomic_levels,
                i.holonomic_levels > 1 ? "s" : "");
    print_gap(y, &i);
    if (i.free_directions)
        fprintf(y->out,
                "  The conditions leave %zu of it open; this point is the nearest to the guess.\n",
                i.free_directions);
    for (size_t d = 0; d < i.free_directions; d++) print_direction(y, motion, d);
    if (i.spare_conditions)
        fprintf(y->out, "  %zu condition%s here without narrowing the choice.\n",
                i.spare_conditions, i.spare_conditions > 1 ? "s hold" : " holds");
}

static void print_search(const study *y)
{
    fprintf(y->out, "%zu steady motion%s found from %d start%s in the box\n", y->n,
            y->n == 1 ? " was" : "s were", noslip_steady_starts(y->s),
            noslip_steady_starts(y->s) == 1 ? "" : "s");
    table *t = table_new(4, "l.l.");
    for (size_t k = 0; k < study_states(y); k++) {
        noslip_range x = noslip_steady_range(y->s, k);
        table_cell(t, "%s", x.name);
        table_cell(t, "%.6g", x.from);
        table_cell(t, "..");
        table_cell(t, "%.6g", x.to);
    }
    table_print(t, y->out);
}

void motion_print_head(const study *y)
{
    const char *title = noslip_case_title(y->c);
    table_wrap(y->out, title[0] ? title : noslip_case_file(y->c), 0, 0);
    if (!noslip_steady_starts(y->s)) return;
    fputc('\n', y->out);
    print_search(y);
}
