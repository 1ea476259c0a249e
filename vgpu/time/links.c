/*
 * links.c: copies on their way, and the rates they get.
 *
 * A copy first takes its engine's fixed cost, then moves bytes at a rate that
 * changes as others start and end: a link that is used both ways is slower
 * each way, and the host's memory is shared by all devices. What is left is
 * kept in bytes times 1e9, so that rate times nanoseconds is exact.
 */
#include "model.h"

#define NANO 1000000000

static int64_t positive(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static bool is_kernel(const struct vtime_op *op)
{
    return op->in.kind == VGPU_TIME_KERNEL;
}

static bool uses_h2d_link(const struct vtime_op *op, int device)
{
    if (is_kernel(op))
        return op->from_host && op->in.device == device;
    if (op->in.kind == VGPU_TIME_PEER)
        return !op->in.peer_direct && op->in.peer_device == device;
    return op->in.kind == VGPU_TIME_H2D && op->in.device == device;
}

static bool uses_d2h_link(const struct vtime_op *op, int device)
{
    if (is_kernel(op))
        return op->to_host && op->in.device == device;
    if (op->in.kind == VGPU_TIME_PEER)
        return !op->in.peer_direct && op->in.device == device;
    return op->in.kind == VGPU_TIME_D2H && op->in.device == device;
}

/* Some copy uses @device's link towards the device, or away from it. A copy
 * between devices without peer access goes through the host: away from one over
 * its link, towards the other over that one's. */
static bool link_used(const struct vgpu_time *time, int device, bool to_device)
{
    for (int i = 0; i < time->copy_count; i++) {
        const struct vtime_op *op = time->copies[i];

        if (to_device ? uses_h2d_link(op, device) : uses_d2h_link(op, device))
            return true;
    }
    return false;
}

/* How many share a link: an engine moves one copy at a time, but kernels reach
 * over it meanwhile. */
static int64_t link_users(const struct vgpu_time *time, int device,
                          bool to_device)
{
    int64_t users = 0;

    for (int i = 0; i < time->copy_count; i++) {
        const struct vtime_op *op = time->copies[i];

        if (op->in.kind != VGPU_TIME_PEER)
            users += to_device ? uses_h2d_link(op, device)
                               : uses_d2h_link(op, device);
    }
    return users > 0 ? users : 1;
}

/* What a kernel writes there is sent at once, and requests to read wait for it:
 * a copy out does not do that to one in. */
static bool kernel_writes_host(const struct vgpu_time *time, int device)
{
    for (int i = 0; i < time->copy_count; i++) {
        const struct vtime_op *op = time->copies[i];

        if (is_kernel(op) && op->to_host && op->in.device == device)
            return true;
    }
    return false;
}

/* Of a copy, or of a kernel that reaches over the link, with nothing beside. */
static int64_t alone_rate(const struct vgpu_profile *p,
                          const struct vtime_op *op, bool to_device)
{
    const int64_t kernel =
        to_device ? p->kernel_reads_bytes_per_s : p->kernel_writes_bytes_per_s;

    if (is_kernel(op) && kernel > 0)
        return kernel;
    return to_device ? p->h2d_bytes_per_s : p->d2h_bytes_per_s;
}

/* The rate of @op if the host's memory were no limit. */
static int64_t link_rate(const struct vgpu_time *time,
                         const struct vtime_op *op)
{
    const struct vgpu_profile *p = vtime_profile_of(time, op);
    bool to_device = op->in.kind == VGPU_TIME_H2D || op->from_host;
    int64_t rate = alone_rate(p, op, to_device);

    if (is_kernel(op) && !op->from_host && !op->to_host)
        return p->peer_bytes_per_s;
    if (op->in.kind == VGPU_TIME_PEER)
        return op->in.peer_direct ? p->peer_bytes_per_s
                                  : p->peer_staged_bytes_per_s;
    if (link_used(time, op->in.device, !to_device))
        rate =
            (int64_t)((vtime_u128)rate * (uint64_t)p->duplex_permille / 1000);
    rate /= link_users(time, op->in.device, to_device);
    if (to_device && kernel_writes_host(time, op->in.device))
        rate = rate * p->beside_writes_permille / 1000;
    if (op->in.pageable)
        rate = min_i64(rate, to_device ? p->pageable_h2d_bytes_per_s
                                       : p->pageable_d2h_bytes_per_s);
    return rate;
}

/* A copy between devices without peer access goes through the host's memory and
 * both reads and writes it. */
static bool reads_host(const struct vtime_op *op)
{
    return op->in.kind == VGPU_TIME_H2D || op->from_host ||
           (op->in.kind == VGPU_TIME_PEER && !op->in.peer_direct);
}

static bool writes_host(const struct vtime_op *op)
{
    return op->in.kind == VGPU_TIME_D2H || op->to_host ||
           (op->in.kind == VGPU_TIME_PEER && !op->in.peer_direct);
}

/* Bytes per second that all copies read from and write to host memory. */
static void host_load(const struct vgpu_time *time, int64_t *reads,
                      int64_t *writes)
{
    *reads = 0;
    *writes = 0;
    for (int i = 0; i < time->copy_count; i++) {
        const struct vtime_op *op = time->copies[i];

        if (reads_host(op))
            *reads += op->copy_rate;
        if (writes_host(op))
            *writes += op->copy_rate;
    }
}

/* Never to nothing: a copy without a rate would never end. */
static void scale(struct vtime_op *op, int64_t limit, int64_t load)
{
    op->copy_rate =
        (int64_t)((vtime_u128)op->copy_rate * (uint64_t)limit / (uint64_t)load);
    if (op->copy_rate < 1)
        op->copy_rate = 1;
}

/* Keep all devices' copies within what the host's memory gives. */
static void share_host_memory(struct vgpu_time *time)
{
    const struct vgpu_profile *p = vtime_host_profile(time);
    int64_t reads;
    int64_t writes;

    host_load(time, &reads, &writes);
    for (int i = 0; i < time->copy_count; i++) {
        struct vtime_op *op = time->copies[i];

        if (reads_host(op) && reads > p->host_h2d_bytes_per_s &&
            (!writes_host(op) || reads >= writes))
            scale(op, p->host_h2d_bytes_per_s, reads);
        else if (writes_host(op) && writes > p->host_d2h_bytes_per_s)
            scale(op, p->host_d2h_bytes_per_s, writes);
    }
    host_load(time, &reads, &writes);
    if (reads == 0 || writes == 0 ||
        reads + writes <= p->host_duplex_bytes_per_s)
        return;
    for (int i = 0; i < time->copy_count; i++) {
        struct vtime_op *op = time->copies[i];

        if (reads_host(op) || writes_host(op))
            scale(op, p->host_duplex_bytes_per_s, reads + writes);
    }
}

/*
 * What follows at once costs less to start. A device that prepares ahead begins
 * to start what is there while it works on something else. Else half of a gap
 * is added, so that a steady trickle of small operations settles at a steady
 * cost.
 */
int64_t vtime_fixed_cost(const struct vgpu_time *time,
                         const struct vtime_op *op, int64_t queued_ns,
                         int64_t idle_ns, int64_t idle_since_ns)
{
    const int64_t gap_ns = time->now_ns - idle_since_ns;

    if (vtime_profile_of(time, op)->prepares_ahead)
        return queued_ns +
               positive(idle_ns - queued_ns - time->now_ns + op->order_ns);
    if (idle_since_ns < 0 || gap_ns / 2 >= idle_ns - queued_ns)
        return idle_ns;
    return queued_ns + gap_ns / 2;
}

/* More, beside copies the other way: to the end, or not for so few bytes. */
static int64_t duplex_cost(const struct vgpu_profile *p,
                           const struct vtime_op *op)
{
    const int64_t rate =
        op->in.kind == VGPU_TIME_H2D ? p->h2d_bytes_per_s : p->d2h_bytes_per_s;
    const vtime_u128 most = (vtime_u128)(uint64_t)op->in.bytes *
                            (uint64_t)p->duplex_fixed_permille * (NANO / 1000) /
                            (uint64_t)rate;

    if (p->duplex_fixed_permille > 0 && most < (uint64_t)p->duplex_fixed_ns)
        return (int64_t)most;
    return p->duplex_fixed_ns;
}

/* A kernel is known to wait for @op. */
static bool kernel_follows(const struct vtime_op *op)
{
    for (const struct vtime_edge *edge = op->edges; edge; edge = edge->next)
        if (is_kernel(edge->to))
            return true;
    return false;
}

/* What @engine needs for @op besides its bytes. */
static int64_t copy_fixed_ns(const struct vgpu_time *time,
                             const struct vtime_op *op,
                             const struct vtime_engine *engine)
{
    const struct vgpu_profile *p = vtime_profile_of(time, op);
    int64_t queued_ns = p->h2d_queued_ns;

    if (op->in.kind != VGPU_TIME_H2D)
        return vtime_fixed_cost(time, op, p->d2h_queued_ns, p->d2h_idle_ns,
                                engine->idle_since_ns) +
               (op->after_engine == VTIME_ENGINE_SM ? p->copy_kernel_ns : 0);
    if (p->h2d_inline_ns > 0 && op->in.bytes <= p->host_inline_bytes &&
        engine->last_stream != op->in.stream)
        queued_ns = min_i64(p->h2d_inline_ns, queued_ns);
    return vtime_fixed_cost(time, op, queued_ns, p->h2d_idle_ns,
                            engine->idle_since_ns) +
           (kernel_follows(op) ? p->copy_kernel_ns : 0);
}

void vtime_copy_start(struct vgpu_time *time, struct vtime_op *op,
                      struct vtime_engine *engine, bool busy_other_way)
{
    const struct vgpu_profile *p = vtime_profile_of(time, op);
    int64_t fixed_ns = copy_fixed_ns(time, op, engine);

    engine->last_stream = op->in.stream;
    if (busy_other_way)
        fixed_ns += duplex_cost(p, op);
    op->state = VTIME_RUNNING;
    op->start_ns = time->now_ns;
    if (p->unit_ns > 0)
        vtime_timers_add(&time->timers, time->now_ns + p->unit_ns,
                         VTIME_TIMER_END, op);
    else
        vtime_timers_add(&time->timers, time->now_ns + fixed_ns,
                         VTIME_TIMER_MOVE, op);
}

/* What all others have moved by now is booked before this one joins and changes
 * their rates. Its own rate comes with the next update. */
void vtime_copy_move(struct vgpu_time *time, struct vtime_op *op)
{
    if (op->in.bytes == 0) {
        vtime_op_end(time, op);
        return;
    }
    vtime_copies_advance(time);
    op->copy_left = (vtime_u128)(uint64_t)op->in.bytes * NANO;
    op->copy_rate = 0;
    time->copies[time->copy_count++] = op;
    time->copies_dirty = true;
}

/* Bytes in both directions move at the same time, and those of the host beside
 * those of other devices: what takes longest counts. */
void vtime_link_start(struct vgpu_time *time, struct vtime_op *op,
                      const struct vgpu_time_work *work)
{
    const struct vgpu_profile *p = vtime_profile_of(time, op);
    uint64_t host =
        work->from_host > work->to_host ? work->from_host : work->to_host;
    uint64_t bytes = host;

    if ((vtime_u128)work->between * (uint64_t)p->h2d_bytes_per_s >
        (vtime_u128)host * (uint64_t)p->peer_bytes_per_s)
        bytes = work->between;
    if (bytes == 0 || p->unit_ns > 0)
        return;
    op->from_host = bytes == host && work->from_host > 0;
    op->to_host = bytes == host && work->to_host > 0;
    vtime_copies_advance(time);
    op->copy_left = (vtime_u128)bytes * NANO;
    op->copy_rate = 0;
    time->copies[time->copy_count++] = op;
    time->copies_dirty = true;
}

/* Copies that are through end in the order in which they started, all at this
 * time. */
void vtime_copies_advance(struct vgpu_time *time)
{
    vtime_u128 elapsed = (uint64_t)(time->now_ns - time->copies_updated_ns);
    int kept = 0;

    time->copies_updated_ns = time->now_ns;
    for (int i = 0; i < time->copy_count; i++) {
        struct vtime_op *op = time->copies[i];
        vtime_u128 moved = elapsed * (uint64_t)op->copy_rate;

        if (moved < op->copy_left) {
            op->copy_left -= moved;
            time->copies[kept++] = op;
        } else {
            op->copy_left = 0;
            if (!is_kernel(op) || op->done_work)
                vtime_op_end(time, op);
            time->copies_dirty = true;
        }
    }
    time->copy_count = kept;
}

/* After any start or end, all rates anew: each copy's share depends on all
 * others. */
void vtime_copies_update(struct vgpu_time *time)
{
    time->copies_dirty = false;
    time->copies_next_ns = VTIME_NEVER;
    for (int i = 0; i < time->copy_count; i++)
        time->copies[i]->copy_rate = link_rate(time, time->copies[i]);
    share_host_memory(time);
    for (int i = 0; i < time->copy_count; i++) {
        const struct vtime_op *op = time->copies[i];
        int64_t end_ns =
            time->now_ns + vtime_div_up(op->copy_left, (uint64_t)op->copy_rate);

        if (end_ns < time->copies_next_ns)
            time->copies_next_ns = end_ns;
    }
}
