// The host's clock is read before the kernel has ended.
#include <chrono>
#include <cstdio>

__global__ void work(float *p)
{
    for (int i = 0; i < 100000; i++)
        *p = *p * 0.99f + 1;
}

int main()
{
    using clock = std::chrono::steady_clock;
    float *p;

    cudaMalloc(&p, sizeof *p);
    cudaMemset(p, 0, sizeof *p);
    cudaDeviceSynchronize();
    const auto begin = clock::now();
    work<<<1, 1>>>(p);
    const auto end = clock::now(); // cudaDeviceSynchronize() is missing
    printf("%f s\n", std::chrono::duration<double>(end - begin).count());
    cudaFree(p);
}
