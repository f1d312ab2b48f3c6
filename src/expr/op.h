/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_OP_H
#define NOSLIP_EXPR_OP_H

/* The one list of operations. The graph, its printer, the derivatives, the tapes and every
 * evaluator are made from it: name, number of operands, spelling in formulas, and whether it
 * is defined for all real operands (a rewrite may only drop operands that are). */
#define OP_LIST(X)        \
    X(CONST, 0, "", 1)    \
    X(SYMBOL, 0, "", 1)   \
    X(NEG, 1, "-", 1)     \
    X(ADD, 2, "+", 1)     \
    X(SUB, 2, "-", 1)     \
    X(MUL, 2, "*", 1)     \
    X(DIV, 2, "/", 0)     \
    X(POW, 2, "^", 0)     \
    X(SIN, 1, "sin", 1)   \
    X(COS, 1, "cos", 1)   \
    X(TAN, 1, "tan", 0)   \
    X(ASIN, 1, "asin", 0) \
    X(ACOS, 1, "acos", 0) \
    X(ATAN, 1, "atan", 1) \
    X(SINH, 1, "sinh", 1) \
    X(COSH, 1, "cosh", 1) \
    X(TANH, 1, "tanh", 1) \
    X(EXP, 1, "exp", 1)   \
    X(LOG, 1, "log", 0)   \
    X(SQRT, 1, "sqrt", 0) \
    X(ABS, 1, "abs", 1)   \
    X(ATAN2, 2, "atan2", 0)

#define OP_AS_ENUMERATOR(name, arity, spelling, total) OP_##name,
typedef enum { OP_LIST(OP_AS_ENUMERATOR) OP_COUNT } op;
#undef OP_AS_ENUMERATOR

int op_arity(op o);
const char *op_spelling(op o);
int op_is_total(op o);

#endif
