/* nvToolsExtCudaRt.h: names for streams, events and devices of the runtime API:
 * timelines show those of streams and events. */
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include "nvToolsExt.h"
#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

void nvtxNameCudaStreamA(cudaStream_t stream, const char *name);
void nvtxNameCudaEventA(cudaEvent_t event, const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#define nvtxNameCudaDevice(device, name) ((void)(device), (void)(name))
#define nvtxNameCudaStream               nvtxNameCudaStreamA
#define nvtxNameCudaEvent                nvtxNameCudaEventA
#define nvtxNameCudaDeviceA              nvtxNameCudaDevice

#endif
