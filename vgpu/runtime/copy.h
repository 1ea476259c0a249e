/* copy.h: how the calls that copy are written, for copy.c, symbol.c
 * and array.c. */
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

/* Where the bytes are, in the one shape that all copy calls come to: rows of a
 * pitch, slices of rows. What kind of memory it is, is found out from it
 * (find_places). */
struct vgpu_side {
    void *base;
    size_t pitch;
    size_t slice;
    cudaArray_const_t array; /* in place of these, or NULL */
    struct cudaPos at;       /* there: x in bytes, of a box in elements */
    bool in_array;
};

struct vgpu_sides {
    struct vgpu_side dst, src;
    struct vgpu_extent extent;
    bool box;    /* given as cudaMemcpy3DParms */
    bool packed; /* the bytes go on from row to row: cudaMemcpyToArray */
};

/* Rows of a pitch, of one slice. */
static inline struct vgpu_side vgpu_plain_side(const void *base, size_t pitch,
                                               size_t rows)
{
    return (struct vgpu_side){
        (void *)(uintptr_t)base, pitch, pitch * rows, NULL, {0, 0, 0}, false};
}

/* A whole call. Without the lock. */
cudaError_t vgpu_copy_run(struct vgpu_manner m, const struct vgpu_sides *s);
/* The same: @bytes in one piece; and one that gets no further than @error,
 * which is returned. Both without the lock. */
cudaError_t vgpu_copy_flat(struct vgpu_manner m, void *dst, const void *src,
                           size_t bytes);
cudaError_t vgpu_copy_refuse(struct vgpu_manner m, cudaError_t error);

#endif
