/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

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

int cli_exit_status(noslip_status status)
{
    if (status == NOSLIP_OK) return EXIT_DONE;
    if (status > NOSLIP_OK) return EXIT_FINDING;
    return status == NOSLIP_ERR_MEMORY ? EXIT_INTERNAL : EXIT_INPUT;
}

int cli_fail(const noslip_error *err)
{
    char message[2048];
    noslip_error_format(err, message, sizeof message);
    if (err->line)
        fprintf(stderr, "%s\n", message);
    else
        cli_complain("%s%s%s", err->message, err->hint[0] ? "; " : "", err->hint);
    return cli_exit_status(err->status);
}

int cli_finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    cli_complain("standard output: %s", strerror(errno));
    return EXIT_INTERNAL;
}

void *cli_memory(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (block) return block;
    cli_complain("out of memory");
    exit(EXIT_INTERNAL);
}
