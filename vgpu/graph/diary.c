/*
 * diary.c: what is told of captures: why a call fails that has to do with one,
 * and what goes past it
 *
 * Each reason names the capture by the line that began it, in its mode.
 */
#include "capturing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 256
#define NAME (2 * LINE)

static const char *const modes[] = {"cudaStreamCaptureModeGlobal",
                                    "cudaStreamCaptureModeThreadLocal",
                                    "cudaStreamCaptureModeRelaxed"};

/* The line of the call at @pc, in room that the caller has. */
#define AT(pc) vgpu_line_format(pc, (char[LINE]){0}, LINE)
/* What is captured, as a part of a sentence; the same. */
#define OF(capture) name_of(capture, (char[NAME]){0})

/* Nothing is formatted that nobody reads. */
#define BECAUSE(error, ...)                                                    \
    ((void)(vgpu_rt.checking && vgpu_because(error, __VA_ARGS__)))

static struct vgpu_page *pages;

static const char *stream_name(const struct vgpu_stream *stream)
{
    return vgpu_agent_label(stream->agent);
}

static const char *name_of(const struct vgpu_capture *capture, char *text)
{
    const struct vgpu_thread *const self = vgpu_thread_self();

    snprintf(text, NAME, "the capture of %s (begun at %s%s%s in %s)",
             stream_name(capture->origin), AT(capture->pc),
             capture->thread == self ? "" : " by ",
             capture->thread == self ? ""
                                     : vgpu_agent_label(capture->thread->agent),
             modes[capture->mode]);
    return text;
}

void vgpu_diary_spoiled(struct vgpu_capture *capture, cudaError_t error)
{
    capture->by.thread = vgpu_thread_self();
    capture->by.call = capture->by.thread->calling->name;
    capture->by.pc = capture->by.thread->calling->pc;
    capture->by.error = error;
}

void vgpu_diary_unsafe(const struct vgpu_capture *capture)
{
    const bool mine = capture->thread == vgpu_thread_self();

    BECAUSE(cudaErrorStreamCaptureUnsupported,
            "%s is under way, and this call may wait for the device; call "
            "it before, or begin in %s",
            OF(capture),
            mine ? modes[cudaStreamCaptureModeRelaxed]
                 : "cudaStreamCaptureModeThreadLocal, where other host "
                   "threads may call it");
}

void vgpu_diary_wait_stream(const struct vgpu_stream *stream)
{
    BECAUSE(cudaErrorStreamCaptureUnsupported,
            "%s is under way%s%s: its work is only written down and nothing "
            "of it runs, so there is nothing to wait for; wait after "
            "cudaStreamEndCapture and cudaGraphLaunch",
            OF(stream->capture),
            stream == stream->capture->origin ? "" : ", joined by ",
            stream == stream->capture->origin ? "" : stream_name(stream));
}

void vgpu_diary_wait_device(const struct vgpu_stream *stream)
{
    BECAUSE(cudaErrorStreamCaptureUnsupported,
            "%s is under way: while it is, no host thread may wait for the "
            "device, in no mode; wait for a stream that is not "
            "captured, or after cudaStreamEndCapture",
            OF(stream->capture));
}

void vgpu_diary_legacy(const struct vgpu_stream *stream)
{
    BECAUSE(cudaErrorStreamCaptureImplicit,
            "%s is under way, and the default stream is ordered with %s; "
            "name a stream here (cudaMemcpyAsync and the like have one), or "
            "create that one with "
            "cudaStreamNonBlocking",
            OF(stream->capture), stream_name(stream));
}

void vgpu_diary_event(const struct vgpu_event *event)
{
    const struct vgpu_capture *const capture = event->capture;

    if (capture->spoiled || !event->tips)
        BECAUSE(cudaErrorInvalidValue,
                "the event was recorded in %s, which %s: it stands for nothing "
                "until it is recorded again; with cudaEventRecordExternal each "
                "launch of the graph records it",
                OF(capture), capture->spoiled ? "is spoiled" : "has ended");
    else
        BECAUSE(cudaErrorCapturedEvent,
                "the event was recorded at %s, in %s: there it stands for a "
                "place in the graph, and for nothing that runs",
                AT(event->tips->record_pc), OF(capture));
}

void vgpu_diary_outside(const struct vgpu_stream *stream,
                        const struct vgpu_event *event)
{
    if (stream->legacy)
        BECAUSE(cudaErrorStreamCaptureImplicit,
                "the event was recorded at %s, in %s, which the default stream "
                "cannot join; name a stream here",
                AT(event->tips->record_pc), OF(event->capture));
    else
        BECAUSE(
            cudaErrorStreamCaptureIsolation,
            "%s is under way in %s, and the event was recorded outside of "
            "it, at %s: a capture waits for its own work alone; wait before "
            "it begins, record the event within it, or give "
            "cudaEventWaitExternal",
            OF(stream->capture), stream_name(stream), AT(event->op->pc));
}

void vgpu_diary_merge(const struct vgpu_capture *one,
                      const struct vgpu_capture *other)
{
    BECAUSE(cudaErrorStreamCaptureMerge,
            "this would make one of %s, and %s; two captures cannot meet",
            OF(one), OF(other));
}

void vgpu_diary_graph(const struct vgpu_capture *capture)
{
    BECAUSE(cudaErrorStreamCaptureUnsupported,
            "%s is under way, and a graph cannot be launched into a capture: "
            "cudaGraphAddChildGraphNode takes a graph into another",
            OF(capture));
}

void vgpu_diary_over(const struct vgpu_capture *capture)
{
    const struct vgpu_thread *const who = capture->by.thread;

    BECAUSE(cudaErrorStreamCaptureInvalidated,
            "%s was spoiled at %s, where %s failed with %s (%d)%s%s",
            OF(capture), AT(capture->by.pc), capture->by.call,
            cudaGetErrorName(capture->by.error), capture->by.error,
            who == vgpu_thread_self() ? "" : " in ",
            who == vgpu_thread_self() ? "" : vgpu_agent_label(who->agent));
}

void vgpu_diary_begin(const struct vgpu_stream *stream)
{
    if (stream->legacy)
        BECAUSE(cudaErrorStreamCaptureUnsupported,
                "the default stream cannot be captured, for it is ordered with "
                "others that are not; create a stream, or take "
                "cudaStreamPerThread");
    else
        BECAUSE(cudaErrorIllegalState, "%s is under way in %s already",
                OF(stream->capture), stream_name(stream));
}

void vgpu_diary_end(const struct vgpu_stream *stream)
{
    const struct vgpu_capture *const capture = stream->capture;

    if (!capture)
        BECAUSE(cudaErrorIllegalState,
                "no capture is under way in %s: none has begun there, or it "
                "has ended",
                stream_name(stream));
    else if (capture->thread != vgpu_thread_self() &&
             capture->mode != cudaStreamCaptureModeRelaxed)
        BECAUSE(cudaErrorStreamCaptureWrongThread,
                "%s can be ended by that host thread alone; in "
                "cudaStreamCaptureModeRelaxed by any",
                OF(capture));
    else
        BECAUSE(cudaErrorStreamCaptureUnmatched,
                "%s joined %s at %s: it ends in the stream in which it began",
                stream_name(stream), OF(capture), AT(stream->tips->join_pc));
}

/* The tips of a stream that has done nothing since are those of the event. */
void vgpu_diary_unjoined(const struct vgpu_capture *capture,
                         const struct vgpu_stream *stream)
{
    const struct vgpu_tips *const tips = stream->tips;
    const char *const name = stream_name(stream);

    BECAUSE(cudaErrorStreamCaptureUnjoined,
            "%s joined the capture begun at %s: it waits at %s for the "
            "event recorded at %s. Its work at %s is not joined back: after "
            "that line cudaEventRecord in %s, then cudaStreamWaitEvent in "
            "%s, before this call",
            name, AT(capture->pc), AT(tips->join_pc), AT(tips->record_pc),
            AT(tips->nodes[tips->count - 1]->pc), name,
            stream_name(capture->origin));
}

/* ---- what goes past ------------------------------------------------------ */

/* The capture that the thread has under way on the device of @stream, or NULL.
 */
static const struct vgpu_capture *under_way(const struct vgpu_thread *thread,
                                            const struct vgpu_stream *stream)
{
    for (const struct vgpu_capture *c = vgpu_captures; c; c = c->next)
        if (c->thread == thread && !c->spoiled &&
            c->origin->device == stream->device)
            return c;
    return NULL;
}

/* What a mark is for the program: a launch of a graph; of those that it does
 * not know nothing is said. */
void vgpu_capture_missed(const struct vgpu_op *op,
                         const struct vgpu_stream *stream, const char *what,
                         const struct vgpu_call *call)
{
    const struct vgpu_capture *const capture =
        vgpu_captures ? under_way(call->thread, stream) : NULL;
    char why[LINE];

    if (!capture || stream->inner || stream->of)
        return;
    if (op->kind == VGPU_OP_MARK && strcmp(what, "graph launch") != 0 &&
        strcmp(what, "event record") != 0)
        return;
    if (stream->legacy)
        snprintf(why, sizeof why,
                 "what names no stream goes to the default stream; name the "
                 "captured one for what the graph is to do");
    else
        snprintf(why, sizeof why, "%s has waited for no event of it",
                 stream_name(stream));
    vgpu_warn(not_captured, call->pc, .what = what,
              .agent = stream_name(stream), .object = OF(capture), .why = why);
}

struct vgpu_page *vgpu_diary_page(uint64_t pc)
{
    struct vgpu_page *page = pages;

    while (page && page->pc != pc)
        page = page->next;
    if (!page && vgpu_rt.checking && (page = calloc(1, sizeof *page))) {
        page->pc = pc;
        page->next = pages;
        pages = page;
    }
    return page;
}

void vgpu_capture_left(void)
{
    for (const struct vgpu_page *p = pages; p; p = p->next)
        if (p->ended && !p->ran)
            vgpu_warn(never_launched, p->pc);
    for (const struct vgpu_capture *c = vgpu_captures; c; c = c->next)
        vgpu_warn(capture_left, c->pc, .object = OF(c));
}
