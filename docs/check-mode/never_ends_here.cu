// All threads of the host wait for each other.
#include <condition_variable>
#include <mutex>

static void nothing(void *)
{
}

int main()
{
    std::condition_variable changed;
    std::mutex mutex;
    std::unique_lock<std::mutex> guard(mutex);

    cudaLaunchHostFunc(0, nothing, nullptr);
    cudaDeviceSynchronize();
    changed.wait(guard); // nobody is left to wake it
}
