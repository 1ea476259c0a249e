/* traced.h: what is written down for a trace; a part of rt.h, which includes
 * it. With the runtime's lock, as there. */
#ifndef VGPU_TRACED_H
#define VGPU_TRACED_H

#include <stdint.h>

struct vgpu_call;
struct vgpu_event;
struct vgpu_op;
struct vgpu_stream;
struct vgpu_thread;

/* Start if VGPU_TRACE is set. */
void vgpu_trace_open(void);
void vgpu_trace_op(struct vgpu_op *op, const char *name);
void vgpu_trace_call(const struct vgpu_call *call);
void vgpu_trace_mark(const char *what, int64_t t_ns);
/* @op, which was traced, is a record of @event. */
void vgpu_trace_event(struct vgpu_op *op, const struct vgpu_event *event);
/* The program names the stream with this number; @name is copied. */
void vgpu_trace_stream(const struct vgpu_stream *stream, const char *name);
/* A part of the run that the program names (nvtx.c); @text is copied. */
void vgpu_trace_range(const char *text, const struct vgpu_thread *thread,
                      int64_t start_ns, uint64_t pc);
/* Write the file, whole or not at all. */
void vgpu_trace_close(void);

#endif
