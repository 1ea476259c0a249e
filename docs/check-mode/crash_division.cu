// A number that the host divides by is zero.
static volatile int streams; // nobody has set it

int main()
{
    cudaDeviceSynchronize();
    return 1024 / streams;
}
