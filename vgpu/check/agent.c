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

/* Not all of those that are free are asked for each new agent. */
enum { SLOT_TRIES = 4 };

/*
 * Each host thread is an agent, ordered with others by what the runtime sees of
 * their locks, flags and ends (runtime/handover.c). A slot is given to a new
 * agent once everything the old one did is settled; epochs go on counting.
 */
struct slot {
    uint32_t epoch;      /* last one given out */
    uint32_t next_freed; /* of those whose agent is gone; see freed_first */
};

/* ---- what is settled --------------------------------------------------- */

/* Nobody else can still act: what they enqueued, and they while they live. */
static bool settled(uint32_t slot, uint32_t epoch)
{
    for (const struct vgpu_agent *host = my->hosts; host; host = host->next) {
        const struct vgpu_clock *const least =
            host->first ? host->first->host_clock : host->clock;

        if ((host->first || !host->ended) && clock_get(least, slot) < epoch)
            return false;
    }
    return my->hosts != NULL;
}

bool origin_settled(const struct origin *origin)
{
    return settled(origin->slot, origin->epoch);
}

bool origin_before(const struct origin *a, const struct origin *b)
{
    return clock_get(b->clock, a->slot) >= a->epoch;
}

/* What one host thread has waited for counts for all, and these are ordered as
 * their calls came: for memory that the C library gives from thread to thread,
 * by means that are not seen. */
bool origin_ordered_by_any(const struct origin *a, const struct origin *b)
{
    const struct origin *const host = a->is_host ? a : b;
    const struct origin *const op = a->is_host ? b : a;

    if (op->is_host)
        return true;
    if (!host->is_host)
        return origin_before(a, b) || origin_before(b, a);
    return host->seq < op->seq || clock_get(host->known, op->slot) >= op->epoch;
}

static bool knows_all(const struct vgpu_clock *clock)
{
    for (uint32_t slot = 0; slot < my->slots_count; slot++)
        if (clock_get(clock, slot) < my->slots[slot].epoch)
            return false;
    return true;
}

static bool any_host(void)
{
    const struct vgpu_agent *host = my->hosts;

    while (host && host->ended)
        host = host->next;
    return host != NULL;
}

/* The only host thread there is, or NULL. */
static const struct vgpu_agent *only_host(void)
{
    const struct vgpu_agent *only = NULL;

    for (const struct vgpu_agent *host = my->hosts; host; host = host->next) {
        if (!host->ended && only)
            return NULL;
        only = host->ended ? only : host;
    }
    return only;
}

/* Nothing is outstanding: the host need not be recorded, unless it has threads
 * that can be in each other's way, or were. A host function that is under way
 * has pages of its own, though who waits for it may know of its end. */
static void look_for_quiet(void)
{
    const struct vgpu_agent *const only = only_host();

    if (!checker.arena.recording || checker.track.touched_count ||
        !knows_all(my->known))
        return;
    outside_quiet();
    if (only && knows_all(only->clock))
        run_record_host(false);
}

/* ---- agents ------------------------------------------------------------ */

/* The one that was given back first is the likeliest to be settled. */
static void give_slot(uint32_t slot)
{
    my->slots[slot].next_freed = 0;
    if (my->freed_first)
        my->slots[my->freed_last - 1].next_freed = slot + 1;
    else
        my->freed_first = slot + 1;
    my->freed_last = slot + 1;
}

/* Slots are used again, or clocks would grow with every stream that ever was.
 * Only when nobody can act any more who does not know all that the old owner
 * did: else the new owner's epochs would be taken for known. */
static uint32_t take_slot(void)
{
    for (int tries = 0; tries < SLOT_TRIES && my->freed_first; tries++) {
        const uint32_t i = my->freed_first - 1;

        my->freed_first = my->slots[i].next_freed;
        if (settled(i, my->slots[i].epoch))
            return i;
        give_slot(i);
    }
    if (!VGPU_GROW(my->slots, my->slots_count, &my->slots_room))
        abort();
    my->slots[my->slots_count] = (struct slot){0, 0};
    return my->slots_count++;
}

/* The next epoch of @agent begins. */
static void advance(struct vgpu_agent *agent)
{
    agent->epoch = ++my->slots[agent->slot].epoch;
    agent->clock = clock_set(agent->clock, agent->slot, agent->epoch);
}

/* What @host does from now on has another clock than before. */
static void host_turn(struct vgpu_agent *host)
{
    shadow_settle();
    origin_release(host->origin);
    host->origin = NULL;
    my->known = clock_join(my->known, host->clock);
}

/* What it does from now on is not ordered before what was enqueued. */
static void host_advance(struct vgpu_agent *host)
{
    hazard_flush();
    host->seq = ++my->last_seq;
    advance(host);
    host_turn(host);
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
    return agent;
}

static struct vgpu_agent *host_make(const char *label)
{
    struct vgpu_agent *host = agent_make(-1, label), **last = &my->hosts;

    if (!host)
        return NULL;
    host->is_host = true;
    host->slot = take_slot();
    if (!any_host()) /* it comes after all that were before */
        host->clock = clock_ref(my->known);
    while (*last)
        last = &(*last)->next;
    *last = host;
    host_advance(host);
    if (checker.arena.reporting && !only_host() && !checker.arena.recording)
        run_record_host(true);
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
    if (agent)
        agent->early = kind == VGPU_AGENT_EARLY;
    check_unlock();
    return agent;
}

const char *vgpu_agent_label(const struct vgpu_agent *agent)
{
    return agent->label;
}

struct vgpu_agent *agent_ref(struct vgpu_agent *agent)
{
    agent->refs++;
    return agent;
}

void agent_release(struct vgpu_agent *agent)
{
    if (--agent->refs)
        return;
    clock_release(agent->clock);
    for (uint32_t i = 0; i < agent->enqueued_count; i++)
        clock_release(agent->enqueued[i].clock);
    free(agent->enqueued);
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
    if (agent->is_host)
        host_remove(agent);
    give_slot(agent->slot);
    clock_release(agent->clock);
    agent->clock = NULL;
    agent_release(agent);
    check_unlock();
}

/* What the host does after the snapshot is not part of it: a new epoch
 * begins. */
struct vgpu_clock *vgpu_clock_snapshot(struct vgpu_agent *agent)
{
    struct vgpu_clock *clock;

    check_lock();
    if (!agent->clock)
        agent->clock = clock_empty();
    clock = clock_ref(agent->clock);
    if (agent->is_host)
        host_advance(agent);
    check_unlock();
    return clock;
}

void vgpu_check_event(uint64_t event, bool waits, struct vgpu_agent *agent,
                      uint64_t pc)
{
    if (!checker.arena.reporting)
        return;
    check_lock();
    events_act(event, waits, agent, pc, ++my->last_seq);
    if (agent->is_host)
        host_advance(agent);
    check_unlock();
}

void vgpu_clock_release(struct vgpu_clock *clock)
{
    check_lock();
    clock_release(clock);
    check_unlock();
}

struct vgpu_clock *vgpu_clock_add(struct vgpu_clock *into,
                                  const struct vgpu_clock *from)
{
    check_lock();
    into = clock_join(into, from);
    check_unlock();
    return into;
}

/* Operations that a host has waited for hold nothing back any more, even those
 * that touch nothing and so never run. */
static void retire_known(const struct vgpu_clock *clock)
{
    for (struct vgpu_agent *host = my->hosts; host; host = host->next)
        while (host->first && clock_get(clock, host->first->origin->slot) >=
                                  host->first->origin->epoch)
            op_retire(host->first);
}

static void join(struct vgpu_agent *agent, const struct vgpu_clock *clock)
{
    struct vgpu_clock *const before = clock_ref(agent->clock);

    hazard_flush();
    agent->clock = clock_join(agent->clock, clock);
    if (agent->is_host && agent->clock != before) {
        host_turn(agent);
        retire_known(agent->clock);
        look_for_quiet();
    }
    clock_release(before);
}

void vgpu_agent_join(struct vgpu_agent *agent, const struct vgpu_clock *clock)
{
    if (!clock)
        return;
    check_lock();
    join(agent, clock);
    check_unlock();
}

/* Its slot stays its own until what it did is known to all. */
void vgpu_agent_end(struct vgpu_agent *agent)
{
    check_lock();
    agent->ended = true;
    look_for_quiet();
    check_unlock();
}

/* ---- whose waiting counts ------------------------------------------------ */

static bool knows_call(const struct vgpu_agent *host, const struct enqueued *at)
{
    return clock_get(host->clock, at->slot) >= at->epoch;
}

/* All hosts know of the one behind it. */
static bool is_outdated(const struct enqueued *next)
{
    for (const struct vgpu_agent *host = my->hosts; host; host = host->next)
        if (!host->ended && !knows_call(host, next))
            return false;
    return true;
}

/* @host has enqueued the newest of @stream's operations. */
static void note_enqueued(struct vgpu_agent *stream, struct vgpu_check_op *op,
                          const struct vgpu_agent *host)
{
    uint32_t gone = 0;

    op->call =
        (struct enqueued){op->origin->epoch, host->slot, host->epoch, NULL};
    while (gone + 1 < stream->enqueued_count &&
           is_outdated(&stream->enqueued[gone + 1]))
        clock_release(stream->enqueued[gone++].clock);
    stream->enqueued_count -= gone;
    if (gone)
        memmove(stream->enqueued, stream->enqueued + gone,
                stream->enqueued_count * sizeof *stream->enqueued);
    if (!VGPU_GROW(stream->enqueued, stream->enqueued_count,
                   &stream->enqueued_room))
        return;
    stream->enqueued[stream->enqueued_count] = op->call;
    stream->enqueued[stream->enqueued_count++].clock =
        clock_ref(op->origin->clock);
}

/*
 * Who waits for a stream waits for what he knows to have been put there. Of
 * what another thread has put there it is up to chance whether it came before
 * the wait, unless something has ordered the two calls.
 */
void vgpu_agent_waited(struct vgpu_agent *host, const struct vgpu_check_op *op)
{
    const struct vgpu_agent *const stream = op->origin->agent;
    const struct vgpu_clock *clock = NULL;

    check_lock();
    if (knows_call(host, &op->call))
        clock = op->origin->clock;
    for (size_t i = stream->enqueued_count; i-- && !clock;)
        if (stream->enqueued[i].of <= op->origin->epoch &&
            knows_call(host, &stream->enqueued[i]))
            clock = stream->enqueued[i].clock;
    if (clock)
        join(host, clock);
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
    origin->launched = actor->launched;
    if (origin->launched.id)
        origin->launched.agent->refs++;
    origin->refs = 1;
    origin->agent = agent;
    agent->refs++;
    origin->slot = agent->slot;
    origin->epoch = agent->epoch;
    origin->is_host = agent->is_host;
    origin->clock = clock_ref(agent->clock);
    origin->known = agent->is_host ? clock_ref(my->known) : NULL;
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
    clock_release(origin->known);
    agent_release(origin->agent);
    if (origin->launched.id)
        agent_release(origin->launched.agent);
    free(origin);
}

struct origin *host_origin(struct vgpu_agent *host)
{
    if (!host->origin) {
        host->origin = origin_new(
            host,
            &(struct vgpu_actor){.does = VGPU_DOES_host,
                                 .what = vgpu_does_words(VGPU_DOES_host)},
            0);
        if (host->origin) {
            host->origin->seq = host->seq;
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

static void op_list(struct vgpu_check_op *op, struct vgpu_agent *host)
{
    op->pending = true;
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
    struct vgpu_agent *const host = op->host;

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
    stream->clock = clock_join(stream->clock, host->clock);
    advance(stream);
    op->origin = origin_new(stream, actor, pc);
    if (!op->origin) {
        check_unlock();
        free(op);
        return NULL;
    }
    op->origin->seq = ++my->last_seq;
    op_list(op, host);
    note_enqueued(stream, op, host);
    events_work(op->origin);
    host_advance(host);
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

void vgpu_check_op_kernel_id(struct vgpu_check_op *op, uint64_t id)
{
    if (op)
        op->origin->kernel_id = id;
}

void vgpu_check_op_number(struct vgpu_check_op *op, uint32_t number)
{
    if (op)
        op->origin->number = number;
}

void vgpu_check_op_learn(struct vgpu_check_op *op,
                         const struct vgpu_clock *clock)
{
    check_lock();
    op->origin->clock = clock_join(op->origin->clock, clock);
    check_unlock();
}

uint64_t vgpu_check_running_pc(void)
{
    return check_thread.op ? check_thread.op->origin->pc : 0;
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
