/*
 * agent.c: agents, what they know of each other, and their operations
 *
 * Who may act at the same time as others has a vector clock: a stream, or the
 * host. An entry for each agent says up to which of that agent's epochs it is
 * ordered after. An access remembers its maker's clock, and of two accesses the
 * first happens before the second exactly if the second's clock has reached the
 * first's epoch (origin_before). This is FastTrack's order, with streams in the
 * place of threads and CUDA's calls in the place of locks.
 */
#include <stdlib.h>
#include <string.h>
#include "check_state.h"

MY_PART(agent);

/*
 * Host threads are one agent: how they order each other is not CUDA's
 * business and not seen here, so nothing is reported between them, and what
 * one of them waits for counts for all. A stream's slot is given to a new
 * stream once everything the old one did is settled; epochs go on counting.
 */
struct slot {
    uint32_t epoch; /* last one given out */
    bool free;      /* its agent is gone */
};

/* ---- what is settled --------------------------------------------------- */

/* Is all that is still to come ordered after @epoch of @slot? */
static bool settled(uint32_t slot, uint32_t epoch)
{
    const struct vgpu_clock *floor;

    if (!my->all_hosts)
        return false;
    floor = my->all_hosts->first ? my->all_hosts->first->host_clock
                                 : my->all_hosts->clock;
    return clock_get(floor, slot) >= epoch;
}

bool origin_settled(const struct origin *origin)
{
    return settled(origin->slot, origin->epoch);
}

bool origin_before(const struct origin *a, const struct origin *b)
{
    return clock_get(b->clock, a->slot) >= a->epoch;
}

/* Nothing is outstanding: the host need not be recorded. */
static void look_for_quiet(void)
{
    if (!checker.arena.recording)
        return;
    for (uint32_t slot = 0; slot < my->slots_count; slot++)
        if (clock_get(my->all_hosts->clock, slot) < my->slots[slot].epoch)
            return;
    run_record_host(false);
    outside_quiet();
}

/* ---- agents ------------------------------------------------------------ */

/* Slots are used again, or clocks would grow with every stream that ever was.
 * Only when nobody can act any more who does not know all that the old owner
 * did: else the new owner's epochs would be taken for known. */
static uint32_t take_slot(void)
{
    struct slot *grown;

    for (uint32_t i = 0; i < my->slots_count; i++) {
        if (my->slots[i].free && settled(i, my->slots[i].epoch)) {
            my->slots[i].free = false;
            return i;
        }
    }
    if (my->slots_count == my->slots_capacity) {
        my->slots_capacity = my->slots_capacity ? 2 * my->slots_capacity : 32;
        grown = realloc(my->slots, my->slots_capacity * sizeof *my->slots);
        if (!grown)
            abort();
        my->slots = grown;
    }
    my->slots[my->slots_count] = (struct slot){0, false};
    return my->slots_count++;
}

/* The next epoch of @agent begins. */
static void advance(struct vgpu_agent *agent)
{
    agent->epoch = ++my->slots[agent->slot].epoch;
    agent->clock = clock_set(agent->clock, agent->slot, agent->epoch);
}

/* What host code does from now on has another clock than before. */
static void host_turn(void)
{
    shadow_settle();
    for (struct vgpu_agent *host = my->hosts; host; host = host->next) {
        origin_release(host->origin);
        host->origin = NULL;
    }
}

/* What host code does from now on is not ordered before what was enqueued. */
static void host_advance(void)
{
    hazard_flush();
    host_turn();
    my->all_hosts->seq = ++my->last_seq;
    advance(my->all_hosts);
}

static struct vgpu_agent *agent_make(int device, const char *label)
{
    size_t length = strlen(label) + 1;
    struct vgpu_agent *agent = calloc(1, sizeof *agent + length);

    if (!agent)
        return NULL;
    memcpy(agent->label, label, length);
    vgpu_report_clean(agent->label);
    agent->refs = 1;
    agent->device = device;
    agent->core = agent;
    return agent;
}

/* The first host makes the agent that all of them are. Each still has a label
 * and an origin of its own, so that a report names the thread. */
static struct vgpu_agent *host_make(const char *label)
{
    struct vgpu_agent *host = agent_make(-1, label), **last = &my->hosts;

    if (!host)
        return NULL;
    if (!my->all_hosts) {
        my->all_hosts = agent_make(-1, "the host");
        if (!my->all_hosts) {
            free(host);
            return NULL;
        }
        my->all_hosts->slot = take_slot();
        host_advance();
    }
    host->is_host = true;
    host->core = my->all_hosts;
    while (*last)
        last = &(*last)->next;
    *last = host;
    return host;
}

/* Its clock begins with what the slot's last owner had done, all of which is
 * settled. */
static struct vgpu_agent *stream_make(int device, const char *label)
{
    struct vgpu_agent *stream = agent_make(device, label);

    if (!stream)
        return NULL;
    stream->slot = take_slot();
    stream->epoch = my->slots[stream->slot].epoch;
    if (stream->epoch)
        stream->clock = clock_set(NULL, stream->slot, stream->epoch);
    return stream;
}

struct vgpu_agent *vgpu_agent_new(enum vgpu_agent_kind kind, int device,
                                  const char *label)
{
    struct vgpu_agent *agent;

    check_lock();
    agent =
        kind == VGPU_AGENT_HOST ? host_make(label) : stream_make(device, label);
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

static void host_remove(struct vgpu_agent *host)
{
    struct vgpu_agent **at = &my->hosts;

    if (check_thread.host == host)
        check_thread.host = NULL;
    origin_release(host->origin);
    host->origin = NULL;
    while (*at && *at != host)
        at = &(*at)->next;
    if (*at)
        *at = host->next;
}

void vgpu_agent_free(struct vgpu_agent *agent)
{
    if (!agent)
        return;
    check_lock();
    if (agent->is_host) {
        host_remove(agent);
    } else {
        my->slots[agent->slot].free = true;
        clock_release(agent->clock);
        agent->clock = NULL;
    }
    agent_release(agent);
    check_unlock();
}

/* What the host does after the snapshot is not part of it: a new epoch
 * begins. */
struct vgpu_clock *vgpu_clock_snapshot(struct vgpu_agent *agent)
{
    struct vgpu_agent *core = agent->core;
    struct vgpu_clock *clock;

    check_lock();
    if (!core->clock)
        core->clock = clock_empty();
    clock = clock_ref(core->clock);
    if (agent->is_host)
        host_advance();
    check_unlock();
    return clock;
}

void vgpu_clock_release(struct vgpu_clock *clock)
{
    check_lock();
    clock_release(clock);
    check_unlock();
}

/* Operations that the host has waited for hold nothing back any more, even
 * those that touch nothing and so never run. */
static void retire_known(void)
{
    struct vgpu_agent *host = my->all_hosts;

    while (host->first && clock_get(host->clock, host->first->origin->slot) >=
                              host->first->origin->epoch)
        op_retire(host->first);
}

void vgpu_agent_join(struct vgpu_agent *agent, const struct vgpu_clock *clock)
{
    struct vgpu_agent *core = agent->core;
    struct vgpu_clock *before;

    if (!clock)
        return;
    check_lock();
    hazard_flush();
    before = clock_ref(core->clock); /* so that a change is seen */
    core->clock = clock_join(core->clock, clock);
    if (agent->is_host && core->clock != before) {
        host_turn();
        retire_known();
        look_for_quiet();
    }
    clock_release(before);
    check_unlock();
}

void vgpu_check_set_host(struct vgpu_agent *agent)
{
    check_thread.host = agent;
}

/* A thread that the runtime has not met yet acts as the first one. */
struct vgpu_agent *host_current(void)
{
    return check_thread.host ? check_thread.host : my->hosts;
}

/* ---- origins ----------------------------------------------------------- */

static struct origin *origin_new(struct vgpu_agent *agent,
                                 const struct vgpu_actor *actor, uint64_t pc)
{
    size_t length = strlen(actor->what) + 1;
    struct origin *origin = calloc(1, sizeof *origin + length);

    if (!origin)
        return NULL;
    memcpy(origin->what, actor->what, length);
    vgpu_report_clean(origin->what);
    origin->does = actor->does;
    origin->kernel = actor->kernel;
    origin->refs = 1;
    origin->agent = agent;
    agent->refs++;
    origin->slot = agent->core->slot;
    origin->epoch = agent->core->epoch;
    origin->is_host = agent->is_host;
    origin->clock = clock_ref(agent->core->clock);
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
        host->origin =
            origin_new(host,
                       &(struct vgpu_actor){VGPU_DOES_host, NULL,
                                            vgpu_does_words(VGPU_DOES_host)},
                       0);
        if (host->origin) {
            host->origin->seq = my->all_hosts->seq;
            host->origin->tag = report_host_tag();
        }
    }
    return host->origin;
}

/* ---- operations -------------------------------------------------------- */

bool vgpu_agent_knows(const struct vgpu_agent *agent,
                      const struct vgpu_check_op *op)
{
    bool knows;

    check_lock();
    knows =
        op && clock_get(agent->clock, op->origin->slot) >= op->origin->epoch;
    check_unlock();
    return knows;
}

static void op_list(struct vgpu_check_op *op)
{
    struct vgpu_agent *host = my->all_hosts;

    op->pending = true;
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
    struct vgpu_agent *host = my->all_hosts;

    if (!op->pending)
        return;
    op->pending = false;
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
}

/*
 * The operation knows all that the host knows at the call, and all of its
 * stream's earlier work. The host is in a new epoch afterwards: what it does
 * from now on is not known to the operation, even if the operation runs much
 * later. Host code is recorded from the first operation on and until all are
 * waited for; before and after, it cannot be in anybody's way.
 */
struct vgpu_check_op *vgpu_check_enqueue(struct vgpu_agent *host,
                                         struct vgpu_agent *stream,
                                         const struct vgpu_actor *actor,
                                         uint64_t pc)
{
    struct vgpu_check_op *op = calloc(1, sizeof *op);

    if (!op)
        return NULL;
    check_lock();
    stream->clock = clock_join(stream->clock, host->core->clock);
    advance(stream);
    op->origin = origin_new(stream, actor, pc);
    if (!op->origin) {
        check_unlock();
        free(op);
        return NULL;
    }
    op->origin->seq = ++my->last_seq;
    op_list(op);
    host_advance();
    if (checker.arena.reporting && !checker.arena.recording)
        run_record_host(true);
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

void vgpu_check_op_tag(struct vgpu_check_op *op, uint64_t tag)
{
    if (op)
        op->origin->tag = tag;
}

void vgpu_check_op_learn(struct vgpu_check_op *op,
                         const struct vgpu_clock *clock)
{
    check_lock();
    op->origin->clock = clock_join(op->origin->clock, clock);
    check_unlock();
}

struct vgpu_clock *vgpu_check_op_clock(const struct vgpu_check_op *op)
{
    struct vgpu_clock *clock;

    check_lock();
    clock = clock_ref(op->origin->clock);
    check_unlock();
    return clock;
}

struct vgpu_clock *vgpu_check_op_before(const struct vgpu_check_op *op)
{
    const struct origin *o = op->origin;
    struct vgpu_clock *clock;

    check_lock();
    clock = clock_set(clock_ref(o->clock), o->slot, o->epoch - 1);
    check_unlock();
    return clock;
}
