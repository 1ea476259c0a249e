// A kernel's parameters are bytes: no constructor or destructor of theirs runs
// on the device, whatever its blocks and threads.
#include <stdio.h>

static int copies, ends;

struct counter {
    int *memory;

    counter()
    {
        cudaMalloc(&memory, sizeof *memory);
        cudaMemset(memory, 0, sizeof *memory);
    }
    counter(const counter &other) : memory(other.memory)
    {
        copies++;
    }
    ~counter()
    {
        ends++;
        cudaFree(memory);
    }
    __device__ void add(int n)
    {
        atomicAdd(memory, n);
        memory = nullptr; // the thread's own
    }
    __device__ int get() const
    {
        return *memory;
    }
};

__global__ void use(counter c, int *out)
{
    atomicMax(out, c.get() + 1);
    c.add(1);
}

int main()
{
    static int few;
    int *out, most;

    cudaMalloc(&out, sizeof *out);
    cudaMemset(out, 0, sizeof *out);
    {
        counter c;

        use<<<8, 32>>>(c, out);
        few = copies;
    }
    cudaMemcpy(&most, out, sizeof most, cudaMemcpyDeviceToHost);
    printf("%d %d\n", most, few == 1 && ends == 2);
    return cudaDeviceSynchronize();
}
