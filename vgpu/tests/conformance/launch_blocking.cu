/*
 * launch_blocking.cu: what waits for its end with CUDA_LAUNCH_BLOCKING=1, and
 * which values of the setting count.
 * Source: programming guide, "CUDA Environment Variables"; observed.
 */
#include "fact.h"

static cudaStream_t stream;

static void tell(const char *key)
{
    fact_yes(key, cudaStreamQuery(stream) != cudaErrorNotReady);
    cudaGetLastError();
    MUST(cudaStreamSynchronize(stream));
}

static void CUDART_CB sleep_long(void *)
{
    usleep(FACT_SLOW_MS * 1000);
}

static void CUDART_CB sleep_longer(cudaStream_t, cudaError_t, void *)
{
    usleep(FACT_SLOW_MS * 1000);
}

static void graph(unsigned long long rounds)
{
    struct cudaKernelNodeParams p = {};
    unsigned long long *sink = NULL;
    void *args[] = {&rounds, &sink};
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaGraph_t graph;

    p.func = (void *)fact_spin;
    p.gridDim = dim3(1);
    p.blockDim = dim3(1);
    p.kernelParams = args;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &p));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, stream));
    tell("graph_launch.waits");
}

static void copies(void)
{
    enum { BYTES = 256 << 20 };
    char *pinned, *memory, *second;

    MUST(cudaMallocHost((void **)&pinned, BYTES));
    MUST(cudaMalloc((void **)&memory, BYTES));
    MUST(cudaMalloc((void **)&second, BYTES));
    MUST(
        cudaMemcpyAsync(memory, pinned, BYTES, cudaMemcpyHostToDevice, stream));
    tell("copy_to_device.waits");
    MUST(
        cudaMemcpyAsync(pinned, memory, BYTES, cudaMemcpyDeviceToHost, stream));
    tell("copy_to_host.waits");
    for (int i = 0; i < 64; i++)
        MUST(cudaMemcpyAsync(second, memory, BYTES, cudaMemcpyDeviceToDevice,
                             stream));
    tell("copies_in_device.waits");
    for (int i = 0; i < 64; i++)
        MUST(cudaMemsetAsync(memory, 0, BYTES, stream));
    tell("memsets.waits");
}

static void all(void)
{
    unsigned long long rounds;

    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    rounds = fact_rounds_per_ms() * FACT_SLOW_MS;
    fact_slow(stream);
    tell("launch.waits");
    graph(rounds);
    MUST(cudaLaunchHostFunc(stream, sleep_long, NULL));
    tell("host_function.waits");
    MUST(cudaStreamAddCallback(stream, sleep_longer, NULL, 0));
    tell("callback.waits");
    copies();
}

static const char *setting;

static void one(void)
{
    if (setting)
        setenv("CUDA_LAUNCH_BLOCKING", setting, 1);
    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (!setting) /* too late */
        setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    fact_slow(stream);
    tell("launch_waits");
}

int main(void)
{
    static const char *const settings[] = {"0", "2", "-1", "yes", "", "01"};

    fact_in_child("one", all);
    for (const char *s : settings) {
        setting = s;
        fact("setting=%s", s);
        fact_in_child("child", one);
    }
    setting = NULL;
    fact_in_child("set_late", one);
    return 0;
}
