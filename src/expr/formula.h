/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_FORMULA_H
#define NOSLIP_EXPR_FORMULA_H

#include <stdint.h>

#include "array.h"
#include "fail.h"
#include "name.h"

/* A formula read, not yet given a meaning: a program for a stack of values,
 *
 *     -a*x[i+1]' + 2   becomes   a  i 1 +  x[.]  '  *  neg  2  +
 *
 * so that building it takes no recursion however long it is, and the body of a sum, which is a
 * piece of the program, can be run again and again. Each item knows its place in the text, for
 * messages. */
typedef enum {
    ITEM_NUMBER,
    ITEM_NAME,       /* its meaning; pops the index of a member of a family, if it has one */
    ITEM_INDEX_NAME, /* a name inside an index or a bound: its whole number */
    ITEM_RATE,       /* ' */
    ITEM_NEG,
    ITEM_ADD,
    ITEM_SUB,
    ITEM_MUL,
    ITEM_DIV,
    ITEM_POW,
    ITEM_COMPONENT, /* .x .y .z */
    ITEM_CALL,
    ITEM_SUM,   /* pops high and low, then runs the `count` items that follow, once for each index,
                   and adds up */
    ITEM_EQUAL, /* left side minus right side */
} item_kind;

typedef struct {
    item_kind kind;
    uint32_t from, to; /* bytes of the source: what a message points at */
    uint32_t left;     /* where the operands begin, for messages about the whole */
    union {
        double number;
        struct {
            uint32_t name_from, name_to; /* NAME, INDEX_NAME, SUM: the name in the source */
            bool indexed;                /* NAME: has an index on the stack */
            uint32_t count;              /* SUM */
        };
        struct {
            const function_info *function; /* CALL */
            int arguments;
        };
        int component; /* 0, 1, 2 */
    };
} item;

typedef struct {
    source src;      /* borrowed */
    size_t from, to; /* the whole formula in it, without the spaces around */
    ARRAY(item) items;
    bool is_equation;
} formula;

enum {
    FORMULA_LONGEST = 1 << 18, /* bytes */
    FORMULA_DEEPEST = 200,     /* parentheses, powers and signs inside each other */
};

/*
 * Read the bytes from..to of a source, which must live as long as the formula.
 *
 *   equation   true: one = must stand in it, and it stands for left minus right; false: none may
 *   out        to be zeroed before and freed with formula_free after, whatever comes back
 *
 * Returns NOSLIP_OK, NOSLIP_ERR_FORMULA with place and words in `err`, or NOSLIP_ERR_MEMORY.
 */
noslip_status formula_parse(const source *src, size_t from, size_t to, bool equation, formula *out,
                            noslip_error *err);
void formula_free(formula *f);

#endif
