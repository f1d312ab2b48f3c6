/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "noslip/noslip.h"

/* Memory runs out on purpose, at the 1st, the 2nd, the 3rd ... allocation: ours, and in a second round jansson's, which has a heap of
 * its own. Each time the report says so and leaves nothing behind. */

typedef struct {
    noslip_case *c;
    noslip_model *m;
    noslip_steady *s;
    noslip_roots *r[8];
    noslip_case *sleigh;
    noslip_model *sliding;
    noslip_trace *t;
    noslip_region *g;
} study;

static void open_sleigh(study *y)
{
    noslip_trace_options along = noslip_trace_default();
    noslip_region_options o = noslip_region_defaults();
    along.steps = 5;
    o.resolution = 16;
    o.threads = 1;
    cr_assert_eq(noslip_case_open("chaplygin-sleigh", NULL, &y->sleigh, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_model_make(y->sleigh, &y->sliding, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_trace_follow(y->sliding, &along, &y->t, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_region_find(y->sliding, &o, &y->g, NULL), NOSLIP_OK);
}

static study open_study(void)
{
    study y = {0};
    noslip_search o = noslip_search_default();
    cr_assert_eq(noslip_case_open("bead-on-wire", NULL, &y.c, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_model_make(y.c, &y.m, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_steady_find_all(y.m, &o, &y.s, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_steady_count(y.s), 2);
    for (size_t k = 0; k < 2; k++)
        cr_assert_eq(noslip_roots_find(y.s, k, &y.r[k], NULL), NOSLIP_OK);
    open_sleigh(&y);
    return y;
}

static void close_study(study *y)
{
    noslip_region_free(y->g);
    noslip_trace_free(y->t);
    noslip_model_free(y->sliding);
    noslip_case_close(y->sleigh);
    for (size_t k = 0; k < 2; k++) noslip_roots_free(y->r[k]);
    noslip_steady_free(y->s);
    noslip_model_free(y->m);
    noslip_case_close(y->c);
}

static noslip_status report(const study *y, int which, char **json, noslip_error *err)
{
    static const noslip_error finding = {.message = "nothing", .hint = "look elsewhere"};
    switch (which) {
    case 0: return noslip_report_check(y->m, json, err);
    case 1: return noslip_report_steady(y->s, json, err);
    case 2: return noslip_report_roots(y->s, y->r, true, json, err);
    case 3: return noslip_report_trace(y->t, json, err);
    case 4: return noslip_report_region(y->g, json, err);
    default: return noslip_report_finding(&finding, json, err);
    }
}
enum { REPORTS = 6 };

/* jansson's door to the heap: one allocation fails, and later ones do not, so that what was lost stays lost. */
static long json_allowed = -1, json_live;

static void *json_take(size_t size)
{
    if (json_allowed >= 0 && json_allowed-- == 0) return NULL;
    json_live++;
    return malloc(size);
}

static void json_give(void *block)
{
    json_live -= block != NULL;
    free(block);
}

/* What comes through must be the whole: nothing is left out because memory was short. */
static void let_every_allocation_fail(const study *y, int which, bool theirs)
{
    char *whole = NULL;
    cr_assert_eq(report(y, which, &whole, NULL), NOSLIP_OK);
    long before = noslip_alloc_live();
    for (long allowed = 0;; allowed++) {
        char *json = NULL;
        noslip_error err = {0};
        if (theirs)
            json_allowed = allowed;
        else
            noslip_alloc_fail_after(allowed);
        noslip_status status = report(y, which, &json, &err);
        noslip_alloc_fail_after(-1);
        bool through = theirs ? json_allowed >= 0 : status == NOSLIP_OK;
        json_allowed = -1;
        if (status != NOSLIP_OK && (status != NOSLIP_ERR_MEMORY || json || err.status != status))
            cr_assert_fail("report %d: status %d after %ld allocations", which, status, allowed);
        if (status == NOSLIP_OK && strcmp(json, whole) != 0)
            cr_assert_fail("report %d: not all is there after %ld allocations", which, allowed);
        noslip_report_free(json);
        if (noslip_alloc_live() != before || json_live != 0)
            cr_assert_fail("report %d: %ld and %ld blocks left after %ld allocations", which,
                           noslip_alloc_live() - before, json_live, allowed);
        if (through) break;
        cr_assert_lt(allowed, 100000);
    }
    noslip_report_free(whole);
}

Test(report_memory, every_report_survives_every_failure)
{
    study y = open_study();
    json_set_alloc_funcs(json_take, json_give);
    for (int which = 0; which < REPORTS; which++) {
        let_every_allocation_fail(&y, which, false);
        let_every_allocation_fail(&y, which, true);
    }
    close_study(&y);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(report_memory, a_file_is_left_alone_when_memory_is_short)
{
    char path[] = "/tmp/noslip-report-XXXXXX", room[10] = {0};
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, "old", 3), 3);
    for (long allowed = 0;; allowed++) {
        noslip_alloc_fail_after(allowed);
        noslip_status status = noslip_report_write(path, "new!", 4, NULL);
        noslip_alloc_fail_after(-1);
        cr_assert_eq(noslip_alloc_live(), 0);
        FILE *f = fopen(path, "r");
        cr_assert_not_null(f);
        size_t n = fread(room, 1, sizeof room, f);
        fclose(f);
        cr_expect_eq(n, status == NOSLIP_OK ? 4 : 3);
        if (status == NOSLIP_OK) break;
        cr_assert_eq(status, NOSLIP_ERR_MEMORY);
        cr_assert_lt(allowed, 10);
    }
    close(file);
    unlink(path);
}
