/*
 * graph_memory_pieces.cu: what graphs take of the device's memory, in MiB: in
 * pieces of 32, at a launch, and shared by graphs that run one after the other.
 * A node that comes after a free has its address.
 * Source: guide, Graph Memory Nodes; observed.
 */
#include "fact.h"

#define MIB ((size_t)1 << 20)

static cudaStream_t s, t;

static long long get(enum cudaGraphMemAttributeType which)
{
    unsigned long long value = 0;

    MUST(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return (long long)(value / MIB);
}

static void say(const char *key)
{
    fact("%s.reserved=%lld", key, get(cudaGraphMemAttrReservedMemCurrent));
    fact("%s.used=%lld", key, get(cudaGraphMemAttrUsedMemCurrent));
}

static cudaGraphNode_t make(cudaGraph_t graph, const cudaGraphNode_t *after,
                            size_t bytes, void **memory)
{
    struct cudaMemAllocNodeParams params;
    cudaGraphNode_t node;

    memset(&params, 0, sizeof params);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = bytes;
    MUST(cudaGraphAddMemAllocNode(&node, graph, after, after ? 1 : 0, &params));
    *memory = params.dptr;
    return node;
}

static cudaGraphNode_t release(cudaGraph_t graph, cudaGraphNode_t after,
                               void *memory)
{
    cudaGraphNode_t node;

    MUST(cudaGraphAddMemFreeNode(&node, graph, &after, 1, memory));
    return node;
}

static void run(cudaGraphExec_t exec)
{
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
}

static cudaGraph_t simple(size_t bytes)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    void *memory;

    MUST(cudaGraphCreate(&graph, 0));
    node = make(graph, NULL, bytes, &memory);
    release(graph, node, memory);
    return graph;
}

static void sizes(void)
{
    static const int many[] = {1, 32, 33, 65};

    for (int i = 0; i < 4; i++) {
        cudaGraph_t graph = simple((size_t)many[i] * MIB);
        cudaGraphExec_t exec;

        MUST(cudaGraphInstantiate(&exec, graph, 0));
        fact("one_of_%d.instantiated.reserved=%lld", many[i],
             get(cudaGraphMemAttrReservedMemCurrent));
        run(exec);
        fact("one_of_%d.launched.reserved=%lld", many[i],
             get(cudaGraphMemAttrReservedMemCurrent));
        MUST(cudaGraphExecDestroy(exec));
        fact("one_of_%d.destroyed.reserved=%lld", many[i],
             get(cudaGraphMemAttrReservedMemCurrent));
        fact("one_of_%d.destroyed.used=%lld", many[i],
             get(cudaGraphMemAttrUsedMemCurrent));
        MUST(cudaGraphDestroy(graph));
        MUST(cudaDeviceGraphMemTrim(0));
        fact("one_of_%d.trimmed.reserved=%lld", many[i],
             get(cudaGraphMemAttrReservedMemCurrent));
    }
}

/* Of three allocations, one after the other, in one graph. */
static void again(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    void *first, *second, *third;

    MUST(cudaGraphCreate(&graph, 0));
    node = make(graph, NULL, 4 * MIB, &first);
    node = release(graph, node, first);
    node = make(graph, &node, 4 * MIB, &second);
    fact_yes("after_a_free.same_address", first == second);
    node = release(graph, node, second);
    make(graph, &node, 2 * MIB, &third);
    fact_yes("after_a_free.smaller.same_address", first == third);
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphCreate(&graph, 0));
    node = make(graph, NULL, 4 * MIB, &first);
    release(graph, node, first);
    make(graph, NULL, 4 * MIB, &second);
    fact_yes("beside_a_free.same_address", first == second);
    MUST(cudaGraphDestroy(graph));
}

static void two_graphs(void)
{
    cudaGraph_t one = simple(4 * MIB), other = simple(4 * MIB);
    cudaGraphExec_t first, second;

    MUST(cudaGraphInstantiate(&first, one, 0));
    MUST(cudaGraphInstantiate(&second, other, 0));
    run(first);
    run(second);
    say("two_graphs.one_stream");
    MUST(cudaDeviceGraphMemTrim(0));
    say("two_graphs.trimmed");
    run(first);
    say("two_graphs.launched_again");
    MUST(cudaGraphExecDestroy(first));
    MUST(cudaGraphExecDestroy(second));
    MUST(cudaGraphDestroy(one));
    MUST(cudaGraphDestroy(other));
    MUST(cudaDeviceGraphMemTrim(0));
}

/* While one runs, another one is launched in another stream. */
static cudaGraph_t slow(void)
{
    cudaGraph_t graph;
    void *memory = NULL;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaMallocAsync(&memory, 4 * MIB, s));
    fact_slow_ms(s, FACT_SLOW_MS);
    MUST(cudaFreeAsync(memory, s));
    MUST(cudaStreamEndCapture(s, &graph));
    return graph;
}

static void side_by_side(void)
{
    cudaGraph_t one = slow(), other = slow();
    cudaGraphExec_t first, second;

    MUST(cudaGraphInstantiate(&first, one, 0));
    MUST(cudaGraphInstantiate(&second, other, 0));
    MUST(cudaGraphLaunch(first, s));
    MUST(cudaGraphLaunch(second, t));
    say("two_streams.while_they_run");
    MUST(cudaDeviceSynchronize());
    say("two_streams.done");
    MUST(cudaGraphExecDestroy(first));
    MUST(cudaGraphExecDestroy(second));
    MUST(cudaGraphDestroy(one));
    MUST(cudaGraphDestroy(other));
    MUST(cudaDeviceGraphMemTrim(0));
}

static void marks(void)
{
    for (int which = 0; which < 5; which++)
        for (unsigned long long value = 0; value < 2; value++) {
            unsigned long long given = value;

            fact("set_%d_to_%llu=%d", which, value,
                 (int)cudaDeviceSetGraphMemAttribute(
                     0, (enum cudaGraphMemAttributeType)which, &given));
        }
    cudaGetLastError();
    fact_int("used_high", get(cudaGraphMemAttrUsedMemHigh));
    fact_int("reserved_high", get(cudaGraphMemAttrReservedMemHigh));
}

int main(void)
{
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    fact_rounds_per_ms();
    sizes();
    again();
    two_graphs();
    side_by_side();
    marks();
    return 0;
}
