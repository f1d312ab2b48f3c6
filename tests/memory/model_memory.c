/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every allocation made to fail in turn while a system is built, derived, compiled and evaluated. */
#include <criterion/criterion.h>
#include <string.h>

#include "alloc.h"
#include "build.h"
#include "model.h"

static noslip_status define(mechanical_system *s, const char *words, expr *out)
{
    formula f = {0};
    source src = source_of_string(words);
    noslip_status status = formula_parse(&src, 0, src.size, false, &f, NULL);
    if (status == NOSLIP_OK) status = formula_build_number(&f, s->names, ~0u, NULL, out, NULL);
    formula_free(&f);
    return status;
}

/* A sleigh with a level, and a dissipation, so that every branch is walked. */
static noslip_status fill(mechanical_system *s)
{
    static const char *const names[] = {"x", "y", "psi", "z"};
    noslip_status status = system_add_parameter(s, "m", 1, (origin){0}, NULL);
    for (int k = 0; k < 4 && status == NOSLIP_OK; k++)
        status = system_add_coordinate(s, names[k], strlen(names[k]), (origin){0}, NULL);
    if (status == NOSLIP_OK)
        status = define(s, "m*(x'^2 + y'^2 + 2*z'^2)/2 + 0.7*psi'^2 + 0.3*m*psi'*y'*cos(psi)",
                        &s->kinetic);
    if (status == NOSLIP_OK) status = define(s, "0.2*psi'^2", &s->dissipation);
    static const char *const equations_of[] = {"x'*sin(psi) - y'*cos(psi)", "z - 0.3*z^2 - 0.1"};
    for (int k = 0; k < 2 && status == NOSLIP_OK; k++) {
        system_constraint c = {.label = equations_of[k]};
        status = define(s, equations_of[k], &c.e);
        if (status == NOSLIP_OK && !array_push(&s->constraints, c)) status = NOSLIP_ERR_MEMORY;
    }
    return status;
}

static noslip_status job(void)
{
    static const double one = 1.7;
    model *m = NULL;
    reduced *r = NULL;
    double value_of_m;
    mechanical_system *s = system_new();
    noslip_status status = s ? fill(s) : NOSLIP_ERR_MEMORY;
    const double *fixed[1] = {&one};
    if (status == NOSLIP_OK) status = system_evaluate_parameters(s, fixed, &value_of_m, NULL);
    if (status == NOSLIP_OK) status = model_new(s, &value_of_m, NULL, &m, NULL);
    if (status == NOSLIP_OK && !(r = reduced_new(m->e, m->f))) status = NOSLIP_ERR_MEMORY;
    if (status == NOSLIP_OK) cr_assert_eq(m->n_levels, 1);
    reduced_free(r);
    model_free(m);
    system_free(s);
    return status;
}

Test(model_memory, a_model_survives_every_failure)
{
    noslip_status status = NOSLIP_ERR_MEMORY;
    long allowed = 0;
    for (; status != NOSLIP_OK && allowed < 20000; allowed += 1 + allowed / 400) {
        noslip_alloc_fail_after(allowed);
        status = job();
        noslip_alloc_fail_after(-1);
        cr_assert(status == NOSLIP_OK || status == NOSLIP_ERR_MEMORY, "after %ld: status %d",
                  allowed, status);
        cr_assert_eq(noslip_alloc_live(), 0, "leak after %ld allocations", allowed);
    }
    cr_assert_eq(status, NOSLIP_OK);
    cr_assert_gt(allowed, 100);
}
