/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "match.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "alloc.h"

match *match_new(size_t N, size_t n)
{
    match *m = noslip_calloc(1, sizeof *m);
    if (!m) return NULL;
    m->n = n;
    m->cost = noslip_calloc(n * n, sizeof *m->cost);
    m->to = noslip_calloc(n, sizeof *m->to);
    m->met = noslip_calloc(n, sizeof *m->met);
    m->dual_row = noslip_calloc(3 * (n + 1), sizeof(double));
    m->row_of = noslip_calloc(2 * (n + 1), sizeof *m->row_of);
    m->used = noslip_calloc(n + 1, sizeof *m->used);
    m->moved = noslip_calloc(n, sizeof *m->moved);
    m->carried = noslip_calloc(N * n, sizeof *m->carried);
    if (!m->cost || !m->to || !m->met || !m->dual_row || !m->row_of || !m->used || !m->moved ||
        !m->carried) {
        match_free(m);
        return NULL;
    }
    m->dual_col = m->dual_row + n + 1;
    m->slack = m->dual_col + n + 1;
    m->way = m->row_of + n + 1;
    return m;
}

void match_free(match *m)
{
    if (!m) return;
    noslip_free(m->cost);
    noslip_free(m->to);
    noslip_free(m->met);
    noslip_free(m->dual_row);
    noslip_free(m->row_of);
    noslip_free(m->used);
    noslip_free(m->moved);
    noslip_free(m->carried);
    noslip_free(m);
}

static double complex product(const double complex *y, const double complex *x, size_t N)
{
    double complex sum = 0;
    for (size_t k = 0; k < N; k++) sum += conj(y[k]) * x[k];
    return sum;
}

static double overlap(const station *a, size_t i, const station *b, size_t j, size_t N)
{
    double own = cabs(product(a->left + i * N, a->right + i * N, N)) *
                 cabs(product(b->left + j * N, b->right + j * N, N));
    double cross = cabs(product(a->left + i * N, b->right + j * N, N)) *
                   cabs(product(b->left + j * N, a->right + i * N, N));
    return own > 0 && cross < own ? cross / own : 1; /* near a double root it is more */
}

static double complex place(const station *a, const double complex *expected, size_t i)
{
    return expected ? expected[i] : root_number(&a->roots[i]);
}

static void fill_costs(match *m, size_t N, const station *a, const station *b,
                       const double complex *expected)
{
    static const double vectors = 0.3; /* what a wrong vector costs, in sizes of the largest root */
    size_t n = m->n;
    double size = DBL_MIN;
    for (size_t j = 0; j < n; j++) size = fmax(size, cabs(root_number(&b->roots[j])));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double far = cabs(root_number(&b->roots[j]) - place(a, expected, i)) / size;
            m->cost[i * n + j] = far + vectors * (1 - overlap(a, i, b, j, N));
        }
}

/* Hungarian method, one row after the other along shortest augmenting paths. Rows and columns count from 1, 0 is none. */
static void add_row(match *m, size_t row)
{
    size_t n = m->n, j0 = 0;
    m->row_of[0] = row;
    for (size_t j = 0; j <= n; j++) m->slack[j] = HUGE_VAL;
    memset(m->used, 0, (n + 1) * sizeof *m->used);
    do {
        m->used[j0] = true;
        size_t i0 = m->row_of[j0], next = 0;
        double least = HUGE_VAL;
        for (size_t j = 1; j <= n; j++) {
            if (m->used[j]) continue;
            double reduced_cost = m->cost[(i0 - 1) * n + j - 1] - m->dual_row[i0] - m->dual_col[j];
            if (reduced_cost < m->slack[j]) {
                m->slack[j] = reduced_cost;
                m->way[j] = j0;
            }
            if (m->slack[j] < least || !next) {
                least = m->slack[j];
                next = j;
            }
        }
        for (size_t j = 0; j <= n; j++)
            if (m->used[j]) {
                m->dual_row[m->row_of[j]] += least;
                m->dual_col[j] -= least;
            } else
                m->slack[j] -= least;
        j0 = next;
    } while (m->row_of[j0] != 0);
    for (; j0; j0 = m->way[j0]) m->row_of[j0] = m->row_of[m->way[j0]];
}

static void assign(match *m)
{
    size_t n = m->n;
    memset(m->dual_row, 0, 3 * (n + 1) * sizeof(double));
    memset(m->row_of, 0, 2 * (n + 1) * sizeof *m->row_of);
    for (size_t i = 1; i <= n; i++) add_row(m, i);
    for (size_t j = 1; j <= n; j++) m->to[m->row_of[j] - 1] = j - 1;
}

/* The other one of a pair; the strand itself if its root is real. */
static size_t partner(const root *roots, size_t n, size_t i)
{
    if (roots[i].im == 0) return i;
    for (size_t j = 0; j < n; j++)
        if (j != i && roots[j].re == roots[i].re && roots[j].im == -roots[i].im) return j;
    return i;
}

/* Two roots that cannot be told apart. */
static bool coincide(const root *x, const root *y)
{
    return cabs(root_number(x) - root_number(y)) <= x->bound + y->bound;
}

/* Pairs go to pairs, or to two real roots, and back; if not, this is no match. */
static bool is_consistent(const match *m, const station *a, const station *b)
{
    for (size_t i = 0; i < m->n; i++) {
        size_t p = partner(a->roots, m->n, i), q = partner(b->roots, m->n, i);
        bool alike = coincide(&a->roots[p], &a->roots[q]) || coincide(&b->roots[p], &b->roots[q]);
        if (p != i && b->roots[i].im != 0 && q != p && !alike) return false;
        if (p != i && b->roots[i].im == 0 && b->roots[p].im != 0) return false;
        if (q != i && a->roots[i].im == 0 && a->roots[q].im != 0) return false;
    }
    return true;
}

static void reorder(match *m, size_t N, station *b)
{
    size_t n = m->n;
    double complex *const vectors[] = {b->right, b->left};
    for (size_t i = 0; i < n; i++) m->moved[i] = b->roots[m->to[i]];
    memcpy(b->roots, m->moved, n * sizeof *m->moved);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++)
            memcpy(m->carried + i * N, vectors[k] + m->to[i] * N, N * sizeof *m->carried);
        memcpy(vectors[k], m->carried, N * n * sizeof *m->carried);
    }
}

static void swap(size_t *a, size_t *b)
{
    size_t t = *a;
    *a = *b;
    *b = t;
}

/* Where it has no meaning which is which: of two that become a pair the first is above; of a pair the one above becomes the
 * larger of two real roots. */
static void settle_meetings(match *m, const station *a, const station *b)
{
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++) {
            const root *x = &b->roots[m->to[i]], *y = &b->roots[m->to[j]];
            bool were_real = a->roots[i].im == 0 && a->roots[j].im == 0;
            bool were_pair = partner(a->roots, m->n, i) == j;
            bool are_pair = x->im != 0 && x->re == y->re && x->im == -y->im;
            bool are_real = x->im == 0 && y->im == 0;
            bool first_above = a->roots[i].im > 0;
            if ((were_real && are_pair && x->im < 0) ||
                (were_pair && are_real && first_above != (x->re > y->re)))
                swap(&m->to[i], &m->to[j]);
        }
}

static bool is_neutral(const root *e)
{
    return fabs(e->re) <= e->bound;
}

/* Two pairs that leave the axis to either side at the same height, or come from there. */
static bool is_collision(const station *on, const station *off, size_t i, size_t j)
{
    const root *x = &off->roots[i], *y = &off->roots[j];
    return is_neutral(&on->roots[i]) && is_neutral(&on->roots[j]) && !is_neutral(x) &&
           !is_neutral(y) && fabs(x->re + y->re) <= x->bound + y->bound &&
           fabs(x->im - y->im) <= x->bound + y->bound;
}

static void find_meetings(match *m, const station *a, const station *b)
{
    m->n_met = 0;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n && m->n_met < m->n; j++) {
            const root *x = a->roots, *y = b->roots;
            bool merge = x[i].im == 0 && x[j].im == 0 && partner(y, m->n, i) == j;
            bool part = y[i].im == 0 && y[j].im == 0 && partner(x, m->n, i) == j;
            bool above = x[i].im > 0 && x[j].im > 0 && y[i].im > 0 && y[j].im > 0;
            bool collide = above && (is_collision(a, b, i, j) || is_collision(b, a, i, j));
            if (merge || part || collide) m->met[m->n_met++] = (meeting){i, j, collide};
        }
}

static bool have_met(const match *m, size_t i, size_t j)
{
    for (size_t k = 0; k < m->n_met; k++)
        if (m->met[k].i == i && m->met[k].j == j) return true;
    return false;
}

/* Strands i and j could not as well be the other way round: both are nearer to where they are expected than to each other, or their
 * vectors tell them apart. */
static bool is_clear(const match *m, const station *a, const station *b,
                     const double complex *expected, size_t i, size_t j)
{
    static const double near = 0.25, apart = 0.24; /* of the distance; of twice 0.3 */
    if (coincide(&a->roots[i], &a->roots[j]) && coincide(&b->roots[i], &b->roots[j])) return true;
    double complex x = root_number(&b->roots[i]), y = root_number(&b->roots[j]);
    double gap = cabs(x - y),
           far = fmax(cabs(x - place(a, expected, i)), cabs(y - place(a, expected, j)));
    const double *row_i = m->cost + i * m->n, *row_j = m->cost + j * m->n;
    double kept = row_i[m->to[i]] + row_j[m->to[j]], other = row_i[m->to[j]] + row_j[m->to[i]];
    return far <= near * gap || (gap > 0 && other - kept > apart);
}

/* On the straight way from one difference to the other two strands come much nearer than they are. */
static bool is_crossing(const station *a, const station *b, size_t i, size_t j)
{
    double complex before = root_number(&a->roots[i]) - root_number(&a->roots[j]),
                   after = root_number(&b->roots[i]) - root_number(&b->roots[j]);
    double turn = creal(conj(before) * after), area = fabs(cimag(conj(before) * after)),
           far = cabs(after - before);
    return turn < 0 && area < 0.1 * far * far && !coincide(&a->roots[i], &a->roots[j]);
}

void match_stations(match *m, size_t N, const station *a, station *b,
                    const double complex *expected)
{
    fill_costs(m, N, a, b, expected);
    assign(m);
    settle_meetings(m, a, b);
    reorder(m, N, b);
    find_meetings(m, a, b);
    m->clear = is_consistent(m, a, b);
    m->crossing = false;
    for (size_t i = 0; i < m->n; i++)
        for (size_t j = i + 1; j < m->n; j++) {
            if (have_met(m, i, j) || a->roots[i].im < 0 || a->roots[j].im < 0) continue;
            m->clear = m->clear && is_clear(m, a, b, expected, i, j);
            m->crossing = m->crossing || is_crossing(a, b, i, j);
        }
}
