// Memory of a pool that another device's kernel writes. Peer access says
// nothing of it; with an argument the pool gives the access.
#include <cstdio>

__global__ void store(int *p)
{
    *p = 1; // told
}

int main(int argc, char **)
{
    cudaMemAccessDesc access = {};
    cudaMemPool_t pool;
    cudaStream_t stream;
    int *p;

    cudaStreamCreate(&stream);
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMallocAsync(&p, sizeof *p, stream);
    cudaStreamSynchronize(stream);
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = 1;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    if (argc > 1)
        cudaMemPoolSetAccess(pool, &access, 1);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    store<<<1, 1>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFreeAsync(p, stream);
    cudaStreamDestroy(stream);
}
