/*
 * texture.h: arrays and texture objects for the facts about them, and results
 * of kernels as one line. Values are such that a GPU's filter is exact: weights
 * are multiples of 1/256, texels small whole numbers.
 */
#ifndef TEXTURE_H
#define TEXTURE_H

#include "fact.h"

#define TEXTURE_RESULTS 256

/* An array with these texels; height and depth may be 0. */
template <class T>
static inline cudaArray_t texture_array(const T *texels, size_t width,
                                        size_t height, size_t depth,
                                        unsigned int flags = 0)
{
    const struct cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    const size_t rows = height ? height : 1;
    struct cudaMemcpy3DParms copy;
    cudaArray_t array;

    MUST(cudaMalloc3DArray(&array, &desc, make_cudaExtent(width, height, depth),
                           flags));
    memset(&copy, 0, sizeof(copy));
    copy.srcPtr =
        make_cudaPitchedPtr((void *)texels, width * sizeof(T), width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, rows, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&copy));
    return array;
}

static inline struct cudaResourceDesc texture_resource(cudaArray_t array)
{
    struct cudaResourceDesc resource;

    memset(&resource, 0, sizeof(resource));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static inline struct cudaTextureDesc
texture_desc(enum cudaTextureAddressMode address,
             enum cudaTextureFilterMode filter, enum cudaTextureReadMode read,
             int normalized)
{
    struct cudaTextureDesc desc;

    memset(&desc, 0, sizeof(desc));
    for (int d = 0; d < 3; d++)
        desc.addressMode[d] = address;
    desc.filterMode = filter;
    desc.readMode = read;
    desc.normalizedCoords = normalized;
    return desc;
}

static inline cudaTextureObject_t
texture_make(const struct cudaResourceDesc *resource,
             const struct cudaTextureDesc *desc)
{
    cudaTextureObject_t object = 0;

    MUST(cudaCreateTextureObject(&object, resource, desc, NULL));
    return object;
}

/* Of an array: points, elements as they are, coordinates in texels. */
static inline cudaTextureObject_t texture_plain(cudaArray_t array)
{
    const struct cudaResourceDesc resource = texture_resource(array);
    const struct cudaTextureDesc desc = texture_desc(
        cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, 0);

    return texture_make(&resource, &desc);
}

/* Where kernels leave numbers. */
static inline float *texture_results(void)
{
    static float *results = NULL;

    if (!results)
        MUST(cudaMallocManaged((void **)&results,
                               TEXTURE_RESULTS * sizeof(float)));
    return results;
}

static inline void texture_show(const char *key, int count)
{
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());
    printf("%s=", key);
    for (int i = 0; i < count; i++)
        printf("%s%.9g", i ? " " : "", (double)texture_results()[i]);
    putchar('\n');
}

#endif
