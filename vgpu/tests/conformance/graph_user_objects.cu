/*
 * graph_user_objects.cu: a user object lives as long as somebody holds a
 * reference: the program, a graph, a copy of the graph, an executable graph.
 * (A reference that the graph does not hold is released all the same, and the
 * program crashes later: not tried here.)
 * Source: programming guide, "CUDA User Objects"; Runtime API,
 * cudaUserObjectCreate, cudaGraphRetainUserObject.
 */
#include "fact.h"

static volatile int destroyed;

static void destroy(void *arg)
{
    destroyed += *(int *)arg;
}

/* The destructor runs in a thread of the runtime's, some time after. */
static void gone(const char *key, int expected)
{
    for (int i = 0; i < 200 && destroyed < expected; i++)
        usleep(1000);
    fact_int(key, destroyed);
}

static void still(const char *key)
{
    usleep(20000);
    fact_int(key, destroyed);
}

static void errors(void)
{
    cudaUserObject_t object = NULL;
    int one = 0;

    fact_error("create.flags_0",
               cudaUserObjectCreate(&object, &one, destroy, 1, 0));
    fact_last("create.flags_0.latched");
    fact_error("create.count_0",
               cudaUserObjectCreate(&object, &one, destroy, 0,
                                    cudaUserObjectNoDestructorSync));
    fact_error("create.null_out",
               cudaUserObjectCreate(NULL, &one, destroy, 1,
                                    cudaUserObjectNoDestructorSync));
    fact_error("create.null_function",
               cudaUserObjectCreate(&object, &one, NULL, 1,
                                    cudaUserObjectNoDestructorSync));
    cudaGetLastError();
    MUST(cudaUserObjectCreate(&object, &one, destroy, 1,
                              cudaUserObjectNoDestructorSync));
    fact_error("retain_0", cudaUserObjectRetain(object, 0));
    fact_error("release_0", cudaUserObjectRelease(object, 0));
    fact_error("retain_null", cudaUserObjectRetain(NULL, 1));
    fact_error("release_null", cudaUserObjectRelease(NULL, 1));
    fact_error("graph_null", cudaGraphRetainUserObject(NULL, object, 1, 0));
    cudaGetLastError();
    fact_error("release", cudaUserObjectRelease(object, 1));
}

static void graph_errors(void)
{
    cudaUserObject_t object;
    cudaGraph_t graph;
    int one = 0;

    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaUserObjectCreate(&object, &one, destroy, 1,
                              cudaUserObjectNoDestructorSync));
    fact_error("graph_retain_0",
               cudaGraphRetainUserObject(graph, object, 0, 0));
    fact_error("graph_retain_flags_2",
               cudaGraphRetainUserObject(graph, object, 1, 2));
    fact_error("graph_retain_null",
               cudaGraphRetainUserObject(graph, NULL, 1, 0));
    MUST(cudaUserObjectRelease(object, 1));
    MUST(cudaGraphDestroy(graph));
}

/* Two references: one released, then the other. */
static void by_hand(void)
{
    cudaUserObject_t object;
    int one = 1;

    destroyed = 0;
    MUST(cudaUserObjectCreate(&object, &one, destroy, 1,
                              cudaUserObjectNoDestructorSync));
    fact_error("by_hand.retain", cudaUserObjectRetain(object, 2));
    fact_error("by_hand.release", cudaUserObjectRelease(object, 2));
    still("by_hand.one_left");
    fact_error("by_hand.release_last", cudaUserObjectRelease(object, 1));
    gone("by_hand.destroyed", 1);
}

/* The program's own reference becomes the graph's. */
static void moved(void)
{
    cudaUserObject_t object;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    int one = 1;

    destroyed = 0;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    MUST(cudaUserObjectCreate(&object, &one, destroy, 1,
                              cudaUserObjectNoDestructorSync));
    fact_error("moved.retain", cudaGraphRetainUserObject(
                                   graph, object, 1, cudaGraphUserObjectMove));
    MUST(cudaGraphClone(&clone, graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    still("moved.without_the_graph");
    MUST(cudaGraphDestroy(clone));
    still("moved.without_the_clone");
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    MUST(cudaGraphExecDestroy(exec));
    gone("moved.without_the_executable", 1);
}

static void released_by_the_graph(void)
{
    cudaUserObject_t object;
    cudaGraph_t graph;
    int one = 1;

    destroyed = 0;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaUserObjectCreate(&object, &one, destroy, 1,
                              cudaUserObjectNoDestructorSync));
    fact_error("shared.retain", cudaGraphRetainUserObject(graph, object, 2, 0));
    fact_error("shared.release", cudaUserObjectRelease(object, 1));
    still("shared.graph_holds_2");
    fact_error("shared.graph_release_1",
               cudaGraphReleaseUserObject(graph, object, 1));
    still("shared.graph_holds_1");
    fact_error("shared.graph_release_last",
               cudaGraphReleaseUserObject(graph, object, 1));
    gone("shared.destroyed", 1);
    MUST(cudaGraphDestroy(graph));
}

static void all(void)
{
    by_hand();
    moved();
    released_by_the_graph();
}

int main(void)
{
    fact_in_child("all", all);
    fact_in_child("errors", errors);
    graph_errors();
    return 0;
}
