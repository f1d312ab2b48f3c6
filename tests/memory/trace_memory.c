/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "alloc.h"
#include "case.h"
#include "noslip/trace.h"

/* Memory runs out on purpose: at the 1st, the 2nd, the 3rd ... allocation of a trace through a branch point and of the other
 * branch, until both get through. Each time it says so, and leaves nothing behind. */

static const char bytes[] = "parameters: {m: 0.4, g: 9.81, R: 0.3, J: 0.7, Om: 1, c: 2*R}\n"
                            "coordinates: [th, psi]\n"
                            "kinetic: m*R^2/2*(th'^2 + sin(th)^2*psi'^2) + J/2*psi'^2\n"
                            "potential: -m*g*R*cos(th)\n"
                            "dissipation: c*th'^2/2\n"
                            "steady: {with: psi' = Om, guess: {psi': Om}}\n"
                            "trace: {parameter: Om, from: 3, to: 9, modes: [one, two]}\n";

static noslip_status run(noslip_model *m, noslip_error *err)
{
    noslip_trace_options o = noslip_trace_default();
    noslip_trace *t = NULL, *b = NULL;
    o.steps = 10;
    noslip_status status = noslip_trace_follow(m, &o, &t, err);
    if (status == NOSLIP_OK) {
        size_t k = 0;
        while (!(noslip_trace_critical(t, k).motion & NOSLIP_MOTION_BRANCH)) k++;
        status = noslip_trace_switch(t, k, 1, &b, err);
    }
    noslip_trace_free(b);
    noslip_trace_free(t);
    return status;
}

/* On a case of its own: what has failed once stays failed. */
static noslip_status run_anew(long allowed, noslip_error *err)
{
    noslip_case *c;
    noslip_model *m;
    cr_assert_eq(case_read_bytes("case", bytes, strlen(bytes), NULL, &c, err), NOSLIP_OK);
    cr_assert_eq(noslip_model_make(c, &m, err), NOSLIP_OK);
    noslip_alloc_fail_after(allowed);
    noslip_status status = run(m, err);
    noslip_alloc_fail_after(-1);
    noslip_model_free(m);
    noslip_case_close(c);
    return status;
}

Test(trace_memory, a_trace_and_its_other_branch_survive_every_failure)
{
    long allowed = 0;
    for (;; allowed++) {
        noslip_error err = {0};
        noslip_status status = run_anew(allowed, &err);
        if (noslip_alloc_live() != 0)
            cr_assert_fail("%ld blocks left after %ld allocations", noslip_alloc_live(), allowed);
        if (status == NOSLIP_OK) break;
        if (status != NOSLIP_ERR_MEMORY || err.status != status)
            cr_assert_fail("status %d, err says %d after %ld allocations: %s", status, err.status,
                           allowed, err.message);
    }
    cr_expect_geq(allowed, 100, "%ld allocations", allowed);
}
