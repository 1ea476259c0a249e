// The host writes past the end of pinned memory.
int main()
{
    int *host;

    cudaMallocHost(&host, 10 * sizeof *host);
    for (int i = 0; i <= 10; i++)
        host[i] = i; // i < 10 is meant
    cudaFreeHost(host);
}
