/* batches.h: C++ forms of the calls that take batches, for pointers of any
 * type, and with one attribute or one place for all. Part of overloads.h. */

template <class T, class U>
VGPU_OVERLOAD cudaError_t
cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                     size_t count, struct cudaMemcpyAttributes *attrs,
                     size_t *first, size_t num_attrs, cudaStream_t stream)
{
    VGPU_SITE;
    return ::cudaMemcpyBatchAsync((void *const *)dsts,
                                  (const void *const *)srcs, sizes, count,
                                  attrs, first, num_attrs, stream);
}

template <class T, class U>
VGPU_OVERLOAD cudaError_t cudaMemcpyBatchAsync(
    T *const *dsts, U *const *srcs, const size_t *sizes, size_t count,
    struct cudaMemcpyAttributes attributes, cudaStream_t stream)
{
    size_t first = 0;

    VGPU_SITE;
    return ::cudaMemcpyBatchAsync((void *const *)dsts,
                                  (const void *const *)srcs, sizes, count,
                                  &attributes, &first, 1, stream);
}

#define VGPU_RANGES(call)                                                      \
    template <class T>                                                         \
    VGPU_OVERLOAD cudaError_t call(                                            \
        T **pointers, size_t *sizes, size_t count,                             \
        struct cudaMemLocation *locations, size_t *first,                      \
        size_t num_locations, unsigned long long flags, cudaStream_t stream)   \
    {                                                                          \
        VGPU_SITE;                                                             \
        return ::call((void **)pointers, sizes, count, locations, first,       \
                      num_locations, flags, stream);                           \
    }                                                                          \
    template <class T>                                                         \
    VGPU_OVERLOAD cudaError_t call(T **pointers, size_t *sizes, size_t count,  \
                                   struct cudaMemLocation location,            \
                                   unsigned long long flags,                   \
                                   cudaStream_t stream)                        \
    {                                                                          \
        size_t first = 0;                                                      \
        VGPU_SITE;                                                             \
        return ::call((void **)pointers, sizes, count, &location, &first, 1,   \
                      flags, stream);                                          \
    }
VGPU_RANGES(cudaMemPrefetchBatchAsync)
VGPU_RANGES(cudaMemDiscardAndPrefetchBatchAsync)
#undef VGPU_RANGES
