/* __device__, __constant__ and __managed__ variables. */
#include <cstdio>

__device__ int counter = 3;
__device__ int many[4], one;
__constant__ float coefficients[4] = {1, 2, 3, 4};
__device__ const int fixed = 5;
static __device__ int hidden = 7;
int __device__ behind = 9;
__managed__ int managed = 11;
__device__ __managed__ int both = 13;
__device__ constexpr int literal = 15;
__constant__ struct {
    int a, b;
} record = {1, 2};
__device__ int *pointer;
__device__ const int *to_const;
__device__ int brace{17};

namespace n {
__device__ int counter = 100;
}

__device__ void (*function)(int *);

__global__ void read(int *out)
{
    int i = 0;

    out[i++] = counter++;
    out[i++] = many[1]++ + one;
    out[i++] = (int)coefficients[2];
    out[i++] = fixed;
    out[i++] = hidden;
    out[i++] = behind;
    out[i++] = managed++;
    out[i++] = both;
    out[i++] = literal;
    out[i++] = record.a + record.b;
    out[i++] = n::counter++;
    out[i++] = pointer == nullptr && to_const == nullptr;
    out[i++] = brace;
}

int main()
{
    int *out, host = 40;
    float c[4] = {10, 20, 30, 40};

    cudaMallocManaged(&out, 16 * sizeof *out);
    read<<<1, 1>>>(out);
    cudaMemcpyToSymbol(counter, &host, sizeof host);
    cudaMemcpyToSymbol(many, &host, sizeof host, sizeof(int));
    cudaMemcpyToSymbol(coefficients, c, sizeof c);
    cudaMemcpyFromSymbol(&host, n::counter, sizeof host);
    printf("n::counter %d managed %d\n", host, managed);
    managed = 50;
    for (int i = 0; i < 13; i++)
        printf("%d ", out[i]);
    printf("\n");
    read<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 13; i++)
        printf("%d ", out[i]);
    printf("\n");
    cudaFree(out);
    return 0;
}
