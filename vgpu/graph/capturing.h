/*
 * capturing.h: a capture that is under way, for capture.c, which makes it, and
 * for diary.c, which tells people of it.
 */
#ifndef VGPU_GRAPH_CAPTURING_H
#define VGPU_GRAPH_CAPTURING_H

#include "capture.h"
#include "graph.h"

struct vgpu_capture {
    uint64_t id;
    struct vgpu_graph *graph;
    struct vgpu_stream *origin;
    struct vgpu_thread *thread; /* who began it, */
    uint64_t pc;                /* ... and where */
    struct vgpu_page *page;     /* or NULL */
    enum cudaStreamCaptureMode mode;
    bool spoiled;
    int refs; /* itself, streams, events */
    struct vgpu_capture *next;
    struct { /* the call that spoiled it */
        const char *call;
        uint64_t pc;
        cudaError_t error;
        const struct vgpu_thread *thread;
    } by;
};

/* The newest work in a capturing stream or event: several after a join. */
struct vgpu_tips {
    struct vgpu_node **nodes;
    size_t count;
    /* An event: where it was recorded. A stream: where the event was that it
     * joined the capture by, and where it did. */
    uint64_t record_pc, join_pc;
    bool worked; /* a stream: it has nodes of its own */
};

/* Those under way. */
extern struct vgpu_capture *vgpu_captures;

/* ---- diary.c: why a call about a capture fails, where somebody reads it ----
 *
 * Each is told before the call returns its error. */

/* For captures that begin at @pc; NULL where nobody reads of them. */
struct vgpu_page *vgpu_diary_page(uint64_t pc);
/* The call under way has spoiled @capture. */
void vgpu_diary_spoiled(struct vgpu_capture *capture, cudaError_t error);
void vgpu_diary_unsafe(const struct vgpu_capture *capture);
void vgpu_diary_wait_stream(const struct vgpu_stream *stream);
void vgpu_diary_wait_device(const struct vgpu_stream *stream);
void vgpu_diary_legacy(const struct vgpu_stream *stream);
void vgpu_diary_event(const struct vgpu_event *event);
void vgpu_diary_outside(const struct vgpu_stream *stream,
                        const struct vgpu_event *event);
void vgpu_diary_merge(const struct vgpu_capture *one,
                      const struct vgpu_capture *other);
void vgpu_diary_graph(const struct vgpu_capture *capture);
/* A call in a capture that was spoiled before. */
void vgpu_diary_over(const struct vgpu_capture *capture);
/* It cannot begin in @stream; it cannot end there. */
void vgpu_diary_begin(const struct vgpu_stream *stream);
void vgpu_diary_end(const struct vgpu_stream *stream);
/* ... of @capture, since @stream was not joined. */
void vgpu_diary_unjoined(const struct vgpu_capture *capture,
                         const struct vgpu_stream *stream);

#endif
