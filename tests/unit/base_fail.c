/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "fail.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The error as a user sees it. */
static const char *shown(const noslip_error *err)
{
    static char out[2000];
    int n = noslip_error_format(err, out, sizeof out);
    cr_assert_eq(n, (int)strlen(out));
    return out;
}

/* Point at the first `offender` in a text. */
static noslip_error point_at(const char *all, const char *offender)
{
    noslip_error err = {0};
    const char *at = strstr(all, offender);
    cr_assert_not_null(at);
    source src = source_of_string(all);
    size_t from = (size_t)(at - all);
    source_fail(&src, from, from + strlen(offender), &err, NOSLIP_ERR_FORMULA, "wrong");
    return err;
}

/* Errors without a place */

Test(fail, hands_the_status_back_and_fills_in_the_words)
{
    noslip_error err;
    memset(&err, 0xA5, sizeof err);
    noslip_status status = noslip_fail(&err, NOSLIP_ERR_ARG, "no parameter '%s' of %d", "mass", 7);
    cr_assert_eq(status, NOSLIP_ERR_ARG);
    cr_assert_eq(err.status, NOSLIP_ERR_ARG);
    cr_assert_eq(err.line, 0);
    cr_assert_str_eq(err.message, "no parameter 'mass' of 7");
    cr_assert_str_eq(err.hint, "");
    cr_assert_str_eq(err.file, "");
    cr_assert_str_eq(shown(&err), "error: no parameter 'mass' of 7");
}

Test(fail, a_hint_follows_the_words)
{
    noslip_error err;
    noslip_fail(&err, NOSLIP_ERR_ARG, "no parameter '%s'", "mss");
    noslip_hint(&err, "did you mean '%s'?", "mass");
    cr_assert_str_eq(err.hint, "did you mean 'mass'?");
    cr_assert_str_eq(shown(&err), "error: no parameter 'mss'; did you mean 'mass'?");
}

Test(fail, a_later_error_forgets_the_earlier_one)
{
    noslip_error err = point_at("x + y", "y");
    noslip_hint(&err, "old");
    noslip_fail(&err, NOSLIP_ERR_LIMIT, "new");
    cr_assert_str_eq(shown(&err), "error: new");
    err = point_at("x + y", "x");
    cr_assert_str_eq(err.hint, "");
    cr_assert_eq(err.column, 1);
}

Test(fail, short_memory_has_its_words_and_needs_no_memory)
{
    noslip_error err;
    noslip_alloc_fail_after(0);
    cr_assert_eq(noslip_fail_memory(&err), NOSLIP_ERR_MEMORY);
    cr_assert_eq(err.status, NOSLIP_ERR_MEMORY);
    cr_assert_str_eq(shown(&err), "error: out of memory");
    err = point_at("x + y", "y");
    cr_assert_str_eq(shown(&err), "1:5: error: wrong\nx + y\n    ^");
    noslip_alloc_fail_after(-1);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(fail, without_words_the_status_speaks)
{
    noslip_error err = {.status = NOSLIP_ERR_LIMIT};
    cr_assert_str_eq(shown(&err), "error: a size limit was exceeded");
}

Test(fail, nobody_needs_to_ask_for_the_error)
{
    source src = source_of_string("x + y");
    cr_assert_eq(noslip_fail(NULL, NOSLIP_ERR_ARG, "%s", "lost"), NOSLIP_ERR_ARG);
    cr_assert_eq(noslip_fail_memory(NULL), NOSLIP_ERR_MEMORY);
    cr_assert_eq(source_fail(&src, 1, 2, NULL, NOSLIP_ERR_LIMIT, "%s", "lost"), NOSLIP_ERR_LIMIT);
    noslip_hint(NULL, "%s", "lost");
}

static const struct {
    noslip_status status;
    const char *words;
} statuses[] = {
    {NOSLIP_OK, "success"},
    {NOSLIP_NOT_FINITE, "a result is infinite or not a number"},
    {NOSLIP_ERR_ARG, "argument out of range"},
    {NOSLIP_ERR_MEMORY, "out of memory"},
    {NOSLIP_ERR_FORMULA, "the formula cannot be understood"},
    {(noslip_status)-4711, "unknown status"},
};

Test(fail, every_status_has_words)
{
    for (size_t k = 0; k < COUNT(statuses); k++)
        cr_expect_str_eq(noslip_status_text(statuses[k].status), statuses[k].words);
}

/* Words that would harm a terminal */

static const struct {
    const char *given, *kept;
} words[] = {
    {"plain", "plain"},
    {"Złoty θ̈ 漢字 – ∂²/∂t²", "Złoty θ̈ 漢字 – ∂²/∂t²"},
    {"tab\there", "tab here"},
    {"a\nb\rc\ad\be", "a?b?c?d?e"},
    {"\033[31mred\033[0m", "?[31mred?[0m"},
    {"\x7f", "?"},
    {"\xc2\x85\xc2\x9b"
     "31m",
     "??31m"},                                  /* the second block of control characters */
    {"\u202eabc\u2066\ufeff\u200b", "?abc???"}, /* what turns text round, or has no width */
    {"\xff\xfe", "??"},                         /* never UTF-8 */
    {"\x80\xbf", "??"},                         /* tails without a head */
    {"\xc3(", "?("},                            /* a head without its tail */
    {"\xe2\x82*", "??*"},                       /* half a euro */
    {"\xc0\xaf\xe0\x80\xaf", "?????"},          /* a slash in too many bytes */
    {"\xed\xa0\x80", "???"},                    /* half of a surrogate pair */
    {"\xf4\x90\x80\x80", "????"},               /* beyond Unicode */
    {"\xe2\x82", "??"},                         /* cut off at the end */
};

Test(fail, words_are_made_safe_to_print)
{
    for (size_t k = 0; k < COUNT(words); k++) {
        noslip_error err;
        noslip_fail(&err, NOSLIP_ERR_ARG, "%s", words[k].given);
        noslip_hint(&err, "%s", words[k].given);
        cr_expect_str_eq(err.message, words[k].kept, "row %zu: '%s'", k, err.message);
        cr_expect_str_eq(err.hint, words[k].kept, "row %zu: '%s'", k, err.hint);
    }
}

Test(fail, source_and_file_name_are_made_safe_to_print)
{
    for (size_t k = 0; k < COUNT(words); k++) {
        if (strpbrk(words[k].given, "\n\r")) continue; /* these end the line that is quoted */
        noslip_error err;
        source src = source_of_string(words[k].given);
        src.file = words[k].given;
        source_fail(&src, 0, 0, &err, NOSLIP_ERR_FORMULA, "wrong");
        cr_expect_str_eq(err.source, words[k].kept, "row %zu: '%s'", k, err.source);
        cr_expect_str_eq(err.file, words[k].kept, "row %zu: '%s'", k, err.file);
    }
}

Test(fail, words_too_long_are_cut_between_characters)
{
    static const char *const letters[] = {"a", "ψ", "漢", "𝛚"};
    for (size_t k = 0; k < COUNT(letters); k++)
        for (int shift = 0; shift < 4; shift++) {
            char given[1300] = "";
            memset(given, '.', (size_t)shift);
            for (int i = 0; i < 300; i++) strcat(given, letters[k]);
            noslip_error err;
            noslip_fail(&err, NOSLIP_ERR_ARG, "%s", given);
            size_t n = strlen(err.message), bytes = strlen(letters[k]);
            cr_expect_arr_eq(err.message, given, n, "%s, shift %d", letters[k], shift);
            cr_expect_eq((n - (size_t)shift) % bytes, 0, "%s, shift %d", letters[k], shift);
            cr_expect_gt(n + bytes, sizeof err.message - 1, "%s, shift %d", letters[k], shift);
        }
}

/* Places */

Test(source, an_error_looks_as_in_a_compiler)
{
    const char *all = "title: disk\npotential: m*g*a*cos(thta)\nx: 3\n";
    source src = {.file = "disk.yaml", .text = all, .size = strlen(all), .line = 13, .column = 1};
    size_t from = (size_t)(strstr(all, "thta") - all);
    noslip_error err;
    noslip_status status =
        source_fail(&src, from, from + 4, &err, NOSLIP_ERR_FORMULA, "unknown name '%s'", "thta");
    noslip_hint(&err, "did you mean '%s'?", "theta");
    cr_assert_eq(status, NOSLIP_ERR_FORMULA);
    cr_assert_eq(err.length, 4);
    cr_assert_str_eq(shown(&err), "disk.yaml:14:22: error: unknown name 'thta'\n"
                                  "potential: m*g*a*cos(thta)\n"
                                  "                     ^~~~  did you mean 'theta'?");
}

/* One source of three lines; every place in it. */
static const char three_lines[] = "ab cd\n\n  efg";

static const struct {
    size_t from, to;
    int line, column, length;
    const char *shown;
} places[] = {
    {0, 2, 1, 1, 2, "1:1: error: wrong\nab cd\n^~"},
    {0, 0, 1, 1, 0, "1:1: error: wrong\nab cd\n^"},
    {3, 5, 1, 4, 2, "1:4: error: wrong\nab cd\n   ^~"},
    {5, 5, 1, 6, 0, "1:6: error: wrong\nab cd\n     ^"},
    {5, 6, 1, 6, 1, "1:6: error: wrong\nab cd\n     ^"}, /* the newline itself */
    {3, 11, 1, 4, 8, "1:4: error: wrong\nab cd\n   ^~"}, /* over the end of the line */
    {6, 6, 2, 1, 0, "2:1: error: wrong\n\n^"},           /* an empty line */
    {7, 7, 3, 1, 0, "3:1: error: wrong\n  efg\n^"},
    {9, 12, 3, 3, 3, "3:3: error: wrong\n  efg\n  ^~~"},
    {12, 12, 3, 6, 0, "3:6: error: wrong\n  efg\n     ^"}, /* the very end */
    {11, 400, 3, 5, 1, "3:5: error: wrong\n  efg\n    ^"}, /* beyond the end */
    {400, 500, 3, 6, 0, "3:6: error: wrong\n  efg\n     ^"},
    {4, 1, 1, 2, 0, "1:2: error: wrong\nab cd\n ^"}, /* the wrong way round */
};

Test(source, every_place_of_several_lines_is_found)
{
    source src = source_of_string(three_lines);
    for (size_t k = 0; k < COUNT(places); k++) {
        noslip_error err;
        source_fail(&src, places[k].from, places[k].to, &err, NOSLIP_ERR_FORMULA, "wrong");
        cr_expect_eq(err.line, places[k].line, "row %zu: line %d", k, err.line);
        cr_expect_eq(err.column, places[k].column, "row %zu: column %d", k, err.column);
        cr_expect_eq(err.length, places[k].length, "row %zu: length %d", k, err.length);
        cr_expect_str_eq(shown(&err), places[k].shown, "row %zu:\n%s", k, shown(&err));
    }
}

Test(source, lines_count_from_where_the_text_begins_and_columns_only_on_its_first_line)
{
    source src = source_of_string(three_lines);
    src.line = 41;
    src.column = 18;
    noslip_error err;
    source_fail(&src, 3, 5, &err, NOSLIP_ERR_FORMULA, "wrong");
    cr_expect_str_eq(shown(&err), "41:21: error: wrong\nab cd\n   ^~");
    source_fail(&src, 9, 12, &err, NOSLIP_ERR_FORMULA, "wrong");
    cr_expect_str_eq(shown(&err), "43:3: error: wrong\n  efg\n  ^~~");
}

Test(source, an_empty_text_has_a_place)
{
    source src = source_of_string("");
    noslip_error err;
    source_fail(&src, 0, 0, &err, NOSLIP_ERR_FORMULA, "empty");
    cr_assert_str_eq(shown(&err), "1:1: error: empty\n\n^");
}

Test(source, nothing_is_read_beyond_its_size)
{
    const char bytes[] = {'a', ' ', 'b', '\xc3'}; /* no zero behind it, and half a letter */
    source src = {.text = bytes, .size = sizeof bytes, .line = 1, .column = 1};
    noslip_error err;
    source_fail(&src, 2, 4, &err, NOSLIP_ERR_FORMULA, "wrong");
    cr_assert_str_eq(shown(&err), "1:3: error: wrong\na b?\n  ^~");
    src.size = 1;
    source_fail(&src, 1, 1, &err, NOSLIP_ERR_FORMULA, "wrong");
    cr_assert_str_eq(shown(&err), "1:2: error: wrong\na\n ^");
}

Test(source, the_line_ends_of_other_systems_are_not_quoted)
{
    const char *all = "a + b\r\n c\r\n";
    source src = source_of_string(all);
    noslip_error err = point_at(all, "b");
    cr_expect_str_eq(shown(&err), "1:5: error: wrong\na + b\n    ^");
    err = point_at(all, "c");
    cr_expect_str_eq(shown(&err), "2:2: error: wrong\n c\n ^");
    source_fail(&src, 5, 5, &err, NOSLIP_ERR_FORMULA, "wrong");
    cr_expect_str_eq(shown(&err), "1:6: error: wrong\na + b\n     ^");
}

/* Marks stand under the offender on a terminal, whatever its letters. */
static const struct {
    const char *all, *offender;
    int column, length;
    const char *shown;
} scripts[] = {
    {"θ*ψ̈ + φ", "φ", 8, 1, "1:8: error: wrong\nθ*ψ̈ + φ\n      ^"},
    {"θ + ψ̈*x", "ψ̈", 5, 2, "1:5: error: wrong\nθ + ψ̈*x\n    ^"},
    {"e\u0301te\u0301 + q", "q", 9, 1, "1:9: error: wrong\ne\u0301te\u0301 + q\n      ^"},
    {"漢字*x", "x", 4, 1, "1:4: error: wrong\n漢字*x\n     ^"},
    {"x + 漢字", "漢字", 5, 2, "1:5: error: wrong\nx + 漢字\n    ^~~~"},
    {"漢字漢字", "字漢", 2, 2, "1:2: error: wrong\n漢字漢字\n  ^~~~"},
    {"скорость - v", "v", 12, 1, "1:12: error: wrong\nскорость - v\n           ^"},
    {"\tx\t+\ty", "y", 6, 1, "1:6: error: wrong\n x + y\n     ^"},
    {"a\033[1m*y", "y", 7, 1, "1:7: error: wrong\na?[1m*y\n      ^"},
    {"a\xff\xfe*y", "y", 5, 1, "1:5: error: wrong\na??*y\n    ^"},
    {"\xe2\x82*y", "y", 4, 1, "1:4: error: wrong\n??*y\n   ^"},
    {"a\u200b\u202e + y", "y", 7, 1, "1:7: error: wrong\na?? + y\n      ^"},
    {"x\xff + 1", "\xff", 2, 1, "1:2: error: wrong\nx? + 1\n ^"},
    {"𝛚*y", "y", 3, 1, "1:3: error: wrong\n𝛚*y\n  ^"},
};

Test(source, the_marks_stand_under_the_offender_in_any_script)
{
    for (size_t k = 0; k < COUNT(scripts); k++) {
        noslip_error err = point_at(scripts[k].all, scripts[k].offender);
        cr_expect_eq(err.column, scripts[k].column, "row %zu: column %d", k, err.column);
        cr_expect_eq(err.length, scripts[k].length, "row %zu: length %d", k, err.length);
        cr_expect_str_eq(shown(&err), scripts[k].shown, "row %zu:\n%s", k, shown(&err));
    }
}

/* Long lines */

/* `n` times a piece, something between, "OFFENDER", then `m` times the piece. */
static void write_long_line(char *out, const char *piece, int n, const char *between, int m)
{
    *out = '\0';
    for (int k = 0; k < n; k++) out = stpcpy(out, piece);
    out = stpcpy(stpcpy(out, between), "OFFENDER");
    for (int k = 0; k < m; k++) out = stpcpy(out, piece);
}

/* Cells of the letters used here: U+0301 takes none, 漢 two, the others one. */
static int cells(const char *from, const char *to)
{
    int count = 0;
    for (; from < to; from++) {
        unsigned char c = (unsigned char)*from;
        bool tail = (c & 0xC0) == 0x80;
        count += tail || c == 0xCC ? 0 : c == 0xE6 ? 2 : 1;
    }
    return count;
}

static void expect_window(const char *piece, int n, const char *between, int m)
{
    static char all[80000];
    write_long_line(all, piece, n, between, m);
    noslip_error err = point_at(all, "OFFENDER");
    const char *at = strstr(err.source, "OFFENDER");
    cr_expect_not_null(at, "%d times '%s%s': the offender is not shown", n, piece, between);
    if (!at) return;
    cr_expect_eq(err.carets, 8, "%d times '%s%s': %d marks", n, piece, between, err.carets);
    cr_expect_eq(err.caret, cells(err.source, at), "%d times '%s%s': caret %d", n, piece, between,
                 err.caret);
    cr_expect_leq(err.caret, 100, "%d times '%s%s': caret %d", n, piece, between, err.caret);
    cr_expect_eq(strchr(err.source, '?') != NULL, *piece == '\xff',
                 "%d times '%s%s': a character is cut in '%s'", n, piece, between, err.source);
}

Test(source, a_long_line_is_shown_around_the_offender)
{
    static const char *const pieces[] = {"+", "ψ", "漢", "e\u0301", "+漢ψ𝛚", "\xff", "\t"};
    static const char *const between[] = {"", "*", "**", "***"};
    static const int lengths[][2] = {{3000, 3000}, {3001, 0}, {0, 3000}, {44, 3}, {46, 1}, {47, 1}};
    for (size_t k = 0; k < COUNT(pieces); k++)
        for (size_t b = 0; b < COUNT(between); b++)
            for (size_t i = 0; i < COUNT(lengths); i++)
                expect_window(pieces[k], lengths[i][0], between[b], lengths[i][1]);
}

Test(source, a_window_is_cut_at_known_places)
{
    char all[600], expected[400];
    write_long_line(all, "0123456789", 25, "", 25);
    noslip_error err = point_at(all, "OFFENDER");
    snprintf(expected, sizeof expected, "%.90s%s%.101s", all, "OFFENDER", all);
    cr_expect_str_eq(err.source, expected, "'%s'", err.source);
    cr_expect_eq(err.caret, 90);
    cr_expect_eq(err.column, 251);

    write_long_line(all, "漢", 60, "", 0);
    err = point_at(all, "OFFENDER");
    cr_expect_eq(err.caret, 60, "30 wide characters are %d cells", err.caret);
    cr_expect_str_eq(strstr(err.source, "OFFENDER"), "OFFENDER");
    cr_expect_eq(err.column, 61);
}

Test(source, the_end_of_a_long_line_is_a_place)
{
    char all[600];
    memset(all, 'q', sizeof all);
    all[sizeof all - 1] = '\0';
    source src = source_of_string(all);
    noslip_error err;
    source_fail(&src, src.size, src.size, &err, NOSLIP_ERR_FORMULA, "wrong");
    cr_expect_eq(err.column, 600);
    cr_expect_eq(err.caret, (int)strlen(err.source), "the mark stands behind the last letter");
}

Test(source, an_offender_longer_than_the_window_is_marked_as_far_as_it_is_shown)
{
    char all[900];
    memset(all, 'q', sizeof all);
    all[sizeof all - 1] = '\0';
    source src = source_of_string(all);
    noslip_error err;
    source_fail(&src, 301, 888, &err, NOSLIP_ERR_FORMULA, "wrong");
    cr_expect_eq(err.length, 587);
    cr_expect_eq(err.caret + err.carets, (int)strlen(err.source));
    cr_expect_gt(err.carets, 50);
}

/* Formatting into a buffer */

Test(format, a_short_buffer_holds_the_beginning_as_with_snprintf)
{
    noslip_error err = point_at("x + thta*y", "thta");
    noslip_hint(&err, "did you mean 'theta'?");
    const char whole[] = "1:5: error: wrong\nx + thta*y\n    ^~~~  did you mean 'theta'?";
    for (size_t size = 0; size < sizeof whole + 5; size++) {
        char out[sizeof whole + 10];
        memset(out, 0x5A, sizeof out);
        cr_assert_eq(noslip_error_format(&err, out, size), (int)sizeof whole - 1, "size %zu", size);
        size_t kept = size < sizeof whole ? size : sizeof whole;
        if (kept) {
            cr_assert_arr_eq(out, whole, kept - 1, "size %zu", size);
            cr_assert_eq(out[kept - 1], '\0', "size %zu", size);
        }
        cr_assert_eq(out[kept], 0x5A, "size %zu: written beyond the end", size);
    }
}

Test(format, no_buffer_gives_the_length)
{
    noslip_error err = point_at("x + y", "y");
    cr_assert_eq(noslip_error_format(&err, NULL, 0), (int)strlen(shown(&err)));
}

Test(format, a_file_without_a_place_stands_in_front)
{
    noslip_error err;
    noslip_fail(&err, NOSLIP_ERR_ARG, "cannot be opened");
    strcpy(err.file, "disk.yaml");
    noslip_hint(&err, "is it there?");
    cr_assert_str_eq(shown(&err), "disk.yaml: error: cannot be opened; is it there?");
}
