/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "alloc.h"
#include "head.h"
#include "motions.h"
#include "noslip/report.h"

static size_t states(const noslip_model *m)
{
    noslip_model_info i = noslip_model_about(m);
    return i.positional + i.quasi_velocities;
}

/* Steady motions */

static void put_states(page *p, json_t *object, const noslip_steady *s, size_t motion)
{
    const noslip_model *m = s->r;
    json_t *steady_object = page_put_object(p, object, "steady");
    for (size_t k = 0; k < states(m); k++)
        page_put(p, steady_object, noslip_model_state(m, k),
                 page_number(noslip_steady_state(s, motion, k)));
    json_t *rates = page_put_object(p, object, "rates");
    for (size_t k = 0; k < noslip_model_about(m).coordinates; k++)
        page_put(p, rates, noslip_model_coordinate(m, k).name,
                 page_number(noslip_steady_rate(s, motion, k)));
}

static void put_forces(page *p, json_t *object, const noslip_steady *s, size_t motion)
{
    const noslip_model *m = s->r;
    json_t *reactions = page_put_object(p, object, "reactions");
    for (size_t k = 0; k < noslip_model_about(m).constraints; k++)
        page_put(p, reactions, noslip_model_constraint(m, k).label,
                 page_number(noslip_steady_reaction(s, motion, k)));
    noslip_power x = noslip_steady_power(s, motion);
    json_t *power = page_put_object(p, object, "power");
    page_put(p, power, "dissipation", page_number(x.dissipation));
    page_put(p, power, "potential", page_number(x.potential));
    page_put(p, power, "forces", page_number(x.forces));
    page_put(p, power, "constraints", page_number(x.constraints));
}

static void put_motion(page *p, json_t *object, const noslip_steady *s, size_t motion)
{
    noslip_steady_info i = noslip_steady_about(s, motion);
    page_put(p, object, "manifold_dimension", page_count(i.manifold_dimension));
    page_put(p, object, "holonomic_levels", page_count(i.holonomic_levels));
    json_t *gap = page_put_object(p, object, "rank_gap");
    page_put(p, gap, "above", page_number(i.gap_above));
    page_put(p, gap, "below", page_number(i.gap_below));
    put_states(p, object, s, motion);
    put_forces(p, object, s, motion);
    json_t *open = page_put_list(p, object, "free_directions");
    for (size_t d = 0; d < i.free_directions; d++) {
        json_t *direction = json_object();
        for (size_t k = 0; k < states(s->r); k++)
            page_put(p, direction, noslip_model_state(s->r, k),
                     page_number(noslip_steady_free_direction(s, motion, d, k)));
        page_append(p, open, direction);
    }
    page_put(p, object, "spare_conditions", page_count(i.spare_conditions));
    page_put(p, object, "residual", page_number(i.residual));
    page_put(p, object, "iterations", json_integer(i.iterations));
}

static void put_box(page *p, const noslip_steady *s)
{
    page_put(p, p->top, "starts", json_integer(noslip_steady_starts(s)));
    json_t *box = page_put_object(p, p->top, "box");
    for (size_t k = 0; k < states(s->r); k++) {
        noslip_range x = noslip_steady_range(s, k);
        json_t *range = json_array();
        page_append(p, range, page_number(x.from));
        page_append(p, range, page_number(x.to));
        page_put(p, box, x.name, range);
    }
}

/* Roots */

typedef struct {
    const char *verdict, *instability;
    const char *finding; /* NULL if the roots decide */
} judgement;

static judgement judge(noslip_verdict verdict)
{
    switch (verdict) {
    case NOSLIP_ASYMPTOTICALLY_STABLE: return (judgement){"asymptotically stable", NULL, NULL};
    case NOSLIP_UNSTABLE_DIVERGENCE: return (judgement){"unstable", "divergence", NULL};
    case NOSLIP_UNSTABLE_FLUTTER: return (judgement){"unstable", "flutter", NULL};
    case NOSLIP_NEUTRAL:
        return (judgement){"neutral", NULL,
                           "roots on the imaginary axis, which the linear equations cannot judge"};
    case NOSLIP_DEGENERATE: break;
    }
    return (judgement){"degenerate", NULL, "more zero roots than the manifold accounts for"};
}

static json_t *root_object(page *p, noslip_root e, bool manifold)
{
    json_t *item = json_object();
    page_put(p, item, "re", page_number(e.re));
    page_put(p, item, "im", page_number(e.im));
    page_put(p, item, "bound", page_number(e.bound));
    page_put(p, item, "manifold", json_boolean(manifold));
    return item;
}

static json_t *matrix_list(page *p, const noslip_roots *r, noslip_matrix which)
{
    size_t rows, columns;
    noslip_roots_matrix_size(r, which, &rows, &columns);
    json_t *list = json_array();
    for (size_t i = 0; i < rows; i++) {
        json_t *row = json_array();
        for (size_t j = 0; j < columns; j++)
            page_append(p, row, page_number(noslip_roots_matrix(r, which, i, j)));
        page_append(p, list, row);
    }
    return list;
}

static void put_matrices(page *p, json_t *object, const noslip_roots *r)
{
    static const struct {
        noslip_matrix which;
        const char *name;
    } all[] = {{NOSLIP_MATRIX_U, "U"},     {NOSLIP_MATRIX_W, "W"}, {NOSLIP_MATRIX_B11, "B11"},
               {NOSLIP_MATRIX_Q11, "Q11"}, {NOSLIP_MATRIX_M, "M"}, {NOSLIP_MATRIX_A, "A"}};
    json_t *matrices = page_put_object(p, object, "matrices");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        page_put(p, matrices, all[k].name, matrix_list(p, r, all[k].which));
}

/* One for each root that is not the manifold's: by coordinate, the real and the imaginary part. */
static void put_modes(page *p, json_t *object, const noslip_model *m, const noslip_roots *r)
{
    json_t *modes = page_put_list(p, object, "modes");
    for (size_t k = 0; k < noslip_roots_about(r).roots; k++) {
        json_t *mode = json_object();
        for (size_t j = 0; j < noslip_model_about(m).coordinates; j++) {
            noslip_root z = noslip_roots_mode(r, k, j);
            json_t *entry = json_array();
            page_append(p, entry, page_number(z.re));
            page_append(p, entry, page_number(z.im));
            page_put(p, mode, noslip_model_coordinate(m, j).name, entry);
        }
        page_append(p, modes, mode);
    }
}

static void put_roots(page *p, json_t *object, const noslip_model *m, const noslip_roots *r)
{
    noslip_roots_info i = noslip_roots_about(r);
    judgement word = judge(i.verdict);
    page_put(p, object, "verdict", page_words(word.verdict));
    page_put(p, object, "instability", page_words(word.instability));
    if (word.finding) page_put(p, object, "finding", page_words(word.finding));
    page_put(p, object, "spectral_abscissa", page_number(i.abscissa));
    json_t *list = page_put_list(p, object, "roots");
    for (size_t k = 0; k < i.roots; k++)
        page_append(p, list, root_object(p, noslip_roots_at(r, k), false));
    for (size_t k = 0; k < i.zeros; k++)
        page_append(p, list, root_object(p, (noslip_root){0}, true));
    put_modes(p, object, m, r);
    page_put(p, object, "G", matrix_list(p, r, NOSLIP_MATRIX_G));
}

static void put_state_names(page *p, const noslip_model *m)
{
    json_t *names = page_put_list(p, p->top, "states");
    for (size_t k = 0; k < states(m); k++)
        page_append(p, names, page_words(noslip_model_state(m, k)));
}

static noslip_status write_motions(const noslip_steady *s, noslip_roots *const *r, bool matrices,
                                   char **json, noslip_error *err)
{
    page p = page_new();
    bool searched = noslip_steady_starts(s) > 0;
    head_put(&p, s->r);
    put_state_names(&p, s->r);
    if (searched) put_box(&p, s);
    json_t *list = searched ? page_put_list(&p, p.top, "motions") : NULL;
    for (size_t k = 0; k < noslip_steady_count(s); k++) {
        json_t *object = searched ? json_object() : p.top;
        put_motion(&p, object, s, k);
        if (r) put_roots(&p, object, s->r, r[k]);
        if (r && matrices) put_matrices(&p, object, r[k]);
        if (searched) page_append(&p, list, object);
    }
    return page_finish(&p, json, err);
}

noslip_status noslip_report_steady(const noslip_steady *s, char **json, noslip_error *err)
{
    return write_motions(s, NULL, false, json, err);
}

noslip_status noslip_report_roots(const noslip_steady *s, noslip_roots *const *r, bool matrices,
                                  char **json, noslip_error *err)
{
    return write_motions(s, r, matrices, json, err);
}

noslip_status noslip_report_finding(const noslip_error *finding, char **json, noslip_error *err)
{
    page p = page_new();
    page_put(&p, p.top, "version", page_words(NOSLIP_VERSION));
    page_put(&p, p.top, "finding", page_words(finding->message));
    page_put(&p, p.top, "hint", page_words(finding->hint[0] ? finding->hint : NULL));
    return page_finish(&p, json, err);
}

void noslip_report_free(char *json)
{
    noslip_free(json);
}
