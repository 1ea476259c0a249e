// The host comes to a place that the compiler was told cannot be reached.
int main()
{
    if (cudaDeviceSynchronize() == cudaSuccess)
        __builtin_trap();
}
