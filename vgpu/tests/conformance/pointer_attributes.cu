/*
 * pointer_attributes.cu: what cudaPointerGetAttributes tells of each kind of
 * pointer (types: 0 unregistered, 1 host, 2 device, 3 managed).
 * Source: Runtime API, Unified Addressing.
 */
#include "fact.h"

__device__ int variable[4];
__managed__ int managed_variable;

static void tell(const char *name, const void *pointer)
{
    struct cudaPointerAttributes a;

    memset(&a, 0, sizeof(a));
    fact("%s.error=%d", name, (int)cudaPointerGetAttributes(&a, pointer));
    cudaGetLastError();
    fact("%s.type=%d", name, (int)a.type);
    fact("%s.device=%d", name, a.device);
    fact("%s.device_pointer=%s", name,
         a.devicePointer == NULL      ? "null"
         : a.devicePointer == pointer ? "same"
                                      : "other");
    fact("%s.host_pointer=%s", name,
         a.hostPointer == NULL      ? "null"
         : a.hostPointer == pointer ? "same"
                                    : "other");
}

int main(void)
{
    struct cudaPointerAttributes a;
    char *device, *pinned, *mapped, *managed, *pooled;
    void *symbol = NULL;
    void *registered = NULL;
    void *plain = malloc(4096);

    MUST(cudaMalloc((void **)&device, 4096));
    MUST(cudaMallocHost((void **)&pinned, 4096));
    MUST(cudaHostAlloc((void **)&mapped, 4096, cudaHostAllocMapped));
    MUST(cudaMallocManaged((void **)&managed, 4096, cudaMemAttachGlobal));
    MUST(cudaMallocAsync((void **)&pooled, 4096, 0));
    MUST(cudaStreamSynchronize(0));
    if (posix_memalign(&registered, 4096, 4096))
        return 1;
    MUST(cudaHostRegister(registered, 4096, 0));
    MUST(cudaGetSymbolAddress(&symbol, variable));

    tell("device", device);
    tell("device_interior", device + 100);
    tell("pinned", pinned);
    tell("pinned_interior", pinned + 100);
    tell("mapped", mapped);
    tell("managed", managed);
    tell("managed_interior", managed + 8);
    tell("from_pool", pooled);
    tell("registered", registered);
    tell("symbol", symbol);
    MUST(cudaGetSymbolAddress(&symbol, managed_variable));
    tell("managed_symbol", symbol);
    tell("plain", plain);
    tell("stack", &a);
    tell("null", NULL);
    MUST(cudaFree(device));
    tell("freed_device", device);
    MUST(cudaHostUnregister(registered));
    tell("unregistered_again", registered);
    return 0;
}
