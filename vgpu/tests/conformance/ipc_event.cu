/*
 * ipc_event.cu: an event of one process in another: it is recorded here and
 * waited for there, by the host and by a stream. What has a handle.
 * Source: programming guide, "Interprocess Communication"; Runtime API,
 * cudaIpcGetEventHandle, cudaIpcOpenEventHandle.
 */
#include "ipc.h"

enum { SHARED = cudaEventInterprocess | cudaEventDisableTiming };

static void parent(void)
{
    cudaIpcMemHandle_t memory_handle;
    cudaIpcEventHandle_t handle, again, none;
    cudaEvent_t event, plain, opened = NULL;
    cudaStream_t stream;
    int *data, value = 0;
    char done = 0;

    fact_warm_up();
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMalloc((void **)&data, 64));
    MUST(cudaMemset(data, 0, 64));
    fact_error("create_with_timing",
               cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    cudaGetLastError();
    MUST(cudaEventCreateWithFlags(&event, SHARED));
    MUST(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    fact_error("get", cudaIpcGetEventHandle(&handle, event));
    fact_error("get_again", cudaIpcGetEventHandle(&again, event));
    fact_yes("again.same", !memcmp(&handle, &again, sizeof handle));
    fact_error("get_plain", cudaIpcGetEventHandle(&none, plain));
    cudaGetLastError();
    fact_error("open_own", cudaIpcOpenEventHandle(&opened, handle));
    cudaGetLastError();
    MUST(cudaIpcGetMemHandle(&memory_handle, data));
    IPC_TELL_CHILD(memory_handle);
    IPC_TELL_CHILD(handle);
    IPC_FROM_CHILD(done); /* it has it open */
    fact_slow(stream);
    fact_store<<<1, 1, 0, stream>>>(data, 7);
    MUST(cudaEventRecord(event, stream));
    fact_done("parent.at_once", event);
    IPC_TELL_CHILD(done);
    IPC_FROM_CHILD(done); /* it has recorded it behind its own store */
    MUST(cudaStreamWaitEvent(stream, event, 0));
    MUST(cudaMemcpyAsync(&value, data, 4, cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    fact_int("parent.waits_for_the_child", value);
    IPC_TELL_CHILD(done);
    IPC_FROM_CHILD(done);
    fact_error("destroy", cudaEventDestroy(event));
}

static void child(void)
{
    cudaIpcMemHandle_t memory_handle;
    cudaIpcEventHandle_t handle, junk;
    cudaEvent_t event, again, start;
    cudaStream_t stream;
    int *data, value = 0;
    float ms = 0.0f;
    char done = 0;

    IPC_FROM_PARENT(memory_handle);
    IPC_FROM_PARENT(handle);
    fact_warm_up();
    MUST(cudaStreamCreate(&stream));
    MUST(cudaIpcOpenMemHandle((void **)&data, memory_handle,
                              cudaIpcMemLazyEnablePeerAccess));
    fact_error("child.open", cudaIpcOpenEventHandle(&event, handle));
    fact_error("child.query_not_recorded", cudaEventQuery(event));
    fact_error("child.open_again", cudaIpcOpenEventHandle(&again, handle));
    cudaGetLastError();
    memset(&junk, 0, sizeof junk);
    fact_error("child.junk", cudaIpcOpenEventHandle(&start, junk));
    cudaGetLastError();
    IPC_TELL_PARENT(done);
    IPC_FROM_PARENT(done); /* it is recorded */
    fact_error("child.synchronize", cudaEventSynchronize(event));
    MUST(cudaMemcpy(&value, data, 4, cudaMemcpyDeviceToHost));
    fact_int("child.waits_for_the_parent", value);
    fact_done("child.done", event);
    fact_slow(stream);
    fact_store<<<1, 1, 0, stream>>>(data, 8);
    fact_error("child.record", cudaEventRecord(event, stream));
    fact_done("child.at_once", event);
    IPC_TELL_PARENT(done);
    IPC_FROM_PARENT(done);
    MUST(cudaEventCreate(&start));
    MUST(cudaEventRecord(start, stream));
    MUST(cudaStreamSynchronize(stream));
    fact_error("child.elapsed", cudaEventElapsedTime(&ms, start, event));
    cudaGetLastError();
    fact_error("child.destroy", cudaEventDestroy(event));
    MUST(cudaIpcCloseMemHandle(data));
    IPC_TELL_PARENT(done);
}

int main(void)
{
    ipc_run(parent, child);
    return 0;
}
