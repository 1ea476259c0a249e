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

API(cudaDeviceCanAccessPeer, int *can, int device, int peer)
{
    if (!can)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(device) || !vgpu_device_exists(peer))
        return cudaErrorInvalidDevice;
    *can = reachable(device, peer);
    return cudaSuccess;
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
API(cudaDeviceEnablePeerAccess, int peer, unsigned int flags)
{
    int here = call->thread->device;

    if (flags)
        return vgpu_because(cudaErrorInvalidValue, "flags is not 0");
    if (!vgpu_device_exists(peer))
        return cudaErrorInvalidDevice;
    if (!reachable(here, peer))
        return vgpu_because(cudaErrorPeerAccessUnsupported,
                            here == peer
                                ? "device %d is the current one itself"
                                : "device %d cannot be reached from device %d",
                            peer, here);
    if (vgpu_rt.devices[here].peers >> peer & 1)
        return vgpu_because(cudaErrorPeerAccessAlreadyEnabled,
                            "device %d was given access to device %d at %s",
                            here, peer,
                            vgpu_at(vgpu_rt.devices[here].peer_pc[peer]));
    set_access(here, peer, true);
    vgpu_rt.devices[here].peer_pc[peer] = call->pc;
    return cudaSuccess;
}

API(cudaDeviceDisablePeerAccess, int peer)
{
    int here = call->thread->device;

    if (!vgpu_device_exists(peer))
        return cudaErrorInvalidDevice;
    if (!(vgpu_rt.devices[here].peers >> peer & 1))
        return vgpu_because(cudaErrorPeerAccessNotEnabled,
                            "device %d has no access to device %d", here, peer);
    set_access(here, peer, false);
    return cudaSuccess;
}

/* All links of a profile are alike, so all have one rank, and do all atomics or
 * none. */
API(cudaDeviceGetP2PAttribute, int *value, enum cudaDeviceP2PAttr attr,
    int source, int destination)
{
    if (!value)
        return cudaErrorInvalidValue;
    if (source == destination)
        return vgpu_because(cudaErrorInvalidDevice,
                            "a device is no peer of itself");
    if (!vgpu_device_exists(source) || !vgpu_device_exists(destination))
        return cudaErrorInvalidDevice;
    if ((int)attr < 1 || attr > cudaDevP2PAttrOnlyPartialNativeAtomicSupported)
        return vgpu_invalid("there is no attribute %d of a link", (int)attr);
    *value = attr == cudaDevP2PAttrPerformanceRank ||
                     attr == cudaDevP2PAttrOnlyPartialNativeAtomicSupported
                 ? 0
                 : reachable(source, destination);
    return cudaSuccess;
}

/* With a device's context goes what others may do with its memory. */
void vgpu_peer_reset(int device)
{
    vgpu_rt.devices[device].peers = 0;
    for (int d = 0; d < vgpu_rt.device_count; d++)
        vgpu_rt.devices[d].peers &= ~(1ull << device);
}

/* ---- atomics over a link --------------------------------------------------
 */

/* What a link of the profile's does by itself, of one operation. */
static unsigned over_a_link(enum cudaAtomicOperation operation)
{
    const unsigned both =
        cudaAtomicCapabilityScalar32 | cudaAtomicCapabilityScalar64;
    const unsigned any =
        cudaAtomicCapabilitySigned | cudaAtomicCapabilityUnsigned;

    if (operation >= cudaAtomicOperationFloatAdd)
        return cudaAtomicCapabilityReduction | both;
    return operation >= cudaAtomicOperationAnd
               ? cudaAtomicCapabilityReduction | both
               : cudaAtomicCapabilityReduction | both | any;
}

static cudaError_t check_operations(const unsigned *capabilities,
                                    const enum cudaAtomicOperation *operations,
                                    unsigned count)
{
    if (!capabilities || !operations || !count)
        return count ? cudaErrorInvalidValue : vgpu_invalid("count is 0");
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)operations[i] > cudaAtomicOperationFloatMax)
            return vgpu_invalid("%d is no cudaAtomicOperation",
                                (int)operations[i]);
    return cudaSuccess;
}

/* None over PCI Express, by which all devices here reach the host. */
API(cudaDeviceGetHostAtomicCapabilities, unsigned int *capabilities,
    const enum cudaAtomicOperation *operations, unsigned int count, int device)
{
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    for (unsigned i = 0; capabilities && i < count; i++)
        capabilities[i] = 0;
    return check_operations(capabilities, operations, count);
}

API(cudaDeviceGetP2PAtomicCapabilities, unsigned int *capabilities,
    const enum cudaAtomicOperation *operations, unsigned int count, int source,
    int destination)
{
    cudaError_t error;

    if (!vgpu_device_exists(source) || !vgpu_device_exists(destination) ||
        source == destination)
        return source == destination
                   ? vgpu_because(cudaErrorInvalidDevice,
                                  "a device is no peer of itself")
                   : cudaErrorInvalidDevice;
    error = check_operations(capabilities, operations, count);
    for (unsigned i = 0; i < count && !error; i++)
        capabilities[i] =
            reachable(source, destination) ? over_a_link(operations[i]) : 0;
    return error;
}
