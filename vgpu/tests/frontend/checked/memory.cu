// Host code that touches memory by memcpy and its kin, before copies end.
#include <cstring>
#include <vector>

#include "memory.h"

struct page {
    int words[64];
};

__global__ void stamp(page *to, const page *from)
{
    memcpy(&to[1], &from[0], sizeof(page));
    to[2] = from[0];
}

int main()
{
    const size_t bytes = 4 * sizeof(page);
    page *pinned, *device, copy;
    std::vector<page> pages(4);

    cudaMallocHost(&pinned, bytes);
    cudaMalloc(&device, bytes);
    memset(pinned, 1, bytes);
    cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyDefault);
    stamp<<<1, 1>>>(device, device);
    cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDefault);
    memcpy(&copy, &pinned[1], sizeof copy); // hazard
    cudaDeviceSynchronize();
    memcpy(&copy, &pinned[1], sizeof copy);

    cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyDefault);
    memset(pinned, 0, bytes); // hazard
    cudaDeviceSynchronize();

    cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyDefault);
    memmove(pinned, pages.data(), sizeof(page)); // hazard
    cudaDeviceSynchronize();

    cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDefault);
    if (!memcmp(&copy, pinned, sizeof copy)) // hazard
        copy.words[0]++;
    cudaDeviceSynchronize();

    cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDefault);
    copy = pinned[2]; // hazard
    cudaDeviceSynchronize();

    cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDefault);
    read_elsewhere(&copy, pinned, sizeof copy);
    cudaDeviceSynchronize();

    std::copy(pinned, pinned + 4, pages.begin());
    pages.insert(pages.begin(), pinned, pinned + 4);
    memcpy(pinned, pages.data(), bytes);
    cudaFree(device);
    cudaFreeHost(pinned);
    return 0;
}
