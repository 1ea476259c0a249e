/* store.h: what was recorded, and the trace that is written from it
 *
 * Knows nothing of CUPTI, so that it can be tested without a GPU. Not safe
 * for several threads: the caller locks. What the program's threads add,
 * frames, orders, ranges and names, may run beside the other store_add_...(),
 * not beside each other. Where memory runs out, records are dropped and a note
 * in the trace says so.
 */
#ifndef RECORDER_STORE_H
#define RECORDER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_FRAMES 8 /* of the host's call stack, innermost first */

struct store_device {
    uint32_t index, sms, copy_engines; /* 0: not known */
};

struct store_op {
    const char *kind, *engine, *mem; /* words of the format; mem may be "" */
    const char *name; /* copied; as the compiler mangled it, "" is allowed */
    uint32_t device, peer, context, stream; /* as the driver numbers them */
    uint32_t call;
    uint64_t bytes, start_ns, end_ns;
    uint32_t grid[3], block[3]; /* grid[0] 0: not a kernel */
    bool graph;                 /* a node of one */
    size_t after_at, num_after; /* what it comes after: found by store_sort() */
};

/* A record of an event in a stream, or a stream's wait for one. */
struct store_order {
    bool is_wait;
    uint32_t call, context, stream;
    uint64_t event; /* its handle */
    size_t record;  /* of a wait: the record waited for, from 1; 0: none.
                       This and the time are found by store_sort() */
    uint64_t t_ns;  /* of a record: when the work before it had ended, or 0 */
    size_t name;    /* of a record: the event's of that moment, from 1; 0: none.
                       Found by store_add_order() */
};

struct store_call {
    uint32_t id, thread; /* thread as the system numbers it */
    const char *name;    /* copied */
    uint64_t start_ns, end_ns;
};

void store_add_device(const struct store_device *device, const char *name);

/* A stream in the order of creation. is_default: the legacy default one;
 * non_blocking: that one and this do not wait for each other. */
void store_add_stream(uint32_t context, uint32_t stream, bool is_default,
                      bool non_blocking);

void store_add_op(const struct store_op *op);
void store_add_call(const struct store_call *call);

void store_add_order(const struct store_order *order);
void store_add_mark(bool start, uint64_t t_ns);
void store_add_note(const char *text);

/* Where a call came from: return addresses in the program. */
void store_add_frames(uint32_t call, const void *const frames[STORE_FRAMES]);

/* A part of the run that the program named. One that has not ended when the
 * trace is written is left out. Return: its number, from 1; 0 where memory ran
 * out. */
size_t store_begin_range(const char *name, uint64_t t_ns,
                         const void *const frames[STORE_FRAMES]);
void store_end_range(size_t range, uint32_t thread, uint64_t t_ns);

/* What the program calls a stream, or an event from now on: NULL forgets it,
 * for a new event may have the handle of an old one. */
void store_name_stream(uint32_t context, uint32_t stream, const char *name);
void store_name_event(uint64_t event, const char *name);

/* Write the trace, with times from the earliest record, and forget all.
 * Return: false with errno set. The file appears whole or not at all.
 */
bool store_write(const char *path);

/* The plain name of a mangled function: "_Z7decryptPmm" is "decrypt". Writes
 * the name unchanged where it is not mangled.
 */
void store_plain_name(const char *mangled, char *name, uint32_t size);

#endif
