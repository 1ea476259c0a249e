/* cupti_recorder.c: record a CUDA program on a real GPU as a trace
 *
 *   CUDA_INJECTION64_PATH=$PWD/build/lib/librecorder.so \
 *       TIMELINE_TRACE=out.trace ./program
 *
 * The driver loads this library and calls InitializeInjection(), so that no
 * program is compiled again. TIMELINE_LINES=0 leaves out the source lines of
 * host calls: they cost a few microseconds for each call, and need host
 * debug information (nvcc -g) and addr2line. Without TIMELINE_TRACE nothing
 * is recorded. A program that is killed, or leaves by _exit(), writes
 * nothing. NVTX_INJECTION64_PATH with the same library takes what the program
 * names, see nvtx.c; where nobody sets it, what is named after CUDA's start.
 *
 * The record types are those of CUDA 12.0. Newer versions add to their ends;
 * the assertions below check that.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cupti.h>

#include "lines.h"
#include "recorder.h"
#include "store.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20)
#define BUFFER_ALIGN 8

#if CUPTI_API_VERSION >= 130000
#define SAME(old, new, field)                                                  \
    _Static_assert(offsetof(CUpti_Activity##old, field) ==                     \
                       offsetof(CUpti_Activity##new, field),                   \
                   "the record type has changed")
SAME(Kernel9, Kernel10, start);
SAME(Kernel9, Kernel10, end);
SAME(Kernel9, Kernel10, streamId);
SAME(Kernel9, Kernel10, gridX);
SAME(Kernel9, Kernel10, blockZ);
SAME(Kernel9, Kernel10, correlationId);
SAME(Kernel9, Kernel10, name);
SAME(Kernel9, Kernel10, graphId);
SAME(Memcpy5, Memcpy6, dstKind);
SAME(Memcpy5, Memcpy6, bytes);
SAME(Memcpy5, Memcpy6, streamId);
SAME(Memcpy5, Memcpy6, correlationId);
SAME(Memcpy5, Memcpy6, graphId);
SAME(Device4, Device5, numMultiprocessors);
SAME(Device4, Device5, id);
SAME(Device4, Device5, name);
SAME(Synchronization, Synchronization2, streamId);
SAME(Synchronization, Synchronization2, correlationId);
#endif

/* CUPTI's thread holds @lock for as long as it reads a whole buffer; the
 * program's threads must not wait for that, so call stacks have their own.
 * Both are taken in this order.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stacks_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *path;
static pid_t owner; /* children of the program write nothing */
static bool with_lines, subscribed, done, saw_host_function;
static CUpti_SubscriberHandle subscriber;

/* ---- from records of CUPTI to records of the store ---- */

/* What is not among CUPTI's records, the driver is asked for. Its library is
 * loaded already, but perhaps not for all to see; to link it would need it at
 * build time, too. */
static void *driver_function(const char *name)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);
    void *driver = symbol ? NULL : dlopen("libcuda.so.1", RTLD_NOW);

    return driver ? dlsym(driver, name) : symbol;
}

static uint32_t count_copy_engines(uint32_t device)
{
    enum { ASYNC_ENGINE_COUNT = 40 }; /* CU_DEVICE_ATTRIBUTE_... */
    int (*get)(int *, int, int) = NULL;
    void *const symbol = driver_function("cuDeviceGetAttribute");
    int count = 0;

    memcpy(&get, &symbol, sizeof get);
    if (!get || get(&count, ASYNC_ENGINE_COUNT, (int)device) != 0)
        return 0;
    return count > 0 ? (uint32_t)count : 0;
}

static void take_device(const CUpti_ActivityDevice4 *r)
{
    struct store_device device = {r->id, r->numMultiprocessors,
                                  count_copy_engines(r->id)};

    store_add_device(&device, r->name);
}

static void take_stream(const CUpti_ActivityStream *r)
{
    store_add_stream(r->contextId, r->streamId,
                     r->flag == CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL,
                     r->flag == CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING);
}

static void take_kernel(const CUpti_ActivityKernel9 *r)
{
    struct store_op op = {.kind = "kernel",
                          .engine = "sm",
                          .mem = "",
                          .name = r->name,
                          .device = r->deviceId,
                          .context = r->contextId,
                          .stream = r->streamId,
                          .call = r->correlationId,
                          .start_ns = r->start,
                          .end_ns = r->end,
                          .graph = r->graphId != 0,
                          .grid = {r->gridX, r->gridY, r->gridZ},
                          .block = {r->blockX, r->blockY, r->blockZ}};

    store_add_op(&op);
}

static const char *memory_word(uint8_t kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
        return "pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
        return "pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
        return "managed";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
        return "device";
    default:
        return "";
    }
}

/* What stays on the device is done by the multiprocessors. Host to host needs
 * no engine of the GPU: in a trace it is a host function. For the kind of
 * memory only the host's side is asked, since the other one is the device's.
 */
static void take_copy(const CUpti_ActivityMemcpy5 *r)
{
    struct store_op op = {.kind = "d2d",
                          .engine = "sm",
                          .mem = "device",
                          .name = "memcpy",
                          .device = r->deviceId,
                          .context = r->contextId,
                          .stream = r->streamId,
                          .call = r->correlationId,
                          .bytes = r->bytes,
                          .start_ns = r->start,
                          .end_ns = r->end,
                          .graph = r->graphId != 0};

    switch (r->copyKind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
        op.kind = op.engine = "h2d";
        op.mem = memory_word(r->srcKind);
        break;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
        op.kind = op.engine = "d2h";
        op.mem = memory_word(r->dstKind);
        break;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
        op.kind = "hostfn";
        op.engine = "host";
        op.mem = "";
        break;
    default:
        break;
    }
    store_add_op(&op);
}

static void take_peer_copy(const CUpti_ActivityMemcpyPtoP4 *r)
{
    struct store_op op = {.kind = "peer",
                          .engine = "peer",
                          .mem = "device",
                          .name = "memcpy peer",
                          .device = r->srcDeviceId,
                          .peer = r->dstDeviceId,
                          .context = r->contextId,
                          .stream = r->streamId,
                          .call = r->correlationId,
                          .bytes = r->bytes,
                          .start_ns = r->start,
                          .end_ns = r->end,
                          .graph = r->graphId != 0};

    store_add_op(&op);
}

static void take_memset(const CUpti_ActivityMemset4 *r)
{
    struct store_op op = {.kind = "memset",
                          .engine = "sm",
                          .mem = memory_word((uint8_t)r->memoryKind),
                          .name = "memset",
                          .device = r->deviceId,
                          .context = r->contextId,
                          .stream = r->streamId,
                          .call = r->correlationId,
                          .bytes = r->bytes,
                          .start_ns = r->start,
                          .end_ns = r->end,
                          .graph = r->graphId != 0};

    store_add_op(&op);
}

/* What the compiler makes of a launch, and calls that a check macro makes after
 * each line: they would bury the others. */
static bool is_noise(const char *name)
{
    static const char *const noise[] = {"__cuda", "cudaPushCall", "cudaPopCall",
                                        "cudaGetLastError",
                                        "cudaPeekAtLastError"};

    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (strncmp(name, noise[i], strlen(noise[i])) == 0)
            return true;
    return false;
}

/* "cudaMemcpyAsync_v3020" or "..._ptsz_v7000" without its tail. */
static void plain_call_name(const char *full, char *name, size_t size)
{
    static const char *const tails[] = {"_v", "_ptsz", "_ptds"};

    snprintf(name, size, "%s", full);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        char *tail = strstr(name, tails[i]);

        if (tail)
            *tail = '\0';
    }
}

/* The marks are calls, too: the region begins when cudaProfilerStart returns
 * and ends when cudaProfilerStop is entered, so that neither is in it. */
static void take_call(const CUpti_ActivityAPI *r)
{
    const char *full = NULL;
    char name[128];
    struct store_call call = {.id = r->correlationId,
                              .thread = r->threadId,
                              .name = name,
                              .start_ns = r->start,
                              .end_ns = r->end};

    if (r->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000)
        store_add_mark(true, r->end);
    if (r->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000)
        store_add_mark(false, r->start);
    if (r->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000 ||
        r->cbid == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_ptsz_v10000)
        saw_host_function = true;
    if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, r->cbid, &full) !=
            CUPTI_SUCCESS ||
        !full || r->correlationId == 0)
        return;
    plain_call_name(full, name, sizeof name);
    if (!is_noise(name))
        store_add_call(&call);
}

static void take_record(const CUpti_Activity *record)
{
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_DEVICE:
        take_device((const CUpti_ActivityDevice4 *)record);
        break;
    case CUPTI_ACTIVITY_KIND_STREAM:
        take_stream((const CUpti_ActivityStream *)record);
        break;
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
        take_kernel((const CUpti_ActivityKernel9 *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        take_copy((const CUpti_ActivityMemcpy5 *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        take_peer_copy((const CUpti_ActivityMemcpyPtoP4 *)record);
        break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
        take_memset((const CUpti_ActivityMemset4 *)record);
        break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
        take_call((const CUpti_ActivityAPI *)record);
        break;
    default:
        break;
    }
}

/* ---- what CUPTI calls ---- */

/* 1 MiB holds thousands of records: CUPTI asks seldom. */
static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size,
                                 size_t *max_records)
{
    *buffer = aligned_alloc(BUFFER_ALIGN, BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *max_records = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream,
                                 uint8_t *buffer, size_t size, size_t valid)
{
    CUpti_Activity *record = NULL;
    size_t dropped = 0;
    char text[80];

    (void)size;
    pthread_mutex_lock(&lock);
    while (!done &&
           cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        take_record(record);
    if (!done &&
        cuptiActivityGetNumDroppedRecords(context, stream, &dropped) ==
            CUPTI_SUCCESS &&
        dropped > 0) {
        snprintf(text, sizeof text, "CUPTI lost %zu records", dropped);
        store_add_note(text);
    }
    pthread_mutex_unlock(&lock);
    free(buffer);
}

/* A stream may be of another device than the current one. */
static CUcontext context_of(cudaStream_t stream, CUcontext current)
{
    int (*get)(cudaStream_t, CUcontext *) = NULL;
    void *const symbol = driver_function("cuStreamGetCtx");
    CUcontext context = NULL;

    memcpy(&get, &symbol, sizeof get);
    return get && get(stream, &context) == 0 && context ? context : current;
}

/* The stream's number in a record of CUPTI. A stream that has no handle of its
 * own is the default one of the call's kind. */
static bool find_stream(const CUpti_CallbackData *call, cudaStream_t stream,
                        struct store_order *order)
{
    const bool own = (uintptr_t)stream > 2; /* cudaStreamPerThread */
    const bool per_thread = (uintptr_t)stream == 2 ||
                            (!stream && strstr(call->functionName, "_ptsz"));
    CUcontext context = own ? context_of(stream, call->context) : call->context;

    return cuptiGetContextId(context, &order->context) == CUPTI_SUCCESS &&
           cuptiGetStreamIdEx(context, own ? stream : NULL, per_thread,
                              &order->stream) == CUPTI_SUCCESS;
}

/* Records of events and waits for them; what is captured becomes a graph, and
 * orders nothing now. The parameters are those of the call, in its order. */
static bool find_order(const CUpti_CallbackData *call,
                       struct store_order *order)
{
    static _Atomic int capturing;
    const char *const name = call->functionName;
    const bool is_wait = strncmp(name, "cudaStreamWaitEvent", 19) == 0;
    const struct {
        cudaEvent_t event;
        cudaStream_t stream;
    } *const record = call->functionParams;
    const struct {
        cudaStream_t stream;
        cudaEvent_t event;
    } *const wait = call->functionParams;
    const bool begins = strncmp(name, "cudaStreamBeginCapture", 22) == 0;
    const bool ends = strncmp(name, "cudaStreamEndCapture", 20) == 0;

    /* Others may have no value to look at. */
    if ((!begins && !ends && !is_wait &&
         strncmp(name, "cudaEventRecord", 15) != 0) ||
        *(const cudaError_t *)call->functionReturnValue != cudaSuccess)
        return false;
    capturing += begins - ends;
    if (begins || ends || capturing > 0)
        return false;
    *order = (struct store_order){
        .is_wait = is_wait,
        .call = call->correlationId,
        .event = (uintptr_t)(is_wait ? wait->event : record->event)};
    return find_stream(call, is_wait ? wait->stream : record->stream, order);
}

/* ---- what the program names ---- */

/* Before CUPTI has been started, too. It numbers threads in this way. */
static uint32_t own_thread(void)
{
    return (uint32_t)(uintptr_t)pthread_self();
}

static bool wants_lines(void)
{
    const char *const lines = getenv("TIMELINE_LINES");

    return !lines || strcmp(lines, "0") != 0;
}

size_t recorder_begin_range(const char *name)
{
    const void *frames[STORE_FRAMES] = {NULL};
    uint64_t now_ns = 0;
    size_t range = 0;

    if (wants_lines())
        lines_capture(frames, STORE_FRAMES);
    if (cuptiGetTimestamp(&now_ns) != CUPTI_SUCCESS)
        return 0;
    pthread_mutex_lock(&stacks_lock);
    if (!done)
        range = store_begin_range(name, now_ns, frames);
    pthread_mutex_unlock(&stacks_lock);
    return range;
}

void recorder_end_range(size_t range)
{
    uint64_t now_ns = 0;

    if (!range || cuptiGetTimestamp(&now_ns) != CUPTI_SUCCESS)
        return;
    pthread_mutex_lock(&stacks_lock);
    if (!done)
        store_end_range(range, own_thread(), now_ns);
    pthread_mutex_unlock(&stacks_lock);
}

/* The default streams have names of their own. */
void recorder_name_stream(void *stream, const char *name)
{
    const bool own = (uintptr_t)stream > 2; /* cudaStreamPerThread */
    CUcontext context = own && name ? context_of(stream, NULL) : NULL;
    uint32_t context_id, stream_id;

    if (!context || cuptiGetContextId(context, &context_id) != CUPTI_SUCCESS ||
        cuptiGetStreamIdEx(context, stream, 0, &stream_id) != CUPTI_SUCCESS)
        return;
    pthread_mutex_lock(&stacks_lock);
    if (!done)
        store_name_stream(context_id, stream_id, name);
    pthread_mutex_unlock(&stacks_lock);
}

void recorder_name_event(void *event, const char *name)
{
    pthread_mutex_lock(&stacks_lock);
    if (!done && event)
        store_name_event((uintptr_t)event, name);
    pthread_mutex_unlock(&stacks_lock);
}

/* ---- what CUPTI calls, for each call of the program ---- */

/* Its handle may be another event's soon. The parameter is the call's only one.
 */
static void forget_event(const CUpti_CallbackData *call)
{
    const cudaEvent_t *const event = call->functionParams;

    if (strncmp(call->functionName, "cudaEventDestroy", 16) == 0)
        recorder_name_event(*event, NULL);
}

/* On entry to each runtime call: remember where the program made it. On its
 * return: what it has put in order. CUPTI is asked without a lock. */
static void CUPTIAPI note_call(void *unused, CUpti_CallbackDomain domain,
                               CUpti_CallbackId id, const void *data)
{
    const CUpti_CallbackData *call = data;
    const bool enters = call->callbackSite == CUPTI_API_ENTER;
    const void *frames[STORE_FRAMES];
    struct store_order order;

    (void)unused;
    (void)id;
    if (domain != CUPTI_CB_DOMAIN_RUNTIME_API)
        return;
    if (enters)
        forget_event(call);
    if ((enters ? !with_lines : !find_order(call, &order)))
        return;
    if (enters)
        lines_capture(frames, STORE_FRAMES);
    pthread_mutex_lock(&stacks_lock);
    if (!done && enters)
        store_add_frames(call->correlationId, frames);
    else if (!done)
        store_add_order(&order);
    pthread_mutex_unlock(&stacks_lock);
}

/* ---- start and end ---- */

/* At the program's end. A child that fork() made runs this, too, and must not
 * write over the trace of its parent. Flushing hands over the last buffers and
 * takes the lock, so it is taken after that.
 */
static void finish(void)
{
    if (getpid() != owner)
        return;
    if (subscribed)
        cuptiUnsubscribe(subscriber);
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&stacks_lock);
    done = true;
    if (saw_host_function)
        store_add_note("host functions are not recorded on a real GPU");
    if (!store_write(path))
        fprintf(stderr, "recorder: %s: %s\n", path, strerror(errno));
    pthread_mutex_unlock(&stacks_lock);
    pthread_mutex_unlock(&lock);
}

/* Where the driver forbids it (a profiler is running, or only root may), the
 * reason is said once and the program goes on. */
static bool enable(CUpti_ActivityKind kind)
{
    CUptiResult result = cuptiActivityEnable(kind);
    const char *why = "";

    if (result == CUPTI_SUCCESS)
        return true;
    cuptiGetResultString(result, &why);
    fprintf(stderr, "recorder: cannot record (activity %d): %s\n", (int)kind,
            why);
    return false;
}

static bool enable_all(void)
{
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_DEVICE,  CUPTI_ACTIVITY_KIND_STREAM,
        CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        CUPTI_ACTIVITY_KIND_MEMCPY,  CUPTI_ACTIVITY_KIND_MEMCPY2,
        CUPTI_ACTIVITY_KIND_MEMSET};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!enable(kinds[i]))
            return false;
    return true;
}

static void enable_calls(void)
{
    const void *frames[STORE_FRAMES];

    with_lines = wants_lines();
    if (with_lines)
        lines_capture(frames, STORE_FRAMES); /* loads the unwinder now */
    subscribed = cuptiSubscribe(&subscriber, note_call, NULL) == CUPTI_SUCCESS;
    if (subscribed)
        cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
}

/* Called by the driver while it starts. Return: 1, always: a program runs
 * also where it cannot be recorded.
 */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
    path = getenv("TIMELINE_TRACE");
    if (!path || !*path || owner != 0)
        return 1;
    path = strdup(path); /* the program may change its environment */
    if (getenv("CUDA_INJECTION64_PATH"))
        setenv("NVTX_INJECTION64_PATH", getenv("CUDA_INJECTION64_PATH"), 0);
    owner = getpid();
    if (!path || cuptiActivityRegisterCallbacks(give_buffer, take_buffer) !=
                     CUPTI_SUCCESS) {
        fprintf(stderr, "recorder: CUPTI does not start\n");
        return 1;
    }
    if (enable_all()) {
        enable_calls();
        atexit(finish);
    }
    return 1;
}
