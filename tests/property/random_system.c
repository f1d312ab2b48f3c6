/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "random_system_linear.h"
#include "random_system_study.h"

/* Random systems with a known steady motion, against their motion by Lagrange's equations with multipliers, which share nothing with
 * the reduced equations: long double, derivatives by hand, the matrix by differences. A system is known by its seed alone. */

enum { SYSTEMS = 360 };

/* cr_assert reports to the runner each time it is passed; thousands of checks cannot. */
#define MUST(condition, ...)                           \
    do {                                               \
        if (!(condition)) cr_assert_fail(__VA_ARGS__); \
    } while (0)

static void draw(random_system *y, int number)
{
    random_system_draw(y, 4001 + (unsigned long long)number, number % 3 == 0);
}

/* The study of a system with its first quasi-velocities, from a start beside the known motion, and its state. */
static void study_beside(study *z, const random_system *y, double off, real *state)
{
    layout l = layout_plain(y);
    study_open(z, y, &l, 0, off);
    MUST(z->status == NOSLIP_OK, "seed %llu: status %d, residual %g", y->seed, (int)z->status,
         z->info.residual);
    MUST(study_has_positional(z), "seed %llu: other coordinates are positional", y->seed);
    study_state(z, state);
}

static void close_all(study *z)
{
    study_close(z);
    MUST(noslip_alloc_live() == 0, "seed %llu: memory is lost", z->y->seed);
}

static real size_of(int N, real G[][MOST_STATES])
{
    real sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += G[i][j] * G[i][j];
    return sqrtl(sum);
}

Test(random_system, G_is_the_slope_of_the_motion_by_multipliers)
{
    int with[2] = {0}, driven[2] = {0}, levels[3] = {0}, rolling[5] = {0};
    for (int k = 0; k < SYSTEMS; k++) {
        random_system y;
        study z;
        real x[MOST_STATES], G[MOST_STATES][MOST_STATES];
        draw(&y, k);
        study_beside(&z, &y, 1e-3, x);
        oracle_matrix(&y, 0, x, G);
        int N = oracle_states(&y);
        real size = size_of(N, G);
        MUST(z.x->N == (size_t)N, "seed %llu: %zu states, not %d", y.seed, z.x->N, N);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                real error = fabsl(z.x->G[i + j * N] - G[i][j]);
                MUST(error <= 1e-11L * (1 + size),
                     "seed %llu: G[%d][%d] is %.17g, should be %.17Lg", y.seed, i, j,
                     z.x->G[i + j * N], G[i][j]);
            }
        with[y.heading >= 0]++;
        driven[y.driven]++;
        levels[y.levels]++;
        rolling[y.s - y.levels]++;
        close_all(&z);
    }
    cr_assert(with[0] > 100 && with[1] > 100, "%d without heading, %d with", with[0], with[1]);
    cr_assert(driven[0] > 150 && driven[1] > 50, "%d not driven, %d driven", driven[0], driven[1]);
    cr_assert(levels[0] > 200 && levels[1] > 20 && levels[2] > 5, "levels: %d, %d, %d", levels[0],
              levels[1], levels[2]);
    for (int s = 0; s < 5; s++) cr_assert(rolling[s] > 5, "%d with %d rolling", rolling[s], s);
}

Test(random_system, reactions_are_the_multipliers)
{
    int compared = 0;
    for (int k = 0; k < SYSTEMS; k++) {
        random_system y;
        study z;
        position at;
        real x[MOST_STATES], q[MOST], v[MOST] = {0}, a[MOST], lambda[MOST], size = 1;
        draw(&y, k);
        study_beside(&z, &y, 1e-3, x);
        for (int i = 0; i < y.n; i++) q[i] = z.q[i];
        position_at(&at, &y, q, 0);
        position_rates(&at, x + y.m, v);
        position_accelerate(&at, v, a, lambda);
        for (int i = 0; i < y.s; i++) size = fmaxl(size, fabsl(lambda[i]));
        for (int i = 0; i < y.s; i++)
            MUST(fabsl(steady_point(z.motion)->lambda[i] - lambda[i]) <= 1e-11L * size,
                 "seed %llu: reaction %d is %.17g, should be %.17Lg", y.seed, i,
                 steady_point(z.motion)->lambda[i], lambda[i]);
        compared += y.s > 0;
        close_all(&z);
    }
    cr_assert_gt(compared, 200);
}

/* G t for the tangents of the manifold and of the levels: the last rows of the basis. */
static real largest_image(const study *z, real G[][MOST_STATES], size_t *dimension)
{
    size_t N = z->x->N;
    const double *basis = steady_basis(z->motion, dimension);
    real most = 0;
    for (size_t t = N - *dimension; t < N; t++)
        for (size_t i = 0; i < N; i++) {
            real sum = 0;
            for (size_t j = 0; j < N; j++) sum += G[i][j] * basis[t + j * N];
            most = fmaxl(most, fabsl(sum));
        }
    return most;
}

Test(random_system, the_kernel_of_G_has_the_dimension_that_counting_gives)
{
    int dimensions[MOST] = {0};
    for (int k = 0; k < SYSTEMS; k++) {
        random_system y;
        study z;
        real x[MOST_STATES], G[MOST_STATES][MOST_STATES];
        size_t dimension;
        draw(&y, k);
        study_beside(&z, &y, 1e-3, x);
        oracle_matrix(&y, 0, x, G);
        real image = largest_image(&z, G, &dimension), size = size_of(oracle_states(&y), G);
        MUST(z.info.manifold == (size_t)y.manifold, "seed %llu: dimension %zu, should be %d",
             y.seed, z.info.manifold, y.manifold);
        MUST(z.info.levels == (size_t)y.levels, "seed %llu: %zu levels, should be %d", y.seed,
             z.info.levels, y.levels);
        MUST(dimension == z.info.manifold + z.info.levels, "seed %llu: %zu tangents", y.seed,
             dimension);
        MUST(image <= 1e-11L * (1 + size), "seed %llu: |G t| is %Lg", y.seed, image);
        dimensions[y.manifold]++;
        close_all(&z);
    }
    for (int k = 0; k < 5; k++)
        cr_assert(dimensions[k] > 3, "%d systems of dimension %d", dimensions[k], k);
    cr_assert_gt(SYSTEMS - dimensions[0], 300);
}

/* From a motion a step along a tangent of the manifold, and back to the manifold; returns the chord's length, `image` |G chord|. */
static real chord(study *z, const real *x, real step, real G[][MOST_STATES], real *image)
{
    size_t N = z->x->N, dimension;
    const double *basis = steady_basis(z->motion, &dimension);
    double q[MOST], w[MOST];
    real difference[MOST_STATES], length = 0;
    steady_info info;
    memcpy(q, z->q, sizeof q);
    memcpy(w, z->w, sizeof w);
    for (size_t j = 0; j < N; j++) {
        double move = (double)step * basis[N - 1 + j * N];
        if (j < z->m->n_positional)
            q[z->m->positional[j]] += move;
        else
            w[j - z->m->n_positional] += move;
    }
    if (steady_solve(z->motion, study_parameters, q, w, &info) != NOSLIP_OK) return 0;
    for (size_t j = 0; j < N; j++) {
        size_t p = z->m->n_positional;
        difference[j] = (j < p ? q[z->m->positional[j]] : w[j - p]) - x[j];
        length += difference[j] * difference[j];
    }
    *image = 0;
    for (size_t i = 0; i < N; i++) {
        real sum = 0;
        for (size_t j = 0; j < N; j++) sum += G[i][j] * difference[j];
        *image += sum * sum;
    }
    *image = sqrtl(*image);
    return sqrtl(length);
}

/* G sends a chord to zero to second order: a chord of half the length, to a quarter. */
Test(random_system, chords_of_the_manifold_are_in_the_kernel_to_second_order)
{
    const real step = 1e-4L;
    int moved = 0;
    for (int k = 0; k < SYSTEMS / 2; k++) {
        random_system y;
        study z;
        real x[MOST_STATES], G[MOST_STATES][MOST_STATES], one = 0, half = 0;
        draw(&y, k);
        if (!y.manifold || y.levels) continue;
        study_beside(&z, &y, 0, x);
        oracle_matrix(&y, 0, x, G);
        real size = size_of(oracle_states(&y), G), length = chord(&z, x, step, G, &one);
        study_close(&z);
        study_beside(&z, &y, 0, x);
        real length_half = chord(&z, x, step / 2, G, &half);
        if (length > step / 2 && length_half > step / 4) {
            MUST(one <= 1e4L * (1 + size) * length * length, "seed %llu: |G chord| is %Lg", y.seed,
                 one);
            MUST(half <= one / 3 + 1e-11L * (1 + size), "seed %llu: %Lg, and half the chord %Lg",
                 y.seed, one, half);
            moved++;
        }
        close_all(&z);
    }
    cr_assert_gt(moved, 100, "%d", moved);
}

/* The eigenvalues of the oracle's G without the `zeros` that are the manifold's; false if these are not clearly apart. */
static bool other_roots(int N, real G[][MOST_STATES], int zeros, long double complex *out)
{
    real size = size_of(N, G), least = HUGE_VALL;
    if (!linear_eigenvalues(N, (const real(*)[MOST_STATES])G, out)) return false;
    for (int i = 0; i < N; i++)
        for (int j = i; j > 0 && cabsl(out[j]) < cabsl(out[j - 1]); j--) {
            long double complex t = out[j];
            out[j] = out[j - 1];
            out[j - 1] = t;
        }
    for (int i = zeros; i < N; i++) least = fminl(least, cabsl(out[i]));
    for (int i = 0; i < zeros; i++)
        if (cabsl(out[i]) > 1e-9L * size || cabsl(out[i]) > 1e-4L * least) return false;
    memmove(out, out + zeros, (size_t)(N - zeros) * sizeof *out);
    return true;
}

static bool oracle_roots(const study *z, const real *x, long double complex *out, real *size)
{
    real G[MOST_STATES][MOST_STATES];
    int N = oracle_states(z->y);
    oracle_matrix(z->y, 0, x, G);
    *size = size_of(N, G);
    return other_roots(N, G, z->y->manifold + z->y->levels, out);
}

static stability verdict_of(const long double complex *r, size_t n, real size, instability *kind)
{
    size_t first = 0;
    *kind = INSTABILITY_NONE;
    for (size_t k = 1; k < n; k++)
        if (creall(r[k]) > creall(r[first])) first = k;
    if (!n || creall(r[first]) < -1e-7L * size) return STABLE_ASYMPTOTICALLY;
    if (creall(r[first]) < 1e-13L * size) return NEUTRAL;
    *kind = fabsl(cimagl(r[first])) > 1e-7L * size ? INSTABILITY_FLUTTER : INSTABILITY_DIVERGENCE;
    return creall(r[first]) > 1e-7L * size ? UNSTABLE : DEGENERATE; /* not clear */
}

Test(random_system, the_verdict_is_that_of_the_roots_by_multipliers)
{
    int judged[4] = {0}, kinds[3] = {0};
    for (int k = 0; k < SYSTEMS; k++) {
        random_system y;
        study z;
        real x[MOST_STATES], size;
        long double complex roots[MOST_STATES];
        instability kind;
        draw(&y, k);
        study_beside(&z, &y, 1e-3, x);
        if (oracle_roots(&z, x, roots, &size)) {
            stability verdict = verdict_of(roots, z.x->n, size, &kind);
            if (verdict != DEGENERATE)
                MUST(z.x->verdict == verdict && z.x->kind == kind,
                     "seed %llu: verdict %d %d, should be %d %d; abscissa %g", y.seed,
                     (int)z.x->verdict, (int)z.x->kind, (int)verdict, (int)kind, z.x->abscissa);
            judged[verdict]++;
            kinds[kind]++;
        }
        close_all(&z);
    }
    cr_assert(judged[STABLE_ASYMPTOTICALLY] > 100 && judged[UNSTABLE] > 80 && judged[NEUTRAL] > 10,
              "%d stable, %d unstable, %d neutral, %d not clear", judged[0], judged[1], judged[2],
              judged[3]);
    cr_assert(kinds[INSTABILITY_DIVERGENCE] > 20 && kinds[INSTABILITY_FLUTTER] > 20,
              "%d divergence, %d flutter", kinds[1], kinds[2]);
}

/* The largest distance of a root from the nearest of those given, in bounds; `least` is the smallest root. */
static real distance_in_bounds(const study *z, const long double complex *roots, real *least)
{
    real worst = 0;
    for (size_t i = 0; i < z->x->n; i++) {
        const root *e = &z->x->roots[i];
        real nearest = HUGE_VALL;
        for (size_t j = 0; j < z->x->n; j++)
            nearest = fminl(nearest, cabsl(roots[j] - (e->re + e->im * I)));
        worst = fmaxl(worst, nearest / e->bound);
        *least = fminl(*least, hypotl(e->re, e->im));
    }
    return worst;
}

Test(random_system, every_root_is_within_its_bound)
{
    int systems = 0, roots_seen = 0;
    real sharpest = 0;
    for (int k = 0; k < SYSTEMS; k++) {
        random_system y;
        study z;
        real x[MOST_STATES], size, least = HUGE_VALL;
        long double complex roots[MOST_STATES];
        draw(&y, k);
        study_beside(&z, &y, 1e-3, x);
        if (oracle_roots(&z, x, roots, &size)) {
            real worst = distance_in_bounds(&z, roots, &least);
            MUST(worst <= 1, "seed %llu: a root is %Lg bounds off", y.seed, worst);
            sharpest = fmaxl(sharpest, worst);
            roots_seen += (int)z.x->n;
            systems++;
        }
        close_all(&z);
    }
    cr_assert(systems > 300 && roots_seen > 800, "%d systems, %d roots", systems, roots_seen);
    cr_assert_gt((double)sharpest, 0.01, "the bounds say little: %Lg", sharpest);
}

/* The product of all other roots at the known motion, with the first well changed by `change` and that motion still steady. The well
 * stands in one entry of dc/dp, so the product is linear in it. */
static bool product_of_roots(random_system *y, double change, real *out)
{
    real x[MOST_STATES], size;
    long double complex roots[MOST_STATES], product = 1;
    study z;
    y->well[0] += change;
    y->tilt[0] -= change * y->q0[0];
    study_beside(&z, y, 0, x);
    bool apart = oracle_roots(&z, x, roots, &size);
    for (size_t k = 0; apart && k < z.x->n; k++) product *= roots[k];
    study_close(&z);
    *out = creall(product);
    return apart;
}

/* The well for which a root is nearly zero: `distance` off the one for which it is. */
static bool make_root_small(random_system *y, double distance)
{
    real here, there;
    if (!product_of_roots(y, 0, &here) || !product_of_roots(y, 1, &there)) return false;
    double change = (double)(-here / (there - here)) - 1 + distance;
    if (!(fabs(change) < 30)) return false;
    y->well[0] += change;
    y->tilt[0] -= change * y->q0[0];
    return true;
}

/* A small root feels the error of the kernel most. */
Test(random_system, roots_near_zero_are_kept_and_within_their_bounds)
{
    int small = 0;
    for (int k = 0; k < SYSTEMS / 2; k++) {
        random_system y;
        study z;
        real x[MOST_STATES], G[MOST_STATES][MOST_STATES], least = HUGE_VALL;
        long double complex roots[MOST_STATES];
        draw(&y, k);
        if (!y.m || !y.manifold || !make_root_small(&y, 1e-5)) continue;
        study_beside(&z, &y, 0, x);
        oracle_matrix(&y, 0, x, G);
        int N = oracle_states(&y), zeros = y.manifold + y.levels;
        MUST(z.x->zeros == (size_t)zeros, "seed %llu: %zu zeros, not %d", y.seed, z.x->zeros,
             zeros);
        if (other_roots(N, G, zeros, roots)) {
            real worst = distance_in_bounds(&z, roots, &least);
            MUST(worst <= 1, "seed %llu: a root is %Lg bounds off", y.seed, worst);
            small += least < 1e-3L;
        }
        close_all(&z);
    }
    cr_assert_gt(small, 60, "%d", small);
}

/* Every root of one is near a root of the other that no other has. */
static bool same_roots(const spectrum *a, const spectrum *b)
{
    bool used[MOST_STATES] = {false};
    if (a->n != b->n) return false;
    for (size_t i = 0; i < a->n; i++) {
        size_t best = 0;
        double nearest = HUGE_VAL;
        for (size_t j = 0; j < b->n; j++) {
            double d = hypot(a->roots[i].re - b->roots[j].re, a->roots[i].im - b->roots[j].im);
            if (used[j] || d >= nearest) continue;
            nearest = d;
            best = j;
        }
        used[best] = true;
        double tolerance = 3 * (a->roots[i].bound + b->roots[best].bound) +
                           1e-9 * (1 + hypot(a->roots[i].re, a->roots[i].im));
        if (!(nearest <= tolerance)) return false;
    }
    return true;
}

static bool same_study(const random_system *y, const study *a, const layout *l, int set,
                       const char *what)
{
    study b;
    study_open(&b, y, l, set, 0);
    bool comparable = study_has_positional(&b);
    if (comparable || set != QUASI_CHOSEN) {
        MUST(comparable, "seed %llu, %s: other coordinates are positional", y->seed, what);
        MUST(b.status == NOSLIP_OK, "seed %llu, %s: status %d", y->seed, what, (int)b.status);
        MUST(same_roots(a->x, b.x), "seed %llu, %s: other roots", y->seed, what);
        MUST(a->x->verdict == b.x->verdict, "seed %llu, %s: other verdict", y->seed, what);
        MUST(a->info.manifold == b.info.manifold, "seed %llu, %s: other manifold", y->seed, what);
    }
    study_close(&b);
    return comparable;
}

Test(random_system, roots_depend_neither_on_quasi_velocities_nor_on_coordinates)
{
    int chosen = 0, turned = 0;
    for (int k = 0; k < SYSTEMS; k++) {
        random_system y;
        study a;
        dice d = {(uint64_t)k};
        real x[MOST_STATES];
        draw(&y, k);
        layout plain = layout_plain(&y), other = layout_draw(&y, &d);
        study_beside(&a, &y, 0, x);
        same_study(&y, &a, &plain, 1, "other quasi-velocities");
        same_study(&y, &a, &other, 0, "other coordinates");
        bool also = same_study(&y, &a, &other, QUASI_CHOSEN, "chosen quasi-velocities");
        chosen += also;
        turned += also && y.heading >= 0;
        close_all(&a);
    }
    cr_assert(chosen > 220 && turned > 30, "%d with chosen ones, %d of these with a heading",
              chosen, turned);
}
