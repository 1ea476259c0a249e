/*
 * launch_attributes.c: what streams, launches and kernels of graphs can be
 * given: one table of attributes, of whom each is, and which values it takes.
 *
 * Most change no result here: they are kept to be asked for. A launch reads
 * those that say how its blocks run.
 *
 * Source: manual, "Data types used by CUDA Runtime", cudaLaunchAttributeID;
 * guide, "L2 Cache Set-Aside", "Memory Synchronization Domains".
 */
#include "rt.h"

#include <string.h>

typedef const cudaLaunchAttributeValue value_of;

static bool any_value(value_of *value)
{
    (void)value;
    return true;
}

/* What misses may stay nowhere. */
static bool window_fits(value_of *value)
{
    const struct cudaAccessPolicyWindow *w = &value->accessPolicyWindow;
    const size_t most =
        vgpu_access_window_bytes(vgpu_device_current()->profile);

    return w->num_bytes <= most && w->hitRatio >= 0 && w->hitRatio <= 1 &&
           w->missProp != cudaAccessPropertyPersisting;
}

static bool policy_fits(value_of *value)
{
    return value->syncPolicy >= cudaSyncPolicyAuto &&
           value->syncPolicy <= cudaSyncPolicyBlockingSync;
}

static bool domain_fits(value_of *value)
{
    return (unsigned)value->memSyncDomain <= cudaLaunchMemSyncDomainRemote;
}

static bool map_fits(value_of *value)
{
    const int count = vgpu_sync_domain_count(vgpu_device_current()->profile);

    return value->memSyncDomainMap.default_ < count &&
           value->memSyncDomainMap.remote < count;
}

/* A node's is not looked at (observed). */
static bool scheduling_fits(value_of *value)
{
    return (unsigned)value->clusterSchedulingPolicyPreference <=
           cudaClusterSchedulingPolicyLoadBalancing;
}

static bool carveout_fits(value_of *value)
{
    return value->sharedMemCarveout <= cudaSharedmemCarveoutMaxShared;
}

#define ALL (VGPU_OF_STREAM | VGPU_OF_NODE | VGPU_OF_LAUNCH)
#define RUN (VGPU_OF_NODE | VGPU_OF_LAUNCH)

static const struct rule {
    cudaLaunchAttributeID id;
    unsigned of;
    bool (*fits)(value_of *value);
} rules[] = {
    {cudaLaunchAttributeIgnore, VGPU_OF_LAUNCH, any_value},
    {cudaLaunchAttributeAccessPolicyWindow, ALL, window_fits},
    {cudaLaunchAttributeCooperative, RUN, any_value},
    {cudaLaunchAttributeSynchronizationPolicy, VGPU_OF_STREAM, policy_fits},
    {cudaLaunchAttributeClusterDimension, RUN, any_value},
    {cudaLaunchAttributeClusterSchedulingPolicyPreference, VGPU_OF_LAUNCH,
     scheduling_fits},
    {cudaLaunchAttributeClusterSchedulingPolicyPreference, VGPU_OF_NODE,
     any_value},
    {cudaLaunchAttributeProgrammaticStreamSerialization, VGPU_OF_LAUNCH,
     any_value},
    {cudaLaunchAttributeProgrammaticEvent, VGPU_OF_LAUNCH, any_value},
    {cudaLaunchAttributePriority, ALL, any_value},
    {cudaLaunchAttributeMemSyncDomainMap, ALL, map_fits},
    {cudaLaunchAttributeMemSyncDomain, ALL, domain_fits},
    {cudaLaunchAttributePreferredClusterDimension, VGPU_OF_LAUNCH, any_value},
    {cudaLaunchAttributeLaunchCompletionEvent, VGPU_OF_LAUNCH, any_value},
    {cudaLaunchAttributeDeviceUpdatableKernelNode, RUN, any_value},
    {cudaLaunchAttributePreferredSharedMemoryCarveout, RUN, carveout_fits},
    {cudaLaunchAttributeNvlinkUtilCentricScheduling, RUN, any_value},
};

bool vgpu_attribute_fits(cudaLaunchAttributeID id, unsigned whose,
                         const cudaLaunchAttributeValue *value)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].id == id && (rules[i].of & whose))
            return rules[i].fits(value);
    return false;
}

static cudaError_t bad_attribute(cudaLaunchAttributeID id, const char *whose)
{
    return vgpu_invalid("attribute %d (cudaLaunchAttributeID) of %s is not "
                        "there, or cannot have this value",
                        (int)id, whose);
}

/* ---- launches ------------------------------------------------------------ */

/* The event is one without timing: nobody could say when it was. */
static cudaError_t event_trait(cudaEvent_t handle, int flags, unsigned never,
                               struct vgpu_event **to)
{
    struct vgpu_event *event = vgpu_event_find(handle);

    if (!event)
        return cudaErrorInvalidResourceHandle;
    if (flags)
        return vgpu_because(flags == cudaEventRecordExternal
                                ? cudaErrorIllegalState
                                : cudaErrorInvalidValue,
                            "the flags of a launch's event are not 0");
    if (!(event->flags & cudaEventDisableTiming) || (event->flags & never))
        return vgpu_because(cudaErrorNotSupported,
                            event->flags & cudaEventDisableTiming
                                ? "a launch's event has a flag that it cannot "
                                  "have"
                                : "a launch's event is to be made with "
                                  "cudaEventDisableTiming");
    *to = event;
    return cudaSuccess;
}

static void cluster_trait(value_of *value, uint32_t *to)
{
    to[0] = value->clusterDim.x;
    to[1] = value->clusterDim.y;
    to[2] = value->clusterDim.z;
}

/* All zeros say nothing. */
static bool is_given(const uint32_t cluster[3])
{
    return cluster[0] || cluster[1] || cluster[2];
}

static cudaError_t read_one(const cudaLaunchAttribute *a,
                            struct vgpu_traits *to)
{
    if (!vgpu_attribute_fits(a->id, VGPU_OF_LAUNCH, &a->val))
        return bad_attribute(a->id, "a launch");
    switch ((int)a->id) {
    case cudaLaunchAttributeCooperative:
        to->cooperative = true; /* measured: whatever its value */
        to->any_size = !a->val.cooperative;
        break;
    case cudaLaunchAttributeClusterDimension:
        cluster_trait(&a->val, to->cluster);
        to->clustered = is_given(to->cluster);
        if (to->clustered &&
            !(to->cluster[0] && to->cluster[1] && to->cluster[2]))
            return vgpu_because(cudaErrorInvalidClusterSize,
                                "a cluster of %u x %u x %u has no blocks",
                                to->cluster[0], to->cluster[1], to->cluster[2]);
        break;
    case cudaLaunchAttributePreferredClusterDimension:
        cluster_trait(&a->val, to->preferred);
        to->prefers = is_given(to->preferred);
        break;
    case cudaLaunchAttributePriority:
        to->has_priority = true;
        to->priority = vgpu_stream_clamp(a->val.priority);
        break;
    case cudaLaunchAttributeProgrammaticStreamSerialization:
        to->overlaps = a->val.programmaticStreamSerializationAllowed;
        break;
    case cudaLaunchAttributeProgrammaticEvent:
        to->at_start = a->val.programmaticEvent.triggerAtBlockStart;
        return event_trait(a->val.programmaticEvent.event,
                           a->val.programmaticEvent.flags,
                           cudaEventInterprocess, &to->triggered);
    case cudaLaunchAttributeLaunchCompletionEvent:
        return event_trait(a->val.launchCompletionEvent.event,
                           a->val.launchCompletionEvent.flags,
                           cudaEventInterprocess | cudaEventBlockingSync,
                           &to->begun);
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return vgpu_because(cudaErrorNotSupported,
                            "only in a graph a kernel can be updatable");
    }
    return cudaSuccess;
}

/* The last of two of a kind counts. */
cudaError_t vgpu_traits_read(struct vgpu_call *call,
                             const cudaLaunchConfig_t *config,
                             struct vgpu_traits *to)
{
    cudaError_t error = cudaSuccess;

    memset(to, 0, sizeof *to);
    if (config->numAttrs && !config->attrs)
        error =
            vgpu_invalid("attrs is NULL, and numAttrs %u", config->numAttrs);
    for (unsigned i = 0; i < config->numAttrs && !error; i++)
        error = read_one(&config->attrs[i], to);
    if (error && call)
        vgpu_call_late(call, VGPU_CALL_CONTEXT);
    return error;
}

/* ---- streams ------------------------------------------------------------- */

/* Where a stream has it. A launch reads none of them but the priority. */
static void *kept(struct vgpu_stream *stream, cudaLaunchAttributeID which,
                  size_t *bytes)
{
#define KEPT(id, member)                                                       \
    case cudaLaunchAttribute##id:                                              \
        *bytes = sizeof stream->kept.member;                                   \
        return &stream->kept.member
    switch ((int)which) {
    case cudaLaunchAttributePriority: /* the stream's own */
        *bytes = sizeof stream->priority;
        return &stream->priority;
    case cudaLaunchAttributeAccessPolicyWindow: /* not what fills it up */
        *bytes = offsetof(struct cudaAccessPolicyWindow, missProp) +
                 sizeof stream->kept.window.missProp;
        return &stream->kept.window;
        KEPT(SynchronizationPolicy, sync_policy);
        KEPT(MemSyncDomainMap, domain_map);
        KEPT(MemSyncDomain, domain);
    }
#undef KEPT
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
    if (!value || !at || !vgpu_attribute_fits(which, VGPU_OF_STREAM, value))
        return value ? bad_attribute(which, "a stream") : cudaErrorInvalidValue;
    memcpy(at, value, bytes);
    if (which == cudaLaunchAttributePriority)
        stream->priority = vgpu_stream_clamp(stream->priority);
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
        return value ? bad_attribute(which, "a stream") : cudaErrorInvalidValue;
    memcpy(value, at, bytes); /* and leaves the rest */
    /* Nobody has set one: no enumerator, on an H200 with CUDA 13.0. */
    if (at == &stream->kept.sync_policy && !stream->kept.sync_policy)
        memset(&value->syncPolicy, 0xff, sizeof value->syncPolicy);
    return cudaSuccess;
}

API(cudaStreamCopyAttributes, cudaStream_t to, cudaStream_t from)
{
    struct vgpu_stream *source = vgpu_stream_find(from);
    struct vgpu_stream *target = vgpu_stream_find(to);

    if (!source || !target)
        return cudaErrorInvalidResourceHandle;
    if (source->device != target->device)
        return vgpu_invalid("the streams are of devices %d and %d",
                            source->device, target->device);
    target->kept = source->kept;
    target->priority = source->priority;
    return cudaSuccess;
}

/* There are no caches. It is the driver's call: a thread that has made none of
 * the runtime's yet that needs a context has none (observed). */
API(cudaCtxResetPersistingL2Cache)
{
    const bool has_one = vgpu_thread_self()->has_context;
    const cudaError_t error =
        vgpu_call_late(call, has_one ? VGPU_CALL_CONTEXT : VGPU_CALL_PLAIN);

    return error || has_one
               ? error
               : vgpu_because(cudaErrorDeviceUninitialized,
                              "this thread has no context yet: cudaSetDevice "
                              "or a call that needs one gives it the device's");
}
