#!/bin/bash
# editor.t: does clangd understand every lab, without the CUDA Toolkit? Of its
# own check mode only errors in the source count, not what a refactoring of its
# cannot do.
set -u
cd "$(dirname "$0")/../.." || exit 1
if ! command -v clangd >/dev/null; then
    echo "1..0 # SKIP no clangd"
    exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# As a student has it: in a copy, with the skeletons, and nothing built.
cp -R --parents .clangd tools/skeleton tools/lab.sh tools/compile-commands \
    common labs solutions vgpu/include grader/drivers "$tmp"
for solution in solutions/*/lab.cu; do
    lab=$(basename "$(dirname "$solution")")
    tools/skeleton "$solution" >"$tmp/labs/$lab/lab.cu"
done
cd "$tmp" || exit 1

count=0
understands() { # NAME FILE
    local found
    clangd --check="$2" >"$tmp/log" 2>&1
    found=$(grep -E '^E.*\] Line [0-9]+:' "$tmp/log")
    grep -q 'All checks completed' "$tmp/log" ||
        found=$(tail -n 3 "$tmp/log")
    count=$((count + 1))
    [ -z "$found" ] || printf 'not '
    echo "ok $count - $1"
    [ -z "$found" ] || printf '%s\n' "$found" | head -n 5 | sed 's/^/# /'
}

for file in labs/*/lab.cu; do
    understands "$file: the skeleton, with .clangd alone" "$file"
done
understands "a header of a lab" labs/08_uneven_chunks/lab.h
mkdir build
tools/compile-commands >build/compile_commands.json
# All labs have one kind of entry there; solutions are asked with it as well.
for file in labs/0[58]_*/lab.cu; do
    understands "$file: the skeleton, after make editor" "$file"
done
for file in solutions/*/lab.cu; do
    understands "$file: the solution" "$file"
done
understands "a driver" grader/drivers/05_default_stream.cu

cat >labs/08_uneven_chunks/kernel.cu <<'END'
#include <cstdio>

#include "cipher.h"

__constant__ float table[32];
__device__ unsigned seen;

template <typename T>
__global__ void __launch_bounds__(256) sum(const T *x, T *out, int n)
{
    __shared__ T part[256];
    extern __shared__ char more[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    part[threadIdx.x] = i < n ? x[i] * (T)table[i % warpSize] : 0;
    more[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&seen, 1u);
    atomicAdd(out, __shfl_down_sync(0xffffffff, part[threadIdx.x], 1));
    if (i == 0)
        printf("%f %lld\n", sqrtf(part[0]), clock64());
}

void run(const float *x, float *out, int n, cudaStream_t stream)
{
    sum<float><<<dim3(n / 256), 256, 256, stream>>>(x, out, n);
    sum<<<1, 256>>>(x, out, n);
}
END
understands "what kernels are made of" labs/08_uneven_chunks/kernel.cu
echo '    - --cuda-path=/nowhere' >>.clangd
understands "the same where no CUDA Toolkit is found" \
    labs/08_uneven_chunks/kernel.cu

sed -i 's/<<<1, 256>>>(x, out, n)/<<<1>>>(x, out, n)/; s/__syncthreads/__syncthread/
    ' labs/08_uneven_chunks/kernel.cu
clangd --check=labs/08_uneven_chunks/kernel.cu >"$tmp/log" 2>&1
count=$((count + 1))
[ "$(grep -cE '^E.*\] Line (17|27):' "$tmp/log")" -ge 2 ] || printf 'not '
echo "ok $count - a wrong launch and a wrong name are underlined"
echo "1..$count"
