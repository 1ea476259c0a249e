// A function of the host calls itself without end.
static int depth(int n)
{
    volatile char room[1024];

    room[n % 1024] = 1;
    return depth(n + 1) + room[0]; // nothing ends it
}

int main()
{
    cudaDeviceSynchronize();
    return depth(0);
}
