/*
 * peer.c: one device's access to another's memory. One direction at a time;
 * copies between devices work without it, through the host.
 */
#include "copy.h"

#include <string.h>

/* A device is no peer of itself, nor of one of another kind; and of a profile's
 * devices either all can reach each other or none, where the links between them
 * are there. */
static bool reachable(int device, int peer)
{
    const struct vgpu_profile *const own = vgpu_rt.devices[device].profile;
    const struct vgpu_profile *const other = vgpu_rt.devices[peer].profile;

    return device != peer && own->peer_possible &&
           (vgpu_rt.links[device] >> peer & 1) &&
           strcmp(own->name, other->name) == 0;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceCanAccessPeer",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && !can)
        error = cudaErrorInvalidValue;
    if (!error && (!vgpu_device_exists(device) || !vgpu_device_exists(peer)))
        error = cudaErrorInvalidDevice;
    if (!error)
        *can = reachable(device, peer);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* A number that is not that of the memory's device plays no part, as a
 * direction that is not where the bytes are plays none: see warn_kind() of
 * copy.c. */
void vgpu_peer_warn(const struct vgpu_call *call, const char *side, int told,
                    const void *pointer)
{
    const struct vgpu_memory *const memory = vgpu_memory_find(pointer);

    if (memory && memory->kind == VGPU_MEM_DEVICE && memory->device != told)
        vgpu_warn(copy_device, call->pc, .call = call->name, .side = side,
                  .told = told, .owner = memory->device);
}

/* Allocations that exist already become reachable, or not, with the rest. */
static void set_access(int device, int peer, bool on)
{
    vgpu_rt.devices[device].peers &= ~(1ull << peer);
    if (on)
        vgpu_rt.devices[device].peers |= 1ull << peer;
    vgpu_memory_set_peer(peer, device, on);
}

/* From the current device to @peer: access the other way is the other device's
 * to enable (guide, "Peer-to-Peer Memory Access"). */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    struct vgpu_call call;
    int here;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceEnablePeerAccess",
                                        VGPU_PC, VGPU_CALL_CONTEXT);

    here = call.thread->device;
    if (!error && flags)
        error = cudaErrorInvalidValue;
    if (!error && !vgpu_device_exists(peer))
        error = cudaErrorInvalidDevice;
    if (!error && !reachable(here, peer))
        error = cudaErrorPeerAccessUnsupported;
    if (!error && (vgpu_rt.devices[here].peers >> peer & 1))
        error = cudaErrorPeerAccessAlreadyEnabled;
    if (!error)
        set_access(here, peer, true);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    struct vgpu_call call;
    int here;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceDisablePeerAccess",
                                        VGPU_PC, VGPU_CALL_CONTEXT);

    here = call.thread->device;
    if (!error && !vgpu_device_exists(peer))
        error = cudaErrorInvalidDevice;
    if (!error && !(vgpu_rt.devices[here].peers >> peer & 1))
        error = cudaErrorPeerAccessNotEnabled;
    if (!error)
        set_access(here, peer, false);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}

/* All links of a profile are alike, so all have one rank. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
                                      int source, int destination)
{
    struct vgpu_call call;
    cudaError_t error = vgpu_call_begin(&call, "cudaDeviceGetP2PAttribute",
                                        VGPU_PC, VGPU_CALL_PLAIN);

    if (!error && (!value || (int)attr < 1 ||
                   attr > cudaDevP2PAttrCudaArrayAccessSupported))
        error = cudaErrorInvalidValue;
    if (!error && (!vgpu_device_exists(source) ||
                   !vgpu_device_exists(destination) || source == destination))
        error = cudaErrorInvalidDevice;
    if (!error)
        *value = attr == cudaDevP2PAttrPerformanceRank
                     ? 0
                     : reachable(source, destination);
    return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns);
}
