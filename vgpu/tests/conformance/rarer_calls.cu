/*
 * rarer_calls.cu: calls that no other program makes: they are there, with the
 * arguments that the manual gives them, and do what it says.
 * Source: Runtime API, the sections of each.
 */
#include "fact.h"

#include <cuda_profiler_api.h>

static cudaStream_t s;

static void error(const char *key, cudaError_t error)
{
    fact_error(key, error);
    cudaGetLastError();
}

static void devices(void)
{
    int first[] = {0}, none[] = {99}, rank = -1;

    error("init_device", cudaInitDevice(0, 0, 0));
    error("init_device.none", cudaInitDevice(99, 0, 0));
    error("valid_devices", cudaSetValidDevices(first, 1));
    error("valid_devices.none", cudaSetValidDevices(none, 1));
    error("p2p.itself", cudaDeviceGetP2PAttribute(
                            &rank, cudaDevP2PAttrPerformanceRank, 0, 0));
    error("profiler_start", cudaProfilerStart());
    error("profiler_stop", cudaProfilerStop());
}

static void arrays(void)
{
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    int in[4] = {1, 2, 3, 4}, out[4] = {0};
    struct cudaResourceViewDesc view;
    struct cudaResourceDesc resource = {};
    struct cudaTextureDesc texture = {};
    cudaTextureObject_t object;
    cudaArray_t a, b;

    MUST(cudaMallocArray(&a, &format, 4));
    MUST(cudaMallocArray(&b, &format, 4));
    MUST(cudaMemcpyToArray(a, 0, 0, in, 8, cudaMemcpyHostToDevice));
    MUST(cudaMemcpyToArrayAsync(a, 8, 0, in + 2, 8, cudaMemcpyHostToDevice, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 16));
    MUST(cudaMemcpyFromArray(out, b, 0, 0, 8, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpyFromArrayAsync(out + 2, b, 8, 0, 8, cudaMemcpyDeviceToHost,
                                  s));
    MUST(cudaStreamSynchronize(s));
    fact("through_arrays=%d %d %d %d", out[0], out[1], out[2], out[3]);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    MUST(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    error("view_of_none", cudaGetTextureObjectResourceViewDesc(&view, object));
    fact_int("view_of_none.format", view.format);
    MUST(cudaDestroyTextureObject(object));
    MUST(cudaFreeArray(a));
    MUST(cudaFreeArray(b));
}

static struct cudaMemcpy3DParms box(int *dst, int *src, size_t num)
{
    struct cudaMemcpy3DParms p = {};

    p.dstPtr = make_cudaPitchedPtr(dst, num * 4, num, 1);
    p.srcPtr = make_cudaPitchedPtr(src, num * 4, num, 1);
    p.extent = make_cudaExtent(num * 4, 1, 1);
    p.kind = cudaMemcpyDefault;
    return p;
}

static void add(void *counter)
{
    ++*(int *)counter;
}

/* Of a graph: a copy, a host function, an event that is recorded, one that is
 * waited for. */
static void graphs(int *device, int *in, int *out)
{
    const cudaGraphNode_t *const none = NULL;
    static int calls[2];
    cudaHostNodeParams host = {add, &calls[0]};
    cudaMemcpy3DParms copy = box(device, in, 1);
    cudaEvent_t first, second, got;
    cudaGraphNode_t copied, called, recorded, waited;
    cudaGraph_t graph;
    cudaGraphExec_t exec;

    MUST(cudaEventCreate(&first));
    MUST(cudaEventCreate(&second));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemcpyNode(&copied, graph, none, 0, &copy));
    MUST(cudaGraphAddHostNode(&called, graph, &copied, 1, &host));
    MUST(cudaGraphAddEventRecordNode(&recorded, graph, &called, 1, first));
    MUST(cudaGraphAddEventWaitNode(&waited, graph, &recorded, 1, first));
    MUST(cudaGraphEventWaitNodeGetEvent(waited, &got));
    fact_yes("waits_for_the_first", got == first);
    copy = box(device, in + 1, 2);
    MUST(cudaGraphMemcpyNodeSetParams(copied, &copy));
    host.userData = &calls[1];
    MUST(cudaGraphHostNodeSetParams(called, &host));
    MUST(cudaGraphEventRecordNodeSetEvent(recorded, second));
    MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    MUST(cudaGraphExecEventWaitNodeSetEvent(exec, waited, second));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(out, device, 8, cudaMemcpyDeviceToHost));
    fact("changed_copy=%d %d", out[0], out[1]);
    fact("changed_function=%d %d", calls[0], calls[1]);
    error("changed_event", cudaEventQuery(second));
    MUST(cudaGraphMemcpyNodeSetParams1D(copied, device, in + 3, 4,
                                        cudaMemcpyHostToDevice));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(out, device, 8, cudaMemcpyDeviceToHost));
    fact("changed_again=%d %d", out[0], out[1]);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

static void graph_memory(void)
{
    uint64_t bytes = 1;

    error("graph_memory", cudaDeviceGetGraphMemAttribute(
                              0, cudaGraphMemAttrUsedMemCurrent, &bytes));
    fact_int("graph_memory.bytes", (long long)bytes);
    bytes = 0;
    error("graph_memory.high", cudaDeviceSetGraphMemAttribute(
                                   0, cudaGraphMemAttrUsedMemHigh, &bytes));
    error("graph_memory.current",
          cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent,
                                         &bytes));
}

int main(void)
{
    int *device, *in, out[4] = {0};
    struct cudaMemcpy3DParms copy;

    devices();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaMalloc((void **)&device, 64));
    MUST(cudaMallocHost((void **)&in, 64));
    for (int i = 0; i < 4; i++)
        in[i] = i + 1;
    copy = box(device, in, 4);
    MUST(cudaMemcpy3DAsync(&copy, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy(out, device, 16, cudaMemcpyDeviceToHost));
    fact("box=%d %d %d %d", out[0], out[1], out[2], out[3]);
    arrays();
    graphs(device, in, out);
    graph_memory();
    return 0;
}
