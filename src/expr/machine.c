/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "alloc.h"
#include "encode.h"

/* A piece is a run of arithmetic instructions. Inside it every result is a value of its own (the rows and
 * the accumulator of the tape are undone), and so is each row and constant it reads:
 *
 *     value     0 .. rows-1           what row k held when the piece began
 *               rows .. +constants    constant k (the last two are masks for signs)
 *               .. +instructions      the result of instruction k of the piece
 *
 * Registers are given out in one pass. When none is free, the value that is needed last gives way:
 * Belady's rule, which is the best there is as all uses are known. It is stored only if it has no other place. */
typedef struct {
    uint32_t next; /* instruction that reads it next; NEVER */
    uint32_t row;  /* row that holds it, NO_ROW if none */
    uint32_t slot; /* of the spill area, NO_ROW if none */
    int8_t reg;    /* -1 if in none */
} value_state;

#define NEVER UINT32_MAX
enum { MOST_REGISTERS = 32, SHORTEST_PIECE = 6, SOON = 24 };

typedef void piece_code(double *const *row, const double *constant, double *spill, size_t bytes);

typedef struct {
    size_t from, to;  /* instructions of the tape */
    size_t begin;     /* in the code */
    piece_code *code; /* its address once the code stands where it runs */
} piece;

struct machine {
    ARRAY(piece) pieces;
    void *map;
    size_t size, code_size;
    double *spill;
};

/* Reads of one instruction: up to three values, and when each is read again. */
typedef struct {
    uint32_t value[3], again[3];
} reads;

typedef struct {
    const tape *t;
    encoder e;
    int registers;
    size_t n_rows, n_constants; /* with the two masks */
    size_t n_slots;
    uint32_t
        *last_read; /* by instruction: last instruction that reads the row it writes, 0 if none */
    value_state *state;
    uint32_t *row_value;           /* by row: the value it holds at this point */
    reads *read;                   /* by instruction of the piece */
    uint32_t held[MOST_REGISTERS]; /* value in each register, NEVER for none */
    ARRAY(uint32_t) free_slots;
    uint32_t freed
        [3]; /* slots that are free from the next instruction on: this one may still read them */
    int n_freed;
} translator;

static bool reads_row(const instr *in, int i)
{
    const char *kinds = opcode_kinds(in->code);
    for (int k = 0; k <= i; k++)
        if (!kinds[k]) return false;
    return kinds[i] == 'R';
}

static uint32_t operand_index(const instr *in, int i)
{
    return i == 0 ? in->a : i == 1 ? in->b : in->c;
}

/* Backwards: the first reader met is the last one; a writer closes the account. */
static void find_last_reads(translator *x)
{
    for (size_t k = 0; k < x->n_rows; k++) x->row_value[k] = 0;
    for (size_t p = x->t->code.n; p-- > 0;) {
        const instr *in = &x->t->code.at[p];
        if (in->dst != NO_ROW) {
            x->last_read[p] = x->row_value[in->dst];
            x->row_value[in->dst] = 0;
        }
        for (int i = 0; i < 3; i++)
            if (reads_row(in, i) && !x->row_value[operand_index(in, i)])
                x->row_value[operand_index(in, i)] = (uint32_t)p;
    }
}

static uint32_t constant_value(const translator *x, size_t k)
{
    return (uint32_t)(x->n_rows + k);
}

static uint32_t result_value(const translator *x, size_t position)
{
    return (uint32_t)(x->n_rows + x->n_constants + position);
}

/* What each instruction reads, forwards; when it is read again, backwards. */
static void find_reads(translator *x, const piece *p)
{
    const instr *code = x->t->code.at + p->from;
    size_t n = p->to - p->from;
    for (uint32_t k = 0; k < x->n_rows; k++) x->row_value[k] = k;
    for (size_t k = 0; k < n; k++) {
        const char *kinds = opcode_kinds(code[k].code);
        for (int i = 0; i < 3; i++) x->read[k].value[i] = x->read[k].again[i] = NEVER;
        for (int i = 0; kinds[i]; i++) {
            uint32_t index = operand_index(&code[k], i);
            x->read[k].value[i] = kinds[i] == 'R'   ? x->row_value[index]
                                  : kinds[i] == 'C' ? constant_value(x, index)
                                                    : result_value(x, k - 1);
        }
        if (code[k].dst != NO_ROW) x->row_value[code[k].dst] = result_value(x, k);
    }
    size_t values = x->n_rows + x->n_constants + n;
    for (size_t v = 0; v < values; v++)
        x->state[v] = (value_state){NEVER, v < x->n_rows ? (uint32_t)v : NO_ROW, NO_ROW, -1};
    for (size_t k = n; k-- > 0;) {
        for (int i = 0; i < 3; i++)
            if (x->read[k].value[i] != NEVER)
                x->read[k].again[i] = x->state[x->read[k].value[i]].next;
        for (int i = 0; i < 3; i++)
            if (x->read[k].value[i] != NEVER) x->state[x->read[k].value[i]].next = (uint32_t)k;
    }
}

static bool is_constant(const translator *x, uint32_t v)
{
    return v >= x->n_rows && v < x->n_rows + x->n_constants;
}

/* Where a value can be read from when it is in no register. */
static place memory_of(const translator *x, uint32_t v)
{
    const value_state *s = &x->state[v];
    if (is_constant(x, v)) return (place){IN_CONSTANT, (uint32_t)(v - x->n_rows)};
    if (s->row != NO_ROW) return (place){IN_ROW, s->row};
    return (place){IN_SPILL, s->slot};
}

static void spill(translator *x, uint32_t v)
{
    value_state *s = &x->state[v];
    if (is_constant(x, v) || s->row != NO_ROW || s->slot != NO_ROW) return;
    s->slot = x->free_slots.n ? x->free_slots.at[--x->free_slots.n] : (uint32_t)x->n_slots++;
    encode_store(&x->e, (place){IN_SPILL, s->slot}, s->reg);
}

/* A register that is free or made free; none of those in `keep`. */
static int take_register(translator *x, uint32_t keep)
{
    int best = -1;
    for (int r = 0; r < x->registers; r++) {
        if (keep >> r & 1) continue;
        if (x->held[r] == NEVER) return r;
        if (best < 0 || x->state[x->held[r]].next > x->state[x->held[best]].next) best = r;
    }
    spill(x, x->held[best]);
    x->state[x->held[best]].reg = -1;
    x->held[best] = NEVER;
    return best;
}

static void hold(translator *x, int r, uint32_t v)
{
    x->held[r] = v;
    x->state[v].reg = (int8_t)r;
}

static int load(translator *x, uint32_t v, uint32_t *keep)
{
    if (x->state[v].reg < 0) {
        int r = take_register(x, *keep);
        encode_load(&x->e, r, memory_of(x, v));
        hold(x, r, v);
    }
    *keep |= 1u << x->state[v].reg;
    return x->state[v].reg;
}

/* As the last operand, which may stay in memory: worth it unless it is wanted again soon. */
static place anywhere(translator *x, uint32_t v, uint32_t again, uint32_t now, uint32_t *keep)
{
    bool only_in_register = is_constant(x, v) && !x->e.wide;
    if (x->state[v].reg < 0 && !only_in_register && again - now > SOON) return memory_of(x, v);
    return (place){IN_REGISTER, (uint32_t)load(x, v, keep)};
}

/* Step on to the next use of what was read; the registers and slots of what is not used again are free. */
static void release(translator *x, const reads *r)
{
    for (int i = 0; i < 3; i++) {
        if (r->value[i] == NEVER) continue;
        value_state *s = &x->state[r->value[i]];
        s->next = r->again[i];
        if (s->next != NEVER) continue;
        if (s->reg >= 0) x->held[s->reg] = NEVER;
        s->reg = -1;
        if (s->slot != NO_ROW) x->freed[x->n_freed++] = s->slot;
        s->slot = NO_ROW;
    }
}

static void free_slots(translator *x)
{
    while (x->n_freed)
        if (!array_push(&x->free_slots, x->freed[--x->n_freed])) x->e.failed = true;
}

static x_op binary_op(const char *name)
{
    switch (name[0]) {
    case 'A': return X_ADD;
    case 'S': return X_SUB;
    case 'M': return X_MUL;
    default: return X_DIV;
    }
}

static int emit_binary(translator *x, uint32_t now, x_op operation, const reads *r)
{
    uint32_t keep = 0, a = r->value[0], b = r->value[1], again = r->again[1];
    bool commutes = operation == X_ADD || operation == X_MUL;
    if (commutes && x->state[a].reg < 0 && x->state[b].reg >= 0) {
        a = r->value[1];
        b = r->value[0];
        again = r->again[0];
    }
    int first = load(x, a, &keep);
    place second = anywhere(x, b, again, now, &keep);
    release(x, r);
    int dst =
        take_register(x, 0); /* an operand's own, if it dies: it is read before it is written */
    encode_op(&x->e, operation, dst, first, second);
    return dst;
}

static int emit_unary(translator *x, uint32_t now, const char *name, const reads *r)
{
    uint32_t keep = 0, v = r->value[0];
    if (name[0] == 'C') { /* COPY: the value moves on if it dies here, else it is loaded again */
        int src = load(x, v, &keep);
        release(x, r);
        if (x->held[src] == NEVER) return src;
        int dst = take_register(x, keep);
        encode_load(&x->e, dst, (place){IN_REGISTER, (uint32_t)src});
        return dst;
    }
    if (name[0] == 'S') {
        place from = anywhere(x, v, r->again[0], now, &keep);
        release(x, r);
        int dst = take_register(x, 0);
        encode_op(&x->e, X_SQRT, dst, 0, from);
        return dst;
    }
    bool negate = name[0] == 'N';
    uint32_t mask = constant_value(x, x->n_constants - (negate ? 2 : 1));
    int first = load(x, v, &keep);
    place second = anywhere(x, mask, NEVER, now, &keep);
    release(x, r);
    int dst = take_register(x, keep);
    encode_op(&x->e, negate ? X_XOR : X_AND, dst, first, second);
    return dst;
}

static bool dies(const translator *x, uint32_t v, uint32_t again)
{
    return again == NEVER && x->state[v].reg >= 0;
}

/* Move the value of a register that must be overwritten, but lives on, to one of its own. */
static int copy_of(translator *x, uint32_t v, uint32_t *keep)
{
    place from =
        x->state[v].reg >= 0 ? (place){IN_REGISTER, (uint32_t)x->state[v].reg} : memory_of(x, v);
    if (from.kind == IN_REGISTER) *keep |= 1u << from.index;
    int r = take_register(x, *keep);
    *keep |= 1u << r;
    encode_load(&x->e, r, from);
    return r;
}

/* A fused operation overwrites one of its operands: the summand (231) if it dies here, else a factor that dies (213),
 * else a copy of the summand. */
static int emit_fused(translator *x, uint32_t now, const char *name, const reads *r)
{
    int family = name[1] == 'N' ? X_FNMADD132 : name[2] == 'S' ? X_FMSUB132 : X_FMADD132;
    uint32_t keep = 0, a = r->value[0], b = r->value[1], c = r->value[2];
    uint32_t again_a = r->again[0], again_b = r->again[1];
    if (!dies(x, a, again_a) && dies(x, b, again_b)) {
        a = r->value[1];
        b = r->value[0];
        again_a = r->again[1];
        again_b = r->again[0];
    }
    bool sum_dies = dies(x, c, r->again[2]) && c != a && c != b;
    bool factor_dies = dies(x, a, again_a) && a != b && a != c;
    int dst;
    if (!sum_dies && factor_dies) { /* a = b*a + c */
        dst = load(x, a, &keep);
        int first = load(x, b, &keep);
        place last = anywhere(x, c, r->again[2], now, &keep);
        encode_op(&x->e, (x_op)(family + 1), dst, first, last);
    } else { /* c = a*b + c */
        if (x->state[c].reg >= 0) keep |= 1u << x->state[c].reg;
        int first = load(x, a, &keep);
        place last = anywhere(x, b, again_b, now, &keep);
        if (last.kind == IN_REGISTER) keep |= 1u << last.index;
        dst = sum_dies ? x->state[c].reg : copy_of(x, c, &keep);
        encode_op(&x->e, (x_op)(family + 2), dst, first, last);
    }
    release(x, r);
    return dst;
}

static bool is_output(const translator *x, uint32_t row)
{
    return row >= x->t->n_in && row < x->t->n_in + x->t->n_out;
}

static void emit(translator *x, const piece *p, uint32_t k)
{
    size_t position = p->from + k;
    const instr *in = &x->t->code.at[position];
    const reads *r = &x->read[k];
    const char *name = opcode_name(in->code), *kinds = opcode_kinds(in->code);
    uint32_t v = result_value(x, k);
    int dst = kinds[1] == '\0'   ? emit_unary(x, k, name, r)
              : kinds[2] == '\0' ? emit_binary(x, k, binary_op(name), r)
                                 : emit_fused(x, k, name, r);
    hold(x, dst, v);
    free_slots(x);
    if (in->dst != NO_ROW && (is_output(x, in->dst) || x->last_read[position] >= p->to)) {
        encode_store(&x->e, (place){IN_ROW, in->dst}, dst);
        x->state[v].row = in->dst;
    }
    if (x->state[v].next == NEVER) { /* an output nobody reads again */
        x->held[dst] = NEVER;
        x->state[v].reg = -1;
    }
}

static void translate(translator *x, piece *p)
{
    find_reads(x, p);
    for (int r = 0; r < MOST_REGISTERS; r++) x->held[r] = NEVER;
    x->free_slots.n = 0;
    size_t slots = x->n_slots;
    x->n_slots = 0;
    p->begin = encode_begin(&x->e);
    for (uint32_t k = 0; k < p->to - p->from; k++) emit(x, p, k);
    encode_end(&x->e, p->begin);
    if (x->n_slots < slots) x->n_slots = slots;
}

static bool find_pieces(machine *m, const tape *t)
{
    for (size_t from = 0, to; from < t->code.n; from = to + 1) {
        for (to = from; to < t->code.n && opcode_is_arithmetic(t->code.at[to].code);) to++;
        piece p = {.from = from, .to = to};
        if (to - from >= SHORTEST_PIECE && !array_push(&m->pieces, p)) return false;
    }
    return m->pieces.n > 0;
}

/* Written first, then made executable and no longer writable. */
static bool install(machine *m, const encoder *e)
{
    m->size = e->bytes.n;
    m->map = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m->map == MAP_FAILED) m->map = NULL;
    if (!m->map) return false;
    memcpy(m->map, e->bytes.at, m->size);
    if (mprotect(m->map, m->size, PROT_READ | PROT_EXEC) != 0) return false;
    for (size_t k = 0; k < m->pieces.n; k++) {
        char *address = (char *)m->map + m->pieces.at[k].begin;
        memcpy(&m->pieces.at[k].code, &address,
               sizeof address); /* ISO C has no cast from data to code */
    }
    return true;
}

static bool translate_all(machine *m, translator *x)
{
    size_t n = x->t->code.n;
    x->last_read = noslip_calloc(n, sizeof *x->last_read);
    x->row_value = noslip_calloc(x->n_rows, sizeof *x->row_value);
    x->read = noslip_calloc(n, sizeof *x->read);
    x->state = noslip_calloc(x->n_rows + x->n_constants + n, sizeof *x->state);
    if (!x->last_read || !x->row_value || !x->read || !x->state) return false;
    find_last_reads(x);
    for (size_t k = 0; k < m->pieces.n; k++) translate(x, &m->pieces.at[k]);
    m->spill = noslip_aligned(64, x->n_slots, 64);
    return !x->e.failed && m->spill && install(m, &x->e);
}

machine *machine_new(const tape *t, const kernel *k)
{
    if (!k->machine || t->code.n < SHORTEST_PIECE) return NULL;
    machine *m = noslip_calloc(1, sizeof *m);
    translator x = {.t = t,
                    .e.wide = k->machine == MACHINE_AVX512,
                    .registers = k->machine == MACHINE_AVX512 ? 32 : 16,
                    .n_rows = t->n_in + t->n_out + t->n_registers,
                    .n_constants = t->constants.n + MACHINE_CONSTANTS};
    bool fine = m && find_pieces(m, t) && translate_all(m, &x);
    noslip_free(x.last_read);
    noslip_free(x.row_value);
    noslip_free(x.read);
    noslip_free(x.state);
    array_free(&x.free_slots);
    array_free(&x.e.bytes);
    if (fine) return m;
    machine_free(m);
    return NULL;
}

void machine_free(machine *m)
{
    if (!m) return;
    if (m->map) munmap(m->map, m->size);
    noslip_free(m->spill);
    array_free(&m->pieces);
    noslip_free(m);
}

void machine_run(const machine *m, const tape *t, const kernel *k, double *const *row,
                 const double *constants)
{
    size_t at = 0;
    for (size_t i = 0; i < m->pieces.n; i++) {
        const piece *p = &m->pieces.at[i];
        if (p->from > at) k->run(t->code.at + at, p->from - at, row, constants);
        p->code(row, constants, m->spill, (size_t)k->block * sizeof(double));
        at = p->to;
    }
    if (at < t->code.n) k->run(t->code.at + at, t->code.n - at, row, constants);
}

/* -0.0 turns a sign by exclusive or, and all bits but the sign's take it away by and. */
void machine_constants(double *behind_the_last)
{
    const uint64_t magnitude = 0x7FFFFFFFFFFFFFFFu;
    behind_the_last[0] = -0.0;
    memcpy(&behind_the_last[1], &magnitude, sizeof magnitude);
}

size_t machine_size(const machine *m)
{
    return m ? m->size : 0;
}
