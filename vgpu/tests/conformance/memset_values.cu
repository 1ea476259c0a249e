/*
 * memset_values.cu: memset writes the low byte of its value, in one, two and
 * three dimensions, and refuses what it cannot write.
 * Source: Runtime API, Memory Management, cudaMemset.
 */
#include "fact.h"

static unsigned char back[64];

static void show(const char *key, const void *memory, size_t count)
{
    MUST(cudaMemcpy(back, memory, count, cudaMemcpyDeviceToHost));
    printf("%s=", key);
    for (size_t i = 0; i < count; i++)
        printf("%02x", back[i]);
    putchar('\n');
}

static void values(char *memory)
{
    fact_error("memset.error", cudaMemset(memory, 0x5a, 8));
    show("byte_pattern", memory, 8);
    MUST(cudaMemset(memory, 0x1234, 8));
    show("only_low_byte_counts", memory, 8);
    MUST(cudaMemset(memory, -1, 8));
    show("minus_one", memory, 8);
    MUST(cudaMemset(memory + 2, 0, 3));
    show("part_at_odd_offset", memory, 8);
    fact_error("memset_async.error", cudaMemsetAsync(memory, 7, 4, 0));
    show("async", memory, 8);
    fact_error("count_0.error", cudaMemset(memory, 1, 0));
    show("count_0", memory, 8);
}

static void shapes(char *memory)
{
    MUST(cudaMemset(memory, 0, 32));
    fact_error("memset_2d.error", cudaMemset2D(memory, 8, 0x11, 3, 4));
    show("shape_2d", memory, 32);
    fact_error("memset_2d_async.error",
               cudaMemset2DAsync(memory, 16, 0x22, 5, 2, 0));
    show("shape_2d_async", memory, 32);
    fact_error("memset_2d_width_above_pitch.error",
               cudaMemset2D(memory, 4, 1, 5, 2));
    fact_last("memset_2d_width_above_pitch.latched");
    fact_error("memset_2d_one_row_above_pitch.error",
               cudaMemset2D(memory, 4, 1, 5, 1));
    cudaGetLastError();
    fact_error("memset_2d_height_0.error", cudaMemset2D(memory, 8, 1, 4, 0));
    cudaGetLastError();
    MUST(cudaMemset(memory, 0, 32));
    fact_error("memset_3d.error",
               cudaMemset3D(make_cudaPitchedPtr(memory, 4, 4, 4), 0x33,
                            make_cudaExtent(2, 2, 2)));
    show("shape_3d", memory, 32);
}

static void refused(char *memory, size_t size)
{
    fact_error("null_pointer.error", cudaMemset(NULL, 0, 4));
    fact_last("null_pointer.latched");
    fact_error("count_0_null_pointer.error", cudaMemset(NULL, 0, 0));
    cudaGetLastError();
    fact_error("twice_the_allocation.error", cudaMemset(memory, 0, 2 * size));
    fact_last("twice_the_allocation.latched");
}

int main(void)
{
    const size_t size = (size_t)4 << 20;
    char *memory;
    char *pinned;

    MUST(cudaMalloc((void **)&memory, size));
    MUST(cudaMallocHost((void **)&pinned, 64));
    values(memory);
    shapes(memory);
    refused(memory, size);
    fact_error("memset_on_pinned.error", cudaMemset(pinned, 0x44, 4));
    fact_int("memset_on_pinned.value_at_return", pinned[3]);
    return 0;
}
