// A vector that a copy may still read goes while nothing waits for the copy.
#include <vector>

static void send(int *device, cudaStream_t stream)
{
    std::vector<int> host(1 << 20, 7);

    cudaMemcpyAsync(device, host.data(), 4 << 20, cudaMemcpyDefault, stream);
} // host goes here

int main()
{
    cudaStream_t stream;
    int *device;

    cudaStreamCreate(&stream);
    cudaMalloc(&device, 4 << 20);
    send(device, stream);
    cudaStreamSynchronize(stream);
    cudaFree(device);
    cudaStreamDestroy(stream);
}
