/* clock.c: agents, their vector clocks, and the operations they enqueue */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

/*
 * A clock says, for each slot, up to which epoch its owner knows. It is cut
 * into chunks that clocks share until one of them writes, so that a hundred
 * thousand operations of hundreds of streams stay small. An agent's slot is
 * given to a new agent once everything the old one did is settled; epochs go
 * on counting.
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

struct slot {
    uint32_t epoch; /* last one given out */
    uint8_t is_host;
    uint8_t free; /* its agent is gone */
};

static struct slot *slots;
static uint32_t slots_count, slots_capacity;
static struct vgpu_agent *hosts;
static uint64_t last_seq;

/* ---- clocks ------------------------------------------------------------ */

static uint32_t clock_get(const struct vgpu_clock *clock, uint32_t slot)
{
    uint32_t at = slot / CHUNK;

    if (!clock || at >= clock->count || !clock->chunk[at])
        return 0;
    return clock->chunk[at]->epoch[slot % CHUNK];
}

static struct vgpu_clock *clock_ref(struct vgpu_clock *clock)
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

static void clock_release(struct vgpu_clock *clock)
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
    own = calloc(1, sizeof(*own) + count * sizeof(*own->chunk));
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
    own = calloc(1, sizeof(*own));
    if (!own)
        abort();
    if (chunk)
        memcpy(own->epoch, chunk->epoch, sizeof(own->epoch));
    own->refs = 1;
    chunk_release(chunk);
    clock->chunk[at] = own;
    return own->epoch;
}

static struct vgpu_clock *clock_set(struct vgpu_clock *clock, uint32_t slot,
                                    uint32_t epoch)
{
    clock = clock_own(clock, slot / CHUNK + 1);
    chunk_own(clock, slot / CHUNK)[slot % CHUNK] = epoch;
    return clock;
}

static int chunk_covers(const struct chunk *a, const struct chunk *b)
{
    for (int i = 0; i < CHUNK; i++)
        if ((a ? a->epoch[i] : 0) < b->epoch[i])
            return 0;
    return 1;
}

/* @into learns what @from knows; takes @into over. */
static struct vgpu_clock *clock_join(struct vgpu_clock *into,
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

/* ---- what is settled --------------------------------------------------- */

/* What all that is still to come on behalf of @host is ordered after. */
static const struct vgpu_clock *host_floor(const struct vgpu_agent *host)
{
    return host->first ? host->first->host_clock : host->clock;
}

static int settled(uint32_t slot, uint32_t epoch)
{
    for (const struct vgpu_agent *host = hosts; host; host = host->next)
        if (clock_get(host_floor(host), slot) < epoch)
            return 0;
    return hosts != NULL;
}

int origin_settled(const struct origin *origin)
{
    return settled(origin->slot, origin->epoch);
}

int origin_before(const struct origin *a, const struct origin *b)
{
    return clock_get(b->clock, a->slot) >= a->epoch;
}

/* Is every host ordered after every operation of every stream? */
static int all_waited_for(void)
{
    for (uint32_t slot = 0; slot < slots_count; slot++) {
        if (slots[slot].is_host)
            continue;
        for (struct vgpu_agent *host = hosts; host; host = host->next)
            if (clock_get(host->clock, slot) < slots[slot].epoch)
                return 0;
    }
    return 1;
}

static void look_for_quiet(void)
{
    if (!check_arena.recording || !all_waited_for())
        return;
    check_arena.recording = 0;
    outside_quiet();
}

/* ---- agents ------------------------------------------------------------ */

static uint32_t take_slot(int is_host)
{
    struct slot *grown;

    for (uint32_t i = 0; i < slots_count; i++) {
        if (slots[i].free && slots[i].is_host == is_host &&
            settled(i, slots[i].epoch)) {
            slots[i].free = 0;
            return i;
        }
    }
    if (slots_count == slots_capacity) {
        slots_capacity = slots_capacity ? 2 * slots_capacity : 32;
        grown = realloc(slots, slots_capacity * sizeof(*slots));
        if (!grown)
            abort();
        slots = grown;
    }
    slots[slots_count] = (struct slot){0, (uint8_t)is_host, 0};
    return slots_count++;
}

/* The next epoch of @agent begins. */
static void advance(struct vgpu_agent *agent)
{
    agent->epoch = ++slots[agent->slot].epoch;
    agent->clock = clock_set(agent->clock, agent->slot, agent->epoch);
}

/* Code that @host runs from now on is not what it was. */
static void host_advance(struct vgpu_agent *host)
{
    hazard_flush();
    shadow_settle();
    origin_release(host->origin);
    host->origin = NULL;
    host->seq = ++last_seq;
    advance(host);
}

struct vgpu_agent *vgpu_agent_new(enum vgpu_agent_kind kind, int device,
                                  const char *label)
{
    size_t length = strlen(label) + 1;
    struct vgpu_agent *agent = calloc(1, sizeof(*agent) + length);

    if (!agent)
        return NULL;
    check_lock();
    memcpy(agent->label, label, length);
    agent->refs = 1;
    agent->is_host = kind == VGPU_AGENT_HOST;
    agent->device = device;
    agent->slot = take_slot(agent->is_host);
    if (agent->is_host) {
        struct vgpu_agent **last = &hosts;

        while (*last)
            last = &(*last)->next;
        *last = agent;
        host_advance(agent);
    } else {
        agent->epoch = slots[agent->slot].epoch;
        if (agent->epoch)
            agent->clock = clock_set(NULL, agent->slot, agent->epoch);
    }
    check_unlock();
    return agent;
}

static void agent_release(struct vgpu_agent *agent)
{
    if (--agent->refs)
        return;
    clock_release(agent->clock);
    free(agent);
}

/* A host that is gone counts until its last operation has run. */
static void host_remove_if_done(struct vgpu_agent *host)
{
    if (!host->retired || host->first)
        return;
    for (struct vgpu_agent **at = &hosts; *at; at = &(*at)->next) {
        if (*at == host) {
            *at = host->next;
            break;
        }
    }
    slots[host->slot].free = 1;
    agent_release(host);
}

void vgpu_agent_free(struct vgpu_agent *agent)
{
    if (!agent)
        return;
    check_lock();
    agent->retired = 1;
    if (check_thread.host == agent)
        check_thread.host = NULL;
    if (agent->is_host) {
        host_advance(agent);
        host_remove_if_done(agent);
        look_for_quiet();
    } else {
        slots[agent->slot].free = 1;
        agent_release(agent);
    }
    check_unlock();
}

struct vgpu_clock *vgpu_clock_snapshot(struct vgpu_agent *agent)
{
    struct vgpu_clock *clock;

    check_lock();
    clock = agent->clock;
    if (!clock)
        agent->clock = clock = clock_own(NULL, 0);
    clock_ref(clock);
    if (agent->is_host)
        host_advance(agent);
    check_unlock();
    return clock;
}

void vgpu_clock_release(struct vgpu_clock *clock)
{
    check_lock();
    clock_release(clock);
    check_unlock();
}

void vgpu_agent_join(struct vgpu_agent *agent, const struct vgpu_clock *clock)
{
    struct vgpu_clock *before = agent->clock;

    if (!clock)
        return;
    check_lock();
    hazard_flush();
    if (before)
        before->refs++; /* so that a change is seen */
    agent->clock = clock_join(agent->clock, clock);
    if (agent->is_host && agent->clock != before) {
        shadow_settle();
        origin_release(agent->origin);
        agent->origin = NULL;
        look_for_quiet();
    }
    clock_release(before);
    check_unlock();
}

void vgpu_check_set_host(struct vgpu_agent *agent)
{
    check_thread.host = agent;
}

struct vgpu_agent *host_current(void)
{
    return check_thread.host ? check_thread.host : hosts;
}

/* ---- origins ----------------------------------------------------------- */

static struct origin *origin_new(struct vgpu_agent *agent, const char *what,
                                 uint64_t pc)
{
    size_t length = strlen(what) + 1;
    struct origin *origin = calloc(1, sizeof(*origin) + length);

    if (!origin)
        return NULL;
    memcpy(origin->what, what, length);
    origin->refs = 1;
    origin->agent = agent;
    agent->refs++;
    origin->slot = agent->slot;
    origin->epoch = agent->epoch;
    origin->is_host = (uint32_t)agent->is_host;
    origin->clock = clock_ref(agent->clock);
    origin->pc = pc;
    return origin;
}

struct origin *origin_ref(struct origin *origin)
{
    origin->refs++;
    return origin;
}

void origin_release(struct origin *origin)
{
    if (!origin || --origin->refs)
        return;
    clock_release(origin->clock);
    agent_release(origin->agent);
    free(origin);
}

struct origin *host_origin(struct vgpu_agent *host)
{
    if (!host->origin) {
        host->origin = origin_new(host, "host code", 0);
        if (host->origin)
            host->origin->seq = host->seq;
    }
    return host->origin;
}

/* ---- operations -------------------------------------------------------- */

static void op_list(struct vgpu_check_op *op, struct vgpu_agent *host)
{
    op->host = host;
    op->host_clock = clock_ref(host->clock);
    op->previous = host->last;
    if (host->last)
        host->last->next = op;
    else
        host->first = op;
    host->last = op;
}

void op_retire(struct vgpu_check_op *op)
{
    struct vgpu_agent *host = op->host;

    if (!host)
        return;
    op->host = NULL;
    if (op->previous)
        op->previous->next = op->next;
    else
        host->first = op->next;
    if (op->next)
        op->next->previous = op->previous;
    else
        host->last = op->previous;
    clock_release(op->host_clock);
    op->host_clock = NULL;
    host_remove_if_done(host);
}

struct vgpu_check_op *vgpu_check_enqueue(struct vgpu_agent *host,
                                         struct vgpu_agent *stream,
                                         const char *what, uint64_t pc)
{
    struct vgpu_check_op *op = calloc(1, sizeof(*op));

    if (!op)
        return NULL;
    check_lock();
    stream->clock = clock_join(stream->clock, host->clock);
    advance(stream);
    op->origin = origin_new(stream, what, pc);
    if (!op->origin) {
        check_unlock();
        free(op);
        return NULL;
    }
    op->origin->seq = ++last_seq;
    op_list(op, host);
    host_advance(host);
    check_arena.recording = check_arena.reporting;
    check_unlock();
    return op;
}

void vgpu_check_op_free(struct vgpu_check_op *op)
{
    if (!op)
        return;
    check_lock();
    op_retire(op);
    origin_release(op->origin);
    check_unlock();
    free(op);
}

struct vgpu_clock *vgpu_check_op_clock(const struct vgpu_check_op *op)
{
    struct vgpu_clock *clock;

    check_lock();
    clock = clock_ref(op->origin->clock);
    check_unlock();
    return clock;
}
