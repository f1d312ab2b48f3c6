/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "cli.h"

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *about;
} command;

static const command commands[] = {
    {"check", cli_check, "what is understood of a case: roles, constraints, energies"},
    {"steady", cli_steady, "its steady motions, their manifold, reactions and power"},
    {"roots", cli_roots, "whether they are stable: roots, modes, verdict"},
    {"trace", cli_trace, "one parameter varied: critical values, modes, where it is stable"},
    {"region", cli_region, "two parameters varied: stability regions and their boundaries"},
    {"formula", cli_formula, "how a formula is understood, its derivatives, its value"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *out)
{
    fprintf(out, "Usage: noslip COMMAND ...\n\n"
                 "Stability of steady motions of mechanical systems that roll or slide\n"
                 "without slipping.\n\n"
                 "Commands:\n");
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-10s %s\n", commands[k].name, commands[k].about);
    fprintf(out, "\nA case is a file, a folder or the name of a shipped case.\n"
                 "noslip COMMAND --help tells about a command; noslip --version prints the\n"
                 "version; man noslip tells everything.\n\n"
                 "Example:\n  noslip roots whipple-bicycle -p v=6.5\n\n"
                 "Exit status: 0 done; 1 a finding; 2 bad input; 3 internal error.\n");
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
