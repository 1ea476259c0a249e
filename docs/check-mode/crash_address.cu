// A pointer of the host that was never set is used.
static int *volatile sizes; // nobody has allocated them

int main()
{
    cudaDeviceSynchronize();
    sizes[0] = 1024;
}
