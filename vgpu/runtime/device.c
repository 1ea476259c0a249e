/*
 * device.c: devices: how many, which is current, what they report, peers,
 * waiting for one, resetting one.
 *
 * Facts come from each device's profile; what CUDA reports and the profile does
 * not know is what an H200 with CUDA 13 says, or nothing.
 *
 * Source: manual, "Device Management".
 */
#include "array.h"
#include "capture.h"

#include <stdio.h>
#include <string.h>

API(cudaGetDeviceCount, int *count)
{
    if (!count)
        return cudaErrorInvalidValue;
    *count = vgpu_rt.device_count;
    return cudaSuccess;
}

/* Current for the calling thread only. Since CUDA 12 this makes the device's
 * context, too; here its cost comes with the first call that needs one. */
API(cudaSetDevice, int device)
{
    /* Within a host function, too, the number is looked at first (observed).
     */
    const cudaError_t error = vgpu_call_late(
        call, vgpu_device_exists(device) ? VGPU_CALL_PLAIN : VGPU_CALL_INSIDE);

    if (error || !vgpu_device_exists(device))
        return error ? error : cudaErrorInvalidDevice;
    call->thread->device = device;
    call->thread->has_context = true;
    return vgpu_rt.devices[device].has_context ||
                   vgpu_rt.devices[device].sticky != cudaErrorDevicesUnavailable
               ? cudaSuccess
               : cudaErrorDevicesUnavailable;
}

/* Within a host function a place that is none is told first, here and where
 * cudaDeviceGetAttribute and cudaMallocManaged begin (observed). */
API(cudaGetDevice, int *device)
{
    const cudaError_t error =
        vgpu_call_late(call, device ? VGPU_CALL_PLAIN : VGPU_CALL_INSIDE);

    if (error || !device)
        return error ? error : cudaErrorInvalidValue;
    *device = call->thread->device;
    return cudaSuccess;
}

/* The flags would say how the context waits, which changes no result; the
 * context itself comes with the first call that needs one. */
API(cudaInitDevice, int device, unsigned int device_flags, unsigned int flags)
{
    (void)device_flags;
    (void)flags;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    return cudaSuccess;
}

/* A list to choose from for threads that never call cudaSetDevice: with devices
 * that differ in nothing but speed, the first is as good as any. */
API(cudaSetValidDevices, int *devices, int count)
{
    for (int i = 0; devices && i < count; i++)
        if (!vgpu_device_exists(devices[i]))
            return cudaErrorInvalidDevice;
    return cudaSuccess;
}

#define KEPT_FLAGS                                                             \
    ((unsigned)(cudaDeviceScheduleMask | cudaDeviceLmemResizeToMax |           \
                cudaDeviceSyncMemops | cudaDeviceMapHost))

/* Flags say how the host should wait and change no result; at most one way may
 * be asked for. */
API(cudaSetDeviceFlags, unsigned int flags)
{
    unsigned schedule = flags & cudaDeviceScheduleMask;

    if ((flags & ~(unsigned)cudaDeviceMask) || (schedule & (schedule - 1)))
        return vgpu_because(cudaErrorInvalidValue,
                            "flags has a bit that is none of a device's, or "
                            "more than one way to wait");
    vgpu_device_current()->flags = flags & KEPT_FLAGS;
    return cudaSuccess;
}

API(cudaGetDeviceFlags, unsigned int *flags)
{
    if (!flags)
        return cudaErrorInvalidValue;
    *flags = vgpu_device_current()->flags;
    if (vgpu_device_current()->has_context)
        *flags |= cudaDeviceMapHost;
    return cudaSuccess;
}

/* All of this device's work, in all of its streams, and of no other device's:
 * to wait for one GPU and take that for all is a mistake that courses meet
 * often. */
API(cudaDeviceSynchronize)
{
    cudaError_t error = vgpu_call_late(call, VGPU_CALL_CONTEXT);

    if (!error)
        error = vgpu_capture_wait_device(vgpu_device_current());
    if (!error)
        error = vgpu_wait_device(call->thread, vgpu_device_current(), true);
    if (!error)
        call->cost_ns += vgpu_pool_waited(vgpu_device_current()->index);
    vgpu_exec_flush_printf(); /* of what has failed, too */
    return error;
}

static void reset(struct vgpu_call *call, struct vgpu_device *device)
{
    bool dead = device->sticky != cudaSuccess;

    vgpu_wait_device(call->thread, device, true);
    vgpu_exec_flush_printf();
    vgpu_texture_reset(device->index);
    vgpu_array_reset(device->index);
    vgpu_memory_reset(device->index, call->pc);
    vgpu_symbols_reset(device->index);
    vgpu_repeat_wrote(NULL, 0);
    /* After a fault there is no new context in the same process. */
    device->sticky = dead ? cudaErrorDevicesUnavailable : cudaSuccess;
    vgpu_peer_reset(device->index);
    device->has_context = false;
    vgpu_device_settings_begin(device);
    vgpu_stream_reset(device->legacy);
    for (struct vgpu_stream *s = device->streams; s; s = s->next)
        s->excused = true;
    for (struct vgpu_event *e = vgpu_events; e; e = e->next)
        e->excused |= e->device == device->index;
    vgpu_handle_reset();
}

API(cudaDeviceReset)
{
    reset(call, vgpu_device_current());
    return cudaSuccess;
}

API(cudaDeviceGetCacheConfig, enum cudaFuncCache *config)
{
    if (!config)
        return cudaErrorInvalidValue;
    *config = vgpu_device_current()->cache_config;
    return cudaSuccess;
}

API(cudaDeviceSetCacheConfig, enum cudaFuncCache config)
{
    if ((unsigned)config > cudaFuncCachePreferEqual)
        return vgpu_invalid("it is none of cudaFuncCache");
    /* A preference, changes no result. */
    vgpu_device_current()->cache_config = config;
    return cudaSuccess;
}

/* Made up, one bus per device, and unique: enough to tell devices apart. */
API(cudaDeviceGetPCIBusId, char *id, int len, int device)
{
    if (!id || len < 13)
        return id ? vgpu_invalid("an id takes 13 characters, and there is room "
                                 "for %d",
                                 len)
                  : cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    snprintf(id, (size_t)len, "0000:%02x:00.0",
             (unsigned)vgpu_rt.devices[device].place + 1u);
    return cudaSuccess;
}

/* Reads what cudaDeviceGetPCIBusId made: the bus is the device's place in the
 * machine and one. */
API(cudaDeviceGetByPCIBusId, int *device, const char *id)
{
    unsigned bus;

    if (!device || !id)
        return cudaErrorInvalidValue;
    if (sscanf(id, "%*x:%x:", &bus) != 1)
        return vgpu_because(cudaErrorInvalidDevice,
                            "\"%s\" is not as cudaDeviceGetPCIBusId gives it",
                            id);
    for (int d = 0; d < vgpu_rt.device_count; d++)
        if (vgpu_rt.devices[d].place == (int)bus - 1) {
            *device = d;
            return cudaSuccess;
        }
    return vgpu_because(cudaErrorInvalidDevice, "no device is at %s", id);
}

/* Driver and runtime are one program here, and so are their versions. */
API(cudaRuntimeGetVersion, int *out)
{
    if (!out)
        return cudaErrorInvalidValue;
    *out = CUDART_VERSION;
    return cudaSuccess;
}

API(cudaDriverGetVersion, int *out)
{
    return vgpu_do_cudaRuntimeGetVersion(call, out);
}

/* What a timeline shows and a grader times lies between start and stop. */
API(cudaProfilerStart)
{
    vgpu_trace_mark("start", call->thread->now_ns);
    return cudaSuccess;
}

API(cudaProfilerStop)
{
    vgpu_trace_mark("stop", call->thread->now_ns);
    return cudaSuccess;
}
