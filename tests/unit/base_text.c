/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "text.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The builder */

Test(text, nothing_added_is_no_memory)
{
    text t = {0};
    cr_assert_null(t.at);
    cr_assert_eq(t.n, 0);
    cr_assert_eq(noslip_alloc_live(), 0);
    text_free(&t);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(text, an_empty_piece_makes_an_empty_string)
{
    text t = {0};
    text_puts(&t, "");
    cr_assert_str_eq(t.at, "");
    cr_assert_eq(t.n, 0);
    text_free(&t);
    cr_assert_null(t.at);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(text, pieces_follow_each_other)
{
    text t = {0};
    text_puts(&t, "theta'");
    text_add(&t, " = 3.7 and more", 6);
    text_printf(&t, " + %d*%s%c", -41, "ψ", '!');
    cr_assert_str_eq(t.at, "theta' = 3.7 + -41*ψ!");
    cr_assert_eq(t.n, strlen(t.at));
    cr_assert_not(t.failed);
    text_free(&t);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(text, zero_bytes_are_bytes_like_others)
{
    text t = {0};
    text_add(&t, "a\0b", 3);
    text_add(&t, "\0c", 2);
    cr_assert_eq(t.n, 5);
    cr_assert_arr_eq(t.at, "a\0b\0c", 6);
    text_free(&t);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(text, many_pieces_of_all_lengths_stay_in_order_and_end_in_a_zero)
{
    enum { PIECES = 3001 };
    text t = {0};
    size_t expected = 0;
    for (int k = 0; k < PIECES; k++) {
        text_printf(&t, "%d;", k * k);
        expected += (size_t)snprintf(NULL, 0, "%d;", k * k);
        cr_assert_eq(t.n, expected);
        cr_assert_eq(t.at[t.n], '\0');
        cr_assert_lt(t.n, t.room);
    }
    const char *rest = t.at;
    for (int k = 0; k < PIECES; k++) {
        char *end;
        cr_assert_eq(strtol(rest, &end, 10), k * k);
        cr_assert_eq(*end, ';');
        rest = end + 1;
    }
    cr_assert_eq(*rest, '\0');
    text_free(&t);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(text, short_memory_keeps_what_was_there_and_stays_remembered)
{
    char long_piece[300];
    memset(long_piece, 'q', sizeof long_piece - 1);
    long_piece[sizeof long_piece - 1] = '\0';
    text t = {0};
    text_puts(&t, "kept");
    noslip_alloc_fail_after(0);
    text_puts(&t, long_piece);
    cr_assert(t.failed);
    noslip_alloc_fail_after(-1);
    text_puts(&t, "a");
    text_printf(&t, "%d", 7);
    cr_assert(t.failed);
    cr_assert_str_eq(t.at, "kept");
    cr_assert_eq(t.n, 4);
    text_free(&t);
    cr_assert_not(t.failed);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Numbers to text */

static const struct {
    double x;
    const char *text;
} written[] = {
    {0.0, "0"},
    {-0.0, "-0"},
    {7, "7"},
    {0.1, "0.1"},
    {-0.25, "-0.25"},
    {0.1 + 0.2, "0.30000000000000004"},
    {1.0 / 3, "0.3333333333333333"},
    {3.14159265358979323846, "3.141592653589793"},
    {123456789.125, "123456789.125"},
    {9007199254740993.0, "9007199254740992"},
    {5e-324, "5e-324"},
    {2.2250738585072009e-308, "2.225073858507201e-308"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {-DBL_MAX, "-1.7976931348623157e+308"},
};

Test(text_of_number, odd_numbers_have_their_shortest_digits)
{
    char out[TEXT_NUMBER_ROOM];
    for (size_t k = 0; k < COUNT(written); k++)
        cr_expect_str_eq(text_of_number(written[k].x, out), written[k].text, "row %zu: '%s'", k,
                         out);
}

Test(text_of_number, whole_numbers_that_end_in_zeros_are_written_without_an_exponent)
{
    const struct {
        double x;
        const char *text;
    } table[] = {{10, "10"}, {20, "20"}, {-70, "-70"}, {100, "100"}, {350, "350"}, {9810, "9810"}};
    char out[TEXT_NUMBER_ROOM];
    for (size_t k = 0; k < COUNT(table); k++)
        cr_expect_str_eq(text_of_number(table[k].x, out), table[k].text, "'%s' for %s", out,
                         table[k].text);
}

Test(text_of_number, what_is_no_number_has_one_spelling)
{
    char out[TEXT_NUMBER_ROOM];
    cr_expect_str_eq(text_of_number(INFINITY, out), "inf");
    cr_expect_str_eq(text_of_number(-INFINITY, out), "-inf");
    cr_expect_str_eq(text_of_number((double)NAN, out), "nan");
    cr_expect_str_eq(text_of_number(copysign((double)NAN, -1), out), "nan", "'%s'", out);
}

Test(text_of_number, the_result_is_the_buffer)
{
    char out[TEXT_NUMBER_ROOM];
    cr_assert_eq(text_of_number(2.75, out), out);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Any finite double: all exponents, subnormals too. */
static double random_double(uint64_t *state)
{
    for (;;) {
        uint64_t bits = next_random(state);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) return x;
    }
}

static double random_subnormal(uint64_t *state)
{
    uint64_t bits = next_random(state) >> 12;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double read_back(const char *shown)
{
    bool negative = *shown == '-';
    double x = (double)NAN;
    size_t n = strlen(shown) - negative;
    cr_assert_eq(text_to_number(shown + negative, n, &x), n, "'%s' is not read whole", shown);
    return negative ? -x : x;
}

static void expect_round_trip(double x, uint64_t seed)
{
    char out[TEXT_NUMBER_ROOM];
    double back = read_back(text_of_number(x, out));
    cr_expect(back == x && signbit(back) == signbit(x), "seed %llu: %a is written '%s', read %a",
              (unsigned long long)seed, x, out, back);
}

Test(text_of_number, every_double_reads_back_as_itself)
{
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        uint64_t state = seed * 0x9E3779B97F4A7C15u;
        expect_round_trip(random_double(&state), seed);
        expect_round_trip(random_subnormal(&state), seed);
    }
}

/* The shortest of what printf can write that reads back as x. */
static size_t shortest_of_printf(double x)
{
    size_t shortest = SIZE_MAX;
    char out[400];
    for (int digits = 0; digits <= 17; digits++)
        for (const char *const *f = (const char *const[]){"%.*g", "%.*e", "%.*f", NULL}; *f; f++) {
            size_t n = (size_t)snprintf(out, sizeof out, *f, digits, x);
            if (n < shortest && n < sizeof out && strtod(out, NULL) == x) shortest = n;
        }
    return shortest;
}

Test(text_of_number, no_notation_of_printf_is_shorter)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t state = seed * 0x9E3779B97F4A7C15u;
        double digits = (double)(next_random(&state) % 2001);
        double few = digits * pow(10, (double)(next_random(&state) % 19) - 9);
        const double x[] = {few, -few, random_double(&state)};
        for (size_t k = 0; k < COUNT(x); k++) {
            char out[TEXT_NUMBER_ROOM];
            size_t n = strlen(text_of_number(x[k], out));
            cr_assert_leq(n, shortest_of_printf(x[k]), "seed %llu: '%s' is not the shortest",
                          (unsigned long long)seed, out);
        }
    }
}

/* Some installed locale in which 3/2 is 1,5; false if there is none. */
static bool use_decimal_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "pl_PL.UTF-8", "ru_RU.UTF-8",
                                        "cs_CZ.UTF-8", "it_IT.UTF-8", "es_ES.UTF-8", "pt_BR.UTF-8",
                                        "de_DE",       "fr_FR",       "pl_PL"};
    for (size_t k = 0; k < COUNT(names); k++)
        if (setlocale(LC_ALL, names[k]) && strcmp(localeconv()->decimal_point, ",") == 0)
            return true;
    return false;
}

Test(text_of_number, a_decimal_comma_of_the_locale_changes_nothing)
{
    if (!use_decimal_comma()) cr_skip_test("no locale with a decimal comma is installed");
    char out[TEXT_NUMBER_ROOM];
    double x = 0;
    cr_assert_str_eq(text_of_number(-2.75, out), "-2.75");
    cr_assert_eq(text_to_number("2.75", 4, &x), 4);
    cr_assert_eq(x, 2.75);
    cr_assert_eq(text_to_number("2,75", 4, &x), 1);
    cr_assert_eq(x, 2);
    cr_assert_str_eq(localeconv()->decimal_point, ",", "the caller's locale is lost");
}

/* Text to numbers */

static const struct {
    const char *text;
    size_t taken;
    double x;
} read_rows[] = {
    {"0", 1, 0},
    {"37", 2, 37},
    {"007", 3, 7},
    {"2.75", 4, 2.75},
    {"2.", 2, 2},
    {".75", 3, 0.75},
    {"3e5", 3, 3e5},
    {"3E5", 3, 3e5},
    {"3e+05", 5, 3e5},
    {"3.e-5", 5, 3e-5},
    {".3e1", 4, 3},
    {"9.80665", 7, 9.80665},
    {"0.1000000000000000055511151231257827", 36, 0.1},
    {"1.7976931348623157e308", 22, DBL_MAX},
    {"1.7976931348623159e308", 22, INFINITY},
    {"1e309", 5, INFINITY},
    {"1e999999999999999999999", 23, INFINITY},
    {"4.9406564584124654e-324", 23, 5e-324},
    {"3e-324", 6, 5e-324},
    {"2e-324", 6, 0},
    {"1e-999999999999999999999", 24, 0},
    {"0e999999999999999999999", 23, 0},
    /* what follows a number is not taken */
    {"2*x", 1, 2},
    {"2e", 1, 2},
    {"2e+", 1, 2},
    {"2e-x", 1, 2},
    {"2ex", 1, 2},
    {"2e5e7", 3, 2e5},
    {"2.5.7", 3, 2.5},
    {"2..7", 2, 2},
    {"2e5.7", 3, 2e5},
    {"2,5", 1, 2},
    {"2_000", 1, 2},
    {"0x1F", 1, 0},
    {"2 5", 1, 2},
};

Test(text_to_number, all_forms_of_a_decimal_number_are_read)
{
    for (size_t k = 0; k < COUNT(read_rows); k++) {
        double x = -1;
        size_t taken = text_to_number(read_rows[k].text, strlen(read_rows[k].text), &x);
        cr_expect_eq(taken, read_rows[k].taken, "%s: %zu bytes taken", read_rows[k].text, taken);
        cr_expect_eq(x, read_rows[k].x, "%s: read as %a", read_rows[k].text, x);
    }
}

Test(text_to_number, what_is_no_number_takes_nothing_and_sets_nothing)
{
    static const char *const table[] = {"",   ".",  "..5", "e5",  ".e5", "+3", "-3",
                                        " 3", "x3", "inf", "nan", "INF", "E",  "Infinity",
                                        ",5", "_1", "٣",   "３",  "½",   "'",  "\t7"};
    for (size_t k = 0; k < COUNT(table); k++) {
        double x = -41.5;
        cr_expect_eq(text_to_number(table[k], strlen(table[k]), &x), 0, "'%s'", table[k]);
        cr_expect_eq(x, -41.5, "'%s'", table[k]);
    }
}

Test(text_to_number, nothing_is_read_beyond_the_given_bytes)
{
    const char digits[] = {'1', '2', '.', '5', 'e', '+', '3', '1'}; /* no zero behind it */
    const struct {
        size_t n, taken;
        double x;
    } table[] = {{1, 1, 1},    {2, 2, 12},   {3, 3, 12},     {4, 4, 12.5},
                 {5, 4, 12.5}, {6, 4, 12.5}, {7, 7, 12.5e3}, {8, 8, 12.5e31}};
    for (size_t k = 0; k < COUNT(table); k++) {
        double x = -1;
        cr_expect_eq(text_to_number(digits, table[k].n, &x), table[k].taken, "%zu bytes",
                     table[k].n);
        cr_expect_eq(x, table[k].x, "%zu bytes: %g", table[k].n, x);
    }
    double x = -1;
    cr_expect_eq(text_to_number(digits, 0, &x), 0);
}

Test(text_to_number, eight_hundred_characters_are_too_many)
{
    char digits[1200];
    memset(digits, '0', sizeof digits);
    digits[0] = '3';
    digits[1] = '.';
    digits[700] = '1';
    double x = 0;
    cr_expect_eq(text_to_number(digits, 799, &x), 799);
    cr_expect_eq(x, 3);
    cr_expect_eq(text_to_number(digits, 800, &x), 800);
    cr_expect_eq(x, INFINITY);
    cr_expect_eq(text_to_number(digits, sizeof digits, &x), sizeof digits);
    cr_expect_eq(x, INFINITY);
}

/* Cutting */

Test(text_clip, cuts_between_two_characters)
{
    static const struct {
        const char *all;
        int most, kept;
    } table[] = {
        {"", 7, 0},         {"abc", 7, 3},      {"abc", 3, 3},  {"abc", 2, 2},  {"abc", 0, 0},
        {"aψψ", 5, 5},      {"aψψ", 4, 3},      {"aψψ", 3, 3},  {"aψψ", 2, 1},  {"漢字", 6, 6},
        {"漢字", 5, 3},     {"漢字", 4, 3},     {"漢字", 3, 3}, {"漢字", 2, 0}, {"x𝛚", 4, 1},
        {"e\u0301x", 3, 3}, {"e\u0301x", 2, 1},
    };
    for (size_t k = 0; k < COUNT(table); k++)
        cr_expect_eq(text_clip(table[k].all, strlen(table[k].all), table[k].most), table[k].kept,
                     "'%s' to %d bytes", table[k].all, table[k].most);
}

/* Edit distance */

static const struct {
    const char *a, *b;
    int most, distance;
} distances[] = {
    {"", "", 2, 0},
    {"theta", "theta", 2, 0},
    {"theta", "theta", 0, 0},
    {"thta", "theta", 2, 1},
    {"thetta", "theta", 2, 1},
    {"thets", "theta", 2, 1},
    {"Theta", "theta", 2, 1},
    {"htea", "theta", 3, 2},
    {"tehta", "theta", 2, 1},
    {"theat", "theta", 2, 1},
    {"ehtta", "theta", 3, 2},
    {"x", "y", 2, 1},
    {"", "psi", 3, 3},
    {"psi", "", 3, 3},
    {"sin", "asinh", 2, 2},
    {"kitten", "sitting", 7, 3},
    {"ca", "abc", 5, 3}, /* no letter moves twice */
    {"abcdef", "fedcba", 9, 5},
    /* above `most` all are alike */
    {"x", "y", 0, 1},
    {"kitten", "sitting", 2, 3},
    {"kitten", "sitting", 1, 2},
    {"a", "abcdefgh", 2, 3},
    {"", "abcdefgh", 5, 6},
    /* letters, not bytes */
    {"φ", "ψ", 2, 1},
    {"φψ", "ψφ", 2, 1},
    {"ω", "", 2, 1},
    {"łódź", "łodz", 2, 2},
    {"漢字", "漢", 2, 1},
    {"θ", "t", 2, 1},
};

Test(text_distance, counts_the_slips_of_typing)
{
    for (size_t k = 0; k < COUNT(distances); k++) {
        const char *a = distances[k].a, *b = distances[k].b;
        int d = text_distance(a, strlen(a), b, strlen(b), distances[k].most);
        int back = text_distance(b, strlen(b), a, strlen(a), distances[k].most);
        cr_expect_eq(d, distances[k].distance, "'%s' '%s': %d", a, b, d);
        cr_expect_eq(back, d, "'%s' '%s': %d, but %d the other way", a, b, d, back);
    }
}

Test(text_distance, looks_at_the_given_bytes_only)
{
    cr_expect_eq(text_distance("thetaX", 5, "thetaY", 5, 2), 0);
    cr_expect_eq(text_distance("thetaX", 6, "thetaY", 6, 2), 1);
}

Test(text_distance, sixty_four_letters_are_compared_and_longer_names_are_far_from_all)
{
    char name[2 * 66 + 1] = "";
    for (int k = 0; k < 66; k++) strcat(name, "ä");
    cr_expect_eq(text_distance(name, 2 * 64, name, 2 * 64, 2), 0);
    cr_expect_eq(text_distance(name, 2 * 64, name, 2 * 63, 2), 1);
    cr_expect_eq(text_distance(name, 2 * 65, name, 2 * 65, 2), 3);
    cr_expect_eq(text_distance(name, 2 * 64, name, 2 * 65, 2), 3);
    cr_expect_eq(text_distance("x", 1, name, 2 * 65, 80), 81);
}
