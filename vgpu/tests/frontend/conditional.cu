/* Conditional nodes: what waits for a body and what does not, by number. A line
 * with `// first N` or `// second N` is one side of the hazard of case N, and a
 * line with `// told N` has what is said there. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void count_down(int *left, cudaGraphConditionalHandle handle)
{
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

__global__ void add(int *to, int amount)
{
    *to += amount;
}

static cudaStream_t stream, other;
static int *left, *out, *pinned;

static cudaGraph_t *branch(cudaGraph_t graph, cudaGraphConditionalHandle handle,
                           cudaGraphConditionalNodeType type)
{
    cudaGraphNodeParams params = {};
    cudaGraphNode_t node;

    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = 1;
    cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params); // told 5 7
    return params.conditional.phGraph_out;
}

/* The body is what @fill puts into a stream that is captured. */
static cudaGraphExec_t make(cudaGraphConditionalNodeType type, unsigned flags,
                            void (*fill)(cudaGraphConditionalHandle))
{
    cudaGraphConditionalHandle handle;
    cudaGraphExec_t exec = nullptr;
    cudaGraph_t graph, *body;

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&handle, graph, 1, flags);
    body = branch(graph, handle, type);
    cudaStreamBeginCaptureToGraph(other, body[0], nullptr, nullptr, 0,
                                  cudaStreamCaptureModeRelaxed);
    fill(handle);
    cudaStreamEndCapture(other, &body[0]);
    printf("%s ", cudaGetErrorName(cudaGraphInstantiate(&exec, graph, 0)));
    cudaGraphDestroy(graph);
    return exec;
}

static void rounds(cudaGraphConditionalHandle handle)
{
    add<<<1, 1, 0, other>>>(out, 10);
    count_down<<<1, 1, 0, other>>>(left, handle);
}

static void copies(cudaGraphConditionalHandle)
{
    add<<<1, 1, 0, other>>>(out, 5);                                // first 3
    cudaMemcpyAsync(pinned, out, 4, cudaMemcpyDeviceToHost, other); // first 1
}

static void forks(cudaGraphConditionalHandle)
{
    cudaEvent_t fork, join;
    cudaStream_t beside;

    cudaStreamCreate(&beside);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaEventRecord(fork, other);
    cudaStreamWaitEvent(beside, fork, 0);
    add<<<1, 1, 0, other>>>(out, 1);  // first 2
    add<<<1, 1, 0, beside>>>(out, 2); // second 2
    cudaEventRecord(join, beside);
    cudaStreamWaitEvent(other, join, 0);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(beside);
}

static void for_ever(cudaGraphConditionalHandle)
{
    add<<<1, 1, 0, other>>>(out, 1);
}

static void faults(cudaGraphConditionalHandle)
{
    add<<<1, 1, 0, other>>>((int *)16, 1); // told 6
}

static void pageable(cudaGraphConditionalHandle)
{
    static int host;

    cudaMemcpyAsync(out, &host, 4, cudaMemcpyHostToDevice, other); // told 8
}

/* Many times, one behind the other, and gone before anything of it has begun. */
static void right(cudaGraphExec_t exec)
{
    int five = 5, three = 3;

    for (int k = 0; k < 10; k++) {
        cudaMemcpyAsync(left, &five, 4, cudaMemcpyHostToDevice, stream);
        cudaGraphLaunch(exec, stream);
        cudaMemcpyAsync(left, &three, 4, cudaMemcpyHostToDevice, stream);
        cudaGraphLaunch(exec, stream);
    }
    add<<<1, 1, 0, stream>>>(out, 1000);
    cudaGraphExecDestroy(exec);
    cudaMemcpyAsync(pinned, out, 4, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
}

static void launch(cudaGraphExec_t exec, int which)
{
    cudaGraphLaunch(exec, stream);
    if (which == 3)
        add<<<1, 1, 0, other>>>(out, 7); // second 3
    if (which == 1)
        printf("%d ", *pinned); // second 1
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s ", cudaGetErrorName(error));
    cudaGraphExecDestroy(exec);
}

int main(int, char **argv)
{
    const int which = atoi(argv[1]);
    const auto loop = cudaGraphCondTypeWhile;
    const auto once = cudaGraphCondTypeIf;
    int zero = 0;

    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaMalloc(&left, 4);
    cudaMalloc(&out, 4);
    cudaMallocHost(&pinned, 4);
    *pinned = -1;
    cudaMemcpy(out, &zero, 4, cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    if (which == 0)
        right(make(loop, 1, rounds));
    else if (which == 1 || which == 3)
        launch(make(once, 1, copies), which);
    else if (which == 2)
        launch(make(once, 1, forks), which);
    else if (which == 5)
        launch(make(loop, 1, for_ever), which);
    else if (which == 6)
        launch(make(loop, 1, faults), which);
    else if (which == 7)
        launch(make(once, 0, for_ever), which);
    else if (which == 8)
        make(once, 1, pageable);
    printf("%d\n", *pinned);
    cudaFree(left);
    cudaFree(out);
    cudaFreeHost(pinned);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(other);
    return 0;
}
