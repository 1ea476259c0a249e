// Calls that fail: a line's comment has the reason that check mode must give of
// it, and of no other line it may say anything (run.sh).
#include <cstdio>
#include <cstdlib>

#include <cuda.h>

__global__ void fill(int *to)
{
    extern __shared__ int more[];

    more[0] = 1;
    to[threadIdx.x] = more[0];
}

__global__ void __launch_bounds__(64) bounded(int *to)
{
    to[threadIdx.x] = 1;
}

__device__ int table[4];

static int bad;

static void look(cudaError_t error)
{
    bad += error != cudaSuccess;
}

static void times()
{
    cudaEvent_t start, stop, plain;
    float ms;
    int *p;

    look(cudaMalloc(&p, 256 << 20));
    look(cudaEventCreate(&start));
    look(cudaEventCreate(&stop));
    look(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    look(cudaEventRecord(start));
    look(cudaEventElapsedTime(&ms, start, stop)); // because: the end event was never recorded
    look(cudaMemsetAsync(p, 0, 256 << 20));
    look(cudaEventRecord(stop));
    look(cudaEventRecord(plain));
    if (cudaEventQuery(stop) != cudaErrorNotReady)
        puts("ready?");
    look(cudaEventElapsedTime(&ms, start, stop)); // because: wait for it first: cudaEventSynchronize(stop)
    look(cudaEventElapsedTime(&ms, start, plain)); // because: made with cudaEventDisableTiming
    look(cudaEventSynchronize(stop));
    look(cudaEventElapsedTime(&ms, start, stop));
    look(cudaEventDestroy(plain));
    look(cudaEventRecord(plain)); // because: event is an event that was destroyed at
    look(cudaEventDestroy(start));
    look(cudaEventDestroy(stop));
    look(cudaDeviceSynchronize());
    look(cudaFree(p));
    look(cudaFree(p)); // because: it has been freed already
}

static void copies()
{
    int host[100] = {}, *p, *pinned;

    look(cudaMalloc(&p, 40));
    look(cudaMallocHost(&pinned, 40));
    look(cudaMemcpy(p, host, 400, cudaMemcpyHostToDevice)); // because: 400 bytes from there on are too many for 40 bytes of device memory
    look(cudaMemcpy(p, host, 40, cudaMemcpyHostToDevice));
    look(cudaMemcpy(host, host, 40, cudaMemcpyHostToDevice)); // because: has its destination on a device
    look(cudaMemcpy(p, host, 40, (cudaMemcpyKind)9)); // because: 9 is no direction
    look(cudaMemset(host, 0, 40)); // because: a device cannot write there
    look(cudaMemcpyToSymbol(table, host, 40)); // because: too many for the variable table, of 16 bytes
    look(cudaFree(pinned)); // because: it is pinned host memory: cudaFreeHost
    look(cudaFree(p + 1)); // because: only the address that the allocation returned
    look(cudaDeviceSynchronize());
    look(cudaFreeHost(pinned));
    look(cudaFree(p));
    bad += cuMemFree(16) != CUDA_SUCCESS; // because: cuMemFree failed with CUDA_ERROR_INVALID_VALUE (1): no call of CUDA's has allocated it
    look(cudaMalloc(&p, 1ull << 50)); // because: are asked for, and of the
}

static void registers()
{
    char *const pages = (char *)aligned_alloc(4096, 8192);

    look(cudaHostRegister(pages, 8192, 0));
    look(cudaHostRegister(pages + 4096, 4096, 0)); // because: are still registered
    look(cudaHostUnregister(pages));
    look(cudaHostUnregister(pages)); // because: it is not registered
    free(pages);
}

static void textures()
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    const cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaArray_t array;
    float *p, host[64] = {};

    look(cudaMalloc(&p, 4096));
    look(cudaMallocArray(&array, &three, 8, 8)); // because: a texel has 1, 2 or 4 components
    look(cudaMallocArray(&array, &floats, 0, 8)); // because: an array has a width
    look(cudaMallocArray(&array, &floats, 1 << 20, 1 << 20)); // because: cannot be so large
    look(cudaMallocArray(&array, &ints, 8, 8));
    look(cudaMemcpy2DToArray(array, 0, 4, host, 32, 32, 8, cudaMemcpyHostToDevice)); // because: past the end of the array, of 8 x 8 x 1 texels
    look(cudaMemcpy2DToArray(array, 2, 0, host, 32, 4, 8, cudaMemcpyHostToDevice)); // because: not one of whole texels, of 4 bytes
    r.resType = cudaResourceTypeLinear;
    r.res.linear.desc = floats;
    r.res.linear.sizeInBytes = 64;
    r.res.linear.devPtr = host;
    look(cudaCreateTextureObject(&texture, &r, &t, NULL)); // because: a device cannot read there: it is memory that CUDA has not
    r.res.linear.devPtr = p + 1;
    look(cudaCreateTextureObject(&texture, &r, &t, NULL)); // because: no multiple of the device's textureAlignment, 512
    r.res.linear.devPtr = p;
    look(cudaCreateTextureObject(NULL, &r, &t, NULL)); // because: object is NULL
    look(cudaCreateTextureObject(&texture, NULL, &t, NULL)); // because: resource is NULL
    look(cudaCreateTextureObject(&texture, &r, NULL, NULL)); // because: texture is NULL
    look(cudaCreateSurfaceObject(&surface, &r)); // because: a surface is one of an array
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    t.filterMode = cudaFilterModeLinear;
    look(cudaCreateTextureObject(&texture, &r, &t, NULL)); // because: only what is read as floats can be filtered
    t.filterMode = cudaFilterModePoint;
    t.readMode = cudaReadModeNormalizedFloat;
    look(cudaCreateTextureObject(&texture, &r, &t, NULL)); // because: cannot be read as fractions
    look(cudaDestroyTextureObject(4711)); // because: object is no object that there is
    look(cudaFreeArray(array));
    look(cudaFreeArray(array)); // because: is an array that was destroyed at
    look(cudaFree(p));
}

static void attributes()
{
    cudaFuncAttributes of_kernel;
    cudaLaunchAttributeValue none = {};
    size_t bytes, limit;
    int value, blocks;
    char id[4];

    look(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20)); // because: can have 232448 bytes of dynamic shared memory
    look(cudaFuncSetAttribute(fill, cudaFuncAttributePreferredSharedMemoryCarveout, 101)); // because: 0 to 100 per cent
    look(cudaFuncSetAttribute(fill, (cudaFuncAttribute)99, 1)); // because: 99 is no attribute that can be set
    look(cudaFuncGetAttributes(&of_kernel, &value)); // because: it is no kernel's address
    look(cudaFuncGetAttributes(NULL, (const void *)fill)); // because: attributes is NULL
    look(cudaFuncGetParamInfo((const void *)fill, 1, &bytes, &limit)); // because: the kernel has 1 parameters
    look(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0)); // because: there is no attribute 9999
    look(cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0)); // because: value is NULL
    look(cudaDeviceGetPCIBusId(id, sizeof id, 0)); // because: there is room for 4
    look(cudaDeviceGetByPCIBusId(&value, "0000:77:00.0")); // because: no device is at 0000:77:00.0
    look(cudaDeviceGetByPCIBusId(&value, "first")); // because: is not as cudaDeviceGetPCIBusId gives it
    look(cudaDeviceSetLimit((cudaLimit)99, 1)); // because: there is no such limit
    look(cudaDeviceSetLimit(cudaLimitStackSize, 1ull << 40)); // because: more than the device can have
    look(cudaDeviceSetCacheConfig((cudaFuncCache)9)); // because: it is none of cudaFuncCache
    look(cudaSetDeviceFlags(3)); // because: more than one way to wait
    look(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 0, 0)); // because: a block has no 0 threads
    look(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, fill, 99, 1024)); // because: cannot have 99 blocks of 1024 threads
    look(cudaDeviceEnablePeerAccess(0, 0)); // because: is the current one itself
    look(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0)); // because: no peer of itself
    look(cudaStreamSetAttribute(0, cudaLaunchAttributeCooperative, &none)); // because: attribute 2 (cudaLaunchAttributeID) of a stream
}

static void sides()
{
    cudaMemcpy3DParms box = {};
    int host[64] = {}, *p;

    look(cudaMalloc(&p, 256));
    look(cudaMemcpy2D(p, 8, host, 8, 16, 4, cudaMemcpyHostToDevice)); // because: rows of 16 bytes do not begin 8 bytes apart
    look(cudaMemcpy2D(p, 64, host, 16, 16, 5, cudaMemcpyHostToDevice)); // because: too many for 256 bytes of device memory
    look(cudaMemset2D(p, 8, 0, 16, 4)); // because: rows of 16 bytes do not begin 8 bytes apart
    box.srcPtr = make_cudaPitchedPtr(host, 4, 16, 4);
    box.dstPtr = make_cudaPitchedPtr(p, 16, 16, 4);
    box.extent = make_cudaExtent(16, 4, 1);
    box.kind = cudaMemcpyHostToDevice;
    look(cudaMemcpy3D(&box)); // because: rows of 16 bytes do not begin 4 bytes apart
    look(cudaMemcpy3D(NULL)); // because: parms is NULL
    look(cudaMemcpyPeer(p, 0, host, 0, 16)); // because: no memory that CUDA has allocated: the source
    look(cudaMemcpyToSymbol(host, p, 16)); // because: it is no __device__, __constant__
    look(cudaMemcpyToSymbol(table, host, 8, 12)); // because: 8 bytes from byte 12 on are too many
    look(cudaMemcpyFromSymbol(host, table, 16, 0, cudaMemcpyHostToDevice)); // because: is on the host by the stated direction
    look(cudaMemPrefetchAsync(p, 64, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0)); // because: to be a range within managed memory, and is 256 bytes of device memory
    look(cudaStreamAttachMemAsync(0, p)); // because: it is no managed memory
    look(cudaFree(p));
}

static void others()
{
    cudaIpcMemHandle_t shared;
    cudaIpcEventHandle_t shared_event;
    cudaEvent_t event;
    int host, *p, *q;

    look(cudaMalloc(&p, 64));
    look(cudaEventCreate(&event));
    look(cudaIpcGetMemHandle(&shared, &host)); // because: only memory of cudaMalloc has a handle, and it is memory that CUDA
    look(cudaIpcGetMemHandle(&shared, p));
    look(cudaIpcOpenMemHandle((void **)&q, shared, 0)); // because: flags is not cudaIpcMemLazyEnablePeerAccess
    look(cudaIpcOpenMemHandle((void **)&q, shared, cudaIpcMemLazyEnablePeerAccess)); // because: the handle is of this process
    look(cudaIpcCloseMemHandle(p)); // because: cudaIpcOpenMemHandle has not given it
    look(cudaIpcGetEventHandle(&shared_event, event)); // because: made without cudaEventInterprocess
    look(cudaEventDestroy(event));
    look(cudaFree(p));
}

static void pools()
{
    cudaMemPoolProps properties = {};
    cudaMemPool_t pool, own;
    cudaMemAccessDesc access = {};
    uint64_t one = 1;
    int value;

    look(cudaMemPoolCreate(&pool, &properties)); // because: no pool can be there
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.maxSize = 1ull << 50;
    look(cudaMemPoolCreate(&pool, &properties)); // because: maxSize is more than the device has
    properties.maxSize = 0;
    look(cudaMemPoolCreate(&pool, &properties));
    look(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &one)); // because: what is there now cannot be set
    look(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one)); // because: can be set to 0 only
    look(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &one)); // because: no attribute 99 of a pool
    access.location = properties.location;
    look(cudaMemPoolSetAccess(pool, &access, 1)); // because: keeps the access to its own pool
    look(cudaMemPoolExportToShareableHandle(&value, pool, cudaMemHandleTypePosixFileDescriptor, 0)); // because: made without this type
    look(cudaMemPoolDestroy(pool));
    look(cudaMemPoolTrimTo(pool, 0)); // because: pool is a memory pool that was destroyed at
    look(cudaDeviceGetDefaultMemPool(&own, 0));
    look(cudaMemPoolDestroy(own)); // because: a default pool cannot be destroyed
}

static void kept_by_pools()
{
    uint64_t threshold = UINT64_MAX;
    size_t left, all;
    cudaMemPool_t pool;
    void *p;

    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMallocAsync(&p, 64 << 20, 0);
    cudaFreeAsync(p, 0);
    cudaDeviceSynchronize();
    cudaMemGetInfo(&left, &all);
    look(cudaMalloc(&p, left + 1)); // because: memory pools keep 64 MiB that nobody has
    threshold = 0;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMemPoolTrimTo(pool, 0);
}

static void graphs()
{
    cudaGraph_t graph, other;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, second, strange;
    cudaGraphEdgeData edge;
    cudaMemsetParams set = {};
    cudaHostNodeParams function = {};
    cudaKernelNodeParams kernel = {};
    cudaStream_t stream;
    size_t count;
    int *p;

    look(cudaMalloc(&p, 64));
    look(cudaGraphCreate(&graph, 1)); // because: flags is not 0
    look(cudaGraphCreate(&graph, 0));
    look(cudaGraphCreate(&other, 0));
    look(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    look(cudaGraphAddEmptyNode(&second, graph, &node, 1));
    look(cudaGraphAddEmptyNode(&strange, other, NULL, 0));
    look(cudaGraphAddEmptyNode(&node, graph, &strange, 1)); // because: dependency 0 is no node of this graph
    look(cudaGraphAddEmptyNode(NULL, graph, NULL, 0)); // because: node is NULL
    look(cudaGraphAddDependencies(graph, &node, &second, NULL, 1)); // because: of pair 0 is there already
    look(cudaGraphAddDependencies(graph, &node, &node, NULL, 1)); // because: does not depend on itself
    look(cudaGraphRemoveDependencies(graph, &second, &node, NULL, 1)); // because: no such edge as that of pair 0
    set.dst = p;
    set.elementSize = 3;
    look(cudaGraphAddMemsetNode(&strange, graph, NULL, 0, &set)); // because: elementSize is 1, 2 or 4, and not 3
    set.elementSize = 4;
    look(cudaGraphAddMemsetNode(&strange, graph, NULL, 0, &set)); // because: width or height is 0
    look(cudaGraphAddHostNode(&strange, graph, NULL, 0, &function)); // because: fn is NULL
    look(cudaGraphKernelNodeGetParams(node, &kernel)); // because: is of another type
    look(cudaGraphInstantiate(&exec, graph, 1 << 20)); // because: flags has a bit that there is not
    look(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagUpload)); // because: an upload needs a stream
    look(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch)); // because: flags exclude each other
    count = 0;
    look(cudaGraphNodeGetDependencies(second, &strange, NULL, &count)); // because: there is room for nodes, and *count is 0
    look(cudaGraphNodeGetDependentNodes(node, NULL, &edge, &count)); // because: with their nodes, for which there is no room
    look(cudaGraphGetEdges(graph, &strange, NULL, NULL, &count)); // because: only one of from and to is NULL
    look(cudaGraphInstantiate(&exec, graph, 0));
    look(cudaGraphNodeSetEnabled(exec, node, 0)); // because: it is no kernel, copy or memset of the graph
    look(cudaGraphGetNodes(graph, NULL, NULL)); // because: count is NULL
    look(cudaGraphGetNodes(graph, NULL, &count));
    look(cudaStreamCreate(&stream));
    look(cudaStreamUpdateCaptureDependencies(stream, NULL, NULL, 0, 0)); // because: nothing is captured in stream
    look(cudaStreamBeginCapture(stream, (cudaStreamCaptureMode)7)); // because: 7 is no mode of a capture
    look(cudaStreamDestroy(stream));
    look(cudaGraphExecDestroy(exec));
    look(cudaGraphExecDestroy(exec)); // because: is an executable graph that was destroyed at
    look(cudaGraphDestroy(graph));
    look(cudaGraphDestroy(other));
    look(cudaFree(p));
}

static void launches()
{
    cudaStream_t stream;
    int *p;

    look(cudaMalloc(&p, 1 << 16));
    look(cudaGetLastError()); // because: is that of cudaGraphExecDestroy at
    fill<<<0, 1>>>(p); // because: has no blocks
    look(cudaGetLastError());
    fill<<<1, 1025>>>(p); // because: a block may have 1024 threads in all, and not 1025
    look(cudaGetLastError());
    bounded<<<1, 65>>>(p); // because: __launch_bounds__ are 64 threads
    look(cudaGetLastError());
    fill<<<1, 1, 60000>>>(p); // because: more needs cudaFuncSetAttribute
    look(cudaStreamCreate(&stream));
    look(cudaPeekAtLastError()); // because: is that of the launch at
    look(cudaGetLastError());
    look(cudaStreamDestroy(stream));
    look(cudaStreamSynchronize(stream)); // because: stream is a stream that was destroyed at
    look(cudaSetDevice(99)); // because: the program sees
    fill<<<1, 1, 4>>>(p);
    look(cudaDeviceSynchronize());
    fill<<<1, 1, 4>>>(NULL);
    look(cudaDeviceSynchronize()); // because: kernel fill, launched at failed.cu:
    look(cudaMalloc(&p, 4));
    look(cudaGetLastError()); // because: is that of kernel fill at failed.cu:
}

int main()
{
    times();
    copies();
    registers();
    textures();
    attributes();
    sides();
    others();
    pools();
    kept_by_pools();
    graphs();
    launches();
    printf("%d failed\n", bad);
}
