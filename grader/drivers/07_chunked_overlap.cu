/* 07_chunked_overlap.cu: the driver's part that knows lab 07. */
#include "chunks.cuh"

static uint64_t *chunks_host_new(uint64_t num_entries)
{
    return host_memory_new(num_entries);
}

static void chunks_host_free(uint64_t *memory)
{
    host_memory_free(memory);
}
