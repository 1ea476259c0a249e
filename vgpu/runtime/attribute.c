/*
 * attribute.c: what is kept to be asked for and changes nothing else: how a
 * stream uses the caches and waits.
 *
 * Source: manual, "Stream Management", "Device Management"; guide, "L2 Cache
 * Set-Aside".
 */
#include "rt.h"

#include <string.h>

/* ---- streams --------------------------------------------------------------
 */

/* A launch reads none of them but the priority, which is the stream's own. */
static void *kept(struct vgpu_stream *stream, cudaLaunchAttributeID which,
                  size_t *bytes)
{
    switch ((int)which) {
    case cudaLaunchAttributeAccessPolicyWindow:
        *bytes = sizeof stream->window;
        return &stream->window;
    case cudaLaunchAttributeSynchronizationPolicy:
        *bytes = sizeof stream->sync_policy;
        return &stream->sync_policy;
    case cudaLaunchAttributePriority:
        *bytes = sizeof stream->priority;
        return &stream->priority;
    }
    return NULL;
}

API(cudaStreamSetAttribute, cudaStream_t handle, cudaLaunchAttributeID which,
    const cudaLaunchAttributeValue *value)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    size_t bytes;
    void *at;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    at = kept(stream, which, &bytes);
    if (!value || !at)
        return cudaErrorInvalidValue;
    memcpy(at, value, bytes);
    return cudaSuccess;
}

API(cudaStreamGetAttribute, cudaStream_t handle, cudaLaunchAttributeID which,
    cudaLaunchAttributeValue *value)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    size_t bytes;
    const void *at;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    at = kept(stream, which, &bytes);
    if (!value || !at)
        return cudaErrorInvalidValue;
    memset(value, 0, sizeof *value);
    memcpy(value, at, bytes);
    /* Nobody has set one: no enumerator, on an H200 with CUDA 13.0. */
    if (at == &stream->sync_policy && !stream->sync_policy)
        memset(&value->syncPolicy, 0xff, sizeof value->syncPolicy);
    return cudaSuccess;
}

API(cudaStreamCopyAttributes, cudaStream_t to, cudaStream_t from)
{
    struct vgpu_stream *source = vgpu_stream_find(from);
    struct vgpu_stream *target = vgpu_stream_find(to);

    if (!source || !target)
        return cudaErrorInvalidResourceHandle;
    target->window = source->window;
    target->sync_policy = source->sync_policy;
    target->priority = source->priority;
    return cudaSuccess;
}

/* There are no caches. */
API(cudaCtxResetPersistingL2Cache)
{
    return cudaSuccess;
}
