/* batch.h: one call for one copy of a batch. Part of batch_*.cu. */
#ifndef BATCH_H
#define BATCH_H

#include "fact.h"

/* What the call of one copy is given, to be changed before it. */
struct batch {
    void *dsts[2];
    const void *srcs[2];
    size_t sizes[2];
    size_t first[2];
    cudaMemcpyAttributes attrs[2];
    size_t count, num_attrs;
};

static inline struct batch batch_of(void *dst, const void *src, size_t bytes,
                                    int order)
{
    struct batch b;

    memset(&b, 0, sizeof b);
    b.dsts[0] = dst;
    b.srcs[0] = src;
    b.sizes[0] = bytes;
    b.attrs[0].srcAccessOrder = (cudaMemcpySrcAccessOrder)order;
    b.count = b.num_attrs = 1;
    return b;
}

static inline cudaError_t batch_copy(struct batch *b, cudaStream_t stream)
{
    return cudaMemcpyBatchAsync(b->dsts, b->srcs, b->sizes, b->count, b->attrs,
                                b->first, b->num_attrs, stream);
}

#endif
