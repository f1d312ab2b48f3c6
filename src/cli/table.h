/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_TABLE_H
#define NOSLIP_CLI_TABLE_H

#include <stdio.h>

/* Text for a terminal of 80 columns.
 *
 * A table gets its cells one by one, row after row, and is printed two columns in and two apart. Each column has an alignment: 'l'
 * left, 'r' right, '.' by the decimal point. What does not fit goes on below, with the first column once more; if the last column
 * is a text on the left, it is cut instead. */
enum { PAGE_WIDTH = 80 };

typedef struct table table;

/* `align` has a letter for each column; if it has fewer, the last one holds for the rest. */
table *table_new(size_t columns, const char *align);
void table_cell(table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number of `digits` digits; what is zero to rounding, next to `largest`, as 0. */
void table_number(table *t, double x, double largest, int digits);

/* Print it and free it. */
void table_print(table *t, FILE *out);

/* x, or 0 if it is less than 1e-13 of `largest`. */
double table_rounded(double x, double largest);

/* The larger of `largest` and |x|; x counts only if it is finite. */
double table_larger(double largest, double x);

/* A text broken between words, each line `indent` in; the first goes on where `column` says the line stands. */
void table_wrap(FILE *out, const char *words, int column, int indent);

/* Characters that a UTF-8 text takes. */
int table_width(const char *words);

#endif
