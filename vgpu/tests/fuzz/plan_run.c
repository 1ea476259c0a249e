/*
 * plan_run.c: runs a plan on the virtual GPU, and beside it, call by call in
 * program order, on plain memory. Kernels, host functions and host code are C
 * that reports its accesses as instrumented code would.
 */
#include "plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_state.h"
#include "rt.h"
#include "vgpu/threads.h"

#define TOUCH(bytes)                                                           \
    void __tsan_read##bytes##_pc(void *at, void *pc);                          \
    void __tsan_write##bytes##_pc(void *at, void *pc);                         \
    void __tsan_unaligned_read##bytes(void *at);                               \
    void __tsan_unaligned_write##bytes(void *at)

TOUCH(1);
TOUCH(2);
TOUCH(4);
TOUCH(8);
int vgpu_atomic_add_int(int *at, int value);
void vgpu_call_site(const void *pc);
cudaError_t cudaMemcpy_ptds(void *dst, const void *src, size_t bytes,
                            enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D_ptds(void *dst, size_t dpitch, const void *src,
                              size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind);

/* What a kernel or a host function needs to know. */
struct job {
    const struct op *op;
    char **memory;
    void *pc;
};

static struct machine {
    const struct plan *plan;
    const struct order *order;
    struct outcome *out;
    char *memory[MAX_BUFFERS];
    char *reference[MAX_BUFFERS];
    bool freed[MAX_BUFFERS];
    cudaStream_t streams[MAX_STREAMS];
    bool destroyed[MAX_STREAMS];
    cudaEvent_t events[MAX_EVENTS];
    cudaGraph_t made[MAX_GRAPHS]; /* what later graphs take in as a child */
    cudaGraphExec_t graphs[MAX_GRAPHS];
    struct job jobs[MAX_OPS];
    char *found[MAX_BUFFERS]; /* bytes that the checker names, if bytewise */
    int now;                  /* the call being made */
} m;

static void check(cudaError_t error)
{
    if (error && !m.out->error) {
        m.out->error = error;
        m.out->error_op = m.now;
    }
}

static void set_device(int device)
{
    check(cudaSetDevice(device));
}

/* Each call has a line of its own, as in a program. */
static void *site(int op)
{
    return (void *)(uintptr_t)(0x100000 + op * 64);
}

/* ---- what calls compute -------------------------------------------------- */

static char *piece(char *const *memory, const struct span *span, int i)
{
    return memory[span->buffer] + span->at + i * span->stride;
}

static void compute(const struct op *op, char *const *memory, int i)
{
    unsigned char sum[8];
    int32_t word;

    if (op->dst.buffer < 0)
        return;
    if (op->atomic) {
        memcpy(&word, piece(memory, &op->dst, i), 4);
        word = (int32_t)((uint32_t)word + (uint32_t)op->value);
        memcpy(piece(memory, &op->dst, i), &word, 4);
        return;
    }
    memset(sum, op->value + i, sizeof sum);
    for (int s = 0; s < 2; s++)
        for (int k = 0; op->src[s].buffer >= 0 && k < op->dst.width; k++)
            sum[k] = (unsigned char)(sum[k] * 3 +
                                     piece(memory, &op->src[s], i)[k] + k);
    memcpy(piece(memory, &op->dst, i), sum, (size_t)op->dst.width);
}

static int pieces(const struct op *op)
{
    return op->dst.buffer >= 0 ? op->dst.count : op->src[0].count;
}

/* The same on plain memory: the whole call. */
static void compute_all(const struct op *op)
{
    switch (op->kind) {
    case OP_COPY:
    case OP_PEER_COPY:
        for (int i = 0; i < op->dst.count; i++)
            memcpy(piece(m.reference, &op->dst, i),
                   piece(m.reference, &op->src[0], i), (size_t)op->dst.width);
        break;
    case OP_ALLOC:
    case OP_SET:
        for (int i = 0; i < op->dst.count; i++)
            memset(piece(m.reference, &op->dst, i), op->value,
                   (size_t)op->dst.width);
        break;
    case OP_KERNEL:
    case OP_HOST_FUNCTION:
    case OP_HOST:
        for (int i = 0; i < pieces(op); i++)
            compute(op, m.reference, i);
        break;
    case OP_GRAPH_LAUNCH:
        for (int i = 0; i < m.order->now.graphs[op->graph].count; i++) {
            int inner = m.order->now.graphs[op->graph].inner[i].op;

            compute_all(&m.plan->ops[inner]);
        }
        break;
    default:
        break;
    }
}

#define TELL(bytes)                                                            \
    if (width == bytes && (uintptr_t)at % bytes == 0) {                        \
        if (write)                                                             \
            __tsan_write##bytes##_pc(at, pc);                                  \
        else                                                                   \
            __tsan_read##bytes##_pc(at, pc);                                   \
    } else if (width == bytes) {                                               \
        if (write)                                                             \
            __tsan_unaligned_write##bytes(at);                                 \
        else                                                                   \
            __tsan_unaligned_read##bytes(at);                                  \
    }

static void tell(void *at, int width, bool write, void *pc)
{
    TELL(1)
    TELL(2)
    TELL(4)
    TELL(8)
}

/* One element of a kernel's, a host function's or the host's own work. */
static void do_piece(const struct job *job, int i)
{
    const struct op *op = job->op;

    if (op->atomic) {
        vgpu_atomic_add_int((int *)(void *)piece(job->memory, &op->dst, i),
                            op->value);
        for (int s = 0; s < 2; s++)
            if (op->src[s].buffer >= 0)
                tell(piece(job->memory, &op->src[s], i), op->src[s].width,
                     false, job->pc);
        return;
    }
    for (int s = 0; s < 2; s++)
        if (op->src[s].buffer >= 0)
            tell(piece(job->memory, &op->src[s], i), op->src[s].width, false,
                 (char *)job->pc + 1 + s);
    if (op->dst.buffer >= 0)
        tell(piece(job->memory, &op->dst, i), op->dst.width, true, job->pc);
    compute(op, job->memory, i);
}

static void run_kernel(void *closure, struct vgpu_block *block)
{
    const struct job *job = *(struct job **)closure;
    struct vgpu_geometry geometry;
    int64_t t;
    int count = pieces(job->op), threads = job->op->blocks * job->op->threads;

    vgpu_block_geometry(block, &geometry);
    while ((t = vgpu_block_next(block)) >= 0) {
        int first =
            (int)(t & 0xffff) + (int)geometry.block_index.x * job->op->threads;

        for (int i = first; i < count; i += threads)
            do_piece(job, i);
        vgpu_cost_add((uint64_t)(job->op->value % 7) * 300);
    }
}

static void *clone_job(const void *closure)
{
    void *copy = malloc(sizeof(struct job *));

    memcpy(copy, closure, sizeof(struct job *));
    return copy;
}

static const struct vgpu_body body = {clone_job, free, run_kernel, NULL,
                                      0,         NULL, 0};

static void run_host_function(void *user)
{
    const struct job *job = user;

    for (int i = 0; i < pieces(job->op); i++)
        do_piece(job, i);
}

static void run_callback(cudaStream_t stream, cudaError_t status, void *user)
{
    (void)stream;
    if (!status)
        run_host_function(user);
}

/* ---- calls --------------------------------------------------------------- */

static void *start_of(const struct span *span)
{
    return m.memory[span->buffer] + span->at;
}

static void do_kernel(const struct op *op, cudaStream_t stream)
{
    static const struct vgpu_kernel kernel = {
        .name = "k", .file = "plan_run.c", .line = 1};
    const uint32_t grid[3] = {(uint32_t)op->blocks, 1, 1};
    const uint32_t block[3] = {(uint32_t)op->threads, 1, 1};
    struct job *job = &m.jobs[m.now];

    vgpu_config_push(grid, block, 0, stream, (uint64_t)(uintptr_t)job->pc);
    vgpu_launch(&kernel, NULL, &job, &body, NULL);
    check(cudaGetLastError());
}

static enum cudaMemcpyKind direction(const struct op *op)
{
    enum buffer_kind to = m.plan->buffers[op->dst.buffer].kind;
    enum buffer_kind from = m.plan->buffers[op->src[0].buffer].kind;

    if (to == MANAGED || from == MANAGED || op->value % 4 == 0)
        return cudaMemcpyDefault;
    if (to == DEVICE)
        return from == DEVICE ? cudaMemcpyDeviceToDevice
                              : cudaMemcpyHostToDevice;
    return from == DEVICE ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

static void do_copy(const struct op *op, cudaStream_t stream)
{
    void *to = start_of(&op->dst), *from = start_of(&op->src[0]);
    enum cudaMemcpyKind way = direction(op);
    size_t bytes = (size_t)op->dst.width, rows = (size_t)op->dst.count;
    size_t dpitch = (size_t)op->dst.stride, spitch = (size_t)op->src[0].stride;
    bool own = m.plan->streams[op->stream].kind == PER_THREAD;

    if (rows == 1 && op->async)
        check(cudaMemcpyAsync(to, from, bytes, way, stream));
    else if (rows == 1)
        check(own ? cudaMemcpy_ptds(to, from, bytes, way)
                  : cudaMemcpy(to, from, bytes, way));
    else if (op->async)
        check(cudaMemcpy2DAsync(to, dpitch, from, spitch, bytes, rows, way,
                                stream));
    else if (own)
        check(cudaMemcpy2D_ptds(to, dpitch, from, spitch, bytes, rows, way));
    else
        check(cudaMemcpy2D(to, dpitch, from, spitch, bytes, rows, way));
}

static void do_peer_copy(const struct op *op, cudaStream_t stream)
{
    void *to = start_of(&op->dst), *from = start_of(&op->src[0]);
    int to_device = m.plan->buffers[op->dst.buffer].device;
    int from_device = m.plan->buffers[op->src[0].buffer].device;
    size_t bytes = (size_t)op->dst.width;

    if (op->async)
        check(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes,
                                  stream));
    else
        check(cudaMemcpyPeer(to, to_device, from, from_device, bytes));
}

static void do_set(const struct op *op, cudaStream_t stream)
{
    void *to = start_of(&op->dst);
    size_t bytes = (size_t)op->dst.width, rows = (size_t)op->dst.count;
    size_t pitch = (size_t)op->dst.stride;

    if (rows == 1 && op->async)
        check(cudaMemsetAsync(to, op->value, bytes, stream));
    else if (rows == 1)
        check(cudaMemset(to, op->value, bytes));
    else if (op->async)
        check(cudaMemset2DAsync(to, pitch, op->value, bytes, rows, stream));
    else
        check(cudaMemset2D(to, pitch, op->value, bytes, rows));
}

/* What host code is about to read must be what the reference has. */
static void compare_sources(const struct op *op)
{
    for (int s = 0; s < 2; s++)
        for (int i = 0; op->src[s].buffer >= 0 && i < op->src[s].count; i++)
            if (memcmp(piece(m.memory, &op->src[s], i),
                       piece(m.reference, &op->src[s], i),
                       (size_t)op->src[s].width) &&
                m.out->wrong_op == -2) {
                m.out->wrong_op = m.now;
                m.out->wrong_at = op->src[s].at + i * op->src[s].stride;
            }
}

static void do_memory(const struct op *op, cudaStream_t stream)
{
    int b = op->dst.buffer;
    void *p = NULL;

    if (op->kind == OP_ALLOC) {
        if (op->async)
            check(cudaMallocAsync(&p, (size_t)op->dst.width, stream));
        else
            check(cudaMalloc(&p, (size_t)op->dst.width));
        m.memory[b] = p;
        return;
    }
    m.freed[b] = true;
    check(op->async ? cudaFreeAsync(m.memory[b], stream)
                    : cudaFree(m.memory[b]));
}

/* Poll for long, but not for ever. */
static void do_spin(const struct op *op, cudaStream_t stream)
{
    bool event = op->kind == OP_EVENT_SPIN || op->kind == OP_EVENT_QUERY;
    int most =
        op->kind == OP_EVENT_QUERY || op->kind == OP_STREAM_QUERY ? 1 : 3000;
    cudaError_t error = cudaErrorNotReady;

    for (int i = 0; i < most && error == cudaErrorNotReady; i++) {
        vgpu_call_site(site(m.now));
        error = event ? cudaEventQuery(m.events[op->event])
                      : cudaStreamQuery(stream);
    }
    if (error == cudaErrorNotReady && most > 1)
        error = event ? cudaEventSynchronize(m.events[op->event])
                      : cudaStreamSynchronize(stream);
    if (error != cudaErrorNotReady)
        check(error);
}

static void do_capture(const struct op *op, cudaStream_t stream)
{
    if (op->kind == OP_CAPTURE) {
        check(cudaStreamBeginCapture(
            stream, op->value % 2 ? cudaStreamCaptureModeGlobal
                                  : cudaStreamCaptureModeThreadLocal));
        return;
    }
    check(cudaStreamEndCapture(stream, &m.made[op->graph]));
    if (m.out->error)
        return;
    check(cudaGraphInstantiate(&m.graphs[op->graph], m.made[op->graph], 0));
}

/* A capture refuses a launch (900): a child comes in by hand, behind all that
 * the stream's next work would wait for, and becomes what it waits for. */
static void do_child(const struct op *op, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status;
    const cudaGraphNode_t *tips;
    cudaGraphNode_t node;
    cudaGraph_t graph;
    size_t count;

    check(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &tips, NULL,
                                   &count));
    if (m.out->error)
        return;
    check(cudaGraphAddChildGraphNode(&node, graph, tips, count,
                                     m.made[op->child]));
    check(cudaStreamUpdateCaptureDependencies(
        stream, &node, NULL, 1, cudaStreamSetCaptureDependencies));
}

/* Calls without accesses: the reference on plain memory has nothing to do. */
static void do_order(const struct op *op, cudaStream_t stream)
{
    switch (op->kind) {
    case OP_RECORD:
        check(cudaEventRecord(m.events[op->event], stream));
        break;
    case OP_WAIT:
        check(cudaStreamWaitEvent(stream, m.events[op->event], 0));
        break;
    case OP_EVENT_SYNC:
        check(cudaEventSynchronize(m.events[op->event]));
        break;
    case OP_STREAM_SYNC:
        check(cudaStreamSynchronize(stream));
        break;
    case OP_DEVICE_SYNC:
        check(cudaDeviceSynchronize());
        break;
    case OP_STREAM_DESTROY:
        m.destroyed[op->stream] = true;
        check(cudaStreamDestroy(stream));
        break;
    case OP_GRAPH_LAUNCH:
        if (op->captured)
            do_child(op, stream);
        else
            check(cudaGraphLaunch(m.graphs[op->graph], stream));
        break;
    case OP_CAPTURE:
    case OP_CAPTURE_END:
        do_capture(op, stream);
        break;
    default:
        do_spin(op, stream);
        break;
    }
}

/* Host code gets into a stream by two functions; the older one is tried now and
 * then, but not in a capture, which refuses it. */
static void do_op(const struct op *op, cudaStream_t stream)
{
    switch (op->kind) {
    case OP_KERNEL:
        do_kernel(op, stream);
        break;
    case OP_COPY:
        do_copy(op, stream);
        break;
    case OP_PEER_COPY:
        do_peer_copy(op, stream);
        break;
    case OP_SET:
        do_set(op, stream);
        break;
    case OP_HOST_FUNCTION:
        if (op->value % 4 || op->captured)
            check(
                cudaLaunchHostFunc(stream, run_host_function, &m.jobs[m.now]));
        else
            check(
                cudaStreamAddCallback(stream, run_callback, &m.jobs[m.now], 0));
        break;
    case OP_HOST:
        run_host_function(&m.jobs[m.now]);
        break;
    case OP_ALLOC:
    case OP_FREE:
        do_memory(op, stream);
        break;
    default:
        do_order(op, stream);
        break;
    }
}

/* The default streams are the current device's. */
static void make_call(int index)
{
    const struct op *op = &m.plan->ops[index];
    const struct stream *s = &m.plan->streams[op->stream];
    bool created = s->kind == BLOCKING || s->kind == NON_BLOCKING;
    bool streamless =
        op->kind == OP_DEVICE_SYNC || op->kind == OP_HOST ||
        (!op->async && (op->kind == OP_ALLOC || op->kind == OP_FREE));

    m.now = index;
    m.jobs[index] = (struct job){op, m.memory, site(index)};
    set_device(created || streamless ? op->device : s->device);
    vgpu_call_site(site(index));
    if (op->kind == OP_HOST)
        compare_sources(op);
    if (!op->captured)
        compute_all(op);
    do_op(op, m.streams[op->stream]);
}

/* ---- a second thread -------------------------------------------------------
 */

static int ask[2], answer[2]; /* pipes: calls to make, calls made */

static void *second_thread(void *arg)
{
    int index;

    (void)arg;
    while (read(ask[0], &index, sizeof index) == sizeof index && index >= 0) {
        make_call(index);
        if (write(answer[1], &index, sizeof index) < 0)
            break;
    }
    return NULL;
}

static void hand_over(int index)
{
    if (write(ask[1], &index, sizeof index) < 0 ||
        (index >= 0 && read(answer[0], &index, sizeof index) < 0))
        abort();
}

static void make_calls(void)
{
    pthread_t other;
    bool two = m.plan->threads && !pipe(ask) && !pipe(answer) &&
               !pthread_create(&other, NULL, second_thread, NULL);

    for (int i = 0; i < m.plan->op_count && !m.out->error; i++) {
        if (m.plan->ops[i].skip)
            continue;
        if (two && m.plan->ops[i].thread)
            hand_over(i);
        else
            make_call(i);
    }
    if (two) {
        hand_over(-1);
        pthread_join(other, NULL);
    }
}

/* ---- before and after ---------------------------------------------------- */

static void make_streams(void)
{
    for (int i = 0; i < m.plan->stream_count; i++) {
        const struct stream *s = &m.plan->streams[i];

        set_device(s->device);
        if (s->kind == LEGACY)
            m.streams[i] = i % 2 ? cudaStreamLegacy : 0;
        else if (s->kind == PER_THREAD)
            m.streams[i] = cudaStreamPerThread;
        else
            check(cudaStreamCreateWithPriority(
                &m.streams[i],
                s->kind == BLOCKING ? cudaStreamDefault : cudaStreamNonBlocking,
                s->priority));
    }
    for (int i = 0; i < m.plan->event_count; i++) {
        set_device(m.plan->event_device[i]);
        check(cudaEventCreate(&m.events[i]));
    }
}

static void fill_buffer(int b)
{
    const struct buffer *buffer = &m.plan->buffers[b];
    size_t bytes = (size_t)buffer->bytes;

    for (int i = 0; i < buffer->bytes; i++)
        m.reference[b][i] = (char)(i * 7 + b);
    if (buffer->kind == DEVICE)
        check(cudaMemcpy(m.memory[b], m.reference[b], bytes,
                         cudaMemcpyHostToDevice));
    else
        memcpy(m.memory[b], m.reference[b], bytes);
}

/* A late one gets its memory from a call of the plan; what is expected in it is
 * kept from the start in any case. */
static void make_buffer(int b)
{
    const struct buffer *buffer = &m.plan->buffers[b];
    size_t bytes = (size_t)buffer->bytes;
    void *p = NULL;

    m.reference[b] = malloc(bytes);
    if (buffer->late)
        return;
    set_device(buffer->device);
    vgpu_call_site(site(-1 - b));
    switch (buffer->kind) {
    case DEVICE:
        check(cudaMalloc(&p, bytes));
        break;
    case PINNED:
        check(cudaMallocHost(&p, bytes));
        break;
    case MANAGED:
        check(cudaMallocManaged(&p, bytes, cudaMemAttachGlobal));
        break;
    default:
        p = malloc(bytes);
        if (buffer->kind == REGISTERED)
            check(cudaHostRegister(p, bytes, cudaHostRegisterDefault));
        break;
    }
    m.memory[b] = p;
    if (!m.out->error)
        fill_buffer(b);
}

static void wait_for_all(void)
{
    for (int d = 0; d < m.plan->devices; d++) {
        set_device(d);
        check(cudaDeviceSynchronize());
    }
}

static void begin(void)
{
    for (int d = 0; d < m.plan->devices && m.plan->peers; d++)
        for (int e = 0; e < m.plan->devices; e++) {
            set_device(d);
            if (d != e)
                check(cudaDeviceEnablePeerAccess(e, 0));
        }
    make_streams();
    for (int b = 0; b < m.plan->buffer_count; b++)
        make_buffer(b);
    wait_for_all();
    m.out->start_ns = vgpu_thread_self()->now_ns;
}

/* ---- byte by byte ---------------------------------------------------------
 */

/* The checker has found a conflict in [lo, hi), of so many bytes. */
static void observe(const struct layer *layer, uint64_t pc, unsigned kind,
                    uintptr_t lo, uintptr_t hi, unsigned bytes)
{
    (void)layer;
    (void)pc;
    (void)kind;
    m.out->hazards++;
    for (int b = 0; b < m.plan->buffer_count; b++) {
        uintptr_t base = (uintptr_t)m.memory[b];

        if (!base || lo < base || hi > base + (size_t)m.plan->buffers[b].bytes)
            continue;
        /* Where there are gaps only the ends are known: 2, not 1. */
        for (uintptr_t at = lo; at < hi; at++)
            if (bytes == hi - lo || at == lo || at == hi - 1)
                m.found[b][at - base] = 1;
            else if (!m.found[b][at - base])
                m.found[b][at - base] = 2;
    }
}

static void compare_found(int b)
{
    size_t bytes = (size_t)m.plan->buffers[b].bytes;
    char *must = calloc(1, bytes), *may = calloc(1, bytes);

    order_mark(m.order, b, true, must);
    order_mark(m.order, b, false, may);
    for (size_t i = 0; i < bytes; i++) {
        if (must[i] && !m.found[b][i] && m.out->lost_byte < 0)
            m.out->lost_byte = (int)i | b << 24;
        if (m.found[b][i] == 1 && !may[i] && m.out->extra_byte < 0)
            m.out->extra_byte = (int)i | b << 24;
    }
    free(must);
    free(may);
    free(m.found[b]);
}

static void compare_buffer(int b)
{
    const struct buffer *buffer = &m.plan->buffers[b];
    size_t bytes = (size_t)buffer->bytes;
    char *got = malloc(bytes);

    if (buffer->kind == DEVICE)
        check(cudaMemcpy(got, m.memory[b], bytes, cudaMemcpyDeviceToHost));
    else
        memcpy(got, m.memory[b], bytes);
    for (size_t i = 0; i < bytes; i++) {
        m.out->digest = (m.out->digest ^ (unsigned char)got[i]) * 0x100000001b3;
        if (got[i] != m.reference[b][i] && m.out->wrong_op == -2) {
            m.out->wrong_op = -1;
            m.out->wrong_at = (int)i | b << 24;
        }
    }
    free(got);
}

/* Time does not run backwards between two records that are in order. */
static void check_events(void)
{
    const int *at = m.order->now.event;
    float ms;

    for (int a = 0; a < m.plan->event_count; a++)
        for (int b = 0; b < m.plan->event_count; b++) {
            if (at[a] < 0 || at[b] < 0 ||
                m.plan->event_device[a] != m.plan->event_device[b] ||
                !order_before(m.order, at[a], at[b], false))
                continue;
            check(cudaEventElapsedTime(&ms, m.events[a], m.events[b]));
            if (ms < 0)
                m.out->backwards = b + 1;
        }
}

/* What a pool holds, the checker knows of: a leak checker of the host would
 * find neither. */
static void empty_pools(void)
{
    cudaMemPool_t pool;
    int has;

    for (int device = 0; device < m.plan->devices; device++) {
        check(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported,
                                     device));
        if (!has)
            continue;
        check(cudaDeviceGetDefaultMemPool(&pool, device));
        check(cudaMemPoolTrimTo(pool, 0));
    }
}

static void clean_up(void)
{
    for (int i = 0; i < m.plan->graph_count; i++)
        if (m.graphs[i]) {
            check(cudaGraphExecDestroy(m.graphs[i]));
            check(cudaGraphDestroy(m.made[i]));
        }
    for (int i = 0; i < m.plan->stream_count; i++)
        if (!m.destroyed[i] && m.streams[i] > cudaStreamPerThread)
            check(cudaStreamDestroy(m.streams[i]));
    for (int i = 0; i < m.plan->event_count; i++)
        check(cudaEventDestroy(m.events[i]));
    for (int b = 0; b < m.plan->buffer_count; b++) {
        enum buffer_kind kind = m.plan->buffers[b].kind;

        free(m.reference[b]);
        if (!m.memory[b] || m.freed[b])
            continue;
        if (kind == REGISTERED)
            check(cudaHostUnregister(m.memory[b]));
        if (kind == REGISTERED || kind == PAGEABLE)
            free(m.memory[b]);
        else
            check(kind == PINNED ? cudaFreeHost(m.memory[b])
                                 : cudaFree(m.memory[b]));
    }
    empty_pools();
}

/* Results are compared only when the stream's work is known to be over, and not
 * after an error, which leaves them open. */
void plan_run(const struct plan *plan, const struct order *order, bool bytewise,
              struct outcome *outcome)
{
    memset(&m, 0, sizeof m);
    memset(outcome, 0, sizeof *outcome);
    outcome->wrong_op = -2;
    outcome->lost_byte = outcome->extra_byte = -1;
    outcome->digest = 0xcbf29ce484222325;
    m.plan = plan;
    m.order = order;
    m.out = outcome;
    m.now = -1;
    begin();
    for (int b = 0; b < plan->buffer_count && bytewise; b++)
        m.found[b] = calloc(1, (size_t)plan->buffers[b].bytes);
    checker.hazard.observer = bytewise ? observe : NULL;
    make_calls();
    m.now = -1;
    if (!outcome->error)
        wait_for_all();
    outcome->end_ns = vgpu_thread_self()->now_ns;
    if (!bytewise)
        outcome->hazards = vgpu_check_hazards();
    checker.hazard.observer = NULL;
    for (int b = 0; b < plan->buffer_count && bytewise && !outcome->error; b++)
        compare_found(b);
    if (!outcome->error)
        check_events();
    for (int b = 0; b < plan->buffer_count && !outcome->error; b++)
        if (m.memory[b] && !m.freed[b])
            compare_buffer(b);
    if (!outcome->error)
        clean_up();
    outcome->finished = true;
}
