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

#define BEGIN(name)                                                            \
    struct vgpu_call call;                                                     \
    cudaError_t error = vgpu_call_begin(&call, name, VGPU_PC, VGPU_CALL_PLAIN)
#define END return vgpu_call_end(&call, error, vgpu_rt.host->host_call_ns)

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
    struct vgpu_held *grown;

    if (!held) {
        grown = realloc(graph->held, (graph->held_count + 1) * sizeof *grown);
        if (!grown)
            return cudaErrorMemoryAllocation;
        graph->held = grown;
        held = &grown[graph->held_count++];
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

static bool is_count(unsigned count)
{
    return count && count <= INT_MAX;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *data,
                                 cudaHostFn_t destroy, unsigned int refs,
                                 unsigned int flags)
{
    struct vgpu_user_object *object;
    BEGIN("cudaUserObjectCreate");

    if (!error && (!out || !destroy || !is_count(refs) ||
                   flags != cudaUserObjectNoDestructorSync))
        error = cudaErrorInvalidValue;
    if (!error) {
        object = malloc(sizeof *object);
        if (object && !vgpu_handle_add(object, VGPU_HANDLE_USER_OBJECT)) {
            *object = (struct vgpu_user_object){refs, data, destroy};
            *out = (cudaUserObject_t)object;
        } else {
            free(object);
            error = cudaErrorMemoryAllocation;
        }
    }
    END;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned int count)
{
    struct vgpu_user_object *object;
    BEGIN("cudaUserObjectRetain");

    object = find_object(handle);
    if (!error && (!object || !is_count(count)))
        error = cudaErrorInvalidValue;
    if (!error)
        object->refs += count;
    END;
}

/* More than there are: a GPU's driver ends the program, sooner or later. */
cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned int count)
{
    struct vgpu_user_object *object;
    BEGIN("cudaUserObjectRelease");

    object = find_object(handle);
    if (!error && (!object || !is_count(count) || count > object->refs))
        error = cudaErrorInvalidValue;
    if (!error)
        give_up(object, count);
    END;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph_handle,
                                      cudaUserObject_t handle,
                                      unsigned int count, unsigned int flags)
{
    struct vgpu_graph *graph;
    struct vgpu_user_object *object;
    BEGIN("cudaGraphRetainUserObject");

    graph = vgpu_graph_find(graph_handle);
    object = find_object(handle);
    if (!error && (!graph || !object || !is_count(count) ||
                   (flags & ~(unsigned)cudaGraphUserObjectMove)))
        error = cudaErrorInvalidValue;
    if (!error)
        error = hold(graph, object, count);
    if (!error && !flags)
        object->refs += count;
    END;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph_handle,
                                       cudaUserObject_t handle,
                                       unsigned int count)
{
    struct vgpu_graph *graph;
    struct vgpu_user_object *object;
    struct vgpu_held *held = NULL;
    BEGIN("cudaGraphReleaseUserObject");

    graph = vgpu_graph_find(graph_handle);
    object = find_object(handle);
    if (graph && object)
        held = find_held(graph, object);
    if (!error && (!held || !is_count(count) || count > held->count))
        error = cudaErrorInvalidValue;
    if (!error) {
        held->count -= count;
        give_up(object, count);
    }
    END;
}
