/*
 * graph_conditional_capture.cu: a conditional node in the midst of a capture,
 * whose body is captured, too.
 * Source: programming guide, "Conditional Graph Nodes"; Runtime API,
 * cudaStreamBeginCaptureToGraph, cudaStreamUpdateCaptureDependencies.
 */
#include "condition.h"

int main(void)
{
    const cudaGraphNode_t *tips = NULL;
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraphConditionalHandle handle;
    cudaGraph_t graph = NULL, made = NULL, body = NULL, *bodies = NULL;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaStream_t stream, inner;
    size_t count = 0;
    int *value, *counted;

    fact_warm_up();
    MUST(cudaMalloc((void **)&value, 4));
    MUST(cudaMalloc((void **)&counted, 4));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamCreate(&inner));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(counted, 1000);
    MUST(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &tips, NULL,
                                  &count));
    fact_error("handle", cudaGraphConditionalHandleCreate(
                             &handle, graph, 1, cudaGraphCondAssignDefault));
    fact_error("node", try_conditional(&node, graph, tips, handle,
                                       cudaGraphCondTypeWhile, 1, &bodies));
    fact_error("update",
               cudaStreamUpdateCaptureDependencies(
                   stream, &node, NULL, 1, cudaStreamSetCaptureDependencies));
    fact_error("body.begin",
               cudaStreamBeginCaptureToGraph(inner, bodies[0], NULL, NULL, 0,
                                             cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, inner>>>(counted, 1);
    count_down<<<1, 1, 0, inner>>>(value, handle);
    fact_error("body.end", cudaStreamEndCapture(inner, &body));
    fact_yes("body.same", body == bodies[0]);
    add<<<1, 1, 0, stream>>>(counted, 100000);
    fact_error("end", cudaStreamEndCapture(stream, &made));
    MUST(cudaGraphGetNodes(made, NULL, &count));
    fact_int("nodes", (long long)count);
    MUST(cudaGraphGetNodes(body, NULL, &count));
    fact_int("body.nodes", (long long)count);
    fact_error("instantiate", cudaGraphInstantiate(&exec, made, 0));
    write_int(value, 4);
    write_int(counted, 0);
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    fact_int("counted", read_int(counted));
    write_int(value, 2);
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    fact_int("counted_again", read_int(counted));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(made));
    return 0;
}
