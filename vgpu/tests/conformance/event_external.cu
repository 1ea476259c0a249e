/*
 * event_external.cu: an event that a capture records with the external flag is
 * a node of the graph, and times a part of it; one that it records without is
 * an edge, and nothing that could be asked about afterwards.
 * Source: Runtime API, Event Management, cudaEventRecordWithFlags.
 */
#include "fact.h"

static void count_nodes(cudaGraph_t graph)
{
    cudaGraphNode_t nodes[16];
    enum cudaGraphNodeType type;
    size_t n = 16;
    int records = 0, waits = 0, kernels = 0;

    MUST(cudaGraphGetNodes(graph, nodes, &n));
    for (size_t i = 0; i < n; i++) {
        MUST(cudaGraphNodeGetType(nodes[i], &type));
        records += type == cudaGraphNodeTypeEventRecord;
        waits += type == cudaGraphNodeTypeWaitEvent;
        kernels += type == cudaGraphNodeTypeKernel;
    }
    fact_int("nodes", (long long)n);
    fact_int("record_nodes", records);
    fact_int("wait_nodes", waits);
    fact_int("kernel_nodes", kernels);
}

/* Events that were captured as edges, after the capture: asked, and waited for
 * by a stream that captures nothing and by one that captures anew. */
static void ask_edge(cudaStream_t s, cudaStream_t t, cudaEvent_t real,
                     cudaEvent_t edge)
{
    cudaGraph_t graph;
    float ms;

    fact_error("edge.query", cudaEventQuery(edge));
    fact_error("edge.synchronize", cudaEventSynchronize(edge));
    fact_error("edge.elapsed_end", cudaEventElapsedTime(&ms, real, edge));
    fact_error("edge.elapsed_start", cudaEventElapsedTime(&ms, edge, real));
    fact_error("edge.wait", cudaStreamWaitEvent(t, edge, 0));
    fact_error("edge.wait_then_synchronize", cudaStreamSynchronize(t));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    fact_error("edge.wait_in_another_capture", cudaStreamWaitEvent(s, edge, 0));
    fact_error("edge.end_of_another_capture", cudaStreamEndCapture(s, &graph));
    MUST(cudaEventRecord(edge, t));
    fact_error("edge.recorded_anew", cudaEventSynchronize(edge));
    fact_last("edge.latched");
}

/* While the capture that recorded it as an edge is under way. */
static void ask_in_capture(cudaStream_t s, cudaEvent_t real, cudaEvent_t edge)
{
    cudaGraph_t graph = NULL;
    float ms;

    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    MUST(cudaEventRecord(edge, s));
    fact_error("in_capture.elapsed", cudaEventElapsedTime(&ms, real, edge));
    fact_error("in_capture.end", cudaStreamEndCapture(s, &graph));
    fact_last("in_capture.latched");
}

/* Of an event that is a node a capture in this mode answers nothing, or what
 * the last launch of a graph left in it. */
static void ask_external_in_capture(cudaStream_t s, const char *mode,
                                    enum cudaStreamCaptureMode how,
                                    cudaEvent_t event)
{
    cudaGraph_t graph = NULL;

    MUST(cudaStreamBeginCapture(s, how));
    MUST(cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
    printf("external_in_%s.query=%d\n", mode, (int)cudaEventQuery(event));
    printf("external_in_%s.end=%d\n", mode,
           (int)cudaStreamEndCapture(s, &graph));
    printf("external_in_%s.latched=%d\n", mode, (int)cudaGetLastError());
}

int main(void)
{
    cudaStream_t s, t;
    cudaEvent_t a, b, edge, go;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float ms = -1;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&a));
    MUST(cudaEventCreate(&b));
    MUST(cudaEventCreate(&edge));
    MUST(cudaEventCreate(&go));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_error("wait.error", cudaStreamWaitEvent(s, go, cudaEventWaitExternal));
    fact_error("record.error",
               cudaEventRecordWithFlags(a, s, cudaEventRecordExternal));
    fact_slow(s);
    MUST(cudaEventRecord(edge, s));
    fact_error("record_end.error",
               cudaEventRecordWithFlags(b, s, cudaEventRecordExternal));
    fact_error("unknown_flags.error", cudaEventRecordWithFlags(b, s, 0x40));
    fact_error("end.error", cudaStreamEndCapture(s, &graph));
    count_nodes(graph);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    fact_error("before_launch.query", cudaEventQuery(b));
    fact_error("before_launch.elapsed", cudaEventElapsedTime(&ms, a, b));
    fact_last("before_launch.latched");
    MUST(cudaGraphLaunch(exec, s));
    fact_error("after_launch.not_ready", cudaEventQuery(b));
    fact_error("after_launch.synchronize", cudaEventSynchronize(b));
    fact_error("after_launch.elapsed", cudaEventElapsedTime(&ms, a, b));
    fact_yes("after_launch.time_is_the_kernel's",
             ms > FACT_SLOW_MS / 2 && ms < FACT_SLOW_MS * 2);
    ask_edge(s, t, b, edge);
    ask_in_capture(s, b, edge);
    ask_external_in_capture(s, "global", cudaStreamCaptureModeGlobal, a);
    ask_external_in_capture(s, "relaxed", cudaStreamCaptureModeRelaxed, a);
    return 0;
}
