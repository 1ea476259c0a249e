/*
 * plan.h: a random CUDA program as data: made, ordered, printed and run.
 *
 * A *plan* is a list of calls. plan_make.c makes legal ones, plan_order.c
 * knows which calls CUDA orders (its own model, nothing of vgpu/ is used),
 * plan_print.c shows one as CUDA, plan_run.c runs one on the virtual GPU.
 */
#ifndef FUZZ_PLAN_H
#define FUZZ_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_DEVICES 3
#define MAX_STREAMS 14
#define MAX_EVENTS  12
#define MAX_BUFFERS 12
#define MAX_GRAPHS  3
#define MAX_OPS     400
#define MAX_INNER   24 /* calls of one graph */
#define MAX_NODES   960
#define NODE_WORDS  (MAX_NODES / 64)
#define CAPTURE_MAX 65536 /* a pageable source up to here is taken at once */

enum stream_kind { LEGACY, PER_THREAD, BLOCKING, NON_BLOCKING };

struct stream {
    enum stream_kind kind;
    int device;
    int priority;
    int thread; /* PER_THREAD: whose */
};

enum buffer_kind { DEVICE, PINNED, MANAGED, REGISTERED, PAGEABLE };

struct buffer {
    enum buffer_kind kind;
    int device;
    int bytes;
    bool late; /* made by an OP_ALLOC, not at the start */
    bool pool; /* by cudaMallocAsync: peers may copy it, no more */
};

/* @count pieces of @width bytes, @stride apart. */
struct span {
    int buffer; /* -1: none */
    int at;
    int stride;
    int width;
    int count;
};

enum op_kind {
    OP_KERNEL,
    OP_COPY,
    OP_PEER_COPY, /* cudaMemcpyPeer, or its Async form */
    OP_SET,
    OP_HOST_FUNCTION,
    OP_HOST, /* host code reads, or reads and writes */
    OP_RECORD,
    OP_WAIT,
    OP_EVENT_SYNC,
    OP_EVENT_SPIN,  /* query until done */
    OP_EVENT_QUERY, /* once */
    OP_STREAM_SYNC,
    OP_STREAM_SPIN,
    OP_STREAM_QUERY,
    OP_DEVICE_SYNC,
    OP_ALLOC, /* cudaMallocAsync, or cudaMalloc */
    OP_FREE,
    OP_STREAM_DESTROY,
    OP_CAPTURE,     /* begin, in @stream */
    OP_CAPTURE_END, /* and instantiate */
    OP_GRAPH_LAUNCH,
    OP_KINDS,
};

struct op {
    enum op_kind kind;
    int stream;
    int thread; /* 0 or 1: who makes the call */
    int device; /* current device at the call */
    int event;
    int graph;
    int child; /* GRAPH_LAUNCH in a capture: the graph that is taken in */
    bool async;
    bool atomic; /* KERNEL: adds to @dst */
    bool captured;
    bool keep; /* the program makes no sense without it */
    bool skip; /* left out */
    int value;
    int blocks, threads;
    struct span dst;
    struct span src[2];
};

struct plan {
    uint64_t seed;
    int devices;
    bool peers;
    bool threads; /* two host threads, one call at a time */
    int stream_count, event_count, buffer_count, graph_count, op_count;
    struct stream streams[MAX_STREAMS];
    int event_device[MAX_EVENTS];
    struct buffer buffers[MAX_BUFFERS];
    struct op ops[MAX_OPS];
};

/* ---- plan_make.c --------------------------------------------------------- */

struct order;

uint64_t fuzz_random(uint64_t *state);
/* A legal program for @devices devices, @peers: that can reach each other. */
void plan_make(struct plan *plan, struct order *order, uint64_t seed,
               int devices, bool peers);
/* Leave out or weaken one call that orders others. Return: was there one? */
bool plan_weaken(struct plan *plan, uint64_t *random);

/* ---- plan_order.c -------------------------------------------------------- */

enum access_kind { READS, WRITES, ADDS };

struct access {
    struct span span;
    enum access_kind kind;
};

/* One step of the host or of a stream. What is ordered before it for
 * certain, and what perhaps is (the documentation can be read both ways). */
struct node {
    int op;
    int stream; /* that the call was made in, or -1: the host */
    bool soft;  /* cudaFree: needs order, but lack of it is no hazard */
    int access_count;
    struct access access[3];
    uint64_t sure[NODE_WORDS];
    uint64_t perhaps[NODE_WORDS];
    int steps; /* copies and kernels on the longest way here */
    int cost;
};

struct inner {
    int op;
    int stream;     /* that it was captured in */
    uint32_t after; /* bits: inner calls */
};

struct graph_order {
    int count;
    struct inner inner[MAX_INNER];
};

/* All that changes from call to call, nodes apart. */
struct order_state {
    int count;
    int host;
    int last[MAX_STREAMS];
    int event[MAX_EVENTS];
    int graph_end[MAX_GRAPHS];
    int barrier[MAX_DEVICES];
    bool capturing;
    int origin;
    uint32_t tips[MAX_STREAMS];
    bool joined[MAX_STREAMS];
    uint32_t event_tips[MAX_EVENTS];
    struct graph_order graphs[MAX_GRAPHS];
};

struct order {
    const struct plan *plan;
    struct order_state now;
    struct node nodes[MAX_NODES];
};

void order_begin(struct order *order, const struct plan *plan);
/* The next call. */
void order_add(struct order *order, int op);
/* All of a plan. */
void order_build(struct order *order, const struct plan *plan);
bool order_before(const struct order *order, int a, int b, bool perhaps);
/*
 * A node before @to that conflicts with a node from @from up to @to and is
 * not ordered with it. @with: the later one. Return: the earlier, or -1.
 */
int order_conflict(const struct order *order, int from, int to, bool perhaps,
                   int *with);
/* Set the bytes of @buffer that two steps touch in conflict and unordered.
 * @perhaps  leave out what may be ordered, and what cudaFree does */
void order_mark(const struct order *order, int buffer, bool perhaps,
                char *marks);
/* Do two spans share a byte? */
bool span_meets(const struct span *a, const struct span *b);
/* Do two calls, seen as one step each, conflict? */
bool op_conflicts(const struct op *a, const struct op *b);
/* Which calls of a graph lie before inner call @at: bits. */
uint32_t graph_before(const struct graph_order *graph, int at);
int order_steps(const struct order *order);

/* ---- plan_print.c -------------------------------------------------------- */

void plan_print(const struct plan *plan);

/* ---- plan_run.c ---------------------------------------------------------- */

struct outcome {
    bool finished;
    int error;     /* first cudaError_t */
    int error_op;  /* -1: after the last */
    int wrong_op;  /* first wrong bytes seen by, or -2: none */
    int wrong_at;  /* byte of the buffer */
    int backwards; /* an event of a later record is earlier: its number + 1 */
    unsigned hazards;
    int64_t start_ns, end_ns;
    uint64_t digest; /* of all bytes at the end */
    int lost_byte;   /* not ordered, and not said: buffer << 24 | byte, or -1 */
    int extra_byte;  /* said to be not ordered, but is */
};

/*
 * Run it in this process, once.
 * @bytewise  see what the checker finds before it makes reports of it, and
 *            compare it byte by byte with what @order says; hazards are then
 *            counted here and not by the checker
 */
void plan_run(const struct plan *plan, const struct order *order, bool bytewise,
              struct outcome *outcome);

#endif
