/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "encode.h"

static void byte(encoder *e, unsigned x)
{
    if (!array_push(&e->bytes, (uint8_t)x)) e->failed = true;
}

static void word(encoder *e, uint32_t x)
{
    for (int k = 0; k < 4; k++) byte(e, x >> (8 * k) & 0xFF);
}

/* Everything a vector instruction says about itself. All are of the group with prefix 66. */
typedef struct {
    unsigned map; /* 1: 0F, 2: 0F38 */
    unsigned opcode;
    bool w_vex; /* the W bit under VEX; under EVEX it is always set */
} form;

static const form forms[] = {
    [X_ADD] = {1, 0x58, false},      [X_SUB] = {1, 0x5C, false},
    [X_MUL] = {1, 0x59, false},      [X_DIV] = {1, 0x5E, false},
    [X_XOR] = {1, 0x57, false},      [X_AND] = {1, 0x54, false},
    [X_SQRT] = {1, 0x51, false},     [X_FMADD132] = {2, 0x98, true},
    [X_FMADD213] = {2, 0xA8, true},  [X_FMADD231] = {2, 0xB8, true},
    [X_FMSUB132] = {2, 0x9A, true},  [X_FMSUB213] = {2, 0xAA, true},
    [X_FMSUB231] = {2, 0xBA, true},  [X_FNMADD132] = {2, 0x9C, true},
    [X_FNMADD213] = {2, 0xAC, true}, [X_FNMADD231] = {2, 0xBC, true},
};
static const form move_load = {1, 0x10, false}, move_store = {1, 0x11, false},
                  broadcast = {2, 0x19, false};

/* General registers by number. */
enum { RAX = 0, RDX = 2, RSI = 6, R8 = 8, R9 = 9 };

/* The register that holds the address of a row, loaded if none does: mov reg, [rdi + 8*row]. */
static int row_pointer(encoder *e, uint32_t row)
{
    static const int registers[4] = {RAX, R9, R9 + 1, R9 + 2};
    for (int k = 0; k < 4; k++)
        if (e->pointer[k] == row) return registers[k];
    int k = e->oldest;
    e->oldest = (k + 1) % 4;
    e->pointer[k] = row;
    byte(e, registers[k] >= 8 ? 0x4C : 0x48);
    byte(e, 0x8B);
    byte(e, 0x87 | (unsigned)(registers[k] & 7) << 3);
    word(e, 8 * row);
    return registers[k];
}

/* The prefix: which registers beyond the eight that modrm can name, the first operand, the length. x and b extend
 * the index and base of a memory operand, or both the register of the last operand. */
static void prefix(encoder *e, form f, int reg, int first, bool x, bool b, bool spread)
{
    unsigned r = reg >> 3 & 1, r2 = reg >> 4 & 1, v = (unsigned)first & 15, v2 = first >> 4 & 1;
    if (e->wide) {
        byte(e, 0x62);
        byte(e, (!r) << 7 | (unsigned)!x << 6 | (unsigned)!b << 5 | (!r2) << 4 | f.map);
        byte(e, 0x80 | (~v & 15) << 3 | 4 | 1);
        byte(e, 0x40 | (unsigned)spread << 4 | (!v2) << 3);
    } else {
        byte(e, 0xC4);
        byte(e, (!r) << 7 | (unsigned)!x << 6 | (unsigned)!b << 5 | f.map);
        byte(e, (unsigned)f.w_vex << 7 | (~v & 15) << 3 | 4 | 1);
    }
    byte(e, f.opcode);
}

static void instruction(encoder *e, form f, int reg, int first, place p)
{
    unsigned low = (unsigned)(reg & 7) << 3;
    switch (p.kind) {
    case IN_REGISTER:
        prefix(e, f, reg, first, p.index >> 4 & 1, p.index >> 3 & 1, false);
        byte(e, 0xC0 | low | (p.index & 7));
        break;
    case IN_ROW: { /* [pointer + r8] */
        int base = row_pointer(e, p.index);
        prefix(e, f, reg, first, true, base >= 8, false);
        byte(e, low | 4);
        byte(e, (R8 & 7) << 3 | (unsigned)(base & 7));
        break;
    }
    case IN_SPILL: /* [rdx + slot] */
        prefix(e, f, reg, first, false, false, false);
        byte(e, 0x80 | low | RDX);
        word(e, p.index * (e->wide ? 64 : 32));
        break;
    case IN_CONSTANT: /* [rsi + 8*index] */
        prefix(e, f, reg, first, false, false, e->wide && f.opcode != broadcast.opcode);
        byte(e, 0x80 | low | RSI);
        word(e, p.index * 8);
        break;
    }
}

void encode_op(encoder *e, x_op operation, int dst, int first, place second)
{
    instruction(e, forms[operation], dst, operation == X_SQRT ? 0 : first, second);
}

void encode_load(encoder *e, int dst, place from)
{
    instruction(e, from.kind == IN_CONSTANT ? broadcast : move_load, dst, 0, from);
}

void encode_store(encoder *e, place to, int src)
{
    instruction(e, move_store, src, 0, to);
}

size_t encode_begin(encoder *e)
{
    size_t begin = e->bytes.n;
    for (int k = 0; k < 4; k++) e->pointer[k] = UINT32_MAX;
    byte(e, 0x45); /* xor r8d, r8d */
    byte(e, 0x31);
    byte(e, 0xC0);
    return begin;
}

void encode_end(encoder *e, size_t begin)
{
    byte(e, 0x49); /* add r8, bytes of a vector */
    byte(e, 0x83);
    byte(e, 0xC0);
    byte(e, e->wide ? 64 : 32);
    byte(e, 0x49); /* cmp r8, rcx */
    byte(e, 0x39);
    byte(e, 0xC8);
    byte(e, 0x0F); /* jb, back to behind the xor */
    byte(e, 0x82);
    word(e, (uint32_t)(begin + 3) - (uint32_t)(e->bytes.n + 4));
    byte(e, 0xC5); /* vzeroupper */
    byte(e, 0xF8);
    byte(e, 0x77);
    byte(e, 0xC3); /* ret */
}
