/* nvtx.c: what a program names with NVTX, ranges, marks, streams and events
 *
 * NVTX is headers: the first of its calls in a program loads the library that
 * NVTX_INJECTION64_PATH names, which then puts its own functions in the place
 * of those that do nothing. The same calls are taken as on the virtual GPU, in
 * vgpu/runtime/nvtx.c; colours, categories and domains go no further.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <nvtx3/nvToolsExt.h>

#include "recorder.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, ROOM = 128 };

/* Those of this thread that are not over; deeper ones are counted only. */
static _Thread_local size_t pushed[MAX_DEPTH];
static _Thread_local int depth;

/* A wide character outside of ASCII is told as '?'. */
static void narrow(char text[ROOM], const wchar_t *wide)
{
    size_t i = 0;

    for (; wide && wide[i] && i + 1 < ROOM; i++)
        text[i] = wide[i] < 0x80 ? (char)wide[i] : '?';
    text[i] = '\0';
}

/* @room  where a message of wide characters goes */
static const char *message_of(const nvtxEventAttributes_t *attributes,
                              char room[ROOM])
{
    const char *text = "";

    if (attributes && attributes->messageType == NVTX_MESSAGE_TYPE_ASCII)
        text = attributes->message.ascii;
    if (attributes && attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
        text = (const char *)attributes->message.registered;
    if (attributes && attributes->messageType == NVTX_MESSAGE_TYPE_UNICODE) {
        narrow(room, attributes->message.unicode);
        text = room;
    }
    return text ? text : "";
}

/* ---- ranges of a thread ---- */

static int push(const char *text)
{
    if (depth < MAX_DEPTH)
        pushed[depth] = recorder_begin_range(text);
    return depth++;
}

static int push_wide(const wchar_t *message)
{
    char text[ROOM];

    narrow(text, message);
    return push(text);
}

static int push_attributes(const nvtxEventAttributes_t *attributes)
{
    char room[ROOM];

    return push(message_of(attributes, room));
}

static int pop(void)
{
    if (!depth)
        return -1;
    depth--;
    if (depth < MAX_DEPTH)
        recorder_end_range(pushed[depth]);
    return depth;
}

/* ---- ranges that may end anywhere, and marks ---- */

static nvtxRangeId_t start(const char *message)
{
    return recorder_begin_range(message);
}

static nvtxRangeId_t start_attributes(const nvtxEventAttributes_t *attributes)
{
    char room[ROOM];

    return start(message_of(attributes, room));
}

static void end(nvtxRangeId_t id)
{
    recorder_end_range((size_t)id);
}

static void mark(const char *message)
{
    end(start(message));
}

static void mark_attributes(const nvtxEventAttributes_t *attributes)
{
    end(start_attributes(attributes));
}

/* ---- the same in a domain: all are one ---- */

static int domain_push(nvtxDomainHandle_t domain,
                       const nvtxEventAttributes_t *attributes)
{
    (void)domain;
    return push_attributes(attributes);
}

static int domain_pop(nvtxDomainHandle_t domain)
{
    (void)domain;
    return pop();
}

static nvtxRangeId_t domain_start(nvtxDomainHandle_t domain,
                                  const nvtxEventAttributes_t *attributes)
{
    (void)domain;
    return start_attributes(attributes);
}

static void domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id)
{
    (void)domain;
    end(id);
}

static void domain_mark(nvtxDomainHandle_t domain,
                        const nvtxEventAttributes_t *attributes)
{
    (void)domain;
    mark_attributes(attributes);
}

/* Its own copy, which lives as long as the program. */
static nvtxStringHandle_t register_string(nvtxDomainHandle_t domain,
                                          const char *text)
{
    (void)domain;
    return (nvtxStringHandle_t)(void *)strdup(text ? text : "");
}

/* ---- attaching ---- */

#define TAKE(module, name, function)                                           \
    {                                                                          \
        NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name,                  \
            (NvtxFunctionPointer)(function)                                    \
    }

/* A function of ours takes the place of one that has the same type. */
static const struct {
    NvtxCallbackModule module;
    unsigned id;
    NvtxFunctionPointer function;
} functions[] = {
    TAKE(CORE, MarkA, mark),
    TAKE(CORE, MarkEx, mark_attributes),
    TAKE(CORE, RangePushA, push),
    TAKE(CORE, RangePushW, push_wide),
    TAKE(CORE, RangePushEx, push_attributes),
    TAKE(CORE, RangePop, pop),
    TAKE(CORE, RangeStartA, start),
    TAKE(CORE, RangeStartEx, start_attributes),
    TAKE(CORE, RangeEnd, end),
    TAKE(CORE2, DomainMarkEx, domain_mark),
    TAKE(CORE2, DomainRangePushEx, domain_push),
    TAKE(CORE2, DomainRangePop, domain_pop),
    TAKE(CORE2, DomainRangeStartEx, domain_start),
    TAKE(CORE2, DomainRangeEnd, domain_end),
    TAKE(CORE2, DomainRegisterStringA, register_string),
    TAKE(CUDART, NameCudaStreamA, recorder_name_stream),
    TAKE(CUDART, NameCudaEventA, recorder_name_event),
};

/* Called by the first call of NVTX in a program.
 * Return: 1: what is taken here is taken, all else does nothing; 0: all of it.
 */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get)
{
    const NvtxExportTableCallbacks *const callbacks = get(NVTX_ETID_CALLBACKS);
    const char *const trace = getenv("TIMELINE_TRACE");
    NvtxFunctionTable table;
    unsigned num;

    if (!trace || !*trace || !callbacks)
        return 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (callbacks->GetModuleFunctionTable(functions[i].module, &table,
                                              &num) &&
            functions[i].id < num && table[functions[i].id])
            *table[functions[i].id] = functions[i].function;
    return 1;
}
