// not for CUDA 13: what other people's headers look for in older ones of
// nvcc's, and the driver API. Nobody here uses those of libraries.
#include <builtin_types.h>
#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda/std/atomic>
#include <cudaProfiler.h>
#include <cuda_gl_interop.h>
#include <cuda_profiler_api.h>
#include <cufft.h>
#include <curand_kernel.h>
#include <mma.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <thrust/device_vector.h>
#include <thrust/system/cuda/execution_policy.h>

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) ||            \
    !defined(__CUDA_RUNTIME_API_H__) || !defined(__VECTOR_TYPES_H__) ||        \
    !defined(__VECTOR_FUNCTIONS_H__) || !defined(__cuda_cuda_h__)
#error "a guard is missing"
#endif
#if CUDA_VERSION != CUDART_VERSION || __CUDACC_VER_MAJOR__ < 11
#error "versions differ"
#endif

using namespace nvcuda;

__constant__ int table[4] = {1, 2, 3, 4};

__global__ void look_up(int *out)
{
    out[threadIdx.x] = table[threadIdx.x];
}

static void driver()
{
    CUdeviceptr memory = 0;
    CUcontext context, same;
    CUdevice device = 7;
    const char *name;
    int names = 0;
    int values[4] = {}, count = 0, warp = 0;

    printf("%d ", cuDeviceGetCount(&count));
    printf("%d ", cuInit(0));
    printf("%d\n", cuMemAlloc(&memory, sizeof values));
    cuDeviceGet(&device, 0);
    cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
    printf("%d %d %d\n", device, warp, cuDeviceGet(&device, 99));
    printf("%d ", cuCtxCreate(&context, nullptr, 0, 0));
    cuCtxGetCurrent(&same);
    printf("%d %d\n", context == same, cuMemAlloc(&memory, sizeof values));
    look_up<<<1, 4>>>((int *)memory);
    printf("%d ", cuMemcpyDtoH(values, memory, sizeof values));
    printf("%d%d%d%d\n", values[0], values[1], values[2], values[3]);
    printf("%d ", cuMemFree(memory + 1));
    printf("%d ", cudaGetLastError()); /* the driver leaves it alone */
    cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &name);
    printf("%d %s\n", cuMemFree(memory), name);
    for (int error = 0; error < 1000; error++)
        names += !cuGetErrorName((CUresult)error, &name) &&
                 !cuGetErrorString((CUresult)error, &name);
    cuGetErrorName(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, &name);
    printf("%d %s %d %d\n", names, name, CUDA_ERROR_TIMEOUT,
           CUDA_ERROR_KEY_ROTATION);
    printf("%d ", cuCtxDestroy(context));
    printf("%d\n", cuCtxSynchronize());
}

static void symbols()
{
    int values[5] = {5, 6, 7, 8, 9};

    printf("%d ", cudaMemcpyToSymbol(table, values, sizeof values));
    printf("%d ", cudaMemcpyToSymbol(table, values, 4, 13));
    printf("%d ", cudaMemcpyToSymbol(table, values, 4, (size_t)-1));
    printf("%d ", cudaMemcpyFromSymbol(values, table, 8, 12));
    printf("%d\n", cudaMemcpyToSymbol(table, values, 4, 12));
}

static void graph()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    char log[8] = "unread";
    cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;

    cudaGraphCreate(&graph, 0);
    printf("%d ", cudaGraphInstantiate(&exec, graph, &node, log, sizeof log));
    printf("'%s' ", log);
    printf("%d ", cudaGraphExecUpdate(exec, graph, &node, &result));
    printf("%d\n", result);
}

static void configuration()
{
    cudaSharedMemConfig config = cudaSharedMemBankSizeDefault;
    int *managed;

    cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);
    cudaDeviceGetSharedMemConfig(&config);
    printf("%d %d ", config,
           cudaFuncSetSharedMemConfig(look_up, cudaSharedMemBankSizeFourByte));
    cudaMallocManaged(&managed, 64);
    printf("%d ", cudaStreamAttachMemAsync(0, managed, 0));
    printf("%d\n", cudaStreamAttachMemAsync(0, managed, 0, 8));
}

static void ranges()
{
    nvtxEventAttributes_t attributes = {};
    nvtxRangeId_t id;

    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = "inner";
    printf("%d ", nvtxRangePushA("outer"));
    printf("%d ", nvtxRangePushEx(&attributes));
    id = nvtxRangeStart("elsewhere");
    nvtxMark("here");
    nvtxRangeEnd(id);
    printf("%d ", nvtxRangePop());
    printf("%d ", nvtxRangePop());
    printf("%d\n", nvtxRangePop() < 0);
}

/* As common headers have them: nobody here uses cuBLAS. */
#define CHECK_CUBLAS(call)                                                     \
    do {                                                                       \
        cublasStatus_t status = call;                                          \
        if (status != CUBLAS_STATUS_SUCCESS)                                   \
            printf("%d\n", status);                                            \
    } while (0)

inline cublasHandle_t blas_handle()
{
    static cublasHandle_t handle;

    if (!handle)
        CHECK_CUBLAS(cublasCreate(&handle));
    return handle;
}

int main()
{
    driver();
    symbols();
    graph();
    configuration();
    ranges();
    return 0;
}
