/*
 * chunks.h: the mistakes that students make with the three operations of a
 * chunk, as they look from outside. For the labs that decrypt an array in
 * chunks, one per stream.
 */
#ifndef GRADER_RULES_CHUNKS_H
#define GRADER_RULES_CHUNKS_H

#include "case/case.h"
#include "case/reference.h"

/* What a trace of the virtual GPU shows of one run's region. */
struct trace_facts {
    bool there;
    unsigned kernels, copies_in, copies_back;
    unsigned kernels_default; /* in the legacy default stream */
    unsigned copies_default;
    unsigned streams;         /* other streams that were used */
    unsigned waits;           /* of the host, by the student */
    unsigned waits_between;   /* those with work issued after */
    unsigned blocking_copies; /* cudaMemcpy */
    unsigned pageable;
    uint64_t bytes_in, bytes_back;
    /* The first of them, "lab.cu:31", or "". */
    char kernel_at[64], wait_at[64]; /* in the default stream; in between */
    char copy_at[64]; /* in the default stream, else one that blocks */
};
void trace_facts_take(struct trace_facts *facts, const struct trace *trace);

/* One lab's way of looking at it. */
struct chunks {
    uint64_t entries, streams;       /* of a run whose chunks are of one size */
    const struct trace_facts *trace; /* of a run under the checker */
    uint64_t trace_entries, trace_streams;
    int first_todo; /* number of the first left, or 0 */
};

/* What a run that returned left behind. */
struct chunks_left {
    struct cells host, device; /* in both buffers */
    struct overrun overrun;    /* behind them */
    bool running;              /* work that nobody waited for */
    const char *pending;       /* name of a CUDA error; NULL or "": none */
};

/* Each looks at one kind of evidence; a finding without an id: nothing. */

/* Did a launch of 0 blocks end it? */
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

bool cells_all(const struct cells *cells, enum cell kind, uint64_t entries);
/* Entries [from, to) hold @kind, and no others do. */
bool cells_cover(const struct cells *cells, enum cell kind, uint64_t from,
                 uint64_t to);

#endif
