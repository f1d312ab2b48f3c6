/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_OPTIONS_H
#define NOSLIP_CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "cli.h"

enum { OPTIONS_MOST = 100 }; /* of a kind */

/* What every command on a case is told. */
typedef struct {
    const char *name;                        /* the case */
    const char *overrides[OPTIONS_MOST + 1]; /* "name=value", ended by NULL */
    int n_overrides;
    const char *output; /* a file for the results; NULL for standard output */
    bool json, quiet;
} case_options;

/* And those that may search. */
typedef struct {
    bool all, narrowed; /* narrowed: --box or --starts was given */
    noslip_search search;
    noslip_range ranges[OPTIONS_MOST];
} search_options;

/* For the children of a command's argp, with one of the above as its input. A command begins with these inputs:
 * case_options zeroed, and search_options_default(). */
extern const struct argp case_argp, search_argp;
search_options search_options_default(void);

/* Read NAME=FROM..TO, or a whole number from 1; the program ends with a message that names the option if it is none. `arg` is taken apart,
 * and the name stays in it. */
void options_range(struct argp_state *state, const char *option, char *arg, noslip_range *out);
size_t options_count(struct argp_state *state, const char *option, const char *arg);

/* Parse a command's arguments; the program ends here for --help and for bad options. `title` is "noslip COMMAND", and stays in argv. */
void options_parse(const struct argp *argp, char *title, int argc, char **argv, void *input);

#endif
