/* copy.h: copies and what they are made of: places, symbols, the manner and the
 * sides of a call. */
#ifndef VGPU_COPY_H
#define VGPU_COPY_H

#include "rt.h"

/* What a copy call says apart from where its bytes are. */
struct vgpu_manner {
    struct vgpu_call *call;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool async;
    /* Of a batch: when its source may be read; 0: no batch. */
    enum cudaMemcpySrcAccessOrder order;
    int64_t more_bytes; /* that an engine moves with these, or that go with
                           others: then as many as there are, below 0 */
};

/* The two forms of each call. */
#define NOW(what)                                                              \
    ((struct vgpu_manner){                                                     \
        .call = call, .kind = what, .stream = call->null_stream})
#define ASYNC(what)                                                            \
    ((struct vgpu_manner){                                                     \
        .call = call, .kind = what, .stream = stream, .async = true})

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

/* The same bytes at both sides, in one piece. */
struct vgpu_sides vgpu_flat_sides(void *dst, const void *src, size_t bytes);
/* Rows of a pitch, of one slice. */
static inline struct vgpu_side vgpu_plain_side(const void *base, size_t pitch,
                                               size_t rows)
{
    return (struct vgpu_side){
        (void *)(uintptr_t)base, pitch, pitch * rows, NULL, {0, 0, 0}, false};
}

/* What a call does that begins with this. */
cudaError_t vgpu_copy_run(struct vgpu_manner m, const struct vgpu_sides *s);
/* The same within a call that has begun; and what it would refuse. */
cudaError_t vgpu_copy_enqueue(struct vgpu_manner m, const struct vgpu_sides *s);
cudaError_t vgpu_copy_check(const struct vgpu_sides *s);
/* The same: @bytes in one piece; and one that gets no further than @error,
 * which is returned. */
cudaError_t vgpu_copy_flat(struct vgpu_manner m, void *dst, const void *src,
                           size_t bytes);
cudaError_t vgpu_copy_refuse(struct vgpu_manner m, cudaError_t error);

/*
 * A call that two devices' default streams take part in: work from now in
 * @here waits for what the blocking streams of @device hold, and later work
 * there for what is in @here. Nothing where that is the same device.
 */
cudaError_t vgpu_copy_order_before(struct vgpu_call *call, int device,
                                   struct vgpu_stream *here);
cudaError_t vgpu_copy_order_after(struct vgpu_call *call, int device,
                                  struct vgpu_stream *here);

/* A copy as a pattern for graphs, in no stream yet. Return: the call's
 * error; *@op is the caller's. */
cudaError_t vgpu_copy_pattern(const struct vgpu_sides *s,
                              enum cudaMemcpyKind kind, struct vgpu_op **op);
cudaError_t vgpu_copy_op(void *dst, const void *src, size_t bytes,
                         enum cudaMemcpyKind kind, struct vgpu_op **op);
cudaError_t vgpu_copy_op_3d(const struct cudaMemcpy3DParms *parms,
                            struct vgpu_op **op);

/* A graph is launched, and nothing in it comes before this copy: it takes its
 * pageable source now. */
void vgpu_copy_take(struct vgpu_op *op);
/* A copy's source that was taken at the call is needed no longer; or NULL. */
void vgpu_captured_give(void *captured, const struct vgpu_extent *extent);

/* ---- batch.c ------------------------------------------------------------- */

/* May batches go there? Return: as the calls do. */
cudaError_t vgpu_batch_stream(cudaStream_t handle);
/* Does each of @entries name the @first one of its own, of @count? */
bool vgpu_batch_indexed(const size_t *first, size_t entries, size_t count);
/* Return: cudaErrorInvalidValue, because they do not. */
cudaError_t vgpu_batch_unordered(void);

/* ---- staging.c ----------------------------------------------------------- */

/* Up to so many pageable bytes are taken before an asynchronous call returns,
 * says the manual. */
#define VGPU_CAPTURE_BYTES 65536

/* The host is held until @bytes for @stream's device find room. */
cudaError_t vgpu_staging_wait(struct vgpu_stream *stream, size_t bytes,
                              struct vgpu_thread *thread);
/* Those of @op, which is in @stream, lie there until it has ended. */
cudaError_t vgpu_staging_add(struct vgpu_stream *stream, struct vgpu_op *op);

/* ---- place.c ------------------------------------------------------------- */

/* Fill in what @base is; @bytes are checked against its allocation.
 * Return: cudaSuccess or cudaErrorInvalidValue. */
cudaError_t vgpu_place_find(struct vgpu_place *place, const void *base,
                            size_t pitch, size_t slice,
                            const struct vgpu_extent *extent);
/* May work of @stream use it now? */
bool vgpu_place_is_there(const struct vgpu_place *place,
                         const struct vgpu_stream *stream);
void vgpu_copy_do(const struct vgpu_op *op);
/* Its bytes alone, which the operation then need not bring any more. */
void vgpu_copy_bring(struct vgpu_op *op);
void vgpu_copy_lend(const struct vgpu_op *op); /* until then: pageable memory */
void vgpu_set_do(const struct vgpu_op *op);

/* ---- peer.c -------------------------------------------------------------- */

/* Warn where a call says of device memory, its @side of a copy, that it is on
 * device number @told, and it is on another one. */
void vgpu_peer_warn(const struct vgpu_call *call, const char *side, int told,
                    const void *pointer);

/* ---- symbol.c ------------------------------------------------------------ */

/*
 * The current device's copy of the variable that the linker has put at @symbol.
 * @bytes  in: that many from @offset on are meant; out: the variable's size,
 *         or 0 where it is not known
 * Return: cudaErrorInvalidSymbol for what is no variable, or the middle of one;
 * cudaErrorInvalidValue where it has fewer bytes.
 */
cudaError_t vgpu_symbol_find(const void *symbol, size_t *bytes, size_t offset,
                             char **address);
/*
 * The variable as one side of a copy of @bytes from @offset on.
 * @wrong  the direction that has the variable on the other side
 * Return: as above; cudaErrorInvalidMemcpyDirection for a @kind that is @wrong
 * or says that the variable were on the host.
 */
cudaError_t vgpu_symbol_side(const void *symbol, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind,
                             enum cudaMemcpyKind wrong, char **side);

#endif
