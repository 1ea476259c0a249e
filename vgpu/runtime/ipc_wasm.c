/*
 * ipc_wasm.c: ipc.c where there is one process: no handle can be had.
 */
#include "rt.h"
#include "capture.h"

#define REFUSE(name)                                                           \
    return vgpu_call_refuse(name, "a page of a browser has one process",       \
                            VGPU_PC)

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
    (void)handle;
    (void)pointer;
    REFUSE("cudaIpcGetMemHandle");
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle,
                                 unsigned int flags)
{
    (void)pointer;
    (void)handle;
    (void)flags;
    REFUSE("cudaIpcOpenMemHandle");
}

cudaError_t cudaIpcCloseMemHandle(void *pointer)
{
    (void)pointer;
    REFUSE("cudaIpcCloseMemHandle");
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle,
                                  cudaEvent_t event)
{
    (void)handle;
    (void)event;
    REFUSE("cudaIpcGetEventHandle");
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event,
                                   cudaIpcEventHandle_t handle)
{
    (void)event;
    (void)handle;
    REFUSE("cudaIpcOpenEventHandle");
}

bool vgpu_ipc_others(void)
{
    return false;
}

void vgpu_ipc_freed(const struct vgpu_memory *memory)
{
    (void)memory;
}

void vgpu_ipc_recorded(struct vgpu_event *event)
{
    (void)event;
}

void vgpu_ipc_look(struct vgpu_event *event)
{
    (void)event;
}

void vgpu_ipc_forget(struct vgpu_event *event)
{
    (void)event;
}
