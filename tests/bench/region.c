/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "motions.h"
#include "points.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    noslip_error err = {0};
    noslip_case *c;
    noslip_model *r;
    noslip_steady *s;
    size_t side = 256;
    if (argc > 2) side = (size_t)atoi(argv[2]);
    if (noslip_case_open(argv[1], NULL, &c, &err) || noslip_model_make(c, &r, &err) ||
        noslip_steady_find(r, &s, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    plane_axis axes[2];
    for (int k = 0; k < 2; k++) {
        const case_trace *t = k ? &c->regions.at[0].y : &c->regions.at[0].x;
        double ends[2];
        system_evaluate(c->system, c->parameters, (const expr[]){t->from, t->to}, 2, ends, NULL);
        axes[k] = (plane_axis){t->parameter, ends[0], ends[1]};
    }
    plane *p;
    if (plane_new(r, axes, &p, &err)) return 1;
    noslip_steady_info i = noslip_steady_about(s, 0);
    evaluator *e = evaluator_new(p, i.manifold_dimension + i.holonomic_levels, &err);
    size_t stride = p->N + 2 * (p->N - i.manifold_dimension - i.holonomic_levels);
    point *points = calloc(side, sizeof *points);
    double *start = calloc(side * p->N, sizeof *start);
    double *rows = calloc(5 * side * stride, sizeof *rows);
    double *seed = calloc(p->N, sizeof *seed);
    for (size_t k = 0; k < p->N; k++) seed[k] = noslip_steady_state(s, 0, k);
    double su = (c->parameters[axes[0].parameter] - axes[0].from) / (axes[0].to - axes[0].from),
           sv = (c->parameters[axes[1].parameter] - axes[1].from) / (axes[1].to - axes[1].from);
    size_t kinds[POINT_KINDS] = {0};
    double t0 = now();
    for (size_t y = 0; y < side; y++) {
        double *these = rows + (y % 5) * side * stride, *those[4];
        for (size_t h = 0; h < 4; h++) those[h] = rows + ((y + 4 - h) % 5) * side * stride;
        for (size_t x = 0; x < side; x++) {
            point *t = &points[x];
            double u = (double)x / (double)(side - 1), v = (double)y / (double)(side - 1);
            bool known = y && t->kind != POINT_NONE;
            *t = (point){.u = u,
                         .v = v,
                         .start_u = su,
                         .start_v = sv,
                         .start = seed,
                         .numbers = these + x * stride};
            if (known) {
                static const double w4[4][4] = {{1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}};
                size_t d = y >= 4 ? 3 : y - 1;
                double *st = start + x * p->N;
                for (size_t q = 0; q < p->N; q++) {
                    st[q] = 0;
                    for (size_t h = 0; h <= d; h++) st[q] += w4[d][h] * those[h][x * stride + q];
                }
                t->start = st, t->start_u = u, t->start_v = (double)(y - 1) / (double)(side - 1);
            }
        }
        evaluator_run(e, points, side);
        for (size_t x = 0; x < side; x++) kinds[points[x].kind]++;
    }
    double t1 = now() - t0;
    evaluator_counts n = evaluator_count(e);
    printf("%zu points, %zu alone, %.3g us per point; kinds", n.points, n.alone,
           1e6 * t1 / (double)n.points);
    for (int k = 0; k < POINT_KINDS; k++) printf(" %zu", kinds[k]);
    printf("\n");
    return 0;
}
