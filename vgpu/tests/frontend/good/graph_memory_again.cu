/* A graph frees memory and makes some at the same address, which its launch
 * leaves: it can be used and freed then, by cudaFree and by the stream. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *to)
{
    *to = 7;
}

static cudaGraphNode_t make(cudaGraph_t graph, const cudaGraphNode_t *after,
                            void **memory)
{
    cudaMemAllocNodeParams params = {};
    cudaGraphNode_t node;

    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 4096;
    cudaGraphAddMemAllocNode(&node, graph, after, after ? 1 : 0, &params);
    *memory = params.dptr;
    return node;
}

int main()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, last;
    void *first, *second;
    int host = 0;

    cudaGraphCreate(&graph, 0);
    node = make(graph, nullptr, &first);
    cudaGraphAddMemFreeNode(&last, graph, &node, 1, first);
    make(graph, &last, &second);
    printf("%d\n", first == second);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 2; i++) {
        printf("%s\n", cudaGetErrorName(cudaGraphLaunch(exec, 0)));
        fill<<<1, 1>>>((int *)second);
        cudaMemcpy(&host, second, sizeof host, cudaMemcpyDefault);
        printf("%d %s\n", host,
               cudaGetErrorName(i ? cudaFreeAsync(second, 0)
                                  : cudaFree(second)));
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorName(cudaFree(second)));
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    return 0;
}
