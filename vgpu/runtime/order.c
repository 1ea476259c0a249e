/*
 * order.c: what the host did and when, step by step: the operations that it
 * issued, what each comes after and by which line, where it waited and where
 * it made memory.
 *
 * From these the time model can be asked how long the run would have taken
 * without one of those lines (order_find.c). Each call and each operation adds
 * a step or none; the first of them are kept.
 */
#include "rt.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STEPS  60000
#define USES_A_STEP 8
#define SPIN_ASKS   8 /* in a row: the host only asks */

struct vgpu_order vgpu_order = {.is_whole = true, .uses_whole = true};

/* Without memory there is no answer, and the program is not to notice. */
#define MAKE_ROOM(array, count, room)                                          \
    (vgpu_order.is_whole = vgpu_order.is_whole && VGPU_GROW(array, count, room))

/* Was the time taken since the thread's last wait? Then it is there to be
 * measured by, and so are those just before it, of a stream each. */
static void look_back(const struct vgpu_thread *thread, bool measured)
{
    struct vgpu_order_step *last =
        thread->order.wait ? &vgpu_order.steps[thread->order.wait - 1] : NULL;

    if (!last || !(measured || thread->read_ns >= last->to_ns))
        return;
    for (struct vgpu_order_step *s = last; s >= vgpu_order.steps; s--) {
        if (s->thread != last->thread)
            continue;
        if (s->sort != VGPU_STEP_WAIT && s->call_id != last->call_id)
            break;
        s->measured = true;
    }
}

/* Return: a step, or NULL where no more are kept. */
static struct vgpu_order_step *
add_step(enum vgpu_order_sort sort, struct vgpu_thread *thread, int64_t from_ns)
{
    struct vgpu_order_step *step;

    if (vgpu_order.step_count == MOST_STEPS || !thread->calling)
        vgpu_order.is_whole = false;
    look_back(thread, false);
    thread->order.wait = 0;
    if (!MAKE_ROOM(vgpu_order.steps, vgpu_order.step_count,
                   &vgpu_order.step_room))
        return NULL;
    step = &vgpu_order.steps[vgpu_order.step_count++];
    *step = (struct vgpu_order_step){.sort = sort,
                                     .thread = thread->number,
                                     .from_ns = from_ns,
                                     .to_ns = thread->now_ns,
                                     .call_id = thread->calling->id,
                                     .pc = thread->calling->pc,
                                     .call = thread->calling->name};
    return step;
}

/* ---- operations ---------------------------------------------------------- */

static struct vgpu_order_edge edge_of(const struct vgpu_op *op,
                                      const struct vgpu_op *before)
{
    struct vgpu_order_edge edge = {before->order, VGPU_ORDER_STREAM, op->pc};

    if (op->time_stream == before->time_stream)
        return edge;
    if (!op->stream_number != !before->stream_number) {
        edge.why = VGPU_ORDER_DEFAULT;
        edge.pc = op->stream_number ? before->pc : op->pc;
    } else if (op->kind == VGPU_OP_MARK &&
               strcmp(vgpu_thread_self()->calling->name,
                      "cudaStreamWaitEvent") == 0) {
        edge.why = VGPU_ORDER_EVENT;
    }
    return edge;
}

static void add_edges(struct vgpu_order_step *step, const struct vgpu_op *op)
{
    step->edge = vgpu_order.edge_count;
    for (int i = 0; i < op->before_count; i++)
        if (op->before[i]->order &&
            MAKE_ROOM(vgpu_order.edges, vgpu_order.edge_count,
                      &vgpu_order.edge_room)) {
            vgpu_order.edges[vgpu_order.edge_count++] =
                edge_of(op, op->before[i]);
            step->edges++;
        }
}

static uint32_t registered(const struct vgpu_place *place)
{
    const struct vgpu_memory *const memory = place->memory;

    return memory && memory->kind == VGPU_MEM_REGISTERED ? memory->id : 0;
}

/* What the device issues to itself, and what runs beside the program's threads
 * without being seen, cannot be run again on paper. */
void vgpu_order_op(struct vgpu_op *op, const struct vgpu_stream *stream,
                   const struct vgpu_time_op *in)
{
    struct vgpu_thread *const thread = vgpu_thread_self();
    struct vgpu_order_step *step;

    if (in->by_device || in->kind == VGPU_TIME_BRANCH || vgpu_rt.shares)
        vgpu_order.is_whole = false;
    step =
        add_step(VGPU_STEP_OP, thread, thread->now_ns - thread->order.held_ns);
    if (!step)
        return;
    op->order = (uint32_t)vgpu_order.step_count;
    step->pc = op->pc;
    step->in = *in;
    step->in.after = NULL;
    step->in.after_count = 0;
    step->in.early = 0;
    step->early = op->ahead ? op->ahead->order : 0;
    step->is_default = stream->legacy;
    step->stream = stream->number;
    step->takes_place = op->timed || op->kind == VGPU_OP_COPY ||
                        op->kind == VGPU_OP_SET || op->kind == VGPU_OP_KERNEL;
    step->is_known = op->kind != VGPU_OP_KERNEL && op->kind != VGPU_OP_HOST;
    if (op->kind == VGPU_OP_COPY) {
        step->memory = registered(&op->copy.src);
        if (!step->memory)
            step->memory = registered(&op->copy.dst);
    }
    if (op->kind == VGPU_OP_HOST || op->early)
        vgpu_order.uses_whole = false;
    add_edges(step, op);
}

/* Called by the checker with its lock held. A page after the other says the
 * same: the last few are looked at. */
static void add_use(uint32_t from, uint32_t to)
{
    const struct vgpu_order_use *last;

    if (from >= to || !vgpu_order.is_whole)
        return;
    for (size_t i = 1; i <= 16 && i <= vgpu_order.use_count; i++) {
        last = &vgpu_order.uses[vgpu_order.use_count - i];
        if (last->from == from && last->to == to)
            return;
    }
    if (vgpu_order.use_count >= (size_t)MOST_STEPS * USES_A_STEP)
        vgpu_order.is_whole = false;
    if (MAKE_ROOM(vgpu_order.uses, vgpu_order.use_count, &vgpu_order.use_room))
        vgpu_order.uses[vgpu_order.use_count++] =
            (struct vgpu_order_use){from, to};
}

void vgpu_order_begin(void)
{
    if (vgpu_order.is_kept)
        vgpu_check_set_use(add_use);
}

/* A kernel that waits for a flag is ordered by what nobody told. */
void vgpu_order_work(const struct vgpu_op *op)
{
    struct vgpu_order_step *step;

    if (!op->order)
        return;
    step = &vgpu_order.steps[op->order - 1];
    step->work = op->work;
    step->is_known = true;
    if (op->work.open || (op->kind == VGPU_OP_KERNEL && op->kernel.open))
        vgpu_order.is_whole = false;
}

/* ---- the host ------------------------------------------------------------ */

void vgpu_order_wait(struct vgpu_thread *thread, const struct vgpu_op *op,
                     int64_t from_ns)
{
    struct vgpu_order_step *step;

    if (!op->order || !thread->calling)
        return;
    step = add_step(VGPU_STEP_WAIT, thread, from_ns);
    if (!step)
        return;
    step->op = op->order;
    thread->order.wait = vgpu_order.step_count;
}

/* Asked without an end, from one line and with nothing between: from the first
 * time on it waits. Not where it does something else between two questions. */
void vgpu_order_ask(struct vgpu_thread *thread, const struct vgpu_op *op,
                    bool has_ended)
{
    const struct vgpu_call *const call = thread->calling;
    struct vgpu_order_spin *const spin = &thread->order.spin;

    if (!call)
        return;
    if (spin->pc != call->pc || spin->step != vgpu_order.step_count)
        *spin = (struct vgpu_order_spin){.pc = call->pc,
                                         .step = vgpu_order.step_count,
                                         .since_ns = call->start_ns};
    spin->asked++;
    thread->order.asked = true;
    if (!has_ended)
        return;
    vgpu_order_wait(thread, op, thread->now_ns);
    if (spin->asked > SPIN_ASKS && thread->order.wait &&
        2 * spin->asked * call->cost_ns >= thread->now_ns - spin->since_ns) {
        vgpu_order.steps[thread->order.wait - 1].sort = VGPU_STEP_SPIN;
        vgpu_order.steps[thread->order.wait - 1].from_ns = spin->since_ns;
    }
    spin->pc = 0;
}

static bool is_of_memory(const char *name)
{
    static const char *const begins[] = {"cudaMalloc", "cudaFree",
                                         "cudaHostAlloc", "cudaHostRegister",
                                         "cudaHostUnregister"};

    if (strstr(name, "Async")) /* ordered by its stream, and cheap */
        return false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(name, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

void vgpu_order_call(const struct vgpu_call *call)
{
    struct vgpu_order_step *step;

    if (strcmp(call->name, "cudaEventElapsedTime") == 0) {
        vgpu_order.measures = true;
        look_back(call->thread, true);
    }
    if (call->cost_ns <= 0 || !is_of_memory(call->name))
        return;
    step = add_step(VGPU_STEP_COST, call->thread,
                    call->thread->now_ns - call->cost_ns);
    if (step)
        step->memory = call->thread->order.memory;
    call->thread->order.memory = 0;
}
