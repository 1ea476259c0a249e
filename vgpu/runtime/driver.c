/*
 * driver.c: the driver API's names for what the runtime API does.
 *
 * A call of the driver's is the runtime's under another name, with two
 * differences that programs see: it wants cuInit and a context first, and it
 * leaves the runtime's last error alone.
 */
#include "rt.h"
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STACK = 64 };

/* Enough of a context to tell two apart and to know their device. */
struct CUctx_st {
    int device;
    bool primary;
};

static struct CUctx_st primaries[VGPU_MAX_DEVICES];
static atomic_bool initialized;

/* The contexts that this thread has pushed, newest last. */
static VGPU_OWN struct {
    CUcontext items[MAX_STACK];
    int count;
    bool emptied; /* none is current, whatever the runtime has made */
} stack;

static CUcontext primary_of(int device)
{
    primaries[device].device = device;
    primaries[device].primary = true;
    return &primaries[device];
}

/* A cudaSetDevice behind the driver's back counts, too, as does a context that
 * the runtime made by itself. */
static CUcontext current(void)
{
    const int device = vgpu_thread_self()->device;

    if (stack.count && stack.items[stack.count - 1]->device == device)
        return stack.items[stack.count - 1];
    if (stack.count)
        return primary_of(device);
    return !stack.emptied && vgpu_rt.devices[device].has_context
               ? primary_of(device)
               : NULL;
}

/* What must be there before a call (api_driver.def); cuInit was called where a
 * context is. */
enum { INIT = 1, CONTEXT };
enum need {
#define VGPU_DRIVER(NAME, PARAMETERS, NEED, SHOWN) NEED_##NAME = NEED,
#include "vgpu/api_driver.def"
};

static cudaError_t enter(int need, uint64_t pc)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    thread->site_pc = pc;
    if (need == NOTHING || (need == CONTEXT && current()))
        return cudaSuccess;
    thread->site_pc = 0;
    if (!initialized && !vgpu_rt.devices[thread->device].has_context)
        return vgpu_because(cudaErrorInitializationError,
                            "cuInit was not called before it");
    if (need == CONTEXT)
        return vgpu_because(cudaErrorDeviceUninitialized,
                            "no context is current in this host thread: "
                            "cuCtxCreate, cuCtxSetCurrent or "
                            "cuDevicePrimaryCtxRetain before it");
    thread->site_pc = pc;
    return cudaSuccess;
}

/* What a driver's call must leave as it was: the runtime's last error. */
struct last {
    cudaError_t error;
    const char *call;
    uint64_t pc, at, calls;
};

/* From now on what fails is the driver's call @name at @pc. */
static struct last begin(const char *name, uint64_t pc)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    thread->driver_call = name;
    thread->driver_pc = pc;
    thread->reason.error = cudaSuccess;
    return (struct last){thread->last_error, thread->error_call,
                         thread->error_pc, thread->error_at, thread->calls};
}

/* The numbers are the same but of what is no function, and the runtime's last
 * error is put back. */
static CUresult leave(cudaError_t error, struct last last)
{
    struct vgpu_thread *thread = vgpu_thread_self();

    if (error && thread->calls == last.calls)
        vgpu_driver_failed(error);
    thread->driver_call = NULL;
    thread->last_error = last.error;
    thread->error_call = last.call;
    thread->error_pc = last.pc;
    thread->error_at = last.at;
    return error == cudaErrorInvalidDeviceFunction ? CUDA_ERROR_INVALID_HANDLE
                                                   : (CUresult)error;
}

/* A function that is a runtime call and no more. */
#define DRIVER(name, parameters, call)                                         \
    CUresult name parameters                                                   \
    {                                                                          \
        const uint64_t pc = VGPU_PC;                                           \
        const struct last last = begin(#name, pc);                             \
        const cudaError_t error = enter(NEED_##name, pc);                      \
                                                                               \
        return leave(error ? error : call, last);                              \
    }
#define AT(pointer) ((void *)(uintptr_t)(pointer))

/* ---- start, errors ------------------------------------------------------- */

static cudaError_t init(unsigned int flags)
{
    int count;
    cudaError_t error =
        flags ? cudaErrorInvalidValue : cudaGetDeviceCount(&count);

    if (!error)
        initialized = true;
    return error;
}

DRIVER(cuInit, (unsigned int flags), init(flags))
DRIVER(cuDriverGetVersion, (int *version), cudaDriverGetVersion(version))

/* The runtime's own names for these errors differ from the driver's. */
static const struct {
    CUresult error;
    const char *name;
} names[] = {
#define VGPU_DRIVER_ERROR(NAME, NUMBER) {NAME, #NAME},
#include "vgpu/errors.def"
};

CUresult cuGetErrorName(CUresult error, const char **name)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error) {
            *name = names[i].name;
            return CUDA_SUCCESS;
        }
    *name = NULL;
    return CUDA_ERROR_INVALID_VALUE;
}

/* Two errors are the driver's alone. */
CUresult cuGetErrorString(CUresult error, const char **text)
{
    CUresult status = cuGetErrorName(error, text);

    if (status)
        return status;
    *text = error == CUDA_ERROR_CONTEXT_ALREADY_CURRENT
                ? "context already current"
            : error == CUDA_ERROR_KEY_ROTATION
                ? "keys could not be exchanged"
                : cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

/* ---- devices ------------------------------------------------------------- */

static cudaError_t get_device(CUdevice *device, int ordinal)
{
    if (!device)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(ordinal))
        return cudaErrorInvalidDevice;
    *device = ordinal;
    return cudaSuccess;
}

static cudaError_t device_name(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp prop;
    cudaError_t error = !name || length < 1
                            ? cudaErrorInvalidValue
                            : cudaGetDeviceProperties(&prop, device);

    if (!error) {
        strncpy(name, prop.name, (size_t)length);
        name[length - 1] = '\0';
    }
    return error;
}

static cudaError_t device_uuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp prop;
    cudaError_t error =
        uuid ? cudaGetDeviceProperties(&prop, device) : cudaErrorInvalidValue;

    if (!error)
        *uuid = prop.uuid;
    return error;
}

static cudaError_t device_memory(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp prop;
    cudaError_t error =
        bytes ? cudaGetDeviceProperties(&prop, device) : cudaErrorInvalidValue;

    if (!error)
        *bytes = prop.totalGlobalMem;
    return error;
}

/* Virtual memory management and its handles are not there, and say so: 0. */
static cudaError_t device_attribute(int *value, CUdevice_attribute attribute,
                                    CUdevice device)
{
    if (value && (int)attribute >= 102 && (int)attribute <= 105 &&
        vgpu_device_exists(device)) {
        *value = 0;
        return cudaSuccess;
    }
    return cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute,
                                  device);
}

static cudaError_t capability(int *major, int *minor, CUdevice device)
{
    cudaError_t error = cudaDeviceGetAttribute(
        major, cudaDevAttrComputeCapabilityMajor, device);

    return error ? error
                 : cudaDeviceGetAttribute(
                       minor, cudaDevAttrComputeCapabilityMinor, device);
}

DRIVER(cuDeviceGet, (CUdevice * device, int ordinal),
       get_device(device, ordinal))
DRIVER(cuDeviceGetCount, (int *count), cudaGetDeviceCount(count))
DRIVER(cuDeviceGetName, (char *name, int length, CUdevice device),
       device_name(name, length, device))
DRIVER(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device),
       device_uuid(uuid, device))
DRIVER(cuDeviceTotalMem, (size_t * bytes, CUdevice device),
       device_memory(bytes, device))
DRIVER(cuDeviceGetAttribute,
       (int *value, CUdevice_attribute attribute, CUdevice device),
       device_attribute(value, attribute, device))
DRIVER(cuDeviceComputeCapability, (int *major, int *minor, CUdevice device),
       capability(major, minor, device))
DRIVER(cuDeviceGetPCIBusId, (char *id, int length, CUdevice device),
       cudaDeviceGetPCIBusId(id, length, device))
DRIVER(cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer),
       cudaDeviceCanAccessPeer(can, device, peer))

/* ---- contexts ------------------------------------------------------------ */

static cudaError_t push(CUcontext context)
{
    if (!context || stack.count == MAX_STACK)
        return cudaErrorInvalidValue;
    stack.items[stack.count++] = context;
    stack.emptied = false;
    return cudaSetDevice(context->device);
}

static cudaError_t pop(CUcontext *context)
{
    if (!stack.count)
        return cudaErrorDeviceUninitialized;
    stack.count--;
    if (context)
        *context = stack.items[stack.count];
    stack.emptied = !stack.count;
    return stack.count ? cudaSetDevice(stack.items[stack.count - 1]->device)
                       : cudaSuccess;
}

/* NULL empties the stack's top; with an empty one, a context is pushed. */
static cudaError_t set_current(CUcontext context)
{
    if (stack.count)
        stack.count--;
    if (context)
        return push(context);
    stack.emptied = !stack.count;
    return cudaSuccess;
}

static cudaError_t create(CUcontext *context, CUdevice device)
{
    CUcontext made;
    cudaError_t error;

    if (!context)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    made = calloc(1, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    made->device = device;
    error = push(made);
    if (error) {
        free(made);
        return error;
    }
    *context = made;
    return cudaFree(NULL); /* time that making one takes */
}

/* It goes from this thread's stack, wherever it lies there. */
static cudaError_t destroy(CUcontext context)
{
    int kept = 0;

    if (!context || context->primary)
        return cudaErrorInvalidValue;
    for (int i = 0; i < stack.count; i++)
        if (stack.items[i] != context)
            stack.items[kept++] = stack.items[i];
    stack.count = kept;
    stack.emptied = !kept;
    free(context);
    return kept ? cudaSetDevice(stack.items[kept - 1]->device) : cudaSuccess;
}

static cudaError_t get_current(CUcontext *context)
{
    if (!context)
        return cudaErrorInvalidValue;
    *context = current();
    return cudaSuccess;
}

static cudaError_t api_version(unsigned int *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = 3020; /* as real ones have said since CUDA 3.2 */
    return cudaSuccess;
}

static cudaError_t retain(CUcontext *context, CUdevice device)
{
    if (!context)
        return cudaErrorInvalidValue;
    if (!vgpu_device_exists(device))
        return cudaErrorInvalidDevice;
    *context = primary_of(device);
    return cudaSuccess;
}

static cudaError_t exists(CUdevice device)
{
    return vgpu_device_exists(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

/* A device is reset as the current one. */
static cudaError_t reset(CUdevice device)
{
    const int here = vgpu_thread_self()->device;
    cudaError_t error = cudaSetDevice(device);

    if (!error)
        error = cudaDeviceReset();
    cudaSetDevice(here);
    return error;
}

DRIVER(cuCtxCreate_v2,
       (CUcontext * context, unsigned int flags, CUdevice device),
       ((void)flags, create(context, device)))
DRIVER(cuCtxCreate_v4,
       (CUcontext * context, CUctxCreateParams *params, unsigned int flags,
        CUdevice device),
       ((void)flags, params && (params->execAffinityParams || params->cigParams)
                         ? cudaErrorNotSupported
                         : create(context, device)))
DRIVER(cuCtxDestroy, (CUcontext context), destroy(context))
DRIVER(cuCtxPushCurrent, (CUcontext context), push(context))
DRIVER(cuCtxPopCurrent, (CUcontext * context), pop(context))
DRIVER(cuCtxSetCurrent, (CUcontext context), set_current(context))
DRIVER(cuCtxGetCurrent, (CUcontext * context), get_current(context))
DRIVER(cuCtxGetDevice, (CUdevice * device), cudaGetDevice(device))
DRIVER(cuCtxGetApiVersion, (CUcontext context, unsigned int *version),
       ((void)context, api_version(version)))
DRIVER(cuCtxSynchronize, (void), cudaDeviceSynchronize())
DRIVER(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags),
       peer ? cudaDeviceEnablePeerAccess(peer->device, flags)
            : cudaErrorDeviceUninitialized)
DRIVER(cuCtxDisablePeerAccess, (CUcontext peer),
       peer ? cudaDeviceDisablePeerAccess(peer->device)
            : cudaErrorDeviceUninitialized)
DRIVER(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),
       retain(context, device))
DRIVER(cuDevicePrimaryCtxRelease, (CUdevice device), exists(device))
DRIVER(cuDevicePrimaryCtxReset, (CUdevice device), reset(device))

/* ---- memory -------------------------------------------------------------- */

/* CUdeviceptr is a number: the runtime writes a pointer of the same size. */
#define OUT(pointer) ((void **)(void *)(pointer))

static CUmemorytype memory_type(enum cudaMemoryType type)
{
    return type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST
                                      : CU_MEMORYTYPE_DEVICE;
}

static cudaError_t pointer_attribute(void *data, CUpointer_attribute attribute,
                                     const void *pointer)
{
    struct cudaPointerAttributes a;
    cudaError_t error =
        data ? cudaPointerGetAttributes(&a, pointer) : cudaErrorInvalidValue;

    if (error || a.type == cudaMemoryTypeUnregistered)
        return error ? error : cudaErrorInvalidValue;
    if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT)
        *(CUcontext *)data = primary_of(a.device);
    else if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        *(CUmemorytype *)data = memory_type(a.type);
    else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
        *(CUdeviceptr *)data = (CUdeviceptr)(uintptr_t)a.devicePointer;
    else if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER && a.hostPointer)
        *(void **)data = a.hostPointer;
    else if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED)
        *(unsigned int *)data = a.type == cudaMemoryTypeManaged;
    else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        *(int *)data = a.device;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

DRIVER(cuMemGetInfo, (size_t * free_bytes, size_t *total_bytes),
       cudaMemGetInfo(free_bytes, total_bytes))
DRIVER(cuMemAlloc, (CUdeviceptr * pointer, size_t bytes),
       bytes ? cudaMalloc(OUT(pointer), bytes) : cudaErrorInvalidValue)
DRIVER(cuMemAllocPitch,
       (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height,
        unsigned int element_bytes),
       element_bytes == 4 || element_bytes == 8 || element_bytes == 16
           ? cudaMallocPitch(OUT(pointer), pitch, width, height)
           : cudaErrorInvalidValue)
DRIVER(cuMemAllocManaged,
       (CUdeviceptr * pointer, size_t bytes, unsigned int flags),
       cudaMallocManaged(OUT(pointer), bytes, flags))
DRIVER(cuMemAllocHost, (void **pointer, size_t bytes),
       cudaMallocHost(pointer, bytes))
DRIVER(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned int flags),
       cudaHostAlloc(pointer, bytes, flags))
DRIVER(cuMemFree, (CUdeviceptr pointer), cudaFree(AT(pointer)))
DRIVER(cuMemFreeHost, (void *pointer), cudaFreeHost(pointer))
DRIVER(cuMemHostRegister, (void *pointer, size_t bytes, unsigned int flags),
       cudaHostRegister(pointer, bytes, flags))
DRIVER(cuMemHostUnregister, (void *pointer), cudaHostUnregister(pointer))
DRIVER(cuMemHostGetDevicePointer,
       (CUdeviceptr * device, void *host, unsigned int flags),
       cudaHostGetDevicePointer(OUT(device), host, flags))
DRIVER(cuMemAllocAsync, (CUdeviceptr * pointer, size_t bytes, CUstream stream),
       cudaMallocAsync(OUT(pointer), bytes, stream))
DRIVER(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream),
       cudaFreeAsync(AT(pointer), stream))
DRIVER(cuPointerGetAttribute,
       (void *data, CUpointer_attribute attribute, CUdeviceptr pointer),
       pointer_attribute(data, attribute, AT(pointer)))

/* ---- copies -------------------------------------------------------------- */

DRIVER(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
       cudaMemcpy(AT(dst), AT(src), bytes, cudaMemcpyDefault))
DRIVER(cuMemcpyAsync,
       (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
       cudaMemcpyAsync(AT(dst), AT(src), bytes, cudaMemcpyDefault, stream))
DRIVER(cuMemcpyHtoD, (CUdeviceptr dst, const void *src, size_t bytes),
       cudaMemcpy(AT(dst), src, bytes, cudaMemcpyHostToDevice))
DRIVER(cuMemcpyDtoH, (void *dst, CUdeviceptr src, size_t bytes),
       cudaMemcpy(dst, AT(src), bytes, cudaMemcpyDeviceToHost))
DRIVER(cuMemcpyDtoD, (CUdeviceptr dst, CUdeviceptr src, size_t bytes),
       cudaMemcpy(AT(dst), AT(src), bytes, cudaMemcpyDeviceToDevice))
DRIVER(cuMemcpyHtoDAsync,
       (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream),
       cudaMemcpyAsync(AT(dst), src, bytes, cudaMemcpyHostToDevice, stream))
DRIVER(cuMemcpyDtoHAsync,
       (void *dst, CUdeviceptr src, size_t bytes, CUstream stream),
       cudaMemcpyAsync(dst, AT(src), bytes, cudaMemcpyDeviceToHost, stream))
DRIVER(cuMemcpyDtoDAsync,
       (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream),
       cudaMemcpyAsync(AT(dst), AT(src), bytes, cudaMemcpyDeviceToDevice,
                       stream))
DRIVER(cuMemcpyPeer,
       (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
        size_t bytes),
       to &&from
           ? cudaMemcpyPeer(AT(dst), to->device, AT(src), from->device, bytes)
           : cudaErrorDeviceUninitialized)
DRIVER(cuMemcpyPeerAsync,
       (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
        size_t bytes, CUstream stream),
       to &&from ? cudaMemcpyPeerAsync(AT(dst), to->device, AT(src),
                                       from->device, bytes, stream)
                 : cudaErrorDeviceUninitialized)
DRIVER(cuMemsetD8, (CUdeviceptr pointer, unsigned char value, size_t count),
       cudaMemset(AT(pointer), value, count))
DRIVER(cuMemsetD8Async,
       (CUdeviceptr pointer, unsigned char value, size_t count,
        CUstream stream),
       cudaMemsetAsync(AT(pointer), value, count, stream))

/* ---- streams and events ---------------------------------------------------
 */

DRIVER(cuStreamCreate, (CUstream * stream, unsigned int flags),
       cudaStreamCreateWithFlags(stream, flags))
DRIVER(cuStreamCreateWithPriority,
       (CUstream * stream, unsigned int flags, int priority),
       cudaStreamCreateWithPriority(stream, flags, priority))
DRIVER(cuStreamDestroy, (CUstream stream), cudaStreamDestroy(stream))
DRIVER(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
DRIVER(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
DRIVER(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags),
       cudaStreamWaitEvent(stream, event, flags))
/* A CUresult is passed as a cudaError_t is. */
DRIVER(cuStreamAddCallback,
       (CUstream stream, CUstreamCallback callback, void *user_data,
        unsigned int flags),
       cudaStreamAddCallback(stream,
                             (cudaStreamCallback_t)(void (*)(void))callback,
                             user_data, flags))
DRIVER(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *user_data),
       cudaLaunchHostFunc(stream, function, user_data))

DRIVER(cuEventCreate, (CUevent * event, unsigned int flags),
       cudaEventCreateWithFlags(event, flags))
DRIVER(cuEventDestroy, (CUevent event), cudaEventDestroy(event))
DRIVER(cuEventRecord, (CUevent event, CUstream stream),
       cudaEventRecord(event, stream))
DRIVER(cuEventRecordWithFlags,
       (CUevent event, CUstream stream, unsigned int flags),
       cudaEventRecordWithFlags(event, stream, flags))
DRIVER(cuEventQuery, (CUevent event), cudaEventQuery(event))
DRIVER(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
DRIVER(cuEventElapsedTime, (float *ms, CUevent start, CUevent end),
       cudaEventElapsedTime(ms, start, end))

DRIVER(cuProfilerStart, (void), cudaProfilerStart())
DRIVER(cuProfilerStop, (void), cudaProfilerStop())

/* ---- kernels and what they are loaded from --------------------------------
 */

DRIVER(cuModuleLoad, (CUmodule * module, const char *name),
       name ? vgpu_module_load(module, name, NULL, 0, NULL, NULL)
            : cudaErrorInvalidValue)
DRIVER(cuModuleLoadData, (CUmodule * module, const void *image),
       vgpu_module_load(module, NULL, image, 0, NULL, NULL))
DRIVER(cuModuleLoadDataEx,
       (CUmodule * module, const void *image, unsigned int count,
        CUjit_option *options, void **values),
       vgpu_module_load(module, NULL, image, count, options, values))
DRIVER(cuModuleUnload, (CUmodule module),
       cudaLibraryUnload(vgpu_module_library(module)))
DRIVER(cuModuleGetFunction,
       (CUfunction * function, CUmodule module, const char *name),
       vgpu_module_function(function, module, name))
DRIVER(cuModuleGetGlobal,
       (CUdeviceptr * pointer, size_t *bytes, CUmodule module,
        const char *name),
       cudaLibraryGetGlobal(OUT(pointer), bytes, vgpu_module_library(module),
                            name))
DRIVER(cuLibraryLoadData,
       (CUlibrary * library, const void *code, CUjit_option *jit,
        void **jit_values, unsigned int num_jit, CUlibraryOption *options,
        void **values, unsigned int num),
       cudaLibraryLoadData(library, code, jit, jit_values, num_jit, options,
                           values, num))
DRIVER(cuLibraryUnload, (CUlibrary library), cudaLibraryUnload(library))
DRIVER(cuLibraryGetKernel,
       (CUkernel * kernel, CUlibrary library, const char *name),
       cudaLibraryGetKernel(kernel, library, name))
DRIVER(cuKernelGetFunction, (CUfunction * function, CUkernel kernel),
       cudaGetFuncBySymbol(function, kernel))
DRIVER(cuLaunchKernel,
       (CUfunction function, unsigned int grid_x, unsigned int grid_y,
        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
        void **params, void **extra),
       extra ? cudaErrorNotSupported
             : cudaLaunchKernel(function, (dim3){grid_x, grid_y, grid_z},
                                (dim3){block_x, block_y, block_z}, params,
                                shared_bytes, stream))
DRIVER(cuFuncGetAttribute,
       (int *value, CUfunction_attribute attribute, CUfunction function),
       vgpu_function_attribute(value, attribute, function))
DRIVER(cuFuncSetAttribute,
       (CUfunction function, CUfunction_attribute attribute, int value),
       cudaFuncSetAttribute(function, (enum cudaFuncAttribute)attribute, value))
DRIVER(cuFuncGetName, (const char **name, CUfunction function),
       cudaFuncGetName(name, function))

/* ---- calls by their names -------------------------------------------------
 */

#define TEXT_OF(...) #__VA_ARGS__
#define TEXT(...)    TEXT_OF(__VA_ARGS__)

/* The form of CUDA 11, and that of CUDA 12 with a word on what was not found.
 */
static cudaError_t proc_address(const char *name, void **out, int version,
                                unsigned long long flags,
                                CUdriverProcAddressQueryResult *status)
{
    return version < 0
               ? cudaErrorInvalidValue
               : vgpu_entry_point(
                     name, (unsigned)version, flags,
                     flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, out,
                     (enum cudaDriverEntryPointQueryResult *)status);
}

DRIVER(cuGetProcAddress_v2,
       (const char *name, void **out, int version, cuuint64_t flags,
        CUdriverProcAddressQueryResult *status),
       proc_address(name, out, version, flags, status))

void *vgpu_driver_find(const char *linked)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } calls[] = {
#define VGPU_DRIVER(NAME, PARAMETERS, NEED, SHOWN)                             \
    {TEXT(NAME), (void (*)(void))NAME},
#include "vgpu/api_driver.def"
    };

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, linked))
            return (void *)(uintptr_t)calls[i].function;
    return NULL;
}
