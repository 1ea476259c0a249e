// A kernel is launched into another device's stream.
// run: VGPU_COUNT=2
__global__ void nothing()
{
}

int main()
{
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaSetDevice(1);
    nothing<<<1, 1, 0, stream>>>(); // device 0 is the stream's
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
}
