/*
 * dev_matrix.cu: D = A * B + C by a warp, for each type and shape and all
 * layouts, with rows that lie apart: how many elements a lane has, that
 * accumulators of one type have theirs in the same places, and sums that are
 * exact in any order. Whole numbers wrap around, or stop at the last one.
 * Source: programming guide, Warp Matrix Functions.
 */
#include <mma.h>

#include "fact.h"

using namespace nvcuda;

enum { APART = 16, MOST = 48 * 48, OUTSIDE = 77 };

/* How a matrix lies in memory. */
struct place {
    int rows, columns, by_columns;
};

static int pitch_of(struct place p)
{
    return (p.by_columns ? p.rows : p.columns) + APART;
}

static int index_of(struct place p, int row, int column)
{
    return p.by_columns ? column * pitch_of(p) + row
                        : row * pitch_of(p) + column;
}

/* Twice the product and sum, and what D was, whose elements are where those of
 * the result are. */
template <int m, int n, int k, class T, class LA, class LB, class E, class S,
          class R>
static __global__ void multiply(const E *a, int pitch_a, const E *b,
                                int pitch_b, const S *c, R *d, int pitch,
                                wmma::layout_t layout, int *elements)
{
    wmma::fragment<wmma::matrix_a, m, n, k, T, LA> part_a;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LB> part_b;
    wmma::fragment<wmma::accumulator, m, n, k, S> sum;
    wmma::fragment<wmma::accumulator, m, n, k, R> result, before;

    wmma::load_matrix_sync(part_a, a, pitch_a);
    wmma::load_matrix_sync(part_b, b, pitch_b);
    wmma::load_matrix_sync(sum, c, pitch, layout);
    wmma::load_matrix_sync(before, d, pitch, layout);
    wmma::mma_sync(result, part_a, part_b, sum);
    for (int i = 0; i < result.num_elements; i++)
        result.x[i] = result.x[i] + result.x[i] + before.x[i];
    wmma::store_matrix_sync(d, result, pitch, layout);
    if (threadIdx.x == 0) {
        elements[0] = part_a.num_elements;
        elements[1] = part_b.num_elements;
        elements[2] = result.num_elements;
    }
}

/* Small whole numbers, without a sign where @low is 0. */
static int a_at(int row, int column, int low)
{
    return (3 * row + 5 * column) % 7 + low;
}
static int b_at(int row, int column, int low)
{
    return (2 * row + 3 * column) % 5 + low;
}
static int c_at(int row, int column)
{
    return row - column;
}
static int d_at(int row, int column)
{
    return row + 2 * column;
}

template <class E, class F>
static E *fill(struct place p, F at)
{
    static E host[MOST];
    E *device;

    for (int i = 0; i < MOST; i++)
        host[i] = E(OUTSIDE);
    for (int i = 0; i < p.rows; i++)
        for (int j = 0; j < p.columns; j++)
            host[index_of(p, i, j)] = E(at(i, j));
    MUST(cudaMalloc((void **)&device, sizeof(host)));
    MUST(cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice));
    return device;
}

/* Elements that are right, and all between the rows if nothing is there. */
template <class R>
static int count_right(const R *d, struct place p, int k, int low, int *between)
{
    static R host[MOST];
    int right = 0;

    MUST(cudaMemcpy(host, d, sizeof(host), cudaMemcpyDeviceToHost));
    for (int i = 0; i < p.rows; i++)
        for (int j = 0; j < p.columns; j++) {
            int sum = c_at(i, j);

            for (int l = 0; l < k; l++)
                sum += a_at(i, l, low) * b_at(l, j, low);
            right +=
                (float)host[index_of(p, i, j)] == (float)(2 * sum + d_at(i, j));
            host[index_of(p, i, j)] = R(OUTSIDE);
        }
    for (int i = 0; i < MOST; i++)
        *between += (float)host[i] != (float)OUTSIDE;
    return right;
}

template <int m, int n, int k, class T, class LA, class LB, class E, class S,
          class R>
static void one_layout(bool columns_a, bool columns_b, bool columns, int low,
                       int elements[3], int *right, int *between)
{
    const struct place a = {m, k, columns_a}, b = {k, n, columns_b},
                       d = {m, n, columns};
    E *const at_a = fill<E>(a, [=](int i, int j) { return a_at(i, j, low); });
    E *const at_b = fill<E>(b, [=](int i, int j) { return b_at(i, j, low); });
    S *const at_c = fill<S>(d, c_at);
    R *const at_d = fill<R>(d, d_at);
    int *numbers;

    MUST(cudaMalloc((void **)&numbers, 3 * sizeof(int)));
    multiply<m, n, k, T, LA, LB><<<1, 32>>>(
        at_a, pitch_of(a), at_b, pitch_of(b), at_c, at_d, pitch_of(d),
        columns ? wmma::mem_col_major : wmma::mem_row_major, numbers);
    MUST(
        cudaMemcpy(elements, numbers, 3 * sizeof(int), cudaMemcpyDeviceToHost));
    *right += count_right(at_d, d, k, low, between);
    MUST(cudaFree(at_a));
    MUST(cudaFree(at_b));
    MUST(cudaFree(at_c));
    MUST(cudaFree(at_d));
    MUST(cudaFree(numbers));
}

template <int m, int n, int k, class T, class E, class S, class R>
static void all_layouts(const char *type, int low)
{
    typedef wmma::row_major row;
    typedef wmma::col_major col;
    int elements[3] = {}, right = 0, between = 0;

    for (int columns = 0; columns < 2; columns++) {
        one_layout<m, n, k, T, row, row, E, S, R>(0, 0, columns, low, elements,
                                                  &right, &between);
        one_layout<m, n, k, T, row, col, E, S, R>(0, 1, columns, low, elements,
                                                  &right, &between);
        one_layout<m, n, k, T, col, row, E, S, R>(1, 0, columns, low, elements,
                                                  &right, &between);
        one_layout<m, n, k, T, col, col, E, S, R>(1, 1, columns, low, elements,
                                                  &right, &between);
    }
    fact("%s_%dx%dx%d=%d %d %d elements, %d of %d right, %d beside them", type,
         m, n, k, elements[0], elements[1], elements[2], right, 8 * m * n,
         between);
}

template <class T, class E, class S, class R>
static void all_shapes(const char *type, int low)
{
    all_layouts<16, 16, 16, T, E, S, R>(type, low);
    all_layouts<32, 8, 16, T, E, S, R>(type, low);
    all_layouts<8, 32, 16, T, E, S, R>(type, low);
}

/* 16 products of 100 * 100 beyond the largest number. */
static __global__ void overflow(int *wrapped, int *stopped)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> c, d;

    wmma::fill_fragment(a, (signed char)100);
    wmma::fill_fragment(b, (signed char)100);
    wmma::fill_fragment(c, 2147483647 - 1000);
    wmma::mma_sync(d, a, b, c);
    wmma::store_matrix_sync(wrapped, d, 16, wmma::mem_row_major);
    wmma::mma_sync(d, a, b, c, true);
    wmma::store_matrix_sync(stopped, d, 16, wmma::mem_row_major);
}

/* In place, k by k, as a matrix product does it: the sum goes on. */
static __global__ void in_place(const __half *a, float *c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> f;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> g;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2];

    wmma::load_matrix_sync(sum[0], c, 16, wmma::mem_row_major);
    for (int k = 0; k < 64; k += 16) {
        wmma::load_matrix_sync(f, a + k, 64);
        wmma::load_matrix_sync(g, a + k, 64);
        wmma::mma_sync(sum[0], f, g, sum[0]);
    }
    sum[1] = sum[0];
    for (auto &x : sum[1].x)
        x *= 0.5f;
    wmma::store_matrix_sync(c, sum[1], 16, wmma::mem_row_major);
}

static __global__ void round_tf32(const float *in, float *out)
{
    out[threadIdx.x] = wmma::__float_to_tf32(in[threadIdx.x]);
}

static void facts_of_overflow(void)
{
    int *sums, host[512];

    MUST(cudaMalloc((void **)&sums, sizeof(host)));
    overflow<<<1, 32>>>(sums, sums + 256);
    MUST(cudaMemcpy(host, sums, sizeof(host), cudaMemcpyDeviceToHost));
    fact("whole_numbers_wrap=%d %d", host[0], host[255]);
    fact("whole_numbers_stop=%d %d", host[256], host[511]);
}

static void facts_of_place(void)
{
    __half values[16 * 64], *a;
    float *c, host[256];

    for (int i = 0; i < 16 * 64; i++)
        values[i] = __float2half((float)((i / 64 * 7 + i % 64 * 3) % 9 - 4));
    for (int i = 0; i < 256; i++)
        host[i] = (float)(i % 3);
    MUST(cudaMalloc((void **)&a, sizeof(values)));
    MUST(cudaMalloc((void **)&c, sizeof(host)));
    MUST(cudaMemcpy(a, values, sizeof(values), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(c, host, sizeof(host), cudaMemcpyHostToDevice));
    in_place<<<1, 32>>>(a, c);
    MUST(cudaMemcpy(host, c, sizeof(host), cudaMemcpyDeviceToHost));
    for (int row = 0; row < 16; row += 5) {
        printf("in_place_row_%d=", row);
        for (int i = 0; i < 16; i++)
            printf("%g ", host[16 * row + i]);
        printf("\n");
    }
}

/* Ties go away from zero; the last 13 bits are not looked at. */
static void facts_of_tf32(void)
{
    const float tie = 1.0f + 1.0f / 2048;
    const float in[8] = {1.0f,
                         tie,
                         -tie,
                         tie + 1.0f / (1 << 23),
                         1.0f + 1.0f / 4096,
                         3.14159265f,
                         1e-30f,
                         -65519.0f};
    uint32_t bits[8];
    float *at;

    MUST(cudaMalloc((void **)&at, 2 * sizeof(in)));
    MUST(cudaMemcpy(at, in, sizeof(in), cudaMemcpyHostToDevice));
    round_tf32<<<1, 8>>>(at, at + 8);
    MUST(cudaMemcpy(bits, at + 8, sizeof(bits), cudaMemcpyDeviceToHost));
    printf("tf32=");
    for (int i = 0; i < 8; i++)
        printf("%05x ", (unsigned)(bits[i] >> 13));
    printf("\n");
}

int main(void)
{
    all_shapes<__half, __half, float, float>("half_float", -3);
    all_shapes<__half, __half, __half, __half>("half_half", -3);
    all_shapes<__half, __half, __half, float>("half_from_half", -3);
    all_shapes<__half, __half, float, __half>("half_to_half", -3);
    all_shapes<__nv_bfloat16, __nv_bfloat16, float, float>("bfloat16", -3);
    all_shapes<signed char, signed char, int, int>("int8", -3);
    all_shapes<unsigned char, unsigned char, int, int>("uint8", 0);
    all_layouts<16, 16, 8, wmma::precision::tf32, float, float, float>("tf32",
                                                                       -3);
    all_layouts<8, 8, 4, double, double, double, double>("double", -3);
    facts_of_overflow();
    facts_of_place();
    facts_of_tf32();
    return 0;
}
