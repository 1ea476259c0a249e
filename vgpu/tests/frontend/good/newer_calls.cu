/* Calls that newer releases have: memory of graphs, any node, attributes of
 * streams, limits of pools; and what is refused, with an error of its own. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { N = 64, BYTES = N * sizeof(int) };

__global__ void fill(int *p, int value)
{
    p[threadIdx.x] = value + (int)threadIdx.x;
}

__global__ void add(int *to, const int *from)
{
    to[threadIdx.x] += from[threadIdx.x];
}

static cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after,
                              void *function, void **arguments)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    cudaGraphNode_t node;

    params.kernel.func = function;
    params.kernel.gridDim = dim3(1);
    params.kernel.blockDim = dim3(N);
    params.kernel.kernelParams = arguments;
    if (cudaGraphAddNode(&node, graph, &after, nullptr, 1, &params))
        printf("no node\n");
    return node;
}

/* What is launched twice uses its memory twice. */
static void launch(cudaGraph_t graph, const int *out)
{
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams params = {};
    int seen[N];

    cudaGraphInstantiateWithParams(&exec, graph, &params);
    cudaGraphLaunch(exec, 0);
    cudaGraphLaunch(exec, 0);
    cudaMemcpy(seen, out, BYTES, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", params.result_out, seen[0], seen[N - 1]);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void graphs(int *out)
{
    cudaMemAllocNodeParams params = {};
    cudaGraph_t graph;
    cudaGraphNode_t alloc, node, release;
    cudaStream_t stream;
    int value = 5, *scratch;
    void *freed;

    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.bytesize = BYTES;
    cudaMemset(out, 0, BYTES);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params);
    void *fill_arguments[] = {&params.dptr, &value};
    void *add_arguments[] = {&out, &params.dptr};
    node = kernel(graph, alloc, (void *)fill, fill_arguments);
    node = kernel(graph, node, (void *)add, add_arguments);
    cudaGraphAddMemFreeNode(&release, graph, &node, 1, params.dptr);
    cudaGraphMemFreeNodeGetParams(release, &freed);
    printf("%d %d\n", freed == params.dptr,
           cudaGraphAddMemFreeNode(&release, graph, nullptr, 0, out));
    launch(graph, out);

    cudaMemset(out, 0, BYTES);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&scratch, BYTES, stream);
    fill<<<1, N, 0, stream>>>(scratch, 7);
    add<<<1, N, 0, stream>>>(out, scratch);
    cudaFreeAsync(scratch, stream);
    cudaStreamEndCapture(stream, &graph);
    launch(graph, out);
    cudaStreamDestroy(stream);
}

static void attributes()
{
    cudaStreamAttrValue value = {}, back;
    cudaStream_t a, b;

    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    value.accessPolicyWindow.num_bytes = 4096;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value);
    cudaStreamCopyAttributes(b, a);
    cudaStreamGetAttribute(b, cudaStreamAttributeAccessPolicyWindow, &back);
    printf("%zu %d %d\n", back.accessPolicyWindow.num_bytes,
           back.accessPolicyWindow.hitProp,
           cudaStreamGetAttribute(b, cudaLaunchAttributeCooperative, &back));
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}

static void pools()
{
    cudaMemPoolProps props = {};
    cudaMemPool_t pool;
    void *p, *q;
    cudaError_t error;

    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.maxSize = (size_t)64 << 20;
    cudaMemPoolCreate(&pool, &props);
    cudaMallocFromPoolAsync(&p, (size_t)40 << 20, pool, 0);
    error = cudaMallocFromPoolAsync(&q, (size_t)40 << 20, pool, 0);
    printf("%s\n", cudaGetErrorName(error));
    cudaFreeAsync(p, 0);
    cudaDeviceSynchronize();
    error = cudaMallocFromPoolAsync(&q, (size_t)40 << 20, pool, 0);
    printf("%s\n", cudaGetErrorName(error));
    cudaFreeAsync(q, 0);
    cudaDeviceSynchronize();
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0},
                                cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags flags;

    printf("%d ", cudaMemPoolSetAccess(pool, &access, 1));
    cudaMemPoolGetAccess(&flags, pool, &access.location);
    access.location.id = 9;
    printf("%d %d\n", flags, cudaMemPoolSetAccess(pool, &access, 1));
    cudaMemPoolDestroy(pool);
}

/* Two rows of four, from the middle of rows of eight; and a kernel's name. */
static void boxes()
{
    cudaMemcpy3DPeerParms copy = {};
    int *from, *to, rows[4][8], seen[8];
    const char *name;

    for (int i = 0; i < 32; i++)
        rows[i / 8][i % 8] = i;
    cudaMalloc(&from, sizeof(rows));
    cudaMalloc(&to, sizeof(seen));
    cudaMemcpy(from, rows, sizeof(rows), cudaMemcpyHostToDevice);
    copy.srcPtr = make_cudaPitchedPtr(from, 8 * sizeof(int), 8, 4);
    copy.srcPos = make_cudaPos(2 * sizeof(int), 1, 0);
    copy.dstPtr = make_cudaPitchedPtr(to, 4 * sizeof(int), 4, 2);
    copy.extent = make_cudaExtent(4 * sizeof(int), 2, 1);
    printf("%d", cudaMemcpy3DPeer(&copy));
    cudaMemcpy(seen, to, sizeof(seen), cudaMemcpyDeviceToHost);
    printf(" %d %d %d %d", seen[0], seen[3], seen[4], seen[7]);
    copy.srcPos = make_cudaPos(0, 0, 0);
    printf(" %d", cudaMemcpy3DPeerAsync(&copy, 0));
    cudaMemcpy(seen, to, sizeof(seen), cudaMemcpyDeviceToHost);
    printf(" %d %d %d %d", seen[0], seen[3], seen[4], seen[7]);
    copy.dstDevice = 9;
    printf(" %s", cudaGetErrorName(cudaMemcpy3DPeer(&copy)));
    cudaFuncGetName(&name, (const void *)fill);
    printf(" %s\n", strstr(name, "fill") ? "fill" : name);
    cudaFree(from);
    cudaFree(to);
}

__global__ void spin()
{
    for (long long start = clock64(); clock64() - start < 20000000;)
        ;
}

/* Set before the first call, one connection counts: only the last kernel of a
 * stream and the first of the next one overlap. */
static void connections()
{
    cudaStream_t s[2];
    cudaEvent_t at[3];
    float one, all;

    for (int i = 0; i < 3; i++)
        cudaEventCreate(&at[i]);
    for (int i = 0; i < 2; i++)
        cudaStreamCreate(&s[i]);
    cudaEventRecord(at[0]);
    spin<<<1, 1>>>();
    cudaEventRecord(at[1]);
    for (int i = 0; i < 4; i++)
        spin<<<1, 1, 0, s[i / 2]>>>();
    cudaEventRecord(at[2]);
    cudaDeviceSynchronize();
    cudaEventElapsedTime(&one, at[0], at[1]);
    cudaEventElapsedTime(&all, at[1], at[2]);
    printf("%.1f\n", all / one);
}

int main()
{
    int *out;

    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 1);
    connections();
    cudaMalloc(&out, BYTES);
    graphs(out);
    attributes();
    pools();
    boxes();
    return cudaFree(out);
}
