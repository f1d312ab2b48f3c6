/* SPDX-License-Identifier: GPL-3.0-or-later */
/* G by the blocks (102)-(105) of [S80], term by term, with the misprints of docs/theory.md mended. Coordinates stand as (p, r), all
 * derivatives are differences of eighth order in long double. */
#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../property/random_system_linear.h"
#include "../property/random_system_study.h"
#include "alloc.h"
#include "noslip/noslip.h"

typedef struct {
    int rows, cols;
    real at[MOST][MOST];
} matrix;

static matrix zero(int rows, int cols)
{
    matrix m = {.rows = rows, .cols = cols};
    return m;
}

static matrix product(const matrix *a, const matrix *b)
{
    matrix c = zero(a->rows, b->cols);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->cols; j++)
            for (int k = 0; k < a->cols; k++) c.at[i][j] += a->at[i][k] * b->at[k][j];
    return c;
}

static matrix transposed(const matrix *a)
{
    matrix c = zero(a->cols, a->rows);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < a->cols; j++) c.at[j][i] = a->at[i][j];
    return c;
}

static matrix inverse(const matrix *a)
{
    int n = a->rows;
    matrix c = zero(n, n);
    real left[LINEAR_MOST][LINEAR_MOST] = {{0}}, right[LINEAR_MOST][LINEAR_MOST] = {{0}};
    for (int i = 0; i < n; i++) {
        memcpy(left[i], a->at[i], sizeof a->at[i]);
        right[i][i] = 1;
    }
    linear_solve(n, left, n, right);
    for (int i = 0; i < n; i++) memcpy(c.at[i], right[i], sizeof c.at[i]);
    return c;
}

static matrix part(const matrix *a, int row, int rows, int col, int cols)
{
    matrix c = zero(rows, cols);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) c.at[i][j] = a->at[row + i][col + j];
    return c;
}

static void add(matrix *sum, real factor, const matrix *a)
{
    for (int i = 0; i < sum->rows; i++)
        for (int j = 0; j < sum->cols; j++) sum->at[i][j] += factor * a->at[i][j];
}

/* sum += factor a b, and factor a b c. */
static void add_product(matrix *sum, real factor, const matrix *a, const matrix *b)
{
    matrix c = product(a, b);
    add(sum, factor, &c);
}

static void add_triple(matrix *sum, real factor, const matrix *a, const matrix *b, const matrix *c)
{
    matrix ab = product(a, b);
    add_product(sum, factor, &ab, c);
}

/* What the paper starts from, (13), (56)-(58), as functions of q. */
typedef struct {
    int n, m, f; /* coordinates, positional ones, quasi-velocities */
    const void *about;
    void (*at)(const void *about, const real *q, matrix *U, matrix *A, matrix *H, matrix *V_p);
} mechanics;

/* (95) as functions of q, with omega_0 and the values "0" frozen. beta13 is beta1 + beta3, bc is b + c; MV is M dV/dp. One array, so
 * that one difference does for all of them. */
typedef struct {
    matrix U, W, B, M, N, MV, MV_frozen, V_p;
    matrix alpha1, alpha2, alpha3, alpha4, alpha5, beta13, beta24, beta5, beta6, a, bc, Q11;
} letters;

typedef struct {
    const mechanics *y;
    matrix omega, alpha10, alpha20, alpha40, V_p0;
    real q[MOST];
} frozen;

static matrix dot_of(const matrix *a, const matrix *b)
{
    matrix at = transposed(a);
    return product(&at, b);
}

static void set_alpha(letters *x, const frozen *z, const matrix *A, const matrix *H)
{
    int n = z->y->n, m = z->y->m, f = z->y->f;
    matrix AW = product(A, &x->W), HW = product(H, &x->W), Q = dot_of(&x->W, &HW);
    x->B = dot_of(&x->W, &AW);
    x->Q11 = part(&Q, 0, f, 0, f);
    matrix B11 = part(&x->B, 0, f, 0, f), B21 = part(&x->B, f, n - f, 0, f);
    matrix W11 = part(&x->W, 0, m, 0, f), W21 = part(&x->W, m, n - m, 0, f), Bi = inverse(&B11);
    matrix W11t = transposed(&W11), W21t = transposed(&W21);
    x->alpha1 = product(&B11, &z->omega);
    x->alpha2 = product(&B21, &z->omega);
    x->alpha3 = product(&W11, &z->omega);
    x->alpha4 = product(&W21, &z->omega);
    x->alpha5 = product(&x->Q11, &z->omega);
    x->a = dot_of(&z->omega, &x->alpha1);
    x->M = product(&Bi, &W11t);
    x->N = product(&Bi, &W21t);
}

static void set_beta(letters *x, const frozen *z)
{
    int n = z->y->n, m = z->y->m, f = z->y->f;
    matrix momentum = zero(n, 1);
    for (int i = 0; i < f; i++) momentum.at[i][0] = z->alpha10.at[i][0];
    for (int i = f; i < n; i++) momentum.at[i][0] = z->alpha20.at[i - f][0];
    matrix beta = dot_of(&x->U, &momentum);
    x->beta13 = part(&beta, 0, m, 0, 1);
    x->beta24 = part(&beta, m, n - m, 0, 1);
    matrix U12 = part(&x->U, 0, f, m, n - m), U22 = part(&x->U, f, n - f, m, n - m);
    x->beta5 = product(&U12, &z->alpha40);
    x->beta6 = product(&U22, &z->alpha40);
    x->bc = dot_of(&z->alpha40, &x->beta24);
}

static letters letters_at(const frozen *z, const real *q)
{
    letters x;
    matrix A, H;
    z->y->at(z->y->about, q, &x.U, &A, &H, &x.V_p);
    x.W = inverse(&x.U);
    set_alpha(&x, z, &A, &H);
    set_beta(&x, z);
    x.MV = product(&x.M, &x.V_p);
    x.MV_frozen = product(&x.M, &z->V_p0);
    return x;
}

static frozen freeze(const mechanics *y, const real *q, const real *w)
{
    frozen z = {.y = y, .omega = zero(y->f, 1), .alpha10 = zero(y->f, 1)};
    z.alpha20 = zero(y->n - y->f, 1);
    z.alpha40 = zero(y->n - y->m, 1);
    z.V_p0 = zero(y->m, 1);
    memcpy(z.q, q, (size_t)y->n * sizeof *q);
    for (int i = 0; i < y->f; i++) z.omega.at[i][0] = w[i];
    letters x = letters_at(&z, q);
    z.alpha10 = x.alpha1;
    z.alpha20 = x.alpha2;
    z.alpha40 = x.alpha4;
    z.V_p0 = x.V_p;
    return z;
}

static matrix *letter(letters *x, size_t k)
{
    return (matrix *)x + k;
}

/* sum += factor x, all letters. */
static void add_letters(letters *sum, real factor, letters *x)
{
    for (size_t k = 0; k < sizeof *x / sizeof(matrix); k++) {
        letter(sum, k)->rows = letter(x, k)->rows;
        letter(sum, k)->cols = letter(x, k)->cols;
        add(letter(sum, k), factor, letter(x, k));
    }
}

/* d/dq_j of all letters at q; with i >= 0 of their slopes by q_i. */
static letters slope_at(const frozen *z, const real *q, int j, int i)
{
    static const real weight[] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280}, h = 0.002L;
    static const letters none;
    letters sum = none;
    real moved[MOST];
    memcpy(moved, q, sizeof moved);
    for (int k = -4; k <= 4; k++) {
        if (k == 0) continue;
        moved[j] = q[j] + h * (real)k;
        letters x = i < 0 ? letters_at(z, moved) : slope_at(z, moved, i, -1);
        add_letters(&sum, (k < 0 ? -1 : 1) * weight[abs(k) - 1] / h, &x);
    }
    return sum;
}

/* Letters and slopes at the point. */
typedef struct {
    const frozen *z;
    letters at, by[MOST], by_two[MOST][MOST]; /* by_two[i][j]: by q_j (any) and p_i */
} slopes;

static void differentiate(slopes *d, const frozen *z)
{
    d->z = z;
    d->at = letters_at(z, z->q);
    for (int j = 0; j < z->y->n; j++) {
        d->by[j] = slope_at(z, z->q, j, -1);
        for (int i = 0; i < z->y->m; i++) d->by_two[i][j] = slope_at(z, z->q, i, j);
    }
}

#define BY_P(d, name) columns(d, offsetof(letters, name), 0, (d)->z->y->m)
#define BY_R(d, name) columns(d, offsetof(letters, name), (d)->z->y->m, (d)->z->y->n)

/* d(vector)/dq', columns first..last. */
static matrix columns(slopes *d, size_t offset, int first, int last)
{
    matrix c = zero(((matrix *)((char *)&d->at + offset))->rows, last - first);
    for (int j = first; j < last; j++) {
        const matrix *x = (matrix *)((char *)&d->by[j] + offset);
        for (int i = 0; i < c.rows; i++) c.at[i][j - first] = x->at[i][0];
    }
    return c;
}

/* d/dp' [X v], X = M or N, at fixed v. */
static matrix moved_by_p(slopes *d, size_t offset, const matrix *v)
{
    matrix c = zero(d->z->y->f, d->z->y->m);
    for (int j = 0; j < c.cols; j++) {
        matrix x = product((matrix *)((char *)&d->by[j] + offset), v);
        for (int i = 0; i < c.rows; i++) c.at[i][j] = x.at[i][0];
    }
    return c;
}

/* d2(scalar)/dq_j dp_i for j = first..last: a row for each j. */
static matrix second(slopes *d, size_t offset, int first, int last)
{
    matrix c = zero(last - first, d->z->y->m);
    for (int j = first; j < last; j++)
        for (int i = 0; i < c.cols; i++)
            c.at[j - first][i] = ((matrix *)((char *)&d->by_two[i][j] + offset))->at[0][0];
    return c;
}

/* d/dp' [d(vector)/dr' alpha40]. */
static matrix turning(slopes *d, size_t offset)
{
    int m = d->z->y->m, n = d->z->y->n;
    matrix c = zero(((matrix *)((char *)&d->at + offset))->rows, m);
    for (int i = 0; i < m; i++)
        for (int j = m; j < n; j++)
            for (int k = 0; k < c.rows; k++)
                c.at[k][i] += ((matrix *)((char *)&d->by_two[i][j] + offset))->at[k][0] *
                              d->z->alpha40.at[j - m][0];
    return c;
}

/* (94): the sum of dU'/dr_k alpha40_k. */
static matrix bullet(const slopes *d)
{
    int m = d->z->y->m, n = d->z->y->n;
    matrix c = zero(n, n);
    for (int k = m; k < n; k++) {
        matrix t = transposed(&d->by[k].U);
        add(&c, d->z->alpha40.at[k - m][0], &t);
    }
    return c;
}

/* Places where the text of the paper gives formulas that can be evaluated, but are wrong. */
typedef enum {
    MENDED,
    PRINTED_SIGN,      /* (104): minus before the terms in beta5 and beta6 */
    PRINTED_POTENTIAL, /* (104): dV/dp frozen */
    PRINTED_TRANSPOSE, /* (104): N d(beta2 + beta4)/dr dalpha4/dp without the transpose */
    EDITIONS
} edition;

/* The terms of (104) with the letters M0 or N0 in front; `r` says which. */
static void add_gyroscopic(matrix *G, slopes *d, bool r, edition e)
{
    int m = d->z->y->m, n = d->z->y->n, f = d->z->y->f;
    const matrix *X = r ? &d->at.N : &d->at.M;
    matrix own_p = r ? BY_P(d, beta24) : BY_P(d, beta13);
    matrix own_r = r ? BY_R(d, beta24) : BY_R(d, beta13);
    matrix t13 = r ? BY_R(d, beta13) : BY_P(d, beta13), t24 = r ? BY_R(d, beta24) : BY_P(d, beta24);
    matrix alpha3_p = BY_P(d, alpha3), alpha4_p = BY_P(d, alpha4);
    matrix turned = turning(d, r ? offsetof(letters, beta24) : offsetof(letters, beta13));
    matrix bc_two = second(d, offsetof(letters, bc), r ? m : 0, r ? n : m);
    add_triple(G, -1, X, &own_p, &alpha3_p);
    add_triple(G, -1, X, &own_r, &alpha4_p);
    add_product(G, -1, X, &turned);
    t13 = transposed(&t13);
    add_triple(G, 1, X, &t13, &alpha3_p);
    if (!(r && e == PRINTED_TRANSPOSE)) t24 = transposed(&t24);
    add_triple(G, 1, X, &t24, &alpha4_p);
    add_product(G, 1, X, &bc_two);

    matrix U_turned = bullet(d), alpha1_p = BY_P(d, alpha1), alpha2_p = BY_P(d, alpha2);
    matrix by_1 = part(&U_turned, r ? m : 0, r ? n - m : m, 0, f);
    matrix by_2 = part(&U_turned, r ? m : 0, r ? n - m : m, f, n - f);
    add_triple(G, -1, X, &by_1, &alpha1_p);
    add_triple(G, -1, X, &by_2, &alpha2_p);
    matrix t5 = r ? BY_R(d, beta5) : BY_P(d, beta5), t6 = r ? BY_R(d, beta6) : BY_P(d, beta6);
    t5 = transposed(&t5);
    t6 = transposed(&t6);
    add_triple(G, e == PRINTED_SIGN ? -1 : 1, X, &t5, &alpha1_p);
    add_triple(G, e == PRINTED_SIGN ? -1 : 1, X, &t6, &alpha2_p);
}

/* d/dp' of M and N times what stands behind them. */
static void add_moved(matrix *G, slopes *d, edition e)
{
    matrix beta13_r = BY_R(d, beta13), beta24_r = BY_R(d, beta24);
    matrix behind_M = product(&beta13_r, &d->z->alpha40);
    matrix behind_N = product(&beta24_r, &d->z->alpha40);
    matrix a_p = BY_P(d, a), bc_p = BY_P(d, bc), bc_r = BY_R(d, bc);
    a_p = transposed(&a_p);
    bc_p = transposed(&bc_p);
    bc_r = transposed(&bc_r);
    add(&behind_M, -0.5L, &a_p);
    add(&behind_M, -1, &bc_p);
    add(&behind_N, -1, &bc_r);
    matrix M_moved = moved_by_p(d, offsetof(letters, M), &behind_M);
    matrix N_moved = moved_by_p(d, offsetof(letters, N), &behind_N);
    matrix potential = e == PRINTED_POTENTIAL ? BY_P(d, MV_frozen) : BY_P(d, MV);
    add(G, -1, &M_moved);
    add(G, -1, &N_moved);
    add(G, -1, &potential);
}

static matrix block_21(slopes *d, edition e)
{
    int m = d->z->y->m, f = d->z->y->f;
    matrix G = zero(f, m), B11 = part(&d->at.B, 0, f, 0, f), Bi = inverse(&B11);
    matrix a_two = second(d, offsetof(letters, a), 0, m);
    matrix alpha1_p = BY_P(d, alpha1), alpha3_p = BY_P(d, alpha3), alpha5_p = BY_P(d, alpha5);
    add_product(&G, 0.5L, &d->at.M, &a_two);
    add_triple(&G, -1, &Bi, &alpha1_p, &alpha3_p);
    add_product(&G, -1, &Bi, &alpha5_p);
    add_moved(&G, d, e);
    add_gyroscopic(&G, d, false, e);
    add_gyroscopic(&G, d, true, e);
    return G;
}

/* The terms of (105) with M0 or N0 in front. */
static void add_gyroscopic_22(matrix *G, slopes *d, bool r)
{
    int m = d->z->y->m, n = d->z->y->n, f = d->z->y->f;
    const matrix *X = r ? &d->at.N : &d->at.M;
    matrix W11 = part(&d->at.W, 0, m, 0, f), W21 = part(&d->at.W, m, n - m, 0, f);
    matrix own_p = r ? BY_P(d, beta24) : BY_P(d, beta13);
    matrix own_r = r ? BY_R(d, beta24) : BY_R(d, beta13);
    matrix t13 = r ? BY_R(d, beta13) : BY_P(d, beta13), t24 = r ? BY_R(d, beta24) : BY_P(d, beta24);
    matrix t5 = r ? BY_R(d, beta5) : BY_P(d, beta5), t6 = r ? BY_R(d, beta6) : BY_P(d, beta6);
    matrix B10 = part(&d->at.B, 0, n, 0, f), B110 = part(&d->at.B, 0, f, 0, f),
           B210 = part(&d->at.B, f, n - f, 0, f), U_turned = bullet(d);
    matrix rows = part(&U_turned, r ? m : 0, r ? n - m : m, 0, n);
    t13 = transposed(&t13);
    t24 = transposed(&t24);
    t5 = transposed(&t5);
    t6 = transposed(&t6);
    add_triple(G, -1, X, &own_p, &W11);
    add_triple(G, -1, X, &own_r, &W21);
    add_triple(G, -1, X, &rows, &B10);
    add_triple(G, 1, X, &t13, &W11);
    add_triple(G, 1, X, &t24, &W21);
    add_triple(G, 1, X, &t5, &B110);
    add_triple(G, 1, X, &t6, &B210);
}

static matrix block_22(slopes *d)
{
    int m = d->z->y->m, f = d->z->y->f;
    matrix G = zero(f, f), B11 = part(&d->at.B, 0, f, 0, f), Bi = inverse(&B11);
    matrix alpha1_p = BY_P(d, alpha1), t1 = transposed(&alpha1_p), W11 = part(&d->at.W, 0, m, 0, f);
    add_product(&G, 1, &d->at.M, &t1);
    add_triple(&G, -1, &Bi, &alpha1_p, &W11);
    add_product(&G, -1, &Bi, &d->at.Q11);
    add_gyroscopic_22(&G, d, false);
    add_gyroscopic_22(&G, d, true);
    return G;
}

static void paper_matrix(const mechanics *y, const real *q, const real *w, edition e,
                         real G[][MOST_STATES])
{
    static slopes d;
    int m = y->m;
    frozen z = freeze(y, q, w);
    differentiate(&d, &z);
    matrix G11 = BY_P(&d, alpha3), G12 = part(&d.at.W, 0, m, 0, y->f), G21 = block_21(&d, e),
           G22 = block_22(&d);
    for (int i = 0; i < m + y->f; i++)
        for (int j = 0; j < m + y->f; j++)
            G[i][j] = i < m   ? j < m ? G11.at[i][j] : G12.at[i][j - m]
                        : j < m ? G21.at[i - m][j]
                              : G22.at[i - m][j - m];
}

/* (109)-(115). */
typedef struct {
    double m, a, A, C, g, h;
} disk;

static void disk_at(const void *about, const real *q, matrix *U, matrix *A, matrix *H, matrix *V_p)
{
    const disk *k = about;
    real c = cosl(q[0]), s = sinl(q[0]), cp = cosl(q[1]), sp = sinl(q[1]), ma = k->m * k->a;
    const real mass[5][5] = {
        {k->A + ma * k->a, 0, 0, -ma * c * sp, ma * c * cp},
        {0, k->A * c * c + (k->C + ma * k->a) * s * s, -k->C * s, -ma * s * cp, -ma * s * sp},
        {0, -k->C * s, k->C, 0, 0},
        {-ma * c * sp, -ma * s * cp, 0, k->m, 0},
        {ma * c * cp, -ma * s * sp, 0, 0, k->m}};
    const real forms[5][5] = {{1, 0, 0, 0, 0},
                              {0, 1, 0, 0, 0},
                              {0, -s, 1, 0, 0},
                              {0, 0, -k->a * cp, 1, 0},
                              {0, 0, -k->a * sp, 0, 1}};
    *U = *A = *H = zero(5, 5);
    *V_p = zero(1, 1);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            U->at[i][j] = forms[i][j];
            A->at[i][j] = mass[i][j];
        }
    H->at[0][0] = k->h;
    V_p->at[0][0] = -ma * k->g * s;
}

static real largest_difference(const noslip_roots *r, int N, real G[][MOST_STATES])
{
    real most = 0, size = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            size = fmaxl(size, fabsl(G[i][j]));
            most = fmaxl(most, fabsl(noslip_roots_matrix(r, NOSLIP_MATRIX_G, (size_t)i, (size_t)j) -
                                     G[i][j]));
        }
    return most / size;
}

/* Rows three and four of the disk's G, as mended in docs/theory.md. */
static void expect_closed_rows(const disk *k, real th, const real *w, real G[][MOST_STATES])
{
    real ma2 = k->m * k->a * k->a;
    real third = (2 * k->A * w[1] * sinl(th) + k->C * w[2]) / (k->A * cosl(th));
    real fourth = ma2 * w[1] * cosl(th) / (k->C + ma2);
    cr_expect_leq((double)fabsl(G[2][1] - third), 1e-11 * (1 + fabs((double)third)), "%Lg, not %Lg",
                  G[2][1], third);
    cr_expect_leq((double)fabsl(G[3][1] - fourth), 1e-11 * (1 + fabs((double)fourth)),
                  "%Lg, not %Lg", G[3][1], fourth);
}

Test(slawinski, the_blocks_of_the_paper_give_the_disks_G)
{
    static const char *const leans[][2] = {
        {"lean=0.3", "turn=2.1"}, {"lean=-0.7", "turn=3.3"}, {"lean=1.1", "turn=0.9"}};
    const disk k = {1.3, 0.47, 0.07, 0.15, 9.81, 0.11};
    const mechanics y = {5, 1, 3, &k, disk_at};
    for (int row = 0; row < 3; row++) {
        noslip_case *c;
        noslip_model *m;
        noslip_steady *t;
        noslip_roots *r;
        noslip_error err = {0};
        real q[MOST] = {0, 0.7L, -0.2L, 1.9L, 0.4L}, w[MOST], G[MOST_STATES][MOST_STATES];
        const char *const values[] = {"m=1.3",  "a=0.47",      "A=0.07",      "C=0.15", "g=9.81",
                                      "h=0.11", leans[row][0], leans[row][1], NULL};
        cr_assert_eq(noslip_case_open("rolling-disk", values, &c, &err), NOSLIP_OK, "%s",
                     err.message);
        cr_assert_eq(noslip_model_make(c, &m, &err), NOSLIP_OK, "%s", err.message);
        cr_assert_eq(noslip_steady_find(m, &t, &err), NOSLIP_OK, "%s", err.message);
        cr_assert_eq(noslip_roots_find(t, 0, &r, &err), NOSLIP_OK, "%s", err.message);
        q[0] = noslip_steady_state(t, 0, 0);
        for (size_t i = 0; i < 3; i++) w[i] = noslip_steady_state(t, 0, 1 + i);
        paper_matrix(&y, q, w, MENDED, G);
        cr_expect_leq((double)largest_difference(r, 4, G), 1e-11, "%s: %Lg", leans[row][0],
                      largest_difference(r, 4, G));
        expect_closed_rows(&k, q[0], w, G);
        noslip_roots_free(r);
        noslip_steady_free(t);
        noslip_model_free(m);
        noslip_case_close(c);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A random system of the paper's class: its matrices are made of those in turned directions. */
static void random_at(const void *about, const real *q, matrix *U, matrix *A, matrix *H,
                      matrix *V_p)
{
    const random_system *y = about;
    position x;
    position_at(&x, y, q, 0);
    int n = y->n;
    matrix turn = zero(n, n), mass = zero(n, n), friction = zero(n, n), forms = zero(n, n);
    for (int j = 0; j < n; j++) {
        real unit[MOST] = {0}, column[MOST] = {0};
        unit[j] = 1;
        position_turn(&x, unit, column);
        for (int i = 0; i < n; i++) {
            turn.at[i][j] = column[i];
            mass.at[i][j] = x.mass[i][j];
            friction.at[i][j] = x.friction[i][j];
            forms.at[i][j] = x.form[i][j];
        }
    }
    matrix mass_turned = product(&mass, &turn), friction_turned = product(&friction, &turn);
    *U = product(&forms, &turn);
    *A = dot_of(&turn, &mass_turned);
    *H = dot_of(&turn, &friction_turned);
    *V_p = zero(y->m, 1);
    for (int j = 0; j < y->m; j++) V_p->at[j][0] = x.potential_slope[j];
}

/* The difference of a random system's G from the paper's, relative; negative if the system is too large to be done quickly. */
static real random_difference(unsigned long long seed, edition e, bool *heading)
{
    random_system y;
    study z;
    real state[MOST_STATES], q[MOST], G[MOST_STATES][MOST_STATES], most = 0, size = 1;
    random_system_draw(&y, seed, true);
    *heading = y.heading >= 0;
    if (y.n > 5 || y.m < 1 || y.s < 1) return -1;
    const mechanics k = {y.n, y.m, y.n - y.s, &y, random_at};
    layout l = layout_plain(&y);
    study_open(&z, &y, &l, 0, 1e-3);
    cr_assert_eq(z.status, NOSLIP_OK, "seed %llu", seed);
    cr_assert(study_has_positional(&z), "seed %llu", seed);
    study_state(&z, state);
    for (int i = 0; i < y.n; i++) q[i] = z.q[i];
    paper_matrix(&k, q, state + y.m, e, G);
    int N = oracle_states(&y);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            size = fmaxl(size, fabsl(G[i][j]));
            most = fmaxl(most, fabsl(z.x->G[i + j * N] - G[i][j]));
        }
    study_close(&z);
    return most / size;
}

Test(slawinski, the_blocks_of_the_paper_give_the_G_of_random_systems)
{
    int done = 0, turning_ones = 0;
    for (unsigned long long seed = 9001; seed < 9161; seed++) {
        bool heading;
        real difference = random_difference(seed, MENDED, &heading);
        if (difference < 0) continue;
        cr_expect_leq((double)difference, 1e-9, "seed %llu: %Lg", seed, difference);
        done++;
        turning_ones += heading;
    }
    cr_assert(done > 40 && turning_ones > 10, "%d systems, %d with a heading", done, turning_ones);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* That each is wrong, and not merely another way of writing, is seen where it matters. */
Test(slawinski, the_misprints_of_the_paper_give_another_G)
{
    int wrong[EDITIONS] = {0};
    for (unsigned long long seed = 9001; seed < 9061; seed++)
        for (edition e = PRINTED_SIGN; e < EDITIONS; e++) {
            bool heading;
            wrong[e] += random_difference(seed, e, &heading) > 1e-3L;
        }
    for (edition e = PRINTED_SIGN; e < EDITIONS; e++)
        cr_expect_gt(wrong[e], 3, "edition %d: %d systems", (int)e, wrong[e]);
}
