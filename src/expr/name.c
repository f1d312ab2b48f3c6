/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "name.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "op.h"
#include "text.h"
#include "value.h"

size_t name_length(const char *s, size_t n)
{
    size_t at = 0;
    while (at < n) {
        ucs4_t c;
        int bytes = u8_mbtoucr(&c, (const uint8_t *)s + at, n - at);
        if (bytes <= 0) break;
        if (c == 0xB7 || c == 0x387) break; /* a middle dot is meant as a product */
        bool fits =
            c == '_' || (at == 0 ? uc_is_property_xid_start(c) : uc_is_property_xid_continue(c));
        if (!fits) break;
        at += (size_t)bytes;
    }
    return at;
}

bool name_normalise(const char *s, size_t n, char out[NAME_MOST + 1])
{
    if (n > NAME_MOST) return false;
    uint8_t buffer[8 * NAME_MOST]; /* roomy: the library allocates if the result does not fit */
    size_t length = sizeof buffer;
    uint8_t *normal = u8_normalize(UNINORM_NFC, (const uint8_t *)s, n, buffer, &length);
    bool fits = normal && length <= NAME_MOST;
    if (fits) {
        memcpy(out, normal, length);
        out[length] = '\0';
    }
    if (normal != buffer) free(normal); /* the library's own block */
    return fits;
}

#define OPERATION(o, arguments, spelling)                     \
    {                                                         \
        spelling, FUNCTION_OPERATION, o, arguments, arguments \
    }

static const function_info functions[] = {
    OPERATION(OP_SIN, 1, "sin"),
    OPERATION(OP_COS, 1, "cos"),
    OPERATION(OP_TAN, 1, "tan"),
    OPERATION(OP_ASIN, 1, "asin"),
    OPERATION(OP_ACOS, 1, "acos"),
    OPERATION(OP_ATAN, 1, "atan"),
    OPERATION(OP_SINH, 1, "sinh"),
    OPERATION(OP_COSH, 1, "cosh"),
    OPERATION(OP_TANH, 1, "tanh"),
    OPERATION(OP_EXP, 1, "exp"),
    OPERATION(OP_LOG, 1, "log"),
    OPERATION(OP_SQRT, 1, "sqrt"),
    OPERATION(OP_ABS, 1, "abs"),
    OPERATION(OP_ATAN2, 2, "atan2"),
    {"vec", FUNCTION_VEC, 0, 2, VALUE_MOST},
    {"dot", FUNCTION_DOT, 0, 2, 2},
    {"cross", FUNCTION_CROSS, 0, 2, 2},
    {"norm", FUNCTION_NORM, 0, 1, 1},
    {"unit", FUNCTION_UNIT, 0, 1, 1},
    {"transpose", FUNCTION_TRANSPOSE, 0, 1, 1},
    {"rotx", FUNCTION_ROTX, 0, 1, 1},
    {"roty", FUNCTION_ROTY, 0, 1, 1},
    {"rotz", FUNCTION_ROTZ, 0, 1, 1},
    {"dt", FUNCTION_DT, 0, 1, 1},
    {"omega", FUNCTION_OMEGA, 0, 1, 1},
    {"sum", FUNCTION_SUM, 0, 4, 4},
};

const function_info *function_at(size_t k)
{
    return k < sizeof functions / sizeof *functions ? &functions[k] : NULL;
}

const function_info *function_find(const char *s, size_t n)
{
    const function_info *f;
    for (size_t k = 0; (f = function_at(k)) != NULL; k++)
        if (strlen(f->name) == n && memcmp(f->name, s, n) == 0) return f;
    return NULL;
}

int name_tolerance(const char *s, size_t n)
{
    size_t letters = u8_mbsnlen((const uint8_t *)s, n);
    return letters < 2 ? 0 : letters < 4 ? 1 : 2;
}

/* Other names under which people know our functions. */
static const char *synonym(const char *s, size_t n)
{
    static const char *const table[][2] = {
        {"ln", "log"},   {"arcsin", "asin"},   {"arccos", "acos"}, {"arctan", "atan"},
        {"tg", "tan"},   {"sh", "sinh"},       {"ch", "cosh"},     {"th", "tanh"},
        {"fabs", "abs"}, {"arctan2", "atan2"}, {"diff", "dt"},     {"trans", "transpose"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strlen(table[k][0]) == n && memcmp(table[k][0], s, n) == 0) return table[k][1];
    return NULL;
}

const char *function_instead(const char *s, size_t n)
{
    static const char *const table[][2] = {
        {"cot", "1/tan(x)"}, {"sec", "1/cos(x)"},         {"csc", "1/sin(x)"},
        {"sgn", "x/abs(x)"}, {"sign", "x/abs(x)"},        {"pow", "x^y"},
        {"square", "x^2"},   {"log10", "log(x)/log(10)"}, {"hypot", "sqrt(x^2 + y^2)"},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strlen(table[k][0]) == n && memcmp(table[k][0], s, n) == 0) return table[k][1];
    return NULL;
}

const char *function_nearest(const char *s, size_t n)
{
    if (synonym(s, n)) return synonym(s, n);
    const function_info *f;
    const char *best = NULL;
    int nearest = name_tolerance(s, n) + 1;
    for (size_t k = 0; (f = function_at(k)) != NULL; k++) {
        int d = text_distance(s, n, f->name, strlen(f->name), nearest - 1);
        if (d >= nearest) continue;
        nearest = d;
        best = f->name;
    }
    return best;
}
