// many.cu WHAT COUNT [TIMES]: so many small things, for what each of them
// costs. Prints what was wrong: 0.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static int wrong;

static void check(cudaError_t error)
{
    wrong += error != cudaSuccess;
}

__global__ void add(int *n)
{
    if (!threadIdx.x)
        *n += 1;
}

// Pinned memory of the host, and the device's, of as many numbers.
struct numbers {
    int *device, *host;

    explicit numbers(int count)
    {
        check(cudaMalloc(&device, count * sizeof *device));
        check(cudaMallocHost(&host, count * sizeof *host));
        memset(host, 0, count * sizeof *host);
        check(cudaMemset(device, 0, count * sizeof *device));
    }

    int first()
    {
        check(cudaMemcpy(host, device, sizeof *host, cudaMemcpyDeviceToHost));
        return *host;
    }

    ~numbers()
    {
        check(cudaFreeHost(host));
        check(cudaFree(device));
    }
};

static void launches(int count, int)
{
    numbers n(1);

    for (int i = 0; i < count; i++)
        add<<<1, 32>>>(n.device);
    wrong += n.first() != count;
}

static void copies(int count, int)
{
    numbers n(64);

    for (int i = 0; i < count; i++)
        check(cudaMemcpy(n.device + i % 64, n.host + i % 64, sizeof(int),
                         cudaMemcpyHostToDevice));
}

static void unwaited(int count, int)
{
    numbers n(64);
    cudaStream_t stream;

    check(cudaStreamCreate(&stream));
    for (int i = 0; i < count; i++)
        check(cudaMemcpyAsync(n.device + i % 64, n.host + i % 64, sizeof(int),
                              cudaMemcpyHostToDevice, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaStreamDestroy(stream));
}

static void streams(int count, int)
{
    std::vector<cudaStream_t> all(count);

    for (auto &stream : all)
        check(cudaStreamCreate(&stream));
    for (auto &stream : all)
        check(cudaStreamDestroy(stream));
}

static void streams_at_work(int count, int)
{
    numbers n(count);
    std::vector<cudaStream_t> all(count);

    for (auto &stream : all)
        check(cudaStreamCreate(&stream));
    for (int round = 0; round < 10; round++)
        for (int i = 0; i < count; i++)
            if (round == 0)
                check(cudaMemcpyAsync(n.device + i, n.host + i, sizeof(int),
                                      cudaMemcpyHostToDevice, all[i]));
            else if (round == 9)
                check(cudaMemcpyAsync(n.host + i, n.device + i, sizeof(int),
                                      cudaMemcpyDeviceToHost, all[i]));
            else
                add<<<1, 32, 0, all[i]>>>(n.device + i);
    check(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        wrong += n.host[i] != 8;
    for (auto &stream : all)
        check(cudaStreamDestroy(stream));
}

// The oldest first.
static void events(int count, int)
{
    std::vector<cudaEvent_t> all(count);

    for (auto &event : all) {
        check(cudaEventCreate(&event));
        check(cudaEventRecord(event));
    }
    for (auto &event : all)
        check(cudaEventDestroy(event));
    check(cudaDeviceSynchronize());
}

static void run_graph(cudaGraph_t graph, int times)
{
    cudaGraphExec_t exec;

    check(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < times; i++)
        check(cudaGraphLaunch(exec, 0));
    check(cudaDeviceSynchronize());
    check(cudaGraphExecDestroy(exec));
    check(cudaGraphDestroy(graph));
}

static void chain(int count, int times)
{
    numbers n(1);
    cudaGraph_t graph;
    cudaGraphNode_t node, before;
    cudaKernelNodeParams kernel = {};
    void *arguments[] = {&n.device};

    kernel.func = (void *)add;
    kernel.gridDim = 1;
    kernel.blockDim = 32;
    kernel.kernelParams = arguments;
    check(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < count; i++) {
        check(cudaGraphAddKernelNode(&node, graph, i ? &before : NULL, i > 0,
                                     &kernel));
        before = node;
    }
    run_graph(graph, times);
    wrong += n.first() != count * times;
}

static void wide(int count, int times)
{
    cudaGraph_t graph;
    cudaGraphNode_t node, first;

    check(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < count; i++)
        check(cudaGraphAddEmptyNode(i ? &node : &first, graph,
                                    i ? &first : NULL, i > 0));
    run_graph(graph, times);
}

static const struct {
    const char *name;
    void (*run)(int count, int times);
} kinds[] = {{"launches", launches},
             {"copies", copies},
             {"unwaited", unwaited},
             {"streams", streams},
             {"streams_at_work", streams_at_work},
             {"events", events},
             {"chain", chain},
             {"wide", wide}};

int main(int argc, char **argv)
{
    bool known = false;

    for (const auto &one : kinds)
        if (argc > 2 && !strcmp(argv[1], one.name)) {
            one.run(atoi(argv[2]), argc > 3 ? atoi(argv[3]) : 1);
            known = true;
        }
    printf("%d\n", wrong);
    return wrong || !known;
}
