/* Matrices of a warp, in the ways that programs have them: by several warps of
 * a block, from shared memory, in arrays, by references and aliases, scaled
 * element by element, and added up in half precision. */
#include <mma.h>
#include <stdio.h>

using namespace nvcuda::wmma;

enum { N = 64, TILES = N / 16 };

template <class T>
using sum_of = fragment<accumulator, 16, 16, 16, T>;
typedef fragment<matrix_a, 16, 16, 16, half, row_major> part_a;
typedef fragment<matrix_b, 16, 16, 16, half, col_major> part_b;

template <class F>
__device__ void scale(F &f, float by)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = by * f.x[i];
}

__device__ void add_product(sum_of<float> *sums, const part_a &a,
                            const part_b (&b)[2])
{
#pragma unroll
    for (int i = 0; i < 2; i++)
        mma_sync(sums[i], a, b[i], sums[i]);
}

/* Each warp has a row of tiles, two at a time. B by its columns. */
__global__ void product(const half *a, const half *b, float *c, float by)
{
    __shared__ half tile[TILES][16 * 16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (int column = 0; column < TILES; column += 2) {
        sum_of<float> sums[2];
        part_a fa;
        part_b fb[2];

        fill_fragment(sums[0], 0.0f);
        sums[1] = sums[0];
        for (int k = 0; k < N; k += 16) {
            for (int i = lane; i < 256; i += 32)
                tile[warp][i] = a[(16 * warp + i / 16) * N + k + i % 16];
            __syncwarp();
            load_matrix_sync(fa, tile[warp], 16);
            load_matrix_sync(fb[0], b + 16 * column * N + k, N);
            load_matrix_sync(fb[1], b + 16 * (column + 1) * N + k, N);
            __syncwarp();
            add_product(sums, fa, fb);
        }
        for (int i = 0; i < 2; i++) {
            scale(sums[i], by);
            store_matrix_sync(c + 16 * warp * N + 16 * (column + i), sums[i], N,
                              mem_row_major);
        }
    }
}

/* Only the first two warps; the sum is rounded once in each round. */
__global__ void in_half(const half *a, half *c)
{
    if (threadIdx.x / 32 < 2) {
        fragment<matrix_a, 16, 16, 16, half, col_major> fa;
        fragment<matrix_b, 16, 16, 16, half, row_major> fb;
        sum_of<half> sum;

        fill_fragment(sum, __float2half(2048.0f));
        fill_fragment(fb, 1.0f);
        load_matrix_sync(fa, a + 16 * (threadIdx.x / 32), N);
        mma_sync(sum, fa, fb, sum);
        store_matrix_sync(c + 256 * (threadIdx.x / 32), sum, 16, mem_col_major);
    }
}

int main()
{
    half *a, *b, *d;
    float *c;
    int wrong = 0;

    cudaMallocManaged(&a, N * N * sizeof *a);
    cudaMallocManaged(&b, N * N * sizeof *b);
    cudaMallocManaged(&c, N * N * sizeof *c);
    cudaMallocManaged(&d, 512 * sizeof *d);
    for (int i = 0; i < N * N; i++) {
        a[i] = __float2half(i % 11 - 5);
        b[i] = __float2half(i % 7 - 3);
    }
    product<<<1, 32 * TILES>>>(a, b, c, 0.5f);
    in_half<<<1, 96>>>(a, d);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;

            for (int k = 0; k < N; k++)
                sum += ((i * N + k) % 11 - 5) * ((j * N + k) % 7 - 3);
            wrong += c[i * N + j] != 0.5f * sum;
        }
    printf("%d wrong, c[5][9] = %g\n", wrong, c[5 * N + 9]);
    for (int i = 0; i < 512; i += 67)
        printf("%g ", __half2float(d[i]));
    printf("\n%s\n", cudaGetErrorName(cudaGetLastError()));
    return cudaFree(a) || cudaFree(b) || cudaFree(c) || cudaFree(d);
}
