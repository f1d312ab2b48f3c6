/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REPORT_PAGE_H
#define NOSLIP_REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>

#include "fail.h"

/* A JSON object under construction. jansson gives NULL when memory is short, and takes NULL wherever it takes a value; so `failed`
 * stays set once anything went wrong, and it is enough to look at it at the end. Items are given away, keys are copied. */
typedef struct {
    json_t *top;
    bool failed;
} page;

page page_new(void);
void page_put(page *p, json_t *object, const char *key, json_t *item);
void page_append(page *p, json_t *list, json_t *item);

/* As page_put, with a new empty object or list, which is handed back. */
json_t *page_put_object(page *p, json_t *object, const char *key);
json_t *page_put_list(page *p, json_t *object, const char *key);

json_t *page_number(double x);          /* null if it is not finite */
json_t *page_count(size_t n);           /* a whole number */
json_t *page_words(const char *string); /* null for NULL; what is not UTF-8 becomes ? */

/* The text of the whole; the page is gone afterwards. NOSLIP_OK or NOSLIP_ERR_MEMORY. */
noslip_status page_finish(page *p, char **out, noslip_error *err);

#endif
