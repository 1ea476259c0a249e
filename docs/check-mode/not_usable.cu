// A kernel uses memory of a pool that its device has no access to.
__global__ void store(int *to)
{
    *to = 1;
}

int main()
{
    cudaMemPoolProps of_host = {};
    cudaMemPool_t pool;
    int *host;

    of_host.allocType = cudaMemAllocationTypePinned;
    of_host.location.type = cudaMemLocationTypeHost;
    cudaMemPoolCreate(&pool, &of_host); // cudaMemPoolSetAccess is missing
    cudaMallocFromPoolAsync(&host, 4, pool, 0);
    store<<<1, 1>>>(host);
    return cudaDeviceSynchronize() != cudaSuccess;
}
