/*
 * op_kernel.c: kernels run for real, at once or in parts: those that wait for a
 * flag are gone on with when something has happened.
 */
#include "rt.h"
#include "capture.h"

#include <string.h>

/* Where a sample stands for the grid: what @of came to for all its blocks. */
static uint64_t of_all(const struct vgpu_op *op, uint64_t of)
{
    const uint32_t *grid = op->kernel.exec.grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint64_t ran = op->kernel.exec.sample;

    return ran && ran < blocks ? of / ran * blocks + of % ran * blocks / ran
                               : of;
}

/* As far as a kernel can tell, where its time is not known yet: when it was
 * issued, or what it is behind has ended. */
int64_t vgpu_op_begins_ns(const struct vgpu_op *op)
{
    int64_t ns = vgpu_time_now(vgpu_rt.time);

    if (op->issue_ns > ns)
        ns = op->issue_ns;
    if (op->ahead && op->early == VGPU_EARLY_TRIGGER && op->ahead->seen_ns > ns)
        ns = op->ahead->seen_ns;
    for (int i = 0; i < op->before_count; i++)
        if (op->before[i]->seen_ns > ns)
            ns = op->before[i]->seen_ns;
    return ns;
}

/* What one thread takes, or what some thread has read. */
static int64_t spent_ns(const struct vgpu_op *op,
                        const struct vgpu_exec_result *result)
{
    const struct vgpu_exec *exec = &op->kernel.exec;
    const double threads = (double)exec->grid[0] * exec->grid[1] *
                           exec->grid[2] * exec->block[0] * exec->block[1] *
                           exec->block[2];
    const int64_t each = (int64_t)((double)result->ops / threads *
                                   exec->ticks_per_op * exec->ns_per_tick);

    return each > result->read_ns ? each : result->read_ns;
}

/* The last blocks to begin are the last to let others. */
static int trigger_of(const struct vgpu_op *op, uint32_t permille)
{
    const struct vgpu_exec *exec = &op->kernel.exec;
    const uint64_t blocks =
        (uint64_t)exec->grid[0] * exec->grid[1] * exec->grid[2];
    const uint64_t most = exec->sms;

    if (permille >= 1000)
        return 0;
    if (blocks > most)
        permille =
            (uint32_t)(((blocks - most) * 1000 + permille * most) / blocks);
    return permille ? (int)permille : 1;
}

/* A fault ends the contexts of all devices of the process: from then on kernels
 * do nothing and calls return the error (guide, "Error Checking"). */
static bool kernel_do(struct vgpu_op *op, bool *moved, bool *is_fine)
{
    struct vgpu_exec_result result;
    static const cudaError_t codes[] = {
        [VGPU_EXEC_OK] = cudaSuccess,
        [VGPU_EXEC_ILLEGAL_ADDRESS] = cudaErrorIllegalAddress,
        [VGPU_EXEC_ASSERT] = cudaErrorAssert,
        [VGPU_EXEC_TRAP] = cudaErrorLaunchFailure,
        [VGPU_EXEC_DIVERGENT_BARRIER] = cudaErrorLaunchFailure,
        [VGPU_EXEC_MISALIGNED] = cudaErrorMisalignedAddress,
        [VGPU_EXEC_NO_INSTRUCTION] = cudaErrorIllegalInstruction,
        [VGPU_EXEC_NO_MEMORY] = cudaErrorMemoryAllocation,
    };
    struct vgpu_device *device = &vgpu_rt.devices[op->device];
    enum vgpu_exec_status status;

    *is_fine = false;
    if (device->sticky)
        return true; /* the context is gone */
    status = vgpu_exec_go(&op->kernel.exec, &op->kernel.run, &result, moved);
    if (status == VGPU_EXEC_WAITS) {
        op->kernel.wait_pc = result.pc;
        if (result.is_lost && !op->kernel.lost)
            op->kernel.lost = strdup(result.message);
        else if (vgpu_rt.checking && !result.is_lost)
            vgpu_check_waits(result.pc);
        if (result.at_trigger)
            op->seen_ns = op->kernel.exec.base_ns + result.read_ns;
        return false;
    }
    op->work.ops = of_all(op, result.ops);
    op->work.slots = of_all(op, result.slots);
    op->work.doubles = of_all(op, result.doubles);
    op->work.busy_blocks = of_all(op, result.busy_blocks);
    op->work.trigger_permille = trigger_of(op, result.trigger_permille);
    op->seen_ns = op->kernel.exec.base_ns + spent_ns(op, &result);
    if (result.warning[0])
        vgpu_warn(kernel_warned, op->pc, .reason = result.warning);
    *is_fine = status == VGPU_EXEC_OK && !result.warning[0];
    if (status == VGPU_EXEC_OK)
        return true;
    vgpu_error_fault(op, codes[status]);
    vgpu_warn(kernel_ended, op->pc, .reason = result.message,
              .code = codes[status]);
    return true;
}

/* Kernels that wait for a flag, in the order in which they came to it. */
static struct vgpu_op *waiting;

static struct vgpu_op **waiting_find(const struct vgpu_op *op)
{
    struct vgpu_op **at = &waiting;

    while (*at && *at != op)
        at = &(*at)->kernel.next_waiting;
    return at;
}

static void waiting_add(struct vgpu_op *op)
{
    struct vgpu_op **at = waiting_find(op);

    if (!*at)
        *at = vgpu_op_ref(op);
}

static void waiting_remove(struct vgpu_op *op)
{
    struct vgpu_op **at = waiting_find(op);

    if (!*at)
        return;
    *at = op->kernel.next_waiting;
    op->kernel.next_waiting = NULL;
    vgpu_op_unref(op);
}

struct vgpu_op *vgpu_op_waiting(void)
{
    return waiting;
}

/* ---- room for blocks that wait --------------------------------------------
 *
 * A block that waits keeps its place. So others of its grid, and those of other
 * kernels, have what is left; and a cooperative grid begins when there is room
 * for all of it.
 */

int64_t vgpu_op_blocks(const struct vgpu_op *op)
{
    const uint32_t *const grid = op->kernel.exec.grid;

    return (int64_t)grid[0] * grid[1] * grid[2];
}

static int64_t room_of(const struct vgpu_op *op)
{
    const int64_t resident = vgpu_op_resident(op);
    int64_t room = resident;

    for (const struct vgpu_op *w = waiting; w; w = w->kernel.next_waiting) {
        const int64_t all = vgpu_op_resident(w);
        int64_t blocks = vgpu_op_blocks(w);

        if (w == op || w->device != op->device || w->kernel.no_room || !all)
            continue;
        if (blocks > (int64_t)w->kernel.exec.room)
            blocks = (int64_t)w->kernel.exec.room;
        room -= (blocks * resident + all - 1) / all;
    }
    return room > 1 ? room : 1;
}

/* Return: false where it cannot begin, or not yet. */
static bool find_room(struct vgpu_op *op)
{
    struct vgpu_exec *const exec = &op->kernel.exec;

    exec->room = (uint64_t)room_of(op);
    op->kernel.no_room = exec->cooperative && !op->kernel.run &&
                         !vgpu_rt.devices[op->device].sticky &&
                         vgpu_op_blocks(op) > (int64_t)exec->room &&
                         vgpu_op_blocks(op) <= vgpu_op_resident(op);
    return !op->kernel.no_room;
}

/* ---- kernels that wait for what other kernels write ------------------------
 *
 * What is pending is done for real when somebody asks, and so before its turn
 * in virtual time. A kernel that has read what another wrote, which nothing
 * orders, may have had it too early: it goes on waiting until the writer has
 * begun there. Where the device has no room for that, both wait for ever, as on
 * a GPU. Only the checker knows who wrote. Of several writers one is enough:
 * which of them it waited for is not known.
 */

static struct vgpu_op *running; /* the innermost */

static struct vgpu_op *find_reader(uint64_t id)
{
    struct vgpu_op *op = waiting;

    if (running && running->time_id == id)
        return running;
    while (op && op->time_id != id)
        op = op->kernel.next_waiting;
    return op;
}

static void met(uint64_t reader, uint64_t pc, uint64_t writer)
{
    struct vgpu_op *const op = find_reader(reader);
    int *count;

    if (!op || op->kernel.is_over)
        return;
    count = &op->kernel.writer_count;
    op->kernel.wait_pc = pc;
    if (*count < VGPU_WRITERS)
        op->kernel.writers[*count] = writer;
    ++*count;
}

void vgpu_op_watch_writers(void)
{
    vgpu_check_set_met(met);
}

/* Has none of those begun that it waits for? */
static bool is_early(const struct vgpu_op *op)
{
    if (!op->kernel.writer_count || op->kernel.writer_count > VGPU_WRITERS ||
        vgpu_rt.devices[op->device].sticky)
        return false;
    for (int i = 0; i < op->kernel.writer_count; i++)
        if (vgpu_time_begun(vgpu_rt.time, op->kernel.writers[i]))
            return false;
    return true;
}

/* It has run: does it wait all the same? */
static bool leave(struct vgpu_op *op)
{
    op->kernel.is_over = true;
    if (is_early(op)) {
        waiting_add(op);
        return false;
    }
    waiting_remove(op);
    return true;
}

/* All blocks of @op let it, and wait meanwhile. */
static void begin_dependent(struct vgpu_op *op)
{
    struct vgpu_op *next = op->kernel.dependent;
    bool moved = false;

    if (!next || next->done || next->kernel.run)
        return;
    vgpu_op_ref(next);
    if (vgpu_op_do(next, &moved))
        vgpu_op_drop_before(next);
    vgpu_op_unref(next);
}

/* Begun again where it waited. Return: false where it waits (again). */
bool vgpu_op_kernel_go(struct vgpu_op *op, bool *moved)
{
    const struct vgpu_traffic *traffic;
    struct vgpu_op *const outer = running;
    bool is_over, is_fine;
    uint64_t bytes;

    if (op->kernel.is_over)
        return leave(op);
    if (!find_room(op)) {
        waiting_add(op);
        return false;
    }
    if (!op->kernel.run && !vgpu_rt.devices[op->device].sticky) {
        vgpu_progress_kernel();
        if (vgpu_repeat_begin(op))
            return true;
    }
    vgpu_run_enter(op->run);
    vgpu_beside_over(op);
    if (!op->kernel.run)
        op->kernel.exec.base_ns = vgpu_op_begins_ns(op);
    if (op->kernel.run)
        vgpu_check_op_resume(op->check, op->device);
    else
        vgpu_check_op_begin(op->check, op->device);
    running = op;
    is_over = kernel_do(op, moved, &is_fine);
    if (!is_over && op->kernel.exec.let_go && !op->kernel.lets_go) {
        vgpu_check_op_pause(op->check);
        if (op->seen_ns)
            begin_dependent(op);
        op->kernel.lets_go = true;
        vgpu_check_op_resume(op->check, op->device);
        is_over = kernel_do(op, moved, &is_fine);
    }
    if (!is_over) {
        vgpu_repeat_end(op, false);
        vgpu_check_op_pause(op->check);
        running = outer;
        waiting_add(op);
        return false;
    }
    vgpu_check_op_end(op->check, &bytes);
    running = outer;
    traffic = vgpu_check_op_traffic(op->check);
    op->work.bytes = of_all(op, bytes);
    op->work.from_host = of_all(op, traffic->from_host);
    op->work.to_host = of_all(op, traffic->to_host);
    op->work.between = of_all(op, traffic->between);
    vgpu_repeat_end(op, is_fine);
    return leave(op);
}

/* What the host did before it made them look again is known to them. */
bool vgpu_op_resume(struct vgpu_thread *thread)
{
    struct vgpu_clock *clock;
    struct vgpu_op *op, *next;
    bool any = false;

    if (!waiting)
        return false;
    clock = vgpu_clock_snapshot(thread->agent);
    for (op = waiting; op; op = next) {
        bool moved = false;

        next = op->kernel.next_waiting;
        if (op->ahead && !vgpu_beside_over(op))
            continue;
        if (!op->kernel.is_over)
            vgpu_check_op_learn(op->check, clock);
        vgpu_op_ref(op);
        if (vgpu_op_do(op, &moved))
            vgpu_op_drop_before(op);
        any = any || moved || op->done;
        vgpu_op_unref(op);
    }
    vgpu_clock_release(clock);
    return any;
}
