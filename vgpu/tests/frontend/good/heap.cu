/* malloc, free, new and delete in kernels; what one kernel takes another gives
 * back. */
#include <cstdio>
#include <cstdlib>
#include <vector>

struct node {
    int value;
    node *next;

    __device__ node(int v, node *n) : value(v), next(n)
    {
    }
    __device__ ~node()
    {
        value = -1;
    }
};

struct shape {
    __host__ __device__ virtual ~shape()
    {
    }
    __host__ __device__ virtual int area() const = 0;
};

struct square : shape {
    int side;

    __host__ __device__ square(int s) : side(s)
    {
    }
    __host__ __device__ int area() const override
    {
        return side * side;
    }
};

__device__ node *lists[8];
__device__ shape *shapes[8];

__global__ void build(int n)
{
    node *list = nullptr;

    for (int i = 0; i < n; i++)
        list = new node(i * (int)threadIdx.x, list);
    lists[threadIdx.x] = list;
    shapes[threadIdx.x] = new square((int)threadIdx.x);
}

__global__ void sum(int *out)
{
    int total = 0;

    for (node *n = lists[threadIdx.x]; n;) {
        node *next = n->next;

        total += n->value;
        delete n;
        n = next;
    }
    out[threadIdx.x] = total + shapes[threadIdx.x]->area();
    delete shapes[threadIdx.x];
}

__global__ void scratch(int *out, size_t bytes)
{
    int *own = (int *)malloc(bytes);

    out[threadIdx.x] = own != NULL;
    if (own) {
        own[0] = threadIdx.x;
        int *more = new int[16];
        more[15] = own[0];
        out[threadIdx.x] += more[15];
        delete[] more;
    }
    free(own);
}

int main()
{
    int *out;
    size_t heap;

    cudaMallocManaged(&out, 8 * sizeof *out);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    build<<<1, 8>>>(3);
    sum<<<1, 8>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++)
        printf("%d ", out[i]);
    for (int round = 0; round < 100; round++)
        scratch<<<1, 8>>>(out, 8000);
    cudaDeviceSynchronize();
    printf("\n%zu %d %d\n", heap, out[0], out[7]);
    scratch<<<1, 8>>>(out, 2 << 20);
    printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d\n", out[0]);
    cudaFree(out);

    std::vector<int *> host;
    for (int i = 0; i < 10; i++)
        host.push_back(new int(i));
    for (int *p : host)
        delete p;
    return 0;
}
