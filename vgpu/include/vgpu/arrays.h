/*
 * arrays.h: calls for CUDA arrays, textures and surfaces; a part of
 * cuda_runtime_api.h.
 *
 * Source: CUDA Runtime API manual, "Memory Management", "Texture Object
 * Management", "Surface Object Management".
 *
 * Differs: an array's texels lie row by row, which no program can see. What is
 * not there is refused with cudaErrorNotSupported and a warning: mipmaps,
 * views, cubemaps, gathers, sRGB, sparse arrays.
 */
#ifndef VGPU_ARRAYS_H
#define VGPU_ARRAYS_H

struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w,
                      enum cudaChannelFormatKind kind);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc,
                               cudaArray_const_t array);
cudaError_t cudaMallocArray(cudaArray_t *array,
                            const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height VGPU_OR(0),
                            unsigned int flags VGPU_OR(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array,
                              const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent,
                              unsigned int flags VGPU_OR(0));
/* Waits for the device, as cudaFree does. */
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc,
                             struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array);

/* Offsets and widths in bytes, heights in rows. */
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y,
                                const void *src, size_t spitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y,
                                     const void *src, size_t spitch,
                                     size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch,
                                  cudaArray_const_t src, size_t x, size_t y,
                                  size_t width, size_t height,
                                  enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch,
                                       cudaArray_const_t src, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind,
                                       cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpy2DArrayToArray(
    cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
    size_t src_x, size_t src_y, size_t width, size_t height,
    enum cudaMemcpyKind kind VGPU_OR(cudaMemcpyDeviceToDevice));
/* Deprecated. @bytes go on from the end of a row to the next one. */
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y,
                              const void *src, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y,
                                   const void *src, size_t bytes,
                                   enum cudaMemcpyKind kind,
                                   cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x,
                                size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x,
                                     size_t y, size_t bytes,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpyArrayToArray(
    cudaArray_t dst, size_t dst_x, size_t dst_y, cudaArray_const_t src,
    size_t src_x, size_t src_y, size_t bytes,
    enum cudaMemcpyKind kind VGPU_OR(cudaMemcpyDeviceToDevice));

/* Destroying an object has the kernels done that are enqueued, and warns if
 * there are any. */
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture,
                                            cudaTextureObject_t object);
cudaError_t
cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
                                     cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t object);

/* What the C++ forms of cudaBindTexture and its kin call (older.h).
 * @object    the reference's; 0: bound to nothing
 * @resource  NULL: unbind
 * @texture   NULL: a surface */
cudaError_t vgpu_texture_bind(const char *name, unsigned long long *object,
                              const struct cudaResourceDesc *resource,
                              const struct cudaTextureDesc *texture);

#endif
