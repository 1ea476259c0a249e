/*
 * capture.c: between begin and end, calls in a stream become nodes of a
 * graph. A stream joins a capture by waiting for an event recorded in it,
 * and its work must be joined back before the end.
 *
 * A call that may not be made while a capture is under way is refused, and
 * spoils that capture: nothing but cudaStreamEndCapture is left to do then.
 */
#include "capturing.h"

#include <stdlib.h>
#include <string.h>

struct vgpu_capture *vgpu_captures;
static uint64_t last_id;

static void capture_unref(struct vgpu_capture *capture)
{
    if (capture && --capture->refs == 0)
        free(capture);
}

static cudaError_t tips_add(struct vgpu_tips *tips, struct vgpu_node *node)
{
    for (size_t i = 0; i < tips->count; i++)
        if (tips->nodes[i] == node)
            return cudaSuccess;
    if (!VGPU_GROW(tips->nodes, tips->count, NULL))
        return cudaErrorMemoryAllocation;
    tips->nodes[tips->count++] = node;
    return cudaSuccess;
}

static void tips_clear(struct vgpu_tips *tips)
{
    free(tips->nodes);
    tips->nodes = NULL;
    tips->count = 0;
}

static void tips_drop(struct vgpu_tips **tips)
{
    if (*tips)
        tips_clear(*tips);
    free(*tips);
    *tips = NULL;
}

/* A capture lives as long as something points to it: the list of captures, each
 * stream in it, each event recorded in it. */
static void leave(struct vgpu_stream *stream)
{
    tips_drop(&stream->tips);
    capture_unref(stream->capture);
    stream->capture = NULL;
}

static cudaError_t enter(struct vgpu_stream *stream,
                         struct vgpu_capture *capture)
{
    stream->tips = calloc(1, sizeof *stream->tips);
    if (!stream->tips)
        return cudaErrorMemoryAllocation;
    stream->capture = capture;
    capture->refs++;
    return cudaSuccess;
}

/* ---- calls that a capture forbids ------------------------------------------
 */

static cudaError_t spoil(struct vgpu_capture *capture, cudaError_t error)
{
    if (!capture->spoiled)
        vgpu_diary_spoiled(capture, error);
    capture->spoiled = true;
    return error;
}

/* A call in @capture, which another has spoiled before. */
static cudaError_t is_over(const struct vgpu_capture *capture)
{
    vgpu_diary_over(capture);
    return cudaErrorStreamCaptureInvalidated;
}

cudaError_t vgpu_capture_failed(struct vgpu_stream *stream, cudaError_t error)
{
    if (stream->capture)
        spoil(stream->capture, error);
    return error;
}

/*
 * A call such as cudaMalloc may wait for the device, and what is captured has
 * not been given to any: the two cannot both be kept. Which captures that
 * spoils depends on both sides' modes (manual,
 * cudaThreadExchangeStreamCaptureMode): none if the thread's own is relaxed,
 * and never a relaxed one; else its own captures, and others' if both sides are
 * global.
 */
cudaError_t vgpu_capture_unsafe(struct vgpu_thread *thread)
{
    cudaError_t error = cudaSuccess;

    if (thread->capture_mode == cudaStreamCaptureModeRelaxed)
        return cudaSuccess;
    for (struct vgpu_capture *c = vgpu_captures; c; c = c->next) {
        bool mine = c->thread == thread;

        if (c->mode == cudaStreamCaptureModeRelaxed)
            continue;
        if (mine || (c->mode == cudaStreamCaptureModeGlobal &&
                     thread->capture_mode == cudaStreamCaptureModeGlobal)) {
            vgpu_diary_unsafe(c);
            error = spoil(c, cudaErrorStreamCaptureUnsupported);
        }
    }
    return error;
}

cudaError_t vgpu_capture_unsafe_in(struct vgpu_thread *thread,
                                   struct vgpu_stream *stream)
{
    const cudaError_t error =
        stream->legacy ? vgpu_capture_legacy(stream) : cudaSuccess;

    return error || stream->capture ? error : vgpu_capture_unsafe(thread);
}

cudaError_t vgpu_capture_wait_stream(struct vgpu_stream *stream)
{
    if (stream->capture) {
        vgpu_diary_wait_stream(stream);
        return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
    }
    if (stream->legacy)
        return vgpu_capture_legacy(stream);
    return cudaSuccess;
}

cudaError_t vgpu_capture_wait_device(struct vgpu_device *device)
{
    cudaError_t error = cudaSuccess;

    for (struct vgpu_stream *s = device->streams; s; s = s->next)
        if (s->capture) {
            vgpu_diary_wait_device(s);
            error = spoil(s->capture, cudaErrorStreamCaptureUnsupported);
        }
    return error;
}

cudaError_t vgpu_capture_ask_event(const struct vgpu_event *event)
{
    if (!event->capture)
        return cudaSuccess;
    vgpu_diary_event(event);
    return event->capture->spoiled || !event->tips ? cudaErrorInvalidValue
                                                   : cudaErrorCapturedEvent;
}

cudaError_t vgpu_capture_wait_event(struct vgpu_event *event)
{
    const cudaError_t error = vgpu_capture_ask_event(event);

    return error == cudaErrorCapturedEvent ? spoil(event->capture, error)
                                           : error;
}

/* The legacy default stream is ordered with every blocking stream of its
 * device; with one that is capturing there is nothing yet to be ordered
 * with. */
cudaError_t vgpu_capture_legacy(struct vgpu_stream *legacy)
{
    struct vgpu_device *device = &vgpu_rt.devices[legacy->device];
    cudaError_t error = cudaSuccess;

    for (struct vgpu_stream *s = device->streams; s; s = s->next)
        if (s->capture && !(s->flags & cudaStreamNonBlocking)) {
            vgpu_diary_legacy(s);
            error = spoil(s->capture, cudaErrorStreamCaptureImplicit);
        }
    return error;
}

/* ---- work becomes nodes -----------------------------------------------------
 */

/* The other way round a node's type follows from the call that adds it; here it
 * follows from the operation that a call would have enqueued. */
static const enum cudaGraphNodeType types[] = {
    [VGPU_OP_COPY] = cudaGraphNodeTypeMemcpy,
    [VGPU_OP_SET] = cudaGraphNodeTypeMemset,
    [VGPU_OP_KERNEL] = cudaGraphNodeTypeKernel,
    [VGPU_OP_HOST] = cudaGraphNodeTypeHost,
    [VGPU_OP_MARK] = cudaGraphNodeTypeEmpty,
    [VGPU_OP_ALLOC] = cudaGraphNodeTypeMemAlloc,
    [VGPU_OP_FREE] = cudaGraphNodeTypeMemFree,
};

/* A kernel that may begin before the one ahead has ended may do so in the graph
 * (guide, "Programmatic Dependent Launch", "Use in CUDA Graphs"). */
static const cudaGraphEdgeData *edge_between(const struct vgpu_node *node,
                                             const struct vgpu_node *before)
{
    static const cudaGraphEdgeData early = {
        .from_port = cudaGraphKernelNodePortProgrammatic,
        .type = cudaGraphDependencyTypeProgrammatic};

    return node->type == cudaGraphNodeTypeKernel && node->op->kernel.overlaps &&
                   before->type == cudaGraphNodeTypeKernel
               ? &early
               : NULL;
}

/* The node comes after all the tips, and is the only tip from now on: whatever
 * comes later in this stream comes after it. */
static cudaError_t append(struct vgpu_stream *stream, struct vgpu_node *node)
{
    cudaError_t error = cudaSuccess;

    if (!node)
        return cudaErrorMemoryAllocation;
    node->device = stream->device;
    node->page = stream->capture->page;
    for (size_t i = 0; i < stream->tips->count && !error; i++)
        error = vgpu_node_after(node, stream->tips->nodes[i],
                                edge_between(node, stream->tips->nodes[i]));
    tips_clear(stream->tips);
    stream->tips->worked = true;
    return error ? error : tips_add(stream->tips, node);
}

/* Where a call would enqueue, it adds a node instead. The host is not held, not
 * even by a copy of pageable memory, and nothing is taken from the source. */
cudaError_t vgpu_capture_op(struct vgpu_op *op, struct vgpu_stream *stream,
                            struct vgpu_call *call)
{
    struct vgpu_capture *capture = stream->capture;
    struct vgpu_node *node;

    if (capture->spoiled)
        return is_over(capture);
    op->pc = call->pc;
    op->device = stream->device;
    node = vgpu_node_new(capture->graph, types[op->kind], vgpu_op_ref(op),
                         call->pc);
    if (node && op->kind == VGPU_OP_KERNEL) {
        vgpu_kernel_params(op, &node->params);
        node->priority = op->priority ? op->priority : stream->priority;
        vgpu_node_keep(node, op->kernel.arguments);
    }
    if (node)
        vgpu_host_side_begin(node);
    return append(stream, node);
}

struct vgpu_memory *vgpu_capture_memory(const struct vgpu_stream *stream,
                                        int device, size_t bytes)
{
    return vgpu_graph_memory_again(stream->capture->graph, stream->tips->nodes,
                                   stream->tips->count, device, bytes);
}

bool vgpu_capture_frees(const struct vgpu_stream *stream,
                        const struct vgpu_memory *memory)
{
    return vgpu_memory_of_graph(memory) &&
           !vgpu_graph_memory_freed(stream->capture->graph, memory);
}

cudaError_t vgpu_capture_no_graph(struct vgpu_stream *stream)
{
    if (stream->capture->spoiled)
        return is_over(stream->capture);
    vgpu_diary_graph(stream->capture);
    return spoil(stream->capture, cudaErrorStreamCaptureUnsupported);
}

cudaError_t vgpu_capture_event(struct vgpu_stream *stream,
                               enum cudaGraphNodeType type, cudaEvent_t event,
                               struct vgpu_call *call)
{
    struct vgpu_node *node;

    if (!stream->capture)
        return cudaErrorIllegalState;
    if (stream->capture->spoiled)
        return is_over(stream->capture);
    node = vgpu_node_new(stream->capture->graph, type, NULL, call->pc);
    if (node)
        node->event = event;
    return append(stream, node);
}

bool vgpu_capture_has(const struct vgpu_event *event)
{
    return event->capture && (event->tips || event->capture->spoiled);
}

/* Recorded outside of a capture, an event is an ordinary one again. */
void vgpu_capture_forget(struct vgpu_event *event)
{
    tips_drop(&event->tips);
    capture_unref(event->capture);
    event->capture = NULL;
}

/* The event stands for the stream's tips as they are now; that it is no real
 * record shows in event->op staying what it was. */
cudaError_t vgpu_capture_record(struct vgpu_event *event,
                                struct vgpu_stream *stream)
{
    struct vgpu_capture *capture = stream->capture;
    cudaError_t error = cudaSuccess;

    if (capture->spoiled)
        return is_over(capture);
    vgpu_capture_forget(event);
    event->tips = calloc(1, sizeof *event->tips);
    if (!event->tips)
        return cudaErrorMemoryAllocation;
    event->tips->record_pc = vgpu_thread_self()->calling->pc;
    for (size_t i = 0; i < stream->tips->count && !error; i++)
        error = tips_add(event->tips, stream->tips->nodes[i]);
    event->capture = capture;
    capture->refs++;
    return error;
}

/*
 * This is how a capture spreads: a stream that waits for a captured event joins
 * the capture. Two captures may not meet, and none may wait for work that is
 * not its own (manual, cudaStreamWaitEvent; guide, "Cross-stream Dependencies
 * and Events").
 */
cudaError_t vgpu_capture_wait(struct vgpu_stream *stream,
                              struct vgpu_event *event)
{
    cudaError_t error = cudaSuccess;

    if (stream->capture && stream->capture->spoiled)
        return is_over(stream->capture);
    if (!vgpu_capture_has(event)) { /* waits for work outside of it */
        vgpu_diary_outside(stream, event);
        return spoil(stream->capture, cudaErrorStreamCaptureIsolation);
    }
    if (event->capture->spoiled) {
        vgpu_diary_event(event);
        return cudaErrorInvalidValue;
    }
    if (stream->legacy) {
        vgpu_diary_outside(stream, event);
        return spoil(event->capture, cudaErrorStreamCaptureImplicit);
    }
    if (stream->capture && stream->capture != event->capture) {
        vgpu_diary_merge(stream->capture, event->capture);
        spoil(stream->capture, cudaErrorStreamCaptureMerge);
        return spoil(event->capture, cudaErrorStreamCaptureMerge);
    }
    if (!stream->capture) {
        error = enter(stream, event->capture);
        if (error)
            return error;
        stream->tips->record_pc = event->tips->record_pc;
        stream->tips->join_pc = vgpu_thread_self()->calling->pc;
    }
    for (size_t i = 0; i < event->tips->count && !error; i++)
        error = tips_add(stream->tips, event->tips->nodes[i]);
    return error;
}

/* ---- begin and end ------------------------------------------------------- */

/* What the first work in the stream comes after: nodes of the graph that the
 * capture adds to. */
struct start {
    bool given; /* else a new graph */
    cudaGraph_t graph;
    const cudaGraphNode_t *deps;
    const cudaGraphEdgeData *edges; /* or NULL */
    size_t count;
};

/* An edge with a type is one between programmatic launches. */
static cudaError_t check_start(const struct vgpu_call *call,
                               const struct start *start,
                               const struct vgpu_graph *graph)
{
    if (!graph || (start->count && !start->deps))
        return graph ? vgpu_invalid("there are no dependencies, and count is "
                                    "%zu",
                                    start->count)
                     : cudaErrorInvalidValue;
    if (graph->capturing) {
        vgpu_warn(graph_taken, call->pc);
        return cudaErrorIllegalState;
    }
    /* A child's node could go while it is captured into. */
    if (graph->owner && graph->owner->type == cudaGraphNodeTypeGraph)
        return vgpu_because(cudaErrorNotSupported,
                            "it is the graph of a child node");
    for (size_t i = 0; i < start->count; i++) {
        struct vgpu_node *node = vgpu_node_find(start->deps[i]);

        if (!node || node->graph != graph)
            return vgpu_invalid("dependency %zu is no node of this graph", i);
        if (start->edges && start->edges[i].type)
            return vgpu_invalid("a capture begins with ordinary edges, and %zu "
                                "is none",
                                i);
    }
    return cudaSuccess;
}

/* The stream that begins is the origin: the capture ends in it, and all others
 * must have been joined into it by then. The legacy stream cannot be captured,
 * for it is ordered with streams that are not. */
static cudaError_t begin(struct vgpu_call *call, cudaStream_t handle,
                         enum cudaStreamCaptureMode mode,
                         const struct start *start)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_graph *graph = vgpu_graph_find(start->graph);
    struct vgpu_capture *capture;
    cudaError_t error;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if ((int)mode < 0 || mode > cudaStreamCaptureModeRelaxed)
        return vgpu_invalid("%d is no mode of a capture", (int)mode);
    if (stream->legacy || stream->capture) {
        vgpu_diary_begin(stream);
        return stream->legacy ? cudaErrorStreamCaptureUnsupported
                              : cudaErrorIllegalState;
    }
    if (start->given && (error = check_start(call, start, graph)))
        return error;
    capture = calloc(1, sizeof *capture);
    if (!capture)
        return cudaErrorMemoryAllocation;
    capture->graph = start->given ? graph : vgpu_graph_new();
    if (!capture->graph || enter(stream, capture)) {
        free(capture);
        return cudaErrorMemoryAllocation;
    }
    capture->graph->capturing = true;
    capture->refs++;
    capture->id = ++last_id;
    capture->origin = stream;
    capture->thread = call->thread;
    capture->pc = call->pc;
    if (!capture->graph->owner) /* a body runs where its condition says so */
        capture->page = vgpu_diary_page(call->pc);
    capture->mode = mode;
    capture->next = vgpu_captures;
    vgpu_captures = capture;
    error = cudaSuccess;
    for (size_t i = 0; i < start->count && !error; i++)
        error = tips_add(stream->tips, vgpu_node_find(start->deps[i]));
    return error ? spoil(capture, error) : cudaSuccess;
}

/* Has @stream's newest work been joined into the origin's? */
static bool is_joined(const struct vgpu_stream *stream,
                      const struct vgpu_stream *origin)
{
    for (size_t i = 0; i < stream->tips->count; i++) {
        bool found = false;

        for (size_t j = 0; j < origin->tips->count && !found; j++)
            found = vgpu_node_depends_on(origin->tips->nodes[j],
                                         stream->tips->nodes[i]);
        if (!found)
            return false;
    }
    return true;
}

/* Unjoined work would be in the graph, but nothing that waits for the graph
 * would wait for it as the program had it. */
static bool all_joined(const struct vgpu_capture *capture)
{
    bool all = true;

    for (int d = 0; d < vgpu_rt.device_count; d++)
        for (struct vgpu_stream *s = vgpu_rt.devices[d].streams; s; s = s->next)
            if (s->capture == capture && !is_joined(s, capture->origin)) {
                all = false;
                if (s->tips->worked)
                    vgpu_diary_unjoined(capture, s);
            }
    return all;
}

/* Events that were recorded in it lose their nodes: the graph is the caller's
 * now, or gone. */
static void close_capture(struct vgpu_capture *capture)
{
    struct vgpu_capture **link = &vgpu_captures;

    for (int d = 0; d < vgpu_rt.device_count; d++)
        for (struct vgpu_stream *s = vgpu_rt.devices[d].streams; s; s = s->next)
            if (s->capture == capture)
                leave(s);
    /* They stand for nothing that could be asked about or timed until they are
     * recorded anew. */
    for (struct vgpu_event *e = vgpu_events; e; e = e->next)
        if (e->capture == capture)
            tips_drop(&e->tips);
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture_unref(capture);
}

/* Also a graph that the caller gave is gone then. A body is so only for the
 * caller: it is its node's. */
static void drop_graph(struct vgpu_capture *capture)
{
    capture->graph->capturing = false;
    if (capture->graph->owner)
        vgpu_handle_remove(capture->graph);
    else
        vgpu_graph_free(capture->graph);
}

/* However it ends, the capture is over and its streams can be used again; only
 * a call in the wrong stream leaves it open, and spoilt. */
API(cudaStreamEndCapture, cudaStream_t handle, cudaGraph_t *out)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    struct vgpu_capture *capture;
    cudaError_t error = cudaSuccess;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (out)
        *out = NULL;
    capture = stream->capture;
    if (!capture || capture->origin != stream ||
        (capture->thread != call->thread &&
         capture->mode != cudaStreamCaptureModeRelaxed))
        vgpu_diary_end(stream);
    if (!capture)
        return cudaErrorIllegalState;
    if (capture->thread != call->thread &&
        capture->mode != cudaStreamCaptureModeRelaxed) {
        drop_graph(capture);
        close_capture(capture);
        return cudaErrorStreamCaptureWrongThread;
    }
    if (capture->origin != stream)
        return spoil(capture, cudaErrorStreamCaptureUnmatched);
    if (capture->spoiled)
        error = is_over(capture);
    else if (!all_joined(capture))
        error = cudaErrorStreamCaptureUnjoined;
    if (error || !out) { /* nobody wants the graph (observed) */
        drop_graph(capture);
    } else {
        capture->graph->capturing = false;
        *out = (cudaGraph_t)capture->graph;
        if (!capture->graph->owner)
            vgpu_handle_made(*out, call->pc);
        if (capture->page && capture->graph->count)
            capture->page->ended = true;
    }
    close_capture(capture);
    return error;
}

API(cudaStreamBeginCapture, cudaStream_t stream,
    enum cudaStreamCaptureMode mode)
{
    return begin(call, stream, mode, &(struct start){0});
}

API(cudaStreamBeginCaptureToGraph, cudaStream_t stream, cudaGraph_t graph,
    const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *edges,
    size_t count, enum cudaStreamCaptureMode mode)
{
    return begin(call, stream, mode,
                 &(struct start){true, graph, dependencies, edges, count});
}

/* ---- questions ----------------------------------------------------------- */

/* Asked of the legacy stream while a blocking stream captures, this is an error
 * (manual, cudaStreamIsCapturing). */
static cudaError_t status_of(const struct vgpu_stream *stream,
                             enum cudaStreamCaptureStatus *status)
{
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!status)
        return cudaErrorInvalidValue;
    *status = cudaStreamCaptureStatusNone;
    if (stream->capture)
        *status = stream->capture->spoiled ? cudaStreamCaptureStatusInvalidated
                                           : cudaStreamCaptureStatusActive;
    for (struct vgpu_stream *s = vgpu_rt.devices[stream->device].streams;
         stream->legacy && s; s = s->next)
        if (s->capture && !(s->flags & cudaStreamNonBlocking))
            return cudaErrorStreamCaptureImplicit;
    return cudaSuccess;
}

API(cudaStreamIsCapturing, cudaStream_t stream,
    enum cudaStreamCaptureStatus *status)
{
    return status_of(vgpu_stream_find(stream), status);
}

/* The dependencies handed out are the stream's tips themselves: they are valid
 * until the next call in the stream, as the manual says. */
API(cudaStreamGetCaptureInfo, cudaStream_t handle,
    enum cudaStreamCaptureStatus *status, unsigned long long *id,
    cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
    const cudaGraphEdgeData **edges, size_t *count)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    const cudaError_t error = status_of(stream, status);

    if (error)
        return error;
    if (edges)
        *edges = NULL;
    if (!stream->capture || stream->capture->spoiled)
        return cudaSuccess;
    if (id)
        *id = stream->capture->id;
    if (graph)
        *graph = (cudaGraph_t)stream->capture->graph;
    if (dependencies)
        *dependencies = (const cudaGraphNode_t *)stream->tips->nodes;
    if (count)
        *count = stream->tips->count;
    return cudaSuccess;
}

/* All nodes are looked at before any tip changes: a call that is refused leaves
 * the stream as it was. */
API(cudaStreamUpdateCaptureDependencies, cudaStream_t handle,
    cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count,
    unsigned int flags)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    cudaError_t error = cudaSuccess;

    (void)edges;
    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!stream->capture)
        return vgpu_because(cudaErrorIllegalState, "nothing is captured in %s",
                            vgpu_stream_words(handle));
    if (flags > cudaStreamSetCaptureDependencies || (count && !nodes))
        return vgpu_invalid(count && !nodes
                                ? "there are no nodes, and count is "
                                  "not 0"
                                : "flags has a bit that there is "
                                  "not");
    for (size_t i = 0; i < count; i++) {
        struct vgpu_node *node = vgpu_node_find(nodes[i]);

        if (!node || node->graph != stream->capture->graph)
            return vgpu_invalid(
                "node %zu is none of the graph that is captured", i);
    }
    if (flags == cudaStreamSetCaptureDependencies)
        tips_clear(stream->tips);
    for (size_t i = 0; i < count && !error; i++)
        error = tips_add(stream->tips, vgpu_node_find(nodes[i]));
    return error;
}

API(cudaThreadExchangeStreamCaptureMode, enum cudaStreamCaptureMode *mode)
{
    enum cudaStreamCaptureMode previous;

    if (!mode || (int)*mode < 0 || *mode > cudaStreamCaptureModeRelaxed)
        return mode ? vgpu_invalid("%d is no mode of a capture", (int)*mode)
                    : cudaErrorInvalidValue;
    previous = (enum cudaStreamCaptureMode)call->thread->capture_mode;
    call->thread->capture_mode = *mode;
    *mode = previous;
    return cudaSuccess;
}
