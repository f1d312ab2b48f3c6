/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hash.h"

#include <nettle/sha2.h>

void hash_of(const void *bytes, size_t n, char out[HASH_ROOM])
{
    static const char digits[] = "0123456789abcdef";
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    sha256_update(&context, n, bytes);
    sha256_digest(&context, sizeof digest, digest);
    for (size_t k = 0; k < sizeof digest; k++) {
        out[2 * k] = digits[digest[k] >> 4];
        out[2 * k + 1] = digits[digest[k] & 15];
    }
    out[HASH_ROOM - 1] = '\0';
}
