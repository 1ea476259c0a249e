/*
 * race.c: races between the threads of one kernel (VGPU_CHECK=races)
 *
 * The threads of a block run one after the other here, so what two of them do
 * to the same bytes always has an order, and the numbers come out right. A GPU
 * promises one only where the program asks for it:
 *
 *   a barrier orders all threads of its block. It ends a *step*: accesses of
 *   one block in different steps are ordered. A grid's barrier orders all that
 *   came before it, too;
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

#define LANES       32
#define THREADS     1024
#define SITES       4096 /* lines of programs; power of two */
#define BUCKETS     65536
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

struct site {
    uint64_t pc;
    bool tries; /* reads what an atomic of the same thread then settles */
};

/* A block as the others see it. */
struct block_run {
    uint64_t number;     /* its place in the grid */
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

/* A write that meets another: whether it changes anything is seen later. */
struct unsettled {
    bool is_set;
    struct race race;
    unsigned char before[16];
};

static struct shade *shades[BUCKETS];
static size_t cells_bytes;
static struct site sites[SITES];
static struct unsettled unsettled;

/* A block that runs, or waits for a flag in its middle. What is marked with a
 * step is out of date in another. */
struct vgpu_race_block {
    struct vgpu_race_place place;
    uint32_t kernel, index; /* of run.blocks */
    uint32_t step, number;
    uint64_t received;      /* addresses of its atomics */
    uint16_t turn[THREADS]; /* accesses in this step */
    struct handing given[THREADS];
    struct handing got[THREADS / LANES];
    uint32_t clock[THREADS][LANES]; /* what each knows of its warp's */
};

static struct {
    const struct vgpu_check_op *op; /* NULL: none is watched */
    const uint32_t *grid, *block_dim;
    uint32_t serial;
    uint32_t
        grid_step; /* steps before this one are ordered before all others */
    struct vgpu_race_block *now; /* the one that runs */
    struct block_run *blocks;    /* in the order of their beginning */
    struct step *steps;          /* in the order of time; 0 is nobody's */
    size_t block_count, block_capacity, step_count, step_capacity;
    uintptr_t volatile_at;
} run;

static struct block_run *block_of(uint32_t step)
{
    return &run.blocks[run.steps[step].block];
}

static struct block_run *block_now(void)
{
    return &run.blocks[run.now->index];
}

static bool in_block_now(const struct access *access)
{
    return run.steps[access->step].block == run.now->index;
}

bool race_shared(uintptr_t address)
{
    return run.now &&
           address - run.now->place.shared < run.now->place.shared_bytes;
}

void race_volatile(uintptr_t address)
{
    const uintptr_t variable = variable_alias(address);

    run.volatile_at = variable ? variable : address;
}

/* ---- order ------------------------------------------------------------- */

static uint32_t *clock_of(unsigned thread, unsigned other)
{
    return &run.now->clock[thread][other % LANES];
}

static bool handed_within_block(const struct access *a, const struct access *b)
{
    const struct handing *given = &run.now->given[a->thread];
    const struct handing *got = &run.now->got[b->thread / LANES];

    return given->step == run.now->step && got->step == run.now->step &&
           a->clock <= given->clock && (given->addresses & got->addresses);
}

/* Is @a, made earlier here, ordered before @b, which is being made? */
static bool is_ordered(const struct access *a, const struct access *b)
{
    if (a->step < run.grid_step)
        return true;
    if (!in_block_now(a)) {
        const struct block_run *block = block_of(a->step);

        return block->fence_step >= a->step &&
               (block->handed_on & run.now->received);
    }
    return a->step != b->step || a->thread == b->thread ||
           (a->thread / LANES == b->thread / LANES &&
            *clock_of(b->thread, a->thread) >= a->clock) ||
           handed_within_block(a, b);
}

/* Would it be, with a fence behind @a? */
static bool lacks_fence(const struct access *a)
{
    return !in_block_now(a) && (block_of(a->step)->atomics & run.now->received);
}

static enum race_scope scope_of(const struct access *a, const struct access *b)
{
    if (!in_block_now(a))
        return RACE_GRID;
    return a->thread / LANES == b->thread / LANES ? RACE_WARP : RACE_BLOCK;
}

/* ---- sites ------------------------------------------------------------- */

/* Return: its index; the last one for all that are too many. */
static uint16_t site_of(uint64_t pc)
{
    unsigned at = (unsigned)(pc * 0x9E3779B97F4A7C15u >> 52);

    for (unsigned i = 0; i < SITES - 1; i++, at = (at + 1) % SITES) {
        if (!sites[at].pc)
            sites[at].pc = pc;
        if (sites[at].pc == pc)
            return (uint16_t)at;
    }
    return (uint16_t)at;
}

/* ---- what is found ----------------------------------------------------- */

static void side_fill(struct race_side *side, const struct access *access)
{
    *side = (struct race_side){sites[access->site].pc, access->set,
                               access->thread, block_of(access->step)->number};
}

/* Threads run ahead of others here, up to a barrier. How far each has come
 * since the last one says which access a GPU would make first. */
static bool is_earlier(const struct access *a, const struct access *b)
{
    const uint32_t step_a = run.steps[a->step].number;
    const uint32_t step_b = run.steps[b->step].number;

    return step_a == step_b ? a->turn < b->turn : step_a < step_b;
}

static struct race pair_of(const struct access *made, const struct access *now,
                           uintptr_t address, size_t bytes)
{
    const bool swap = is_earlier(now, made);
    struct race race = {.scope = scope_of(made, now),
                        .grid = run.grid,
                        .block_dim = run.block_dim,
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
    const struct race *race = &unsettled.race;

    if (unsettled.is_set &&
        memcmp(unsettled.before, (void *)race->lo, race->hi - race->lo))
        race_add(race);
    unsettled.is_set = false;
}

static void found(const struct access *made, const struct access *now,
                  uintptr_t address, size_t bytes)
{
    const struct race race = pair_of(made, now, address, bytes);

    if (made->set != SET_WRITE || now->set != SET_WRITE ||
        bytes > sizeof unsettled.before) {
        race_add(&race);
        return;
    }
    unsettled.race = race;
    unsettled.is_set = true;
    memcpy(unsettled.before, (void *)address, bytes);
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

    if (cells_bytes + bytes <= CELLS_BYTES)
        cells = calloc(1, bytes);
    if (cells)
        cells_bytes += bytes;
    return cells;
}

/* Return: NULL where nothing is remembered. */
static struct shade *shade_find(uintptr_t address)
{
    uintptr_t number = address >> PAGE_SHIFT;
    struct shade **list = &shades[number * 0x9E3779B1u % BUCKETS];
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
    if (shade->kernel != run.serial) {
        shade->kernel = run.serial;
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
    cells_bytes -= (PAGE_BYTES >> WORD) * sizeof(struct cell);
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
        (shared && !in_block_now(a)))
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
            sites[cell->read[i].site].tries = true;
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
    struct handing *got = &run.now->got[now->thread / LANES];
    struct handing *given = &run.now->given[now->thread];

    if (got->step != run.now->step)
        *got = (struct handing){.step = run.now->step};
    got->addresses |= bit;
    run.now->received |= bit;
    if (given->step == run.now->step)
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

    if (check_thread.op != run.op || !run.now || *run.now->place.thread < 0)
        return;
    settle();
    shade = shade_find(address);
    if (!shade)
        return;
    if (shade->grain && (address | bytes) % (1u << WORD) && !shade_split(shade))
        return;
    now.is_volatile = address == run.volatile_at;
    run.volatile_at = 0;
    now.step = run.now->step;
    now.thread = (uint16_t)*run.now->place.thread & (THREADS - 1);
    now.turn = run.now->turn[now.thread]++;
    now.clock = *clock_of(now.thread, now.thread);
    now.site = site_of(pc);
    part_touch(shade, address, bytes, &now);
}

/* ---- the executor's words ---------------------------------------------- */

void vgpu_check_races(void)
{
    check_arena.races = true;
}

bool vgpu_race_begin(const uint32_t *grid, const uint32_t *block)
{
    if (!check_arena.races || run.op || !check_thread.op)
        return false;
    run.op = check_thread.op;
    run.grid = grid;
    run.block_dim = block;
    run.serial++;
    run.block_count = 0;
    run.step_count = 1;
    run.grid_step = 0;
    run.volatile_at = 0;
    unsettled.is_set = false;
    check_arena.watched = SERIAL_WATCHED;
    return true;
}

bool race_tries(uint64_t pc)
{
    return sites[site_of(pc)].tries;
}

void vgpu_race_end(void)
{
    settle();
    check_lock();
    race_report(run.op->origin);
    check_unlock();
    run.op = NULL;
    run.now = NULL;
    check_arena.watched = 0;
}

/* Return: @array with room for one more than @count; NULL without memory. */
static void *grow(void *array, size_t count, size_t *capacity, size_t each)
{
    size_t wanted = *capacity ? 2 * *capacity : 1024;
    void *grown;

    if (count < *capacity)
        return array;
    grown = realloc(array, wanted * each);
    if (grown)
        *capacity = wanted;
    return grown;
}

/* Without memory for another step the last one goes on: then accesses on both
 * sides of a barrier look like races, so nothing more is looked at. */
static void step_begin(struct vgpu_race_block *block)
{
    struct step *steps =
        grow(run.steps, run.step_count, &run.step_capacity, sizeof *run.steps);

    settle();
    if (!steps) {
        run.now = NULL;
        return;
    }
    run.steps = steps;
    block->step = (uint32_t)run.step_count++;
    steps[block->step] = (struct step){block->index, ++block->number};
    memset(block->turn, 0, sizeof block->turn);
}

/* Clocks only go on, so those of the block before do no harm. */
static bool block_begin(struct vgpu_race_block *block,
                        const struct vgpu_race_place *place)
{
    struct block_run *blocks = grow(run.blocks, run.block_count,
                                    &run.block_capacity, sizeof *run.blocks);

    if (!blocks)
        return false;
    run.blocks = blocks;
    if (block->kernel != run.serial) {
        memset(block->given, 0, sizeof block->given);
        memset(block->got, 0, sizeof block->got);
    }
    block->kernel = run.serial;
    block->place = *place;
    block->received = 0;
    block->number = 0;
    block->index = (uint32_t)run.block_count++;
    blocks[block->index] = (struct block_run){.number = place->number};
    step_begin(block);
    return run.now;
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
    run.now = block;
    if (!block || (begins && !block_begin(block, place)))
        run.now = NULL;
    return run.now;
}

void vgpu_race_barrier(void)
{
    if (run.now)
        step_begin(run.now);
}

void vgpu_race_grid(void)
{
    run.grid_step = (uint32_t)run.step_count;
}

/* All that one of them knows, all know. */
void vgpu_race_warp(uint32_t warp, uint32_t lanes)
{
    uint32_t known[LANES] = {0};
    uint32_t(*clock)[LANES];

    if (!run.now)
        return;
    settle();
    clock = run.now->clock + (size_t)warp * LANES;
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

    if (!run.now || *run.now->place.thread < 0)
        return;
    thread = (unsigned)*run.now->place.thread;
    given = &run.now->given[thread];
    if (given->step != run.now->step)
        *given = (struct handing){.step = run.now->step};
    given->clock = (*clock_of(thread, thread))++;
    block_now()->fence_step = run.now->step;
}
