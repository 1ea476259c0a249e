/*
 * pinned_flags.cu: flags of pinned memory, and that with unified addressing
 * every pinned pointer is also its own device pointer.
 * Source: Runtime API, Memory Management, cudaHostAlloc.
 */
#include "fact.h"

static void with_flags(const char *name, unsigned int flags)
{
    unsigned int got = 0;
    void *memory = NULL;
    void *device = NULL;

    fact("%s.alloc=%d", name, (int)cudaHostAlloc(&memory, 4096, flags));
    fact("%s.get_flags=%d", name, (int)cudaHostGetFlags(&got, memory));
    fact("%s.flags=%u", name, got);
    fact("%s.get_device_pointer=%d", name,
         (int)cudaHostGetDevicePointer(&device, memory, 0));
    fact("%s.same_pointer=%s", name, device == memory ? "yes" : "no");
    fact("%s.free=%d", name, (int)cudaFreeHost(memory));
}

int main(void)
{
    unsigned int flags = 0;
    void *memory = NULL;
    void *device = NULL;
    void *plain = malloc(64);

    MUST(cudaFree(NULL));
    with_flags("default", cudaHostAllocDefault);
    with_flags("portable", cudaHostAllocPortable);
    with_flags("mapped", cudaHostAllocMapped);
    with_flags("write_combined", cudaHostAllocWriteCombined);
    with_flags("all", cudaHostAllocPortable | cudaHostAllocMapped |
                          cudaHostAllocWriteCombined);

    MUST(cudaMallocHost(&memory, 64));
    MUST(cudaHostGetFlags(&flags, memory));
    fact_int("malloc_host.flags", flags);
    fact_error("get_device_pointer_bad_flags.error",
               cudaHostGetDevicePointer(&device, memory, 1));
    fact_last("get_device_pointer_bad_flags.latched");
    MUST(cudaFreeHost(memory));

    fact_error("unknown_flags.error", cudaHostAlloc(&memory, 64, 0x8000));
    fact_last("unknown_flags.latched");
    memory = (void *)1;
    fact_error("bytes_0.error", cudaMallocHost(&memory, 0));
    fact_yes("bytes_0.pointer_is_null", memory == NULL);
    fact_error("free_null.error", cudaFreeHost(NULL));
    fact_error("free_plain_memory.error", cudaFreeHost(plain));
    fact_last("free_plain_memory.latched");
    fact_error("get_flags_of_plain_memory.error",
               cudaHostGetFlags(&flags, plain));
    fact_last("get_flags_of_plain_memory.latched");
    fact_error("get_device_pointer_of_null.error",
               cudaHostGetDevicePointer(&device, NULL, 0));
    fact_last("get_device_pointer_of_null.latched");
    MUST(cudaMallocHost(&memory, 8192));
    fact_error("free_interior.error", cudaFreeHost((char *)memory + 4096));
    fact_last("free_interior.latched");
    fact_error("free_once.error", cudaFreeHost(memory));
    fact_error("free_twice.error", cudaFreeHost(memory));
    fact_last("free_twice.latched");
    fact_error("too_much.error", cudaMallocHost(&memory, (size_t)1 << 60));
    fact_last("too_much.latched");
    free(plain);
    return 0;
}
