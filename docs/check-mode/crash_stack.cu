// A function of the host calls itself without end.
static int depth(int n)
{
    volatile char room[1024];

    room[n % 1024] = 1;
    return n < 0 ? 0 : depth(n + 1) + room[0]; // n only grows
}

int main()
{
    cudaDeviceSynchronize();
    return depth(0);
}
