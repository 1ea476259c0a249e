// A stream is never destroyed.
int main()
{
    cudaStream_t stream;

    cudaStreamCreate(&stream);
    cudaStreamSynchronize(stream); // cudaStreamDestroy(stream) is missing
}
