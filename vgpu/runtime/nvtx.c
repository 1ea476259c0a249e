/*
 * nvtx.c: parts of a run that a program names, for the trace.
 *
 * They cost no virtual time: what is measured with them is what would have
 * been without.
 */
#include "rt.h"
#include "nvToolsExt.h"
#include "nvToolsExtCudaRt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

struct range {
    char text[128];
    int64_t start_ns;
    uint64_t pc;
};

/* A range that any thread may end; a place is used again. */
static struct open_range {
    struct range range;
    uint64_t id; /* 0: free */
} * open_ranges;
static size_t open_room;
static uint64_t last_id;

/* Those of this thread that are not over; deeper ones are counted only. */
static VGPU_OWN struct range pushed[MAX_DEPTH];
static VGPU_OWN int depth;

/* The calls of several threads stand in the trace in the order of their clocks,
 * as CUDA's own do. A host function's thread has no clock to go by. */
static struct vgpu_thread *begin(void)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    if (!vgpu_rt.tracing || thread->in_host_function)
        return NULL;
    vgpu_thread_settle(thread);
    vgpu_thread_gate(thread);
    vgpu_lock(&vgpu_rt.lock);
    return thread;
}

static void end(struct vgpu_thread *thread)
{
    vgpu_unlock(&vgpu_rt.lock);
    vgpu_thread_left(thread);
}

/* A host function runs under the lock of who waits for it. */
static void hold(bool on)
{
    if (vgpu_thread_self()->in_host_function)
        return;
    if (on)
        vgpu_lock(&vgpu_rt.lock);
    else
        vgpu_unlock(&vgpu_rt.lock);
}

static void note(struct range *range, const char *text, uint64_t pc)
{
    const uint64_t site_pc = vgpu_thread_self()->site_pc;
    struct vgpu_thread *thread = begin();

    snprintf(range->text, sizeof range->text, "%s", text ? text : "");
    range->pc = site_pc ? site_pc : pc;
    vgpu_thread_self()->site_pc = 0;
    range->start_ns = thread ? thread->now_ns : 0;
    if (thread)
        end(thread);
}

static void finish(const struct range *range)
{
    struct vgpu_thread *thread = begin();

    if (!thread)
        return;
    vgpu_trace_range(range->text, thread, range->start_ns, range->pc);
    end(thread);
}

/* A wide character outside of ASCII is told as '?'. */
static void narrow(char *text, size_t bytes, const wchar_t *wide)
{
    size_t i = 0;

    for (; wide && wide[i] && i + 1 < bytes; i++)
        text[i] = wide[i] < 0x80 ? (char)wide[i] : '?';
    text[i] = '\0';
}

/* @room: where a message of wide characters goes. */
static const char *message_of(const nvtxEventAttributes_t *attributes,
                              char room[128])
{
    if (!attributes)
        return "";
    if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII)
        return attributes->message.ascii;
    if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
        return (const char *)attributes->message.registered;
    if (attributes->messageType != NVTX_MESSAGE_TYPE_UNICODE)
        return "";
    narrow(room, 128, attributes->message.unicode);
    return room;
}

/* ---- ranges of a thread -------------------------------------------------- */

static int push(const char *text, uint64_t pc)
{
    if (depth < MAX_DEPTH)
        note(&pushed[depth], text, pc);
    return depth++;
}

int nvtxRangePushA(const char *message)
{
    return push(message, VGPU_PC);
}

int nvtxRangePushW(const wchar_t *message)
{
    char text[128];

    narrow(text, sizeof text, message);
    return push(text, VGPU_PC);
}

int nvtxRangePushEx(const nvtxEventAttributes_t *attributes)
{
    char room[128];

    return push(message_of(attributes, room), VGPU_PC);
}

int nvtxRangePop(void)
{
    if (!depth)
        return -1;
    depth--;
    if (depth < MAX_DEPTH)
        finish(&pushed[depth]);
    return depth;
}

/* ---- ranges that may end anywhere ---------------------------------------- */

/* The place of a range, or of a free one with @id 0. */
static struct open_range *find(uint64_t id)
{
    for (size_t i = 0; i < open_room; i++)
        if (open_ranges[i].id == id)
            return &open_ranges[i];
    return NULL;
}

static struct open_range *find_room(void)
{
    struct open_range *grown = find(0);

    if (grown)
        return grown;
    grown = realloc(open_ranges, (open_room + 16) * sizeof *grown);
    if (!grown)
        return NULL;
    memset(grown + open_room, 0, 16 * sizeof *grown);
    open_ranges = grown;
    open_room += 16;
    return find(0);
}

static nvtxRangeId_t start(const char *text, uint64_t pc)
{
    struct range range;
    struct open_range *place;
    uint64_t id = 0;

    note(&range, text, pc);
    hold(true);
    place = find_room();
    if (place) {
        id = place->id = ++last_id;
        place->range = range;
    }
    hold(false);
    return id;
}

nvtxRangeId_t nvtxRangeStartA(const char *message)
{
    return start(message, VGPU_PC);
}

nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes)
{
    char room[128];

    return start(message_of(attributes, room), VGPU_PC);
}

void nvtxRangeEnd(nvtxRangeId_t id)
{
    struct range range;
    struct open_range *place;

    hold(true);
    place = id ? find(id) : NULL;
    if (place) {
        range = place->range;
        place->id = 0;
    }
    hold(false);
    if (place)
        finish(&range);
}

/* ---- marks --------------------------------------------------------------- */

static void mark(const char *text, uint64_t pc)
{
    struct range range;

    note(&range, text, pc);
    finish(&range);
}

void nvtxMarkA(const char *message)
{
    mark(message, VGPU_PC);
}

void nvtxMarkEx(const nvtxEventAttributes_t *attributes)
{
    char room[128];

    mark(message_of(attributes, room), VGPU_PC);
}

/* ---- domains: all are one ------------------------------------------------ */

/* Not NULL, which would say that no tool is listening. */
static const char only_domain;

nvtxDomainHandle_t nvtxDomainCreateA(const char *name)
{
    (void)name;
    return (nvtxDomainHandle_t)(uintptr_t)&only_domain;
}

void nvtxDomainDestroy(nvtxDomainHandle_t domain)
{
    (void)domain;
}

int nvtxDomainRangePushEx(nvtxDomainHandle_t domain,
                          const nvtxEventAttributes_t *attributes)
{
    char room[128];

    (void)domain;
    return push(message_of(attributes, room), VGPU_PC);
}

int nvtxDomainRangePop(nvtxDomainHandle_t domain)
{
    (void)domain;
    return nvtxRangePop();
}

nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                     const nvtxEventAttributes_t *attributes)
{
    char room[128];

    (void)domain;
    return start(message_of(attributes, room), VGPU_PC);
}

void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain;
    nvtxRangeEnd(id);
}

void nvtxDomainMarkEx(nvtxDomainHandle_t domain,
                      const nvtxEventAttributes_t *attributes)
{
    char room[128];

    (void)domain;
    mark(message_of(attributes, room), VGPU_PC);
}

/* A registered string is its own copy, which lives as long as the program. */
nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain,
                                             const char *text)
{
    (void)domain;
    return (nvtxStringHandle_t)(void *)strdup(text ? text : "");
}

/* ---- names --------------------------------------------------------------- */

void nvtxInitialize(const void *reserved)
{
    (void)reserved;
}

void nvtxNameCategoryA(uint32_t category, const char *name)
{
    (void)category;
    (void)name;
}

/* A handle that is none has no name: these calls return no error. */
void nvtxNameCudaStreamA(cudaStream_t handle, const char *name)
{
    const struct vgpu_stream *stream;

    hold(true);
    stream = vgpu_rt.ready ? vgpu_stream_find(handle) : NULL;
    if (stream && name)
        vgpu_trace_stream(stream, name);
    hold(false);
}

void nvtxNameCudaEventA(cudaEvent_t handle, const char *name)
{
    struct vgpu_event *event;

    hold(true);
    event = vgpu_rt.ready ? vgpu_event_find(handle) : NULL;
    if (event && name)
        snprintf(event->name, sizeof event->name, "%s", name);
    hold(false);
}

void nvtxNameOsThreadA(uint32_t thread, const char *name)
{
    (void)thread;
    (void)name;
}
