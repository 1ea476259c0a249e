/* copy.h: how the calls that copy are written, for copy.c and symbol.c. */
#ifndef VGPU_COPY_H
#define VGPU_COPY_H

#include "rt.h"

/* What a copy call says apart from where its bytes are. */
struct vgpu_manner {
    const char *name; /* of the call */
    uint64_t pc;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool async;
};

/* The two forms of each call; kind and stream are parameters that it has or,
 * for want of one, what follows from its name. */
#define MANNER(name, kind, stream, async)                                      \
    ((struct vgpu_manner){#name, VGPU_PC, kind, stream, async})
#define NOW(name)   MANNER(name, kind, null_stream, false)
#define ASYNC(name) MANNER(name, kind, VGPU_STREAM(stream), true)

/* A whole call: @bytes in one piece; and one that gets no further than @error,
 * which is returned. Both without the lock. */
cudaError_t vgpu_copy_flat(struct vgpu_manner m, void *dst, const void *src,
                           size_t bytes);
cudaError_t vgpu_copy_refuse(struct vgpu_manner m, cudaError_t error);

#endif
