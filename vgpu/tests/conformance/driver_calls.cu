// flags: -lcuda
/*
 * driver_calls.cu: calls of the driver API do what the runtime's do, on memory,
 * streams, events and devices that both can use.
 * Source: Driver API, Device, Context, Memory, Stream and Event Management.
 */
#include "fact.h"

#include <cuda.h>
#include <cudaProfiler.h>

static void error(const char *key, CUresult error)
{
    const char *name = NULL;

    cuGetErrorName(error, &name);
    fact("%s=%d %s", key, (int)error, name ? name : "none");
}

static void must(CUresult error, int line)
{
    if (error == CUDA_SUCCESS)
        return;
    fprintf(stderr, "driver_calls.cu:%d: %d\n", line, (int)error);
    exit(1);
}
#define DO(call) must((call), __LINE__)

static void set(void *flag)
{
    *(int *)flag += 1;
}

static void called(CUstream stream, CUresult status, void *flag)
{
    (void)stream;
    if (status == CUDA_SUCCESS)
        *(int *)flag += 10;
}

static void devices(CUdevice device)
{
    struct cudaDeviceProp prop;
    int number = 0, same = 0, major, minor, can = -1;
    char name[256], bus[32], other[32];
    size_t bytes;
    CUuuid uuid;

    MUST(cudaGetDeviceProperties(&prop, device));
    DO(cuDriverGetVersion(&number));
    MUST(cudaDriverGetVersion(&same));
    fact_yes("version", number == same);
    DO(cuDeviceGetName(name, sizeof name, device));
    fact_yes("name", !strcmp(name, prop.name));
    DO(cuDeviceGetUuid(&uuid, device));
    fact_yes("uuid", !memcmp(&uuid, &prop.uuid, sizeof uuid));
    DO(cuDeviceTotalMem(&bytes, device));
    fact_yes("total_memory", bytes == prop.totalGlobalMem);
    DO(cuDeviceComputeCapability(&major, &minor, device));
    fact_yes("capability", major == prop.major && minor == prop.minor);
    DO(cuDeviceGetPCIBusId(bus, sizeof bus, device));
    MUST(cudaDeviceGetPCIBusId(other, sizeof other, device));
    fact_yes("bus", !strcmp(bus, other));
    DO(cuDeviceCanAccessPeer(&can, device, device));
    fact_int("peer_of_itself", can);
    error("peer.no_device", cuDeviceCanAccessPeer(&can, device, 99));
}

static void contexts(CUdevice device)
{
    CUcontext primary, first, second, now;
    CUdevice of = -1;
    unsigned int version = 0;

    DO(cuDevicePrimaryCtxRetain(&primary, device));
    DO(cuCtxSetCurrent(primary));
    DO(cuCtxGetDevice(&of));
    fact_yes("primary.device", of == device);
    error("api_version", cuCtxGetApiVersion(primary, &version));
#if CUDA_VERSION >= 13000
    DO(cuCtxCreate(&first, NULL, 0, device));
#else
    DO(cuCtxCreate(&first, 0, device));
#endif
    DO(cuCtxPopCurrent(&now));
    fact_yes("popped_the_new_one", now == first);
    DO(cuCtxGetCurrent(&second));
    fact_yes("then_the_primary", second == primary);
    DO(cuCtxPushCurrent(first));
    DO(cuCtxGetCurrent(&now));
    fact_yes("pushed", now == first);
    DO(cuCtxDestroy(first));
    DO(cuCtxSetCurrent(primary));
    error("peer_access.itself", cuCtxEnablePeerAccess(primary, 0));
    error("peer_access.never", cuCtxDisablePeerAccess(primary));
    DO(cuDevicePrimaryCtxRelease(device));
    error("release.no_device", cuDevicePrimaryCtxRelease(99));
    DO(cuDevicePrimaryCtxRetain(&primary, device));
    DO(cuCtxSetCurrent(primary));
}

static void memory(void)
{
    size_t free_bytes = 0, total = 0, pitch = 0;
    CUdeviceptr plain, managed, rows, mapped = 0, async;
    unsigned int is_managed = 9;
    void *host, *pinned;
    static char own[8192];
    char *page = (char *)(((uintptr_t)own + 4095) / 4096 * 4096);

    DO(cuMemGetInfo(&free_bytes, &total));
    fact_yes("memory_info", free_bytes <= total);
    error("alloc.none", cuMemAlloc(&plain, 0));
    DO(cuMemAlloc(&plain, 64));
    DO(cuMemAllocPitch(&rows, &pitch, 100, 4, 4));
    fact_yes("pitch", pitch >= 100);
    error("pitch.element", cuMemAllocPitch(&rows, &pitch, 100, 4, 3));
    DO(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
    DO(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                             managed));
    fact_int("is_managed", is_managed);
    DO(cuMemAllocHost(&host, 64));
    DO(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    DO(cuMemHostGetDevicePointer(&mapped, pinned, 0));
    fact_yes("mapped", mapped != 0);
    DO(cuMemHostRegister(page, 4096, 0));
    error("register.again", cuMemHostRegister(page, 4096, 0));
    DO(cuMemHostUnregister(page));
    error("unregister.again", cuMemHostUnregister(page));
    DO(cuMemAllocAsync(&async, 64, 0));
    DO(cuMemFreeAsync(async, 0));
    DO(cuMemFreeHost(pinned));
    DO(cuMemFreeHost(host));
    DO(cuMemFree(managed));
    DO(cuMemFree(plain));
    error("free.again", cuMemFree(plain));
}

static void copies(CUcontext context, CUstream stream)
{
    unsigned char out[8] = {0}, in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    CUdeviceptr a, b;

    DO(cuMemAlloc(&a, 8));
    DO(cuMemAlloc(&b, 8));
    DO(cuMemcpyHtoD(a, in, 8));
    DO(cuMemcpyDtoD(b, a, 8));
    DO(cuMemcpyDtoH(out, b, 8));
    fact_yes("copied", !memcmp(in, out, 8));
    DO(cuMemsetD8(a, 7, 8));
    DO(cuMemcpy(b, a, 4));
    DO(cuMemcpyDtoH(out, b, 8));
    fact("set_and_copied=%d %d", out[3], out[4]);
    DO(cuMemsetD8Async(a, 9, 4, stream));
    DO(cuMemcpyAsync(b, a, 2, stream));
    DO(cuMemcpyDtoDAsync(b + 2, a, 2, stream));
    DO(cuMemcpyDtoHAsync(out, b, 8, stream));
    DO(cuStreamSynchronize(stream));
    fact("in_order=%d %d %d %d", out[0], out[1], out[2], out[4]);
    DO(cuMemcpyHtoDAsync(a, in, 8, stream));
    DO(cuMemcpyPeerAsync(b, context, a, context, 8, stream));
    DO(cuStreamSynchronize(stream));
    DO(cuMemcpyPeer(a, context, b, context, 4));
    DO(cuMemcpyDtoH(out, a, 8));
    fact_yes("peer", !memcmp(in, out, 8));
    DO(cuMemFree(a));
    DO(cuMemFree(b));
}

static void streams(void)
{
    static int flag;
    CUstream s, t;
    CUevent begin, end;
    float ms = -1;

    DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    DO(cuStreamCreateWithPriority(&t, CU_STREAM_NON_BLOCKING, 0));
    DO(cuEventCreate(&begin, CU_EVENT_DEFAULT));
    DO(cuEventCreate(&end, CU_EVENT_DEFAULT));
    DO(cuEventRecord(begin, s));
    DO(cuLaunchHostFunc(s, set, &flag));
    DO(cuStreamAddCallback(s, called, &flag, 0));
    DO(cuEventRecordWithFlags(end, s, CU_EVENT_RECORD_DEFAULT));
    DO(cuStreamWaitEvent(t, end, 0));
    DO(cuStreamSynchronize(t));
    DO(cuStreamSynchronize(s));
    fact_int("host_functions", flag);
    DO(cuEventSynchronize(end));
    error("event", cuEventQuery(end));
    error("stream", cuStreamQuery(s));
    DO(cuEventElapsedTime(&ms, begin, end));
    fact_yes("elapsed", ms >= 0);
    DO(cuEventDestroy(begin));
    DO(cuEventDestroy(end));
    DO(cuStreamDestroy(s));
    DO(cuStreamDestroy(t));
}

int main(void)
{
    CUdevice device;
    CUcontext context;
    CUstream stream;

    DO(cuInit(0));
    DO(cuDeviceGet(&device, 0));
    devices(device);
    contexts(device);
    DO(cuCtxGetCurrent(&context));
    memory();
    DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    copies(context, stream);
    DO(cuStreamDestroy(stream));
    streams();
    DO(cuProfilerStart());
    DO(cuProfilerStop());
    DO(cuCtxSynchronize());
    error("reset", cuDevicePrimaryCtxReset(device));
    return 0;
}
