/*
 * condition.c: conditional nodes: their handles, their values, and what is
 * enqueued when a value is known.
 *
 * A launch enqueues a branch for such a node, and an end that comes after it.
 * The branch is done when the kernels ahead of it have run: then the body that
 * its value asks for is enqueued between the two. The last operation of a
 * WHILE's body is a branch again. So nothing is done earlier for being behind
 * a condition, and a value may hang on what the program does after the launch.
 *
 * Source: programming guide, "Conditional Graph Nodes".
 */
#include "capture.h"
#include "graph.h"
#include "vgpu/threads.h"

#include <stdio.h>
#include <stdlib.h>

/* A condition that has stayed true for so long is taken for one that always
 * will. */
#define MOST_ROUNDS 1000000

struct value {
    cudaGraphConditionalHandle handle;
    unsigned value;
    bool known; /* by a default, or a kernel has set it */
    bool told;  /* that it is not */
};

/* One launch. */
struct vgpu_graph_run {
    unsigned refs;
    struct vgpu_graph *graph; /* held: updates and the end of the executable
                                 graph do not reach it */
    uint64_t call_id;
    int priority;
    bool by_node;                  /* each kernel has a priority of its own */
    struct vgpu_check_op **checks; /* of the graph's seats */
    struct value *values;
    size_t value_count;
};

static struct vgpu_graph_run *entered; /* the running kernel's */

static bool is_conditional(const struct vgpu_node *node)
{
    return node->type == cudaGraphNodeTypeConditional;
}

bool vgpu_graph_uses(const struct vgpu_graph *graph,
                     cudaGraphConditionalHandle handle)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *node = graph->nodes[i];

        if (is_conditional(node) && node->condition.handle == handle)
            return true;
        for (unsigned k = 0; k < node->inner_count; k++)
            if (vgpu_graph_uses(node->inner[k], handle))
                return true;
    }
    return false;
}

static cudaGraphConditionalHandle last_handle;

/* A number, which nobody follows: kernels have it among their arguments, and a
 * launch finds its own value for it. */
static cudaError_t make_handle(struct vgpu_graph *graph,
                               cudaGraphConditionalHandle *handle,
                               unsigned value, unsigned flags)
{
    if (!graph || !handle || (flags & ~(unsigned)cudaGraphCondAssignDefault))
        return graph && handle ? vgpu_invalid("flags has a bit that there is "
                                              "not")
                               : cudaErrorInvalidValue;
    if (!VGPU_GROW(graph->conditions, graph->condition_count, NULL))
        return cudaErrorMemoryAllocation;
    *handle = ++last_handle;
    graph->conditions[graph->condition_count++] =
        (struct vgpu_condition){last_handle, value, flags};
    return cudaSuccess;
}

API(cudaGraphConditionalHandleCreate, cudaGraphConditionalHandle *out,
    cudaGraph_t graph, unsigned int value, unsigned int flags)
{
    return make_handle(vgpu_graph_find(graph), out, value, flags);
}

/* A handle is of the graph that has the node, or of one that this is within,
 * and for one node. */
static const struct vgpu_condition *
find_condition(const struct vgpu_graph *graph,
               cudaGraphConditionalHandle handle)
{
    for (; graph; graph = graph->owner ? graph->owner->graph : NULL)
        for (size_t i = 0; i < graph->condition_count; i++)
            if (graph->conditions[i].handle == handle)
                return vgpu_graph_uses(graph, handle) ? NULL
                                                      : &graph->conditions[i];
    return NULL;
}

cudaError_t vgpu_condition_check(const struct vgpu_graph *graph,
                                 const struct cudaConditionalNodeParams *p)
{
    const unsigned most = p->type == cudaGraphCondTypeIf      ? 2
                          : p->type == cudaGraphCondTypeWhile ? 1
                                                              : ~0u;

    if ((unsigned)p->type > cudaGraphCondTypeSwitch || !p->size ||
        p->size > most || !find_condition(graph, p->handle))
        return vgpu_invalid(
            (unsigned)p->type > cudaGraphCondTypeSwitch
                ? "it is none of cudaGraphConditionalNodeType"
            : p->size && p->size <= most
                ? "the handle is none of this graph's"
                : "an IF has 1 or 2 bodies, a WHILE 1, a SWITCH 1 or more");
    return cudaSuccess;
}

/* The bodies are empty graphs for the caller to fill. */
cudaError_t vgpu_condition_take(struct vgpu_node *node,
                                const struct cudaConditionalNodeParams *p)
{
    node->condition = *find_condition(node->graph, p->handle);
    node->branch = p->type;
    if (!vgpu_node_hold(node, p->size))
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < node->inner_count; i++) {
        node->inner[i] = vgpu_graph_new();
        if (!node->inner[i])
            return cudaErrorMemoryAllocation;
        node->inner[i]->owner = node;
    }
    return cudaSuccess;
}

bool vgpu_graph_branches(const struct vgpu_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        if (is_conditional(graph->nodes[i]))
            return true;
    return false;
}

/* ---- what may be launched ------------------------------------------------ */

static bool is_pageable(const struct vgpu_place *place)
{
    return !place->device && !place->memory;
}

/* In a body, or in a child graph within one. */
static cudaGraphInstantiateResult check_in_body(const struct vgpu_node *node)
{
    const struct vgpu_op *op = node->op;

    switch (node->type) {
    case cudaGraphNodeTypeKernel:
    case cudaGraphNodeTypeMemset:
    case cudaGraphNodeTypeGraph:
    case cudaGraphNodeTypeEmpty:
    case cudaGraphNodeTypeConditional:
        return cudaGraphInstantiateSuccess;
    case cudaGraphNodeTypeMemcpy:
        if (!is_pageable(&op->copy.dst) && !is_pageable(&op->copy.src))
            return cudaGraphInstantiateSuccess;
        vgpu_warn(body_pageable, node->pc);
        return cudaGraphInstantiateMultipleDevicesNotSupported;
    default:
        vgpu_warn(body_nodes, node->pc);
        return cudaGraphInstantiateNodeOperationNotSupported;
    }
}

static cudaGraphInstantiateResult check_graph(const struct vgpu_graph *graph,
                                              bool in_body)
{
    cudaGraphInstantiateResult result = cudaGraphInstantiateSuccess;

    for (size_t i = 0; i < graph->condition_count; i++)
        if (!vgpu_graph_uses(graph, graph->conditions[i].handle))
            return cudaGraphInstantiateConditionalHandleUnused;
    for (size_t i = 0; i < graph->count && !result; i++) {
        const struct vgpu_node *node = graph->nodes[i];

        if (in_body)
            result = check_in_body(node);
        for (unsigned k = 0; k < node->inner_count && !result; k++)
            result =
                check_graph(node->inner[k], in_body || is_conditional(node));
    }
    return result;
}

/* A graph that kernels launch does something, on one device, and all of it is
 * the device's (manual, cudaGraphInstantiateWithParams). */
static cudaGraphInstantiateResult
check_from_device(const struct vgpu_graph *graph, cudaGraphNode_t *failed)
{
    cudaGraphInstantiateResult result =
        graph->count ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;

    for (size_t i = 0; i < graph->count && !result; i++) {
        const struct vgpu_node *node = graph->nodes[i];

        if (node->type == cudaGraphNodeTypeGraph)
            result = check_from_device(node->inner[0], failed);
        else if (node->type != cudaGraphNodeTypeKernel &&
                 node->type != cudaGraphNodeTypeMemcpy &&
                 node->type != cudaGraphNodeTypeMemset)
            result = cudaGraphInstantiateNodeOperationNotSupported;
        else if (node->device != graph->nodes[0]->device)
            result = cudaGraphInstantiateMultipleDevicesNotSupported;
        else if (node->type == cudaGraphNodeTypeMemcpy &&
                 (is_pageable(&node->op->copy.dst) ||
                  is_pageable(&node->op->copy.src)))
            result = cudaGraphInstantiateNodeOperationNotSupported;
        if (result && !*failed)
            *failed = (cudaGraphNode_t)node;
    }
    return result;
}

/* What a value is kept in belongs to the graph: so a second executable graph is
 * refused as long as there is a first. */
cudaError_t vgpu_graph_check(const struct vgpu_graph *graph, bool from_device,
                             cudaGraphInstantiateResult *result,
                             cudaGraphNode_t *failed)
{
    *failed = NULL;
    *result = check_graph(graph, false);
    if (!*result && from_device)
        *result = check_from_device(graph, failed);
    if (*result)
        return cudaErrorInvalidValue;
    if (!graph->instantiated || !vgpu_graph_branches(graph))
        return cudaSuccess;
    *result = cudaGraphInstantiateError;
    return vgpu_because(cudaErrorNotSupported,
                        "of a graph with conditional nodes there can be one "
                        "executable graph at a time");
}

/* ---- seats --------------------------------------------------------------- */

static bool add_seat(struct vgpu_graph *root, int device,
                     const struct vgpu_actor *actor, uint64_t pc, size_t *seat)
{
    struct vgpu_seat *added;

    if (!VGPU_GROW(root->seats, root->seat_count, NULL))
        return false;
    *seat = root->seat_count;
    added = &root->seats[*seat];
    added->actor = *actor;
    added->pc = pc;
    added->stream = vgpu_stream_make_inner(&vgpu_rt.devices[device]);
    root->seat_count += added->stream != NULL;
    return added->stream;
}

/* A conditional node at the top has its own operation in another stream, but
 * its seats bound those of its bodies as anywhere. */
static bool give_seats(struct vgpu_graph *root, struct vgpu_graph *graph,
                       bool in_body)
{
    static const struct vgpu_actor end_of_body = {.does = VGPU_DOES_mark,
                                                  .what = "end of a body"};
    static const struct vgpu_actor end_of_condition = {
        .does = VGPU_DOES_mark, .what = "end of a condition"};
    bool ok = true;

    for (size_t i = 0; i < graph->count && ok; i++) {
        struct vgpu_node *node = graph->nodes[i];
        const bool inside = in_body || is_conditional(node);
        const struct vgpu_actor actor = {
            .does = vgpu_node_does(node),
            .kernel = node->type == cudaGraphNodeTypeKernel
                          ? node->op->kernel.exec.kernel->name
                          : NULL,
            .what = vgpu_node_name(node)};

        if (inside)
            ok = add_seat(root, node->device, &actor, node->pc, &node->seat);
        for (unsigned k = 0; k < node->inner_count && ok; k++) {
            ok = give_seats(root, node->inner[k], inside);
            if (ok && inside)
                ok = add_seat(root, node->device, &end_of_body, node->pc,
                              &node->inner[k]->seat);
        }
        if (ok && inside)
            ok = add_seat(root, node->device, &end_of_condition, node->pc,
                          &node->end_seat);
    }
    return ok;
}

bool vgpu_graph_seats(struct vgpu_graph *graph)
{
    return give_seats(graph, graph, false);
}

/* ---- one launch ---------------------------------------------------------- */

static struct value *find_value(const struct vgpu_graph_run *run,
                                cudaGraphConditionalHandle handle)
{
    for (size_t i = 0; run && i < run->value_count; i++)
        if (run->values[i].handle == handle)
            return &run->values[i];
    return NULL;
}

static bool add_values(struct vgpu_graph_run *run,
                       const struct vgpu_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        const struct vgpu_node *node = graph->nodes[i];
        const struct vgpu_condition *c = &node->condition;

        if (is_conditional(node) && !find_value(run, c->handle)) {
            if (!VGPU_GROW(run->values, run->value_count, NULL))
                return false;
            run->values[run->value_count++] =
                (struct value){c->handle, c->first,
                               c->flags & cudaGraphCondAssignDefault, false};
        }
        for (unsigned k = 0; k < node->inner_count; k++)
            if (!add_values(run, node->inner[k]))
                return false;
    }
    return true;
}

cudaError_t vgpu_run_new(const struct vgpu_launching *l,
                         struct vgpu_graph *graph, struct vgpu_graph_run **out)
{
    struct vgpu_graph_run *run;

    if (!graph->seat_count)
        return cudaSuccess;
    run = calloc(1, sizeof *run);
    if (!run)
        return cudaErrorMemoryAllocation;
    run->refs = 1;
    run->call_id = l->call->id;
    run->by_node = !l->priority;
    run->priority = l->priority ? *l->priority : 0;
    run->graph = graph;
    graph->refs++;
    run->checks = calloc(graph->seat_count, sizeof *run->checks);
    if (!run->checks || !add_values(run, graph)) {
        vgpu_run_unref(run);
        return cudaErrorMemoryAllocation;
    }
    *out = run;
    return cudaSuccess;
}

void vgpu_run_unref(struct vgpu_graph_run *run)
{
    if (!run || --run->refs)
        return;
    if (entered == run)
        entered = NULL;
    for (size_t i = 0; run->checks && i < run->graph->seat_count; i++)
        vgpu_check_op_free(run->checks[i]);
    vgpu_graph_free(run->graph);
    free(run->checks);
    free(run->values);
    free(run);
}

void vgpu_run_give(struct vgpu_graph_run *run, struct vgpu_op *op)
{
    op->run = run;
    if (run)
        run->refs++;
}

void vgpu_run_enter(struct vgpu_graph_run *run)
{
    entered = run;
}

/* By a kernel, for cudaGraphSetConditional. Its handle is of another graph, or
 * the kernel of none, where no value is found: a GPU then does anything. */
void vgpu_condition_set(unsigned long long handle, unsigned value)
{
    struct value *found = find_value(entered, handle);

    if (!found) {
        vgpu_warn(handle_unknown, vgpu_check_running_pc());
        return;
    }
    found->value = value;
    found->known = true;
}

cudaError_t vgpu_run_enqueue(struct vgpu_graph_run *run, size_t seat,
                             struct vgpu_op *op)
{
    const struct vgpu_seat *s = &run->graph->seats[seat];

    op->pc = s->pc;
    op->call_id = run->call_id;
    return vgpu_op_enqueue_late(op, s->stream, run->checks[seat],
                                s->actor.what);
}

/* ---- branches ------------------------------------------------------------ */

/* The seats within @node come after @branch, and know nothing else yet. */
static cudaError_t take_seats(struct vgpu_launching *l,
                              const struct vgpu_node *node,
                              const struct vgpu_op *branch)
{
    struct vgpu_clock *clock = vgpu_check_op_clock(branch->check);
    cudaError_t error = cudaSuccess;

    for (size_t i = node->seat + 1; i < node->end_seat && !error; i++) {
        const struct vgpu_seat *seat = &l->run->graph->seats[i];
        struct vgpu_actor actor = seat->actor;
        char text[VGPU_WHAT];

        vgpu_actor_of_graph(&actor, l->call, text);
        vgpu_agent_join(seat->stream->agent, clock);
        l->run->checks[i] = vgpu_check_enqueue(
            l->call->thread->agent, seat->stream->agent, &actor, seat->pc);
        if (!l->run->checks[i])
            error = cudaErrorMemoryAllocation;
    }
    vgpu_clock_release(clock);
    return error;
}

/* What knows the end of @node knows all that may be within it. */
static void learn_seats(const struct vgpu_launching *l,
                        const struct vgpu_node *node, struct vgpu_agent *agent,
                        struct vgpu_check_op *check)
{
    for (size_t i = node->seat + 1; i < node->end_seat; i++) {
        struct vgpu_clock *clock = vgpu_check_op_clock(l->run->checks[i]);

        if (agent)
            vgpu_agent_join(agent, clock);
        else
            vgpu_check_op_learn(check, clock);
        vgpu_clock_release(clock);
    }
}

static void set_branch(struct vgpu_op *branch, struct vgpu_node *node,
                       struct vgpu_op *end, unsigned rounds)
{
    branch->branch.node = node;
    branch->branch.end = vgpu_op_ref(end);
    branch->branch.rounds = rounds;
}

/* Nothing that is simulated between the branch and its end may decide the
 * branch, so it is complete before the end is enqueued. */
cudaError_t vgpu_launch_branch(struct vgpu_launching *l, struct vgpu_node *node,
                               struct vgpu_op *branch, struct vgpu_op **out)
{
    struct vgpu_op *end = vgpu_op_new(VGPU_OP_MARK);
    struct vgpu_stream *stream;
    cudaError_t error;

    if (!end)
        return cudaErrorMemoryAllocation;
    *out = end;
    set_branch(branch, node, end, 0);
    error = vgpu_op_after(end, branch);
    if (!l->call) {
        if (!error)
            error = vgpu_run_enqueue(l->run, node->end_seat, end);
        if (!error)
            learn_seats(l, node, NULL, end->check);
        return error;
    }
    stream = vgpu_launch_stream(l, node->device);
    if (!stream)
        return cudaErrorMemoryAllocation;
    if (!error)
        error = take_seats(l, node, branch);
    if (error)
        return error;
    learn_seats(l, node, stream->agent, NULL);
    return vgpu_op_enqueue(end, stream, "end of a condition", l->call);
}

/* The body that a value asks for, or NULL. After a fault there is none: kernels
 * do nothing then, and a WHILE would never end. */
static struct vgpu_graph *choose(const struct vgpu_op *op)
{
    const struct vgpu_node *node = op->branch.node;
    struct value *value = find_value(op->run, node->condition.handle);
    unsigned at = value->value;

    if (vgpu_rt.devices[op->device].sticky)
        return NULL;
    if (!value->known && !value->told) {
        value->told = true;
        vgpu_warn(condition_unset, node->pc);
    }
    if (node->branch != cudaGraphCondTypeSwitch)
        at = !at; /* the first body is for what is true */
    return at < node->inner_count ? node->inner[at] : NULL;
}

static cudaError_t enqueue_body(struct vgpu_op *op, struct vgpu_graph *body)
{
    struct vgpu_launching l = {
        .run = op->run,
        .priority = op->run->by_node ? NULL : &op->run->priority};
    struct vgpu_node *node = op->branch.node;
    struct vgpu_op *last = NULL;
    cudaError_t error;

    if (node->branch == cudaGraphCondTypeWhile) {
        last = vgpu_op_new(VGPU_OP_BRANCH);
        if (!last)
            return cudaErrorMemoryAllocation;
        vgpu_run_give(op->run, last);
        set_branch(last, node, op->branch.end, op->branch.rounds + 1);
    }
    error = vgpu_launch_graph(&l, body, node->device, op, &last);
    if (!error)
        error = vgpu_op_instead(op->branch.end, op, last);
    vgpu_op_unref(last);
    return error;
}

void vgpu_branch_do(struct vgpu_op *op)
{
    struct vgpu_graph *body = choose(op);

    if (op->branch.rounds == MOST_ROUNDS)
        vgpu_never_ends(op->branch.node->pc,
                        "the condition of a WHILE node stays true");
    if (body && enqueue_body(op, body)) {
        fprintf(stderr, "vgpu: out of memory\n");
        abort();
    }
    vgpu_op_unref(op->branch.end);
    op->branch.end = NULL;
}
