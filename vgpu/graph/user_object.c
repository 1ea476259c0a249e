/*
 * user_object.c: what a graph needs and a program gives up: an object with a
 * function that destroys it when nobody holds a reference any more, neither the
 * program nor a graph, nor a copy of one.
 *
 * Differs: the function is called within the call that gives up the last
 * reference, not some time later in a thread of its own.
 * Source: programming guide, "CUDA User Objects"; manual, "Graph Management".
 */
#include "graph.h"

#include <limits.h>
#include <stdlib.h>

struct vgpu_user_object {
    unsigned refs;
    void *data;
    cudaHostFn_t destroy;
};

/* A graph's references to one object. */
struct vgpu_held {
    struct vgpu_user_object *object;
    unsigned count;
};

static struct vgpu_user_object *find_object(cudaUserObject_t handle)
{
    if (vgpu_handle_find(handle) != VGPU_HANDLE_USER_OBJECT)
        return NULL;
    return (struct vgpu_user_object *)handle;
}

/* The function may make no CUDA call, as a host function may not. */
static void give_up(struct vgpu_user_object *object, unsigned count)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    object->refs -= count;
    if (object->refs)
        return;
    vgpu_handle_remove(object);
    thread->in_host_function = true;
    object->destroy(object->data);
    thread->in_host_function = false;
    free(object);
}

static struct vgpu_held *find_held(const struct vgpu_graph *graph,
                                   const struct vgpu_user_object *object)
{
    for (size_t i = 0; i < graph->held_count; i++)
        if (graph->held[i].object == object && graph->held[i].count)
            return &graph->held[i];
    return NULL;
}

static cudaError_t hold(struct vgpu_graph *graph,
                        struct vgpu_user_object *object, unsigned count)
{
    struct vgpu_held *held = find_held(graph, object);

    if (!held) {
        if (!VGPU_GROW(graph->held, graph->held_count, NULL))
            return cudaErrorMemoryAllocation;
        held = &graph->held[graph->held_count++];
        *held = (struct vgpu_held){object, 0};
    }
    held->count += count;
    return cudaSuccess;
}

bool vgpu_graph_hold_same(struct vgpu_graph *to, const struct vgpu_graph *from)
{
    for (size_t i = 0; i < from->held_count; i++) {
        if (hold(to, from->held[i].object, 1))
            return false;
        from->held[i].object->refs++;
    }
    return true;
}

void vgpu_graph_let_go(struct vgpu_graph *graph)
{
    for (size_t i = 0; i < graph->held_count; i++)
        if (graph->held[i].count)
            give_up(graph->held[i].object, graph->held[i].count);
    free(graph->held);
    graph->held = NULL;
    graph->held_count = 0;
}

#define COUNT "there is at least one reference, and INT_MAX at most"

static bool is_count(unsigned count)
{
    return count && count <= INT_MAX;
}

API(cudaUserObjectCreate, cudaUserObject_t *out, void *data,
    cudaHostFn_t destroy, unsigned int refs, unsigned int flags)
{
    struct vgpu_user_object *object;

    if (!out || !destroy || !is_count(refs) ||
        flags != cudaUserObjectNoDestructorSync)
        return !out ? cudaErrorInvalidValue
                    : vgpu_invalid(!destroy ? "destroy is NULL"
                                   : !is_count(refs)
                                       ? COUNT
                                       : "flags is not "
                                         "cudaUserObjectNoDestructorSync");
    object = calloc(1, sizeof *object);
    if (!object || vgpu_handle_add(object, VGPU_HANDLE_USER_OBJECT)) {
        free(object);
        return cudaErrorMemoryAllocation;
    }
    *object = (struct vgpu_user_object){refs, data, destroy};
    *out = (cudaUserObject_t)object;
    return cudaSuccess;
}

API(cudaUserObjectRetain, cudaUserObject_t handle, unsigned int count)
{
    struct vgpu_user_object *object = find_object(handle);

    if (!object || !is_count(count))
        return object ? vgpu_invalid(COUNT) : cudaErrorInvalidValue;
    object->refs += count;
    return cudaSuccess;
}

/* More than there are: a GPU's driver ends the program, sooner or later. */
API(cudaUserObjectRelease, cudaUserObject_t handle, unsigned int count)
{
    struct vgpu_user_object *object = find_object(handle);

    if (!object || !is_count(count) || count > object->refs)
        return object ? vgpu_invalid("there are %u references",
                                     (unsigned)object->refs)
                      : cudaErrorInvalidValue;
    give_up(object, count);
    return cudaSuccess;
}

API(cudaGraphRetainUserObject, cudaGraph_t graph_handle,
    cudaUserObject_t handle, unsigned int count, unsigned int flags)
{
    struct vgpu_graph *graph = vgpu_graph_find(graph_handle);
    struct vgpu_user_object *object = find_object(handle);
    cudaError_t error;

    if (!graph || !object || !is_count(count) ||
        (flags & ~(unsigned)cudaGraphUserObjectMove))
        return graph && object
                   ? vgpu_invalid(is_count(count)
                                      ? "flags has a bit that there "
                                        "is not"
                                      : COUNT)
                   : cudaErrorInvalidValue;
    error = hold(graph, object, count);
    if (!error && !flags)
        object->refs += count;
    return error;
}

API(cudaGraphReleaseUserObject, cudaGraph_t graph_handle,
    cudaUserObject_t handle, unsigned int count)
{
    struct vgpu_held *held = NULL;
    struct vgpu_graph *graph = vgpu_graph_find(graph_handle);
    struct vgpu_user_object *object = find_object(handle);

    if (graph && object)
        held = find_held(graph, object);
    if (!held || !is_count(count) || count > held->count)
        return graph && object
                   ? vgpu_invalid("the graph has %u references to it",
                                  held ? (unsigned)held->count : 0)
                   : cudaErrorInvalidValue;
    held->count -= count;
    give_up(object, count);
    return cudaSuccess;
}
