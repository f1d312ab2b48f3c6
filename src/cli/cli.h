/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_CLI_H
#define NOSLIP_CLI_H

#include <stdbool.h>

#include "noslip/noslip.h"

/* Exit statuses, the same for every command. */
enum {
    EXIT_DONE = 0,     /* done */
    EXIT_FINDING = 1,  /* done, and what was found is not what was hoped for */
    EXIT_INPUT = 2,    /* the input is wrong */
    EXIT_INTERNAL = 3, /* the program is at fault, or the machine is: memory */
};

/* A command takes its own arguments, the command's name first, and returns an exit status. */
int cli_check(int argc, char **argv);
int cli_steady(int argc, char **argv);
int cli_roots(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_region(int argc, char **argv);
int cli_formula(int argc, char **argv);

/* One line to stderr, after all that was printed so far; the format has no newline. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Write an error or a finding to stderr; the exit status that belongs to it. */
int cli_fail(const noslip_error *err);

/* The exit status that belongs to a status of the library. */
int cli_exit_status(noslip_status status);

/* Flush what was printed; EXIT_INTERNAL with a message if it could not be written (a full disk),
 * else `status`. */
int cli_finish(int status);

/* Zeroed memory; the program ends with a message when there is none. */
void *cli_memory(size_t count, size_t size);

#endif
