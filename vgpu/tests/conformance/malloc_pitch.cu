/*
 * malloc_pitch.cu: rows of a pitched allocation start at multiples of a
 * device alignment, so the pitch is at least the width.
 * Source: Runtime API, Memory Management, cudaMallocPitch, cudaMalloc3D.
 */
#include "fact.h"

static void pitch_of(size_t width)
{
    void *memory = NULL;
    size_t pitch = 0;

    MUST(cudaMallocPitch(&memory, &pitch, width, 3));
    fact("width_%zu.pitch_at_least_width=%s", width,
         pitch >= width ? "yes" : "no");
    fact("width_%zu.pitch_modulo_512=%zu", width, pitch % 512);
    fact("width_%zu.pitch_below_width_plus_512=%s", width,
         pitch < width + 512 ? "yes" : "no");
    MUST(cudaFree(memory));
}

int main(void)
{
    void *memory = NULL;
    size_t pitch = 7;
    struct cudaPitchedPtr block;

    pitch_of(1);
    pitch_of(100);
    pitch_of(512);
    pitch_of(513);
    fact_error("null_pointer.error",
               cudaMallocPitch((void **)NULL, &pitch, 64, 2));
    fact_last("null_pointer.latched");
    memory = (void *)1;
    fact_error("width_0.error", cudaMallocPitch(&memory, &pitch, 0, 2));
    fact_yes("width_0.pointer_is_null", memory == NULL);
    cudaGetLastError();
    memory = (void *)1;
    fact_error("height_0.error", cudaMallocPitch(&memory, &pitch, 64, 0));
    fact_yes("height_0.pointer_is_null", memory == NULL);
    cudaGetLastError();

    fact_error("malloc_3d.error",
               cudaMalloc3D(&block, make_cudaExtent(100, 4, 3)));
    fact_int("malloc_3d.xsize", (long long)block.xsize);
    fact_int("malloc_3d.ysize", (long long)block.ysize);
    fact_int("malloc_3d.pitch", (long long)block.pitch);
    fact_yes("malloc_3d.pointer_aligned", (uintptr_t)block.ptr % 512 == 0);
    fact_error("malloc_3d.free_error", cudaFree(block.ptr));
    fact_error(
        "malloc_3d_too_much.error",
        cudaMalloc3D(&block, make_cudaExtent(1 << 20, 1 << 20, 1 << 20)));
    fact_last("malloc_3d_too_much.latched");
    return 0;
}
