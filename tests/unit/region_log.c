/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "log.h"

/* A system that does what it may: these stand before the C library's. It moves a few bytes, is interrupted, or the disk is
 * full. */

static bool hesitant, full;

typedef ssize_t transfer(int fd, const struct iovec *pieces, int count, off_t at, int flags);

static ssize_t hesitate(transfer *move, int fd, const struct iovec *pieces, int count, off_t at)
{
    static int calls;
    if (!hesitant) return move(fd, pieces, count, at, 0);
    while (count > 1 && pieces->iov_len == 0) pieces++, count--;
    struct iovec few = {pieces->iov_base, pieces->iov_len < 313 ? pieces->iov_len : 313};
    errno = EINTR;
    return ++calls % 3 == 0 ? -1 : move(fd, &few, 1, at, 0);
}

ssize_t pwritev(int fd, const struct iovec *pieces, int count, off_t at)
{
    errno = ENOSPC;
    return full ? -1 : hesitate(pwritev2, fd, pieces, count, at);
}

ssize_t preadv(int fd, const struct iovec *pieces, int count, off_t at)
{
    return hesitate(preadv2, fd, pieces, count, at);
}

/* A folder of the test's own, removed with what is in it */

static char folder[] = "/tmp/noslip-log-XXXXXX";
static char path[sizeof folder + 20], beside[sizeof folder + 20];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sweep.ckpt", folder);
    snprintf(beside, sizeof beside, "%s/sweep.ckpt.new", folder);
}

static void remove_folder(void)
{
    unlink(path);
    unlink(beside);
    rmdir(path);
    rmdir(folder);
}

TestSuite(log, .init = make_folder, .fini = remove_folder);

static const char identity[] = "rolling-disk, 17 by 23";

static checkpoint *must(noslip_status (*door)(const char *, const void *, size_t, checkpoint **,
                                              noslip_error *))
{
    checkpoint *c = NULL;
    noslip_error err = {0};
    if (door(path, identity, sizeof identity, &c, &err) != NOSLIP_OK)
        cr_assert_fail("%s", err.message);
    return c;
}

static void expect_refused(const char *words)
{
    checkpoint *c = NULL;
    noslip_error err = {0};
    cr_assert_eq(checkpoint_resume(path, identity, sizeof identity, &c, &err), NOSLIP_ERR_FILE);
    cr_assert_null(c);
    cr_assert_eq(err.status, NOSLIP_ERR_FILE);
    cr_assert(strstr(err.message, words), "'%s' does not say '%s'", err.message, words);
    cr_assert(err.hint[0] != '\0', "no hint: %s", err.message);
}

/* Files as they are */

typedef struct {
    unsigned char *at;
    size_t n;
} bytes;

static bytes slurp(void)
{
    struct stat s;
    cr_assert_eq(stat(path, &s), 0);
    bytes b = {malloc((size_t)s.st_size + 1), (size_t)s.st_size};
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f);
    cr_assert_eq(fread(b.at, 1, b.n, f), b.n);
    fclose(f);
    return b;
}

static void spill(const unsigned char *at, size_t n)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(at, 1, n, f), n);
    cr_assert_eq(fclose(f), 0);
}

static size_t size_of_file(void)
{
    struct stat s;
    cr_assert_eq(stat(path, &s), 0);
    return (size_t)s.st_size;
}

/* Records that can be told from their number */

enum { LARGEST = 700001 };

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static unit_key nth_key(uint32_t k)
{
    return (unit_key){k % 3, k % 5 / 2, k};
}

/* Lengths of all sorts, none among them, one beyond what is read at once. */
static size_t nth_size(uint64_t seed, uint32_t k)
{
    uint64_t state = seed * 1000003 + k, kind = next_random(&state) % 64;
    if (kind == 0) return LARGEST;
    if (kind < 8) return 0;
    return next_random(&state) % (kind < 16 ? 9001 : 97);
}

static size_t nth_record(uint64_t seed, uint32_t k, unsigned char *out)
{
    uint64_t state = seed * 1000033 + k;
    size_t n = nth_size(seed, k);
    for (size_t i = 0; i < n; i++) out[i] = (unsigned char)next_random(&state);
    return n;
}

static unsigned char wanted[LARGEST], found[LARGEST];

static void append_nth(checkpoint *c, uint64_t seed, uint32_t k)
{
    size_t n = nth_record(seed, k, wanted);
    noslip_error err = {0};
    if (checkpoint_append(c, nth_key(k), wanted, n, &err) != NOSLIP_OK)
        cr_assert_fail("seed %llu, record %u: %s", (unsigned long long)seed, k, err.message);
}

static void expect_nth(checkpoint *c, uint64_t seed, uint32_t k)
{
    size_t n = nth_record(seed, k, wanted), there = 12345;
    noslip_error err = {0};
    if (!checkpoint_has(c, nth_key(k), &there) || there != n)
        cr_assert_fail("seed %llu, record %u: %zu bytes", (unsigned long long)seed, k, there);
    if (checkpoint_read(c, nth_key(k), found, n, &err) != NOSLIP_OK)
        cr_assert_fail("seed %llu, record %u: %s", (unsigned long long)seed, k, err.message);
    if (memcmp(found, wanted, n) != 0)
        cr_assert_fail("seed %llu, record %u differs", (unsigned long long)seed, k);
}

/* All records that are there must be whole, and none follow one that is not: how many? */
static uint32_t count_from_start(checkpoint *c, uint64_t seed, uint32_t most)
{
    uint32_t n = 0;
    while (n < most && checkpoint_has(c, nth_key(n), NULL)) expect_nth(c, seed, n++);
    for (uint32_t k = n; k < most; k++)
        if (checkpoint_has(c, nth_key(k), NULL)) cr_assert_fail("%u is there, %u is not", k, n);
    return n;
}

/* There and back */

Test(log, gives_back_what_was_written_at_once_and_later)
{
    enum { RECORDS = 401 };
    for (uint64_t seed = 1; seed <= 5; seed++) {
        checkpoint *c = must(checkpoint_create);
        for (uint32_t k = 0; k < RECORDS; k++) append_nth(c, seed, k);
        for (uint32_t k = RECORDS; k-- > 0;) expect_nth(c, seed, k);
        checkpoint_close(c);

        c = must(checkpoint_resume);
        cr_assert_eq(count_from_start(c, seed, RECORDS + 7), RECORDS);
        for (uint32_t k = RECORDS; k < RECORDS + 50; k++) append_nth(c, seed, k);
        cr_assert_eq(count_from_start(c, seed, RECORDS + 57), RECORDS + 50);
        checkpoint_close(c);

        c = must(checkpoint_resume);
        cr_assert_eq(count_from_start(c, seed, RECORDS + 57), RECORDS + 50);
        checkpoint_close(c);
        cr_assert_eq(noslip_alloc_live(), 0);
    }
}

Test(log, keeps_keys_apart_that_differ_in_one_word)
{
    enum { SIDE = 11 };
    checkpoint *c = must(checkpoint_create);
    for (uint32_t k = 0; k < SIDE * SIDE * SIDE; k++) {
        unit_key key = {k / SIDE / SIDE, k / SIDE % SIDE, k % SIDE};
        cr_assert_eq(checkpoint_append(c, key, &k, sizeof k, NULL), NOSLIP_OK);
    }
    checkpoint_close(c);
    c = must(checkpoint_resume);
    for (uint32_t k = 0; k < SIDE * SIDE * SIDE; k++) {
        unit_key key = {k / SIDE / SIDE, k / SIDE % SIDE, k % SIDE};
        uint32_t back = 0;
        cr_assert_eq(checkpoint_read(c, key, &back, sizeof back, NULL), NOSLIP_OK);
        cr_assert_eq(back, k);
    }
    unit_key extreme = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    cr_assert_not(checkpoint_has(c, extreme, NULL));
    cr_assert_eq(checkpoint_append(c, extreme, "x", 1, NULL), NOSLIP_OK);
    cr_assert(checkpoint_has(c, extreme, NULL));
    checkpoint_close(c);
}

Test(log, has_words_with_the_lowest_byte_first)
{
    static const unsigned char file[] =
        "noslip checkpoint\n"
        "\1\0\0\0"
        "\3\0\0\0"
        "\xfc\x93\x1c\xb2" /* CRC-32 of the 26 bytes above, by Python's zlib.crc32; the others too */
        "abc"
        "\xc2\x41\x24\x35"
        "\xab"
        "Rec"
        "\4\3\2\1"
        "\5\0\0\0"
        "\xff\xfe\0\0"
        "\2\0\0\0"
        "\x13\xa7\x0e\x9c"
        "hi"
        "\xac\x2a\x93\xd8";
    checkpoint *c = NULL;
    cr_assert_eq(checkpoint_create(path, "abc", 3, &c, NULL), NOSLIP_OK);
    cr_assert_eq(checkpoint_append(c, (unit_key){0x01020304, 5, 0xFEFF}, "hi", 2, NULL), NOSLIP_OK);
    checkpoint_close(c);
    bytes b = slurp();
    cr_assert_eq(b.n, sizeof file - 1);
    cr_assert_arr_eq(b.at, file, sizeof file - 1);
    free(b.at);
}

Test(log, refuses_a_key_twice_and_keeps_the_first)
{
    checkpoint *c = must(checkpoint_create);
    append_nth(c, 3, 19);
    size_t before = size_of_file();
    noslip_error err = {0};
    cr_assert_eq(checkpoint_append(c, nth_key(19), "other", 5, &err), NOSLIP_ERR_ARG);
    cr_assert(strstr(err.message, "already"));
    cr_assert_eq(size_of_file(), before);
    expect_nth(c, 3, 19);
    checkpoint_close(c);
    c = must(checkpoint_resume);
    cr_assert_eq(checkpoint_append(c, nth_key(19), "other", 5, &err), NOSLIP_ERR_ARG);
    expect_nth(c, 3, 19);
    checkpoint_close(c);
}

Test(log, reads_no_record_that_is_not_there_or_of_another_size)
{
    checkpoint *c = must(checkpoint_create);
    cr_assert_not(checkpoint_has(c, nth_key(4), NULL));
    cr_assert_eq(checkpoint_append(c, nth_key(4), "seven..", 7, NULL), NOSLIP_OK);
    char to[9];
    noslip_error err = {0};
    cr_assert_eq(checkpoint_read(c, nth_key(5), to, 7, &err), NOSLIP_ERR_ARG);
    cr_assert_eq(checkpoint_read(c, nth_key(4), to, 6, &err), NOSLIP_ERR_ARG);
    cr_assert_eq(checkpoint_read(c, nth_key(4), to, 8, &err), NOSLIP_ERR_ARG);
    cr_assert_eq(checkpoint_read(c, nth_key(4), to, 7, &err), NOSLIP_OK);
    checkpoint_close(c);
    checkpoint_close(NULL);
}

/* What is refused */

Test(log, tells_each_reason_in_its_own_words)
{
    expect_refused("there is no checkpoint");
    checkpoint *c = must(checkpoint_create);
    append_nth(c, 1, 1);
    checkpoint_close(c);
    bytes b = slurp();

    spill((const unsigned char *)"title: disk\n", 12);
    expect_refused("is not a checkpoint");
    spill(b.at, 0);
    expect_refused("is not a checkpoint");
    b.at[18]++;
    spill(b.at, b.n);
    expect_refused("version 2 of the format");
    b.at[18]--;
    b.at[32]++;
    spill(b.at, b.n);
    expect_refused("header");
    b.at[32]--;
    spill(b.at, b.n);

    noslip_error err = {0};
    static const char *const others[] = {"rolling-disk, 17 by 24", "rolling-disk, 17 by 2", "",
                                         "rolling-disk, 17 by 23, and more"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        cr_assert_eq(checkpoint_resume(path, others[k], strlen(others[k]) + 1, &c, &err),
                     NOSLIP_ERR_FILE);
        cr_assert(
            strstr(err.message, "it belongs to another case, other parameters or other options"),
            "%s", err.message);
    }
    cr_assert_eq(checkpoint_resume(path, identity, 7, &c, &err), NOSLIP_ERR_FILE, "a beginning");
    cr_assert(strstr(err.message, "another case"), "%s", err.message);
    free(b.at);
    checkpoint_close(must(checkpoint_resume));
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(log, of_a_long_path_does_not_push_the_reason_out)
{
    char longer[400];
    memset(longer, 'q', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    checkpoint *c = NULL;
    noslip_error err = {0};
    cr_assert_eq(checkpoint_create(longer, "", 0, &c, &err), NOSLIP_ERR_FILE);
    cr_assert(strstr(err.message, strerror(ENAMETOOLONG)), "%s", err.message);
}

Test(log, neither_writes_nor_reads_where_it_cannot)
{
    char inside[sizeof path + 20];
    snprintf(inside, sizeof inside, "%s/missing/sweep", folder);
    checkpoint *c = NULL;
    noslip_error err = {0};
    cr_assert_eq(checkpoint_create(inside, "", 0, &c, &err), NOSLIP_ERR_FILE);
    cr_assert(strstr(err.message, strerror(ENOENT)), "%s", err.message);

    cr_assert_eq(mkdir(path, 0777), 0);
    cr_assert_eq(checkpoint_create(path, "", 0, &c, &err), NOSLIP_ERR_FILE);
    cr_assert(strstr(err.message, strerror(EISDIR)), "%s", err.message);
    cr_assert_neq(access(beside, F_OK), 0, "what was made beside it is gone");
    cr_assert_eq(checkpoint_resume(path, "", 0, &c, &err), NOSLIP_ERR_FILE);
    cr_assert(strstr(err.message, strerror(EISDIR)), "%s", err.message);
    cr_assert_eq(checkpoint_remove(path, &err), NOSLIP_ERR_FILE);
    cr_assert_eq(rmdir(path), 0);

    cr_assert_eq(mkfifo(path, 0666), 0);
    expect_refused("is not a checkpoint");
    cr_assert_null(c);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(log, is_used_by_one_at_a_time)
{
    checkpoint *c = must(checkpoint_create);
    expect_refused("in use");
    append_nth(c, 1, 7);
    checkpoint_close(c);
    c = must(checkpoint_resume);
    expect_refused("in use");
    checkpoint_close(c);
}

Test(log, replaces_an_old_one_and_what_an_interrupted_beginning_left)
{
    checkpoint *c = must(checkpoint_create);
    append_nth(c, 1, 7);
    append_nth(c, 1, 9);
    checkpoint_close(c);
    cr_assert_eq(rename(path, beside), 0);
    spill((const unsigned char *)"an old file", 11);

    c = must(checkpoint_create);
    cr_assert_neq(access(beside, F_OK), 0);
    checkpoint_close(c);
    c = must(checkpoint_resume);
    cr_assert_not(checkpoint_has(c, nth_key(7), NULL));
    append_nth(c, 1, 8);
    checkpoint_close(c);
    c = must(checkpoint_resume);
    cr_assert_not(checkpoint_has(c, nth_key(7), NULL));
    expect_nth(c, 1, 8);
    checkpoint_close(c);
}

Test(log, that_cannot_begin_leaves_the_old_one)
{
    checkpoint *c = must(checkpoint_create), *other = NULL;
    append_nth(c, 1, 7);
    checkpoint_close(c);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){31, RLIM_INFINITY}), 0);
    cr_assert_eq(checkpoint_create(path, identity, sizeof identity, &other, NULL), NOSLIP_ERR_FILE);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    cr_assert_neq(access(beside, F_OK), 0);
    c = must(checkpoint_resume);
    expect_nth(c, 1, 7);
    checkpoint_close(c);
}

Test(log, can_be_removed_and_need_not_be_there)
{
    checkpoint_close(must(checkpoint_create));
    cr_assert_eq(checkpoint_remove(path, NULL), NOSLIP_OK);
    cr_assert_neq(access(path, F_OK), 0);
    cr_assert_eq(checkpoint_remove(path, NULL), NOSLIP_OK);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Damage */

static const char *const small[] = {"", "a", "lean", "speed and spin", "7"};
enum { SMALL = sizeof small / sizeof *small };

static size_t starts[SMALL + 1]; /* of its records, and the end */

static bytes small_file(void)
{
    checkpoint *c = must(checkpoint_create);
    for (uint32_t k = 0; k < SMALL; k++) {
        starts[k] = size_of_file();
        cr_assert_eq(checkpoint_append(c, nth_key(k), small[k], strlen(small[k]), NULL), NOSLIP_OK);
    }
    starts[SMALL] = size_of_file();
    checkpoint_close(c);
    return slurp();
}

/* How many of its records a file has, all whole, none missing in between; -1 if it is refused. */
static int count_small(const char *what, size_t where)
{
    checkpoint *c = NULL;
    noslip_error err = {0};
    noslip_status status = checkpoint_resume(path, identity, sizeof identity, &c, &err);
    if (status != NOSLIP_OK && (status != NOSLIP_ERR_FILE || !err.hint[0]))
        cr_assert_fail("%s %zu: status %d: %s", what, where, status, err.message);
    if (status != NOSLIP_OK) return -1;
    int count = 0;
    for (uint32_t k = 0; k < SMALL; k++) {
        char to[40];
        size_t n = strlen(small[k]), there;
        if (!checkpoint_has(c, nth_key(k), &there)) continue;
        if (there != n || checkpoint_read(c, nth_key(k), to, n, &err) != NOSLIP_OK ||
            memcmp(to, small[k], n) != 0 || count != (int)k)
            cr_assert_fail("%s %zu: record %u is wrong", what, where, k);
        count++;
    }
    if (checkpoint_append(c, nth_key(77), "next", 4, &err) != NOSLIP_OK)
        cr_assert_fail("%s %zu: %s", what, where, err.message);
    checkpoint_close(c);
    return count;
}

static void expect_small(int count, const char *what, size_t where)
{
    int got = count_small(what, where);
    if (got != count) cr_assert_fail("%s %zu: %d instead of %d", what, where, got, count);
    if (count >= 0 && size_of_file() != starts[count] + 24 + 4 + 4)
        cr_assert_fail("%s %zu: the tail was not cut off", what, where);
}

static int records_before(size_t at)
{
    int k = 0;
    while (k < SMALL && starts[k + 1] <= at) k++;
    return k;
}

Test(log, is_never_wrong_whatever_byte_is_flipped)
{
    bytes b = small_file();
    for (size_t at = 0; at < b.n; at++)
        for (int bit = 0; bit < 9; bit++) { /* the ninth: all of them */
            unsigned char flip = (unsigned char)(bit < 8 ? 1 << bit : 0xFF);
            b.at[at] ^= flip;
            spill(b.at, b.n);
            bool last = at >= starts[SMALL - 1];
            expect_small(last ? SMALL - 1 : -1, "flipped byte", at);
            b.at[at] ^= flip;
        }
    spill(b.at, b.n);
    expect_small(SMALL, "as it was", 0);
    free(b.at);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(log, loses_the_last_record_only_wherever_it_is_cut_off)
{
    bytes b = small_file();
    for (size_t n = 0; n <= b.n; n++) {
        spill(b.at, n);
        expect_small(n < starts[0] ? -1 : records_before(n), "length", n);
    }
    free(b.at);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* A file system that crashed may have the length of a file, but not its bytes. */
Test(log, loses_the_last_record_only_where_it_ends_in_zeros)
{
    enum { MORE = 5003 };
    bytes b = small_file();
    for (size_t n = starts[0]; n <= b.n; n++)
        for (size_t total = n; total < n + MORE; total = total * 4 + 1) {
            unsigned char *file = calloc(total, 1);
            memcpy(file, b.at, n);
            spill(file, total);
            /* a record whose last bytes are zeros anyway is whole */
            int whole = records_before(n);
            if (whole < SMALL && total >= starts[whole + 1] &&
                memcmp(file, b.at, starts[whole + 1]) == 0)
                whole++;
            expect_small(whole, "zeros from", n);
            free(file);
        }
    free(b.at);
}

Test(log, tells_where_it_is_damaged)
{
    bytes b = small_file();
    char words[40];
    snprintf(words, sizeof words, "damaged at byte %zu", starts[2]);
    b.at[starts[2] + 26] ^= 4;
    spill(b.at, b.n);
    expect_refused(words);
    spill(b.at, b.n - 3); /* with a tail cut off behind it */
    expect_refused(words);
    bytes after = slurp();
    cr_assert_eq(after.n, b.n - 3, "what is refused is not touched");
    free(after.at);
    free(b.at);
}

Test(log, is_refused_if_a_record_is_gone_or_twice_in_it)
{
    bytes b = small_file();
    memmove(b.at + starts[2] + 5, b.at + starts[3], b.n - starts[3]);
    spill(b.at, b.n - (starts[3] - starts[2] - 5));
    expect_refused("damaged");
    free(b.at);
    b = small_file();
    unsigned char *twice = malloc(2 * b.n);
    memcpy(twice, b.at, b.n);
    memcpy(twice + b.n, b.at + starts[3], starts[4] - starts[3]);
    spill(twice, b.n + starts[4] - starts[3]);
    expect_refused("damaged");
    free(twice);
    free(b.at);
}

/* Heads inside a payload are bytes like others: here the payload is a file of records, and it is cut off. */
Test(log, takes_nothing_inside_a_payload_for_a_record)
{
    bytes b = small_file();
    checkpoint *c = must(checkpoint_create);
    cr_assert_eq(checkpoint_append(c, nth_key(9), b.at, b.n, NULL), NOSLIP_OK);
    checkpoint_close(c);
    cr_assert_eq(truncate(path, (off_t)size_of_file() - 2), 0);
    c = must(checkpoint_resume);
    cr_assert_not(checkpoint_has(c, nth_key(9), NULL));
    cr_assert_not(checkpoint_has(c, nth_key(2), NULL));
    checkpoint_close(c);
    free(b.at);
}

/* The damage and the record behind it are farther apart than what is read at once, at every place of its border. */
Test(log, finds_a_record_far_behind_the_damage)
{
    enum { FAR = 1 << 18 };
    unsigned char *large = calloc(FAR + 100, 1);
    for (size_t n = FAR - 60; n < FAR + 60; n += 3) {
        checkpoint *c = must(checkpoint_create);
        size_t start = size_of_file();
        cr_assert_eq(checkpoint_append(c, nth_key(1), large, n, NULL), NOSLIP_OK);
        append_nth(c, 1, 2);
        checkpoint_close(c);
        int fd = open(path, O_WRONLY);
        cr_assert_eq(pwrite(fd, "?", 1, (off_t)start + 1), 1);
        close(fd);
        expect_refused("damaged");
    }
    free(large);
}

Test(log, notices_damage_that_came_after_it_was_opened)
{
    checkpoint *c = must(checkpoint_create);
    cr_assert_eq(checkpoint_append(c, nth_key(1), "speed", 5, NULL), NOSLIP_OK);
    int fd = open(path, O_WRONLY);
    cr_assert_eq(pwrite(fd, "?", 1, (off_t)size_of_file() - 6), 1);
    close(fd);
    char to[5];
    noslip_error err = {0};
    cr_assert_eq(checkpoint_read(c, nth_key(1), to, 5, &err), NOSLIP_ERR_FILE);
    cr_assert(strstr(err.message, "damaged"));
    cr_assert_eq(truncate(path, (off_t)size_of_file() - 3), 0);
    cr_assert_eq(checkpoint_read(c, nth_key(1), to, 5, &err), NOSLIP_ERR_FILE);
    checkpoint_close(c);
}

/* A full disk */

Test(log, of_a_full_disk_keeps_the_whole_records_and_goes_on_when_there_is_room)
{
    enum { BEFORE = 5 };
    signal(SIGXFSZ, SIG_IGN);
    checkpoint *c = must(checkpoint_create);
    for (uint32_t k = 0; k < BEFORE; k++) append_nth(c, 11, k);
    size_t size = size_of_file();
    for (size_t more = 0; more < 100; more += 7) {
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){size + more, RLIM_INFINITY}), 0);
        noslip_error err = {0};
        memset(wanted, 'w', 101);
        noslip_status status = checkpoint_append(c, nth_key(99), wanted, 101, &err);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY});
        cr_assert_eq(status, NOSLIP_ERR_FILE);
        cr_assert(strstr(err.message, strerror(EFBIG)), "%s", err.message);
        cr_assert_eq(size_of_file(), size);
        cr_assert_not(checkpoint_has(c, nth_key(99), NULL));
    }
    for (uint32_t k = BEFORE; k < 2 * BEFORE; k++) append_nth(c, 11, k);
    checkpoint_close(c);
    c = must(checkpoint_resume);
    cr_assert_eq(count_from_start(c, 11, 99), 2 * BEFORE);
    checkpoint_close(c);
}

Test(log, says_that_the_disk_is_full)
{
    checkpoint *c = must(checkpoint_create);
    append_nth(c, 11, 1);
    append_nth(c, 11, 2);
    append_nth(c, 11, 3);
    size_t size = size_of_file();
    noslip_error err = {0};
    full = true;
    cr_assert_eq(checkpoint_append(c, nth_key(99), "spin", 4, &err), NOSLIP_ERR_FILE);
    full = false;
    cr_assert(strstr(err.message, strerror(ENOSPC)), "%s", err.message);
    cr_assert_eq(size_of_file(), size);
    checkpoint_close(c);
}

Test(log, is_whole_though_the_system_takes_a_few_bytes_at_a_time)
{
    enum { RECORDS = 61 };
    hesitant = true;
    checkpoint *c = must(checkpoint_create);
    for (uint32_t k = 0; k < RECORDS; k++) append_nth(c, 13, k);
    for (uint32_t k = 0; k < RECORDS; k++) expect_nth(c, 13, k);
    checkpoint_close(c);
    c = must(checkpoint_resume);
    cr_assert_eq(count_from_start(c, 13, RECORDS + 3), RECORDS);
    checkpoint_close(c);
    hesitant = false;
    c = must(checkpoint_resume);
    cr_assert_eq(count_from_start(c, 13, RECORDS + 3), RECORDS);
    checkpoint_close(c);
}

/* Threads */

enum { THREADS = 4, EACH = 1501 };

typedef struct {
    checkpoint *c;
    uint32_t number;
    atomic_uint *written; /* of each thread: how many */
    const char *problem;
} writer;

static size_t fill(uint32_t k, unsigned char *out)
{
    uint64_t state = k;
    size_t n = next_random(&state) % 211;
    for (size_t i = 0; i < n; i++) out[i] = (unsigned char)next_random(&state);
    return n;
}

static bool is_there(checkpoint *c, uint32_t k)
{
    unsigned char good[211], got[211];
    size_t n = fill(k, good), there;
    return checkpoint_has(c, nth_key(k), &there) && there == n &&
           checkpoint_read(c, nth_key(k), got, n, NULL) == NOSLIP_OK && memcmp(good, got, n) == 0;
}

static void *write_and_read(void *arg)
{
    writer *w = arg;
    unsigned char record[211];
    uint64_t state = w->number;
    for (uint32_t k = 0; k < EACH && !w->problem; k++) {
        uint32_t mine = k * THREADS + w->number;
        size_t n = fill(mine, record);
        if (checkpoint_append(w->c, nth_key(mine), record, n, NULL) != NOSLIP_OK)
            w->problem = "append";
        atomic_fetch_add(&w->written[w->number], 1);

        uint32_t who = (uint32_t)(next_random(&state) % THREADS);
        uint32_t most = atomic_load(&w->written[who]);
        if (most && !is_there(w->c, (uint32_t)(next_random(&state) % most) * THREADS + who))
            w->problem = "read";
    }
    return NULL;
}

Test(log, is_written_and_read_by_four_threads_at_once)
{
    atomic_uint written[THREADS] = {0};
    checkpoint *c = must(checkpoint_create);
    pthread_t id[THREADS];
    writer w[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) {
        w[t] = (writer){c, t, written, NULL};
        cr_assert_eq(pthread_create(&id[t], NULL, write_and_read, &w[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(id[t], NULL);
    for (int t = 0; t < THREADS; t++) cr_assert_null(w[t].problem, "%s", w[t].problem);
    checkpoint_close(c);
    c = must(checkpoint_resume);
    for (uint32_t k = 0; k < THREADS * EACH; k++) cr_assert(is_there(c, k), "record %u", k);
    checkpoint_close(c);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Kills. The records are large and quickly made, so that most of the time goes into writing. */

enum { WORDS = 100003 };

static uint64_t block[WORDS], block_back[WORDS];

static size_t nth_block(uint64_t seed, uint32_t k)
{
    uint64_t state = seed + k, n = next_random(&state) % WORDS, x = next_random(&state);
    for (uint64_t i = 0; i < n; i++) block[i] = x + i * i;
    return n * sizeof *block;
}

static void append_until_killed(uint64_t seed)
{
    checkpoint *c = NULL;
    if (checkpoint_resume(path, identity, sizeof identity, &c, NULL) != NOSLIP_OK) _exit(1);
    uint32_t k = 0;
    while (checkpoint_has(c, nth_key(k), NULL)) k++;
    for (;; k++) {
        size_t n = nth_block(seed, k);
        if (checkpoint_append(c, nth_key(k), block, n, NULL) != NOSLIP_OK) _exit(2);
    }
}

/* The blocks from `from` on that are there, all of which have to be right; returns the first that is not there. */
static uint32_t count_blocks(checkpoint *c, uint64_t seed, uint32_t from)
{
    size_t there;
    uint32_t k = from;
    for (; checkpoint_has(c, nth_key(k), &there); k++) {
        size_t n = nth_block(seed, k);
        if (n != there || checkpoint_read(c, nth_key(k), block_back, n, NULL) != NOSLIP_OK ||
            memcmp(block, block_back, n) != 0)
            cr_assert_fail("seed %llu: block %u is wrong", (unsigned long long)seed, k);
    }
    return k;
}

static void run_and_kill(uint64_t seed, long pause)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) append_until_killed(seed);
    nanosleep(&(struct timespec){0, pause}, NULL);
    kill(child, SIGKILL);
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status), "seed %llu: the child ended by itself: %d",
              (unsigned long long)seed, status);
}

Test(log, survives_fifty_kills_with_every_record_whole)
{
    enum { KILLS = 50 };
    uint64_t seed = (uint64_t)time(NULL), state = seed;
    uint32_t records = 0, kept = 0, cut_off = 0;
    for (int k = 0; k < KILLS; k++) {
        if (k % 10 == 0) checkpoint_close(must(checkpoint_create)); /* else it grows and grows */
        if (k % 10 == 0) kept = 0;
        run_and_kill(seed, (long)(next_random(&state) % 20000000));

        size_t size = size_of_file();
        checkpoint *c = must(checkpoint_resume);
        cut_off += size_of_file() < size;
        cr_assert(kept == 0 || checkpoint_has(c, nth_key(kept - 1), NULL));
        cr_assert_geq(count_blocks(c, seed, 0), kept, "seed %llu", (unsigned long long)seed);
        uint32_t now = count_blocks(c, seed, kept);
        records += now - kept;
        kept = now;
        checkpoint_close(c);
    }
    cr_log_info("seed %llu: %u records, %u cut off", (unsigned long long)seed, records, cut_off);
    cr_assert_gt(records, KILLS, "seed %llu: %u records", (unsigned long long)seed, records);
    cr_assert_eq(noslip_alloc_live(), 0);
}
