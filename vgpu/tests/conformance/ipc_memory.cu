/*
 * ipc_memory.cu: one process opens the device memory of another by its handle:
 * both read and write the same bytes. What has a handle, and who may open it.
 * Source: programming guide, "Interprocess Communication"; Runtime API,
 * cudaIpcGetMemHandle, cudaIpcOpenMemHandle, cudaIpcCloseMemHandle.
 */
#include "ipc.h"

enum { N = 1024, BYTES = N * sizeof(int) };

static __global__ void add(int *data, int amount)
{
    data[threadIdx.x + blockIdx.x * blockDim.x] += amount;
}

static void parent(void)
{
    cudaIpcMemHandle_t handle, again, inner;
    int host[N], *data, *opened = NULL, *other;
    char done = 0;

    fact_warm_up();
    MUST(cudaMalloc((void **)&data, BYTES));
    for (int i = 0; i < N; i++)
        host[i] = i;
    MUST(cudaMemcpy(data, host, BYTES, cudaMemcpyHostToDevice));
    MUST(cudaDeviceSynchronize()); /* or the other process may see old data */
    fact_error("get", cudaIpcGetMemHandle(&handle, data));
    fact_error("get_again", cudaIpcGetMemHandle(&again, data));
    fact_yes("again.same", !memcmp(&handle, &again, sizeof handle));
    fact_error("get_inside", cudaIpcGetMemHandle(&inner, data + 5));
    fact_error("open_own",
               cudaIpcOpenMemHandle((void **)&opened, handle,
                                    cudaIpcMemLazyEnablePeerAccess));
    fact_last("open_own.latched");
    IPC_TELL_CHILD(handle);
    IPC_TELL_CHILD(inner);
    IPC_FROM_CHILD(done); /* it has added 1000 */
    MUST(cudaMemcpy(host, data, BYTES, cudaMemcpyDeviceToHost));
    fact_yes("parent_sees", host[0] == 1000 && host[N - 1] == 1000 + N - 1);
    add<<<1, N>>>(data, 1);
    MUST(cudaDeviceSynchronize());
    IPC_TELL_CHILD(done);
    IPC_FROM_CHILD(done); /* it has closed it */
    MUST(cudaFree(data));
    fact_error("get_freed", cudaIpcGetMemHandle(&again, data));
    cudaGetLastError();
    MUST(cudaMalloc((void **)&other, BYTES));
    MUST(cudaIpcGetMemHandle(&again, other));
    fact_yes("new_memory_new_handle", memcmp(&handle, &again, sizeof handle));
    IPC_TELL_CHILD(done);
}

static void child(void)
{
    struct cudaPointerAttributes a;
    cudaIpcMemHandle_t handle, inner, junk;
    int host[N], *data = NULL, *again = NULL, *inside = NULL;
    char done = 0;

    IPC_FROM_PARENT(handle);
    IPC_FROM_PARENT(inner);
    fact_warm_up();
    fact_error("child.flags_0",
               cudaIpcOpenMemHandle((void **)&data, handle, 0));
    fact_error("child.flags_2",
               cudaIpcOpenMemHandle((void **)&data, handle, 2));
    cudaGetLastError();
    memset(&junk, 0, sizeof junk);
    fact_error("child.junk",
               cudaIpcOpenMemHandle((void **)&data, junk,
                                    cudaIpcMemLazyEnablePeerAccess));
    cudaGetLastError();
    fact_error("child.open",
               cudaIpcOpenMemHandle((void **)&data, handle,
                                    cudaIpcMemLazyEnablePeerAccess));
    fact_error("child.open_again",
               cudaIpcOpenMemHandle((void **)&again, handle,
                                    cudaIpcMemLazyEnablePeerAccess));
    fact_yes("child.open_again.same", data == again);
    fact_error("child.open_inside",
               cudaIpcOpenMemHandle((void **)&inside, inner,
                                    cudaIpcMemLazyEnablePeerAccess));
    fact("child.inside.offset=%d", inside ? (int)(inside - data) : -1);
    cudaGetLastError();
    fact_error("child.attributes", cudaPointerGetAttributes(&a, data));
    fact_int("child.type", a.type);
    fact_int("child.device", a.device);
    fact_error("child.get_of_opened", cudaIpcGetMemHandle(&junk, data));
    cudaGetLastError();
    MUST(cudaMemcpy(host, data, BYTES, cudaMemcpyDeviceToHost));
    fact_yes("child.sees", host[0] == 0 && host[N - 1] == N - 1);
    add<<<1, N>>>(data, 1000);
    MUST(cudaDeviceSynchronize());
    IPC_TELL_PARENT(done);
    IPC_FROM_PARENT(done);
    MUST(cudaMemcpy(host, data, BYTES, cudaMemcpyDeviceToHost));
    fact_yes("child.sees_again", host[0] == 1001);
    fact_error("child.free", cudaFree(data));
    cudaGetLastError();
    fact_error("child.close", cudaIpcCloseMemHandle(data));
    fact_error("child.copy_opened_twice",
               cudaMemcpy(host, data, BYTES, cudaMemcpyDeviceToHost));
    fact_error("child.close_again", cudaIpcCloseMemHandle(again));
    if (inside)
        fact_error("child.close_inside", cudaIpcCloseMemHandle(inside));
    fact_error("child.close_closed", cudaIpcCloseMemHandle(data));
    cudaGetLastError();
    fact_error("child.close_null", cudaIpcCloseMemHandle(NULL));
    cudaGetLastError();
    IPC_TELL_PARENT(done);
    IPC_FROM_PARENT(done);
}

/* What is not cudaMalloc's. */
static void no_handle(const char *key, void *memory)
{
    cudaIpcMemHandle_t handle;

    fact_error(key, cudaIpcGetMemHandle(&handle, memory));
    cudaGetLastError();
}

static __device__ int variable;

static void refused(void)
{
    void *pinned, *managed, *ordered, *symbol;
    int local = 0;

    fact_warm_up();
    MUST(cudaMallocHost(&pinned, 64));
    MUST(cudaMallocManaged(&managed, 64));
    MUST(cudaMallocAsync(&ordered, 64, 0));
    MUST(cudaGetSymbolAddress(&symbol, variable));
    MUST(cudaDeviceSynchronize());
    no_handle("get.pinned", pinned);
    no_handle("get.managed", managed);
    no_handle("get.malloc_async", ordered);
    no_handle("get.symbol", symbol);
    no_handle("get.local", &local);
    no_handle("get.null", NULL);
}

int main(void)
{
    fact_in_child("refused", refused);
    ipc_run(parent, child);
    return 0;
}
