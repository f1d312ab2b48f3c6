/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_EXPR_VALUE_H
#define NOSLIP_EXPR_VALUE_H

#include "graph.h"

enum { VALUE_MOST = 4 }; /* rows or columns */

/* A number, a vector or a matrix whose entries are expressions; rows are stored one after the
 * other. A vector is a column; what has one entry is a number.
 *
 * A matrix made of elementary rotations remembers the angular velocity with which it turns: that of
 * a product follows from those of its factors, which is far shorter than what R' dR/dt gives. */
typedef struct {
    int rows, cols;
    expr at[VALUE_MOST * VALUE_MOST];
    bool empty;    /* a sum without terms: a zero that fits whatever it is added to */
    bool turns;    /* `omega` is known */
    expr omega[3]; /* angular velocity in body axes */
} value;

static inline int value_size(const value *v)
{
    return v->rows * v->cols;
}
static inline bool value_is_number(const value *v)
{
    return value_size(v) == 1;
}
static inline bool value_is_vector(const value *v)
{
    return v->cols == 1 && v->rows > 1;
}

value value_number(expr e);
value value_vector(const expr *e, int n);

/* Arithmetic. Whether the dimensions fit is the caller's to check (build.c); where one operand is a
 * number and the other is not, the number acts on every entry of a product or quotient. */
value value_neg(graph *g, const value *a);
value value_add(graph *g, const value *a, const value *b);
value value_sub(graph *g, const value *a, const value *b);
value value_mul(graph *g, const value *a, const value *b);
value value_div(graph *g, const value *a, const value *b);
value value_transpose(graph *g, const value *a);
value value_cross(graph *g, const value *a, const value *b);
expr value_dot(graph *g, const value *a, const value *b);
expr value_norm(graph *g, const value *a);

/* Active rotation by an angle about axis 0, 1 or 2: rotx(t) = [1 0 0; 0 c -s; 0 s c] and so on. */
value value_rotation(graph *g, int axis, expr angle);

/* Time derivative, entry by entry. Not of an acceleration. */
value value_rate(graph *g, const value *a);

/* Angular velocity in body axes of a 3 x 3 rotation R: the vector of R' dR/dt. That R is a rotation
 * is not checked here. */
value value_omega(graph *g, const value *r);

#endif
