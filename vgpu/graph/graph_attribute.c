/*
 * graph_attribute.c: attributes of a graph's kernels. Which there are and what
 * they may be is runtime/launch_attributes.c's; those that say how blocks run
 * are the launch's own.
 *
 * Source: manual, "Graph Management", cudaGraphKernelNodeSetAttribute.
 */
#include "graph.h"

#include <string.h>

static struct vgpu_node *find(cudaGraphNode_t handle)
{
    struct vgpu_node *node = vgpu_node_find(handle);

    return node && node->type == cudaGraphNodeTypeKernel ? node : NULL;
}

/* Where a node has it, and of how many bytes; NULL: nowhere. */
static void *kept(struct vgpu_node *node, cudaLaunchAttributeID which,
                  size_t *bytes)
{
    struct vgpu_node_kept *const k = &node->kept;

#define KEPT(id, place)                                                        \
    case cudaLaunchAttribute##id:                                              \
        *bytes = sizeof(place);                                                \
        return &(place)
    switch ((int)which) {
        KEPT(Priority, node->priority);
        KEPT(ClusterDimension, node->op->kernel.exec.cluster);
        KEPT(ClusterSchedulingPolicyPreference, k->scheduling);
        KEPT(MemSyncDomainMap, k->domain_map);
        KEPT(MemSyncDomain, k->domain);
        KEPT(PreferredSharedMemoryCarveout, k->carveout);
        KEPT(DeviceUpdatableKernelNode, k->updatable);
        KEPT(Cooperative, k->cooperative);
    case cudaLaunchAttributeAccessPolicyWindow: /* not what fills it up */
        *bytes = offsetof(struct cudaAccessPolicyWindow, missProp) +
                 sizeof k->window.missProp;
        return &k->window;
    }
#undef KEPT
    return NULL;
}

static cudaError_t bad_attribute(cudaLaunchAttributeID which)
{
    return vgpu_invalid("attribute %d (cudaLaunchAttributeID) of a node is not "
                        "there, or cannot have this value",
                        (int)which);
}

API(cudaGraphKernelNodeGetAttribute, cudaGraphNode_t handle,
    cudaLaunchAttributeID which, cudaLaunchAttributeValue *value)
{
    struct vgpu_node *node = find(handle);
    size_t bytes;
    const void *at;

    if (!node || !value)
        return node ? cudaErrorInvalidValue
                    : vgpu_node_other(vgpu_node_find(handle));
    node->kept.cooperative = node->op->kernel.exec.cooperative;
    at = kept(node, which, &bytes);
    if (!at)
        return bad_attribute(which);
    memcpy(value, at, bytes); /* and leaves the rest */
    return cudaSuccess;
}

static bool divides(const struct vgpu_node *node,
                    const cudaLaunchAttributeValue *value)
{
    const uint32_t *grid = node->op->kernel.exec.grid;
    const uint32_t c[3] = {value->clusterDim.x, value->clusterDim.y,
                           value->clusterDim.z};

    if (!c[0] && !c[1] && !c[2])
        return true;
    for (int i = 0; i < 3; i++)
        if (!c[i] || grid[i] % c[i])
            return false;
    return true;
}

/* The hint about links is heard and not kept. */
API(cudaGraphKernelNodeSetAttribute, cudaGraphNode_t handle,
    cudaLaunchAttributeID which, const cudaLaunchAttributeValue *value)
{
    struct vgpu_node *node = find(handle);
    size_t bytes;
    void *at;

    if (!node || !value || !vgpu_attribute_fits(which, VGPU_OF_NODE, value))
        return node && value ? bad_attribute(which)
               : node        ? cudaErrorInvalidValue
                             : vgpu_node_other(vgpu_node_find(handle));
    if (which == cudaLaunchAttributeClusterDimension && !divides(node, value))
        return vgpu_because(cudaErrorInvalidClusterSize,
                            "the node's grid is no whole number of such "
                            "clusters");
    at = kept(node, which, &bytes);
    if (at)
        memcpy(at, value, bytes);
    node->priority = vgpu_stream_clamp(node->priority);
    if (which == cudaLaunchAttributeCooperative)
        node->op->kernel.exec.cooperative = value->cooperative;
    return cudaSuccess;
}

API(cudaGraphKernelNodeCopyAttributes, cudaGraphNode_t to, cudaGraphNode_t from)
{
    const struct vgpu_node *source = find(from);
    struct vgpu_node *target = find(to);
    struct vgpu_exec *exec;

    if (!source || !target)
        return vgpu_node_other(vgpu_node_find(source ? to : from));
    target->kept = source->kept;
    target->priority = source->priority;
    exec = &target->op->kernel.exec;
    exec->cooperative = source->op->kernel.exec.cooperative;
    memcpy(exec->cluster, source->op->kernel.exec.cluster,
           sizeof exec->cluster);
    return cudaSuccess;
}
