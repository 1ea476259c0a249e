/*
 * launch_attribute_values.cu: which attributes a launch, a stream and a kernel
 * of a graph take, and which values: an attribute that is not for them is an
 * invalid value. Source: Runtime API, Data types, cudaLaunchAttributeID.
 */
#include "fact.h"

static __global__ void count(int *blocks)
{
    atomicAdd(blocks, 1);
}

static int *blocks;
static cudaStream_t stream;
static cudaGraphNode_t node;

static cudaError_t launch(cudaLaunchAttributeID id,
                          const cudaLaunchAttributeValue *value)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    cudaError_t error;

    attribute.id = id;
    attribute.val = *value;
    config.gridDim = dim3(4);
    config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    error = cudaLaunchKernelEx(&config, count, blocks);
    cudaGetLastError();
    return error;
}

static void all_three(const char *name, cudaLaunchAttributeID id,
                      const cudaLaunchAttributeValue *value)
{
    const cudaError_t of_launch = launch(id, value);
    const cudaError_t of_stream = cudaStreamSetAttribute(stream, id, value);
    const cudaError_t of_node =
        cudaGraphKernelNodeSetAttribute(node, id, value);

    cudaGetLastError();
    fact("%s=launch %d, stream %d, node %d", name, (int)of_launch,
         (int)of_stream, (int)of_node);
}

/* All zeros, as far as that is a value of a kind. */
static void zeros(void)
{
    cudaLaunchAttributeValue value;
    char name[32];

    memset(&value, 0, sizeof value);
    for (int id = 0; id <= 18; id++) {
        if (id == 7 || id == 12)
            continue; /* of events: programmatic_launch.cu */
        snprintf(name, sizeof name, "zero.%d", id);
        all_three(name, (cudaLaunchAttributeID)id, &value);
    }
    all_three("zero.999", (cudaLaunchAttributeID)999, &value);
}

static void numbers(void)
{
    static const int policies[] = {0, 1, 4, 5}, schedules[] = {1, 2, 3},
                     carveouts[] = {-1, 50, 100, 101};
    cudaLaunchAttributeValue value;
    char name[32];

    memset(&value, 0, sizeof value);
    for (int n : policies) {
        value.syncPolicy = (cudaSynchronizationPolicy)n;
        snprintf(name, sizeof name, "policy.%d", n);
        all_three(name, cudaLaunchAttributeSynchronizationPolicy, &value);
    }
    memset(&value, 0, sizeof value);
    for (int n : schedules) {
        value.clusterSchedulingPolicyPreference =
            (cudaClusterSchedulingPolicy)n;
        snprintf(name, sizeof name, "scheduling.%d", n);
        all_three(name, cudaLaunchAttributeClusterSchedulingPolicyPreference,
                  &value);
    }
    memset(&value, 0, sizeof value);
    for (int n : carveouts) {
        value.sharedMemCarveout = (unsigned)n;
        snprintf(name, sizeof name, "carveout.%d", n);
        all_three(name, cudaLaunchAttributePreferredSharedMemoryCarveout,
                  &value);
    }
    memset(&value, 0, sizeof value);
    value.priority = -1000;
    all_three("priority.-1000", cudaLaunchAttributePriority, &value);
    value.priority = 1000;
    all_three("priority.1000", cudaLaunchAttributePriority, &value);
}

static void window(const char *name, size_t bytes, float ratio, int hit,
                   int miss)
{
    cudaLaunchAttributeValue value;

    memset(&value, 0, sizeof value);
    value.accessPolicyWindow.base_ptr = blocks;
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = ratio;
    value.accessPolicyWindow.hitProp = (cudaAccessProperty)hit;
    value.accessPolicyWindow.missProp = (cudaAccessProperty)miss;
    all_three(name, cudaLaunchAttributeAccessPolicyWindow, &value);
}

static void windows(void)
{
    const size_t most = 134217728;

    window("window.usual", 4096, 0.5f, cudaAccessPropertyPersisting,
           cudaAccessPropertyStreaming);
    window("window.of_nothing", 0, 0.5f, cudaAccessPropertyPersisting,
           cudaAccessPropertyStreaming);
    window("window.largest", most, 1, cudaAccessPropertyPersisting,
           cudaAccessPropertyNormal);
    window("window.too_large", most + 1, 1, cudaAccessPropertyPersisting,
           cudaAccessPropertyNormal);
    window("window.ratio_below_0", 4096, -0.1f, cudaAccessPropertyPersisting,
           cudaAccessPropertyNormal);
    window("window.ratio_above_1", 4096, 1.5f, cudaAccessPropertyPersisting,
           cudaAccessPropertyNormal);
    window("window.miss_stays", 4096, 0.5f, cudaAccessPropertyStreaming,
           cudaAccessPropertyPersisting);
    window("window.hit_3", 4096, 0.5f, 3, cudaAccessPropertyNormal);
    window("window.miss_3", 4096, 0.5f, cudaAccessPropertyNormal, 3);
}

int main(void)
{
    cudaKernelNodeParams params = {};
    cudaGraph_t graph;
    void *args[] = {&blocks};
    int ran = -1;

    MUST(cudaMalloc((void **)&blocks, sizeof(int)));
    MUST(cudaMemset(blocks, 0, sizeof(int)));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    params.func = (void *)count;
    params.gridDim = dim3(4);
    params.blockDim = dim3(1);
    params.kernelParams = args;
    MUST(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    zeros();
    numbers();
    windows();
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(&ran, blocks, sizeof(int), cudaMemcpyDefault));
    fact_int("blocks_that_ran", ran);
    return 0;
}
