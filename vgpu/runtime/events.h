/*
 * events.h: events, and what is shared with other processes; a part of rt.h.
 */
#ifndef VGPU_RUNTIME_EVENTS_H
#define VGPU_RUNTIME_EVENTS_H

/* ---- event.c ------------------------------------------------------------- */

struct vgpu_event {
    unsigned flags;
    int device;
    uint64_t pc;
    char name[VGPU_NAME_BYTES]; /* as the program names it, or "" */
    struct vgpu_op *op;         /* the latest record, or NULL */
    /* For event_notes.c: */
    uint64_t number;            /* of those that were made */
    uint64_t early_pc;          /* a wait before any record, or 0 */
    uint64_t asked_pc, lost_pc; /* the same of a host that asks; a record that
                                   another one replaced, unused; or 0 */
    const char *asked_by;
    char in[64], lost_in[64]; /* the streams of the last one, and of that */
    bool used;                /* somebody has asked for the last one */
    int rounds;               /* so many since one was asked for */
    bool excused;             /* as a stream's */

    struct vgpu_capture *capture; /* last recorded in one, or NULL */
    struct vgpu_tips *tips;
    struct vgpu_ipc_event *shared; /* with other processes, or NULL */
    int shared_file;
    struct vgpu_event *next, *previous;
};

cudaError_t vgpu_event_make(struct vgpu_call *call, cudaEvent_t *out,
                            unsigned flags);

struct vgpu_event *vgpu_event_find(cudaEvent_t handle);
extern struct vgpu_event *vgpu_events;
/* Record it in @stream, whose device it is of. */
cudaError_t vgpu_event_mark(struct vgpu_call *call, struct vgpu_event *event,
                            struct vgpu_stream *stream);
/* @op, enqueued, is its latest record. */
void vgpu_event_take(struct vgpu_event *event, struct vgpu_op *op);
/* ---- event_notes.c ------------------------------------------------------- */

/* @op, in @stream, is about to be its latest record. */
void vgpu_event_note_record(struct vgpu_event *event, const struct vgpu_op *op,
                            const struct vgpu_stream *stream);
/* @agent, of a stream or of the call's thread, waits for it; and: a stream
 * waits before any record. */
void vgpu_event_note_wait(struct vgpu_event *event, struct vgpu_agent *agent,
                          const struct vgpu_call *call);
void vgpu_event_note_early(struct vgpu_event *event,
                           const struct vgpu_call *call);
/* A time between two. */
void vgpu_event_note_elapsed(struct vgpu_event *start, struct vgpu_event *end,
                             const struct vgpu_call *call);
/* Nothing more happens to it: tell of who asked before any record. */
void vgpu_event_warn_early(const struct vgpu_event *event);

/* ---- ipc.c: other processes ----------------------------------------------
 */

#define VGPU_MEMORY_OPENED 0x08000000u /* it is another process's */
/* May another process end what this one waits for? As far as can be told: it
 * has children, or is one, or shares memory or has sockets. */
bool vgpu_ipc_others(void);
/* Memory is about to be freed: no handle leads to it any more. */
void vgpu_ipc_freed(const struct vgpu_memory *memory);
/* A file that stands for something of this process, or -1; another number for
 * it; is there one of this number; are two the same? */
int vgpu_ipc_file(void);
int vgpu_ipc_file_again(int file);
bool vgpu_ipc_is_file(int file);
bool vgpu_ipc_same_file(int a, int b);
/* A shared event was recorded; it is looked at; it goes. */
void vgpu_ipc_recorded(struct vgpu_event *event);
void vgpu_ipc_look(struct vgpu_event *event);
void vgpu_ipc_forget(struct vgpu_event *event);

#endif
