/* Hazards between nodes of graphs: two launches, one launch, a launch and a
 * stream, a launch and the host; and what is no node, though it begins before
 * the kernel ahead of it has ended. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void put(int *to, int value)
{
    *to = value;
}

__global__ void get(const int *from, int *to)
{
    *to = *from;
}

static int *a, *b, *host;
static cudaStream_t s, t;
static cudaEvent_t e, f;
static cudaGraph_t graph;

static void begin()
{
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
}

static cudaGraphExec_t end()
{
    cudaGraphExec_t exec;

    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphDestroy(graph);
    return exec;
}

static cudaGraphExec_t putting()
{
    begin();
    put<<<1, 1, 0, s>>>(a, 1); // put
    return end();
}

static cudaGraphExec_t getting()
{
    begin();
    get<<<1, 1, 0, s>>>(a, b); // get
    return end();
}

static void launches(bool right)
{
    cudaGraphExec_t x = putting(), y = getting();

    cudaGraphLaunch(x, s); // first launch
    if (right) {
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
    }
    cudaGraphLaunch(y, t); // second launch
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(x);
    cudaGraphExecDestroy(y);
}

static void nodes(bool right)
{
    cudaGraphExec_t x;

    begin();
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    put<<<1, 1, 0, s>>>(a, 1); // node put
    if (right) {
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(t, e, 0);
    }
    get<<<1, 1, 0, t>>>(a, b); // node get
    cudaEventRecord(f, t);
    cudaStreamWaitEvent(s, f, 0);
    x = end();
    cudaGraphLaunch(x, s); // one launch
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
}

static void beside(bool right)
{
    cudaGraphExec_t x = putting();

    cudaGraphLaunch(x, s);                 // launch beside
    get<<<1, 1, 0, right ? s : t>>>(a, b); // a stream
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(x);
}

static void read(bool right)
{
    cudaGraphExec_t x;

    begin();
    cudaMemcpyAsync(host, a, 4, cudaMemcpyDeviceToHost, s);
    x = end();
    cudaGraphLaunch(x, s); // launch read
    if (right)
        cudaStreamSynchronize(s);
    printf("%d\n", *host); // host
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x);
}

__global__ void first(int *to)
{
    cudaTriggerProgrammaticLaunchCompletion();
    *to = 1;
}

__global__ void second(const int *from, int *to, bool waits)
{
    if (waits)
        cudaGridDependencySynchronize();
    *to = *from; // early
}

static void early(bool right)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};

    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = config.blockDim = dim3(1);
    config.stream = s;
    config.attrs = &attribute;
    config.numAttrs = 1;
    first<<<1, 1, 0, s>>>(a);
    cudaLaunchKernelEx(&config, second, (const int *)a, b, right);
    cudaStreamSynchronize(s);
}

int main(int argc, char **argv)
{
    static void (*const cases[])(bool) = {launches, nodes, beside, read, early};
    const int which = argc > 1 ? atoi(argv[1]) : 5;

    cudaMalloc(&a, 4);
    cudaMalloc(&b, 4);
    cudaMallocHost(&host, 4);
    cudaMemset(a, 0, 4);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&e);
    cudaEventCreate(&f);
    cudaDeviceSynchronize();
    for (int i = 0; i < 5; i++)
        cases[i](i != which);
    cudaEventDestroy(e);
    cudaEventDestroy(f);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(a);
    cudaFree(b);
    cudaFreeHost(host);
    return 0;
}
