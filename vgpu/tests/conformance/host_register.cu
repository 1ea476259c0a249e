/*
 * host_register.cu: memory of malloc can be pinned later; pinning it twice,
 * in part or not at all has its own errors (712, 713).
 * Source: Runtime API, Memory Management, cudaHostRegister.
 */
#include "fact.h"

enum { PAGE = 4096 };

static void register_once(char *pages)
{
    unsigned int flags = 99;
    void *device = NULL;

    fact_error("register.error", cudaHostRegister(pages + PAGE, 2 * PAGE,
                                                  cudaHostRegisterDefault));
    fact_error("get_flags.error", cudaHostGetFlags(&flags, pages + PAGE));
    fact_int("get_flags.flags", flags);
    fact_error("get_device_pointer.error",
               cudaHostGetDevicePointer(&device, pages + PAGE, 0));
    fact_yes("device_pointer_is_same", device == pages + PAGE);
    fact_error(
        "twice.already_registered",
        cudaHostRegister(pages + PAGE, 2 * PAGE, cudaHostRegisterDefault));
    fact_last("twice.latched");
    fact_error("overlap_before.error",
               cudaHostRegister(pages, 2 * PAGE, cudaHostRegisterDefault));
    fact_last("overlap_before.latched");
    fact_error("part_of_it.error", cudaHostRegister(pages + 2 * PAGE, PAGE,
                                                    cudaHostRegisterDefault));
    fact_last("part_of_it.latched");
    fact_error("neighbour.error",
               cudaHostRegister(pages, PAGE, cudaHostRegisterDefault));
    fact_error("neighbour_unregister.error", cudaHostUnregister(pages));
}

static void unregister(char *pages)
{
    fact_error("unregister_interior.error",
               cudaHostUnregister(pages + 2 * PAGE));
    fact_last("unregister_interior.latched");
    fact_error("unregister.error", cudaHostUnregister(pages + PAGE));
    fact_error("unregister_twice.not_registered",
               cudaHostUnregister(pages + PAGE));
    fact_last("unregister_twice.latched");
    fact_error("unregister_never.not_registered", cudaHostUnregister(pages));
    fact_last("unregister_never.latched");
    fact_error("unregister_null.error", cudaHostUnregister(NULL));
    fact_last("unregister_null.latched");
}

static void with_flags(char *pages, const char *name, unsigned int flags)
{
    unsigned int got = 0;
    cudaError_t error = cudaHostRegister(pages, PAGE, flags);

    fact("%s.register=%d", name, (int)error);
    if (error == cudaSuccess) {
        fact("%s.get_flags=%d", name, (int)cudaHostGetFlags(&got, pages));
        fact("%s.flags=%u", name, got);
        fact("%s.unregister=%d", name, (int)cudaHostUnregister(pages));
    }
    cudaGetLastError();
}

int main(void)
{
    void *memory = NULL;
    void *pinned = NULL;
    char *pages;

    if (posix_memalign(&memory, PAGE, 4 * PAGE))
        return 1;
    pages = (char *)memory;
    memset(pages, 0, 4 * PAGE);
    MUST(cudaFree(NULL));
    register_once(pages);
    unregister(pages);
    with_flags(pages, "portable", cudaHostRegisterPortable);
    with_flags(pages, "mapped", cudaHostRegisterMapped);
    with_flags(pages, "portable_mapped",
               cudaHostRegisterPortable | cudaHostRegisterMapped);
    with_flags(pages, "io_memory", cudaHostRegisterIoMemory);
    with_flags(pages, "read_only", cudaHostRegisterReadOnly);
    fact_error("unknown_flags.error", cudaHostRegister(pages, PAGE, 0x4000));
    fact_last("unknown_flags.latched");
    fact_error("bytes_0.error", cudaHostRegister(pages, 0, 0));
    fact_last("bytes_0.latched");
    fact_error("null.error", cudaHostRegister(NULL, PAGE, 0));
    fact_last("null.latched");
    fact_error("odd_address_and_size.error",
               cudaHostRegister(pages + 100, 1000, 0));
    fact_error("odd_address_unregister.error", cudaHostUnregister(pages + 100));
    MUST(cudaMallocHost(&pinned, PAGE));
    fact_error("of_pinned_memory.error", cudaHostRegister(pinned, PAGE, 0));
    fact_last("of_pinned_memory.latched");
    fact_error("unregister_pinned_memory.error", cudaHostUnregister(pinned));
    fact_last("unregister_pinned_memory.latched");
    MUST(cudaFreeHost(pinned));
    free(memory);
    return 0;
}
