// A kernel sets the condition of another graph.
__global__ void decide(cudaGraphConditionalHandle condition)
{
    cudaGraphSetConditional(condition, 1);
}

int main()
{
    cudaGraphConditionalHandle condition;
    cudaGraph_t graph;

    cudaGraphCreate(&graph, 0);
    cudaGraphConditionalHandleCreate(&condition, graph, 0, 0);
    decide<<<1, 1>>>(condition); // is in no graph
    cudaDeviceSynchronize();
    cudaGraphDestroy(graph);
}
