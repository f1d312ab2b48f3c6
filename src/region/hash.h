/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef NOSLIP_REGION_HASH_H
#define NOSLIP_REGION_HASH_H

#include <stddef.h>

/* Hexadecimal digits of a SHA-256 and the closing zero. */
enum { HASH_ROOM = 65 };

/* SHA-256 (FIPS 180-4) of n bytes as 64 hexadecimal digits, lower case, and a closing zero: what `sha256sum` prints. */
void hash_of(const void *bytes, size_t n, char out[HASH_ROOM]);

#endif
