// Headers of the toolkit that programs name beside cuda_runtime.h: complex
// numbers, copies that a thread waits for later, and some that say nothing new.
#include <crt/device_functions.h>
#include <crt/host_defines.h>
#include <crt/math_functions.h>
#include <cuComplex.h>
#include <cuda_device_runtime_api.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <device_double_functions.h>
#include <host_config.h>
#include <sm_20_intrinsics.h>
#include <sm_35_intrinsics.h>
#include <sm_61_intrinsics.h>
#include <cstdio>

__global__ void complex_parts(cuComplex *out)
{
    cuComplex a = make_cuFloatComplex(3, 4), b = make_cuComplex(1, -2);

    out[0] = cuCaddf(a, b);
    out[1] = cuCsubf(a, b);
    out[2] = cuCmulf(a, b);
    out[3] = cuCdivf(cuCmulf(a, b), b);
    out[4] = cuConjf(a);
    out[5] = cuCfmaf(a, b, a);
    out[6] = make_cuComplex(cuCabsf(a), cuCrealf(a) + cuCimagf(a));
}

__global__ void doubles(cuDoubleComplex *z)
{
    cuDoubleComplex big = make_cuDoubleComplex(1e300, 1e300);

    z[0] = cuCdiv(big, big);
    z[1] = cuCmul(z[0], make_cuDoubleComplex(0, 1));
    z[2] = cuComplexFloatToDouble(
        cuComplexDoubleToFloat(cuCadd(z[1], cuConj(z[1]))));
    z[3] = make_cuDoubleComplex(cuCabs(make_cuDoubleComplex(5, 12)),
                                cuCreal(z[0]) - cuCimag(z[0]));
    z[4] = cuCsub(cuCfma(z[0], z[1], z[3]), z[0]);
}

// The next piece is fetched while the last one is added up.
__global__ void two_pieces_on_the_way(const int4 *in, int pieces, int *sums)
{
    __shared__ int4 piece[2][32];
    __shared__ int2 half[32];
    const int t = threadIdx.x;
    int sum = 0;

    __pipeline_memcpy_async(&piece[0][t], &in[t], sizeof(int4));
    __pipeline_commit();
    for (int i = 0; i < pieces; i++) {
        if (i + 1 < pieces)
            __pipeline_memcpy_async(&piece[(i + 1) % 2][t],
                                    &in[(i + 1) * 32 + t], sizeof(int4));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        const int4 p = piece[i % 2][(t + 1) % 32];
        sum += p.x + p.y + p.z + p.w;
        __syncthreads();
    }
    __pipeline_memcpy_async(&half[t], &in[t], sizeof(int2), 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    sums[t] = sum * 10 + half[t].y;
    if (half[t].x != in[t].x)
        sums[t] = -1;
}

int main()
{
    cuComplex *f, host[7];
    cuDoubleComplex *d, wide[5];
    int4 *in;
    int *sums;

    cudaMalloc(&f, sizeof host);
    complex_parts<<<1, 1>>>(f);
    cudaMemcpy(host, f, sizeof host, cudaMemcpyDeviceToHost);
    for (const cuComplex &z : host)
        printf("%g %g\n", z.x, z.y);
    cudaMalloc(&d, sizeof wide);
    doubles<<<1, 1>>>(d);
    cudaMemcpy(wide, d, sizeof wide, cudaMemcpyDeviceToHost);
    for (const cuDoubleComplex &z : wide)
        printf("%g %g\n", z.x, z.y);

    cudaMallocManaged(&in, 96 * sizeof *in);
    cudaMallocManaged(&sums, 32 * sizeof *sums);
    for (int i = 0; i < 96; i++)
        in[i] = make_int4(i, i, 1, 2);
    two_pieces_on_the_way<<<1, 32>>>(in, 3, sums);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", sums[0], sums[1], sums[31]);
    return 0;
}
