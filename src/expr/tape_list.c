/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tape.h"

static bool is_pair(const instr *in)
{
    return in->code == CODE_SINCOS_R;
}

tape_info tape_measure(const tape *t)
{
    tape_info info = {.operations = t->operations,
                      .instructions = t->code.n,
                      .registers = t->n_registers,
                      .constants = t->constants.n,
                      .prologue = t->prologue ? t->prologue->code.n : 0};
    for (size_t k = 0; k < t->code.n; k++) {
        const instr *in = &t->code.at[k];
        info.stores += (in->dst != NO_ROW) + is_pair(in);
    }
    return info;
}

static void list_row(const tape *t, uint32_t row, text *out)
{
    if (row < t->n_in)
        text_printf(out, " in%u", row);
    else if (row < t->n_in + t->n_out)
        text_printf(out, " out%zu", row - t->n_in);
    else
        text_printf(out, " r%zu", row - t->n_in - t->n_out);
}

static void list_constant(const tape *t, uint32_t k, text *out)
{
    char number[TEXT_NUMBER_ROOM];
    size_t literals = t->constants.n - (t->prologue ? t->prologue->n_out : 0);
    if (k < literals)
        text_printf(out, " %s", text_of_number(t->constants.at[k], number));
    else
        text_printf(out, " once%zu", k - literals);
}

static void list_instruction(const tape *t, const instr *in, text *out)
{
    const uint32_t operand[3] = {in->a, in->b, in->c};
    text_printf(out, "%-7s", opcode_name(in->code));
    for (int i = 0; opcode_kinds(in->code)[i]; i++) {
        char kind = opcode_kinds(in->code)[i];
        if (kind == 'R') list_row(t, operand[i], out);
        if (kind == 'C') list_constant(t, operand[i], out);
        if (kind == 'A') text_puts(out, " acc");
    }
    if (in->dst != NO_ROW) text_puts(out, " ->");
    if (in->dst != NO_ROW) list_row(t, in->dst, out);
    if (is_pair(in)) text_puts(out, " , cos ->");
    if (is_pair(in)) list_row(t, in->c, out);
    text_puts(out, "\n");
}

void tape_list(const tape *t, text *out)
{
    tape_info i = tape_measure(t);
    text_printf(out,
                "%zu operations, %zu instructions, %zu stores, %zu registers, %zu constants, %zu "
                "instructions once a batch\n",
                i.operations, i.instructions, i.stores, i.registers, i.constants, i.prologue);
    for (size_t k = 0; k < t->code.n; k++) list_instruction(t, &t->code.at[k], out);
}
