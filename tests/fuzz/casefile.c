/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "alloc.h"
#include "case.h"

/* Any bytes are a case, or are refused with a message and leave nothing behind.
 *
 * With libFuzzer (meson setup -Dfuzz=true, CC=clang): build/tests/fuzz_casefile tests/fuzz/corpus. Without it, the program
 * replays the files it is given (replay.c); the normal tests do so with the corpus. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    noslip_case *c = NULL;
    noslip_error err = {0};
    char said[2000];
    noslip_status status = case_read_bytes("fuzz.yaml", (const char *)data, size, NULL, &c, &err);
    if (status == NOSLIP_OK) {
        case_free(c);
    } else {
        if (status > 0 || status != err.status || !err.message[0]) abort();
        noslip_error_format(&err, said, sizeof said);
    }
    if (noslip_alloc_live() != 0) abort();
    return 0;
}
