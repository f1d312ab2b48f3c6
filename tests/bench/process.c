/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wall time of whole runs of the command, in the middle of many, beside `noslip --version` in the same run: what starting a program that
 * loads the same libraries takes.  Usage: bench_process NOSLIP */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { RUNS = 31 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds; ends the program if the command does not end well. */
static double run(char *const *argv)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    double start = now();
    int number = posix_spawn(&child, argv[0], &actions, NULL, argv, environ);
    if (number == 0 && waitpid(child, &status, 0) < 0) number = errno;
    double taken = now() - start;
    posix_spawn_file_actions_destroy(&actions);
    if (number || status != 0) {
        fprintf(stderr, "%s %s: %s\n", argv[0], argv[1], number ? strerror(number) : "it fails");
        exit(1);
    }
    return taken;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(char *const *argv)
{
    double seconds[RUNS];
    for (int k = 0; k < RUNS; k++) seconds[k] = run(argv);
    qsort(seconds, RUNS, sizeof *seconds, compare);
    return seconds[RUNS / 2];
}

int main(int argc, char **argv)
{
    static struct {
        char name[20];
        double bar; /* ms */
    } cases[] = {{"rolling-disk", 20}, {"whipple-bicycle", 150}};
    char version[] = "--version", roots[] = "roots";
    int status = 0;
    if (argc != 2) return 2;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double base = median((char *const[]){argv[1], version, NULL});
        double taken = median((char *const[]){argv[1], roots, cases[k].name, NULL});
        printf(
            "noslip roots %-16s %7.2f ms, bar %3.0f ms; %5.2f times noslip --version (%.2f ms)%s\n",
            cases[k].name, 1e3 * taken, cases[k].bar, taken / base, 1e3 * base,
            1e3 * taken > cases[k].bar ? "  TOO SLOW" : "");
        if (1e3 * taken > cases[k].bar) status = 1;
    }
    return status;
}
