// A function of the host calls itself without end.
// clang-format off
static int depth(int n) { return n < 0 ? 0 : depth(n + 1) + depth(n + 2); }
// clang-format on

int main()
{
    cudaDeviceSynchronize();
    return depth(0);
}
