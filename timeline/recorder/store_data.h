/* store_data.h: the arrays of the store, for its two halves */
#ifndef RECORDER_STORE_DATA_H
#define RECORDER_STORE_DATA_H

#include "store.h"

#include <stddef.h>

struct store_stream {
    uint32_t context, stream;
    bool is_default, non_blocking;
    uint64_t number; /* as people know it */
};

/* An operation, from 1, and the wait by which another comes after it: a number
 * among the orders, num_orders + 1 for the default stream's, or 0. */
struct store_after {
    size_t op, via;
};

struct store_mark {
    bool start;
    uint64_t t_ns;
};

struct store_range {
    char *name;
    uint32_t thread;
    uint64_t start_ns, end_ns; /* end_ns 0: not over */
    const void *frames[STORE_FRAMES];
};

/* Of a stream, or of an event. Later ones take the place of earlier ones. */
struct store_name {
    uint32_t context, stream;
    uint64_t event; /* 0: a stream's */
    char *name;
};

struct store_stack {
    uint32_t call;
    const void *frames[STORE_FRAMES];
};

/* The name of a device, an operation or a call is the store's own copy. */
struct store_named_device {
    struct store_device d;
    char *name;
};

struct store {
    struct store_named_device *devices;
    struct store_stream *streams;
    struct store_op *ops;
    struct store_call *calls;
    struct store_mark *marks;
    struct store_stack *stacks;
    struct store_order *orders;
    struct store_range *ranges;
    struct store_name *names;
    struct store_after *after; /* the lists of all operations */
    char **notes;
    size_t num_devices, num_streams, num_ops, num_calls, num_marks, num_stacks,
        num_orders, num_ranges, num_names, num_after, num_notes;
    bool has_barrier;       /* a default stream puts something in order */
    _Atomic size_t dropped; /* records for which there was no memory */
};

extern struct store store_all;

/* The stack of a call, or NULL. Needs store_sort(). */
const struct store_stack *store_find_stack(uint32_t call);

/* What a stream (event 0) or an event (context and stream 0) is called: the
 * name's number, from 1, or 0. The name itself may be NULL. */
size_t store_find_name(uint32_t context, uint32_t stream, uint64_t event);

/* The operation of a call, or NULL. Needs store_sort(). */
const struct store_op *store_find_op(uint32_t call);

/* Order stacks, operations, records and waits by call, calls by start; number
 * the streams; find what comes after what. */
void store_sort(void);

/* Keep a list. Return: its place, SIZE_MAX where memory ran out. */
size_t store_add_after(const struct store_after *list, size_t num);

/* Fill in what each operation comes after, and what each wait waits for. */
void store_find_orders(void);

/* Free everything. */
void store_clear(void);

#endif
