/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opcode.h"

#define NAME_1(o, a) {#o, #a},
#define NAME_2(o, a, b) {#o, #a #b},
#define NAME_3(o, a, b, c) {#o, #a #b #c},

static const struct {
    const char *name, *kinds;
} codes[] = {TAPE_CODES(NAME_1, NAME_2, NAME_3)};

const char *opcode_name(uint32_t code)
{
    return codes[code].name;
}

const char *opcode_kinds(uint32_t code)
{
    return codes[code].kinds;
}
