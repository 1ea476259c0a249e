#!/bin/bash
# settings.t: what no recorded fact says of CUDA's own settings: code that is
# loaded late, and a driver that holds commands back
set -u
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE VGPU_COUNT VGPU_CHECK VGPU_TRACE CUDA_MODULE_LOADING
cat >"$tmp/lazy.cu" <<'END'
#include <cstdio>

__global__ void serve(volatile int *stop)
{
    while (!*stop)
        ;
}

__global__ void other(int *p)
{
    *p = 1;
}

int main()
{
    int *stop, *p, *one;
    cudaStream_t a, b;

    cudaMalloc(&stop, 4);
    cudaMalloc(&p, 4);
    cudaMemset(stop, 0, 4);
    cudaMallocHost(&one, 4);
    *one = 1;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    serve<<<1, 1, 0, a>>>(stop);
    other<<<1, 1, 0, b>>>(p);
    cudaMemcpyAsync(stop, one, 4, cudaMemcpyHostToDevice, b);
    cudaDeviceSynchronize();
    puts("done");
    return 0;
}
END
cat >"$tmp/batch.cu" <<'END'
#include <chrono>
#include <cstdio>

__global__ void work(float *p)
{
    float x = *p;

    for (int k = 0; k < 1000000; k++)
        x = x * 0.99f + 1;
    *p = x;
}

int main(int argc, char **)
{
    volatile double x = 1;
    float *p;

    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    cudaDeviceSynchronize();
    const auto start = std::chrono::steady_clock::now();
    work<<<1, 1>>>(p);
    if (argc > 1)
        cudaStreamQuery(0);
    for (int i = 0; i < 3000000; i++)
        x = x * 1.0000001;
    cudaDeviceSynchronize();
    printf("%.0f\n", std::chrono::duration<double, std::milli>(
                         std::chrono::steady_clock::now() - start)
                         .count());
    return 0;
}
END
for name in lazy batch; do
    "$build"/bin/vgpucc -O2 "$tmp/$name.cu" -o "$tmp/$name" 2>"$tmp/err"
    ok "$name builds"
done
[ "$(timeout 20 "$tmp/lazy")" = done ]
ok 'code is there from the start'
[ "$(CUDA_MODULE_LOADING=EAGER timeout 20 "$tmp/lazy")" = done ]
ok '... and where it is asked for'
CUDA_MODULE_LOADING=LAZY timeout 20 "$tmp/lazy" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 87 ] && grep -q 'never ends' "$tmp/err" && [ ! -s "$tmp/out" ]
ok 'a first launch that waits for a kernel, which waits for it, is told'
export VGPU_DEVICE=rtx2070mq-wddm
held=$("$tmp/batch") sent=$("$tmp/batch" flush)
[ "$held" -gt "$((sent + 3))" ]
ok 'what Windows holds back goes when the host begins to wait, or asks'
echo "1..$count"
