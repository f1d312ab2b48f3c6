/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tape.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"

/* From graph to tape, in six steps, each a function below:
 *
 *   mark      which nodes the outputs need, how often each is used, which are the same for all
 * points fuse      a product used once by a sum becomes part of it; sine and cosine of one angle
 * become one order     operands before users, the operand that needs more registers first, so that
 * the last one is often the instruction just before (and its result need not be stored) pick the
 * kinds of the operands: row, constant or accumulator place     rows for the results that need one,
 * used again after the last reader copy      outputs that are inputs, constants or doubles
 *
 * A step is a node of the graph that becomes an instruction; it is known by the node. */

typedef struct {
    expr operand[3];
    uint8_t op;        /* of a tape */
    uint8_t n;         /* operands */
    uint8_t live;      /* needed by the outputs */
    uint8_t fixed;     /* the same for all points */
    uint8_t fused;     /* inside another step: no step of its own */
    uint8_t stored;    /* its result goes to a row */
    uint8_t need;      /* registers to compute it, estimated */
    expr partner;      /* the other half of a SINCOS, or EXPR_NONE */
    uint32_t uses;     /* by steps and outputs */
    uint32_t position; /* in the order; NO_ROW before it has one */
    uint32_t last;     /* last position that reads its row */
    uint32_t row;      /* row, or constant if fixed; NO_ROW as long as it has none */
} step;

typedef struct {
    const graph *g;
    const tape_spec *spec;
    tape *t;
    step *steps; /* by node */
    size_t n;    /* nodes up to the highest output */
    ARRAY(expr) order;
    ARRAY(expr) pending; /* stack of order */
    ARRAY(uint32_t) free_rows;
    ARRAY(expr) hoisted; /* fixed nodes that the prologue computes */
} compiler;

static size_t highest(const tape_spec *spec)
{
    size_t n = 0;
    for (size_t k = 0; k < spec->n_in; k++) n = spec->in[k] >= n ? spec->in[k] + 1u : n;
    for (size_t k = 0; k < spec->n_out; k++) n = spec->out[k] >= n ? spec->out[k] + 1u : n;
    return n;
}

static const char *symbol_name(const graph *g, expr e)
{
    return g->symbols.at[graph_at(g, e)->symbol].name;
}

static noslip_status take_inputs(compiler *c, noslip_error *err)
{
    for (size_t k = 0; k < c->spec->n_in; k++) {
        expr e = c->spec->in[k];
        if (graph_at(c->g, e)->op != OP_SYMBOL)
            return noslip_fail(err, NOSLIP_ERR_ARG, "input %zu is not a symbol", k);
        if (c->steps[e].row != NO_ROW)
            return noslip_fail(err, NOSLIP_ERR_ARG, "input '%s' stands twice",
                               symbol_name(c->g, e));
        c->steps[e].row = (uint32_t)k;
        c->steps[e].fixed = k < c->spec->n_fixed;
    }
    return NOSLIP_OK;
}

static noslip_status mark(compiler *c, noslip_error *err)
{
    for (size_t k = 0; k < c->spec->n_out; k++) {
        c->steps[c->spec->out[k]].live = true;
        c->steps[c->spec->out[k]].uses++;
    }
    for (size_t e = c->n; e-- > 0;) {
        step *s = &c->steps[e];
        const node *n = graph_at(c->g, (expr)e);
        if (!s->live) continue;
        if (n->op == OP_SYMBOL && s->row == NO_ROW)
            return noslip_fail(err, NOSLIP_ERR_ARG, "no value is given for '%s'",
                               symbol_name(c->g, (expr)e));
        s->op = n->op;
        s->n = (uint8_t)op_arity(n->op);
        const expr operand[2] = {n->a, n->b};
        for (int i = 0; i < s->n; i++) {
            s->operand[i] = operand[i];
            c->steps[operand[i]].live = true;
            c->steps[operand[i]].uses++;
        }
    }
    for (size_t e = 0; e < c->n; e++) { /* upwards: fixed if all operands are */
        step *s = &c->steps[e];
        if (!s->live || s->op == OP_SYMBOL) continue;
        s->fixed = true;
        for (int i = 0; i < s->n; i++) s->fixed = s->fixed && c->steps[s->operand[i]].fixed;
    }
    return NOSLIP_OK;
}

static bool is_step(const step *s)
{
    return s->live && !s->fixed && !s->fused && s->op != OP_SYMBOL;
}

/* Done by calling a function, from rows to rows. */
static bool is_call(const step *s)
{
    return s->op == OP_POW || s->op == OP_ATAN2 || (s->op >= OP_SIN && s->op <= OP_LOG);
}

static bool can_fuse(const step *s)
{
    return s->op == OP_MUL && s->uses == 1 && !s->fixed;
}

/* s = a + b or a - b, where operand i is a product of its own: one instruction. */
static void fuse_product(compiler *c, step *s, int i)
{
    step *product = &c->steps[s->operand[i]];
    expr other = s->operand[1 - i];
    s->op = s->op == OP_ADD ? OP_FMA : i == 0 ? OP_FMS : OP_FNMA;
    s->n = 3;
    s->operand[0] = product->operand[0];
    s->operand[1] = product->operand[1];
    s->operand[2] = other;
    product->fused = true;
}

static void fuse(compiler *c)
{
    for (size_t e = c->n; e-- > 0;) {
        step *s = &c->steps[e];
        if (!is_step(s) || (s->op != OP_ADD && s->op != OP_SUB)) continue;
        for (int i = 1; i >= 0; i--)
            if (can_fuse(&c->steps[s->operand[i]])) {
                fuse_product(c, s, i);
                break;
            }
    }
}

/* Both are found while walking up: the second meets the first through their angle. */
static bool pair_angles(compiler *c)
{
    expr *first = noslip_malloc((c->n + 1) * sizeof *first); /* by angle: its sine or cosine */
    if (!first) return false;
    for (size_t e = 0; e < c->n; e++) first[e] = EXPR_NONE;
    for (size_t e = 0; e < c->n; e++) {
        step *s = &c->steps[e];
        if (!is_step(s) || (s->op != OP_SIN && s->op != OP_COS)) continue;
        expr *seen = &first[s->operand[0]];
        if (*seen == EXPR_NONE) {
            *seen = (expr)e;
            continue;
        }
        s->partner = *seen;
        c->steps[*seen].partner = (expr)e;
    }
    noslip_free(first);
    return true;
}

/* Sethi and Ullman's numbers: registers that a tree needs if its heaviest branch comes first. */
static void estimate_needs(compiler *c)
{
    for (size_t e = 0; e < c->n; e++) {
        step *s = &c->steps[e];
        if (!is_step(s)) continue;
        int need[3] = {0}, most = 1;
        for (int i = 0; i < s->n; i++) {
            int mine = c->steps[s->operand[i]].need, k = i;
            for (; k > 0 && need[k - 1] < mine; k--) need[k] = need[k - 1];
            need[k] = mine;
        }
        for (int i = 0; i < s->n; i++) most = need[i] + i > most ? need[i] + i : most;
        s->need = (uint8_t)(most < 255 ? most : 255);
    }
}

/* Push the operands that have no place yet, lightest first, so that the heaviest is on top. */
static bool push_operands(compiler *c, const step *s, bool *pushed)
{
    size_t from = c->pending.n;
    for (int i = 0; i < s->n; i++) {
        expr e = s->operand[i];
        const step *o = &c->steps[e];
        if (!is_step(o) || o->position != NO_ROW) continue;
        if (!array_push(&c->pending, e)) return false;
        for (size_t k = c->pending.n - 1; k > from && c->steps[c->pending.at[k - 1]].need > o->need;
             k--) {
            c->pending.at[k] = c->pending.at[k - 1];
            c->pending.at[k - 1] = e;
        }
    }
    *pushed = c->pending.n > from;
    return true;
}

static bool emit(compiler *c, expr e)
{
    uint32_t position = (uint32_t)c->order.n;
    if (!array_push(&c->order, e)) return false;
    c->steps[e].position = position;
    if (c->steps[e].partner != EXPR_NONE) c->steps[c->steps[e].partner].position = position;
    return true;
}

static bool visit(compiler *c, expr e)
{
    if (!is_step(&c->steps[e])) return true;
    if (!array_push(&c->pending, e)) return false;
    while (c->pending.n) {
        expr top = c->pending.at[c->pending.n - 1];
        bool pushed = false;
        if (c->steps[top].position == NO_ROW) {
            if (!push_operands(c, &c->steps[top], &pushed)) return false;
            if (!pushed && !emit(c, top)) return false;
        }
        if (!pushed) c->pending.n--;
    }
    return true;
}

static bool order(compiler *c)
{
    estimate_needs(c);
    for (size_t e = 0; e < c->n; e++)
        if (is_call(&c->steps[e]) && !visit(c, (expr)e)) return false;
    for (size_t k = 0; k < c->spec->n_out; k++)
        if (!visit(c, c->spec->out[k])) return false;
    return true;
}

typedef struct {
    expr operand[3];
    char kind[4]; /* 'R', 'C' or 'A' each */
} choice;

static char kind_of(const compiler *c, expr e, expr accumulator)
{
    if (c->steps[e].fixed) return 'C';
    return e == accumulator ? 'A' : 'R';
}

static void swap_factors(choice *x)
{
    expr e = x->operand[0];
    char k = x->kind[0];
    x->operand[0] = x->operand[1];
    x->kind[0] = x->kind[1];
    x->operand[1] = e;
    x->kind[1] = k;
}

/* The kinds of the operands of the step at a place in the order, within what opcode.h offers: there
 * is no fused variant with the accumulator both as a factor and as the summand, and none with the
 * kinds of the factors the other way round. */
static choice choose(const compiler *c, size_t position)
{
    expr e = c->order.at[position];
    const step *s = &c->steps[e];
    expr before = position && !is_call(s) ? c->order.at[position - 1] : EXPR_NONE;
    if (before != EXPR_NONE && is_call(&c->steps[before])) before = EXPR_NONE;
    choice x = {.kind = ""};
    for (int i = 0; i < s->n; i++) {
        x.operand[i] = s->operand[i];
        x.kind[i] = kind_of(c, s->operand[i], before);
    }
    if (s->n < 3) return x;
    if (x.kind[1] == 'A' || (x.kind[1] == 'C' && x.kind[0] == 'R')) swap_factors(&x);
    if (x.kind[0] == 'A' && x.kind[2] == 'A') x.kind[2] = 'R';
    return x;
}

/* Who reads a row, and when for the last time. */
static void pick(compiler *c)
{
    for (size_t k = 0; k < c->spec->n_out; k++) c->steps[c->spec->out[k]].stored = true;
    for (size_t p = 0; p < c->order.n; p++) {
        choice x = choose(c, p);
        if (is_call(&c->steps[c->order.at[p]])) c->steps[c->order.at[p]].stored = true;
        for (int i = 0; i < 3; i++)
            if (x.kind[i] == 'R') {
                c->steps[x.operand[i]].stored = true;
                c->steps[x.operand[i]].last = (uint32_t)p;
            }
    }
}

static bool is_register(const compiler *c, uint32_t row)
{
    return row != NO_ROW && row >= c->spec->n_in + c->spec->n_out;
}

static bool free_operands(compiler *c, const choice *x, uint32_t position)
{
    for (int i = 0; i < 3; i++) {
        if (x->kind[i] != 'R') continue;
        step *s = &c->steps[x->operand[i]];
        if (s->last != position || !is_register(c, s->row)) continue;
        s->last = NO_ROW; /* once, also if it stands twice among the operands */
        if (!array_push(&c->free_rows, s->row)) return false;
    }
    return true;
}

static void place(compiler *c, step *s)
{
    if (!s->stored || s->row != NO_ROW) return;
    if (c->free_rows.n)
        s->row = c->free_rows.at[--c->free_rows.n];
    else
        s->row = (uint32_t)(c->spec->n_in + c->spec->n_out + c->t->n_registers++);
}

/* opcode_of[operation][kind of a][kind of b][kind of c]; kinds 0 none, 1 R, 2 C, 3 A. */
enum { KIND_R = 1, KIND_C = 2, KIND_A = 3 };
#define ENTRY_1(o, a) [OP_##o][KIND_##a][0][0] = CODE_##o##_##a + 1,
#define ENTRY_2(o, a, b) [OP_##o][KIND_##a][KIND_##b][0] = CODE_##o##_##a##b + 1,
#define ENTRY_3(o, a, b, c) [OP_##o][KIND_##a][KIND_##b][KIND_##c] = CODE_##o##_##a##b##c + 1,
static const uint8_t opcode_of[TAPE_OP_COUNT][4][4][4] = {TAPE_CODES(ENTRY_1, ENTRY_2, ENTRY_3)};

static int kind_index(char kind)
{
    return kind == 'R' ? KIND_R : kind == 'C' ? KIND_C : kind == 'A' ? KIND_A : 0;
}

static uint32_t code_for(int operation, const char *kind)
{
    return opcode_of[operation][kind_index(kind[0])][kind_index(kind[1])][kind_index(kind[2])] - 1u;
}

static uint32_t operand_of(const compiler *c, const choice *x, int i)
{
    return x->kind[i] == 'R' || x->kind[i] == 'C' ? c->steps[x->operand[i]].row : 0;
}

static bool translate(compiler *c, size_t position)
{
    expr e = c->order.at[position];
    step *s = &c->steps[e];
    choice x = choose(c, position);
    instr in = {.a = operand_of(c, &x, 0), .b = operand_of(c, &x, 1), .c = operand_of(c, &x, 2)};
    int operation = s->op;
    if (!free_operands(c, &x, (uint32_t)position)) return false;
    if (s->partner != EXPR_NONE) {
        operation = OP_SINCOS;
        expr cosine = s->op == OP_COS ? e : s->partner;
        s = &c->steps[s->op == OP_SIN ? e : s->partner];
        c->steps[cosine].stored = s->stored = true;
        place(c, &c->steps[cosine]);
        in.c = c->steps[cosine].row;
    }
    place(c, s);
    in.dst = s->row;
    in.code = code_for(operation, x.kind);
    c->t->operations += operation >= OP_COUNT ? 2 : 1;
    return array_push(&c->t->code, in);
}

static bool copy(compiler *c, size_t k)
{
    uint32_t row = (uint32_t)(c->spec->n_in + k);
    const step *s = &c->steps[c->spec->out[k]];
    if (!s->fixed && s->row == row) return true;
    instr in = {.code = s->fixed ? CODE_COPY_C : CODE_COPY_R, .dst = row, .a = s->row};
    return array_push(&c->t->code, in);
}

/* An output's row is where its step puts the result, and where others read it. */
static void place_outputs(compiler *c)
{
    for (size_t k = 0; k < c->spec->n_out; k++) {
        step *s = &c->steps[c->spec->out[k]];
        if (is_step(s) && s->row == NO_ROW) s->row = (uint32_t)(c->spec->n_in + k);
    }
}

/* Fixed nodes that steps or outputs read: literals come first, the others from the prologue. */
static bool is_read(const compiler *c, expr e)
{
    return c->steps[e].live && c->steps[e].fixed && c->steps[e].stored;
}

static void note_fixed_readers(compiler *c)
{
    for (size_t k = 0; k < c->spec->n_out; k++) c->steps[c->spec->out[k]].stored = true;
    for (size_t e = 0; e < c->n; e++)
        if (is_step(&c->steps[e]))
            for (int i = 0; i < c->steps[e].n; i++)
                if (c->steps[c->steps[e].operand[i]].fixed)
                    c->steps[c->steps[e].operand[i]].stored = true;
}

/* A node without symbols: a constant, or one that was not folded because it is not finite: log(0). Such are few and small. */
static double literal_value(const graph *g, expr e)
{
    const node *n = graph_at(g, e);
    if (n->op == OP_CONST) return n->value;
    double a = literal_value(g, n->a), b = op_arity(n->op) == 2 ? literal_value(g, n->b) : 0;
    return kernel_one()->apply((op)n->op, a, b);
}

static noslip_status make_constants(compiler *c, noslip_error *err)
{
    tape *t = c->t;
    note_fixed_readers(c);
    for (size_t e = 0; e < c->n; e++) {
        double value;
        if (!is_read(c, (expr)e)) continue;
        bool literal = graph_at(c->g, (expr)e)->depends == 0;
        if (literal) value = literal_value(c->g, (expr)e);
        if (literal && !array_push(&t->constants, value)) return noslip_fail_memory(err);
        if (literal) c->steps[e].row = (uint32_t)t->constants.n - 1;
        if (!literal && !array_push(&c->hoisted, (expr)e)) return noslip_fail_memory(err);
    }
    for (size_t k = 0; k < c->hoisted.n; k++) {
        if (!array_push(&t->constants, 0.0)) return noslip_fail_memory(err);
        c->steps[c->hoisted.at[k]].row = (uint32_t)t->constants.n - 1;
    }
    if (!c->hoisted.n) return NOSLIP_OK;
    const tape_spec prologue = {
        .in = c->spec->in, .n_in = c->spec->n_fixed, .out = c->hoisted.at, .n_out = c->hoisted.n};
    return tape_compile(c->g, &prologue, &t->prologue, err);
}

static bool write_code(compiler *c)
{
    place_outputs(c);
    for (size_t p = 0; p < c->order.n; p++)
        if (!translate(c, p)) return false;
    for (size_t k = 0; k < c->spec->n_out; k++)
        if (!copy(c, k)) return false;
    return true;
}

static noslip_status compile(compiler *c, noslip_error *err)
{
    noslip_status status = take_inputs(c, err);
    if (status == NOSLIP_OK) status = mark(c, err);
    if (status != NOSLIP_OK) return status;
    fuse(c);
    status = make_constants(c, err);
    if (status != NOSLIP_OK) return status;
    if (!pair_angles(c) || !order(c)) return noslip_fail_memory(err);
    pick(c);
    return write_code(c) ? NOSLIP_OK : noslip_fail_memory(err);
}

noslip_status tape_compile(const graph *g, const tape_spec *spec, tape **out, noslip_error *err)
{
    if (graph_status(g) != NOSLIP_OK) return noslip_fail_memory(err);
    compiler c = {.g = g, .spec = spec, .n = highest(spec)};
    if (c.n > g->nodes.n)
        return noslip_fail(err, NOSLIP_ERR_ARG, "an expression is not of this graph");
    c.steps = noslip_calloc(c.n, sizeof *c.steps);
    c.t = noslip_calloc(1, sizeof *c.t);
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (c.steps && c.t) {
        for (size_t e = 0; e < c.n; e++)
            c.steps[e].partner = c.steps[e].position = c.steps[e].row = c.steps[e].last = NO_ROW;
        c.t->n_in = spec->n_in;
        c.t->n_fixed = spec->n_fixed;
        c.t->n_out = spec->n_out;
        status = compile(&c, err);
    } else
        noslip_fail_memory(err);
    noslip_free(c.steps);
    array_free(&c.order);
    array_free(&c.pending);
    array_free(&c.free_rows);
    array_free(&c.hoisted);
    if (status == NOSLIP_OK)
        *out = c.t;
    else
        tape_free(c.t);
    return status;
}

void tape_free(tape *t)
{
    if (!t) return;
    tape_free(t->prologue);
    array_free(&t->code);
    array_free(&t->constants);
    noslip_free(t);
}
