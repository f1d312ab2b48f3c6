/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write the benchmark's tapes as C source, one function each, to standard output: what the batch
 * evaluator is measured against. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "systems.h"

static void operand(const tape *t, const instr *in, int i, size_t position)
{
    const uint32_t which[3] = {in->a, in->b, in->c};
    switch (opcode_kinds(in->code)[i]) {
    case 'R':
        if (which[i] < t->n_in)
            printf("in[%u]", which[i]);
        else
            printf("row%u", which[i]);
        break;
    case 'C': printf("%.17g", t->constants.at[which[i]]); break;
    case 'A': printf("a%zu", position - 1); break;
    }
}

static const char *const shapes[][2] = {
    /* operation, with 1 2 3 for the operands */
    {"NEG", "-1"},        {"ABS", "fabs(1)"},   {"SQRT", "sqrt(1)"},   {"COPY", "1"},
    {"ADD", "1 + 2"},     {"SUB", "1 - 2"},     {"MUL", "1 * 2"},      {"DIV", "1 / 2"},
    {"FMA", "1 * 2 + 3"}, {"FMS", "1 * 2 - 3"}, {"FNMA", "3 - 1 * 2"}, {"SIN", "sin(1)"},
    {"COS", "cos(1)"},    {"TAN", "tan(1)"},    {"SINCOS", "sin(1)"},  {"POW", "pow(1, 2)"},
};

static void expression(const tape *t, const instr *in, const char *shape, size_t position)
{
    for (; *shape; shape++)
        if (*shape >= '1' && *shape <= '3')
            operand(t, in, *shape - '1', position);
        else
            putchar(*shape);
}

static void instruction(const tape *t, size_t position)
{
    const instr *in = &t->code.at[position];
    size_t k = 0;
    while (strcmp(shapes[k][0], opcode_name(in->code)) != 0) k++;
    printf("    const double a%zu = ", position);
    expression(t, in, shapes[k][1], position);
    printf(";\n");
    if (strcmp(shapes[k][0], "SINCOS") == 0) {
        printf("    row%u = ", in->c);
        expression(t, in, "cos(1)", position);
        printf(";\n");
    }
    if (in->dst != NO_ROW) printf("    row%u = a%zu;\n", in->dst, position);
}

static void write_function(const bench_system *s)
{
    tape *t = bench_compile(s, 0);
    printf("void plain_%s(const double *restrict in, double *restrict out);\n", s->name);
    printf("void plain_%s(const double *restrict in, double *restrict out)\n{\n", s->name);
    for (size_t k = 0; k < t->n_out + t->n_registers; k++)
        printf("    double row%zu;\n", t->n_in + k);
    for (size_t p = 0; p < t->code.n; p++) instruction(t, p);
    for (size_t k = 0; k < t->n_out; k++) printf("    out[%zu] = row%zu;\n", k, t->n_in + k);
    printf("}\n\n");
    tape_free(t);
}

int main(void)
{
    bench_system disk = bench_disk(), chain = bench_chain();
    printf("#include <math.h>\n\n");
    write_function(&disk);
    write_function(&chain);
    bench_free(&disk);
    bench_free(&chain);
    return 0;
}
