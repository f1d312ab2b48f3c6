/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "alloc.h"
#include "case.h"

/* Memory runs out on purpose: at the 1st, the 2nd, the 3rd ... allocation, until the case is read. Each time it says so, and leaves
 * nothing behind. (libyaml has a heap of its own, which cannot be made to fail here.) */

typedef noslip_status (*job)(noslip_case **out, noslip_error *err);

static long let_every_allocation_fail(job work)
{
    for (long allowed = 0; allowed < 100000; allowed++) {
        noslip_case *c = NULL;
        noslip_error err = {0};
        noslip_alloc_fail_after(allowed);
        noslip_status status = work(&c, &err);
        noslip_alloc_fail_after(-1);
        if (status != err.status) cr_assert_fail("status %d, but err says %d", status, err.status);
        if (status != NOSLIP_OK && status != NOSLIP_ERR_MEMORY)
            cr_assert_fail("status %d after %ld allocations: %s", status, allowed, err.message);
        if (status == NOSLIP_OK) case_free(c);
        if (noslip_alloc_live() != 0)
            cr_assert_fail("%ld blocks left after %ld allocations", noslip_alloc_live(), allowed);
        if (status == NOSLIP_OK) return allowed;
    }
    cr_assert_fail("the job never gets through");
    return 0;
}

static const char every_key[] =
    "title: everything\n"
    "parameters:\n"
    "  m: {value: 2*a, unit: kg, about: mass, latex: m}\n"
    "  a: 1/2\n"
    "  N: 2\n"
    "  mean: sum(i, 1, N, a)\n"
    "coordinates:\n"
    "  - theta: {unit: rad, about: lean, latex: \\theta}\n"
    "  - {name: x, unit: m}\n"
    "  - q[i=1..N]\n"
    "define:\n"
    "  R: rotz(theta)\n"
    "  M: [[1, x], [0, 1]]\n"
    "  r[i=1..N]: [x, 'q[i]', 0]\n"
    "gravity: vec(0, 0, -9.81)\n"
    "bodies:\n"
    "  point[i=1..N]: {mass: m, position: 'r[i]'}\n"
    "  disk:\n"
    "    mass: m\n"
    "    position: vec(x, 0, a)\n"
    "    rotation: rotz(theta)*rotx(x)\n"
    "    spin: vec(0, x', 0)\n"
    "    inertia: [[1, 0, a], [0, 2, 0], [a, 0, 3]]\n"
    "  plate:\n"
    "    mass: 0\n"
    "    rotation: [[cos(theta), -sin(theta), 0], [sin(theta), cos(theta), 0], [0, 0, 1]]\n"
    "    inertia: [1, 2, 3]\n"
    "kinetic: theta'^2\n"
    "potential: 'm*x'\n"
    "dissipation: \"x\\x27^2\"\n"
    "forces:\n"
    "  - theta: -x'\n"
    "  - push: {at: 'r[1]', force: [1, 0, x']}\n"
    "  - {at: 'r[2]', force: [1, 0, 0]}\n"
    "constraints:\n"
    "  roll: x' = a*theta'\n"
    "  level[i=1..N-1]: {equation: 'q[i] = q[i+1]'}\n"
    "quasi-velocities:\n"
    "  w: x'\n"
    "  u[i=1..N]: q[i]'\n"
    "steady:\n"
    "  with: [theta = a, w = mean]\n"
    "  guess: {theta: a, x': 1, w: 2}\n"
    "trace:\n"
    "  - {parameter: a, from: 1, to: 2*m, modes: [weave, capsize]}\n"
    "region:\n"
    "  x: {parameter: a, from: 0, to: 1}\n"
    "  y: {parameter: m, from: 0, to: 1}\n";

static noslip_status read_every_key(noslip_case **out, noslip_error *err)
{
    const char *const overrides[] = {"m=3*a", "a=0.7", NULL};
    return case_read_bytes("case.yaml", every_key, strlen(every_key), overrides, out, err);
}

Test(casefile_memory, a_case_with_every_key_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(read_every_key), 200);
}

static noslip_status open_shipped(noslip_case **out, noslip_error *err)
{
    return noslip_case_open("rolling-disk-bodies", (const char *const[]){"turn=3", NULL}, out, err);
}

Test(casefile_memory, opening_a_shipped_case_survives_every_failure)
{
    cr_assert_geq(let_every_allocation_fail(open_shipped), 100);
}

/* A bad case: short memory or the message, never another. */
Test(casefile_memory, a_bad_case_survives_every_failure)
{
    static const char bytes[] =
        "parameters: {m: 1}\ncoordinates: [x]\nkinetic: m*x'^2\npotential: 'n'\n";
    for (long allowed = 0;; allowed++) {
        noslip_case *c = NULL;
        noslip_error err = {0};
        noslip_alloc_fail_after(allowed);
        noslip_status status =
            case_read_bytes("case.yaml", bytes, sizeof bytes - 1, NULL, &c, &err);
        noslip_alloc_fail_after(-1);
        cr_assert_eq(noslip_alloc_live(), 0);
        cr_assert(status == NOSLIP_ERR_MEMORY || status == NOSLIP_ERR_FORMULA);
        if (status == NOSLIP_ERR_MEMORY) continue;
        cr_expect_str_eq(err.message, "unknown name 'n'");
        break;
    }
}
