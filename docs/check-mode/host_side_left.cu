// A copy of a graph reads a local variable of a function that has returned.
__attribute__((noinline)) void copy(int *to, cudaStream_t s)
{
    int value = 7;

    cudaMemcpyAsync(to, &value, sizeof value, cudaMemcpyHostToDevice, s);
}

int main()
{
    int *to;
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaMalloc(&to, sizeof *to);
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    copy(to, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s); // value is gone
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
    cudaFree(to);
}
