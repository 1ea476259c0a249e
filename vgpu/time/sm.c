/*
 * sm.c: kernels on the SMs, and what moves bytes within device memory.
 *
 * Blocks are placed by the leftover policy: kernels in order of priority,
 * then of arrival; a later kernel's blocks get what an earlier one that has
 * all its blocks placed leaves free. A kernel runs in phases: as many full
 * waves as it can with the blocks it has resident, then the rest as a last
 * wave, which leaves room. A waiting kernel of higher priority gets its
 * place when the current wave ends, for blocks are not interrupted.
 *
 * The work left is one number, in units of which the whole kernel has
 * max(ops, bytes) * UNITS, so that it loses no precision whichever limits.
 * Rates: by resident threads, by the SMs that have a block, by all SMs
 * together and by device memory, shared in proportion (SMs) or evenly
 * (memory). Threads begin to wait for each other before an SM is full, and
 * where no block waits for their place, those that end early leave gaps.
 */
#include "model.h"

#include <math.h>
#include <stddef.h>

#define FINE     (UINT64_C(1) << 20)
#define UNITS    (1000 * FINE) /* per operation or byte */
#define WORK_MAX (UINT64_C(1) << 56)
#define MEGA     UINT64_C(1000000)

/* One SM by itself draws at most so many times its share of the memory. */
#define SM_MEMORY_SHARES 2

static uint64_t work_size(const struct vtime_grid *grid)
{
    return grid->ops > grid->bytes ? grid->ops : grid->bytes;
}

static bool is_kernel(const struct vtime_op *op)
{
    return op->in.kind == VGPU_TIME_KERNEL;
}

/* Blocks not finished, those under way included. */
static int64_t blocks_left(const struct vtime_op *op)
{
    const struct vtime_grid *grid = &op->grid;
    int64_t blocks;

    if (!grid->placed)
        return grid->blocks;
    if (grid->per_block == 0)
        return grid->left > 0;
    blocks = vtime_div_up(grid->left, grid->per_block);
    return min_i64(blocks, grid->blocks);
}

static void add_blocks(struct vtime_block *sum, const struct vtime_block *block,
                       int64_t count)
{
    sum->blocks += count * block->blocks;
    sum->threads += count * block->threads;
    sum->regs += count * block->regs;
    sum->shared_bytes += count * block->shared_bytes;
}

static int64_t fits(int64_t capacity, int64_t used, int64_t each)
{
    if (each == 0)
        return INT64_MAX;
    return capacity > used ? (capacity - used) / each : 0;
}

/* Blocks like @block that one SM with @used in use still holds. */
static int64_t fits_on_sm(const struct vgpu_profile *p,
                          const struct vtime_block *used,
                          const struct vtime_block *block)
{
    int64_t n = fits(p->max_blocks_per_sm, used->blocks, 1);

    n = min_i64(n, fits(p->max_threads_per_sm, used->threads, block->threads));
    n = min_i64(n, fits(p->regs_per_sm, used->regs, block->regs));
    return min_i64(n, fits(p->shared_per_sm_bytes, used->shared_bytes,
                           block->shared_bytes));
}

/* What one of @blocks takes, rather too much than too little. */
static int64_t mean_of(int64_t sum, int64_t blocks)
{
    return (int64_t)div_up((uint64_t)sum, (uint64_t)blocks);
}

/*
 * Blocks like @block that @device still holds. A kernel's blocks are taken to
 * be spread evenly: so many on every SM, and one more on some. Those come to
 * lie on SMs of their own as long as there are enough; else an average of
 * them is taken.
 */
static int64_t free_slots(const struct vtime_device *device,
                          const struct vtime_block *block)
{
    const struct vgpu_profile *p = &device->profile;
    struct vtime_block all = {0, 0, 0, 0};
    struct vtime_block extra = {0, 0, 0, 0};
    struct vtime_block mean;
    int64_t on_some;
    int64_t free_count = 0;

    for (const struct vtime_op *op = device->pool.first; op;
         op = op->grid.next) {
        add_blocks(&all, &op->grid.block, op->grid.slots / p->sms);
        add_blocks(&extra, &op->grid.block, op->grid.slots % p->sms);
    }
    if (extra.blocks == 0)
        return p->sms * fits_on_sm(p, &all, block);
    mean = (struct vtime_block){
        .blocks = 1,
        .threads = mean_of(extra.threads, extra.blocks),
        .regs = mean_of(extra.regs, extra.blocks),
        .shared_bytes = mean_of(extra.shared_bytes, extra.blocks),
    };
    add_blocks(&all, &mean, extra.blocks / p->sms);
    on_some = extra.blocks % p->sms;
    free_count = (p->sms - on_some) * fits_on_sm(p, &all, block);
    add_blocks(&all, &mean, 1);
    return free_count + on_some * fits_on_sm(p, &all, block);
}

/* By priority, and behind those of its own priority: placement goes from the
 * front. */
static void list_insert(struct vtime_pool *pool, struct vtime_op *op)
{
    struct vtime_op *after = pool->last;

    while (after && after->in.priority > op->in.priority)
        after = after->grid.prev;
    op->grid.prev = after;
    op->grid.next = after ? after->grid.next : pool->first;
    if (op->grid.next)
        op->grid.next->grid.prev = op;
    else
        pool->last = op;
    if (after)
        after->grid.next = op;
    else
        pool->first = op;
}

static void list_remove(struct vtime_pool *pool, struct vtime_op *op)
{
    if (op->grid.prev)
        op->grid.prev->grid.next = op->grid.next;
    else
        pool->first = op->grid.next;
    if (op->grid.next)
        op->grid.next->grid.prev = op->grid.prev;
    else
        pool->last = op->grid.prev;
}

static void set_work(struct vtime_grid *grid, uint64_t ops, uint64_t bytes)
{
    grid->ops = ops < WORK_MAX ? ops : WORK_MAX;
    grid->bytes = bytes < WORK_MAX ? bytes : WORK_MAX;
    grid->left = (vtime_u128)work_size(grid) * UNITS;
    grid->phase_end = 0;
}

/* Copies within the device and memsets have no blocks: they take memory's rate
 * and leave the SMs alone. A copy reads and writes, so that it moves its bytes
 * twice. */
void vtime_pool_add(struct vgpu_time *time, struct vtime_op *op)
{
    struct vtime_device *device = &time->devices[op->in.device];
    const struct vgpu_profile *p = &device->profile;
    uint64_t bytes = (uint64_t)op->in.bytes;

    vtime_pool_advance(time, device);
    list_insert(&device->pool, op);
    device->pool.dirty = true;
    if (is_kernel(op)) {
        op->grid.blocks = op->in.blocks;
        op->grid.block =
            vtime_block_of(p, op->in.threads_per_block, op->in.regs_per_thread,
                           op->in.shared_per_block_bytes);
        op->grid.max_blocks =
            p->sms * vgpu_time_blocks_per_sm(p, op->in.threads_per_block,
                                             op->in.regs_per_thread,
                                             op->in.shared_per_block_bytes);
        return;
    }
    op->grid.placed = true;
    if (op->in.kind == VGPU_TIME_D2D) {
        set_work(&op->grid, 0, 2 * bytes);
        op->grid.byte_limit = 2 * p->d2d_bytes_per_s;
    } else {
        set_work(&op->grid, 0, bytes);
        op->grid.byte_limit = p->memory_bytes_per_s;
    }
}

/*
 * Operations of the text and instructions of math functions take turns on the
 * same SM, each at its own rate: all become operations, as many as take as
 * long.
 */
static uint64_t all_ops(const struct vgpu_profile *p,
                        const struct vgpu_time_work *work)
{
    vtime_u128 slots =
        work->slots + (vtime_u128)work->doubles * (uint64_t)p->double_slots;
    vtime_u128 ops = work->ops + slots * (uint64_t)p->sm_ops_per_us /
                                     (uint64_t)p->sm_slots_per_us;

    return ops < WORK_MAX ? (uint64_t)ops : WORK_MAX;
}

/* Blocks that have nothing to do end at once, and make room. */
static void learn_blocks(struct vtime_op *op, uint64_t busy)
{
    struct vtime_grid *grid = &op->grid;

    grid->blocks = op->in.blocks;
    if (busy > 0 && busy < (uint64_t)op->in.blocks)
        grid->blocks = (int64_t)busy;
    grid->slots = min_i64(grid->slots, grid->blocks);
}

/* While it is open, the blocks that are placed hold their slots. */
static void learn_work(struct vgpu_time *time, struct vtime_op *op,
                       const struct vgpu_time_work *work)
{
    const struct vgpu_profile *p = vtime_profile_of(time, op);

    uint64_t ops = work->open ? 1 : all_ops(p, work);

    /* To begin takes time, too. */
    if (ops == 0 && p->blocks_per_us > 0)
        ops = 1;
    op->grid.open = work->open;
    learn_blocks(op, work->busy_blocks);
    op->grid.in_l2 =
        p->l2_bytes_per_s > 0 && work->bytes <= (uint64_t)p->l2_bytes;
    set_work(&op->grid, ops, work->bytes);
    op->grid.per_block =
        work->open ? 0 : op->grid.left / (uint64_t)op->grid.blocks;
    op->grid.trigger =
        op->grid.left * (uint64_t)(1000 - work->trigger_permille) / 1000;
    if (!work->trigger_permille || work->open)
        op->grid.trigger = 0;
    if (!work->open)
        vtime_link_start(time, op, work);
}

/* The first block of @op is about to run: learn what it has to do. */
static void place_first(struct vgpu_time *time, struct vtime_op *op)
{
    struct vgpu_time_work work = {0};

    op->grid.placed = true;
    op->start_ns = time->now_ns - op->grid.fixed_ns;
    time->work(time->arg, op->in.user, &work);
    learn_work(time, op, &work);
}

/* When, in work left, the number of resident blocks changes next, or none waits
 * any more where that makes a difference. */
static void set_phase(const struct vgpu_profile *p, struct vtime_op *op)
{
    struct vtime_grid *grid = &op->grid;
    int64_t left = blocks_left(op), last;

    grid->phase_end = 0;
    if (left > grid->slots) {
        last = left % grid->slots;
        if (last == 0 && p->sm_knee_permille < 1000)
            last = grid->slots;
        grid->phase_end = (uint64_t)last * grid->per_block;
    }
    if (grid->trigger < grid->left && grid->trigger > grid->phase_end)
        grid->phase_end = grid->trigger;
}

/* What has come so far that others who wait for that may begin (queues.c). */
static void note_reached(struct vtime_device *device)
{
    for (struct vtime_op *op = device->pool.first; op; op = op->grid.next) {
        const struct vtime_grid *grid = &op->grid;

        if (!is_kernel(op) || !grid->placed)
            continue;
        if (grid->open ? grid->slots >= op->in.blocks
                       : blocks_left(op) <= grid->slots)
            op->reached |= VGPU_EARLY_BEGUN;
        if (!grid->open && grid->trigger && grid->left <= grid->trigger)
            op->reached |= VGPU_EARLY_TRIGGER;
    }
}

void vtime_pool_work(struct vgpu_time *time, struct vtime_op *op,
                     const struct vgpu_time_work *work)
{
    struct vtime_device *device = &time->devices[op->in.device];

    vtime_pool_advance(time, device);
    learn_work(time, op, work);
    set_phase(&device->profile, op);
    device->pool.dirty = true;
}

/* Let @op give up its slots at the end of its current wave. */
static void cut_waves(struct vtime_op *op)
{
    struct vtime_grid *grid = &op->grid;
    vtime_u128 wave = (uint64_t)grid->slots * grid->per_block;

    if (wave == 0 || grid->left <= grid->phase_end + wave)
        return;
    grid->phase_end += (grid->left - grid->phase_end - 1) / wave * wave;
}

/* Return: whether blocks of @op still wait for a slot. */
static bool place_blocks(struct vgpu_time *time, struct vtime_device *device,
                         struct vtime_op *op)
{
    struct vtime_grid *grid = &op->grid;
    int64_t left = blocks_left(op);
    int64_t want = min_i64(left, grid->max_blocks) - grid->slots;
    int64_t give = min_i64(want, free_slots(device, &grid->block));

    if (give > 0) {
        grid->slots += give;
        if (!grid->placed) {
            place_first(time, op);
            left = blocks_left(op);
        }
        set_phase(&device->profile, op);
    }
    return left > grid->slots;
}

/* End what has no work left. Return: whether there was such. */
static bool end_finished(struct vgpu_time *time, struct vtime_device *device)
{
    struct vtime_op *op = device->pool.first;
    bool any = false;

    while (op) {
        struct vtime_op *next = op->grid.next;

        if (op->grid.placed && op->grid.left == 0) {
            op->grid.slots = 0;
            list_remove(&device->pool, op);
            op->done_work = true;
            if (op->copy_left == 0)
                vtime_op_end(time, op);
            any = true;
        }
        op = next;
    }
    return any;
}

/* As soon as one kernel's blocks must wait, no later one's are placed: blocks
 * do not overtake. Kernels of lower priority that run are then cut to their
 * current wave. */
static void place_all(struct vgpu_time *time, struct vtime_device *device)
{
    bool blocked = false;
    int priority = 0;

    for (struct vtime_op *op = device->pool.first; op; op = op->grid.next) {
        if (!is_kernel(op))
            continue;
        if (!blocked) {
            blocked = place_blocks(time, device, op);
            priority = op->in.priority;
        } else if (op->in.priority > priority && op->grid.slots > 0) {
            cut_waves(op);
        }
    }
}

/*
 * What @threads, the rate of so many threads if none hindered another, comes to
 * on SMs of the rate @full: the smaller of both where blocks wait for their
 * place. Else near it, and below it where they are alike. The curve is the one
 * of t*r*r - (threads + full)*r + threads*full = 0, whose t is 1 where it has a
 * sharp knee; k is the knee. One operation of floating point alone, and that is
 * exact to the last bit on every machine.
 */
static int64_t rate_of(const struct vgpu_profile *p, int64_t threads,
                       int64_t full, bool waited_for)
{
    const int64_t k = p->sm_knee_permille, t = (2 * k - 1000) * 1000;
    const vtime_u128 sum = (vtime_u128)(uint64_t)threads + (uint64_t)full;
    vtime_u128 left;

    if (k == 1000 || waited_for)
        return min_i64(threads, full);
    left = sum * sum - (vtime_u128)(uint64_t)threads * (uint64_t)full * 4 *
                           (uint64_t)t / (uint64_t)(k * k);
    return (int64_t)((sum - (uint64_t)sqrt((double)left)) * (uint64_t)(k * k) /
                     (uint64_t)(2 * t));
}

/* Some block has yet to find a place. */
static bool blocks_wait(const struct vtime_pool *pool)
{
    for (const struct vtime_op *op = pool->first; op; op = op->grid.next)
        if (is_kernel(op) && !op->grid.open && blocks_left(op) > op->grid.slots)
            return true;
    return false;
}

/* What device memory or the L2 cache gives the kernel @op. */
static int64_t byte_limit_of(const struct vgpu_profile *p,
                             const struct vtime_op *op, int64_t sms)
{
    const int64_t most =
        op->grid.in_l2 ? p->l2_bytes_per_s : p->memory_bytes_per_s;

    return min_i64(most, SM_MEMORY_SHARES * most / p->sms * sms);
}

/* Operations per microsecond, by resident threads and SMs. */
static void share_sms(struct vtime_device *device)
{
    const struct vgpu_profile *p = &device->profile;
    struct vtime_pool *pool = &device->pool;
    const bool waited_for = p->sm_knee_permille < 1000 && blocks_wait(pool);
    int64_t capacity;
    int64_t sum = 0, threads = 0;

    for (struct vtime_op *op = pool->first; op; op = op->grid.next) {
        struct vtime_grid *grid = &op->grid;
        int64_t sms = min_i64(grid->slots, p->sms);

        grid->ops_rate = 0;
        if (!is_kernel(op) || grid->open)
            continue;
        grid->byte_limit = byte_limit_of(p, op, sms);
        if (grid->ops == 0)
            continue;
        grid->ops_rate =
            grid->slots * op->in.threads_per_block * p->thread_ops_per_us;
        threads += grid->ops_rate;
        grid->ops_rate =
            rate_of(p, grid->ops_rate, sms * p->sm_ops_per_us, waited_for);
        sum += grid->ops_rate;
    }
    capacity = rate_of(p, threads, p->sms * p->sm_ops_per_us, waited_for);
    if (sum <= capacity)
        return;
    for (struct vtime_op *op = pool->first; op; op = op->grid.next) {
        struct vtime_grid *grid = &op->grid;

        if (grid->ops_rate > 0)
            grid->ops_rate = (int64_t)((vtime_u128)grid->ops_rate *
                                       (uint64_t)capacity / (uint64_t)sum);
        if (grid->ops_rate == 0 && grid->ops > 0 && grid->slots > 0)
            grid->ops_rate = 1;
    }
}

/* Bytes per second that @op would move if memory were no limit. */
static int64_t byte_demand(struct vtime_grid *grid)
{
    vtime_u128 demand;

    grid->byte_limited = false;
    if (grid->bytes == 0 || grid->open)
        return 0;
    if (grid->ops > 0) {
        demand = (vtime_u128)(uint64_t)grid->ops_rate * MEGA * grid->bytes /
                 grid->ops;
        if (demand <= (uint64_t)grid->byte_limit)
            return (int64_t)demand;
    }
    grid->byte_limited = true;
    return grid->byte_limit;
}

/* Split the rate of the memory, or of the L2 cache: who asks for less than an
 * even share gets it. Copies within it may get more than any kernel. */
static void share_memory(struct vtime_device *device, bool l2)
{
    const struct vgpu_profile *p = &device->profile;
    struct vtime_pool *pool = &device->pool;
    const int64_t copies = 2 * p->d2d_bytes_per_s;
    const int64_t memory =
        copies > p->memory_bytes_per_s ? copies : p->memory_bytes_per_s;
    int64_t free_rate = l2 ? p->l2_bytes_per_s : memory;
    int64_t users = 0;
    int64_t sum = 0;
    bool found = true;

    for (struct vtime_op *op = pool->first; op; op = op->grid.next) {
        if (op->grid.in_l2 != l2)
            continue;
        op->grid.byte_rate = -byte_demand(&op->grid); /* not served */
        sum -= op->grid.byte_rate;
        users += op->grid.byte_rate < 0;
    }
    if (sum <= free_rate)
        users = 0;
    while (users > 0 && found) {
        int64_t share = free_rate / users;

        found = false;
        for (struct vtime_op *op = pool->first; op; op = op->grid.next) {
            if (op->grid.in_l2 != l2 || op->grid.byte_rate >= 0 ||
                -op->grid.byte_rate > share)
                continue;
            op->grid.byte_rate = -op->grid.byte_rate;
            free_rate -= op->grid.byte_rate;
            users--;
            found = true;
        }
    }
    for (struct vtime_op *op = pool->first; op; op = op->grid.next) {
        if (op->grid.in_l2 != l2 || op->grid.byte_rate >= 0)
            continue;
        op->grid.byte_limited |= users > 0;
        op->grid.byte_rate =
            users > 0 ? free_rate / users : -op->grid.byte_rate;
    }
}

/* Work units per ns, from the rate that limits: of memory, of SMs, or of blocks
 * that begin. */
static void set_rate(const struct vgpu_profile *p, struct vtime_grid *grid)
{
    const vtime_u128 begin =
        grid->per_block * (uint64_t)p->blocks_per_us / 1000;
    uint64_t size = work_size(grid);

    if (grid->byte_limited)
        grid->rate = (vtime_u128)(uint64_t)grid->byte_rate * FINE * size /
                     ((vtime_u128)grid->bytes * MEGA);
    else
        grid->rate =
            (vtime_u128)(uint64_t)grid->ops_rate * FINE * size / grid->ops;
    if (begin > 0 && grid->rate > begin)
        grid->rate = begin;
    if (grid->rate == 0)
        grid->rate = 1;
}

static void set_rates(struct vgpu_time *time, struct vtime_device *device)
{
    struct vtime_pool *pool = &device->pool;

    share_sms(device);
    share_memory(device, false);
    if (device->profile.l2_bytes_per_s > 0)
        share_memory(device, true);
    pool->next_ns = VTIME_NEVER;
    for (struct vtime_op *op = pool->first; op; op = op->grid.next) {
        struct vtime_grid *grid = &op->grid;

        grid->rate = 0;
        grid->end_ns = VTIME_NEVER;
        if (!grid->placed || grid->open || (is_kernel(op) && grid->slots == 0))
            continue;
        set_rate(&device->profile, grid);
        grid->end_ns = time->now_ns +
                       vtime_div_up(grid->left - grid->phase_end, grid->rate);
        if (grid->end_ns < pool->next_ns)
            pool->next_ns = grid->end_ns;
    }
}

/* Work is accounted at the rate that held since the last look; rates change
 * only in vtime_pool_update, which every change leads to. */
void vtime_pool_advance(struct vgpu_time *time, struct vtime_device *device)
{
    struct vtime_pool *pool = &device->pool;
    uint64_t elapsed = (uint64_t)(time->now_ns - pool->updated_ns);

    pool->updated_ns = time->now_ns;
    if (elapsed == 0)
        return;
    for (struct vtime_op *op = pool->first; op; op = op->grid.next) {
        struct vtime_grid *grid = &op->grid;

        if (grid->rate == 0)
            continue;
        if (time->now_ns < grid->end_ns) {
            grid->left -= grid->rate * elapsed;
            continue;
        }
        grid->left = grid->phase_end;
        grid->slots = 0;
        grid->rate = 0;
        pool->dirty = true;
    }
}

/* Ends free room for blocks, and a kernel without work ends as soon as it is
 * placed: so both are repeated until no more end. */
void vtime_pool_update(struct vgpu_time *time, struct vtime_device *device)
{
    vtime_pool_advance(time, device);
    device->pool.dirty = false;
    do {
        end_finished(time, device);
        place_all(time, device);
    } while (end_finished(time, device));
    note_reached(device);
    set_rates(time, device);
}
