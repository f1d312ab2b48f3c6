/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "alloc.h"
#include "array.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The four ways to a block of so many bytes. */
static void *by_malloc(size_t bytes)
{
    return noslip_malloc(bytes);
}
static void *by_calloc(size_t bytes)
{
    return noslip_calloc(bytes, 1);
}
static void *by_realloc(size_t bytes)
{
    return noslip_realloc(NULL, bytes);
}
static void *by_aligned(size_t bytes)
{
    return noslip_aligned(64, bytes, 1);
}

static const struct {
    const char *name;
    void *(*get)(size_t bytes);
    bool zeroed;
} doors[] = {
    {"malloc", by_malloc, false},
    {"calloc", by_calloc, true},
    {"realloc", by_realloc, false},
    {"aligned", by_aligned, true},
};

static bool is_zero(const void *block, size_t bytes)
{
    const unsigned char *at = block;
    for (size_t k = 0; k < bytes; k++)
        if (at[k]) return false;
    return true;
}

/* Blocks are counted */

Test(alloc, every_door_counts_what_it_gives_and_takes_back)
{
    void *block[COUNT(doors)];
    for (size_t k = 0; k < COUNT(doors); k++) {
        block[k] = doors[k].get(173);
        cr_assert_not_null(block[k], "%s", doors[k].name);
        cr_assert_eq(noslip_alloc_live(), (long)k + 1, "%s", doors[k].name);
        memset(block[k], 0xA5, 173);
    }
    for (size_t k = COUNT(doors); k-- > 0;) {
        noslip_free(block[k]);
        cr_assert_eq(noslip_alloc_live(), (long)k, "%s", doors[k].name);
    }
}

Test(alloc, a_size_of_zero_gives_a_block_of_its_own)
{
    for (size_t k = 0; k < COUNT(doors); k++) {
        char *a = doors[k].get(0), *b = doors[k].get(0);
        cr_assert(a && b && a != b, "%s", doors[k].name);
        *a = *b = 'q';
        cr_assert_eq(noslip_alloc_live(), 2);
        noslip_free(a);
        noslip_free(b);
    }
    void *none = noslip_calloc(17, 0);
    cr_assert_not_null(none);
    noslip_free(none);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(alloc, a_block_that_promises_zeros_has_them)
{
    enum { BYTES = 3001 };
    for (size_t k = 0; k < COUNT(doors); k++) {
        void *dirty = noslip_malloc(BYTES); /* likely to be handed out again */
        cr_assert_not_null(dirty);
        memset(dirty, 0xA5, BYTES);
        noslip_free(dirty);
        void *block = doors[k].get(BYTES);
        cr_assert_not_null(block);
        if (doors[k].zeroed) cr_expect(is_zero(block, BYTES), "%s", doors[k].name);
        noslip_free(block);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(alloc, freeing_nothing_counts_nothing)
{
    noslip_free(NULL);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(alloc, growing_and_shrinking_keep_the_bytes_and_the_count)
{
    static const size_t sizes[] = {11, 5003, 70001, 300, 7, 0};
    char *block = noslip_realloc(NULL, 3);
    cr_assert_not_null(block);
    memcpy(block, "abc", 3);
    for (size_t k = 0; k < COUNT(sizes); k++) {
        char *moved = noslip_realloc(block, sizes[k]);
        cr_assert_not_null(moved);
        block = moved;
        cr_assert_eq(noslip_alloc_live(), 1);
        if (sizes[k] >= 3) cr_assert_arr_eq(block, "abc", 3);
    }
    noslip_free(block);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(alloc, an_aligned_block_stands_where_it_should)
{
    static const size_t alignments[] = {8, 16, 32, 64, 128, 4096};
    static const size_t counts[] = {0, 1, 3, 7, 1001};
    for (size_t k = 0; k < COUNT(alignments); k++)
        for (size_t c = 0; c < COUNT(counts); c++) {
            double *block = noslip_aligned(alignments[k], counts[c], sizeof *block);
            cr_assert_not_null(block);
            cr_expect_eq((uintptr_t)block % alignments[k], 0, "alignment %zu", alignments[k]);
            cr_expect(is_zero(block, counts[c] * sizeof *block));
            noslip_free(block);
        }
    cr_assert_eq(noslip_alloc_live(), 0);
}

enum { BLOCKS = 2003 };

static void *allocate_many(void *out)
{
    void **block = out;
    for (int k = 0; k < BLOCKS; k++) block[k] = noslip_malloc((size_t)(k % 37));
    for (int k = 0; k < BLOCKS; k += 2) {
        noslip_free(block[k]);
        block[k] = NULL;
    }
    return NULL;
}

Test(alloc, blocks_are_counted_over_all_threads)
{
    enum { THREADS = 5 };
    static void *block[THREADS][BLOCKS];
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++)
        cr_assert_eq(pthread_create(&thread[t], NULL, allocate_many, block[t]), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(thread[t], NULL);
    cr_assert_eq(noslip_alloc_live(), THREADS * (BLOCKS / 2));
    for (int t = 0; t < THREADS; t++)
        for (int k = 0; k < BLOCKS; k++) noslip_free(block[t][k]);
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Memory that is short on purpose */

Test(alloc, every_door_fails_when_told_to_and_goes_on_failing)
{
    for (size_t k = 0; k < COUNT(doors); k++) {
        noslip_alloc_fail_after(3);
        void *block[6];
        for (int i = 0; i < 6; i++) {
            block[i] = doors[k].get(41);
            cr_expect_eq(block[i] != NULL, i < 3, "%s, allocation %d", doors[k].name, i + 1);
        }
        cr_expect_eq(noslip_alloc_live(), 3);
        noslip_alloc_fail_after(-1);
        void *again = doors[k].get(41);
        cr_expect_not_null(again, "%s", doors[k].name);
        noslip_free(again);
        for (int i = 0; i < 6; i++) noslip_free(block[i]);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(alloc, the_allowance_is_for_all_doors_together)
{
    noslip_alloc_fail_after((long)COUNT(doors));
    for (int round = 0; round < 2; round++)
        for (size_t k = 0; k < COUNT(doors); k++) {
            void *block = doors[k].get(41);
            cr_expect_eq(block != NULL, round == 0, "%s, round %d", doors[k].name, round);
            noslip_free(block);
        }
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(alloc, a_block_that_cannot_grow_stays_as_it_is)
{
    char *block = noslip_malloc(4);
    cr_assert_not_null(block);
    memcpy(block, "kept", 4);
    noslip_alloc_fail_after(0);
    cr_assert_null(noslip_realloc(block, 100003));
    noslip_alloc_fail_after(-1);
    cr_assert_arr_eq(block, "kept", 4);
    cr_assert_eq(noslip_alloc_live(), 1);
    noslip_free(block);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(alloc, sizes_that_overflow_give_nothing)
{
    static const struct {
        size_t count, size;
    } table[] = {
        {SIZE_MAX, 2},
        {2, SIZE_MAX},
        {SIZE_MAX / 8 + 2, 8},
        {SIZE_MAX / 24 + 1, 24},
        {(size_t)1 << 33, (size_t)1 << 33},
    };
    for (size_t k = 0; k < COUNT(table); k++) {
        cr_expect_null(noslip_calloc(table[k].count, table[k].size), "calloc, row %zu", k);
        cr_expect_null(noslip_aligned(64, table[k].count, table[k].size), "aligned, row %zu", k);
    }
    cr_expect_null(noslip_aligned(64, SIZE_MAX, 1), "rounding up overflows");
    cr_expect_null(noslip_aligned(4096, 1, SIZE_MAX - 7));
    cr_assert_eq(noslip_alloc_live(), 0);
}

/* Arrays */

typedef struct {
    double x;
    char name[13];
} odd_item;

static odd_item nth(int k)
{
    odd_item item = {.x = 0.375 * k};
    memset(item.name, 'a' + k % 26, sizeof item.name - 1);
    return item;
}

static void expect_nth(const odd_item *item, int k)
{
    odd_item wanted = nth(k);
    cr_assert_eq(item->x, wanted.x, "item %d", k);
    cr_assert_str_eq(item->name, wanted.name, "item %d", k);
}

Test(array, keeps_its_items_while_it_grows)
{
    enum { ITEMS = 10007 };
    ARRAY(odd_item) a = {0};
    for (int k = 0; k < ITEMS; k++) {
        cr_assert(array_push(&a, nth(k)));
        cr_assert_eq(a.n, (size_t)k + 1);
        cr_assert_geq(a.room, a.n);
    }
    for (int k = 0; k < ITEMS; k++) expect_nth(&a.at[k], k);
    cr_assert_eq(noslip_alloc_live(), 1);
    array_free(&a);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(array, grows_by_a_factor_so_that_pushing_is_cheap)
{
    enum { ITEMS = 100003 };
    ARRAY(int) a = {0};
    int moves = 0;
    for (int k = 0; k < ITEMS; k++) {
        size_t room = a.room;
        cr_assert(array_push(&a, k));
        moves += a.room != room;
    }
    cr_expect_leq(moves, 20, "%d moves", moves);
    array_free(&a);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(array, room_once_made_is_enough)
{
    enum { MORE = 333 };
    ARRAY(short) a = {0};
    cr_assert(array_push(&a, (short)-7));
    cr_assert(array_room(&a, MORE));
    cr_assert_eq(a.n, 1);
    cr_assert_geq(a.room, MORE + 1);
    noslip_alloc_fail_after(0);
    const short *at = a.at;
    for (int k = 0; k < MORE; k++) cr_assert(array_push(&a, (short)k));
    noslip_alloc_fail_after(-1);
    cr_assert_eq(a.at, at);
    cr_assert_eq(a.at[0], -7);
    cr_assert_eq(a.at[MORE], MORE - 1);
    array_free(&a);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(array, room_for_nothing_takes_no_memory)
{
    ARRAY(int) a = {0};
    volatile size_t none = 0; /* not a constant: 0 <= n is always true, and compilers say so */
    cr_assert(array_room(&a, none));
    cr_assert_null(a.at);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(array, failed_growth_leaves_it_as_it_was)
{
    ARRAY(odd_item) a = {0};
    int n = 0;
    do cr_assert(array_push(&a, nth(n++)));
    while (a.n < a.room); /* the next push has to grow */
    const odd_item *at = a.at;
    size_t room = a.room;

    noslip_alloc_fail_after(0);
    cr_assert_not(array_push(&a, nth(n)));
    cr_assert_not(array_room(&a, 1000));
    noslip_alloc_fail_after(-1);
    cr_assert_not(array_room(&a, SIZE_MAX / sizeof *a.at));
    cr_assert_not(array_room(&a, SIZE_MAX));

    cr_assert_eq(a.at, at);
    cr_assert_eq(a.room, room);
    cr_assert_eq(a.n, (size_t)n);
    for (int k = 0; k < n; k++) expect_nth(&a.at[k], k);

    cr_assert(array_push(&a, nth(n)), "it can go on when there is memory again");
    expect_nth(&a.at[n], n);
    array_free(&a);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(array, an_empty_one_that_cannot_begin_stays_empty)
{
    ARRAY(int) a = {0};
    noslip_alloc_fail_after(0);
    cr_assert_not(array_push(&a, 41));
    noslip_alloc_fail_after(-1);
    cr_assert(!a.at && a.n == 0 && a.room == 0);
    array_free(&a);
    cr_assert_eq(noslip_alloc_live(), 0);
}

Test(array, can_be_used_again_after_it_was_freed)
{
    ARRAY(int) a = {0};
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 19; k++) cr_assert(array_push(&a, k + round));
        cr_assert_eq(a.at[18], 18 + round);
        array_free(&a);
        cr_assert(!a.at && a.n == 0 && a.room == 0);
        array_free(&a);
    }
    cr_assert_eq(noslip_alloc_live(), 0);
}
