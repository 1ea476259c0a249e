// What a program leaves behind: argv[1] says which; a comment "left WHICH" has
// what must be told of its line in that case, and of no other line (run.sh).
#include <cstdlib>

__global__ void set(int *p)
{
    *p = 1;
}

// Its memory and its event are given back too late, and that is another matter.
static struct owner {
    int *memory = nullptr;
    cudaEvent_t event = nullptr;

    ~owner()
    {
        if (memory)
            cudaFree(memory);
        if (event)
            cudaEventDestroy(event);
    }
} owner;

static void run(bool gives_back)
{
    cudaGraph_t graph, made, copy;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    int *p;

    cudaMalloc(&p, 4); // left n: memory
    cudaStreamCreate(&stream); // left n: stream
    cudaGraphCreate(&made, 0); // left n: a graph is
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, stream>>>(p);
    cudaStreamEndCapture(stream, &graph); // left n: a graph is
    cudaGraphClone(&copy, graph); // left n: a graph is
    cudaGraphInstantiate(&exec, graph, 0); // left n: an executable graph
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    if (!gives_back)
        return;
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(copy);
    cudaGraphDestroy(graph);
    cudaGraphDestroy(made);
    cudaStreamDestroy(stream);
    cudaFree(p);
}

int main(int, char **argv)
{
    const char which = argv[1][0];
    cudaEvent_t event;

    run(which != 'n' && which != 'r');
    if (which == 'l') {
        cudaMalloc(&owner.memory, 4);
        cudaEventCreate(&owner.event);
        cudaEventCreate(&event); // left l: an event is
    }
    if (which == 'r' || which == 'R')
        cudaDeviceReset();
    if (which == 'R')
        cudaMalloc(&owner.memory, 8), owner.memory = nullptr; // left R: 8 bytes
}
