/*
 * graph_event_nodes.cu: a graph can record an event and wait for one that
 * lives outside it.
 * Source: Runtime API, Graph Management, cudaGraphAddEventRecordNode.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t s, t;
    cudaEvent_t recorded, awaited, got = NULL;
    cudaGraph_t graph, waiting;
    cudaGraphExec_t exec, waiting_exec;
    cudaGraphNode_t node;
    enum cudaGraphNodeType type = cudaGraphNodeTypeEmpty;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&recorded, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&awaited, cudaEventDisableTiming));
    MUST(cudaGraphCreate(&graph, 0));
    fact_error("add_record.error",
               cudaGraphAddEventRecordNode(&node, graph, NULL, 0, recorded));
    MUST(cudaGraphNodeGetType(node, &type));
    fact_int("record_type", type);
    fact_error("record_get_event.error",
               cudaGraphEventRecordNodeGetEvent(node, &got));
    fact_yes("record_event_is_same", got == recorded);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphCreate(&waiting, 0));
    fact_error("add_wait.error",
               cudaGraphAddEventWaitNode(&node, waiting, NULL, 0, awaited));
    MUST(cudaGraphNodeGetType(node, &type));
    fact_int("wait_type", type);
    MUST(cudaGraphInstantiate(&waiting_exec, waiting, 0));

    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaGraphLaunch(waiting_exec, t));
    fact_error("wait_on_never_recorded.error", cudaStreamSynchronize(t));
    MUST(cudaDeviceSynchronize());

    fact_slow(s);
    MUST(cudaGraphLaunch(exec, s));
    fact_error("recorded_behind_slow.not_ready", cudaEventQuery(recorded));
    fact_error("recorded_synchronize.error", cudaEventSynchronize(recorded));

    fact_slow(s);
    MUST(cudaEventRecord(awaited, s));
    MUST(cudaGraphLaunch(waiting_exec, t));
    fact_error("wait_graph_synchronize.error", cudaStreamSynchronize(t));
    fact_done("wait_graph_waited", awaited);
    return 0;
}
