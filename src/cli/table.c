/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

struct table {
    size_t columns, n; /* cells so far */
    size_t room;
    char **cell;
    char *align;
    int *before,
        *after;   /* by column: widths before the point and from it on; others count as before */
    int *heading; /* by column with a point: width of what is no number */
};

enum { INDENT = 2, APART = 2 };

table *table_new(size_t columns, const char *align)
{
    table *t = cli_memory(1, sizeof *t);
    t->columns = columns;
    t->align = cli_memory(columns + 1, 1);
    t->before = cli_memory(columns, sizeof *t->before);
    t->after = cli_memory(columns, sizeof *t->after);
    t->heading = cli_memory(columns, sizeof *t->heading);
    size_t n = strlen(align);
    for (size_t k = 0; k < columns; k++) t->align[k] = align[k < n ? k : n - 1];
    return t;
}

static void add_cell(table *t, char *words)
{
    if (t->n == t->room) {
        size_t room = 2 * t->room + 16;
        char **more = cli_memory(room, sizeof *more);
        if (t->n) memcpy(more, t->cell, t->n * sizeof *more);
        free(t->cell);
        t->cell = more;
        t->room = room;
    }
    t->cell[t->n++] = words;
}

void table_cell(table *t, const char *format, ...)
{
    va_list args;
    char *words = NULL;
    size_t size;
    FILE *cell = open_memstream(&words, &size);
    va_start(args, format);
    bool written = cell && vfprintf(cell, format, args) >= 0;
    va_end(args);
    if ((cell && fclose(cell) != 0) || !written) {
        cli_complain("out of memory");
        exit(EXIT_INTERNAL);
    }
    add_cell(t, words);
}

double table_rounded(double x, double largest)
{
    return fabs(x) <= 1e-13 * largest ? 0 : x;
}

double table_larger(double largest, double x)
{
    return isfinite(x) && fabs(x) > largest ? fabs(x) : largest;
}

void table_number(table *t, double x, double largest, int digits)
{
    table_cell(t, "%.*g", digits, table_rounded(x, largest));
}

int table_width(const char *words)
{
    int width = 0;
    for (; *words; words++) width += ((unsigned char)*words & 0xC0) != 0x80;
    return width;
}

/* Bytes that the first `width` characters take. */
static int bytes_of(const char *words, int width)
{
    const char *end = words;
    while (*end && (width > 0 || ((unsigned char)*end & 0xC0) == 0x80)) {
        end++;
        if (((unsigned char)*end & 0xC0) != 0x80) width--;
    }
    return (int)(end - words);
}

static bool is_number(const char *cell)
{
    return cell[strspn(cell, "+-.0123456789e")] == '\0';
}

static void larger(int *most, int width)
{
    if (width > *most) *most = width;
}

static void measure(table *t)
{
    for (size_t k = 0; k < t->n; k++) {
        size_t column = k % t->columns;
        const char *cell = t->cell[k];
        int width = table_width(cell);
        if (t->align[column] != '.') {
            larger(&t->before[column], width);
        } else if (!is_number(cell)) {
            larger(&t->heading[column], width);
        } else {
            int before = (int)strcspn(cell, ".e");
            larger(&t->before[column], before);
            larger(&t->after[column], width - before);
        }
    }
}

static int column_width(const table *t, size_t column)
{
    int width = t->before[column] + t->after[column];
    return width > t->heading[column] ? width : t->heading[column];
}

/* Blanks before a cell in its column. */
static int blanks(const table *t, size_t column, const char *cell)
{
    if (t->align[column] == 'l') return 0;
    if (t->align[column] == 'r' || !is_number(cell))
        return column_width(t, column) - table_width(cell);
    return column_width(t, column) - t->after[column] - (int)strcspn(cell, ".e");
}

/* Blanks are held back until something follows them. */
static void print_cell(const table *t, size_t column, const char *cell, int *held, FILE *out)
{
    int before = blanks(t, column, cell), width = table_width(cell);
    if (column_width(t, column) == 0) return;
    if (*cell) fprintf(out, "%*s%s", *held + before, "", cell);
    *held = (*cell ? 0 : *held + before) + column_width(t, column) - before - width + APART;
}

static void print_row(const table *t, size_t row, size_t from, size_t to, FILE *out)
{
    char *const *cell = t->cell + row * t->columns;
    int held = INDENT;
    print_cell(t, 0, cell[0], &held, out);
    for (size_t k = from; k < to; k++) print_cell(t, k, cell[k], &held, out);
    fputc('\n', out);
}

/* Cut what is too long in the last column. */
static void cut_texts(table *t)
{
    int left = PAGE_WIDTH - INDENT;
    size_t last = t->columns - 1;
    for (size_t k = 0; k < last; k++) left -= column_width(t, k) + APART;
    if (t->align[last] != 'l' || left < 12) return;
    for (size_t k = last; k < t->n; k += t->columns)
        if (table_width(t->cell[k]) > left)
            memcpy(t->cell[k] + bytes_of(t->cell[k], left - 3), "...", 4);
    if (t->before[last] > left) t->before[last] = left;
}

static void free_table(table *t)
{
    for (size_t k = 0; k < t->n; k++) free(t->cell[k]);
    free(t->cell);
    free(t->align);
    free(t->before);
    free(t->after);
    free(t->heading);
    free(t);
}

void table_print(table *t, FILE *out)
{
    measure(t);
    cut_texts(t);
    size_t from = t->columns > 1 ? 1 : 0;
    do {
        int used = INDENT + column_width(t, 0);
        size_t to = from;
        do used += APART + column_width(t, to++);
        while (to < t->columns && used + APART + column_width(t, to) <= PAGE_WIDTH);
        if (from > 1) fputc('\n', out);
        for (size_t row = 0; row < t->n / t->columns; row++) print_row(t, row, from, to, out);
        from = to;
    } while (from < t->columns);
    free_table(t);
}

/* Bytes of the next word; one that is longer than a line ends after a product sign where it can. */
static int next_word(const char *words, int room)
{
    int n = (int)strcspn(words, " "), cut = bytes_of(words, room);
    if (n <= cut) return n;
    while (cut > 1 && words[cut - 1] != '*') cut--;
    return cut > 1 ? cut : n;
}

void table_wrap(FILE *out, const char *words, int column, int indent)
{
    bool apart = column > 0; /* a blank is due before the next word */
    if (!apart) column = fprintf(out, "%*s", indent, "");
    while (*words) {
        int n = next_word(words, PAGE_WIDTH - indent), cells = 0;
        for (int k = 0; k < n; k++) cells += ((unsigned char)words[k] & 0xC0) != 0x80;
        if (column > indent && column + apart + cells > PAGE_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            apart = false;
        }
        fprintf(out, "%*s%.*s", apart, "", n, words);
        column += apart + cells;
        apart = words[n] == ' ';
        words += n + apart;
    }
    fputc('\n', out);
}
