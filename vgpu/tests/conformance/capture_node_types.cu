/*
 * capture_node_types.cu: each captured call becomes a node of its kind, and
 * arguments and host data are taken when the manual says so: kernel
 * arguments at capture, memory contents at launch.
 * Source: Runtime API, Graph Management, cudaGraphNodeGetType.
 */
#include "fact.h"

static int host_calls;

static void CUDART_CB count_call(void *data)
{
    host_calls += *(int *)data;
}

/* The types of a graph of few nodes that form a chain. */
static void show_chain(cudaGraph_t graph)
{
    cudaGraphNode_t node, next[4];
    size_t count = 1;
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;

    MUST(cudaGraphGetRootNodes(graph, &node, &count));
    printf("chain=");
    while (count == 1) {
        MUST(cudaGraphNodeGetType(node, &type));
        printf("%d ", (int)type);
        count = 4;
        MUST(cudaGraphNodeGetDependentNodes(node, next, NULL, &count));
        node = next[0];
    }
    printf("\n");
}

int main(void)
{
    cudaStream_t s;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    int *device, *pinned;
    int step = 1;
    int number = 5;

    fact_warm_up();
    MUST(cudaStreamCreate(&s));
    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaMallocHost((void **)&pinned, 64));
    pinned[0] = 1;
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("memcpy_in.error",
               cudaMemcpyAsync(device, pinned, 8, cudaMemcpyHostToDevice, s));
    fact_error("memset.error", cudaMemsetAsync(device + 1, 0, 8, s));
    fact_store<<<1, 1, 0, s>>>(device + 2, number);
    fact_error("kernel.error", cudaGetLastError());
    fact_error("memcpy_out.error", cudaMemcpyAsync(pinned + 4, device, 12,
                                                   cudaMemcpyDeviceToHost, s));
    fact_error("host_function.error", cudaLaunchHostFunc(s, count_call, &step));
    fact_error("end.error", cudaStreamEndCapture(s, &graph));
    fact_int("host_function_ran_during_capture", host_calls);
    show_chain(graph);

    number = 6;
    pinned[0] = 2;
    step = 10;
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("copied_value_is_read_at_launch", pinned[4]);
    fact_int("memset_value", pinned[5]);
    fact_int("kernel_argument_is_taken_at_capture", pinned[6]);
    fact_int("host_function_calls", host_calls);
    pinned[0] = 3;
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    fact_int("second_launch_reads_again", pinned[4]);
    fact_int("host_function_calls_then", host_calls);
    return 0;
}
