/*
 * lacking.h: calls of the runtime API that are not there (refused.h). Included
 * by cuda_runtime_api.h.
 */
#ifndef VGPU_LACKING_H
#define VGPU_LACKING_H

#include "refused.h"

#define VGPU_LACKING(name, why) VGPU_REFUSED(cudaError_t, name, why)

#define VGPU_NO_ARRAY(name)                                                    \
    VGPU_LACKING(name, "its arrays have no mipmaps, planes or views, and its " \
                       "surfaces are objects")
VGPU_NO_ARRAY(cudaArrayGetMemoryRequirements)
VGPU_NO_ARRAY(cudaArrayGetPlane)
VGPU_NO_ARRAY(cudaArrayGetSparseProperties)
VGPU_NO_ARRAY(cudaDeviceGetTexture1DLinearMaxWidth)
VGPU_NO_ARRAY(cudaFreeMipmappedArray)
VGPU_NO_ARRAY(cudaGetMipmappedArrayLevel)
VGPU_NO_ARRAY(cudaMallocMipmappedArray)
VGPU_NO_ARRAY(cudaMipmappedArrayGetMemoryRequirements)
VGPU_NO_ARRAY(cudaMipmappedArrayGetSparseProperties)
VGPU_NO_ARRAY(cudaBindSurfaceToArray)
#undef VGPU_NO_ARRAY

#define VGPU_NO_GRAPHICS(name)                                                 \
    VGPU_LACKING(                                                              \
        name, "it draws nothing and shares nothing with a graphics library")
VGPU_NO_GRAPHICS(cudaGraphicsMapResources)
VGPU_NO_GRAPHICS(cudaGraphicsResourceGetMappedMipmappedArray)
VGPU_NO_GRAPHICS(cudaGraphicsResourceGetMappedPointer)
VGPU_NO_GRAPHICS(cudaGraphicsResourceSetMapFlags)
VGPU_NO_GRAPHICS(cudaGraphicsSubResourceGetMappedArray)
VGPU_NO_GRAPHICS(cudaGraphicsUnmapResources)
VGPU_NO_GRAPHICS(cudaGraphicsUnregisterResource)
VGPU_NO_GRAPHICS(cudaGraphicsGLRegisterBuffer)
VGPU_NO_GRAPHICS(cudaGraphicsGLRegisterImage)
VGPU_NO_GRAPHICS(cudaGLSetGLDevice)
VGPU_NO_GRAPHICS(cudaGLGetDevices)
#undef VGPU_NO_GRAPHICS

#define VGPU_NO_SHARING(name)                                                  \
    VGPU_LACKING(name, "each process has a virtual GPU of its own")
VGPU_NO_SHARING(cudaImportExternalMemory)
VGPU_NO_SHARING(cudaImportExternalSemaphore)
VGPU_NO_SHARING(cudaDestroyExternalMemory)
VGPU_NO_SHARING(cudaDestroyExternalSemaphore)
VGPU_NO_SHARING(cudaExternalMemoryGetMappedBuffer)
VGPU_NO_SHARING(cudaExternalMemoryGetMappedMipmappedArray)
VGPU_NO_SHARING(cudaSignalExternalSemaphoresAsync)
VGPU_NO_SHARING(cudaWaitExternalSemaphoresAsync)
VGPU_NO_SHARING(cudaGraphAddExternalSemaphoresSignalNode)
VGPU_NO_SHARING(cudaGraphAddExternalSemaphoresWaitNode)
VGPU_NO_SHARING(cudaMemPoolExportPointer)
VGPU_NO_SHARING(cudaMemPoolExportToShareableHandle)
VGPU_NO_SHARING(cudaMemPoolImportFromShareableHandle)
VGPU_NO_SHARING(cudaMemPoolImportPointer)
#undef VGPU_NO_SHARING

#define VGPU_NO_MODULE(name)                                                   \
    VGPU_LACKING(                                                              \
        name,                                                                  \
        "kernels come from the program's own text, launch them with <<< >>>")
VGPU_NO_MODULE(cudaLibraryEnumerateKernels)
VGPU_NO_MODULE(cudaLibraryGetGlobal)
VGPU_NO_MODULE(cudaLibraryGetKernel)
VGPU_NO_MODULE(cudaLibraryGetKernelCount)
VGPU_NO_MODULE(cudaLibraryGetManaged)
VGPU_NO_MODULE(cudaLibraryGetUnifiedFunction)
VGPU_NO_MODULE(cudaLibraryLoadData)
VGPU_NO_MODULE(cudaLibraryLoadFromFile)
VGPU_NO_MODULE(cudaLibraryUnload)
VGPU_NO_MODULE(cudaGetKernel)
VGPU_NO_MODULE(cudaGetFuncBySymbol)
VGPU_NO_MODULE(cudaKernelSetAttributeForDevice)
VGPU_NO_MODULE(cudaFuncGetParamInfo)
VGPU_NO_MODULE(cudaGetDriverEntryPoint)
VGPU_NO_MODULE(cudaGetDriverEntryPointByVersion)
#undef VGPU_NO_MODULE

#define VGPU_NO_BATCH(name) VGPU_LACKING(name, "use a call for each copy")
VGPU_NO_BATCH(cudaMemcpyBatchAsync)
VGPU_NO_BATCH(cudaMemcpy3DBatchAsync)
VGPU_NO_BATCH(cudaMemPrefetchBatchAsync)
VGPU_NO_BATCH(cudaMemDiscardBatchAsync)
VGPU_NO_BATCH(cudaMemDiscardAndPrefetchBatchAsync)
#undef VGPU_NO_BATCH

#define VGPU_NO_CLUSTER(name)                                                  \
    VGPU_LACKING(name, "it has no thread block clusters")
VGPU_NO_CLUSTER(cudaOccupancyMaxActiveClusters)
VGPU_NO_CLUSTER(cudaOccupancyMaxPotentialClusterSize)
#undef VGPU_NO_CLUSTER

#define VGPU_NOT_YET(name)                                                     \
    VGPU_LACKING(name, "not yet, docs/virtual-gpu.md lists what it has")
VGPU_NOT_YET(cudaMemGetDefaultMemPool)
VGPU_NOT_YET(cudaMemGetMemPool)
VGPU_NOT_YET(cudaMemSetMemPool)
VGPU_NOT_YET(cudaMemRangeGetAttributes)
VGPU_NOT_YET(cudaLogsCurrent)
VGPU_NOT_YET(cudaLogsDumpToFile)
VGPU_NOT_YET(cudaLogsDumpToMemory)
VGPU_NOT_YET(cudaLogsRegisterCallback)
VGPU_NOT_YET(cudaLogsUnregisterCallback)
VGPU_NOT_YET(cudaDeviceRegisterAsyncNotification)
VGPU_NOT_YET(cudaDeviceUnregisterAsyncNotification)
VGPU_NOT_YET(cudaDeviceFlushGPUDirectRDMAWrites)
VGPU_NOT_YET(cudaDeviceGetHostAtomicCapabilities)
VGPU_NOT_YET(cudaDeviceGetP2PAtomicCapabilities)
#undef VGPU_NOT_YET

#undef VGPU_LACKING
#endif
