/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 0x100, KEY_ALL, KEY_BOX, KEY_STARTS };

static const struct argp_option case_list[] = {
    {"parameter", 'p', "NAME=VALUE", 0, "Give a parameter another value or formula", 0},
    {"output", 'o', "FILE", 0, "Write the results to FILE", 0},
    {"json", KEY_JSON, NULL, 0, "Results as JSON, with all digits", 0},
    {"quiet", 'q', NULL, 0, "No messages but errors", 0},
    {0},
};

static error_t parse_case(int key, char *arg, struct argp_state *state)
{
    case_options *q = state->input;
    switch (key) {
    case 'p':
        if (q->n_overrides == OPTIONS_MOST)
            argp_error(state, "more than %d parameters", OPTIONS_MOST);
        q->overrides[q->n_overrides++] = arg;
        return 0;
    case 'o': q->output = arg; return 0;
    case KEY_JSON: q->json = true; return 0;
    case 'q': q->quiet = true; return 0;
    case ARGP_KEY_ARG:
        if (q->name) argp_error(state, "one case at a time");
        q->name = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "no case is given"); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp case_argp = {.options = case_list, .parser = parse_case};

/* Searches */

static const struct argp_option search_list[] = {
    {"all", KEY_ALL, NULL, 0, "Search for every steady motion in a box", 0},
    {"box", KEY_BOX, "NAME=FROM..TO", 0, "Its side along a state (with --all)", 0},
    {"starts", KEY_STARTS, "N", 0, "Begin at N points (with --all; 500)", 0},
    {0},
};

search_options search_options_default(void)
{
    return (search_options){.search = noslip_search_default()};
}

/* A formula without names: pi/2 is as good as a number. */
static bool read_number(const char *words, double *out)
{
    noslip_formula *f;
    noslip_formula_info info;
    if (noslip_formula_open(words, NULL, &f, NULL) != NOSLIP_OK) return false;
    bool good = !noslip_formula_name(f, 0) && noslip_formula_measure(f, 0, &info) == NOSLIP_OK &&
                info.rows * info.cols == 1 && noslip_formula_evaluate(f, 0, NULL, out) == NOSLIP_OK;
    noslip_formula_close(f);
    return good;
}

void options_range(struct argp_state *state, const char *option, char *arg, noslip_range *out)
{
    char *equals = strchr(arg, '='), *dots = equals ? strstr(equals, "..") : NULL;
    if (!dots) argp_error(state, "%s '%s': NAME=FROM..TO is wanted", option, arg);
    *equals = *dots = '\0';
    out->name = arg;
    if (!read_number(equals + 1, &out->from) || !read_number(dots + 2, &out->to))
        argp_error(state, "%s: the range of '%s' is not given by two numbers", option, arg);
}

size_t options_count(struct argp_state *state, const char *option, const char *arg)
{
    char *end;
    errno = 0;
    long n = strtol(arg, &end, 10);
    if (errno || end == arg || *end || n < 1 || n > 100000000)
        argp_error(state, "%s '%s': a whole number from 1 to 100000000 is wanted", option, arg);
    return (size_t)n;
}

static error_t parse_search(int key, char *arg, struct argp_state *state)
{
    search_options *q = state->input;
    switch (key) {
    case KEY_ALL: q->all = true; return 0;
    case KEY_BOX:
        if (q->search.n_ranges == OPTIONS_MOST)
            argp_error(state, "more than %d ranges", OPTIONS_MOST);
        options_range(state, "--box", arg, &q->ranges[q->search.n_ranges++]);
        q->search.ranges = q->ranges;
        q->narrowed = true;
        return 0;
    case KEY_STARTS:
        q->search.starts = (int)options_count(state, "--starts", arg);
        q->narrowed = true;
        return 0;
    case ARGP_KEY_END:
        if (q->narrowed && !q->all) argp_error(state, "--box and --starts belong to --all");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp search_argp = {.options = search_list, .parser = parse_search};

void options_parse(const struct argp *argp, char *title, int argc, char **argv, void *input)
{
    argv[0] = title;
    argp_err_exit_status = EXIT_INPUT;
    setenv("ARGP_HELP_FMT", "no-dup-args-note", 0); /* a help fits a screen */
    if (argp_parse(argp, argc, argv, 0, NULL, input) != 0) exit(EXIT_INPUT);
}
