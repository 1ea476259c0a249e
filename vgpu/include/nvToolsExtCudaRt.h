/* nvToolsExtCudaRt.h: names for streams, events and devices of the runtime API:
 * taken, not shown, since a timeline numbers them by itself. */
#ifndef NVTOOLSEXT_CUDART_H_
#define NVTOOLSEXT_CUDART_H_

#include "nvToolsExt.h"
#include "cuda.h"

#define nvtxNameCudaDevice(device, name) ((void)(device), (void)(name))
#define nvtxNameCudaStream(stream, name) ((void)(stream), (void)(name))
#define nvtxNameCudaEvent(event, name)   ((void)(event), (void)(name))
#define nvtxNameCudaDeviceA              nvtxNameCudaDevice
#define nvtxNameCudaStreamA              nvtxNameCudaStream
#define nvtxNameCudaEventA               nvtxNameCudaEvent

#endif
