/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fail.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unictype.h>
#include <unistr.h>
#include <uniwidth.h>

#include "text.h"

/* One character of a text that may hold anything. */
typedef struct {
    ucs4_t code;
    size_t bytes; /* what it takes in the text */
    bool sound;   /* may be shown as it is */
} character;

/* Controls, format marks, line and paragraph separators. */
static const uint32_t unshowable = UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp;

static character next_character(const char *s, size_t n)
{
    character c = {0};
    int bytes = u8_mbtoucr(&c.code, (const uint8_t *)s, n);
    c.bytes = bytes > 0 ? (size_t)bytes : 1;
    c.sound = bytes > 0 && !uc_is_general_category_withtable(c.code, unshowable);
    return c;
}

/* Copy what a terminal may be given: control and broken characters become '?', a tab becomes
 * a space, and a character that does not fit is left out whole. Returns the cells it takes. */
static int copy_safely(char *out, size_t room, const char *s, size_t n)
{
    size_t used = 0;
    int cells = 0;
    for (size_t at = 0; at < n;) {
        character c = next_character(s + at, n - at);
        char plain = s[at] == '\t' ? ' ' : '?';
        size_t bytes = c.sound ? c.bytes : 1;
        if (used + bytes >= room) break;
        memcpy(out + used, c.sound ? s + at : &plain, bytes);
        int width = c.sound ? uc_width(c.code, "UTF-8") : 1;
        cells += width > 0 ? width : 0;
        used += bytes;
        at += c.bytes;
    }
    out[used] = '\0';
    return cells;
}

static void format_safely(char *out, size_t room, const char *format, va_list args)
{
    char raw[512];
    int n = vsnprintf(raw, sizeof raw, format, args);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof raw ? (size_t)n : sizeof raw - 1;
    copy_safely(out, room, raw, length);
}

noslip_status noslip_fail(noslip_error *err, noslip_status status, const char *format, ...)
{
    if (!err) return status;
    *err = (noslip_error){.status = status};
    va_list args;
    va_start(args, format);
    format_safely(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

noslip_status noslip_fail_memory(noslip_error *err)
{
    return noslip_fail(err, NOSLIP_ERR_MEMORY, "%s", noslip_status_text(NOSLIP_ERR_MEMORY));
}

void noslip_hint(noslip_error *err, const char *format, ...)
{
    if (!err) return;
    va_list args;
    va_start(args, format);
    format_safely(err->hint, sizeof err->hint, format, args);
    va_end(args);
}

source source_of_string(const char *string)
{
    return (source){.text = string, .size = strlen(string), .line = 1, .column = 1};
}

static int count_characters(const char *s, size_t n)
{
    int count = 0;
    for (size_t at = 0; at < n; count++) at += next_character(s + at, n - at).bytes;
    return count;
}

/* Start of the line that holds byte `at`, and its end. */
static size_t line_start(const source *src, size_t at)
{
    while (at > 0 && src->text[at - 1] != '\n') at--;
    return at;
}

static size_t line_end(const source *src, size_t at)
{
    while (at < src->size && src->text[at] != '\n') at++;
    if (at > 0 && at < src->size && src->text[at - 1] == '\r') at--;
    return at;
}

static bool inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* Quote the line of from..to. Of a long line only a part is shown: from at most BEFORE bytes
 * before the offender to where the room ends. */
static void quote(const source *src, size_t from, size_t to, noslip_error *err)
{
    enum { BEFORE = 90 };
    size_t start = line_start(src, from), end = line_end(src, from);
    if (end < from) end = from;
    if (to > end) to = end;
    if (to < from) to = from;
    if (from - start > BEFORE) {
        start = from - BEFORE;
        while (start < from && inside_character(src->text[start])) start++;
    }
    char scratch[sizeof err->source];
    err->caret = copy_safely(scratch, sizeof scratch, src->text + start, from - start);
    err->carets = copy_safely(scratch, sizeof scratch, src->text + from, to - from);
    int shown = copy_safely(err->source, sizeof err->source, src->text + start, end - start);
    if (err->carets > shown - err->caret) err->carets = shown - err->caret;
}

static void locate(const source *src, size_t from, size_t to, noslip_error *err)
{
    size_t start = line_start(src, from);
    err->line = src->line;
    for (size_t k = 0; k < start; k++) err->line += src->text[k] == '\n';
    err->column = 1 + count_characters(src->text + start, from - start);
    if (start == 0) err->column += src->column - 1;
    err->length = count_characters(src->text + from, to - from);
}

noslip_status source_fail(const source *src, size_t from, size_t to, noslip_error *err,
                          noslip_status status, const char *format, ...)
{
    if (!err) return status;
    *err = (noslip_error){.status = status};
    if (to > src->size) to = src->size;
    if (from > to) from = to;
    if (src->file) copy_safely(err->file, sizeof err->file, src->file, strlen(src->file));
    locate(src, from, to, err);
    quote(src, from, to, err);
    va_list args;
    va_start(args, format);
    format_safely(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

/* snprintf into what is left of a buffer, going on counting when it is full. */
static void append(char *buffer, size_t size, size_t *used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void append(char *buffer, size_t size, size_t *used, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool full = *used >= size;
    int n = vsnprintf(full ? NULL : buffer + *used, full ? 0 : size - *used, format, args);
    va_end(args);
    if (n > 0) *used += (size_t)n;
}

int noslip_error_format(const noslip_error *err, char *buffer, size_t size)
{
    size_t used = 0;
    if (size) buffer[0] = '\0';
    if (err->file[0]) append(buffer, size, &used, "%s:", err->file);
    if (err->line) append(buffer, size, &used, "%d:%d:", err->line, err->column);
    append(buffer, size, &used, "%serror: %s", used ? " " : "",
           err->message[0] ? err->message : noslip_status_text(err->status));
    if (err->line) {
        append(buffer, size, &used, "\n%s\n%*s^", err->source, err->caret, "");
        for (int k = 1; k < err->carets; k++) append(buffer, size, &used, "~");
    }
    if (err->hint[0]) append(buffer, size, &used, "%s%s", err->line ? "  " : "; ", err->hint);
    return (int)used;
}
