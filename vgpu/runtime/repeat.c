/*
 * repeat.c: a launch whose outcome is known is not run again.
 *
 * A program that measures launches the same kernel a hundred times. What a
 * kernel does follows from its arguments and from what memory holds, so where
 * both are as they were for a launch before, memory is made to hold what it
 * held afterwards, and the launch has cost what that one did. Nothing shows it
 * but how soon the program ends.
 *
 * What memory holds is known by hashes of its pieces, of all that a kernel
 * could reach. They are made anew where something was written, or may have
 * been: everywhere after a kernel that was run, at any time in memory that the
 * host can write. That takes time as well. So each launch has to have spent a
 * multiple of it first, and twice as much each time that nothing came of it.
 *
 * Left alone are kernels of which more comes than memory
 * (frontend/speed/unwatched.c tells them), those that are looked at
 * (VGPU_CHECK, VGPU_REPORT_FD) and those whose blocks are shuffled.
 * VGPU_REPEATS=0 has every launch run.
 */
#include "array.h"
#include "watcher.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES ((size_t)64 << 10)
/* What a processor hashes or copies at least. */
#define BYTES_PER_NS 4
/* So many times the price of hashing must have been spent before. */
#define LEAST_TIMES 8
/* Of what launches have written so much is kept, and an eighth of all memory.
 */
#define KEPT_BYTES ((size_t)64 << 20)

/* ---- hashes -------------------------------------------------------------- */

static uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ const unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Digits of pi: anything without a pattern does. */
static const uint64_t salts[] = {0x243f6a8885a308d3, 0x13198a2e03707344,
                                 0xa4093822299f31d0, 0x082efa98ec4e6c89};

/* Four sums that do not wait for each other, 16 bytes at a time each. */
uint64_t vgpu_repeat_hash(const char *at, size_t bytes)
{
    uint64_t sums[4] = {bytes, salts[1], salts[2], salts[3]};

    for (size_t done = 0; done < bytes; done += 64) {
        const size_t some = bytes - done < 64 ? bytes - done : 64;
        uint64_t words[8] = {0};

        memcpy(words, at + done, some == 64 ? 64 : some);
        for (int i = 0; i < 4; i++)
            sums[i] = fold(sums[i] ^ words[2 * i], words[2 * i + 1] ^ salts[i]);
    }
    return fold(fold(sums[0], sums[1] ^ salts[0]) ^ sums[2],
                sums[3] ^ salts[1]);
}

uint64_t vgpu_repeat_arguments(const struct vgpu_body *body,
                               const void *const *arguments)
{
    uint64_t sum = body->num_sizes;

    for (size_t i = 0; i < body->num_sizes; i++)
        sum = fold(sum ^ salts[0],
                   vgpu_repeat_hash(arguments[i], body->sizes[i]));
    return sum;
}

/* ---- what memory holds --------------------------------------------------- */

/* A part of an allocation, and what it held when it was looked at last. */
struct piece {
    char *at;
    size_t bytes;
    uint64_t hash;
    bool is_open;  /* the host may write it without a call */
    bool is_stale; /* it has been written since */
};

static struct piece *pieces;
static size_t num_pieces, room;
static size_t all_bytes;
static uint64_t layout;       /* another number with each change of the list */
static bool all_stale = true; /* every piece has been written */

static bool piece_add(const struct vgpu_memory *m, size_t at)
{
    const size_t left = m->bytes - at;

    if (!VGPU_GROW(pieces, num_pieces, &room))
        return false;
    pieces[num_pieces] =
        (struct piece){.at = (char *)m->base + at,
                       .bytes = left < PIECE_BYTES ? left : PIECE_BYTES,
                       .is_open = m->kind != VGPU_MEM_DEVICE};
    all_bytes += pieces[num_pieces++].bytes;
    return true;
}

static bool is_listed(void)
{
    return layout == vgpu_memory_changes();
}

/* Return: can all be looked at? What the program has registered may be no
 * memory any more, if it forgot to say so. */
static bool list(void)
{
    static bool is_whole;

    if (is_listed())
        return is_whole;
    layout = vgpu_memory_changes();
    num_pieces = all_bytes = 0;
    all_stale = is_whole = true;
    for (struct vgpu_memory *m = vgpu_memory_first(); m && is_whole;
         m = vgpu_memory_next(m)) {
        is_whole = m->kind != VGPU_MEM_REGISTERED;
        for (size_t at = 0; is_whole && at < m->bytes; at += PIECE_BYTES)
            is_whole = piece_add(m, at);
    }
    return is_whole;
}

/* @bytes that may have been written, from @base on; NULL: all that there is. */
void vgpu_repeat_wrote(const void *base, size_t bytes)
{
    const uintptr_t from = (uintptr_t)base;

    if (!base)
        all_stale = true;
    for (size_t i = 0; !all_stale && i < num_pieces; i++) {
        const uintptr_t at = (uintptr_t)pieces[i].at;

        if (at < from + bytes && from < at + pieces[i].bytes)
            pieces[i].is_stale = true;
    }
}

static bool is_to_look_at(const struct piece *piece)
{
    return all_stale || piece->is_stale || piece->is_open;
}

static void look(void)
{
    for (size_t i = 0; i < num_pieces; i++)
        if (is_to_look_at(&pieces[i])) {
            pieces[i].hash = vgpu_repeat_hash(pieces[i].at, pieces[i].bytes);
            pieces[i].is_stale = false;
        }
    all_stale = false;
}

static int64_t hash_ns(size_t bytes)
{
    return (int64_t)(bytes / BYTES_PER_NS);
}

/* What it takes to look. */
static int64_t look_ns(void)
{
    size_t bytes = all_stale ? all_bytes : 0;

    for (size_t i = 0; !all_stale && i < num_pieces; i++)
        bytes += is_to_look_at(&pieces[i]) ? pieces[i].bytes : 0;
    return hash_ns(bytes);
}

/* ---- launches ------------------------------------------------------------ */

/* Without gaps: it is compared as bytes. */
struct key {
    uint64_t body;      /* its address */
    uint64_t arguments; /* a hash of them */
    uint64_t textures;
    uint64_t shared_bytes;
    uint32_t grid[3], block[3];
    uint64_t device;
};

struct change {
    size_t piece;
    uint64_t hash;
    void *contents;
};

/* A launch, and what comes of it. */
struct known {
    struct key key;
    uint64_t used;     /* when, to tell which one to give up */
    int64_t took_ns;   /* the last time */
    int64_t credit_ns; /* spent, and not used up yet */
    int64_t times;     /* a multiple of the price */
    bool is_known;     /* what follows is all there */
    uint64_t layout;
    uint64_t *before; /* hashes of all pieces, */
    struct change *changes;
    size_t num_changes, bytes; /* ... and which of them it changes */
    struct vgpu_time_work work;
};
static struct known launches[64];
static size_t kept_bytes;

/* The one that is being run: to be known afterwards if it has a `before`. */
static struct known *running;
static int64_t began_ns;

static void forget(struct known *k)
{
    for (size_t i = 0; i < k->num_changes; i++)
        free(k->changes[i].contents);
    free(k->changes);
    free(k->before);
    kept_bytes -= k->bytes;
    k->changes = NULL;
    k->before = NULL;
    k->num_changes = k->bytes = 0;
    k->is_known = false;
}

/* Does nothing come of it but what is in memory, and is it run for that? */
static bool is_plain(const struct vgpu_op *op)
{
    const struct vgpu_exec *exec = &op->kernel.exec;

    return vgpu_rt.repeats && exec->body->unwatched &&
           exec->body->ordered != VGPU_BODY_ORDERED && !exec->cooperative &&
           !exec->cluster[0] && !exec->seed && !exec->sample && !op->run &&
           !vgpu_check_reports() && !vgpu_rt.is_read && !vgpu_rt.shares;
}

static struct key key_of(const struct vgpu_op *op)
{
    const struct vgpu_exec *exec = &op->kernel.exec;
    struct key key = {.body = (uintptr_t)exec->body,
                      .arguments = op->kernel.arguments_hash,
                      .textures = vgpu_texture_changes(),
                      .shared_bytes = exec->dynamic_shared_bytes,
                      .device = (uint64_t)op->device};

    memcpy(key.grid, exec->grid, sizeof key.grid);
    memcpy(key.block, exec->block, sizeof key.block);
    return key;
}

/* The launch's place; where it has none, the one that was not used for the
 * longest time becomes its. */
static struct known *find(const struct key *key)
{
    static uint64_t uses;
    struct known *oldest = launches;

    uses++;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        struct known *k = &launches[i];

        if (k->used && !memcmp(&k->key, key, sizeof *key)) {
            k->used = uses;
            return k;
        }
        if (k->used < oldest->used)
            oldest = k;
    }
    forget(oldest);
    *oldest = (struct known){.key = *key, .used = uses, .times = LEAST_TIMES};
    return oldest;
}

/* ---- one that is known --------------------------------------------------- */

static bool is_as_before(const struct known *k)
{
    for (size_t i = 0; i < num_pieces; i++)
        if (pieces[i].hash != k->before[i])
            return false;
    return true;
}

static void change(const struct known *k)
{
    for (size_t i = 0; i < k->num_changes; i++) {
        const struct change *c = &k->changes[i];
        struct piece *piece = &pieces[c->piece];

        memcpy(piece->at, c->contents, piece->bytes);
        piece->hash = c->hash;
    }
}

/* Return: false where it must be run after all. */
static bool repeat(struct known *k)
{
    const int64_t ns = look_ns();

    if (k->layout != layout)
        forget(k);
    if (!k->is_known || ns + hash_ns(k->bytes) > k->took_ns / 2)
        return false;
    look();
    if (is_as_before(k)) {
        change(k);
        k->times = LEAST_TIMES;
        return true;
    }
    k->credit_ns -= ns * k->times;
    k->times *= 2;
    forget(k);
    return false;
}

/* ---- one that is run ----------------------------------------------------- */

/* What it has to have spent to be looked at, before and after. */
static int64_t price_ns(const struct known *k, int64_t before_ns)
{
    return (before_ns + hash_ns(all_bytes)) * k->times;
}

/* If it can pay for that, it is known afterwards. */
static void follow(struct known *k)
{
    const int64_t ns = price_ns(k, look_ns());

    if (k->is_known || k->credit_ns < ns)
        return;
    k->before = malloc((num_pieces + 1) * sizeof *k->before);
    if (!k->before)
        return;
    k->credit_ns -= ns;
    k->layout = layout;
    look();
    for (size_t i = 0; i < num_pieces; i++)
        k->before[i] = pieces[i].hash;
}

static bool keep(struct known *k, size_t i)
{
    const size_t bytes = pieces[i].bytes;
    const bool fits = kept_bytes + bytes <= KEPT_BYTES + all_bytes / 8;
    void *contents = fits ? malloc(bytes) : NULL;

    if (!contents)
        return false;
    memcpy(contents, pieces[i].at, bytes);
    k->changes[k->num_changes++] = (struct change){i, pieces[i].hash, contents};
    k->bytes += bytes;
    kept_bytes += bytes;
    return true;
}

/* What the launch has changed. */
static bool keep_changes(struct known *k)
{
    size_t count = 0;
    bool fits = true;

    look();
    for (size_t i = 0; i < num_pieces; i++)
        count += pieces[i].hash != k->before[i];
    k->changes = malloc((count + 1) * sizeof *k->changes);
    if (!k->changes)
        return false;
    for (size_t i = 0; fits && i < num_pieces; i++)
        if (pieces[i].hash != k->before[i])
            fits = keep(k, i);
    return fits;
}

bool vgpu_repeat_begin(struct vgpu_op *op)
{
    struct known *k;
    struct key key;

    running = NULL;
    if (!is_plain(op))
        return false;
    key = key_of(op);
    k = find(&key);
    if ((k->is_known || k->credit_ns >= price_ns(k, 0)) && list()) {
        if (repeat(k)) {
            op->work = k->work;
            return true;
        }
        follow(k);
    }
    running = k;
    began_ns = vgpu_real_ns();
    return false;
}

void vgpu_repeat_end(const struct vgpu_op *op, bool is_fine)
{
    struct known *k = running;

    running = NULL;
    vgpu_repeat_wrote(NULL, 0);
    if (!k)
        return;
    k->took_ns = vgpu_real_ns() - began_ns;
    k->credit_ns += k->took_ns;
    if (k->is_known || !k->before)
        return;
    k->is_known = is_fine && is_listed() && keep_changes(k);
    if (k->is_known) {
        k->work = op->work;
    } else {
        forget(k);
        k->times *= 2;
    }
}
