/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every allocation made to fail in turn while a checkpoint is made, written, gone on with and removed. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "case.h"
#include "log.h"
#include "noslip/noslip.h"

enum { RECORDS = 307 }; /* more than the index has room for at first, several times */

static char folder[] = "/tmp/noslip-memory-XXXXXX";
static char path[sizeof folder + 20], beside[sizeof folder + 20];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sweep.ckpt", folder);
    snprintf(beside, sizeof beside, "%s/sweep.ckpt.new", folder);
}

static void remove_folder(void)
{
    unlink(path);
    unlink(beside);
    rmdir(folder);
}

TestSuite(region_memory, .init = make_folder, .fini = remove_folder);

static void expect_size(off_t size)
{
    struct stat s;
    if (stat(path, &s) != 0 || s.st_size != size)
        cr_assert_fail("%ld bytes instead of %ld", (long)s.st_size, (long)size);
}

static noslip_status write_all(noslip_error *err)
{
    checkpoint *c = NULL;
    noslip_status status = checkpoint_create(path, "wheel", 5, &c, err);
    if (status != NOSLIP_OK) cr_assert_neq(access(beside, F_OK), 0);
    if (status != NOSLIP_OK) return status;
    uint32_t k = 0;
    while (k < RECORDS && status == NOSLIP_OK) {
        status = checkpoint_append(c, (unit_key){1, 2, k}, "seven..", 7, err);
        k += status == NOSLIP_OK;
    }
    expect_size(30 + 5 + 4 + k * (24 + 7 + 4)); /* a record that was refused left nothing */
    checkpoint_close(c);
    return status;
}

static noslip_status read_all(noslip_error *err)
{
    checkpoint *c = NULL;
    noslip_status status = checkpoint_resume(path, "wheel", 5, &c, err);
    expect_size(30 + 5 + 4 + RECORDS * (24 + 7 + 4)); /* whatever happens */
    char to[7];
    for (uint32_t k = 0; k < RECORDS && status == NOSLIP_OK; k++)
        status = checkpoint_read(c, (unit_key){1, 2, k}, to, 7, err);
    if (status == NOSLIP_OK) checkpoint_close(c);
    return status;
}

static noslip_status remove_it(noslip_error *err)
{
    return checkpoint_remove(path, err);
}

static long let_every_allocation_fail(noslip_status (*job)(noslip_error *err))
{
    for (long allowed = 0; allowed < 1000; allowed++) {
        noslip_error err = {0};
        noslip_alloc_fail_after(allowed);
        noslip_status status = job(&err);
        noslip_alloc_fail_after(-1);
        if (status != err.status) cr_assert_fail("status %d, but err says %d", status, err.status);
        if (status != NOSLIP_OK && status != NOSLIP_ERR_MEMORY)
            cr_assert_fail("status %d after %ld allocations: %s", status, allowed, err.message);
        if (noslip_alloc_live() != 0)
            cr_assert_fail("%ld blocks left after %ld allocations", noslip_alloc_live(), allowed);
        if (status == NOSLIP_OK) return allowed;
    }
    cr_assert_fail("the job never gets through");
    return 0;
}

Test(region_memory, a_checkpoint_survives_every_failure)
{
    cr_expect_geq(let_every_allocation_fail(write_all), 7);
    cr_expect_geq(let_every_allocation_fail(read_all), 7);
    cr_expect_geq(let_every_allocation_fail(remove_it), 1);
}

/* A small plane with a fold, so that points are done alone and edges are torn. */
static noslip_status sweep_plane(void)
{
    static const char words[] =
        "parameters: {a: -0.7, b: 0.21}\ncoordinates: [x]\nkinetic: x'^2/2\n"
        "potential: x^4/4 - a*x^2/2 - b*x\ndissipation: 0.31*x'^2\nsteady: {guess: {x: 0.2}}\n"
        "region: {x: {parameter: a, from: -1, to: 1}, y: {parameter: b, from: -0.47, to: 0.51}}\n";
    noslip_case *c = NULL;
    noslip_model *m = NULL;
    noslip_region *r = NULL;
    noslip_region_options o = noslip_region_defaults();
    o.resolution = 16;
    o.sheets = 2;
    o.threads = 1;
    noslip_status status = case_read_bytes("test.yaml", words, sizeof words - 1, NULL, &c, NULL);
    if (status == NOSLIP_OK) status = noslip_model_make(c, &m, NULL);
    if (status == NOSLIP_OK) status = noslip_region_find(m, &o, &r, NULL);
    if (status == NOSLIP_OK) o.grid[0] = 19, o.grid[1] = 13;
    noslip_region_free(r);
    r = NULL;
    if (status == NOSLIP_OK) status = noslip_region_find(m, &o, &r, NULL);
    noslip_region_free(r);
    noslip_model_free(m);
    noslip_case_close(c);
    return status;
}

Test(region_memory, a_sweep_survives_every_failure)
{
    noslip_status status = NOSLIP_ERR_MEMORY;
    long allowed = 0, runs = 0;
    for (; status != NOSLIP_OK && allowed < 400000; allowed += 1 + allowed / 60, runs++) {
        noslip_alloc_fail_after(allowed);
        status = sweep_plane();
        noslip_alloc_fail_after(-1);
        cr_assert(status == NOSLIP_OK || status == NOSLIP_ERR_MEMORY, "after %ld: status %d",
                  allowed, status);
        cr_assert_eq(noslip_alloc_live(), 0, "leak after %ld allocations", allowed);
    }
    cr_assert_eq(status, NOSLIP_OK);
    cr_assert_gt(runs, 150);
}
