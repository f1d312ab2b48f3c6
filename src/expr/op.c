/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "op.h"

#define ARITY(name, arity, spelling, total) arity,
#define SPELLING(name, arity, spelling, total) spelling,
#define TOTAL(name, arity, spelling, total) total,

static const signed char arities[] = {OP_LIST(ARITY)};
static const char *const spellings[] = {OP_LIST(SPELLING)};
static const signed char totals[] = {OP_LIST(TOTAL)};

int op_arity(op o)
{
    return arities[o];
}

const char *op_spelling(op o)
{
    return spellings[o];
}

int op_is_total(op o)
{
    return totals[o];
}
