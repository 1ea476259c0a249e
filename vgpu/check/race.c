/*
 * race.c: races between the threads of one kernel (VGPU_CHECK=races)
 *
 * The threads of a block run one after the other here, so what two of them do
 * to the same bytes always has an order, and the numbers come out right. A GPU
 * promises one only where the program asks for it:
 *
 *   a barrier orders all threads of its block. It ends a *step*: accesses of
 *   one block in different steps are ordered. A grid's barrier orders all that
 *   came before it, too, and a cluster's what its blocks did;
 *   __syncwarp orders the lanes of its mask. Each lane has a clock, and knows
 *   the clocks of the lanes of its warp as they were when both last met;
 *   a fence and an atomic after it hand on what was written before the fence,
 *   to whoever then uses an atomic at the same address. This is taken
 *   coarsely: an address is one of 64 bits, and the receiver is a whole warp,
 *   or a whole block where the giver is another block.
 *
 * Shuffles and votes order nothing: the guide says that they "do not imply a
 * memory barrier".
 *
 * For each word of memory the last write is remembered and two reads since; of
 * these one is the latest and the other the farthest from it, so that a write
 * by anyone but the readers meets a reader that it is not ordered with. Pages
 * that are used in smaller pieces have that for each byte.
 *
 * Blocks that wait for flags take turns, and so an access belongs to its step,
 * which is of one block. Only one kernel is watched at a time: one that runs
 * while another waits in its middle is not.
 */
#include <stdlib.h>
#include <string.h>
#include "race.h"

MY_PART(race);

#define LANES       32
#define THREADS     1024
#define CELLS_BYTES ((size_t)2 << 30)
#define WORD        2 /* a cell for 1 << WORD bytes */

/* An access, as a cell remembers it. */
struct access {
    uint32_t step;  /* 0: none */
    uint32_t clock; /* its thread's */
    uint16_t site;
    uint16_t thread : 10, set : 2, is_volatile : 1;
    uint16_t turn; /* how many its thread made before, in this step */
};

struct cell {
    struct access write; /* the last one, or atomic */
    struct access read[2];
};

/* The cells of one page. */
struct shade {
    struct shade *next;
    uintptr_t number;
    uint32_t kernel; /* whose the cells are */
    uint8_t grain;   /* log2 of the bytes of a cell */
    bool ignored;
    struct cell *cells;
};

/* A block as the others see it. */
struct block_run {
    uint64_t number;     /* its place in the grid */
    uint64_t cluster;    /* or 0 */
    uint32_t fence_step; /* of its last fence; 0: none */
    uint64_t handed_on;  /* addresses of atomics after it */
    uint64_t atomics;    /* ... and of all */
};

struct step {
    uint32_t block;  /* whose it is: an index of run.blocks */
    uint32_t number; /* in that block */
};

struct handing {
    uint32_t step, clock;
    uint64_t addresses;
};

/* A block that runs, or waits for a flag in its middle. What is marked with a
 * step is out of date in another. */
struct vgpu_race_block {
    struct vgpu_race_place place;
    uint32_t kernel, index; /* of run.blocks */
    uint32_t step, number;
    uint64_t received;      /* addresses of its atomics */
    uint32_t cluster_step;  /* those before the cluster's last barrier */
    uint16_t turn[THREADS]; /* accesses in this step */
    struct handing given[THREADS];
    struct handing got[THREADS / LANES];
    uint32_t clock[THREADS][LANES]; /* what each knows of its warp's */
};

static struct block_run *block_of(uint32_t step)
{
    return &my->blocks[my->steps[step].block];
}

static struct block_run *block_now(void)
{
    return &my->blocks[my->now->index];
}

static bool in_block_now(const struct access *access)
{
    return my->steps[access->step].block == my->now->index;
}

/* Is it a block of the one's cluster that runs, or that itself? */
static bool in_cluster_now(const struct access *access)
{
    const struct block_run *block = block_of(access->step);

    return in_block_now(access) ||
           (block->cluster && block->cluster == block_now()->cluster);
}

bool race_shared(uintptr_t address)
{
    const struct vgpu_race_place *place;

    if (!my->now)
        return false;
    place = &my->now->place;
    for (unsigned i = 0; i < place->num_peers; i++)
        if (address - place->peers[i] < place->shared_bytes)
            return true;
    return address - place->shared < place->shared_bytes;
}

void race_volatile(uintptr_t address)
{
    const uintptr_t variable = variable_alias(address);

    my->volatile_at = variable ? variable : address;
}

/* ---- order ------------------------------------------------------------- */

static uint32_t *clock_of(unsigned thread, unsigned other)
{
    return &my->now->clock[thread][other % LANES];
}

static bool handed_within_block(const struct access *a, const struct access *b)
{
    const struct handing *given = &my->now->given[a->thread];
    const struct handing *got = &my->now->got[b->thread / LANES];

    return given->step == my->now->step && got->step == my->now->step &&
           a->clock <= given->clock && (given->addresses & got->addresses);
}

/* Is @a, made earlier here, ordered before @b, which is being made? */
static bool is_ordered(const struct access *a, const struct access *b)
{
    if (a->step < my->grid_step)
        return true;
    if (!in_block_now(a)) {
        const struct block_run *block = block_of(a->step);

        if (in_cluster_now(a) && a->step < my->now->cluster_step)
            return true;
        return block->fence_step >= a->step &&
               (block->handed_on & my->now->received);
    }
    return a->step != b->step || a->thread == b->thread ||
           (a->thread / LANES == b->thread / LANES &&
            *clock_of(b->thread, a->thread) >= a->clock) ||
           handed_within_block(a, b);
}

/* Would it be, with a fence behind @a? */
static bool lacks_fence(const struct access *a)
{
    return !in_block_now(a) && (block_of(a->step)->atomics & my->now->received);
}

static enum race_scope scope_of(const struct access *a, const struct access *b)
{
    if (!in_block_now(a))
        return in_cluster_now(a) ? RACE_CLUSTER : RACE_GRID;
    return a->thread / LANES == b->thread / LANES ? RACE_WARP : RACE_BLOCK;
}

/* ---- sites ------------------------------------------------------------- */

/* Return: its index; the last one for all that are too many. */
static uint16_t site_of(uint64_t pc)
{
    unsigned at = (unsigned)(pc * 0x9E3779B97F4A7C15u >> 52);

    for (unsigned i = 0; i < SITES - 1; i++, at = (at + 1) % SITES) {
        if (!my->sites[at].pc)
            my->sites[at].pc = pc;
        if (my->sites[at].pc == pc)
            return (uint16_t)at;
    }
    return (uint16_t)at;
}

/* ---- what is found ----------------------------------------------------- */

static void side_fill(struct race_side *side, const struct access *access)
{
    *side = (struct race_side){my->sites[access->site].pc, access->set,
                               access->thread, block_of(access->step)->number};
}

/* Threads run ahead of others here, up to a barrier. How far each has come
 * since the last one says which access a GPU would make first. */
static bool is_earlier(const struct access *a, const struct access *b)
{
    const uint32_t step_a = my->steps[a->step].number;
    const uint32_t step_b = my->steps[b->step].number;

    return step_a == step_b ? a->turn < b->turn : step_a < step_b;
}

static struct race pair_of(const struct access *made, const struct access *now,
                           uintptr_t address, size_t bytes)
{
    const bool swap = is_earlier(now, made);
    struct race race = {.scope = scope_of(made, now),
                        .grid = my->grid,
                        .block_dim = my->block_dim,
                        .no_fence = lacks_fence(made),
                        .count = 1,
                        .lo = address,
                        .hi = address + bytes};

    side_fill(&race.side[swap], made);
    side_fill(&race.side[!swap], now);
    return race;
}

/* Two threads that write the same value do no harm to each other (a flag that
 * many set): the second write is a race only if it has changed something. */
static void settle(void)
{
    const struct race *race = &my->unsettled.race;

    if (my->unsettled.is_set &&
        memcmp(my->unsettled.before, (void *)race->lo, race->hi - race->lo))
        race_add(race);
    my->unsettled.is_set = false;
}

static void found(const struct access *made, const struct access *now,
                  uintptr_t address, size_t bytes)
{
    const struct race race = pair_of(made, now, address, bytes);

    if (made->set != SET_WRITE || now->set != SET_WRITE ||
        bytes > sizeof my->unsettled.before) {
        race_add(&race);
        return;
    }
    my->unsettled.race = race;
    my->unsettled.is_set = true;
    memcpy(my->unsettled.before, (void *)address, bytes);
}

/* ---- cells ------------------------------------------------------------- */

/* Memory of kernels' malloc is given from one thread to another, and so is
 * nobody's for long. */
static bool is_heap(uintptr_t address)
{
    const struct vgpu_memory *memory;
    uintptr_t base;

    if (race_shared(address))
        return false;
    memory = memory_find(address);
    return !memory || (!memory->id && !variable_in(memory, address, &base));
}

static struct cell *cells_new(unsigned grain)
{
    size_t bytes = (PAGE_BYTES >> grain) * sizeof(struct cell);
    struct cell *cells = NULL;

    if (my->cells_bytes + bytes <= CELLS_BYTES)
        cells = calloc(1, bytes);
    if (cells)
        my->cells_bytes += bytes;
    return cells;
}

/* Return: NULL where nothing is remembered. */
static struct shade *shade_find(uintptr_t address)
{
    uintptr_t number = address >> PAGE_SHIFT;
    struct shade **list = &my->shades[number * 0x9E3779B1u % SHADES];
    struct shade *shade = *list;

    while (shade && shade->number != number)
        shade = shade->next;
    if (!shade) {
        shade = calloc(1, sizeof *shade);
        if (!shade || !(shade->cells = cells_new(WORD))) {
            free(shade);
            return NULL;
        }
        *shade = (struct shade){*list, number, 0, WORD, false, shade->cells};
        *list = shade;
    }
    if (shade->kernel != my->serial) {
        shade->kernel = my->serial;
        shade->ignored = is_heap(address);
        memset(shade->cells, 0,
               (PAGE_BYTES >> shade->grain) * sizeof(struct cell));
    }
    return shade->ignored ? NULL : shade;
}

/* From now on a cell for each byte. */
static bool shade_split(struct shade *shade)
{
    struct cell *cells = cells_new(0);

    if (!cells)
        return false;
    for (unsigned i = 0; i < PAGE_BYTES; i++)
        cells[i] = shade->cells[i >> WORD];
    my->cells_bytes -= (PAGE_BYTES >> WORD) * sizeof(struct cell);
    free(shade->cells);
    shade->cells = cells;
    shade->grain = 0;
    return true;
}

/* Accesses that look at a value while others may change it, and mean to. */
static bool is_strong(const struct access *access, bool shared)
{
    return access->set == SET_ATOMIC || (access->is_volatile && !shared);
}

static bool conflicts(const struct access *a, const struct access *b,
                      bool shared)
{
    if (!a->step || (a->set == SET_READ && b->set == SET_READ) ||
        (is_strong(a, shared) && is_strong(b, shared)) ||
        (shared && !in_cluster_now(a)))
        return false;
    return !is_ordered(a, b);
}

/* How much it takes to order two reads' threads. */
static int distance(const struct access *a, const struct access *b)
{
    if (!a->step || is_ordered(a, b))
        return -1;
    return scope_of(a, b);
}

static void remember(struct cell *cell, const struct access *now)
{
    if (now->set != SET_READ) {
        cell->write = *now;
        for (int i = 0; i < 2; i++)
            if (cell->read[i].step && is_ordered(&cell->read[i], now))
                cell->read[i].step = 0;
        return;
    }
    if (distance(&cell->read[0], now) >= distance(&cell->read[1], now))
        cell->read[1] = cell->read[0];
    cell->read[0] = *now;
}

/* "old = *at; do ... while (atomicCAS(at, ...))": the plain read may be wrong,
 * and the atomic finds out. */
static void note_tries(const struct cell *cell, const struct access *now)
{
    for (int i = 0; i < 2; i++)
        if (cell->read[i].step == now->step &&
            cell->read[i].thread == now->thread)
            my->sites[cell->read[i].site].tries = true;
}

/* Return: the access that nothing orders before @now, or NULL. */
static const struct access *cell_meet(struct cell *cell,
                                      const struct access *now, bool shared)
{
    if (now->set == SET_ATOMIC)
        note_tries(cell, now);
    if (conflicts(&cell->write, now, shared))
        return &cell->write;
    for (int i = 0; i < 2 && now->set != SET_READ; i++)
        if (conflicts(&cell->read[i], now, shared))
            return &cell->read[i];
    return NULL;
}

/* An atomic takes what others have handed on at its address; behind a fence it
 * hands on. */
static void hand_on(const struct access *now, uintptr_t address)
{
    const uint64_t bit = 1ull << (address * 0x9E3779B97F4A7C15u >> 58);
    struct handing *got = &my->now->got[now->thread / LANES];
    struct handing *given = &my->now->given[now->thread];

    if (got->step != my->now->step)
        *got = (struct handing){.step = my->now->step};
    got->addresses |= bit;
    my->now->received |= bit;
    if (given->step == my->now->step)
        given->addresses |= bit;
    block_now()->atomics |= bit;
    if (block_now()->fence_step)
        block_now()->handed_on |= bit;
}

static void part_touch(struct shade *shade, uintptr_t address, size_t bytes,
                       const struct access *now)
{
    unsigned from = address % PAGE_BYTES >> shade->grain;
    unsigned to = (unsigned)(address % PAGE_BYTES + bytes) >> shade->grain;
    const bool shared = race_shared(address);
    bool met = false;

    for (unsigned i = from; i < to; i++) {
        struct cell *cell = &shade->cells[i];
        const struct access *other = cell_meet(cell, now, shared);

        if (other && !met)
            found(other, now, address, bytes);
        met = met || other;
        remember(cell, now);
    }
    if (is_strong(now, shared))
        hand_on(now, address);
}

void race_touch(uintptr_t address, size_t bytes, enum set_index set,
                uint64_t pc)
{
    struct access now = {.set = set};
    struct shade *shade;

    if (check_thread.op != my->op || !my->now || *my->now->place.thread < 0)
        return;
    settle();
    shade = shade_find(address);
    if (!shade)
        return;
    if (shade->grain && (address | bytes) % (1u << WORD) && !shade_split(shade))
        return;
    now.is_volatile = address == my->volatile_at;
    my->volatile_at = 0;
    now.step = my->now->step;
    now.thread = (uint16_t)*my->now->place.thread & (THREADS - 1);
    now.turn = my->now->turn[now.thread]++;
    now.clock = *clock_of(now.thread, now.thread);
    now.site = site_of(pc);
    part_touch(shade, address, bytes, &now);
}

/* ---- the executor's words ---------------------------------------------- */

void vgpu_check_races(void)
{
    checker.arena.races = true;
}

bool vgpu_race_begin(const uint32_t *grid, const uint32_t *block)
{
    if (!checker.arena.races || my->op || !check_thread.op)
        return false;
    my->op = check_thread.op;
    my->grid = grid;
    my->block_dim = block;
    my->serial++;
    my->block_count = 0;
    my->step_count = 1;
    my->grid_step = 0;
    my->volatile_at = 0;
    my->unsettled.is_set = false;
    checker.arena.watched = SERIAL_WATCHED;
    return true;
}

bool race_tries(uint64_t pc)
{
    return my->sites[site_of(pc)].tries;
}

void vgpu_race_end(void)
{
    settle();
    check_lock();
    race_report(my->op->origin);
    check_unlock();
    my->op = NULL;
    my->now = NULL;
    checker.arena.watched = 0;
}

/* Without memory for another step the last one goes on: then accesses on both
 * sides of a barrier look like races, so nothing more is looked at. */
static void step_begin(struct vgpu_race_block *block)
{
    settle();
    if (!VGPU_GROW(my->steps, my->step_count, &my->step_room)) {
        my->now = NULL;
        return;
    }
    block->step = (uint32_t)my->step_count++;
    my->steps[block->step] = (struct step){block->index, ++block->number};
    memset(block->turn, 0, sizeof block->turn);
}

/* Clocks only go on, so those of the block before do no harm. */
static bool block_begin(struct vgpu_race_block *block,
                        const struct vgpu_race_place *place)
{
    if (!VGPU_GROW(my->blocks, my->block_count, &my->block_room))
        return false;
    if (block->kernel != my->serial) {
        memset(block->given, 0, sizeof block->given);
        memset(block->got, 0, sizeof block->got);
    }
    block->kernel = my->serial;
    block->place = *place;
    block->received = 0;
    block->cluster_step = 0;
    block->number = 0;
    block->index = (uint32_t)my->block_count++;
    my->blocks[block->index] =
        (struct block_run){.number = place->number, .cluster = place->cluster};
    step_begin(block);
    return my->now;
}

bool vgpu_race_enter(struct vgpu_race_block **kept,
                     const struct vgpu_race_place *place, bool begins)
{
    struct vgpu_race_block *block = *kept;

    settle();
    if (!block) {
        *kept = block = calloc(1, sizeof *block);
        for (unsigned i = 0; block && i < THREADS; i++)
            block->clock[i][i % LANES] = 1;
    }
    my->now = block;
    if (!block || (begins && !block_begin(block, place)))
        my->now = NULL;
    return my->now;
}

void vgpu_race_barrier(void)
{
    if (my->now)
        step_begin(my->now);
}

void vgpu_race_grid(void)
{
    my->grid_step = (uint32_t)my->step_count;
}

void vgpu_race_cluster(struct vgpu_race_block *block)
{
    block->cluster_step = (uint32_t)my->step_count;
}

/* All that one of them knows, all know. */
void vgpu_race_warp(uint32_t warp, uint32_t lanes)
{
    uint32_t known[LANES] = {0};
    uint32_t(*clock)[LANES];

    if (!my->now)
        return;
    settle();
    clock = my->now->clock + (size_t)warp * LANES;
    for (unsigned i = 0; i < LANES * LANES; i++)
        if (lanes >> i / LANES & 1 && known[i % LANES] < clock[0][i])
            known[i % LANES] = clock[0][i];
    for (unsigned i = 0; i < LANES; i++) {
        if (!(lanes >> i & 1))
            continue;
        memcpy(clock[i], known, sizeof known);
        clock[i][i]++;
    }
}

void vgpu_race_fence(void)
{
    struct handing *given;
    unsigned thread;

    if (!my->now || *my->now->place.thread < 0)
        return;
    thread = (unsigned)*my->now->place.thread;
    given = &my->now->given[thread];
    if (given->step != my->now->step)
        *given = (struct handing){.step = my->now->step};
    given->clock = (*clock_of(thread, thread))++;
    block_now()->fence_step = my->now->step;
}
