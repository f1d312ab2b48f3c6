/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "alloc.h"
#include "chain.h"
#include "diff.h"
#include "sweep.h"

/* Jacobian, forward. The walk is turned round once (who uses node k: users[first[k]..first[k + 1]),
 * so that a column visits only the nodes above its variable. */
typedef struct {
    sweep s;
    uint32_t *first, *users;
    uint32_t *first_row, *rows; /* see find_rows */
    uint32_t *column_mark;      /* by number: 1 + the last column that met it */
    ARRAY(uint32_t) above;      /* nodes above the variable, ascending when sorted */
} columns;

/* The operands of node k that lie inside the walk, each once. */
static int inner_operands(const sweep *s, uint32_t k, uint32_t operand[2])
{
    const node *n = graph_at(s->g, s->below.nodes.at[k]);
    const expr e[2] = {n->a, n->b};
    int count = 0;
    for (int i = 0; i < op_arity(n->op); i++) {
        uint32_t number = walk_number(s->g, e[i]);
        if (number != WALK_OUTSIDE && !(i == 1 && e[1] == e[0])) operand[count++] = number;
    }
    return count;
}

static bool find_users(columns *c)
{
    size_t n = c->s.below.nodes.n;
    uint32_t operand[2];
    c->first = noslip_calloc(n + 2, sizeof *c->first);
    c->users = noslip_malloc((2 * n + 1) * sizeof *c->users);
    c->column_mark = noslip_calloc(n + 1, sizeof *c->column_mark);
    if (!c->first || !c->users || !c->column_mark) return false;
    for (uint32_t k = 0; k < n; k++)
        for (int i = inner_operands(&c->s, k, operand); i-- > 0;) c->first[operand[i] + 2]++;
    for (size_t k = 1; k < n + 2; k++) c->first[k] += c->first[k - 1];
    for (uint32_t k = 0; k < n; k++)
        for (int i = inner_operands(&c->s, k, operand); i-- > 0;)
            c->users[c->first[operand[i] + 1]++] = k;
    return true;
}

static int ascending(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return (a > b) - (a < b);
}

/* The numbers of the nodes above number k, which is met first. */
static bool collect_above(columns *c, uint32_t k, uint32_t column)
{
    c->above.n = 0;
    if (!array_push(&c->above, k)) return false;
    c->column_mark[k] = column + 1;
    for (size_t i = 0; i < c->above.n; i++) {
        uint32_t low = c->above.at[i];
        for (uint32_t u = c->first[low]; u < c->first[low + 1]; u++) {
            if (c->column_mark[c->users[u]] == column + 1) continue;
            c->column_mark[c->users[u]] = column + 1;
            if (!array_push(&c->above, c->users[u])) return false;
        }
    }
    qsort(c->above.at, c->above.n, sizeof(uint32_t), ascending);
    return true;
}

/* The outputs that are node k: rows[first_row[k]..first_row[k + 1]). */
static bool find_rows(columns *c, const expr *out, size_t n_out)
{
    size_t n = c->s.below.nodes.n;
    c->first_row = noslip_calloc(n + 2, sizeof *c->first_row);
    c->rows = noslip_malloc((n_out + 1) * sizeof *c->rows);
    if (!c->first_row || !c->rows) return false;
    for (size_t i = 0; i < n_out; i++) {
        uint32_t number = walk_number(c->s.g, out[i]);
        if (number != WALK_OUTSIDE) c->first_row[number + 2]++;
    }
    for (size_t k = 1; k < n + 2; k++) c->first_row[k] += c->first_row[k - 1];
    for (size_t i = 0; i < n_out; i++) {
        uint32_t number = walk_number(c->s.g, out[i]);
        if (number != WALK_OUTSIDE) c->rows[c->first_row[number + 1]++] = (uint32_t)i;
    }
    return true;
}

static bool take_column(columns *c, uint32_t column, jacobian *result)
{
    for (size_t k = 0; k < c->above.n; k++) {
        uint32_t number = c->above.at[k];
        expr e = c->s.at[number];
        if (chain_is_zero(c->s.g, e)) continue;
        for (uint32_t i = c->first_row[number]; i < c->first_row[number + 1]; i++)
            if (!array_push(&result->entries, ((jacobian_entry){c->rows[i], column, e})))
                return false;
    }
    return true;
}

static bool one_column(columns *c, expr variable, uint32_t column)
{
    sweep *s = &c->s;
    uint32_t k = walk_number(s->g, variable);
    c->above.n = 0;
    if (k == WALK_OUTSIDE) return true;
    if (!collect_above(c, k, column)) return false;
    s->at[k] = graph_const(s->g, 1);
    for (size_t i = 1; i < c->above.n; i++) sweep_tangent(s, c->above.at[i]);
    return true;
}

static void forget_column(columns *c)
{
    for (size_t i = 0; i < c->above.n; i++) c->s.at[c->above.at[i]] = c->s.zero;
}

/* qsort is not stable, so row and column both. */
static int by_row(const void *x, const void *y)
{
    const jacobian_entry *a = x, *b = y;
    if (a->row != b->row) return (a->row > b->row) - (a->row < b->row);
    return (a->column > b->column) - (a->column < b->column);
}

static noslip_status jacobian_forward(graph *g, const expr *out, size_t n_out, const expr *variable,
                                      size_t n_variables, jacobian *result)
{
    columns c = {0};
    bool fine = sweep_start(&c.s, g, out, n_out, sweep_kinds(g, variable, n_variables)) &&
                find_users(&c) && find_rows(&c, out, n_out);
    for (size_t k = 0; fine && k < n_variables; k++) {
        fine = one_column(&c, variable[k], (uint32_t)k) && take_column(&c, (uint32_t)k, result);
        forget_column(&c);
    }
    noslip_status status = sweep_status(&c.s, fine);
    if (result->entries.n)
        qsort(result->entries.at, result->entries.n, sizeof(jacobian_entry), by_row);
    sweep_end(&c.s);
    noslip_free(c.first);
    noslip_free(c.users);
    noslip_free(c.column_mark);
    array_free(&c.above);
    noslip_free(c.first_row);
    noslip_free(c.rows);
    return status;
}

/* Jacobian, reverse: variables are looked up by symbol, so that a row costs what lies below it. */
static bool take_row(const sweep *s, const uint32_t *column_of, uint32_t row, jacobian *result)
{
    const graph *g = s->g;
    for (size_t k = 0; k < s->below.nodes.n; k++) {
        const node *n = graph_at(g, s->below.nodes.at[k]);
        if (n->op != OP_SYMBOL || !column_of[n->symbol] || chain_is_zero(g, s->at[k])) continue;
        jacobian_entry entry = {row, column_of[n->symbol] - 1, s->at[k]};
        if (!array_push(&result->entries, entry)) return false;
    }
    return true;
}

static noslip_status jacobian_reverse(graph *g, const expr *out, size_t n_out, const expr *variable,
                                      size_t n_variables, jacobian *result)
{
    uint32_t *column_of =
        noslip_calloc(g->symbols.n + 1, sizeof *column_of); /* by symbol: column + 1 */
    noslip_status status = column_of ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
    unsigned kinds = sweep_kinds(g, variable, n_variables);
    for (size_t k = 0; column_of && k < n_variables; k++)
        column_of[graph_at(g, variable[k])->symbol] = (uint32_t)k + 1;
    for (size_t i = 0; status == NOSLIP_OK && i < n_out; i++) {
        sweep s;
        bool fine = sweep_start(&s, g, &out[i], 1, kinds);
        if (fine) {
            sweep_seed(&s, out[i], graph_const(g, 1));
            sweep_downwards(&s);
            fine = graph_status(g) == NOSLIP_OK && take_row(&s, column_of, (uint32_t)i, result);
        }
        status = sweep_status(&s, fine);
        sweep_end(&s);
    }
    if (result->entries.n)
        qsort(result->entries.at, result->entries.n, sizeof(jacobian_entry), by_row);
    noslip_free(column_of);
    return status;
}

noslip_status diff_jacobian(graph *g, const expr *out, size_t n_out, const expr *variable,
                            size_t n_variables, jacobian_mode mode, jacobian *result)
{
    result->entries.n = 0;
    if (graph_status(g) != NOSLIP_OK) return NOSLIP_ERR_MEMORY;
    if (mode == JACOBIAN_AUTO) mode = n_out < n_variables ? JACOBIAN_REVERSE : JACOBIAN_FORWARD;
    return mode == JACOBIAN_REVERSE
               ? jacobian_reverse(g, out, n_out, variable, n_variables, result)
               : jacobian_forward(g, out, n_out, variable, n_variables, result);
}

void jacobian_free(jacobian *j)
{
    array_free(&j->entries);
}
