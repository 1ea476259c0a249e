/*
 * op.c: operations: made, put in order, and done for real as late as the rules
 * allow.
 *
 * An operation is told to three parties when it is enqueued: its stream, whose
 * newest one it becomes; the checker, which notes after whom it is ordered; and
 * the time model, which works out when it starts and ends. Nothing is copied
 * and no kernel runs then. That happens when somebody must know: a host thread
 * that waits, a query that says "done", the time model that asks for a kernel's
 * cost.
 *
 * So a program that reads a result too early finds what was there before, in
 * every run, and not only when it is unlucky. For the same reason, of
 * operations that nothing orders, the one enqueued last is done first
 * (next_before).
 */
#include "copy.h"
#include "capture.h"
#include "pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The time model must not be called from within its own question, and to free
 * an operation is to release it there. */
static struct vgpu_op *retired; /* to be freed by vgpu_op_sweep */

/* Whose predecessors have @gathering as their mark (vgpu_op_after). */
static const struct vgpu_op *gathers;
static uint64_t gathering;
static uint64_t replaced; /* predecessors, by others (vgpu_op_instead) */

/* So many predecessors are looked at each time. */
enum { FEW = 16 };

/* Enqueued and not done, in the order of enqueueing. */
static struct vgpu_op *oldest, *newest;

static void pending_add(struct vgpu_op *op)
{
    vgpu_rt.pending++;
    if (op->kind == VGPU_OP_HOST) {
        vgpu_rt.host_functions++;
        vgpu_go_on_watch();
    }
    op->previous_pending = newest;
    if (newest)
        newest->next_pending = op;
    else
        oldest = op;
    newest = op;
}

static void pending_remove(struct vgpu_op *op)
{
    vgpu_rt.pending--;
    vgpu_rt.host_functions -= op->kind == VGPU_OP_HOST;
    if (op->previous_pending)
        op->previous_pending->next_pending = op->next_pending;
    else
        oldest = op->next_pending;
    if (op->next_pending)
        op->next_pending->previous_pending = op->previous_pending;
    else
        newest = op->previous_pending;
    op->next_pending = NULL;
    op->previous_pending = NULL;
}

struct vgpu_op *vgpu_op_oldest(void)
{
    return oldest;
}

bool vgpu_op_works(void)
{
    const struct vgpu_op *op = oldest;

    while (op && (op->kind == VGPU_OP_MARK || op->kind == VGPU_OP_ALLOC ||
                  op->kind == VGPU_OP_FREE))
        op = op->next_pending;
    return op != NULL;
}

struct vgpu_op *vgpu_op_new(enum vgpu_op_kind kind)
{
    struct vgpu_op *op = calloc(1, sizeof *op);

    if (!op)
        return NULL;
    op->kind = kind;
    op->refs = 1;
    return op;
}

struct vgpu_op *vgpu_op_ref(struct vgpu_op *op)
{
    if (op)
        op->refs++;
    return op;
}

static void op_free(struct vgpu_op *op)
{
    if (gathers == op)
        gathers = NULL;
    if (op == oldest || op->previous_pending)
        pending_remove(op);
    vgpu_check_loan_end(op);
    if (op->kind == VGPU_OP_COPY)
        vgpu_captured_give(op->copy.captured, &op->copy.extent);
    if (op->kind == VGPU_OP_KERNEL && op->kernel.exec.closure)
        op->kernel.exec.body->drop(op->kernel.exec.closure);
    if (op->time_id)
        vgpu_time_release(vgpu_rt.time, op->time_id);
    if (op->check && !op->check_lent)
        vgpu_check_op_free(op->check);
    vgpu_run_unref(op->run);
    free(op->before);
    free(op);
}

/* Predecessors are dropped when an operation is done, so that a chain never
 * frees itself recursively, unless it dies undone at exit. */
void vgpu_op_unref(struct vgpu_op *op)
{
    while (op && --op->refs == 0) {
        struct vgpu_op *next = NULL;

        for (int i = 0; i < op->before_count; i++) {
            if (!next)
                next = op->before[i];
            else
                vgpu_op_unref(op->before[i]);
        }
        if (op->ahead)
            vgpu_beside_drop(op);
        op_free(op);
        op = next;
    }
}

/* Few operations have more than a handful of predecessors, but the end of a
 * graph may have a hundred thousand: each of them has a mark while they are
 * gathered. */
cudaError_t vgpu_op_after(struct vgpu_op *op, struct vgpu_op *before)
{
    if (!before)
        return cudaSuccess;
    if (gathers != op) {
        gathers = op;
        gathering++;
        for (int i = 0; i < op->before_count; i++)
            op->before[i]->gathered = gathering;
    }
    if (before->gathered == gathering)
        return cudaSuccess;
    if (!VGPU_GROW(op->before, (size_t)op->before_count,
                   op->before_count < FEW ? NULL : &op->before_room))
        return cudaErrorMemoryAllocation;
    before->gathered = gathering;
    op->before[op->before_count++] = vgpu_op_ref(before);
    return cudaSuccess;
}

/* Source: guide, "Implicit Synchronization" and "Default Stream": streams made
 * without cudaStreamNonBlocking. A graph's inner streams take no part, or each
 * node of a graph would wait for the default stream. */
static bool stream_blocks(const struct vgpu_stream *stream)
{
    return !stream->inner && !stream->legacy &&
           !(stream->flags & cudaStreamNonBlocking);
}

/* The legacy default stream waits for every blocking stream of its device,
 * and every blocking stream's later work waits for it. */
static cudaError_t add_legacy_order(struct vgpu_op *op,
                                    struct vgpu_stream *stream)
{
    struct vgpu_device *device = &vgpu_rt.devices[stream->device];
    struct vgpu_op *legacy = device->legacy->last;
    cudaError_t error = cudaSuccess;

    if (!stream->legacy) {
        if (!stream_blocks(stream) || !legacy ||
            legacy->seq <= stream->legacy_seen)
            return cudaSuccess;
        stream->legacy_seen = legacy->seq;
        return vgpu_op_after(op, legacy);
    }
    for (struct vgpu_stream *s = device->streams; s && !error; s = s->next)
        if (stream_blocks(s) && s->last &&
            (!legacy || s->last->seq > legacy->seq))
            error = vgpu_op_after(op, s->last);
    return error;
}

/* The checker is told of what CUDA guarantees and of nothing else. Order within
 * a stream it knows by the stream's own clock; each other predecessor's clock
 * is joined in. */
static void tell_checker(struct vgpu_op *op, struct vgpu_stream *stream,
                         const char *what, struct vgpu_call *call)
{
    struct vgpu_actor actor = vgpu_op_actor(op, what);
    char text[VGPU_WHAT];

    if (stream->inner && !stream->is_beside)
        vgpu_actor_of_graph(&actor, call, text);
    for (int i = 0; i < op->promised; i++) {
        struct vgpu_clock *clock;

        if (op->before[i]->time_stream == stream->time_stream)
            continue;
        clock = vgpu_check_op_clock(op->before[i]->check);
        vgpu_agent_join(stream->agent, clock);
        vgpu_clock_release(clock);
    }
    op->check = vgpu_check_enqueue(call->thread->agent, stream->agent, &actor,
                                   call->pc);
}

/* Registers are those of an ordinary kernel: no compiler gives them out. */
static void describe_kernel(const struct vgpu_op *op,
                            struct vgpu_time_op *time_op)
{
    const struct vgpu_exec *exec = &op->kernel.exec;

    time_op->kind = VGPU_TIME_KERNEL;
    time_op->blocks = (int64_t)exec->grid[0] * exec->grid[1] * exec->grid[2];
    time_op->threads_per_block =
        (int)(exec->block[0] * exec->block[1] * exec->block[2]);
    time_op->regs_per_thread = VGPU_REGISTERS;
    time_op->shared_per_block_bytes =
        (int64_t)(exec->dynamic_shared_bytes +
                  vgpu_kernel_static_shared(exec->kernel));
}

/* What has no engine and no cost is a mark. */
static void describe(const struct vgpu_op *op, struct vgpu_time_op *time_op)
{
    switch (op->kind) {
    case VGPU_OP_COPY:
        time_op->kind = op->copy.way;
        time_op->bytes = (int64_t)vgpu_extent_bytes(&op->copy.extent) +
                         op->copy.more_bytes + vgpu_rows_copied(op);
        if (!time_op->bytes)
            time_op->kind = VGPU_TIME_MARK;
        time_op->pageable = op->copy.pageable;
        time_op->peer_device = op->copy.dst.where;
        time_op->peer_direct = op->copy.direct;
        if (op->copy.way == VGPU_TIME_PEER)
            time_op->device = op->copy.src.where;
        break;
    case VGPU_OP_SET:
        time_op->kind = op->set.discard ? VGPU_TIME_MARK : VGPU_TIME_MEMSET;
        time_op->bytes =
            (int64_t)vgpu_extent_bytes(&op->set.extent) + vgpu_rows_set(op);
        break;
    case VGPU_OP_KERNEL:
        describe_kernel(op, time_op);
        break;
    case VGPU_OP_HOST:
        time_op->kind = VGPU_TIME_HOSTFN;
        break;
    case VGPU_OP_BRANCH:
        time_op->kind = VGPU_TIME_BRANCH;
        break;
    default:
        time_op->kind = VGPU_TIME_MARK;
        break;
    }
}

#define DEVICE_ISSUES (-1)

/* Is it asked for its cost, or for what follows from it? */
static bool is_asked(const struct vgpu_op *op)
{
    return op->kind == VGPU_OP_KERNEL || op->kind == VGPU_OP_HOST ||
           op->kind == VGPU_OP_BRANCH;
}

/* What is asked later has a reference of the time model's until then. */
static cudaError_t tell_time(struct vgpu_op *op, struct vgpu_stream *stream,
                             int64_t issue_ns)
{
    struct vgpu_time_op time_op;
    vgpu_time_id few[16];
    vgpu_time_id *after = few;
    int64_t now;

    if (op->before_count > 16)
        after = malloc((size_t)op->before_count * sizeof *after);
    if (!after)
        return cudaErrorMemoryAllocation;
    for (int i = 0; i < op->before_count; i++)
        after[i] = op->before[i]->time_id;

    now = vgpu_time_now(vgpu_rt.time);
    memset(&time_op, 0, sizeof time_op);
    time_op.device = stream->device;
    time_op.stream = stream->time_stream;
    time_op.stream_index = stream->index;
    time_op.priority = op->priority ? op->priority : stream->priority;
    time_op.issue_ns = issue_ns > now ? issue_ns : now;
    time_op.by_device = issue_ns == DEVICE_ISSUES;
    time_op.after = after;
    time_op.after_count = op->before_count;
    op->issue_ns = time_op.issue_ns;
    if (op->ahead) {
        time_op.early = op->ahead->time_id;
        time_op.early_of = op->early;
    }
    time_op.user = op;
    time_op.timed = op->timed;
    describe(op, &time_op);
    if (is_asked(op))
        vgpu_op_ref(op);
    op->time_id = vgpu_time_submit(vgpu_rt.time, &time_op);
    if (vgpu_order.is_kept && op->time_id)
        vgpu_order_op(op, stream, &time_op);
    if (after != few)
        free(after);
    return op->time_id ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void give_place(struct vgpu_op *op, const struct vgpu_stream *stream)
{
    op->time_stream = stream->time_stream;
    op->stream_number = stream->number;
    op->device = stream->device;
    op->seq = ++vgpu_rt.next_op;
}

/* A mark that is no mere record. */
static bool waits_for_others(const struct vgpu_op *op)
{
    for (int i = 0; i < op->before_count; i++)
        if (op->before[i]->time_stream != op->time_stream)
            return true;
    return false;
}

static void enter_stream(struct vgpu_op *op, struct vgpu_stream *stream,
                         const char *what)
{
    vgpu_op_unref(stream->last);
    stream->last = vgpu_op_ref(op);
    if (op->kind != VGPU_OP_MARK || waits_for_others(op)) {
        vgpu_op_unref(stream->kernel);
        stream->kernel = op->kind == VGPU_OP_KERNEL ? vgpu_op_ref(op) : NULL;
    }
    pending_add(op);
    if (vgpu_rt.tracing)
        vgpu_trace_op(op, what);
}

/* The order of steps matters. The time model may refuse, so it comes before the
 * checker, which cannot take anything back; and only what both have taken
 * becomes the stream's last operation. */
cudaError_t vgpu_op_enqueue(struct vgpu_op *op, struct vgpu_stream *stream,
                            const char *what, struct vgpu_call *call)
{
    cudaError_t error;

    if (stream->capture)
        return vgpu_capture_op(op, stream, call);
    if (stream->legacy) {
        error = vgpu_capture_legacy(stream);
        if (error)
            return error;
    }
    call->thread->order.held_ns = -call->thread->now_ns;
    vgpu_go_on_room(op, stream, call);
    call->thread->order.held_ns += call->thread->now_ns;
    give_place(op, stream);
    op->pc = call->pc;
    op->call_id = call->id;
    call->stream = stream;
    vgpu_op_sweep();
    error = vgpu_op_after(op, stream->last);
    if (!error)
        error = add_legacy_order(op, stream);
    op->promised = op->before_count;
    if (!error)
        error = vgpu_load_order(op, stream);
    if (!error)
        error = tell_time(op, stream, call->thread->now_ns);
    if (error)
        return error;
    tell_checker(op, stream, what, call);
    vgpu_check_op_number(op->check, op->order);
    if (op->kind == VGPU_OP_KERNEL)
        vgpu_check_op_kernel_id(op->check, op->time_id);
    if (op->loads && vgpu_rt.checking)
        vgpu_check_loads(op->check);
    enter_stream(op, stream, what);
    if (vgpu_rt.checking)
        vgpu_capture_missed(op, stream, what, call);
    return cudaSuccess;
}

/* No host issues it: the device goes on by itself, at its own time. */
cudaError_t vgpu_op_enqueue_late(struct vgpu_op *op, struct vgpu_stream *stream,
                                 struct vgpu_check_op *check, const char *what)
{
    cudaError_t error;

    give_place(op, stream);
    error = tell_time(op, stream, DEVICE_ISSUES);
    if (error)
        return error;
    for (int i = 0; i < op->before_count; i++) {
        struct vgpu_clock *clock = vgpu_check_op_clock(op->before[i]->check);

        vgpu_check_op_learn(check, clock);
        vgpu_clock_release(clock);
    }
    op->check = check;
    op->check_lent = true;
    enter_stream(op, stream, what);
    return cudaSuccess;
}

cudaError_t vgpu_op_instead(struct vgpu_op *op, struct vgpu_op *before,
                            struct vgpu_op *now)
{
    for (int i = 0; i < op->before_count; i++) {
        if (op->before[i] != before)
            continue;
        gathers = NULL;
        replaced++;
        op->before[i] = vgpu_op_ref(now);
        vgpu_op_unref(before);
        return vgpu_time_after(vgpu_rt.time, op->time_id, now->time_id)
                   ? cudaSuccess
                   : cudaErrorMemoryAllocation;
    }
    return cudaErrorUnknown;
}

cudaError_t vgpu_op_join(struct vgpu_stream *stream, struct vgpu_op *before,
                         const char *what, struct vgpu_call *call)
{
    struct vgpu_op *mark = vgpu_op_new(VGPU_OP_MARK);
    cudaError_t error;

    if (!mark)
        return cudaErrorMemoryAllocation;
    error = vgpu_op_after(mark, before);
    if (!error)
        error = vgpu_op_enqueue(mark, stream, what, call);
    vgpu_op_unref(mark);
    return error;
}

static void memory_do(struct vgpu_op *op)
{
    struct vgpu_memory *memory = op->memory;

    vgpu_check_range(op->check, memory->base, memory->bytes, VGPU_WRITE);
    if (op->kind == VGPU_OP_FREE && (memory->flags & VGPU_MEMORY_PENDING) &&
        memory->owner) {
        vgpu_left_begin(op);
        return;
    }
    vgpu_memory_fresh(memory);
    if (op->kind == VGPU_OP_FREE)
        vgpu_memory_release(memory, op->pc);
}

/* The time model needs it no more. It is not freed inside the model's call. */
static void retire(struct vgpu_op *op)
{
    if (--op->refs)
        return;
    op->refs = 1;
    op->next_retired = retired;
    retired = op;
}

/*
 * A mark only orders, and a host function begins and ends in a thread of its
 * own (host_function.c); for all else the checker is told when an operation
 * touches memory on behalf of a stream, and says afterwards how many bytes it
 * was. Return: false for a kernel that waits for a flag.
 */
bool vgpu_op_do(struct vgpu_op *op, bool *moved)
{
    if (op->kind == VGPU_OP_KERNEL && !vgpu_op_kernel_go(op, moved)) {
        vgpu_go_on_done(op);
        return false;
    }
    pending_remove(op);
    op->done = true;
    if (op->kind != VGPU_OP_KERNEL)
        op->seen_ns = vgpu_op_begins_ns(op);
    switch (op->kind) {
    case VGPU_OP_MARK:
        return true;
    case VGPU_OP_BRANCH:
        vgpu_branch_do(op);
        return true;
    case VGPU_OP_KERNEL:
        if (op->kernel.open) {
            vgpu_time_finish(vgpu_rt.time, op->time_id, &op->work);
            retire(op);
        }
        break;
    case VGPU_OP_HOST:
        vgpu_go_on_begun(op);
        vgpu_host_function_do(op);
        break;
    default:
        vgpu_check_op_begin(op->check, op->device);
        if (op->kind == VGPU_OP_COPY)
            vgpu_copy_do(op);
        else if (op->kind == VGPU_OP_SET)
            vgpu_set_do(op);
        else
            memory_do(op);
        vgpu_check_op_end(op->check, &op->work.bytes);
    }
    vgpu_go_on_done(op);
    return true;
}

void vgpu_op_drop_before(struct vgpu_op *op)
{
    gathers = NULL;
    for (int i = 0; i < op->before_count; i++)
        vgpu_op_unref(op->before[i]);
    op->before_count = 0;
}

/* A chain of operations can be a million long, so that the way back along it is
 * kept in memory of its own and not on the stack. */
struct step {
    struct vgpu_op *op;
    /* Of many predecessors those left, last ones last. */
    struct vgpu_op **order;
    int of, left;      /* made from so many */
    uint64_t replaced; /* ... when so many had been */
};

struct path {
    struct step *steps;
    size_t count;
    size_t room;
};

static void no_memory(void)
{
    fprintf(stderr, "vgpu: out of memory\n");
    abort();
}

static void path_push(struct path *path, struct vgpu_op *op)
{
    if (!VGPU_GROW(path->steps, path->count, &path->room))
        no_memory();
    path->steps[path->count++] = (struct step){.op = op};
}

static void path_pop(struct path *path)
{
    free(path->steps[--path->count].order);
}

static int by_seq(const void *a, const void *b)
{
    const struct vgpu_op *const *one = a, *const *other = b;

    return ((*one)->seq > (*other)->seq) - ((*one)->seq < (*other)->seq);
}

static void step_sort(struct step *step)
{
    const struct vgpu_op *const op = step->op;

    free(step->order);
    step->order = malloc((size_t)op->before_count * sizeof *step->order);
    if (!step->order)
        no_memory();
    step->of = op->before_count;
    step->left = 0;
    step->replaced = replaced;
    for (int i = 0; i < op->before_count; i++)
        if (!op->before[i]->done)
            step->order[step->left++] = op->before[i];
    qsort(step->order, (size_t)step->left, sizeof *step->order, by_seq);
}

/* Of the predecessors not done yet, the one enqueued last: what no rule
 * orders runs the wrong way round. */
static struct vgpu_op *next_before(struct step *step)
{
    const struct vgpu_op *const op = step->op;
    struct vgpu_op *best = NULL;

    if (op->before_count > FEW) {
        if (!step->order || step->of != op->before_count ||
            step->replaced != replaced)
            step_sort(step);
        while (step->left && step->order[step->left - 1]->done)
            step->left--;
        return step->left ? step->order[step->left - 1] : NULL;
    }
    for (int i = 0; i < op->before_count; i++)
        if (!op->before[i]->done && (!best || op->before[i]->seq > best->seq))
            best = op->before[i];
    return best;
}

/* Predecessors first, each after its own. Since they are dropped once they are
 * done, memory in use follows what is pending and not what ever was. */
bool vgpu_op_run(struct vgpu_op *root)
{
    struct path path = {0};
    bool moved;

    if (root->done)
        return true;
    path_push(&path, root);
    while (path.count) {
        struct step *const step = &path.steps[path.count - 1];
        struct vgpu_op *const op = step->op;
        struct vgpu_op *before = next_before(step);

        if (!before && op->ahead && op->early == VGPU_EARLY_TRIGGER &&
            !op->ahead->done && !op->kernel.run)
            before = op->ahead;
        if (before) {
            path_push(&path, before);
            continue;
        }
        path_pop(&path);
        if (!op->done && !vgpu_op_do(op, &moved))
            break;
        vgpu_op_drop_before(op);
    }
    while (path.count)
        path_pop(&path);
    free(path.steps);
    return root->done;
}

void vgpu_op_work(void *arg, void *user, struct vgpu_time_work *work)
{
    struct vgpu_op *op = user;

    (void)arg;
    if (vgpu_op_run(op)) {
        *work = op->work;
        if (vgpu_order.is_kept)
            vgpu_order_work(op);
        retire(op);
    } else {
        work->open = true;
        op->kernel.open = true;
        if (vgpu_order.is_kept)
            vgpu_order_work(op);
    }
}

void vgpu_op_sweep(void)
{
    while (retired) {
        struct vgpu_op *op = retired;

        retired = op->next_retired;
        vgpu_op_unref(op);
    }
}
