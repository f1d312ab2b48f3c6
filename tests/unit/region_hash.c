/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <string.h>

#include "hash.h"

/* reference: FIPS 180-4 examples, the first two; the others by coreutils' sha256sum. */
static const struct {
    const char *bytes;
    size_t n;
    const char *hash;
} table[] = {
    {"abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"a\0b", 3, "59b271ae1bbcb1d31d41929817f4b16fb439eb4f31520b5ad1d5ce98920a7138"},
};

Test(hash, is_the_one_of_the_standard)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        char hash[HASH_ROOM];
        memset(hash, 'x', sizeof hash);
        hash_of(table[k].bytes, table[k].n, hash);
        cr_expect_str_eq(hash, table[k].hash, "row %zu: %s", k, hash);
    }
}
