/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} command;

static const command commands[] = {
    {"roots", cli_roots, "the steady motion of a case, its roots, and whether it is stable"},
    {"trace", cli_trace, "one parameter varied: critical values, modes, where it is stable"},
    {"formula", cli_formula, "show how a formula is understood, its derivatives, its value"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *out)
{
    fprintf(out, "Usage: noslip COMMAND ...\n\n"
                 "Stability of steady motions of mechanical systems that roll or slide without "
                 "slipping.\n\n"
                 "Commands:\n");
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-10s %s\n", commands[k].name, commands[k].about);
    fprintf(out, "\nnoslip COMMAND --help tells about a command; noslip --version prints the "
                 "version.\n\n"
                 "Example:\n  noslip formula 'm*g*a*cos(theta)' -d theta -x m=1 -x g=9.81 -x a=0.5 "
                 "-x theta=0.3\n\n"
                 "Exit status: 0 done; 1 a finding; 2 bad input; 3 internal error.\n");
}

void cli_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("noslip: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int cli_fail(const noslip_error *err)
{
    char message[2048];
    noslip_error_format(err, message, sizeof message);
    if (err->line)
        fprintf(stderr, "%s\n", message);
    else
        cli_complain("%s%s%s", err->message, err->hint[0] ? "; " : "", err->hint);
    return err->status == NOSLIP_ERR_MEMORY ? EXIT_INTERNAL : EXIT_INPUT;
}

int cli_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    cli_complain("standard output: %s", strerror(errno));
    return EXIT_INTERNAL;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return cli_finish(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("noslip %s\n", NOSLIP_VERSION);
        return cli_finish(EXIT_DONE);
    }
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(argv[1], commands[k].name) == 0) return commands[k].run(argc - 1, argv + 1);
    cli_complain("no command '%s'; noslip --help lists them", argv[1]);
    return EXIT_INPUT;
}
