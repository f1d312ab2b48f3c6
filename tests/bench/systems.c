/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "diff.h"

static void die(const noslip_error *err)
{
    char message[1024];
    noslip_error_format(err, message, sizeof message);
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static void declare(bench_system *s, const char *list, symbol_kind kind)
{
    noslip_error err;
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (scope_symbol(s->names, at, n, kind, &err) != NOSLIP_OK) die(&err);
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        s->in[s->n_in++] = scope_find(s->names, name)->v.at[0];
        at += n;
    }
}

static value build(bench_system *s, const char *words)
{
    noslip_error err;
    formula f = {0};
    value v;
    source src = source_of_string(words);
    if (formula_parse(&src, 0, src.size, false, &f, &err) != NOSLIP_OK) die(&err);
    if (formula_build(&f, s->names, ~0u, NULL, &v, &err) != NOSLIP_OK) die(&err);
    formula_free(&f);
    return v;
}

static void define(bench_system *s, const char *name, const char *words)
{
    noslip_error err;
    value v = build(s, words);
    if (scope_define(s->names, name, strlen(name), &v, &err) != NOSLIP_OK) die(&err);
}

static bench_system start(const char *name, const char *parameters, const char *coordinates)
{
    bench_system s = {.name = name, .g = graph_new()};
    s.names = scope_new(s.g);
    declare(&s, parameters, SYMBOL_PARAMETER);
    s.n_parameters = s.n_in;
    declare(&s, coordinates, SYMBOL_COORDINATE);
    for (size_t k = s.n_parameters, n = s.n_in; k < n; k++)
        s.in[s.n_in++] = graph_rate(s.g, s.in[k]);
    return s;
}

/* T, its gradient, and its Hessian if asked for (each entry above the diagonal once). */
static void add_energy(bench_system *s, expr energy, bool hessian)
{
    const expr *variable = s->in + s->n_parameters;
    size_t n = s->n_in - s->n_parameters;
    s->out[s->n_out++] = energy;
    expr *gradient = s->out + s->n_out;
    if (diff_gradient(s->g, energy, variable, n, gradient) != NOSLIP_OK) exit(1);
    s->n_out += n;
    if (!hessian) return;
    jacobian h = {0};
    if (diff_jacobian(s->g, gradient, n, variable, n, JACOBIAN_FORWARD, &h) != NOSLIP_OK) exit(1);
    for (size_t k = 0; k < h.entries.n; k++)
        if (h.entries.at[k].column >= h.entries.at[k].row) s->out[s->n_out++] = h.entries.at[k].e;
    jacobian_free(&h);
}

bench_system bench_disk(void)
{
    bench_system s = start("disk", "m a A C", "theta psi phi x y");
    value energy =
        build(&s, "(A + m*a^2)/2*theta'^2 + (A*cos(theta)^2 + (C + m*a^2)*sin(theta)^2)/2*psi'^2 "
                  "- C*sin(theta)*psi'*phi' + C/2*phi'^2 + m/2*(x'^2 + y'^2) "
                  "+ m*a*cos(theta)*theta'*(cos(psi)*y' - sin(psi)*x') "
                  "- m*a*sin(theta)*psi'*(cos(psi)*x' + sin(psi)*y')");
    add_energy(&s, energy.at[0], true);
    return s;
}

bench_system bench_chain(void)
{
    bench_system s = start("chain", "m r w c h Ix Iy Iz Ixz", "x y psi phi th de al be");
    define(&s, "Rear", "rotz(psi)*rotx(phi)*roty(th)");
    define(&s, "Fork", "Rear*roty(c)*rotz(de)");
    define(&s, "Back", "Rear*roty(al)");
    define(&s, "Front", "Fork*roty(be)");
    define(&s, "hub", "vec(x, y, 0) + rotz(psi)*rotx(phi)*vec(0, 0, -r)");
    define(&s, "body", "hub + Rear*vec(w, 0, -h)");
    define(&s, "head", "hub + Rear*vec(w + c, 0, -h/2)");
    define(&s, "fork", "head + Fork*vec(c, 0, h/3)");
    define(&s, "front", "fork + Fork*vec(c/2, 0, h/2)");
    define(&s, "dhub", "dt(hub)");
    define(&s, "dbody", "dhub + cross(Rear*omega(Rear), body - hub)");
    define(&s, "dhead", "dhub + cross(Rear*omega(Rear), head - hub)");
    define(&s, "dfork", "dhead + cross(Fork*omega(Fork), fork - head)");
    define(&s, "dfront", "dfork + cross(Fork*omega(Fork), front - fork)");
    define(&s, "slip",
           "dfront + cross(Front*omega(Front), unit(vec(c, h, 0) + Front*vec(r, w, 0)))");
    value energy = build(
        &s, "m/2*(dot(dhub, dhub) + 3*dot(dbody, dbody) + dot(dfork, dfork) + dot(dfront, dfront)) "
            "+ h*dot(slip, slip) "
            "+ dot(omega(Rear), vec(Ix*omega(Rear).x + Ixz*omega(Rear).z, Iy*omega(Rear).y, "
            "Iz*omega(Rear).z))/2 "
            "+ dot(omega(Fork), vec(Ix*omega(Fork).x + Ixz*omega(Fork).z, Iy*omega(Fork).y, "
            "Iz*omega(Fork).z))/2 "
            "+ dot(omega(Back), vec(Ix*omega(Back).x, Iy*omega(Back).y, Ix*omega(Back).z))/2 "
            "+ dot(omega(Front), vec(Ix*omega(Front).x, Iy*omega(Front).y, Ix*omega(Front).z))/2");
    add_energy(&s, energy.at[0], false);
    const expr *variable = s.in + s.n_parameters;
    size_t n = (s.n_in - s.n_parameters) / 2;
    for (size_t k = 0; k < 3; k++) { /* the columns of G that belong to lean, pitch and steer */
        expr one = graph_const(s.g, 1);
        if (diff_forward(s.g, s.out + 1 + n, n, &variable[3 + k], &one, 1, s.out + s.n_out) !=
            NOSLIP_OK)
            exit(1);
        s.n_out += n;
    }
    return s;
}

double bench_input(size_t input, size_t point)
{
    uint64_t h = (input * 7919 + point * 104729 + 12345) * 0x9E3779B97F4A7C15u;
    h ^= h >> 31;
    return 0.3 + (double)(h >> 11) * 0x1p-53;
}

tape *bench_compile(const bench_system *s, size_t n_fixed)
{
    noslip_error err;
    tape *t;
    const tape_spec spec = {
        .in = s->in, .n_in = s->n_in, .n_fixed = n_fixed, .out = s->out, .n_out = s->n_out};
    if (tape_compile(s->g, &spec, &t, &err) != NOSLIP_OK) die(&err);
    return t;
}

void bench_free(bench_system *s)
{
    scope_free(s->names);
    graph_free(s->g);
}
