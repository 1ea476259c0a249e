// One executable graph is launched into two streams at once.
__global__ void add(int *sum)
{
    for (int i = 0; i < 20000; i++)
        *sum = *sum + i;
}

int main()
{
    int *sum;
    cudaStream_t s, t;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, s>>>(sum);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, t); // not beside the one before
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(sum);
}
