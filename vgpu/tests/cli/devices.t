#!/bin/bash
# devices.t: a machine whose virtual GPUs are of several kinds
set -u
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE VGPU_COUNT VGPU_CHECK VGPU_TRACE
cat >"$tmp/kinds.cu" <<'END'
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void spin(int *out, int rounds)
{
    int value = threadIdx.x;

    for (int i = 0; i < rounds; i++)
        value = value * 3 + i;
    out[threadIdx.x] = value;
}

int main(void)
{
    int count, *data, sms, can;

    cudaGetDeviceCount(&count);
    for (int d = 0; d < count; d++) {
        cudaDeviceProp prop;
        cudaEvent_t start, stop;
        float ms;

        cudaSetDevice(d);
        cudaGetDeviceProperties(&prop, d);
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, d);
        cudaDeviceCanAccessPeer(&can, d, (d + 1) % count);
        cudaMalloc(&data, 1024 * sizeof *data);
        cudaEventCreate(&start);
        cudaEventCreate(&stop);
        cudaEventRecord(start);
        spin<<<1, 256>>>(data, 100000);
        cudaEventRecord(stop);
        cudaDeviceSynchronize();
        cudaEventElapsedTime(&ms, start, stop);
        printf("%d %s, %d SMs, %.0f GiB, peer %d, %.3f ms, %s\n", d, prop.name,
               sms, prop.totalGlobalMem / 1073741824.0, can, ms,
               cudaGetErrorName(cudaGetLastError()));
    }
    return 0;
}
END
"$build"/bin/vgpucc -O2 "$tmp/kinds.cu" -o "$tmp/kinds" 2>"$tmp/err"
ok 'it builds'
facts() { sed 's/^[0-9] //; s/ peer [01],//; s/ [0-9.]* ms,//'; }
alone() { VGPU_DEVICE=$1 "$tmp/kinds" | facts; }
VGPU_DEVICE=k20,h200 "$tmp/kinds" >"$tmp/out"
[ "$(facts <"$tmp/out")" = "$(alone k20; alone h200)" ]
ok 'each device has the facts of its own kind'
# A launch costs the K20's host 5 us more, between the two events.
grep -q '^0.* 3\.81[0-9] ms' "$tmp/out" && grep -q '^1.* 0\.37[0-9] ms' "$tmp/out"
ok '... and its speed; the host is that of the first'
[ "$(grep -c 'peer 0' "$tmp/out")" = 2 ]
ok 'two kinds are no peers'
VGPU_DEVICE=k20,h200 VGPU_COUNT=3 "$tmp/kinds" >"$tmp/out"
[ "$(cut -d, -f1 "$tmp/out" | paste -sd' ')" = \
    "0 Tesla K20 1 NVIDIA H200 2 Tesla K20" ]
ok 'with more devices than names these begin again'
VGPU_DEVICE=k20,h200 VGPU_COUNT=1 "$tmp/kinds" >"$tmp/out"
[ "$(wc -l <"$tmp/out")" = 1 ]
ok 'with fewer, the first ones are there'
VGPU_DEVICE=k20,nothing "$tmp/kinds" >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q "no device profile or file 'nothing'" "$tmp/err"
ok 'a name that is none is told'
VGPU_DEVICE='h200;0-1,2>0' VGPU_COUNT=3 "$tmp/kinds" >"$tmp/out"
[ "$(sed 's/.*peer \([01]\).*/\1/' "$tmp/out" | tr -d '\n')" = 101 ]
ok 'links that are given are there, the others are not'
VGPU_DEVICE='h200;0' "$tmp/kinds" >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q 'links are given as' "$tmp/err"
ok '... and what is no link is told'
VGPU_DEVICE=k20,h200 VGPU_TRACE=$tmp/trace "$tmp/kinds" >/dev/null
grep -q '^device index=0 name=Tesla%20K20 .*sms=13' "$tmp/trace" &&
    grep -q '^device index=1 name=NVIDIA%20H200 .*sms=132' "$tmp/trace"
ok 'and so is each in a trace'
echo "1..$count"
