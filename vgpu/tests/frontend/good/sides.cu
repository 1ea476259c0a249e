// Names of the host's that device code may use, for they are others there, or
// nothing of them runs.
#include <cstdio>

int count = 3, own, left, size;
static float *data;
const int width = 4;
const float scale = 0.5f;
constexpr int square(int x)
{
    return x * x;
}
constexpr int heights[2] = {5, 6};
struct pair {
    int count, own;
    __host__ __device__ int size() const { return count + own; }
};
template <int N> struct row {
    int v[N];
};
__device__ int total = 1;

__global__ void k(const int *own, const pair left, int *data)
{
    int first = 1, count = left.count, size = left.size();
    constexpr int four = square(2);
    row<square(2)> r;
    int bounds[square(2)];

    static_assert(square(3) == 9, "");
    r.v[0] = bounds[0] = sizeof(square(2));
    {
        int total = 0;

        data[0] = *own + count + size + total + first + four;
    }
    data[1] = width * scale + r.v[0] + bounds[0] + heights[1] + total;
}
__global__ void lambdas(int *data)
{
    auto own = [](int left) { return left + width; };

    data[2] = own(3);
}

int main()
{
    int *p, h[3];

    total = 1;
    cudaMalloc(&p, sizeof h + sizeof own);
    cudaMemset(p, 0, sizeof h + sizeof own);
    k<<<1, 1>>>(p + 3, pair{2, 3}, p);
    lambdas<<<1, 1>>>(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", h[0], h[1], h[2], square(count) + left + size + (data != nullptr));
}
