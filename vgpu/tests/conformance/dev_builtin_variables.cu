/*
 * dev_builtin_variables.cu: threadIdx, blockIdx, blockDim and gridDim in
 * three dimensions; every thread of a launch has its own place.
 * Source: programming guide, Thread Hierarchy; Built-in Variables.
 */
#include "fact.h"

enum { GX = 2, GY = 3, GZ = 4, BX = 4, BY = 2, BZ = 3 };
enum { BLOCKS = GX * GY * GZ, THREADS = BX * BY * BZ };

static __global__ void place(int *hits, int *dims)
{
    unsigned int block =
        blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned int thread =
        threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

    atomicAdd(&hits[block * THREADS + thread], 1);
    if (block == 5 && thread == 7) {
        dims[0] = (int)gridDim.x;
        dims[1] = (int)gridDim.y;
        dims[2] = (int)gridDim.z;
        dims[3] = (int)blockDim.x;
        dims[4] = (int)blockDim.y;
        dims[5] = (int)blockDim.z;
        dims[6] = (int)blockIdx.x;
        dims[7] = (int)blockIdx.y;
        dims[8] = (int)blockIdx.z;
        dims[9] = (int)threadIdx.x;
        dims[10] = (int)threadIdx.y;
        dims[11] = (int)threadIdx.z;
        dims[12] = warpSize;
    }
}

static void show(const char *key, const int *v)
{
    fact("%s=%d %d %d", key, v[0], v[1], v[2]);
}

int main(void)
{
    static int hits[BLOCKS * THREADS];
    int *device_hits, *device_dims;
    int dims[13];
    int once = 0;

    MUST(cudaMalloc((void **)&device_hits, sizeof(hits)));
    MUST(cudaMalloc((void **)&device_dims, sizeof(dims)));
    MUST(cudaMemset(device_hits, 0, sizeof(hits)));
    place<<<dim3(GX, GY, GZ), dim3(BX, BY, BZ)>>>(device_hits, device_dims);
    fact_error("launch.error", cudaDeviceSynchronize());
    MUST(cudaMemcpy(hits, device_hits, sizeof(hits), cudaMemcpyDefault));
    MUST(cudaMemcpy(dims, device_dims, sizeof(dims), cudaMemcpyDefault));
    for (int i = 0; i < BLOCKS * THREADS; i++)
        once += hits[i] == 1;
    fact_int("places_hit_once", once);
    fact_int("places", BLOCKS * THREADS);
    show("grid_dim", dims);
    show("block_dim", dims + 3);
    show("block_5_is", dims + 6);
    show("thread_7_is", dims + 9);
    fact_int("warp_size", dims[12]);
    return 0;
}
