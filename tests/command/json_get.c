/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read JSON from standard input and print what stands under a path of keys and indices: a text, a number with 17 digits, true, false,
 * null, or how many entries a list or an object has. Exit status 1, with a message, if it is not JSON or not there. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static const json_t *step(const json_t *at, const char *key)
{
    if (json_is_object(at)) return json_object_get(at, key);
    return json_is_array(at) ? json_array_get(at, strtoul(key, NULL, 10)) : NULL;
}

static void print(const json_t *at)
{
    if (json_is_string(at))
        puts(json_string_value(at));
    else if (json_is_integer(at))
        printf("%lld\n", (long long)json_integer_value(at));
    else if (json_is_real(at))
        printf("%.17g\n", json_real_value(at));
    else if (json_is_array(at))
        printf("%zu entries\n", json_array_size(at));
    else if (json_is_object(at))
        printf("%zu entries\n", json_object_size(at));
    else
        puts(json_is_true(at) ? "true" : json_is_false(at) ? "false" : "null");
}

int main(int argc, char **argv)
{
    json_error_t err;
    json_t *all = json_loadf(stdin, JSON_REJECT_DUPLICATES, &err);
    if (!all) {
        fprintf(stderr, "not JSON: line %d: %s\n", err.line, err.text);
        return 1;
    }
    const json_t *at = all;
    for (int k = 1; k < argc && at; k++) at = step(at, argv[k]);
    if (at)
        print(at);
    else
        fputs("not there\n", stderr);
    json_decref(all);
    return at ? 0 : 1;
}
