// The host waits for an atomic that no work sets; its line is a header's.
#include <atomic>

static void nothing(void *)
{
}

int main()
{
    static std::atomic<int> flag(0);

    cudaLaunchHostFunc(0, nothing, nullptr);
    cudaDeviceSynchronize();
    while (!flag.load())
        continue;
}
