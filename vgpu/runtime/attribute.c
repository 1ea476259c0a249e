/*
 * attribute.c: what is kept to be asked for and changes nothing else: how a
 * stream uses the caches and waits.
 *
 * Source: manual, "Stream Management", "Device Management"; guide, "L2 Cache
 * Set-Aside".
 */
#include "rt.h"

#include <string.h>

#define BEGIN(name)                                                            \
    struct vgpu_call call;                                                     \
    cudaError_t error = vgpu_call_begin(&call, name, VGPU_PC, VGPU_CALL_CONTEXT)
#define END return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns)

/* ---- streams --------------------------------------------------------------
 */

/* A launch reads none of them but the priority, which is the stream's own. */
static cudaError_t attribute(cudaStream_t handle, cudaLaunchAttributeID which,
                             cudaLaunchAttributeValue *out,
                             const cudaLaunchAttributeValue *in)
{
    struct vgpu_stream *stream = vgpu_stream_find(handle);
    void *kept;
    size_t bytes;

    if (!stream)
        return cudaErrorInvalidResourceHandle;
    if (!out && !in)
        return cudaErrorInvalidValue;
    if (which == cudaLaunchAttributeAccessPolicyWindow) {
        kept = &stream->window;
        bytes = sizeof stream->window;
    } else if (which == cudaLaunchAttributeSynchronizationPolicy) {
        kept = &stream->sync_policy;
        bytes = sizeof stream->sync_policy;
    } else if (which == cudaLaunchAttributePriority) {
        kept = &stream->priority;
        bytes = sizeof stream->priority;
    } else {
        return cudaErrorInvalidValue;
    }
    if (in) {
        memcpy(kept, in, bytes);
    } else {
        memset(out, 0, sizeof *out);
        memcpy(out, kept, bytes);
        /* Nobody has set one: no enumerator, on an H200 with CUDA 13.0. */
        if (kept == &stream->sync_policy && !stream->sync_policy)
            memset(&out->syncPolicy, 0xff, sizeof out->syncPolicy);
    }
    return cudaSuccess;
}

static cudaError_t set_attribute(cudaStream_t stream,
                                 cudaLaunchAttributeID which,
                                 const cudaLaunchAttributeValue *value,
                                 uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaStreamSetAttribute", pc, VGPU_CALL_CONTEXT);

    if (!error)
        error = attribute(stream, which, NULL, value);
    END;
}

VGPU_TWINS(cudaStreamSetAttribute, _ptsz,
           (cudaStream_t stream, cudaLaunchAttributeID which,
            const cudaLaunchAttributeValue *value),
           set_attribute(VGPU_STREAM(stream), which, value, VGPU_PC))

static cudaError_t get_attribute(cudaStream_t stream,
                                 cudaLaunchAttributeID which,
                                 cudaLaunchAttributeValue *value, uint64_t pc)
{
    struct vgpu_call call;
    cudaError_t error =
        vgpu_call_begin(&call, "cudaStreamGetAttribute", pc, VGPU_CALL_CONTEXT);

    if (!error)
        error = attribute(stream, which, value, NULL);
    END;
}

VGPU_TWINS(cudaStreamGetAttribute, _ptsz,
           (cudaStream_t stream, cudaLaunchAttributeID which,
            cudaLaunchAttributeValue *value),
           get_attribute(VGPU_STREAM(stream), which, value, VGPU_PC))

static cudaError_t copy_attributes(cudaStream_t to, cudaStream_t from,
                                   uint64_t pc)
{
    struct vgpu_stream *source = vgpu_stream_find(from);
    struct vgpu_stream *target = vgpu_stream_find(to);
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaStreamCopyAttributes", pc,
                                        VGPU_CALL_CONTEXT);

    if (!error && (!source || !target))
        error = cudaErrorInvalidResourceHandle;
    if (!error) {
        target->window = source->window;
        target->sync_policy = source->sync_policy;
        target->priority = source->priority;
    }
    END;
}

VGPU_TWINS(cudaStreamCopyAttributes, _ptsz,
           (cudaStream_t to, cudaStream_t from),
           copy_attributes(VGPU_STREAM(to), VGPU_STREAM(from), VGPU_PC))

/* There are no caches. */
cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    BEGIN("cudaCtxResetPersistingL2Cache");

    END;
}

/* ---- memory of graphs -----------------------------------------------------
 */

/* It stays where it is, so there is nothing to give back. */
cudaError_t cudaDeviceGraphMemTrim(int device)
{
    BEGIN("cudaDeviceGraphMemTrim");

    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    END;
}

static uint64_t graph_bytes(int device)
{
    uint64_t bytes = 0;

    for (struct vgpu_memory *m = vgpu_memory_first(); m;
         m = vgpu_memory_next(m))
        if (m->device == device && vgpu_memory_of_graph(m))
            bytes += m->bytes;
    return bytes;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                           enum cudaGraphMemAttributeType which,
                                           void *value)
{
    BEGIN("cudaDeviceGetGraphMemAttribute");

    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error && (!value || (unsigned)which > cudaGraphMemAttrReservedMemHigh))
        error = cudaErrorInvalidValue;
    if (!error)
        *(uint64_t *)value = graph_bytes(device);
    END;
}

/* Only a high-water mark may be set, and only to 0; it is the present value. */
cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                           enum cudaGraphMemAttributeType which,
                                           void *value)
{
    BEGIN("cudaDeviceSetGraphMemAttribute");

    if (!error && !vgpu_device_exists(device))
        error = cudaErrorInvalidDevice;
    if (!error && (!value || (which != cudaGraphMemAttrUsedMemHigh &&
                              which != cudaGraphMemAttrReservedMemHigh)))
        error = cudaErrorInvalidValue;
    END;
}
