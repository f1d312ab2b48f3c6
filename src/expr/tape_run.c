/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "alloc.h"
#include "machine.h"
#include "tape.h"

struct tape_work {
    const tape *t;
    const kernel *many, *one;
    machine *code;     /* of `many`, or NULL */
    double **row;      /* the rows of a block: inputs, outputs, registers */
    double *registers; /* n_registers blocks */
    double *edge;      /* n_in + n_out blocks, for the last points that do not fill one */
    double *sum;       /* one block */
    double *constants;
    tape_work *prologue;
};

static size_t row_count(const tape *t)
{
    return t->n_in + t->n_out + t->n_registers;
}

tape_work *tape_work_with(const tape *t, const kernel *many, const kernel *one)
{
    tape_work *w = noslip_calloc(1, sizeof *w);
    if (!w) return NULL;
    size_t block = (size_t)many->block;
    *w = (tape_work){.t = t, .many = many, .one = one};
    w->row = noslip_calloc(row_count(t), sizeof *w->row);
    w->registers = noslip_aligned(64, t->n_registers * block, sizeof(double));
    w->edge = noslip_aligned(64, (t->n_in + t->n_out) * block, sizeof(double));
    w->sum = noslip_aligned(64, block, sizeof(double));
    w->constants = noslip_calloc(t->constants.n + MACHINE_CONSTANTS, sizeof(double));
    if (t->prologue) w->prologue = tape_work_with(t->prologue, one, one);
    if (!w->row || !w->registers || !w->edge || !w->sum || !w->constants ||
        (t->prologue && !w->prologue)) {
        tape_work_free(w);
        return NULL;
    }
    w->code = machine_new(t, many);
    machine_constants(w->constants + t->constants.n);
    if (t->constants.n) memcpy(w->constants, t->constants.at, t->constants.n * sizeof(double));
    return w;
}

tape_work *tape_work_new(const tape *t)
{
    return tape_work_with(t, kernel_best(), kernel_one());
}

void tape_work_free(tape_work *w)
{
    if (!w) return;
    tape_work_free(w->prologue);
    machine_free(w->code);
    noslip_free(w->row);
    noslip_free(w->registers);
    noslip_free(w->edge);
    noslip_free(w->sum);
    noslip_free(w->constants);
    noslip_free(w);
}

static void point_registers(tape_work *w, size_t block)
{
    double **row = w->row + w->t->n_in + w->t->n_out;
    for (size_t k = 0; k < w->t->n_registers; k++) row[k] = w->registers + k * block;
}

/* Run on one block with the rows set; true if all outputs are finite. */
static bool run_block(tape_work *w, const kernel *k, size_t points, unsigned char *bad)
{
    const tape *t = w->t;
    if (w->code && k == w->many)
        machine_run(w->code, t, k, w->row, w->constants);
    else
        k->run(t->code.at, t->code.n, w->row, w->constants);
    if (k->check(w->row + t->n_in, t->n_out, w->sum) == 0.0) {
        if (bad) memset(bad, 0, points);
        return true;
    }
    bool finite = true; /* the last block has copies behind its last point: only `points` count */
    for (size_t p = 0; p < points; p++) {
        bool is_bad = w->sum[p] != 0.0;
        if (bad) bad[p] = is_bad;
        finite = finite && !is_bad;
    }
    return finite;
}

/* Cast: rows of inputs are never written. */
static double *readable(const double *row)
{
    return (double *)row;
}

/* A block in place: the rows are the caller's arrays. */
static bool run_inner(tape_work *w, const double *const *in, double *const *out, size_t from,
                      unsigned char *bad)
{
    const tape *t = w->t;
    for (size_t k = t->n_fixed; k < t->n_in; k++) w->row[k] = readable(in[k] + from);
    for (size_t k = 0; k < t->n_out; k++) w->row[t->n_in + k] = out[k] + from;
    return run_block(w, w->many, (size_t)w->many->block, bad ? bad + from : NULL);
}

/* The last points: through rows of our own, filled up with copies of the last one. */
static bool run_edge(tape_work *w, const double *const *in, double *const *out, size_t from,
                     size_t points, unsigned char *bad)
{
    const tape *t = w->t;
    size_t block = (size_t)w->many->block;
    for (size_t k = 0; k < t->n_in + t->n_out; k++) w->row[k] = w->edge + k * block;
    for (size_t k = t->n_fixed; k < t->n_in; k++)
        for (size_t p = 0; p < block; p++)
            w->row[k][p] = in[k][from + (p < points ? p : points - 1)];
    bool finite = run_block(w, w->many, points, bad ? bad + from : NULL);
    for (size_t k = 0; k < t->n_out; k++)
        memcpy(out[k] + from, w->row[t->n_in + k], points * sizeof(double));
    return finite;
}

/* A fixed input is one number wherever it stands, so the prologue runs the same for a batch and
 * for a point. What is not finite in it shows in the outputs that use it. */
static void run_prologue(tape_work *w, const double *const *in)
{
    tape_work *p = w->prologue;
    if (!p) return;
    double *results = w->constants + w->t->constants.n - p->t->n_out;
    for (size_t k = 0; k < p->t->n_in; k++) p->row[k] = readable(in[k]);
    for (size_t k = 0; k < p->t->n_out; k++) p->row[p->t->n_in + k] = results + k;
    point_registers(p, 1);
    p->one->run(p->t->code.at, p->t->code.n, p->row, p->constants);
}

noslip_status tape_batch(tape_work *w, const double *const *in, double *const *out, size_t points,
                         unsigned char *bad)
{
    run_prologue(w, in);
    size_t block = (size_t)w->many->block, from = 0;
    bool finite = true;
    point_registers(w, block);
    for (; points - from >= block; from += block) finite &= run_inner(w, in, out, from, bad);
    if (from < points) finite &= run_edge(w, in, out, from, points - from, bad);
    return finite ? NOSLIP_OK : NOSLIP_NOT_FINITE;
}

noslip_status tape_point(tape_work *w, const double *in, double *out)
{
    const tape *t = w->t;
    for (size_t k = 0; k < t->n_in; k++) w->row[k] = readable(in + k);
    run_prologue(w, (const double *const *)w->row);
    for (size_t k = 0; k < t->n_out; k++) w->row[t->n_in + k] = out + k;
    point_registers(w, 1);
    return run_block(w, w->one, 1, NULL) ? NOSLIP_OK : NOSLIP_NOT_FINITE;
}
