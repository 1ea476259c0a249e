/*
 * memory_pool_handle.cu: handles of pools for other processes: who has one, and
 * what may be done with a pool that was brought back by it, in the same
 * process. Source: reference, cudaMemPoolExportToShareableHandle.
 */
#include "fact.h"

static void say(const char *key, cudaError_t error)
{
    fact("%s=%d", key, (int)error);
    cudaGetLastError();
}

int main(void)
{
    struct cudaMemPoolProps properties;
    struct cudaMemPoolPtrExportData data;
    const enum cudaMemAllocationHandleType posix =
        cudaMemHandleTypePosixFileDescriptor;
    cudaMemPool_t plain, pool, back = NULL, other;
    cudaStream_t s;
    void *memory = NULL, *more = NULL;
    int file = -1;

    fact_warm_up();
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaDeviceGetDefaultMemPool(&plain, 0));
    say("export.default_pool",
        cudaMemPoolExportToShareableHandle(&file, plain, posix, 0));
    memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.handleTypes = posix;
    MUST(cudaMemPoolCreate(&pool, &properties));
    say("export.flags_1",
        cudaMemPoolExportToShareableHandle(&file, pool, posix, 1));
    say("export.no_type", cudaMemPoolExportToShareableHandle(
                              &file, pool, cudaMemHandleTypeNone, 0));
    say("export", cudaMemPoolExportToShareableHandle(&file, pool, posix, 0));
    fact_yes("export.is_a_file", file >= 0);
    say("import.no_file", cudaMemPoolImportFromShareableHandle(
                              &other, (void *)(uintptr_t)999, posix, 0));
    say("import", cudaMemPoolImportFromShareableHandle(
                      &back, (void *)(uintptr_t)file, posix, 0));
    MUST(cudaMallocFromPoolAsync(&memory, 4096, pool, s));
    MUST(cudaMallocAsync(&more, 4096, s));
    say("export_pointer", cudaMemPoolExportPointer(&data, memory));
    say("export_pointer.default_pool", cudaMemPoolExportPointer(&data, more));
    say("import_pointer.not_imported",
        cudaMemPoolImportPointer(&more, pool, &data));
    if (back) {
        say("imported.take", cudaMallocFromPoolAsync(&more, 16, back, s));
        say("imported.current", cudaDeviceSetMemPool(0, back));
        say("imported.trim", cudaMemPoolTrimTo(back, 0));
        say("imported.destroy", cudaMemPoolDestroy(back));
    }
    MUST(cudaDeviceSynchronize());
    return 0;
}
