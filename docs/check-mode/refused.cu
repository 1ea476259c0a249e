// The program asks for what the virtual GPU does not have.
int main()
{
    const auto format = cudaCreateChannelDesc<float>();
    const cudaExtent size = make_cudaExtent(64, 64, 6);
    cudaArray_t array;

    cudaMalloc3DArray(&array, &format, size, cudaArrayCubemap);
}
