// A vector that a copy reads later goes before the copy has read it.
#include <vector>

static void send(int *device, cudaStream_t stream)
{
    std::vector<int> host(1 << 20, 7);

    cudaMemcpyAsync(device, host.data(), 4 << 20, cudaMemcpyDefault, stream);
} // host goes here, the copy may still read it

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
