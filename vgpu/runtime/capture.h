/*
 * capture.h: what the runtime asks and tells graphs: a capture that may be
 * under way, and a launch whose conditions are to be decided. The rest of
 * graphs is none of the runtime's business: vgpu/graph knows the runtime, not
 * the other way round.
 *
 * With the runtime's lock held, as everything in rt.h.
 */
#ifndef VGPU_CAPTURE_H
#define VGPU_CAPTURE_H

#include <stdbool.h>

#include "cuda_runtime_api.h"

struct vgpu_call;
struct vgpu_device;
struct vgpu_event;
struct vgpu_graph_run;
struct vgpu_memory;
struct vgpu_op;
struct vgpu_stream;
struct vgpu_thread;

/* Work in a capturing stream becomes a node. */
cudaError_t vgpu_capture_op(struct vgpu_op *op, struct vgpu_stream *stream,
                            struct vgpu_call *call);
/* A graph's launch becomes none: 900. */
cudaError_t vgpu_capture_no_graph(struct vgpu_stream *stream);
/* A record or a wait that is a node of its own, which the graph's launches
 * make. Return: cudaErrorIllegalState where nothing is captured. */
cudaError_t vgpu_capture_event(struct vgpu_stream *stream,
                               enum cudaGraphNodeType type, cudaEvent_t event,
                               struct vgpu_call *call);
cudaError_t vgpu_capture_record(struct vgpu_event *event,
                                struct vgpu_stream *stream);
cudaError_t vgpu_capture_wait(struct vgpu_stream *stream,
                              struct vgpu_event *event);
/* @op went into @stream, which is not captured: tell of it where its thread may
 * believe that it is. */
void vgpu_capture_missed(const struct vgpu_op *op,
                         const struct vgpu_stream *stream, const char *what,
                         const struct vgpu_call *call);
/* The program ends: warn of captures that are under way still. */
void vgpu_capture_left(void);
/* Was it recorded last in a capture that is under way, or was spoiled? */
bool vgpu_capture_has(const struct vgpu_event *event);
void vgpu_capture_forget(struct vgpu_event *event);
/*
 * Each asks whether a kind of call may be made now.
 * Return: cudaSuccess, or the error; the capture is then spoiled.
 */
cudaError_t vgpu_capture_unsafe(struct vgpu_thread *thread);
/* The same of a call in @stream, which may be captured itself. */
cudaError_t vgpu_capture_unsafe_in(struct vgpu_thread *thread,
                                   struct vgpu_stream *stream);
cudaError_t vgpu_capture_wait_stream(struct vgpu_stream *stream);
cudaError_t vgpu_capture_wait_device(struct vgpu_device *device);
cudaError_t vgpu_capture_wait_event(struct vgpu_event *event);
/* The same, of a call that spoils none: what an event is in a capture. */
cudaError_t vgpu_capture_ask_event(const struct vgpu_event *event);
cudaError_t vgpu_capture_legacy(struct vgpu_stream *legacy);
/* A call in @stream failed with @error, which is returned. */
cudaError_t vgpu_capture_failed(struct vgpu_stream *stream, cudaError_t error);

/* ---- memory -------------------------------------------------------------- */

/* Memory that a node frees before what comes next in the capturing @stream; or
 * NULL. */
struct vgpu_memory *vgpu_capture_memory(const struct vgpu_stream *stream,
                                        int device, size_t bytes);
/* May a node free @memory in it? */
bool vgpu_capture_frees(const struct vgpu_stream *stream,
                        const struct vgpu_memory *memory);
/* All of the device's memory is free. */
void vgpu_graph_memory_reset(int device);

/* ---- launches ------------------------------------------------------------ */

void vgpu_run_unref(struct vgpu_graph_run *run);
/* The condition of a node is known: enqueue what follows from it. */
void vgpu_branch_do(struct vgpu_op *op);
/* The kernel that runs from now on is of @run, or of none. */
void vgpu_run_enter(struct vgpu_graph_run *run);

#endif
