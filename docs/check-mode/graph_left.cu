// A graph and its executable graph are never destroyed.
int main()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    cudaGraphCreate(&graph, 0); // cudaGraphDestroy(graph) is missing,
    cudaGraphInstantiate(&exec, graph, 0); // cudaGraphExecDestroy(exec), too
}
