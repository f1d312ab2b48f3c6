/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistr.h>
#include <yaml.h>

#include "alloc.h"
#include "text.h"

/* libyaml gives events; a stack of the collections that are open turns them into a tree. Its marks count characters, we count
 * bytes. Marks come nearly in order, so a finger that walks from the last one to the next translates them all in one pass. */
typedef struct {
    tree_node *node;
    tree_node **tail; /* where the next child is hung */
} open_collection;

typedef struct {
    const source *src;
    tree *t;
    noslip_error *err;
    open_collection stack[TREE_DEEPEST];
    int depth;
    int flows; /* how many of them are written with [ ] or { } */
    size_t finger_index, finger_byte;
    ARRAY(const tree_node *) keys; /* scratch */
} builder;

#define FAIL(b, from, to, ...) \
    source_fail((b)->src, from, to, (b)->err, NOSLIP_ERR_CASE, __VA_ARGS__)

static bool inside_character(const source *src, size_t at)
{
    return at < src->size && ((unsigned char)src->text[at] & 0xC0) == 0x80;
}

/* The byte at which character number `index` begins. */
static size_t byte_of(builder *b, size_t index)
{
    for (; b->finger_index < index && b->finger_byte < b->src->size; b->finger_index++) do
            b->finger_byte++;
        while (inside_character(b->src, b->finger_byte));
    for (; b->finger_index > index && b->finger_byte > 0; b->finger_index--) do
            b->finger_byte--;
        while (inside_character(b->src, b->finger_byte));
    return b->finger_byte;
}

static size_t line_end(const source *src, size_t at)
{
    while (at < src->size && src->text[at] != '\n' && src->text[at] != '\r') at++;
    return at;
}

/* The end of a word that begins at a place. */
static size_t word_end(const source *src, size_t at)
{
    while (at < src->size && !strchr(" \t\r\n,[]{}", src->text[at])) at++;
    return at;
}

/* Text */

static bool is_control(ucs4_t c)
{
    if (c == '\t' || c == '\n' || c == '\r' || c == 0x85) return false;
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

static noslip_status check_text(builder *b)
{
    const uint8_t *bytes = (const uint8_t *)b->src->text, *bad = u8_check(bytes, b->src->size);
    if (bad) {
        size_t at = (size_t)(bad - bytes);
        return FAIL(b, at, at + 1, "a byte that is not UTF-8: 0x%02X", *bad);
    }
    for (size_t at = 0; at < b->src->size;) {
        ucs4_t c;
        size_t n = (size_t)u8_mbtouc(&c, bytes + at, b->src->size - at);
        if (is_control(c)) return FAIL(b, at, at + n, "unexpected character U+%04X", (unsigned)c);
        at += n;
    }
    return NOSLIP_OK;
}

/* What libyaml does not like */

static const struct {
    const char *problem, *hint;
} advice[] = {
    {"mapping values are not allowed in this context", "a text that contains ': ' needs quotes"},
    {"block sequence entries are not allowed in this context",
     "a formula that begins with '- ' needs quotes"},
    {"did not find expected ',' or ']'",
     "is the list closed? Inside [ ] a formula that contains , [ ] { } needs quotes"},
    {"did not find expected ',' or '}'",
     "is the mapping closed? Inside { } a formula that contains , [ ] { } needs quotes"},
    {"found unexpected end of stream", "is the quote closed?"},
    {"could not find expected ':'", "a key ends in a colon and a space"},
    {"did not find expected key",
     "are all keys of this mapping indented by the same number of spaces?"},
    {"found character that cannot start any token",
     "a text that begins with this character needs quotes"},
};

static const char *advice_for(const char *problem)
{
    for (size_t k = 0; k < sizeof advice / sizeof *advice; k++)
        if (strcmp(advice[k].problem, problem) == 0) return advice[k].hint;
    return NULL;
}

/* For these the place where libyaml gave up tells less than the one where it began. */
static bool points_back(const char *problem)
{
    return strcmp(problem, "could not find expected ':'") == 0 ||
           strcmp(problem, "found unexpected end of stream") == 0;
}

static noslip_status fail_yaml(builder *b, const yaml_parser_t *p)
{
    if (p->error == YAML_MEMORY_ERROR) return noslip_fail_memory(b->err);
    const char *problem = p->problem ? p->problem : "it cannot be read";
    bool back = points_back(problem);
    size_t at = byte_of(b, back ? p->context_mark.index : p->problem_mark.index);
    if (at < b->src->size && b->src->text[at] == '\t') {
        FAIL(b, at, at + 1, "a tab may not indent");
        noslip_hint(b->err, "use spaces");
        return NOSLIP_ERR_CASE;
    }
    FAIL(b, at, back ? line_end(b->src, at) : at + 1, "this is not YAML: %s", problem);
    if (advice_for(problem)) noslip_hint(b->err, "%s", advice_for(problem));
    return NOSLIP_ERR_CASE;
}

/* Keys that stand twice */

static int compare_keys(const void *x, const void *y)
{
    const tree_node *a = *(const tree_node *const *)x, *b = *(const tree_node *const *)y;
    int order = strcmp(a->value, b->value);
    return order ? order : (a->from > b->from) - (a->from < b->from);
}

static int line_of(const source *src, size_t at)
{
    int line = src->line;
    for (size_t k = 0; k < at; k++) line += src->text[k] == '\n';
    return line;
}

static noslip_status refuse_twins(builder *b, const tree_node *mapping)
{
    b->keys.n = 0;
    for (const tree_node *key = mapping->first; key; key = key->next->next)
        if (!array_push(&b->keys, key)) return noslip_fail_memory(b->err);
    if (b->keys.n) qsort(b->keys.at, b->keys.n, sizeof *b->keys.at, compare_keys);
    for (size_t k = 1; k < b->keys.n; k++) {
        const tree_node *one = b->keys.at[k - 1], *two = b->keys.at[k];
        if (strcmp(one->value, two->value) != 0) continue;
        FAIL(b, two->from, two->to, "the key '%.*s' stands twice",
             text_clip(two->value, two->n, 60), two->value);
        noslip_hint(b->err, "the first is in line %d", line_of(b->src, one->from));
        return NOSLIP_ERR_CASE;
    }
    return NOSLIP_OK;
}

/* Nodes */

static bool key_wanted(const builder *b)
{
    if (!b->depth) return false;
    const tree_node *in = b->stack[b->depth - 1].node;
    return in->kind == TREE_MAPPING && in->count % 2 == 0;
}

static noslip_status hang(builder *b, tree_node *x)
{
    if (x->kind != TREE_SCALAR && key_wanted(b))
        return FAIL(b, x->from, x->to, "a key must be a name or a text");
    if (!b->depth) {
        b->t->root = x;
        return NOSLIP_OK;
    }
    open_collection *in = &b->stack[b->depth - 1];
    *in->tail = x;
    in->tail = &x->next;
    in->node->count++;
    return NOSLIP_OK;
}

static noslip_status add_node(builder *b, tree_kind kind, const yaml_event_t *e, const char *value,
                              size_t n, tree_node **out)
{
    size_t from = byte_of(b, e->start_mark.index), to = byte_of(b, e->end_mark.index);
    if (b->t->nodes.n >= TREE_MOST_NODES)
        return FAIL(b, from, from, "the file has more than %d keys and values", TREE_MOST_NODES);
    tree_node *x = noslip_calloc(1, sizeof *x + n + 1);
    if (!x || !array_push(&b->t->nodes, x)) {
        noslip_free(x);
        return noslip_fail_memory(b->err);
    }
    if (n) memcpy(x->value, value, n);
    x->kind = kind;
    x->n = n;
    x->flow = b->flows > 0;
    x->from = from;
    x->to = kind == TREE_SCALAR ? to : line_end(b->src, from);
    *out = x;
    return hang(b, x);
}

static noslip_status open_node(builder *b, tree_kind kind, const yaml_event_t *e, bool flow)
{
    if (b->depth == TREE_DEEPEST) {
        size_t at = byte_of(b, e->start_mark.index);
        return FAIL(b, at, at + 1, "nested too deeply (more than %d levels)", TREE_DEEPEST);
    }
    tree_node *x;
    noslip_status status = add_node(b, kind, e, NULL, 0, &x);
    if (status != NOSLIP_OK) return status;
    b->stack[b->depth++] = (open_collection){.node = x, .tail = &x->first};
    b->flows += flow || b->flows;
    return NOSLIP_OK;
}

static noslip_status close_node(builder *b)
{
    const tree_node *x = b->stack[--b->depth].node;
    if (b->flows) b->flows--;
    return x->kind == TREE_MAPPING ? refuse_twins(b, x) : NOSLIP_OK;
}

static void point_at_content(const source *src, tree_node *x)
{
    while (x->inside_from < x->inside_to && strchr(" \t\r\n", src->text[x->inside_from]))
        x->inside_from++;
    while (x->inside_to > x->inside_from && strchr(" \t\r\n", src->text[x->inside_to - 1]))
        x->inside_to--;
    bool empty = x->inside_from == x->inside_to;
    x->to = empty ? x->from + 1 : x->inside_to;
    if (!empty) x->from = x->inside_from;
}

/* Where the content of a scalar stands. A formula does not mind white space, so folding changes nothing; quotes that hold an
 * escape do. The first line of a block scalar (> or |, with marks and perhaps a comment) is not content. */
static void look_inside(const source *src, yaml_scalar_style_t style, tree_node *x)
{
    x->plain = style == YAML_PLAIN_SCALAR_STYLE;
    x->exact = true;
    x->inside_from = x->from;
    x->inside_to = x->to;
    size_t size = x->to - x->from;
    const char *raw = src->text + x->from;
    if (style == YAML_FOLDED_SCALAR_STYLE || style == YAML_LITERAL_SCALAR_STYLE) {
        x->inside_from = line_end(src, x->from);
        if (x->inside_from > x->to) x->inside_from = x->to;
        point_at_content(src, x);
    } else if (!x->plain && size >= 2) {
        x->inside_from++;
        x->inside_to--;
        char escape = style == YAML_SINGLE_QUOTED_SCALAR_STYLE ? '\'' : '\\';
        x->exact = !memchr(raw + 1, escape, size - 2);
    }
}

static noslip_status add_scalar(builder *b, const yaml_event_t *e)
{
    const char *value = (const char *)e->data.scalar.value;
    size_t n = e->data.scalar.length, at = byte_of(b, e->start_mark.index);
    if (memchr(value, 0, n))
        return FAIL(b, at, word_end(b->src, at), "a zero byte may not stand in a text");
    tree_node *x;
    noslip_status status = add_node(b, TREE_SCALAR, e, value, n, &x);
    if (status == NOSLIP_OK) look_inside(b->src, e->data.scalar.style, x);
    return status;
}

/* Events */

static noslip_status refuse_marks(builder *b, const yaml_event_t *e, const yaml_char_t *anchor,
                                  const yaml_char_t *tag)
{
    size_t at = byte_of(b, e->start_mark.index), to = word_end(b->src, at);
    if (anchor) return FAIL(b, at, to, "anchors and aliases are not supported");
    if (tag) return FAIL(b, at, to, "tags are not supported");
    return NOSLIP_OK;
}

static noslip_status refuse_second_document(builder *b, const yaml_event_t *e)
{
    if (!b->t->root) return NOSLIP_OK;
    size_t at = byte_of(b, e->start_mark.index);
    return FAIL(b, at, line_end(b->src, at),
                "a case file holds one YAML document, this begins a second");
}

static noslip_status take(builder *b, const yaml_event_t *e)
{
    noslip_status status;
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT: return refuse_second_document(b, e);
    case YAML_ALIAS_EVENT: return refuse_marks(b, e, e->data.alias.anchor, NULL);
    case YAML_SCALAR_EVENT:
        status = refuse_marks(b, e, e->data.scalar.anchor, e->data.scalar.tag);
        return status == NOSLIP_OK ? add_scalar(b, e) : status;
    case YAML_SEQUENCE_START_EVENT:
        status = refuse_marks(b, e, e->data.sequence_start.anchor, e->data.sequence_start.tag);
        if (status != NOSLIP_OK) return status;
        return open_node(b, TREE_SEQUENCE, e,
                         e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
    case YAML_MAPPING_START_EVENT:
        status = refuse_marks(b, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
        if (status != NOSLIP_OK) return status;
        return open_node(b, TREE_MAPPING, e,
                         e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_node(b);
    default: return NOSLIP_OK;
    }
}

static noslip_status take_events(builder *b, yaml_parser_t *p)
{
    for (bool more = true; more;) {
        yaml_event_t e;
        if (!yaml_parser_parse(p, &e)) return fail_yaml(b, p);
        more = e.type != YAML_STREAM_END_EVENT;
        noslip_status status = take(b, &e);
        yaml_event_delete(&e);
        if (status != NOSLIP_OK) return status;
    }
    if (!b->t->root) return FAIL(b, 0, 0, "the file is empty");
    return NOSLIP_OK;
}

noslip_status tree_read(const source *src, tree *out, noslip_error *err)
{
    builder b = {.src = src, .t = out, .err = err};
    noslip_status status = check_text(&b);
    if (status != NOSLIP_OK) return status;
    yaml_parser_t p;
    if (!yaml_parser_initialize(&p)) return noslip_fail_memory(err);
    yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p, (const unsigned char *)src->text, src->size);
    status = take_events(&b, &p);
    yaml_parser_delete(&p);
    array_free(&b.keys);
    return status;
}

void tree_free(tree *t)
{
    for (size_t k = 0; k < t->nodes.n; k++) noslip_free(t->nodes.at[k]);
    array_free(&t->nodes);
}
