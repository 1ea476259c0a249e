/* nvToolsExtCuda.h: names for streams, events and devices of the driver API:
 * taken, not shown, since a timeline numbers them by itself. */
#ifndef NVTOOLSEXT_CUDA_H_
#define NVTOOLSEXT_CUDA_H_

#include "nvToolsExt.h"
#include "cuda.h"

#define nvtxNameCuDevice(device, name)   ((void)(device), (void)(name))
#define nvtxNameCuContext(context, name) ((void)(context), (void)(name))
#define nvtxNameCuStream(stream, name)   ((void)(stream), (void)(name))
#define nvtxNameCuEvent(event, name)     ((void)(event), (void)(name))
#define nvtxNameCuDeviceA                nvtxNameCuDevice
#define nvtxNameCuContextA               nvtxNameCuContext
#define nvtxNameCuStreamA                nvtxNameCuStream
#define nvtxNameCuEventA                 nvtxNameCuEvent

#endif
