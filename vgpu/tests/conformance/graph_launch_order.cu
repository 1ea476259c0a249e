/*
 * graph_launch_order.cu: a graph launch is one item of its stream; launches
 * of the same executable graph never overlap, in whichever streams.
 * Source: Runtime API, Graph Management, cudaGraphLaunch.
 */
#include "fact.h"

int main(void)
{
    cudaStream_t s, t;
    cudaEvent_t slow_done, mark;
    cudaGraph_t graph;
    cudaGraphExec_t exec, twin;
    int *device;
    int back = 0;

    fact_warm_up();
    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&slow_done, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    MUST(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    fact_store<<<1, 1, 0, s>>>(device, 8);
    MUST(cudaStreamEndCapture(s, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphInstantiate(&twin, graph, 0));
    fact_error("upload.error", cudaGraphUpload(exec, s));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaGraphLaunch(twin, s));
    MUST(cudaDeviceSynchronize());

    FACT_WAITS("launch_in_busy_stream", s, cudaGraphLaunch(exec, s));

    fact_slow(s);
    fact_store<<<1, 1, 0, s>>>(device, 7);
    MUST(cudaEventRecord(slow_done, s));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaEventRecord(mark, s));
    MUST(cudaEventSynchronize(mark));
    fact_done("waits_for_earlier_work_of_stream", slow_done);
    MUST(cudaMemcpy(&back, device, sizeof(int), cudaMemcpyDeviceToHost));
    fact_int("ran_after_it", back);

    fact_slow(s);
    MUST(cudaEventRecord(slow_done, s));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaGraphLaunch(exec, t));
    MUST(cudaEventRecord(mark, t));
    MUST(cudaEventSynchronize(mark));
    fact_done("same_exec_in_other_stream_waits", slow_done);
    MUST(cudaDeviceSynchronize());

    fact_slow(s);
    MUST(cudaEventRecord(slow_done, s));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaGraphLaunch(twin, t));
    MUST(cudaEventRecord(mark, t));
    MUST(cudaEventSynchronize(mark));
    fact_done("other_exec_in_other_stream_waits", slow_done);
    MUST(cudaDeviceSynchronize());

    fact_error("launch_in_default_stream.error", cudaGraphLaunch(exec, 0));
    fact_error("synchronize.error", cudaDeviceSynchronize());
    return 0;
}
