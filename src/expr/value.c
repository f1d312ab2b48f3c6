/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "value.h"

#include "diff.h"

value value_number(expr e)
{
    return (value){.rows = 1, .cols = 1, .at = {e}};
}

value value_vector(const expr *e, int n)
{
    value v = {.rows = n, .cols = 1};
    for (int k = 0; k < n; k++) v.at[k] = e[k];
    return v;
}

static expr entry(const value *v, int row, int col)
{
    return v->at[row * v->cols + col];
}

static value blank(int rows, int cols)
{
    return (value){.rows = rows, .cols = cols};
}

static value by_entry(graph *g, op o, const value *a, const value *b)
{
    value v = blank(a->rows, a->cols);
    for (int k = 0; k < value_size(&v); k++) v.at[k] = graph_apply(g, o, a->at[k], b->at[k]);
    return v;
}

static value scaled(graph *g, op o, const value *a, expr factor)
{
    value v = blank(a->rows, a->cols);
    for (int k = 0; k < value_size(&v); k++) v.at[k] = graph_apply(g, o, a->at[k], factor);
    return v;
}

value value_neg(graph *g, const value *a)
{
    return scaled(g, OP_NEG, a, 0);
}

value value_add(graph *g, const value *a, const value *b)
{
    return by_entry(g, OP_ADD, a, b);
}

value value_sub(graph *g, const value *a, const value *b)
{
    return by_entry(g, OP_SUB, a, b);
}

static value product(graph *g, const value *a, const value *b)
{
    value v = blank(a->rows, b->cols);
    for (int i = 0; i < v.rows; i++)
        for (int j = 0; j < v.cols; j++) {
            expr sum = graph_const(g, 0);
            for (int k = 0; k < a->cols; k++)
                sum = expr_add(g, sum, expr_mul(g, entry(a, i, k), entry(b, k, j)));
            v.at[i * v.cols + j] = sum;
        }
    return v;
}

/* R = R1 R2 turns with  R2' omega1 + omega2  [T-12]. */
static void compose_omega(graph *g, const value *r1, const value *r2, value *r)
{
    r->turns = r1->turns && r2->turns;
    if (!r->turns) return;
    value back = value_transpose(g, r2), omega1 = value_vector(r1->omega, 3);
    value carried = product(g, &back, &omega1);
    for (int k = 0; k < 3; k++) r->omega[k] = expr_add(g, carried.at[k], r2->omega[k]);
}

value value_mul(graph *g, const value *a, const value *b)
{
    if (value_is_number(b)) return scaled(g, OP_MUL, a, b->at[0]);
    if (value_is_number(a)) return scaled(g, OP_MUL, b, a->at[0]);
    value v = product(g, a, b);
    compose_omega(g, a, b, &v);
    return v;
}

value value_div(graph *g, const value *a, const value *b)
{
    return scaled(g, OP_DIV, a, b->at[0]);
}

value value_transpose(graph *g, const value *a)
{
    value v = blank(a->cols, a->rows);
    for (int i = 0; i < v.rows; i++)
        for (int j = 0; j < v.cols; j++) v.at[i * v.cols + j] = entry(a, j, i);
    v.turns = a->turns;
    if (v.turns) { /* the inverse turns the other way, seen from the space that R led to */
        value omega = value_vector(a->omega, 3), carried = product(g, a, &omega);
        for (int k = 0; k < 3; k++) v.omega[k] = expr_neg(g, carried.at[k]);
    }
    return v;
}

expr value_dot(graph *g, const value *a, const value *b)
{
    expr sum = graph_const(g, 0);
    for (int k = 0; k < value_size(a); k++) sum = expr_add(g, sum, expr_mul(g, a->at[k], b->at[k]));
    return sum;
}

value value_cross(graph *g, const value *a, const value *b)
{
    value v = blank(3, 1);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        v.at[k] = expr_sub(g, expr_mul(g, a->at[i], b->at[j]), expr_mul(g, a->at[j], b->at[i]));
    }
    return v;
}

expr value_norm(graph *g, const value *a)
{
    return graph_apply(g, OP_SQRT, value_dot(g, a, a), 0);
}

value value_rotation(graph *g, int axis, expr angle)
{
    expr zero = graph_const(g, 0), one = graph_const(g, 1);
    expr c = graph_apply(g, OP_COS, angle, 0), s = graph_apply(g, OP_SIN, angle, 0);
    value r = blank(3, 3);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (int k = 0; k < 9; k++) r.at[k] = zero;
    r.at[4 * axis] = one;
    r.at[4 * i] = c;
    r.at[4 * j] = c;
    r.at[3 * i + j] = expr_neg(g, s);
    r.at[3 * j + i] = s;
    for (int k = 0; k < 3; k++) r.omega[k] = zero;
    bool moves_by_rates = graph_status(g) == NOSLIP_OK &&
                          !(graph_at(g, angle)->depends & (SYMBOL_RATE | SYMBOL_ACCELERATION));
    r.turns = moves_by_rates && diff_time(g, &angle, 1, &r.omega[axis]) == NOSLIP_OK;
    return r;
}

value value_rate(graph *g, const value *a)
{
    value v = blank(a->rows, a->cols);
    if (graph_status(g) != NOSLIP_OK ||
        diff_time(g, a->at, (size_t)value_size(a), v.at) != NOSLIP_OK)
        for (int k = 0; k < value_size(a); k++) v.at[k] = EXPR_NONE;
    return v;
}

value value_omega(graph *g, const value *r)
{
    if (r->turns) return value_vector(r->omega, 3);
    value rate = value_rate(g, r), v = blank(3, 1);
    for (int k = 0; k < 3;
         k++) { /* omega_k = column j . d/dt column i, with i, j after k in a circle */
        int i = (k + 1) % 3, j = (k + 2) % 3;
        expr sum = graph_const(g, 0);
        for (int row = 0; row < 3; row++)
            sum = expr_add(g, sum, expr_mul(g, entry(r, row, j), entry(&rate, row, i)));
        v.at[k] = sum;
    }
    return v;
}
