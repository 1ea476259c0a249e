// A part of a graph is timed by events that a capture records as nodes, by the
// runtime's calls and by the driver's.
#include <cuda.h>
#include <cstdio>

__global__ void work(float *x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        *x = *x * 0.99f + 1;
}

static int count(cudaGraph_t graph, cudaGraphNodeType want)
{
    cudaGraphNode_t nodes[16];
    cudaGraphNodeType type;
    size_t n = 16;
    int found = 0;

    cudaGraphGetNodes(graph, nodes, &n);
    for (size_t i = 0; i < n; i++) {
        cudaGraphNodeGetType(nodes[i], &type);
        found += type == want;
    }
    return found;
}

int main()
{
    float *x, ms = -1, whole = -1;
    cudaStream_t s, t;
    cudaEvent_t a, b, c, edge, go;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t n;

    cudaMalloc(&x, 8);
    cudaMemset(x, 0, 8);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    for (cudaEvent_t *e : {&a, &b, &c, &edge, &go})
        cudaEventCreate(e);
    printf("outside %d", cudaEventRecordWithFlags(a, s, cudaEventRecordExternal));
    printf(" %d", cudaStreamWaitEvent(s, a, cudaEventWaitExternal));
    printf(" %d\n", cuEventRecordWithFlags(a, s, CU_EVENT_RECORD_EXTERNAL));
    cudaGetLastError();

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    printf("wait %d\n", cudaStreamWaitEvent(s, go, cudaEventWaitExternal));
    printf("record %d\n",
           cudaEventRecordWithFlags(a, s, cudaEventRecordExternal));
    work<<<1, 1, 0, s>>>(x, 20000);
    printf("record %d\n",
           cuEventRecordWithFlags(b, s, CU_EVENT_RECORD_EXTERNAL));
    cudaEventRecord(edge, s);
    work<<<1, 1, 0, s>>>(x, 10000);
    cudaEventRecordWithFlags(c, s, cudaEventRecordExternal);
    cudaStreamEndCapture(s, &graph);
    cudaGraphGetNodes(graph, nullptr, &n);
    printf("nodes %zu: %d records, %d waits, %d kernels\n", n,
           count(graph, cudaGraphNodeTypeEventRecord),
           count(graph, cudaGraphNodeTypeWaitEvent),
           count(graph, cudaGraphNodeTypeKernel));
    cudaGraphInstantiate(&exec, graph, 0);
    printf("before a launch %d\n", cudaEventQuery(b));

    for (int i = 0; i < 2; i++) {
        work<<<1, 1, 0, t>>>(x + 1, 50000);
        cudaEventRecord(go, t);
        cudaGraphLaunch(exec, s);
        printf("at once %d\n", cudaEventQuery(a));
        cudaStreamSynchronize(s);
        printf("go %d, end %d, ", cudaEventQuery(go), cudaEventQuery(c));
        printf("elapsed %d", cudaEventElapsedTime(&ms, a, b));
        printf(" %d: ", cudaEventElapsedTime(&whole, a, c));
        puts(ms > 0 && whole > 1.4f * ms && whole < 1.6f * ms ? "right"
                                                              : "wrong");
    }
    printf("an edge %d", cudaEventQuery(edge));
    printf(" %d\n", cudaEventElapsedTime(&ms, a, edge));
    cudaEventRecord(edge, s);
    printf("anew %d", cudaEventSynchronize(edge));
    printf(" %d\n", cudaEventElapsedTime(&ms, a, edge));
    return 0;
}
