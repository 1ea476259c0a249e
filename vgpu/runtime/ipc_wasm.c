/*
 * ipc_wasm.c: ipc.c where there is one process: no handle can be had.
 */
#include "rt.h"
#include "capture.h"

#define REFUSE vgpu_call_refuse(call, "a page of a browser has one process")

API(cudaIpcGetMemHandle, cudaIpcMemHandle_t *handle, void *pointer)
{
    (void)handle;
    (void)pointer;
    return REFUSE;
}

API(cudaIpcOpenMemHandle, void **pointer, cudaIpcMemHandle_t handle,
    unsigned int flags)
{
    (void)pointer;
    (void)handle;
    (void)flags;
    return REFUSE;
}

API(cudaIpcCloseMemHandle, void *pointer)
{
    (void)pointer;
    return REFUSE;
}

API(cudaIpcGetEventHandle, cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    (void)handle;
    (void)event;
    return REFUSE;
}

API(cudaIpcOpenEventHandle, cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    (void)event;
    (void)handle;
    return REFUSE;
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

int vgpu_ipc_file(void)
{
    return -1;
}

int vgpu_ipc_file_again(int file)
{
    return file;
}

bool vgpu_ipc_is_file(int file)
{
    (void)file;
    return false;
}

bool vgpu_ipc_same_file(int a, int b)
{
    return a == b;
}
