/*
 * host_register_pages.cu: what memory can be registered: pages that may only be
 * read, pages that may not be touched or are not there, device and managed
 * memory; and what pointers are told to be, before, meanwhile and afterwards.
 * Source: reference, cudaHostRegister, cudaHostUnregister; observed.
 */
#include "fact.h"

#include <sys/mman.h>

enum { PAGE = 4096 };

static char *map(size_t pages, int protection)
{
    char *memory = (char *)mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memset(memory, 1, pages * PAGE);
    mprotect(memory, pages * PAGE, protection);
    return memory;
}

static void try_it(const char *key, void *memory, size_t bytes, unsigned flags)
{
    const cudaError_t error = cudaHostRegister(memory, bytes, flags);

    fact("%s=%d", key, (int)error);
    cudaGetLastError();
    if (error == cudaSuccess)
        MUST(cudaHostUnregister(memory));
}

static void say_pointer(const char *key, const void *memory)
{
    struct cudaPointerAttributes a;

    memset(&a, 0, sizeof a);
    MUST(cudaPointerGetAttributes(&a, memory));
    fact("%s.type=%d", key, (int)a.type);
    fact("%s.device=%d", key, a.device);
    fact("%s.device_pointer=%s", key,
         a.devicePointer == memory ? "same" : "other");
    fact("%s.host_pointer=%s", key, a.hostPointer == memory ? "same" : "other");
}

static void protection(void)
{
    char *readable = map(1, PROT_READ), *closed = map(1, PROT_NONE);
    char *half = map(2, PROT_READ | PROT_WRITE), *gone = map(1, PROT_READ);
    int value = 0;

    fact("attribute=%d",
         (int)cudaDeviceGetAttribute(
             &value, cudaDevAttrHostRegisterReadOnlySupported, 0));
    fact_int("attribute.value", value);
    try_it("readable", readable, PAGE, 0);
    try_it("readable.portable", readable, PAGE, cudaHostRegisterPortable);
    try_it("readable.mapped", readable, PAGE, cudaHostRegisterMapped);
    try_it("readable.read_only", readable, PAGE, cudaHostRegisterReadOnly);
    try_it("readable.read_only_and_mapped", readable, PAGE,
           cudaHostRegisterReadOnly | cudaHostRegisterMapped);
    try_it("closed", closed, PAGE, 0);
    try_it("closed.read_only", closed, PAGE, cudaHostRegisterReadOnly);
    mprotect(half + PAGE, PAGE, PROT_READ);
    try_it("second_page_readable", half, 2 * PAGE, 0);
    munmap(half + PAGE, PAGE);
    try_it("second_page_not_there", half, 2 * PAGE, 0);
    munmap(gone, PAGE);
    try_it("not_there", gone, PAGE, 0);
    try_it("literal", (void *)(uintptr_t) "literal", 7, 0);
}

static void others(void)
{
    static int variable[64];
    int local[64];
    void *device, *managed;

    MUST(cudaMalloc(&device, PAGE));
    MUST(cudaMallocManaged(&managed, PAGE, cudaMemAttachGlobal));
    try_it("variable", variable, sizeof variable, 0);
    try_it("local", local, sizeof local, 0);
    try_it("device_memory", device, PAGE, 0);
    try_it("managed_memory", managed, PAGE, 0);
    fact("unregister_device_memory=%d", (int)cudaHostUnregister(device));
    fact("unregister_managed_memory=%d", (int)cudaHostUnregister(managed));
    fact("unregister_local=%d", (int)cudaHostUnregister(local));
    cudaGetLastError();
}

static void ranges(void)
{
    char *memory = map(32, PROT_READ | PROT_WRITE);
    unsigned flags = 0;
    void *device = NULL;

    say_pointer("before", memory + 9 * PAGE);
    MUST(cudaHostRegister(memory + 8 * PAGE, 8 * PAGE, 0));
    say_pointer("registered", memory + 9 * PAGE);
    fact("around_it=%d", (int)cudaHostRegister(memory, 32 * PAGE, 0));
    fact("last_byte=%d", (int)cudaHostRegister(memory + 16 * PAGE - 1, 1, 0));
    fact("freed_by_cudaFreeHost=%d", (int)cudaFreeHost(memory + 8 * PAGE));
    fact("freed_by_cudaFree=%d", (int)cudaFree(memory + 8 * PAGE));
    fact("flags_inside=%d", (int)cudaHostGetFlags(&flags, memory + 9 * PAGE));
    fact("flags_outside=%d", (int)cudaHostGetFlags(&flags, memory));
    fact("device_pointer_outside=%d",
         (int)cudaHostGetDevicePointer(&device, memory, 0));
    fact("device_pointer_flags_1=%d",
         (int)cudaHostGetDevicePointer(&device, memory + 8 * PAGE, 1));
    cudaGetLastError();
    MUST(cudaHostUnregister(memory + 8 * PAGE));
    say_pointer("afterwards", memory + 9 * PAGE);
}

int main(void)
{
    fact_warm_up();
    protection();
    others();
    ranges();
    return 0;
}
