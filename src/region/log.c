/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* pwritev, preadv */
#include "log.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "alloc.h"
#include "fail.h"
#include "text.h"

/* The file. Words have 32 bits, the lowest byte first; a checksum is the CRC-32 of the bytes named.
 *
 *     header    "noslip checkpoint\n" | version | n | checksum of all before | identity (n) | its checksum
 *     record    RECORD | sheet | round | unit | n | checksum of all before | payload (n) | its checksum
 *     record    ...
 *
 * A record is written by one call behind the last whole one, whose end is `end`. What a kill leaves behind `end` is the
 * beginning of a record; what a crash of the file system leaves may be zeros too. As the heads have checksums of their own, the
 * length of a record is known to be right before it is used, and a head that is right behind damage shows that the damage is
 * not a tail. */

static const char MAGIC[] = "noslip checkpoint\n";
static const uint32_t RECORD = 0x636552AB; /* a byte that no UTF-8 text begins with, "Rec" */
enum {
    VERSION = 1,
    WORD = 4,
    MAGIC_SIZE = sizeof MAGIC - 1,
    HEADER_SIZE = MAGIC_SIZE + 3 * WORD, /* without the identity and its checksum */
    RECORD_SIZE = 6 * WORD,              /* without the payload and its checksum */
};

/* Where a record is; an open hash table of these, at most half full, knows them all. */
typedef struct {
    unit_key key;
    uint32_t n;  /* bytes of its payload */
    uint64_t at; /* of its payload; 0 for a free slot */
} slot;

struct checkpoint {
    int fd;
    char *path;
    pthread_mutex_t lock; /* of what follows */
    uint64_t end;         /* of the last whole record */
    slot *slots;
    size_t room, used; /* room: a power of two, or 0 */
    time_t synced;     /* when all was brought to the disk, s */
    bool unsynced;     /* something was written since */
};

/* Words and checksums */

static unsigned char *put_word(unsigned char *to, uint32_t word)
{
    word = htole32(word);
    memcpy(to, &word, WORD);
    return to + WORD;
}

static uint32_t get_word(const unsigned char *from)
{
    uint32_t word;
    memcpy(&word, from, WORD);
    return le32toh(word);
}

static uint32_t checksum(uint32_t before, const void *bytes, size_t n)
{
    return (uint32_t)crc32_z(before, bytes, n); /* of nothing, it is `before` */
}

/* Whether the last word of n bytes is the checksum of the others. */
static bool is_whole(const unsigned char *bytes, size_t n)
{
    return checksum(0, bytes, n - WORD) == get_word(bytes + n - WORD);
}

/* Errors */

static int clip(const char *path)
{
    return text_clip(path, strlen(path), 120);
}

static noslip_status fail_system(const char *path, const char *what, int number, noslip_error *err)
{
    return noslip_fail(err, NOSLIP_ERR_FILE, "cannot %s the checkpoint '%.*s': %s", what,
                       clip(path), path, strerror(number));
}

static noslip_status fail_damaged(const char *path, uint64_t at, noslip_error *err)
{
    noslip_fail(err, NOSLIP_ERR_FILE, "the checkpoint '%.*s' is damaged at byte %llu", clip(path),
                path, (unsigned long long)at);
    noslip_hint(err, "take an older copy, or remove it and begin anew");
    return NOSLIP_ERR_FILE;
}

/* The index */

static bool same_key(unit_key a, unit_key b)
{
    return a.sheet == b.sheet && a.round == b.round && a.unit == b.unit;
}

/* Mixes all bits into all others (the finaliser of SplitMix64, twice): neighbouring units must not crowd. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The slot of a key, or the free one where it belongs. */
static slot *find(slot *slots, size_t room, unit_key key)
{
    size_t k = mix(mix((uint64_t)key.sheet << 32 | key.round) + key.unit) & (room - 1);
    while (slots[k].at && !same_key(slots[k].key, key)) k = (k + 1) & (room - 1);
    return &slots[k];
}

static const slot *known(const checkpoint *c, unit_key key)
{
    const slot *s = c->room ? find(c->slots, c->room, key) : NULL;
    return s && s->at ? s : NULL;
}

/* Room for one more; false when memory is short. */
static bool index_room(checkpoint *c)
{
    if (2 * (c->used + 1) <= c->room) return true;
    size_t room = c->room ? 2 * c->room : 64;
    slot *slots = noslip_calloc(room, sizeof *slots);
    if (!slots) return false;
    for (size_t k = 0; k < c->room; k++)
        if (c->slots[k].at) *find(slots, room, c->slots[k].key) = c->slots[k];
    noslip_free(c->slots);
    c->slots = slots;
    c->room = room;
    return true;
}

static void index_add(checkpoint *c, slot s)
{
    *find(c->slots, c->room, s.key) = s;
    c->used++;
}

/* Whole transfers: short ones are gone on with, interrupted ones repeated */

/* Take n bytes off the beginning of some pieces. */
static void advance(struct iovec *pieces, int count, size_t n)
{
    for (int k = 0; k < count && n > 0; k++) {
        size_t taken = n < pieces[k].iov_len ? n : pieces[k].iov_len;
        pieces[k].iov_base = (char *)pieces[k].iov_base + taken;
        pieces[k].iov_len -= taken;
        n -= taken;
    }
}

typedef ssize_t transfer(int fd, const struct iovec *pieces, int count, off_t at);

static int transfer_all(transfer *move, int fd, struct iovec *pieces, int count, uint64_t at)
{
    size_t left = 0;
    for (int k = 0; k < count; k++) left += pieces[k].iov_len;
    while (left > 0) {
        ssize_t n = move(fd, pieces, count, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return EIO; /* the file ends before it should */
        advance(pieces, count, (size_t)n);
        left -= (size_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

static int sync_all(int fd)
{
    int status;
    do status = fsync(fd);
    while (status != 0 && errno == EINTR);
    return status == 0 ? 0 : errno;
}

static time_t seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Opening and closing */

static char *join(const char *a, const char *b)
{
    text t = {0};
    text_puts(&t, a);
    text_puts(&t, b);
    return t.at;
}

static noslip_status fail_missing(const char *path, noslip_error *err)
{
    noslip_fail(err, NOSLIP_ERR_FILE, "there is no checkpoint '%.*s'", clip(path), path);
    noslip_hint(err, "is the name right? If so, begin anew");
    return NOSLIP_ERR_FILE;
}

static noslip_status fail_in_use(const char *path, noslip_error *err)
{
    noslip_fail(err, NOSLIP_ERR_FILE, "the checkpoint '%.*s' is in use", clip(path), path);
    noslip_hint(err, "wait for the other run, or give this one a checkpoint of its own");
    return NOSLIP_ERR_FILE;
}

/* Open and lock what is the checkpoint `path`, or will be. A file system without locks has to do without. */
static noslip_status open_file(const char *name, int flags, const char *path, checkpoint *c,
                               noslip_error *err)
{
    bool made = flags & O_CREAT;
    c->fd = open(name, flags | O_RDWR | O_CLOEXEC, 0666);
    if (c->fd < 0 && errno == ENOENT && !made) return fail_missing(path, err);
    if (c->fd < 0) return fail_system(path, made ? "write" : "open", errno, err);
    if (flock(c->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return fail_in_use(path, err);
    return NOSLIP_OK;
}

static checkpoint *blank(const char *path)
{
    checkpoint *c = noslip_calloc(1, sizeof *c);
    if (!c) return NULL;
    c->fd = -1;
    c->path = join(path, "");
    c->synced = seconds();
    pthread_mutex_init(&c->lock, NULL);
    if (c->path) return c;
    checkpoint_close(c);
    return NULL;
}

void checkpoint_close(checkpoint *c)
{
    if (!c) return;
    if (c->fd >= 0) {
        if (c->unsynced) sync_all(c->fd);
        close(c->fd);
    }
    pthread_mutex_destroy(&c->lock);
    noslip_free(c->path);
    noslip_free(c->slots);
    noslip_free(c);
}

static noslip_status hand_out(noslip_status status, checkpoint *c, checkpoint **out)
{
    if (status == NOSLIP_OK)
        *out = c;
    else
        checkpoint_close(c);
    return status;
}

/* A new file */

static noslip_status write_header(checkpoint *c, const void *identity, size_t n, noslip_error *err)
{
    unsigned char head[HEADER_SIZE], sum[WORD], *at = head + MAGIC_SIZE;
    memcpy(head, MAGIC, MAGIC_SIZE);
    at = put_word(at, VERSION);
    at = put_word(at, (uint32_t)n);
    put_word(at, checksum(0, head, HEADER_SIZE - WORD));
    put_word(sum, checksum(0, identity, n));

    struct iovec pieces[] = {{head, HEADER_SIZE}, {(void *)identity, n}, {sum, WORD}};
    int number = ftruncate(c->fd, 0) == 0 ? 0 : errno;
    if (!number) number = transfer_all(pwritev, c->fd, pieces, 3, 0);
    if (!number) number = sync_all(c->fd);
    c->end = HEADER_SIZE + n + WORD;
    return number ? fail_system(c->path, "write", number, err) : NOSLIP_OK;
}

/* A name is on the disk when the folder is. Some file systems cannot do this; then there is nothing to be done. */
static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    char kept = slash ? slash[1] : '\0';
    if (slash) slash[1] = '\0';
    int fd = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (slash) slash[1] = kept;
    if (fd < 0) return;
    sync_all(fd);
    close(fd);
}

static noslip_status create_as(const char *name, const void *identity, size_t n, checkpoint *c,
                               noslip_error *err)
{
    noslip_status status = open_file(name, O_CREAT | O_NOFOLLOW, c->path, c, err);
    if (status != NOSLIP_OK) return status;
    status = write_header(c, identity, n, err);
    if (status == NOSLIP_OK && rename(name, c->path) != 0)
        status = fail_system(c->path, "write", errno, err);
    if (status != NOSLIP_OK) unlink(name);
    if (status == NOSLIP_OK) sync_folder(c->path);
    return status;
}

noslip_status checkpoint_create(const char *path, const void *identity, size_t n, checkpoint **out,
                                noslip_error *err)
{
    if (n > UINT32_MAX) return noslip_fail(err, NOSLIP_ERR_ARG, "an identity of %zu bytes", n);
    checkpoint *c = blank(path);
    char *name = join(path, ".new");
    noslip_status status =
        c && name ? create_as(name, identity, n, c, err) : noslip_fail_memory(err);
    noslip_free(name);
    return hand_out(status, c, out);
}

noslip_status checkpoint_remove(const char *path, noslip_error *err)
{
    char *name = join(path, ".new");
    if (!name) return noslip_fail_memory(err);
    unlink(name);
    noslip_free(name);
    if (unlink(path) == 0 || errno == ENOENT) return NOSLIP_OK;
    return fail_system(path, "remove", errno, err);
}

/* An existing file, seen through a window that moves */

enum { WINDOW = 1 << 18 };

typedef struct {
    checkpoint *c;
    uint64_t size;         /* of the file */
    unsigned char *window; /* WINDOW bytes; those from `from` to `to` of the file are there */
    uint64_t from, to;
    int number; /* the first error of the system; nothing is seen from then on */
} reader;

/* The n bytes at `at`, n <= WINDOW, which must be inside the file. NULL after an error. */
static const unsigned char *look(reader *r, uint64_t at, size_t n)
{
    if (at >= r->from && at + n <= r->to) return r->window + (at - r->from);
    uint64_t most = r->size - at;
    struct iovec piece = {r->window, most < WINDOW ? (size_t)most : WINDOW};
    r->from = at;
    r->to = at + piece.iov_len;
    if (!r->number) r->number = transfer_all(preadv, r->c->fd, &piece, 1, at);
    if (!r->number) return r->window;
    r->from = r->to = 0;
    return NULL;
}

/* Whether n bytes stand at `at`, followed by their checksum. */
static bool payload_is_whole(reader *r, uint64_t at, uint64_t n)
{
    if (at > r->size || r->size - at < n + WORD) return false;
    uint32_t sum = 0;
    for (uint64_t end = at + n; at < end;) {
        size_t piece = end - at < WINDOW ? (size_t)(end - at) : WINDOW;
        const unsigned char *bytes = look(r, at, piece);
        if (!bytes) return false;
        sum = checksum(sum, bytes, piece);
        at += piece;
    }
    const unsigned char *stored = look(r, at, WORD);
    return stored && get_word(stored) == sum;
}

/* The head of a record at `at`; false if there is none, or not all of it. */
static bool read_head(reader *r, uint64_t at, slot *out)
{
    if (r->size - at < RECORD_SIZE) return false;
    const unsigned char *head = look(r, at, RECORD_SIZE);
    if (!head || get_word(head) != RECORD || !is_whole(head, RECORD_SIZE)) return false;
    out->key = (unit_key){get_word(head + 4), get_word(head + 8), get_word(head + 12)};
    out->n = get_word(head + 16);
    out->at = at + RECORD_SIZE;
    return true;
}

/* Whether the head of a record stands anywhere from `at` on. */
static bool any_head(reader *r, uint64_t at)
{
    unsigned char mark[WORD];
    put_word(mark, RECORD);
    slot s;
    while (!r->number && at < r->size && r->size - at >= RECORD_SIZE) {
        uint64_t most = r->size - at;
        size_t n = most < WINDOW ? (size_t)most : WINDOW;
        const unsigned char *seen = look(r, at, n);
        const unsigned char *hit = seen ? memmem(seen, n, mark, WORD) : NULL;
        at += hit ? (size_t)(hit - seen) : n - WORD + 1; /* a mark may be half in sight */
        if (hit && read_head(r, at++, &s)) return true;
    }
    return false;
}

/* What stands at `at` is no whole record: is it the end of the file, cut off? A head that is right tells where the next one
 * would be; nothing inside the payload is taken for one. */
static bool is_tail(reader *r, uint64_t at)
{
    slot s;
    if (!read_head(r, at, &s)) return !any_head(r, at + 1);
    uint64_t next = s.at + s.n + WORD;
    return next >= r->size || !any_head(r, next);
}

static noslip_status read_records(reader *r, noslip_error *err)
{
    checkpoint *c = r->c;
    slot s;
    while (c->end < r->size) {
        bool whole = read_head(r, c->end, &s) && payload_is_whole(r, s.at, s.n);
        if (!whole && is_tail(r, c->end)) break;
        if (r->number) break;
        if (!whole || known(c, s.key)) return fail_damaged(c->path, c->end, err);
        if (!index_room(c)) return noslip_fail_memory(err);
        index_add(c, s);
        c->end = s.at + s.n + WORD;
    }
    if (r->number) return fail_system(c->path, "read", r->number, err);
    if (c->end < r->size && ftruncate(c->fd, (off_t)c->end) != 0)
        return fail_system(c->path, "write", errno, err);
    return NOSLIP_OK;
}

static noslip_status fail_foreign(const checkpoint *c, noslip_error *err)
{
    noslip_fail(err, NOSLIP_ERR_FILE, "'%.*s' is not a checkpoint", clip(c->path), c->path);
    noslip_hint(err, "is the name right? Nothing was changed in it");
    return NOSLIP_ERR_FILE;
}

static noslip_status fail_version(const checkpoint *c, uint32_t version, noslip_error *err)
{
    noslip_fail(err, NOSLIP_ERR_FILE,
                "the checkpoint '%.*s' has version %u of the format, this program writes %d",
                clip(c->path), c->path, version, VERSION);
    noslip_hint(err, "go on with the program that made it, or remove it and begin anew");
    return NOSLIP_ERR_FILE;
}

static noslip_status fail_header(const checkpoint *c, noslip_error *err)
{
    noslip_fail(err, NOSLIP_ERR_FILE, "the header of the checkpoint '%.*s' is damaged",
                clip(c->path), c->path);
    noslip_hint(err, "take an older copy, or remove it and begin anew");
    return NOSLIP_ERR_FILE;
}

static noslip_status fail_identity(const checkpoint *c, noslip_error *err)
{
    noslip_fail(
        err, NOSLIP_ERR_FILE,
        "cannot go on with the checkpoint '%.*s': it belongs to another case, other parameters "
        "or other options",
        clip(c->path), c->path);
    noslip_hint(err, "repeat what it was made with, or give this run a checkpoint of its own");
    return NOSLIP_ERR_FILE;
}

static bool same_bytes(reader *r, uint64_t at, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        size_t piece = n < WINDOW ? n : WINDOW;
        const unsigned char *seen = look(r, at, piece);
        if (!seen || memcmp(seen, bytes, piece) != 0) return false;
        at += piece;
        bytes += piece;
        n -= piece;
    }
    return true;
}

static noslip_status read_header(reader *r, const void *identity, size_t n, noslip_error *err)
{
    checkpoint *c = r->c;
    size_t seen = r->size < HEADER_SIZE ? (size_t)r->size : HEADER_SIZE;
    const unsigned char *head = look(r, 0, seen);
    if (!head) return fail_system(c->path, "read", r->number, err);
    if (seen < MAGIC_SIZE || memcmp(head, MAGIC, MAGIC_SIZE) != 0) return fail_foreign(c, err);
    if (seen < HEADER_SIZE) return fail_header(c, err);

    uint32_t version = get_word(head + MAGIC_SIZE), length = get_word(head + MAGIC_SIZE + WORD);
    if (version != VERSION) return fail_version(c, version, err);
    bool whole = is_whole(head, HEADER_SIZE) && payload_is_whole(r, HEADER_SIZE, length);
    bool same = whole && length == n && same_bytes(r, HEADER_SIZE, identity, n);
    if (r->number) return fail_system(c->path, "read", r->number, err);
    if (!whole) return fail_header(c, err);
    if (!same) return fail_identity(c, err);
    c->end = HEADER_SIZE + (uint64_t)n + WORD;
    return NOSLIP_OK;
}

static noslip_status read_file(checkpoint *c, const void *identity, size_t n, noslip_error *err)
{
    struct stat s;
    if (fstat(c->fd, &s) != 0) return fail_system(c->path, "read", errno, err);
    if (!S_ISREG(s.st_mode)) return fail_foreign(c, err);
    reader r = {.c = c, .size = (uint64_t)s.st_size, .window = noslip_malloc(WINDOW)};
    noslip_status status = r.window ? read_header(&r, identity, n, err) : noslip_fail_memory(err);
    if (status == NOSLIP_OK) status = read_records(&r, err);
    noslip_free(r.window);
    return status;
}

noslip_status checkpoint_resume(const char *path, const void *identity, size_t n, checkpoint **out,
                                noslip_error *err)
{
    checkpoint *c = blank(path);
    noslip_status status = c ? open_file(path, 0, path, c, err) : noslip_fail_memory(err);
    if (status == NOSLIP_OK) status = read_file(c, identity, n, err);
    return hand_out(status, c, out);
}

/* Records */

bool checkpoint_has(const checkpoint *c, unit_key key, size_t *bytes)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&c->lock; /* looking changes nothing else */
    pthread_mutex_lock(lock);
    const slot *s = known(c, key);
    if (s && bytes) *bytes = s->n;
    pthread_mutex_unlock(lock);
    return s;
}

noslip_status checkpoint_read(checkpoint *c, unit_key key, void *to, size_t n, noslip_error *err)
{
    pthread_mutex_lock(&c->lock);
    const slot *there = known(c, key);
    slot s = there ? *there : (slot){0};
    pthread_mutex_unlock(&c->lock);
    if (!s.at || s.n != n)
        return noslip_fail(err, NOSLIP_ERR_ARG,
                           "the checkpoint has no record %u/%u/%u of %zu bytes", key.sheet,
                           key.round, key.unit, n);

    unsigned char sum[WORD];
    struct iovec pieces[] = {{to, n}, {sum, WORD}};
    int number = transfer_all(preadv, c->fd, pieces, 2, s.at);
    if (number) return fail_system(c->path, "read", number, err);
    if (checksum(0, to, n) != get_word(sum)) return fail_damaged(c->path, s.at, err);
    return NOSLIP_OK;
}

/* Write behind the last whole record, which it then is. The lock is held. */
static noslip_status write_record(checkpoint *c, unit_key key, struct iovec *pieces,
                                  noslip_error *err)
{
    slot s = {.key = key, .n = (uint32_t)pieces[1].iov_len, .at = c->end + RECORD_SIZE};
    if (known(c, key))
        return noslip_fail(err, NOSLIP_ERR_ARG, "the checkpoint has a record %u/%u/%u already",
                           key.sheet, key.round, key.unit);
    if (!index_room(c)) return noslip_fail_memory(err);
    int number = transfer_all(pwritev, c->fd, pieces, 3, c->end);
    if (!number) {
        index_add(c, s);
        c->end = s.at + s.n + WORD;
        c->unsynced = true;
        return NOSLIP_OK;
    }
    noslip_status status = fail_system(c->path, "write", number, err);
    if (ftruncate(c->fd, (off_t)c->end) != 0)
        noslip_hint(err, "a piece of a record is left at its end, which does no harm");
    return status;
}

/* Whether it is time to bring all to the disk. The lock is held; who is told so does it without, the others need not wait. */
static bool sync_is_due(checkpoint *c)
{
    time_t now = seconds();
    if (now == c->synced) return false;
    c->synced = now;
    c->unsynced = false;
    return true;
}

noslip_status checkpoint_append(checkpoint *c, unit_key key, const void *bytes, size_t n,
                                noslip_error *err)
{
    if (n > UINT32_MAX) return noslip_fail(err, NOSLIP_ERR_ARG, "a record of %zu bytes", n);
    unsigned char head[RECORD_SIZE], sum[WORD], *at = head;
    at = put_word(at, RECORD);
    at = put_word(at, key.sheet);
    at = put_word(at, key.round);
    at = put_word(at, key.unit);
    at = put_word(at, (uint32_t)n);
    put_word(at, checksum(0, head, RECORD_SIZE - WORD));
    put_word(sum, checksum(0, bytes, n));
    struct iovec pieces[] = {{head, RECORD_SIZE}, {(void *)bytes, n}, {sum, WORD}};

    pthread_mutex_lock(&c->lock);
    noslip_status status = write_record(c, key, pieces, err);
    bool due = status == NOSLIP_OK && sync_is_due(c);
    pthread_mutex_unlock(&c->lock);
    int number = due ? sync_all(c->fd) : 0;
    return number ? fail_system(c->path, "write", number, err) : status;
}
