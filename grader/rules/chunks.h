/*
 * chunks.h: the mistakes that students make with the three operations of a
 * chunk, as they look from outside. For the labs that decrypt an array in
 * chunks, one per stream.
 */
#ifndef GRADER_RULES_CHUNKS_H
#define GRADER_RULES_CHUNKS_H

#include "case/case.h"
#include "case/reference.h"

/* Where calls were seen: for a run on a real GPU that is another one. */
static inline const struct case_run *seen_run(const struct case_run *run)
{
    return run->virtual_run ? run->virtual_run : run;
}

/* What a trace of the virtual GPU shows of one run's region. */
struct trace_facts {
    bool there;
    struct trace_way {
        unsigned copies;
        uint64_t bytes, longest; /* of all, of one copy */
        char at[64];             /* the first, "lab.cu:31", or "" */
    } in, back;
    bool apart; /* those are in more or fewer streams than these */
    unsigned kernels;
    bool kernel_first;        /* ahead of the first copy in */
    bool unordered;           /* some of it, by the checker */
    unsigned kernels_default; /* in the legacy default stream */
    unsigned copies_default;
    bool by_threads;        /* other ones than the host's first */
    bool threads_left;      /* they still call when the function is done */
    unsigned streams;       /* other streams that were used */
    unsigned waits;         /* of the host, by the student */
    unsigned waits_between; /* those with work issued after */
    unsigned waits_early;   /* those for nothing that the work has */
    unsigned waits_short;   /* those for less than all of it */
    unsigned waits_of_events, records;
    unsigned blocking_copies; /* cudaMemcpy */
    unsigned pageable;
    uint64_t least_work, most_work; /* of one kernel */
    /* The first of them, likewise. */
    char kernel_at[64], wait_at[64]; /* in the default stream; in between */
    char early_at[64], short_at[64];
    char copy_at[64]; /* in the default stream, else one that blocks */
    const struct trace_op *few_threads; /* a kernel that has too few */
};
/* Without a @trace there is nothing. */
void trace_facts_take(struct trace_facts *facts, const struct trace *trace);
/* No copy of one way has more than an eighth, a quarter or half of the @bytes
 * that each should have: the size of another type was counted, or none. */
struct finding trace_explain_bytes(const struct trace_facts *facts,
                                   uint64_t bytes);

/* A copy that blocks, or what is in the default stream and has another. */
struct finding trace_explain_default(const struct trace *trace);
/* That, or a kernel that leaves most of the GPU idle. */
struct finding trace_explain_slow(const struct trace *trace);

/* The only GPU that the host waits for by calls @name: cudaDeviceSynchronize
 * waits for the current one alone. -1: none, several, or by an event. */
int trace_only_waited(const struct trace *trace, const char *name);

/* One lab's way of looking at it. */
struct chunks {
    uint64_t entries, streams;       /* of a run whose chunks are of one size */
    const struct trace_facts *trace; /* of a run under the checker */
    uint64_t trace_entries, trace_streams;
    int first_todo; /* number of the first left, or 0 */
};

/* Which operations went beyond the end of the buffers. */
struct overrun {
    bool any, apart, copy_in, kernel, copy_back; /* apart: not right there */
};

/* @host_guard, @device_guard: what is there after the run. */
void chunks_find_overrun(const struct reference *reference,
                         const uint64_t *host_guard,
                         const uint64_t *device_guard, struct overrun *overrun);

/* What a run that returned left behind. */
struct chunks_left {
    struct cells host, device;  /* in both buffers */
    struct overrun overrun;     /* behind them */
    bool running;               /* work that nobody waited for */
    const char *pending;        /* name of a CUDA error; NULL or "": none */
    const struct checked *seen; /* of that run */
};

/* Each looks at one kind of evidence; a finding without an id: nothing. */

/* Did it end by memory that is not there? By a launch of 0 blocks? */
bool chunks_is_illegal_address(const struct case_run *run);
bool chunks_is_empty_launch(const struct case_run *run);
/* The function did not return. */
struct finding chunks_explain_end(const struct case_run *run);
/* It returned before its work was done. */
struct finding chunks_explain_not_waited(const struct chunks *chunks);
/* Entries are wrong, in the run whose chunks are of one size. */
struct finding chunks_explain_wrong(const struct chunks *chunks,
                                    const struct chunks_left *left);
/* There is a hazard. */
struct finding chunks_explain_order(const struct chunks *chunks,
                                    const struct checked *checked);
/* It is slow. */
struct finding chunks_explain_slow(const struct chunks *chunks);

/* The operation of which some entries had no other part: "copy in", "kernel",
 * "copy back". NULL: there is none. */
const char *chunks_short_operation(const struct chunks_left *left,
                                   uint64_t entries);

/* Entries are left out, and as well something is done behind the end, as by
 * chunks of the right size that begin in the wrong places. */
struct finding chunks_explain_shift(const struct chunks_left *left);

bool cells_all(const struct cells *cells, enum cell kind, uint64_t entries);
/* Entries [from, to) hold @kind, and no others do. */
bool cells_cover(const struct cells *cells, enum cell kind, uint64_t from,
                 uint64_t to);

#endif
