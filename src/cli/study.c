/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study.h"

#include <stdlib.h>

static void note_left_out(const noslip_model *m)
{
    for (size_t k = 0; k < noslip_model_about(m).constraints; k++) {
        noslip_constraint x = noslip_model_constraint(m, k);
        if (!x.kept)
            cli_complain("note: '%s' follows from the other constraints: left out", x.label);
    }
}

void study_open(study *y, const case_options *q)
{
    y->out = open_memstream(&y->bytes, &y->n_bytes);
    if (!y->out) y->status = y->err.status = NOSLIP_ERR_MEMORY;
    if (y->status == NOSLIP_OK) y->status = noslip_case_open(q->name, q->overrides, &y->c, &y->err);
    if (y->status == NOSLIP_OK) y->status = noslip_model_make(y->c, &y->m, &y->err);
    if (y->status == NOSLIP_OK && !q->quiet) note_left_out(y->m);
}

void study_find(study *y, const search_options *q)
{
    if (y->status != NOSLIP_OK) return;
    y->status = q->all ? noslip_steady_find_all(y->m, &q->search, &y->s, &y->err)
                       : noslip_steady_find(y->m, &y->s, &y->err);
    if (y->status == NOSLIP_OK) y->n = noslip_steady_count(y->s);
}

void study_roots(study *y)
{
    if (y->status != NOSLIP_OK) return;
    y->r = cli_memory(y->n, sizeof *y->r);
    for (size_t k = 0; k < y->n && y->status == NOSLIP_OK; k++)
        y->status = noslip_roots_find(y->s, k, &y->r[k], &y->err);
}

size_t study_states(const study *y)
{
    noslip_model_info i = noslip_model_about(y->m);
    return i.positional + i.quasi_velocities;
}

void study_put_json(study *y, char *json)
{
    if (json) fputs(json, y->out);
    noslip_report_free(json);
}

/* A finding is a result as well; for programs it is put where they look for results. */
static int tell_failure(study *y, const case_options *q)
{
    char *json = NULL;
    noslip_error finding = y->err;
    int exit_status = cli_exit_status(y->status);
    if (exit_status != EXIT_FINDING || !q->quiet) cli_fail(&finding);
    if (exit_status != EXIT_FINDING || !q->json) return exit_status;
    y->status = noslip_report_finding(&finding, &json, &y->err);
    study_put_json(y, json);
    return y->status == NOSLIP_OK ? EXIT_FINDING : cli_fail(&y->err);
}

static int deliver(study *y, const char *output, int exit_status)
{
    noslip_error err = {0};
    if (fclose(y->out) != 0) {
        cli_complain("out of memory");
        return EXIT_INTERNAL;
    }
    if (!y->n_bytes) return exit_status;
    if (output)
        return noslip_report_write(output, y->bytes, y->n_bytes, &err) == NOSLIP_OK
                   ? exit_status
                   : cli_fail(&err);
    fwrite(y->bytes, 1, y->n_bytes, stdout);
    return cli_finish(exit_status);
}

int study_end(study *y, const case_options *q, int done)
{
    int exit_status = y->status == NOSLIP_OK ? done : tell_failure(y, q);
    for (size_t k = 0; k < y->n && y->r; k++) noslip_roots_free(y->r[k]);
    free(y->r);
    noslip_steady_free(y->s);
    noslip_model_free(y->m);
    noslip_case_close(y->c);
    if (y->out) exit_status = deliver(y, q->output, exit_status);
    free(y->bytes);
    return exit_status;
}
