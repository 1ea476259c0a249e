/* 08_uneven_chunks.cu: the driver's part that knows lab 08. */
#include "chunks.cuh"

static uint64_t *chunks_host_new(uint64_t num_entries)
{
    uint64_t *memory;

    OWN(cudaMallocHost(&memory, num_entries * sizeof(uint64_t)));
    return memory;
}

static void chunks_host_free(uint64_t *memory)
{
    OWN(cudaFreeHost(memory));
}
