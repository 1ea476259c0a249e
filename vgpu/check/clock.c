/* clock.c: vector clocks, shared until one of them is written to */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

/*
 * A clock says, for each slot, up to which epoch its owner knows. It is cut
 * into chunks that clocks share until one of them writes, so that a hundred
 * thousand operations of hundreds of streams stay small.
 */
#define CHUNK 16

struct chunk {
    uint32_t refs;
    uint32_t epoch[CHUNK];
};

struct vgpu_clock {
    uint32_t refs;
    uint32_t count;
    struct chunk *chunk[]; /* NULL: all zero */
};

/* A clock is as long as it has to be: what lies beyond is not known, which is
 * 0. */
uint32_t clock_get(const struct vgpu_clock *clock, uint32_t slot)
{
    uint32_t at = slot / CHUNK;

    if (!clock || at >= clock->count || !clock->chunk[at])
        return 0;
    return clock->chunk[at]->epoch[slot % CHUNK];
}

/* Clocks are counted and never changed while more than one has them: to keep an
 * operation's clock is to count it. */
struct vgpu_clock *clock_ref(struct vgpu_clock *clock)
{
    if (clock)
        clock->refs++;
    return clock;
}

static void chunk_release(struct chunk *chunk)
{
    if (chunk && !--chunk->refs)
        free(chunk);
}

void clock_release(struct vgpu_clock *clock)
{
    if (!clock || --clock->refs)
        return;
    for (uint32_t i = 0; i < clock->count; i++)
        chunk_release(clock->chunk[i]);
    free(clock);
}

/* A clock of its own with at least @count chunks; takes @clock over. */
static struct vgpu_clock *clock_own(struct vgpu_clock *clock, uint32_t count)
{
    uint32_t old = clock ? clock->count : 0;
    struct vgpu_clock *own;

    if (clock && clock->refs == 1 && old >= count)
        return clock;
    if (count < old)
        count = old;
    own = calloc(1, sizeof *own + count * sizeof *own->chunk);
    if (!own)
        abort();
    own->refs = 1;
    own->count = count;
    for (uint32_t i = 0; i < old; i++) {
        own->chunk[i] = clock->chunk[i];
        if (own->chunk[i])
            own->chunk[i]->refs++;
    }
    clock_release(clock);
    return own;
}

/* Chunk @at of @clock, to write to. */
static uint32_t *chunk_own(struct vgpu_clock *clock, uint32_t at)
{
    struct chunk *chunk = clock->chunk[at], *own;

    if (chunk && chunk->refs == 1)
        return chunk->epoch;
    own = calloc(1, sizeof *own);
    if (!own)
        abort();
    if (chunk)
        memcpy(own->epoch, chunk->epoch, sizeof own->epoch);
    own->refs = 1;
    chunk_release(chunk);
    clock->chunk[at] = own;
    return own->epoch;
}

/* Without memory the checker ends the program: a clock that has lost an entry
 * would report hazards that are none. */
struct vgpu_clock *clock_set(struct vgpu_clock *clock, uint32_t slot,
                             uint32_t epoch)
{
    clock = clock_own(clock, slot / CHUNK + 1);
    chunk_own(clock, slot / CHUNK)[slot % CHUNK] = epoch;
    return clock;
}

/* @a knows all that @b knows; no chunk is one of zeros. */
static bool chunk_covers(const struct chunk *a, const struct chunk *b)
{
    for (int i = 0; i < CHUNK; i++)
        if ((a ? a->epoch[i] : 0) < b->epoch[i])
            return false;
    return true;
}

/* @into learns what @from knows; takes @into over. */
struct vgpu_clock *clock_join(struct vgpu_clock *into,
                              const struct vgpu_clock *from)
{
    if (!from || from == into)
        return into;
    if (!into)
        return clock_ref((struct vgpu_clock *)from);
    for (uint32_t i = 0; i < from->count; i++) {
        struct chunk *theirs = from->chunk[i];
        struct chunk *ours = i < into->count ? into->chunk[i] : NULL;
        uint32_t *epoch;

        if (!theirs || theirs == ours || chunk_covers(ours, theirs))
            continue;
        into = clock_own(into, i + 1);
        if (!ours || chunk_covers(theirs, ours)) {
            theirs->refs++;
            chunk_release(into->chunk[i]);
            into->chunk[i] = theirs;
            continue;
        }
        epoch = chunk_own(into, i);
        for (int j = 0; j < CHUNK; j++)
            if (epoch[j] < theirs->epoch[j])
                epoch[j] = theirs->epoch[j];
    }
    return into;
}

struct vgpu_clock *clock_empty(void)
{
    return clock_own(NULL, 0);
}
