// One copy of a batch is to use what another one brings.
int main()
{
    cudaMemcpyAttributes how = {};
    size_t first = 0, bytes[2] = {64, 64};
    cudaStream_t stream;
    char *p;

    cudaMalloc(&p, 3 * 64);
    cudaMemset(p, 0, 3 * 64);
    cudaDeviceSynchronize();
    cudaStreamCreate(&stream);
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    void *to[2] = {p + 64, p + 128};
    const void *from[2] = {p, p + 64}; // the second reads what the first writes
    cudaMemcpyBatchAsync(to, from, bytes, 2, &how, &first, 1, stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaFree(p);
}
