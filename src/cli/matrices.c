/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matrices.h"

#include <stdlib.h>

#include "table.h"

/* What the rows or columns of a matrix are called. */
typedef enum {
    BY_POSITIONAL,
    BY_QUASI,
    BY_RATE, /* all coordinates' */
    BY_FORM, /* quasi-velocities, then the constraints kept */
} naming;

static const char *positional_name(const study *y, size_t k)
{
    return noslip_model_state(y->m, k);
}

static const char *form_name(const study *y, size_t k)
{
    noslip_model_info i = noslip_model_about(y->m);
    if (k < i.quasi_velocities) return noslip_model_quasi(y->m, k).name;
    k -= i.quasi_velocities;
    for (size_t j = 0; j < i.constraints; j++) {
        noslip_constraint x = noslip_model_constraint(y->m, j);
        if (x.kept && k-- == 0) return x.label;
    }
    return "";
}

static void add_name(table *t, const study *y, naming by, size_t k)
{
    switch (by) {
    case BY_POSITIONAL: table_cell(t, "%s", positional_name(y, k)); break;
    case BY_QUASI:
    case BY_FORM: table_cell(t, "%s", form_name(y, k)); break;
    case BY_RATE: table_cell(t, "%s'", noslip_model_coordinate(y->m, k).name); break;
    }
}

typedef struct {
    const char *title;
    noslip_matrix which;
    naming rows, columns;
    size_t top, left; /* where the block begins */
    size_t n_rows, n_columns;
} block;

static double entry(const study *y, size_t motion, const block *b, size_t i, size_t j)
{
    return noslip_roots_matrix(y->r[motion], b->which, b->top + i, b->left + j);
}

static void print_block(const study *y, size_t motion, const block *b)
{
    double largest = 0;
    for (size_t i = 0; i < b->n_rows; i++)
        for (size_t j = 0; j < b->n_columns; j++)
            largest = table_larger(largest, entry(y, motion, b, i, j));
    fprintf(y->out, "\n%s\n", b->title);
    table *t = table_new(1 + b->n_columns, "l.");
    table_cell(t, "%s", "");
    for (size_t j = 0; j < b->n_columns; j++) add_name(t, y, b->columns, j);
    for (size_t i = 0; i < b->n_rows; i++) {
        add_name(t, y, b->rows, i);
        for (size_t j = 0; j < b->n_columns; j++)
            table_number(t, entry(y, motion, b, i, j), largest, 7);
    }
    table_print(t, y->out);
}

void matrices_print(const study *y, size_t motion)
{
    noslip_model_info i = noslip_model_about(y->m);
    size_t n = i.coordinates, p = i.positional, f = i.quasi_velocities;
    const block blocks[] = {
        {"U: quasi-velocities and constraints, by the rates", NOSLIP_MATRIX_U, BY_FORM, BY_RATE, 0,
         0, n, n},
        {"W = U^-1", NOSLIP_MATRIX_W, BY_RATE, BY_FORM, 0, 0, n, n},
        {"A: mass matrix without constraints", NOSLIP_MATRIX_A, BY_RATE, BY_RATE, 0, 0, n, n},
        {"B11 = W1' A W1: mass matrix of the reduced equations", NOSLIP_MATRIX_B11, BY_QUASI,
         BY_QUASI, 0, 0, f, f},
        {"Q11 = W1' H W1, H the second derivatives of the Rayleigh function", NOSLIP_MATRIX_Q11,
         BY_QUASI, BY_QUASI, 0, 0, f, f},
        {"M = B11^-1 W11', W11 the rows of W1 of positional coordinates", NOSLIP_MATRIX_M, BY_QUASI,
         BY_POSITIONAL, 0, 0, f, p},
        {"G11: rates of positional coordinates, by these", NOSLIP_MATRIX_G, BY_POSITIONAL,
         BY_POSITIONAL, 0, 0, p, p},
        {"G12: the same by quasi-velocities", NOSLIP_MATRIX_G, BY_POSITIONAL, BY_QUASI, 0, p, p, f},
        {"G21: rates of quasi-velocities, by positional coordinates", NOSLIP_MATRIX_G, BY_QUASI,
         BY_POSITIONAL, p, 0, f, p},
        {"G22: the same by quasi-velocities", NOSLIP_MATRIX_G, BY_QUASI, BY_QUASI, p, p, f, f},
    };
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        if (blocks[k].n_rows && blocks[k].n_columns) print_block(y, motion, &blocks[k]);
}
