// A host function that has threads do its work, and waits for them.
#include <cstdio>
#include <thread>
#include <vector>
#include <cuda_runtime.h>

const int PARTS = 4, ENTRIES = 1 << 10;

struct job {
    int *entries;
    long sums[PARTS];
};

static void add_part(job *j, int part)
{
    const int each = ENTRIES / PARTS;

    for (int i = part * each; i < (part + 1) * each; i++)
        j->sums[part] += j->entries[i];
}

static void add_up(void *data)
{
    std::vector<std::thread> threads;

    for (int part = 0; part < PARTS; part++)
        threads.emplace_back(add_part, (job *)data, part);
    for (std::thread &t : threads)
        t.join();
}

__global__ void fill(int *entries)
{
    entries[threadIdx.x] = threadIdx.x;
}

int main()
{
    job j = {};
    cudaStream_t stream;
    int *device;
    long sum = 0;

    cudaMallocHost(&j.entries, ENTRIES * sizeof *j.entries);
    cudaMalloc(&device, ENTRIES * sizeof *device);
    cudaStreamCreate(&stream);
    fill<<<1, ENTRIES, 0, stream>>>(device);
    cudaMemcpyAsync(j.entries, device, ENTRIES * sizeof *device,
                    cudaMemcpyDeviceToHost, stream);
    for (int round = 0; round < 2; round++)
        cudaLaunchHostFunc(stream, add_up, &j);
    printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
    for (long part : j.sums)
        sum += part;
    printf("%ld\n", sum);
    cudaStreamDestroy(stream);
    cudaFree(device);
    cudaFreeHost(j.entries);
    return 0;
}
