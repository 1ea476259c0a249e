/* Memory is given back while copies that are queued still use it: by a vector's
 * end, which gives so much back to the system, by delete and by free. The
 * program goes on, and whoever takes memory next has it for itself. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

enum { MANY = 1 << 20, FEW = 100 };

static cudaStream_t stream;

static void take(char *device, size_t n)
{
    std::vector<char> to(n);

    cudaMemcpyAsync(&to[8], device, n - 8, cudaMemcpyDefault, stream); // warned
}

int main()
{
    char *device, *next, *given = new char[MANY], *low = (char *)malloc(MANY);
    int wrong = 0;

    memset(given, 1, MANY);
    memset(low, 2, MANY);
    cudaStreamCreate(&stream);
    cudaMalloc(&device, MANY);
    take(device, MANY);
    take(device, FEW);
    cudaMemcpyAsync(device, given, MANY, cudaMemcpyDefault, stream); // warned
    delete[] given;
    cudaMemcpyAsync(device, low, MANY, cudaMemcpyDefault, stream); // warned
    free(low);
    next = (char *)malloc(FEW);
    memset(next, 3, FEW);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < FEW; i++)
        wrong += next[i] != 3;
    cudaMemcpy(next, device, FEW, cudaMemcpyDefault);
    printf("%d wrong, then %d\n", wrong, next[0]);
    free(next);
    cudaFree(device);
    cudaStreamDestroy(stream);
    return 0;
}
