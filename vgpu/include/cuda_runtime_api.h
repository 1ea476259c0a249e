/*
 * cuda_runtime_api.h: the CUDA runtime API as the virtual GPU provides it.
 *
 * Source: NVIDIA's CUDA Runtime API manual; every function has the name,
 * arguments and error codes described there. Sizes are in bytes, times that
 * the API returns in milliseconds (float). A function not declared here is
 * not supported: the compiler says so.
 *
 * Differs: time is virtual, work is done lazily (as late as the ordering
 * rules allow); what a manual leaves open with "may" is chosen so that it
 * hurts. See docs/virtual-gpu.md.
 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"

#ifdef __cplusplus
#define VGPU_OR(value) = value
extern "C" {
#else
#define VGPU_OR(value)
#endif
#pragma GCC visibility push(default)

/* nvcc --default-stream per-thread: stream 0 is the thread's own. Each call
 * that a default stream matters to has a twin, as in NVIDIA's library. */
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define VGPU_NULL_STREAM            cudaStreamPerThread
#define cudaMemcpy                  cudaMemcpy_ptds
#define cudaMemcpy2D                cudaMemcpy2D_ptds
#define cudaMemcpy3D                cudaMemcpy3D_ptds
#define cudaMemcpy2DToArray         cudaMemcpy2DToArray_ptds
#define cudaMemcpy2DFromArray       cudaMemcpy2DFromArray_ptds
#define cudaMemcpy2DArrayToArray    cudaMemcpy2DArrayToArray_ptds
#define cudaMemcpyToArray           cudaMemcpyToArray_ptds
#define cudaMemcpyFromArray         cudaMemcpyFromArray_ptds
#define cudaMemcpyArrayToArray      cudaMemcpyArrayToArray_ptds
#define cudaMemcpy2DToArrayAsync    cudaMemcpy2DToArrayAsync_ptsz
#define cudaMemcpy2DFromArrayAsync  cudaMemcpy2DFromArrayAsync_ptsz
#define cudaMemcpyToArrayAsync      cudaMemcpyToArrayAsync_ptsz
#define cudaMemcpyFromArrayAsync    cudaMemcpyFromArrayAsync_ptsz
#define cudaMemcpyPeer              cudaMemcpyPeer_ptds
#define cudaMemcpyToSymbol          cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol        cudaMemcpyFromSymbol_ptds
#define cudaMemset                  cudaMemset_ptds
#define cudaMemset2D                cudaMemset2D_ptds
#define cudaMemset3D                cudaMemset3D_ptds
#define cudaMemcpyAsync             cudaMemcpyAsync_ptsz
#define cudaMemcpy2DAsync           cudaMemcpy2DAsync_ptsz
#define cudaMemcpy3DAsync           cudaMemcpy3DAsync_ptsz
#define cudaMemcpyPeerAsync         cudaMemcpyPeerAsync_ptsz
#define cudaMemcpyToSymbolAsync     cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync   cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemsetAsync             cudaMemsetAsync_ptsz
#define cudaMemset2DAsync           cudaMemset2DAsync_ptsz
#define cudaMemset3DAsync           cudaMemset3DAsync_ptsz
#define cudaMallocAsync             cudaMallocAsync_ptsz
#define cudaFreeAsync               cudaFreeAsync_ptsz
#define cudaMallocFromPoolAsync     cudaMallocFromPoolAsync_ptsz
#define cudaStreamSynchronize       cudaStreamSynchronize_ptsz
#define cudaStreamQuery             cudaStreamQuery_ptsz
#define cudaStreamWaitEvent         cudaStreamWaitEvent_ptsz
#define cudaStreamAddCallback       cudaStreamAddCallback_ptsz
#define cudaStreamAttachMemAsync    cudaStreamAttachMemAsync_ptsz
#define cudaStreamGetFlags          cudaStreamGetFlags_ptsz
#define cudaStreamGetPriority       cudaStreamGetPriority_ptsz
#define cudaStreamGetId             cudaStreamGetId_ptsz
#define cudaStreamGetDevice         cudaStreamGetDevice_ptsz
#define cudaLaunchHostFunc          cudaLaunchHostFunc_ptsz
#define cudaEventRecord             cudaEventRecord_ptsz
#define cudaEventRecordWithFlags    cudaEventRecordWithFlags_ptsz
#define cudaLaunchKernel            cudaLaunchKernel_ptsz
#define cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_ptsz
#define cudaLaunchKernelExC         cudaLaunchKernelExC_ptsz
#define cudaGraphLaunch             cudaGraphLaunch_ptsz
#define cudaMemPrefetchAsync        cudaMemPrefetchAsync_ptsz
#define cudaGraphUpload             cudaGraphUpload_ptsz
#define cudaStreamBeginCapture      cudaStreamBeginCapture_ptsz
#define cudaStreamEndCapture        cudaStreamEndCapture_ptsz
#define cudaStreamIsCapturing       cudaStreamIsCapturing_ptsz
#define cudaStreamGetCaptureInfo    cudaStreamGetCaptureInfo_ptsz
#define cudaStreamUpdateCaptureDependencies                                    \
    cudaStreamUpdateCaptureDependencies_ptsz
#define cudaStreamSetAttribute   cudaStreamSetAttribute_ptsz
#define cudaStreamGetAttribute   cudaStreamGetAttribute_ptsz
#define cudaStreamCopyAttributes cudaStreamCopyAttributes_ptsz
#define cudaMemcpy3DPeerAsync    cudaMemcpy3DPeerAsync_ptsz
#define cudaMemcpy3DPeer         cudaMemcpy3DPeer_ptds

#define cudaStreamBeginCaptureToGraph cudaStreamBeginCaptureToGraph_ptsz
#else
#define VGPU_NULL_STREAM cudaStreamLegacy
#endif

/* ---- errors ------------------------------------------------------------ */

/* The thread's last error, which becomes cudaSuccess unless it is one that
 * ends the context. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
/* "cudaErrorInvalidValue", "invalid argument"; never NULL. */
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);

/* ---- devices ----------------------------------------------------------- */

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaInitDevice(int device, unsigned int device_flags,
                           unsigned int flags);
cudaError_t cudaSetValidDevices(int *devices, int count);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr,
                                   int device);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* ---- peers ------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr,
                                      int source, int destination);

/* ---- memory ------------------------------------------------------------ */

cudaError_t cudaMalloc(void **pointer, size_t bytes);
cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                            size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer,
                         struct cudaExtent extent);
cudaError_t cudaMallocHost(void **pointer, size_t bytes);
cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int flags);
cudaError_t cudaMallocManaged(void **pointer, size_t bytes,
                              unsigned int flags VGPU_OR(cudaMemAttachGlobal));
cudaError_t cudaFree(void *pointer);
cudaError_t cudaFreeHost(void *pointer);
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                     unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer);
cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool,
                                 const struct cudaMemAccessDesc *descriptions,
                                 size_t count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags,
                                 cudaMemPool_t pool,
                                 struct cudaMemLocation *location);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool,
                                    enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool,
                              const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes,
                          enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                 struct cudaMemLocation location,
                                 unsigned int flags,
                                 cudaStream_t stream VGPU_OR(0));
cudaError_t
cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer,
                         size_t bytes VGPU_OR(0),
                         unsigned int flags VGPU_OR(cudaMemAttachSingle));
cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_bytes,
                                     enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t bytes);

/* ---- copies ------------------------------------------------------------ */

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes,
                       enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes,
                            enum cudaMemcpyKind kind,
                            cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src,
                         size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src,
                              size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind,
                              cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parms);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parms,
                              cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src,
                           int src_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src,
                                int src_device, size_t bytes,
                                cudaStream_t stream VGPU_OR(0));
/* Return: cudaErrorNotSupported for arrays. */
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *parms);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *parms,
                                  cudaStream_t stream VGPU_OR(0));
/* Return: cudaErrorInvalidValue for bytes beyond the variable, where its size
 * is known: in C++, of a variable that is named. */
cudaError_t
cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes,
                   size_t offset VGPU_OR(0),
                   enum cudaMemcpyKind kind VGPU_OR(cudaMemcpyHostToDevice));
cudaError_t
cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes,
                     size_t offset VGPU_OR(0),
                     enum cudaMemcpyKind kind VGPU_OR(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
                                    size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind,
                                    cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
                                      size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind,
                                      cudaStream_t stream VGPU_OR(0));
cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);

cudaError_t cudaMemset(void *pointer, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes,
                            cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width,
                         size_t height);
cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value,
                              size_t width, size_t height,
                              cudaStream_t stream VGPU_OR(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value,
                         struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value,
                              struct cudaExtent extent,
                              cudaStream_t stream VGPU_OR(0));

/* ---- streams ----------------------------------------------------------- */

cudaError_t cudaStreamCreate(cudaStream_t *stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream,
                                         unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned int flags VGPU_OR(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t callback,
                                  void *user_data, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *user_data);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);

/* ---- events ------------------------------------------------------------ */

#ifndef __cplusplus
cudaError_t cudaEventCreate(cudaEvent_t *event);
#endif
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream VGPU_OR(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
                                     cudaStream_t stream VGPU_OR(0),
                                     unsigned int flags VGPU_OR(0));
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end);

/* ---- kernels ----------------------------------------------------------- */

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
                             void **args, size_t shared_bytes,
                             cudaStream_t stream);
/* Blocks of all the grid must fit on the device at once: else 720. */
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid,
                                        dim3 block, void **args,
                                        size_t shared_bytes,
                                        cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *function, void **args);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes,
                                  const void *function);
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function,
                                 enum cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *function,
                                   enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *function,
                                       enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *function,
                                                          int block_size,
                                                          size_t shared_bytes);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int block_size, size_t shared_bytes,
    unsigned int flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                      const void *function,
                                                      int blocks,
                                                      int block_size);

/* ---- stream capture ------------------------------------------------------ */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream,
                                   enum cudaStreamCaptureMode mode);
/* Into @graph, which stays the caller's also where the capture fails; the first
 * work in @stream comes after the @count @dependencies, nodes of @graph.
 * Return: cudaErrorNotSupported for edges of programmatic launches, and for the
 * graph of a child graph node. */
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream,
                                          cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges,
                                          size_t count,
                                          enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream,
                                  enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(
    cudaStream_t stream, enum cudaStreamCaptureStatus *status,
    unsigned long long *id VGPU_OR(0), cudaGraph_t *graph VGPU_OR(0),
    const cudaGraphNode_t **dependencies VGPU_OR(0),
    const cudaGraphEdgeData **edges VGPU_OR(0), size_t *count VGPU_OR(0));
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *edges,
                                                size_t count,
                                                unsigned int flags VGPU_OR(0));
cudaError_t
cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

/* ---- graphs -------------------------------------------------------------- */

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t original);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const struct cudaKernelNodeParams *params);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const struct cudaMemcpy3DParms *params);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count, void *dst, const void *src,
                                     size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *dependencies,
                                   size_t count,
                                   const struct cudaMemsetParams *params);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *dependencies,
                                 size_t count,
                                 const struct cudaHostNodeParams *params);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *dependencies,
                                  size_t count);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t child);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node,
                                        cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies,
                                        size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *dependencies,
                                      size_t count, cudaEvent_t event);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                     const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges,
                                     size_t count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                        const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges,
                                        size_t count);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                              size_t *count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                  size_t *count);
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                              cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                         cudaGraphNode_t *dependencies,
                                         cudaGraphEdgeData *edges,
                                         size_t *count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                           cudaGraphNode_t *dependents,
                                           cudaGraphEdgeData *edges,
                                           size_t *count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node,
                                 enum cudaGraphNodeType *type);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node,
                                     cudaGraphNode_t original,
                                     cudaGraph_t clone);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node,
                                            cudaGraph_t *graph);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                             cudaEvent_t *event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node,
                                           cudaEvent_t *event);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                 unsigned long long flags VGPU_OR(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec,
                                          cudaGraph_t graph,
                                          unsigned long long flags VGPU_OR(0));
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled);

/* Memory of a graph: there from the node's making on, at one address. */
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *dependencies,
                                     size_t count,
                                     struct cudaMemAllocNodeParams *params);
cudaError_t
cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                               struct cudaMemAllocNodeParams *params);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *dependencies,
                                    size_t count, void *memory);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *memory);
cudaError_t cudaDeviceGraphMemTrim(int device);
cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                           enum cudaGraphMemAttributeType attr,
                                           void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                           enum cudaGraphMemAttributeType attr,
                                           void *value);
/* A conditional node's bodies are in its parameters afterwards. */
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                             const cudaGraphNode_t *dependencies,
                             const cudaGraphEdgeData *edges, size_t count,
                             struct cudaGraphNodeParams *params);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle,
                                             cudaGraph_t graph,
                                             unsigned int value VGPU_OR(0),
                                             unsigned int flags VGPU_OR(0));
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec,
                                           cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params);

#include "vgpu/node_calls.h"

/* ---- attributes: kept to be asked for ------------------------------------ */

cudaError_t cudaStreamSetAttribute(cudaStream_t stream,
                                   cudaLaunchAttributeID attribute,
                                   const cudaLaunchAttributeValue *value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream,
                                   cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaCtxResetPersistingL2Cache(void);

/* ---- other processes (runtime/ipc.c says how far) ------------------------ */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory);
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle,
                                 unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *memory);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
                                  cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event,
                                   cudaIpcEventHandle_t handle);

#include "vgpu/arrays.h"
#include "vgpu/lacking.h"

/* ---- internal ------------------------------------------------------------ */

/* What the C++ overload of cudaOccupancyMaxPotentialBlockSize calls. */
cudaError_t vgpu_occupancy_best(int *min_grid, int *block_size,
                                const void *function, size_t shared_bytes,
                                int limit);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#else
#include "vgpu/older.h"
#endif
#endif
