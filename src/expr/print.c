/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "print.h"

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "walk.h"

/* How tightly the outermost operation of a text binds. */
enum { BINDS_SUM = 1, BINDS_SIGN, BINDS_PRODUCT, BINDS_PRIMARY };

/* What is still to be written: a piece of text, or a node that must bind at least so tightly. The
 * stack holds it last first, so depth costs no recursion. */
typedef struct {
    const char *piece; /* NULL for a node */
    expr e;
    int binds;
} job;

typedef struct {
    const graph *g;
    text *out;
    size_t most;
    const uint32_t
        *label; /* by number in the walk: the definition that stands for it, 0 for none; or NULL */
    const char *prefix; /* of the names of definitions */
    expr root;          /* the node being defined: written out though it has a name */
    ARRAY(job) jobs;
} printer;

static int binding(const node *n)
{
    switch ((op)n->op) {
    case OP_ADD:
    case OP_SUB: return BINDS_SUM;
    case OP_NEG: return BINDS_SIGN;
    case OP_MUL:
    case OP_DIV: return BINDS_PRODUCT;
    case OP_CONST: return n->value < 0 ? BINDS_SIGN : BINDS_PRIMARY;
    case OP_POW: return BINDS_PRODUCT;
    default: return BINDS_PRIMARY;
    }
}

static bool later(printer *p, const char *piece, expr e, int binds)
{
    return array_push(&p->jobs, ((job){piece, e, binds}));
}

/* The order of operands of + and * is that of their indices, and free when written: 2*x, not x*2; a*b*c, not c*(a*b). */
static bool reads_better_swapped(const graph *g, const node *n)
{
    if (n->op != OP_ADD && n->op != OP_MUL) return false;
    if (n->op == OP_MUL && graph_is_const(g, n->a, NULL)) return false;
    if (n->op == OP_MUL && graph_is_const(g, n->b, NULL)) return true;
    int own = binding(n);
    return binding(graph_at(g, n->b)) == own && binding(graph_at(g, n->a)) > own;
}

/* -(a - b)*c would be read as (b - a)*c, and -0*c as 0*c: does a product, as it is written, begin with something
 * that takes the sign in? */
static bool swallows_sign(const graph *g, expr e)
{
    const node *n = graph_at(g, e);
    while (n->op == OP_MUL || n->op == OP_DIV)
        n = graph_at(g, reads_better_swapped(g, n) ? n->b : n->a);
    return n->op == OP_SUB || (n->op == OP_CONST && n->value == 0);
}

/* Last first. */
static bool print_operation(printer *p, const node *n)
{
    const char *sign = op_spelling(n->op);
    bool swap = reads_better_swapped(p->g, n);
    expr a = swap ? n->b : n->a, b = swap ? n->a : n->b;
    switch ((op)n->op) {
    case OP_NEG: {
        int binds = swallows_sign(p->g, a) ? BINDS_PRIMARY : BINDS_PRODUCT;
        return later(p, NULL, a, binds) && later(p, sign, 0, 0);
    }
    case OP_ADD:
    case OP_SUB:
        return later(p, NULL, b, BINDS_PRODUCT) &&
               later(p, n->op == OP_ADD ? " + " : " - ", 0, 0) && later(p, NULL, a, BINDS_SUM);
    case OP_MUL:
    case OP_DIV:
        return later(p, NULL, b, BINDS_PRIMARY) && later(p, sign, 0, 0) &&
               later(p, NULL, a, BINDS_PRODUCT);
    case OP_POW:
        return later(p, NULL, b, BINDS_PRIMARY) && later(p, sign, 0, 0) &&
               later(p, NULL, a, BINDS_PRIMARY);
    default:
        if (!later(p, ")", 0, 0)) return false;
        if (op_arity(n->op) == 2 && !(later(p, NULL, b, BINDS_SUM) && later(p, ", ", 0, 0)))
            return false;
        return later(p, NULL, a, BINDS_SUM) && later(p, "(", 0, 0) && later(p, sign, 0, 0);
    }
}

static bool print_leaf(printer *p, const node *n)
{
    char number[TEXT_NUMBER_ROOM];
    if (n->op == OP_CONST)
        text_puts(p->out, text_of_number(n->value, number));
    else
        text_puts(p->out, p->g->symbols.at[n->symbol].name);
    return true;
}

static uint32_t label_of(const printer *p, expr e)
{
    uint32_t number = p->label && e != p->root ? walk_number(p->g, e) : WALK_OUTSIDE;
    return number == WALK_OUTSIDE ? 0 : p->label[number];
}

static bool print_node(printer *p, expr e, int binds)
{
    const node *n = graph_at(p->g, e);
    uint32_t label = label_of(p, e);
    if (label) {
        text_printf(p->out, "%s%u", p->prefix, label);
        return true;
    }
    if (binding(n) < binds) {
        text_puts(p->out, "(");
        if (!later(p, ")", 0, 0)) return false;
    }
    return op_arity(n->op) == 0 ? print_leaf(p, n) : print_operation(p, n);
}

static noslip_status print(printer *p, expr e)
{
    size_t start = p->out->n;
    p->root = e;
    p->jobs.n = 0;
    bool fine = later(p, NULL, e, 0);
    while (fine && p->jobs.n) {
        job j = p->jobs.at[--p->jobs.n];
        if (p->out->n - start > p->most) return NOSLIP_ERR_LIMIT;
        if (j.piece)
            text_puts(p->out, j.piece);
        else
            fine = print_node(p, j.e, j.binds);
    }
    return fine && !p->out->failed ? NOSLIP_OK : NOSLIP_ERR_MEMORY;
}

noslip_status print_expr(const graph *g, expr e, size_t most, text *out)
{
    if (e == EXPR_NONE) return NOSLIP_ERR_MEMORY;
    printer p = {.g = g, .out = out, .most = most};
    noslip_status status = print(&p, e);
    array_free(&p.jobs);
    return status;
}

/* Definitions */

static void count_uses(const graph *g, const walk *w, uint32_t *uses)
{
    for (size_t k = 0; k < w->nodes.n; k++) {
        const node *n = graph_at(g, w->nodes.at[k]);
        const expr operand[2] = {n->a, n->b};
        for (int i = 0; i < op_arity(n->op); i++) {
            uint32_t number = walk_number(g, operand[i]);
            if (number != WALK_OUTSIDE) uses[number]++;
        }
    }
}

/* "t", with as many _ as it takes to begin no symbol's name and none of the caller's. */
static void choose_prefix(const graph *g, const char *const *name, size_t n, char out[16])
{
    size_t length = 1;
    strcpy(out, "t");
    for (size_t k = 0; k < g->symbols.n + n && length < 14;) {
        const char *taken = k < n ? name[k] : g->symbols.at[k - n].name;
        bool clashes = strncmp(taken, out, length) == 0 && taken[length];
        if (clashes) {
            out[length++] = '_';
            out[length] = '\0';
        }
        k = clashes ? 0 : k + 1;
    }
}

static noslip_status define_shared(printer *p, const walk *w, uint32_t *label, const uint32_t *uses)
{
    uint32_t count = 0;
    noslip_status status = NOSLIP_OK;
    for (size_t k = 0; k < w->nodes.n && status == NOSLIP_OK; k++) {
        if (uses[k] < 2 || op_arity(graph_at(p->g, w->nodes.at[k])->op) == 0) continue;
        text_printf(p->out, "%s%u: ", p->prefix, ++count);
        status = print(p, w->nodes.at[k]);
        text_puts(p->out, "\n");
        label[k] = count;
    }
    return status;
}

noslip_status print_definitions(graph *g, const expr *e, const char *const *name, size_t n,
                                text *out)
{
    walk w = {0};
    char prefix[16];
    choose_prefix(g, name, n, prefix);
    bool fine = walk_below(&w, g, e, n, ~0u);
    uint32_t *uses = fine ? noslip_calloc(w.nodes.n + 1, sizeof *uses) : NULL;
    uint32_t *label = fine ? noslip_calloc(w.nodes.n + 1, sizeof *label) : NULL;
    noslip_status status = NOSLIP_ERR_MEMORY;
    if (uses && label) {
        printer p = {.g = g, .out = out, .most = SIZE_MAX, .label = label, .prefix = prefix};
        count_uses(g, &w, uses);
        status = define_shared(&p, &w, label, uses);
        for (size_t k = 0; k < n && status == NOSLIP_OK; k++) {
            text_printf(out, "%s: ", name[k]);
            uint32_t number = walk_number(g, e[k]),
                     defined = number == WALK_OUTSIDE ? 0 : label[number];
            if (defined)
                text_printf(out, "%s%u", prefix, defined);
            else
                status = print(&p, e[k]);
            text_puts(out, "\n");
        }
        array_free(&p.jobs);
    }
    walk_free(&w);
    noslip_free(uses);
    noslip_free(label);
    return out->failed ? NOSLIP_ERR_MEMORY : status;
}
