/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "page.h"

static void expect_text(page *p, const char *wanted)
{
    char *json = NULL;
    cr_assert_eq(page_finish(p, &json, NULL), NOSLIP_OK);
    cr_expect_str_eq(json, wanted);
    noslip_free(json);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(report, numbers_have_17_digits_and_those_that_are_not_finite_are_null)
{
    page p = page_new();
    json_t *list = page_put_list(&p, p.top, "x");
    const double x[] = {0.1, -HUGE_VAL, HUGE_VAL, NAN, 5, -0.0, 4.9406564584124654e-324};
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) page_append(&p, list, page_number(x[k]));
    expect_text(
        &p, "{\n  \"x\": [\n    0.10000000000000001,\n    null,\n    null,\n    null,\n    5.0,\n"
            "    -0.0,\n    4.9406564584124654e-324\n  ]\n}\n");
}

Test(report, broken_utf8_and_control_characters_make_no_broken_json)
{
    page p = page_new();
    page_put(&p, p.top, "file", page_words("a\xff\"\n"));
    page_put(&p, p.top, "unit", page_words(NULL));
    page_put(&p, p.top, "name", page_words("\xCE\xB8"));
    expect_text(&p,
                "{\n  \"file\": \"a?\\\"\\n\",\n  \"unit\": null,\n  \"name\": \"\xCE\xB8\"\n}\n");
}
