/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "case.h"
#include "file.h"
#include "text.h"

/* Bad case files. Those of tests/badcases have their messages, as a user sees them, in expected.txt there: a block begins with
 * the name of the file and ends with an empty line. */

#define BADCASES NOSLIP_SOURCE_CASES "/../tests/badcases"

static void format(const noslip_error *err, char *out, size_t size)
{
    int n = noslip_error_format(err, out, size);
    cr_assert(n > 0 && (size_t)n < size);
}

static int is_case(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 5 && strcmp(e->d_name + n - 5, ".yaml") == 0;
}

/* The block of a file: from its name at the beginning of a line to the name that begins the next. */
static const char *block_of(const char *all, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = all; at; at = strchr(at, '\n')) {
        if (*at == '\n') at++;
        if (strncmp(at, name, n) == 0 && at[n] == ':') return at;
    }
    return NULL;
}

static void check_bad_file(const char *name, const char *expected)
{
    noslip_case *c = NULL;
    noslip_error err = {0};
    char said[1200];
    noslip_status status = case_read(name, NULL, &c, &err);
    if (status == NOSLIP_OK) case_free(c);
    cr_assert(status == NOSLIP_ERR_CASE || status == NOSLIP_ERR_FORMULA, "%s: status %d", name,
              status);
    cr_assert_eq(status, err.status);
    format(&err, said, sizeof said - 2);
    strcat(said, "\n\n");
    const char *block = block_of(expected, name);
    cr_assert(block, "%s: no message is expected, but it says\n%s", name, said);
    cr_expect(strncmp(block, said, strlen(said)) == 0, "%s says\n%s", name, said);
}

Test(casefile_errors, each_bad_file_gets_its_message)
{
    char *expected;
    size_t size;
    struct dirent **file;
    cr_assert_eq(chdir(BADCASES), 0);
    cr_assert_eq(file_read("expected.txt", 1 << 20, &expected, &size, NULL), NOSLIP_OK);
    int n = scandir(".", &file, is_case, alphasort);
    cr_assert_geq(n, 130);
    for (int k = 0; k < n; k++) {
        check_bad_file(file[k]->d_name, expected);
        free(file[k]);
    }
    free(file);
    noslip_free(expected);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* What is better made than stored */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Refused with these words at this place, quickly, and nothing is left. */
static void refuse(const char *bytes, size_t n, int line, int column, const char *message)
{
    noslip_case *c = NULL;
    noslip_error err = {0};
    long before = noslip_alloc_live();
    double start = seconds();
    noslip_status status = case_read_bytes("case.yaml", bytes, n, NULL, &c, &err);
    double took = seconds() - start;
    cr_assert(status < 0 && status != NOSLIP_ERR_MEMORY, "status %d: %s", status, err.message);
    cr_expect_str_eq(err.message, message);
    cr_expect(err.line == line && err.column == column, "%d:%d: %s", err.line, err.column,
              err.message);
    cr_expect_lt(took, 5.0, "took %g s", took);
    cr_expect_eq(noslip_alloc_live(), before);
}

static char *repeat(const char *head, const char *unit, size_t times, const char *tail, size_t *n)
{
    size_t a = strlen(head), b = strlen(unit), c = strlen(tail);
    char *out = malloc(a + times * b + c + 1), *at = out + a;
    cr_assert(out);
    memcpy(out, head, a);
    for (size_t k = 0; k < times; k++, at += b) memcpy(at, unit, b);
    memcpy(at, tail, c + 1);
    *n = a + times * b + c;
    return out;
}

static void refuse_repeated(const char *head, const char *unit, size_t times, const char *tail,
                            int line, int column, const char *message)
{
    size_t n;
    char *bytes = repeat(head, unit, times, tail, &n);
    refuse(bytes, n, line, column, message);
    free(bytes);
}

#define BASE "coordinates: [x]\nkinetic: x'^2\n"

Test(casefile_errors, a_formula_of_a_megabyte_is_refused)
{
    refuse_repeated(BASE "potential: x", "+x*x", 1 << 18, "\n", 3, 12,
                    "the formula has 1048577 bytes, more than the 262144 that are allowed");
}

Test(casefile_errors, deep_nesting_is_refused)
{
    static const char words[] = "nested too deeply (more than 32 levels)";
    refuse_repeated("title: ", "[", 1000000, "", 1, 39, words);
    refuse_repeated("", "- ", 1000000, "x\n", 1, 65, words);
    refuse_repeated("", "{a: ", 1000000, "", 1, 129, words);
    refuse_repeated("", "? ", 500000, "a\n", 1, 3, "a key must be a name or a text");
    refuse_repeated(BASE "potential: ", "(", 100000, "x\n", 3, 212,
                    "the formula is nested too deeply (more than 200 levels)");
}

Test(casefile_errors, a_file_of_many_keys_is_refused)
{
    refuse_repeated("title: [", "a,", 300000, "a]\n", 1, 524291,
                    "the file has more than 262144 keys and values");
}

Test(casefile_errors, a_mapping_of_many_keys_is_checked_for_twins_quickly)
{
    text all = {0};
    for (int k = 0; k < 100000; k++) text_printf(&all, "k%d: 1\n", (k * 7919) % 100000);
    text_puts(&all, "k5: 2\n");
    refuse(all.at, all.n, 100001, 1, "the key 'k5' stands twice");
    text_free(&all);
}

Test(casefile_errors, a_case_of_five_megabytes_is_refused)
{
    refuse_repeated("# ", "long ", 1 << 20, "\n", 0, 0,
                    "the case has 5242883 bytes, more than the 4194304 that are allowed");
}

Test(casefile_errors, a_sum_of_a_billion_terms_is_refused)
{
    refuse(BASE "potential: sum(i, 1, 1000000000, x)\n", strlen(BASE) + 36, 3, 12,
           "the formula has more than 5000000 terms, its sums written out");
}

Test(casefile_errors, every_wrong_byte_is_found)
{
    char bytes[] = "title: ....\n" BASE;
    static const char *const wrong[] = {"\x80",     "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                                        "\xe2\x82", "\xff"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char message[40];
        memcpy(bytes + 7, "....", 4);
        memcpy(bytes + 7, wrong[k], strlen(wrong[k]));
        snprintf(message, sizeof message, "a byte that is not UTF-8: 0x%02X",
                 (unsigned char)wrong[k][0]);
        refuse(bytes, sizeof bytes - 1, 1, 8, message);
    }
}

/* Overrides */

static void refuse_override(const char *given, const char *whole_message)
{
    static const char bytes[] = "parameters: {mass: 1, stiffness: 2*mass}\n" BASE;
    const char *const overrides[] = {given, NULL};
    noslip_case *c = NULL;
    noslip_error err = {0};
    char said[1000];
    cr_assert_lt(case_read_bytes("case.yaml", bytes, sizeof bytes - 1, overrides, &c, &err), 0);
    format(&err, said, sizeof said);
    cr_expect_str_eq(said, whole_message);
    cr_expect_eq(noslip_alloc_live(), 0);
}

Test(casefile_errors, a_wrong_override_points_into_itself)
{
    refuse_override("mas=2", "override:1:1: error: the case has no parameter 'mas'\nmas=2\n^~~  "
                             "did you mean 'mass'?");
    refuse_override("x=2", "override:1:1: error: the case has no parameter 'x'\nx=2\n^");
    refuse_override("mass", "error: 'mass' is not of the form name=value");
    refuse_override("=3", "override:1:1: error: the case has no parameter ''\n=3\n^");
    refuse_override("mass=", "override:1:6: error: the formula is empty\nmass=\n     ^");
    refuse_override("mass = 2*mas", "override:1:10: error: unknown name 'mas'\nmass = 2*mas\n      "
                                    "   ^~~  did you mean 'mass'?");
    refuse_override("mass=stiffness",
                    "case.yaml:1:23: error: parameter 'stiffness' depends on itself\n"
                    "parameters: {mass: 1, stiffness: 2*mass}\n                      ^~~~~~~~~");
    refuse_override("mass=1/0", "override:1:7: error: division by zero\nmass=1/0\n      ^");
}

Test(casefile_errors, an_override_of_a_case_without_parameters_is_refused)
{
    const char *const overrides[] = {"m=1", NULL};
    noslip_case *c;
    noslip_error err = {0};
    cr_assert_eq(case_read_bytes("c", BASE, strlen(BASE), overrides, &c, &err), NOSLIP_ERR_CASE);
    cr_expect_str_eq(err.message, "the case has no parameters");
    cr_expect_eq(noslip_alloc_live(), 0);
}

/* Files */

static void refuse_file(const char *given, const char *message, const char *hint)
{
    noslip_case *c;
    noslip_error err = {0};
    cr_assert_eq(noslip_case_open(given, NULL, &c, &err), NOSLIP_ERR_FILE);
    cr_expect_str_eq(err.message, message);
    cr_expect_str_eq(err.hint, hint);
    cr_expect_eq(noslip_alloc_live(), 0);
}

Test(casefile_errors, what_cannot_be_read_is_named)
{
    refuse_file("rolling-dsik", "no file, no folder and no shipped case 'rolling-dsik'",
                "did you mean 'rolling-disk'?");
    refuse_file("perpetuum-mobile", "no file, no folder and no shipped case 'perpetuum-mobile'",
                "");
    refuse_file("", "no file, no folder and no shipped case ''", "");
    refuse_file("/nowhere/disk.yaml", "cannot read '/nowhere/disk.yaml': No such file or directory",
                "");
    refuse_file("/usr", "the folder '/usr' holds no case file of its name (.yaml)", "");
}

Test(casefile_errors, a_folder_is_no_file)
{
    noslip_case *c;
    noslip_error err = {0};
    cr_assert_eq(case_read("/usr", NULL, &c, &err), NOSLIP_ERR_FILE);
    cr_expect_str_eq(err.message, "cannot read '/usr': Is a directory");
}

Test(casefile_errors, a_file_without_permission_is_refused)
{
    char path[] = "/tmp/noslip-case-XXXXXX";
    noslip_case *c;
    noslip_error err = {0};
    int f = mkstemp(path);
    cr_assert_geq(f, 0);
    cr_assert_eq(fchmod(f, 0), 0);
    close(f);
    noslip_status status = case_read(path, NULL, &c, &err);
    cr_expect_eq(status, geteuid() == 0 ? NOSLIP_ERR_CASE
                                        : NOSLIP_ERR_FILE); /* root may read: it is empty */
    unlink(path);
    cr_expect_eq(noslip_alloc_live(), 0);
}

Test(casefile_errors, an_endless_file_is_refused)
{
    noslip_case *c;
    noslip_error err = {0};
    cr_assert_eq(case_read("/dev/zero", NULL, &c, &err), NOSLIP_ERR_FILE);
    cr_expect_str_eq(err.message, "'/dev/zero' has more than the 4194304 bytes that are allowed");
    cr_expect_eq(noslip_alloc_live(), 0);
}
