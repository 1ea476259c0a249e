/*
 * order.h: what a run did, kept so that it can be asked what an order costs; a
 * part of rt.h, which includes it. Nothing of it is called where
 * vgpu_order.is_kept is false.
 */
#ifndef VGPU_ORDER_H
#define VGPU_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu_time.h"

struct vgpu_call;
struct vgpu_op;
struct vgpu_stream;
struct vgpu_thread;

/* Why an operation comes after another one. */
enum vgpu_order_why {
    VGPU_ORDER_STREAM, /* its stream, or a graph: no line can change that */
    VGPU_ORDER_EVENT,
    VGPU_ORDER_DEFAULT, /* the legacy default stream */
};

struct vgpu_order_edge {
    uint32_t from; /* a step's number */
    enum vgpu_order_why why;
    uint64_t pc; /* the line that makes it */
};

enum vgpu_order_sort {
    VGPU_STEP_OP,   /* the host issues an operation */
    VGPU_STEP_WAIT, /* it waits for one, */
    VGPU_STEP_SPIN, /* ... or asks for it again and again */
    VGPU_STEP_COST, /* it makes or gives back memory, which takes time */
};

/* What is kept of a host thread. */
struct vgpu_order_thread {
    int64_t held_ns; /* for a place in a stream's queue, at the last call */
    size_t wait;     /* the step of its last wait, or 0 */
    uint32_t memory; /* what it registers, or gives back */
    size_t read;     /* its last reading of a clock: its number, or 0 */
    bool asked;      /* ... and has asked for an end since */
    struct vgpu_order_spin {
        uint64_t pc;
        size_t step; /* none came since */
        int64_t since_ns, asked;
    } spin;
};

/* What a host thread did at one time. */
struct vgpu_order_step {
    enum vgpu_order_sort sort;
    int thread;
    int64_t from_ns, to_ns; /* its clock */
    uint64_t call_id, pc;
    const char *call;
    uint32_t op;      /* of a wait: the step that is waited for */
    uint32_t memory;  /* registered memory that it is about: its number */
    bool measured;    /* the program took the time right after it */
    bool is_known;    /* an operation's work */
    bool takes_place; /* in its stream's queue */
    bool is_default;  /* in the legacy default stream */
    uint32_t early;   /* a step's number; see vgpu_time_op */
    uint32_t stream;  /* as people see it */
    size_t edge, edges;
    struct vgpu_time_op in;
    struct vgpu_time_work work;
};

/* A host's clock was read: behind @step steps. */
struct vgpu_order_read {
    int thread;
    size_t step;
    int64_t first_ns, last_ns;
    bool is_one, asked;
};

/* What @from wrote, @to uses, or the other way round: steps' numbers. */
struct vgpu_order_use {
    uint32_t from, to;
};

/* Steps have the numbers 1, 2, ... */
struct vgpu_order {
    struct vgpu_order_step *steps;
    struct vgpu_order_edge *edges;
    struct vgpu_order_use *uses;
    struct vgpu_order_read *reads;
    size_t read_count, read_room;
    size_t step_count, step_room;
    size_t edge_count, edge_room;
    size_t use_count, use_room;
    bool is_kept;    /* in check mode, and for a trace */
    bool measures;   /* the program asks events for times */
    bool is_whole;   /* nothing is missing, as far as time is concerned */
    bool uses_whole; /* ... and all that operations use is in it */
};

extern struct vgpu_order vgpu_order;

/* From now on, where vgpu_order.is_kept says so. */
void vgpu_order_begin(void);
/* @op was told to the time model as @in. */
void vgpu_order_op(struct vgpu_op *op, const struct vgpu_stream *stream,
                   const struct vgpu_time_op *in);
/* What it does is known now. */
void vgpu_order_work(const struct vgpu_op *op);
/* The thread has waited for @op since @from_ns. */
void vgpu_order_wait(struct vgpu_thread *thread, const struct vgpu_op *op,
                     int64_t from_ns);
/* It has asked whether @op has ended. */
void vgpu_order_ask(struct vgpu_thread *thread, const struct vgpu_op *op,
                    bool has_ended);
/* A call is over. */
void vgpu_order_call(const struct vgpu_call *call);
/* The thread reads a clock. */
void vgpu_order_read(struct vgpu_thread *thread);
/* At the end: tell which lines make more order than needed. */
void vgpu_order_tell(void);
/* The same in a trace. Return: how many lines. */
size_t vgpu_order_put(FILE *out);

#endif
