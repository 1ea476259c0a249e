/*
 * pool_room.c: where a pool's memory lies: rooms of addresses, cut into blocks,
 * and the pieces of the device's memory under them.
 *
 * A block is a multiple of 512 bytes, a piece 32 MiB on today's devices
 * (profile.h). A block that is taken lies where a free one that is ready fits
 * best, so that what one stream frees and takes again has the same address.
 * Where none is, it lies behind all others. The pieces for that are those under
 * free blocks elsewhere, which a driver maps to another place, and the device
 * gives the rest.
 *
 * Source: observed on an H200, tests/conformance/memory_pool_pieces.cu and
 * memory_pool_again.cu.
 */
#include "pool.h"

#include <stdlib.h>

#define UNIT ((uint64_t)512)
#define ROOM ((uint64_t)512 << 20)

/* ---- what may be taken --------------------------------------------------- */

/* By now; it may have been done for real before its time came, or not yet. */
static bool is_over(const struct vgpu_op *freed)
{
    return vgpu_time_done(vgpu_rt.time, freed->time_id,
                          vgpu_thread_self()->now_ns);
}

static bool is_blocking(int device, uint32_t time_stream)
{
    for (const struct vgpu_stream *s = vgpu_rt.devices[device].streams; s;
         s = s->next)
        if (s->time_stream == time_stream)
            return !(s->flags & cudaStreamNonBlocking);
    return false;
}

/* What the legacy default stream is ordered after, or what is ordered after it,
 * by the rules for it. */
static bool is_legacy(const struct vgpu_stream *stream,
                      const struct vgpu_op *freed)
{
    if (stream->device != freed->device)
        return false;
    if (stream->legacy)
        return is_blocking(stream->device, freed->time_stream);
    return !freed->stream_number && !(stream->flags & cudaStreamNonBlocking);
}

/* May work that is queued in @stream now have the block, without a wait of its
 * own? NULL: may the device have it back? A free that the host has waited for
 * is forgotten; that it is over is not always asked. */
static bool is_ready(const struct pool *pool, const struct vgpu_block *block,
                     const struct vgpu_stream *stream)
{
    const struct vgpu_op *const freed = block->freed;

    if (block->given || !freed)
        return !block->given;
    if (!stream)
        return is_over(freed);
    if (freed->time_stream == stream->time_stream || is_legacy(stream, freed))
        return true;
    if (!pool->no_reuse[cudaMemPoolReuseFollowEventDependencies] &&
        vgpu_agent_knows(stream->agent, freed->check))
        return true;
    return !pool->no_reuse[cudaMemPoolReuseAllowOpportunistic] &&
           is_over(freed);
}

/* ---- blocks -------------------------------------------------------------- */

static struct vgpu_block *block_new(struct pool *pool, uintptr_t at,
                                    uint64_t bytes)
{
    struct vgpu_block *block = calloc(1, sizeof *block);

    if (block) {
        block->pool = pool;
        block->at = at;
        block->bytes = bytes;
    }
    return block;
}

/* What lies behind the first @bytes becomes a block of its own, as free as all
 * of it was. False without memory. */
static bool block_cut(struct vgpu_block *block, uint64_t bytes)
{
    struct vgpu_block *rest;

    if (bytes == block->bytes)
        return true;
    rest = block_new(block->pool, block->at + bytes, block->bytes - bytes);
    if (!rest)
        return false;
    rest->age = block->age;
    rest->freed = block->freed ? vgpu_op_ref(block->freed) : NULL;
    rest->next = block->next;
    block->next = rest;
    block->bytes = bytes;
    return true;
}

/* Side by side, and free: both for all, or both freed in one stream. All of it
 * is then as free as the last of it. */
static bool is_joined(const struct vgpu_block *a, const struct vgpu_block *b)
{
    if (!b || a->given || b->given)
        return false;
    if (!a->freed || !b->freed)
        return a->freed == b->freed;
    return a->freed->time_stream == b->freed->time_stream;
}

static void block_join(struct vgpu_block *a)
{
    struct vgpu_block *const b = a->next;
    const bool later = b->freed && b->freed->seq > a->freed->seq;

    vgpu_op_unref(later ? a->freed : b->freed);
    a->freed = later ? b->freed : a->freed;
    a->age = b->age > a->age ? b->age : a->age;
    a->bytes += b->bytes;
    a->next = b->next;
    free(b);
}

static void join_blocks(struct pool *pool)
{
    for (struct room *r = pool->rooms; r; r = r->next)
        for (struct vgpu_block *b = r->blocks; b; b = b->next)
            while (is_joined(b, b->next))
                block_join(b);
}

/* What the host has waited for is free for all. Where the memory lies in a
 * room, it is gone for real, too. */
void vgpu_rooms_waited(struct pool *pool)
{
    for (struct room *r = pool->rooms; r; r = r->next)
        for (struct vgpu_block *b = r->blocks; b; b = b->next)
            if (b->freed && b->freed->done && is_over(b->freed)) {
                vgpu_op_unref(b->freed);
                b->freed = NULL;
            }
}

/* ---- pieces -------------------------------------------------------------- */

static uint64_t piece_of(const struct pool *pool, const struct room *room,
                         uintptr_t at)
{
    return (at - room->base) / vgpu_pool_piece(pool);
}

/* Pieces under [@at, @at + @bytes) that are not there. */
static uint64_t count_missing(const struct pool *pool, const struct room *room,
                              uintptr_t at, uint64_t bytes)
{
    const uint64_t last = piece_of(pool, room, at + bytes - 1);
    uint64_t missing = 0;

    for (uint64_t i = piece_of(pool, room, at); i <= last; i++)
        missing += !room->pieces[i];
    return missing;
}

/*
 * Up to @most pieces that are there and have nothing on them but what is ready
 * go. The last ones first.
 * @but, @at, @bytes  not those under this part of that room
 * @real              or only count them
 */
struct spare {
    const struct vgpu_stream *stream;
    bool waited; /* by the host: that it is over is not enough */
    uint64_t most;
    const struct room *but;
    uintptr_t at;
    uint64_t bytes;
    bool real;
};

static bool is_spare(const struct pool *pool, const struct room *room,
                     uint64_t piece, const struct spare *spare)
{
    const uintptr_t lo = room->base + piece * vgpu_pool_piece(pool);
    const uintptr_t hi = lo + vgpu_pool_piece(pool);

    if (!room->pieces[piece] ||
        (room == spare->but && spare->at < hi && lo < spare->at + spare->bytes))
        return false;
    for (const struct vgpu_block *b = room->blocks; b; b = b->next)
        if (b->at < hi && lo < b->at + b->bytes &&
            ((spare->waited && b->freed) || !is_ready(pool, b, spare->stream)))
            return false;
    return true;
}

static uint64_t pieces_spare(struct pool *pool, const struct spare *spare)
{
    uint64_t found = 0;

    for (struct room *r = pool->rooms; r; r = r->next)
        for (uint64_t i = r->top; i-- > 0 && found < spare->most;)
            if (is_spare(pool, r, i, spare)) {
                found++;
                r->pieces[i] = r->pieces[i] && !spare->real;
            }
    return found;
}

/* ---- rooms --------------------------------------------------------------- */

/* Under the checker each buffer has an address of its own, as before: the rooms
 * are numbers then, so that all counts are the same. */
static struct room *room_new(struct pool *pool, uint64_t bytes)
{
    static uintptr_t numbers = (uintptr_t)1 << 20;
    const uint64_t piece = vgpu_pool_piece(pool);
    struct room *room = calloc(1, sizeof *room), **link = &pool->rooms;
    size_t size = (size_t)round_up(bytes > ROOM ? bytes : ROOM, piece);

    if (!room)
        return NULL;
    room->real = !vgpu_check_reports();
    if (room->real)
        size = (size_t)round_up(bytes, piece); /* or what the arena has */
    room->base = room->real ? (uintptr_t)vgpu_room_new(&size) : numbers;
    room->bytes = size / piece * piece;
    room->pieces = calloc(room->bytes / piece, sizeof *room->pieces);
    if (room->base)
        room->blocks = block_new(pool, room->base, room->bytes);
    if (!room->blocks || !room->pieces) {
        free(room->blocks);
        free(room->pieces);
        free(room);
        return NULL;
    }
    if (!room->real)
        numbers += room->bytes;
    while (*link)
        link = &(*link)->next;
    *link = room;
    return room;
}

void vgpu_rooms_free(struct pool *pool)
{
    struct vgpu_block *block;
    struct room *room;

    while ((room = pool->rooms)) {
        bool empty = room->real;

        pool->rooms = room->next;
        while ((block = room->blocks)) {
            room->blocks = block->next;
            if (block->freed && room->real)
                empty = vgpu_op_run(block->freed) && empty;
            vgpu_op_unref(block->freed);
            free(block);
        }
        if (empty)
            vgpu_room_free((void *)room->base, room->bytes);
        free(room->pieces);
        free(room);
    }
}

/* ---- taking -------------------------------------------------------------- */

struct place {
    struct room *room;
    struct vgpu_block *block;
};

/* Of the same size, the one that was freed last. */
static bool is_better(const struct vgpu_block *block,
                      const struct vgpu_block *than)
{
    return !than || block->bytes < than->bytes ||
           (block->bytes == than->bytes && block->age > than->age);
}

/* The smallest free block that is ready and has its pieces. */
static bool find_held(struct pool *pool, uint64_t bytes,
                      const struct vgpu_stream *stream, struct place *place)
{
    place->block = NULL;
    for (struct room *r = pool->rooms; r; r = r->next)
        for (struct vgpu_block *b = r->blocks; b; b = b->next) {
            if (b->given || b->bytes < bytes || !is_better(b, place->block) ||
                count_missing(pool, r, b->at, bytes) ||
                !is_ready(pool, b, stream))
                continue;
            *place = (struct place){r, b};
        }
    return place->block;
}

/* The first free block that is ready and large enough, be its pieces there or
 * not; a new room's, where there is none. */
static bool find_room(struct pool *pool, uint64_t bytes,
                      const struct vgpu_stream *stream, struct place *place)
{
    for (struct room *r = pool->rooms; r; r = r->next)
        for (struct vgpu_block *b = r->blocks; b; b = b->next) {
            if (b->bytes < bytes || !is_ready(pool, b, stream))
                continue;
            *place = (struct place){r, b};
            return true;
        }
    place->room = room_new(pool, bytes);
    place->block = place->room ? place->room->blocks : NULL;
    return place->block;
}

static void put_pieces(const struct pool *pool, struct place *place,
                       uint64_t bytes)
{
    struct room *const room = place->room;
    const uint64_t end = piece_of(pool, room, place->block->at + bytes - 1) + 1;

    for (uint64_t i = piece_of(pool, room, place->block->at); i < end; i++)
        room->pieces[i] = true;
    room->top = end > room->top ? end : room->top;
}

struct vgpu_block *vgpu_pool_take(struct pool *pool, uint64_t bytes,
                                  const struct vgpu_stream *stream,
                                  uint64_t left, uint64_t *lacking,
                                  uint64_t *taken)
{
    const uint64_t piece = vgpu_pool_piece(pool);
    const uint64_t whole = round_up(bytes, piece < UNIT ? piece : UNIT);
    struct spare spare;
    struct place place;
    uint64_t missing, found;

    *lacking = *taken = 0;
    join_blocks(pool);
    if (find_held(pool, whole, stream, &place))
        return block_cut(place.block, whole) ? place.block : NULL;
    if (!find_room(pool, whole, stream, &place))
        return NULL;
    /* What lies spare elsewhere is asked for before the device is. */
    missing = count_missing(pool, place.room, place.block->at, whole);
    spare = (struct spare){.stream = stream,
                           .most = missing,
                           .but = place.room,
                           .at = place.block->at,
                           .bytes = whole};
    found = pieces_spare(pool, &spare);
    if ((missing - found) * piece > left) {
        *lacking = (missing - found) * piece - left;
        return NULL;
    }
    spare.real = true;
    pieces_spare(pool, &spare);
    put_pieces(pool, &place, whole);
    *taken = (missing - found) * piece;
    return block_cut(place.block, whole) ? place.block : NULL;
}

void vgpu_pool_give(struct vgpu_block *block, struct vgpu_op *freed)
{
    static uint64_t age;

    block->given = false;
    block->age = ++age;
    block->freed = freed ? vgpu_op_ref(freed) : NULL;
}

bool vgpu_rooms_hold(const struct pool *pool, uintptr_t at, uint64_t bytes)
{
    for (const struct room *r = pool->rooms; r; r = r->next)
        if (at - r->base < r->bytes)
            return !count_missing(pool, r, at, bytes);
    return false;
}

/* ---- giving back --------------------------------------------------------- */

uint64_t vgpu_rooms_give_back(struct pool *pool, uint64_t bytes, bool waited)
{
    const uint64_t piece = vgpu_pool_piece(pool);
    const struct spare spare = {
        .waited = waited, .most = bytes / piece, .real = true};

    return pieces_spare(pool, &spare) * piece;
}

uint64_t vgpu_rooms_pending(const struct pool *pool,
                            const struct vgpu_stream *stream,
                            struct vgpu_op **oldest)
{
    uint64_t pending = 0;

    *oldest = NULL;
    for (const struct room *r = pool->rooms; r; r = r->next)
        for (const struct vgpu_block *b = r->blocks; b; b = b->next) {
            if (is_ready(pool, b, stream) || b->given)
                continue;
            pending += b->bytes;
            if (!*oldest || b->freed->seq < (*oldest)->seq)
                *oldest = b->freed;
        }
    return pending;
}
