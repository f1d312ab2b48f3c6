/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "text.h"

#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>

#include "alloc.h"

static bool make_room(text *t, size_t more)
{
    if (t->failed) return false;
    if (more < t->room - t->n) return true;
    size_t wanted = t->n + more + 1;
    size_t room = t->room * 2 > wanted ? t->room * 2 : wanted;
    char *at = noslip_realloc(t->at, room);
    if (!at) {
        t->failed = true;
        return false;
    }
    t->at = at;
    t->room = room;
    return true;
}

void text_add(text *t, const char *bytes, size_t n)
{
    if (!make_room(t, n)) return;
    if (n) memcpy(t->at + t->n, bytes, n);
    t->n += n;
    t->at[t->n] = '\0';
}

void text_puts(text *t, const char *string)
{
    text_add(t, string, strlen(string));
}

void text_printf(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) t->failed = true;
    if (n < 0 || !make_room(t, (size_t)n)) return;

    va_start(args, format);
    vsnprintf(t->at + t->n, (size_t)n + 1, format, args);
    va_end(args);
    t->n += (size_t)n;
}

void text_free(text *t)
{
    noslip_free(t->at);
    *t = (text){0};
}

/* glibc hands out a static object for "C": nothing to free, cannot fail. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

const char *text_of_number(double x, char out[TEXT_NUMBER_ROOM])
{
    char plain[TEXT_NUMBER_ROOM];
    if (isnan(x)) return strcpy(out, "nan");
    locale_t before = uselocale(c_locale());
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(out, TEXT_NUMBER_ROOM, "%.*g", digits, x);
        if (strtod(out, NULL) == x) break;
    }
    snprintf(plain, sizeof plain, "%.20g", x); /* 20 rather than 2e+01 */
    if (strlen(plain) <= strlen(out)) memcpy(out, plain, sizeof plain);
    uselocale(before);
    return out;
}

int text_clip(const char *s, size_t n, int most)
{
    if (n <= (size_t)most) return (int)n;
    while (most > 0 && ((unsigned char)s[most] & 0xC0) == 0x80) most--; /* inside a character */
    return most;
}

static size_t count_digits(const char *s, size_t n)
{
    size_t k = 0;
    while (k < n && s[k] >= '0' && s[k] <= '9') k++;
    return k;
}

static size_t number_length(const char *s, size_t n)
{
    size_t whole = count_digits(s, n), k = whole, fraction = 0;
    if (k < n && s[k] == '.') {
        fraction = count_digits(s + k + 1, n - k - 1);
        if (whole + fraction) k += 1 + fraction;
    }
    if (whole + fraction == 0) return 0;

    size_t e = k;
    if (e < n && (s[e] == 'e' || s[e] == 'E')) {
        e++;
        if (e < n && (s[e] == '+' || s[e] == '-')) e++;
        size_t exponent = count_digits(s + e, n - e);
        if (exponent) k = e + exponent;
    }
    return k;
}

size_t text_to_number(const char *s, size_t n, double *out)
{
    size_t length = number_length(s, n);
    if (!length) return 0;

    char copy[800]; /* strtod wants a closing zero, which a slice of a file has not */
    size_t kept = length < sizeof copy ? length : 0;
    memcpy(copy, s, kept);
    copy[kept] = '\0';
    locale_t before = uselocale(c_locale());
    *out = kept ? strtod(copy, NULL) : HUGE_VAL;
    uselocale(before);
    return length;
}

enum { LONGEST = 64 };

static int decode(const char *s, size_t n, ucs4_t *out)
{
    int k = 0;
    for (size_t at = 0; at < n; k++) {
        if (k == LONGEST) return -1;
        at += (size_t)u8_mbtouc(&out[k], (const uint8_t *)s + at, n - at);
    }
    return k;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int text_distance(const char *a, size_t na, const char *b, size_t nb, int most)
{
    ucs4_t x[LONGEST], y[LONGEST];
    int n = decode(a, na, x), m = decode(b, nb, y);
    if (n < 0 || m < 0 || abs(n - m) > most) return most + 1;

    int rows[3][LONGEST + 1]; /* the last three rows of the usual table */
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int d = least(least(up[j], now[j - 1]) + 1, up[j - 1] + (x[i - 1] != y[j - 1]));
            if (i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1])
                d = least(d, up2[j - 2] + 1);
            now[j] = d;
        }
    }
    return least(rows[n % 3][m], most + 1);
}
