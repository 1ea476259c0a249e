#!/bin/sh
# recorder.sh: the recorder on a real GPU. Two programs, built by vgpucc and by
# nvcc: both traces must say the same of what comes after what and by which
# wait, and of what the program names with NVTX. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if ! nvidia-smi -L >/dev/null 2>&1 || ! command -v nvcc >/dev/null 2>&1; then
    echo "1..0 # SKIP no nvcc, or no GPU"
    exit 0
fi

cat >"$tmp/order.cu" <<'END'
#include <cuda_runtime.h>
__global__ void twice(float *a) { a[threadIdx.x] *= 2; }
int main()
{
    cudaStream_t s[2], side;
    cudaEvent_t copied, done;
    float *h, *d;

    cudaMallocHost(&h, 4096);
    cudaMalloc(&d, 4096);
    cudaStreamCreate(&s[0]);
    cudaStreamCreate(&s[1]);
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
    cudaEventCreate(&done);
    for (int i = 0; i < 2; i++) {
        cudaMemcpyAsync(d, h, 1024, cudaMemcpyHostToDevice, s[0]);
        cudaEventRecord(copied, s[0]);
        cudaStreamWaitEvent(s[1], copied, 0);
        twice<<<1, 32, 0, s[1]>>>(d);
        cudaMemcpyAsync(h, d, 1024, cudaMemcpyDeviceToHost, s[1]);
        cudaEventRecord(done, s[1]);
        cudaStreamWaitEvent(s[0], done, 0);
        cudaStreamWaitEvent(side, done, 0);
        twice<<<1, 32, 0, side>>>(d + 512);
    }
    twice<<<1, 32>>>(d);
    twice<<<1, 32, 0, s[0]>>>(d);
    cudaDeviceSynchronize();
    cudaEventDestroy(copied);
    cudaEventDestroy(done);
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(s[i]);
    cudaStreamDestroy(side);
    cudaFree(d);
    cudaFreeHost(h);
}
END

# order TRACE: a line for each operation: what it comes after, and whether by
# the stream (-), an event (e) or the default stream (d). Streams are numbered as
# they come, for each driver has numbers of its own.
order() {
    awk '{
            split("", value)
            for (i = 2; i <= NF; i++) {
                at = index($i, "=")
                value[substr($i, 1, at - 1)] = substr($i, at + 1)
            }
        }
        $1 == "x-wait" { kind[value["id"]] = value["event"] ? "e" : "d" }
        $1 == "op" {
            id = value["id"] + 0
            if (!(value["stream"] in stream))
                stream[value["stream"]] = ++streams
            what[id] = value["kind"] " in stream " stream[value["stream"]]
            after[id] = value["after"]; via[id] = value["via"]
            most = id > most ? id : most
        }
        END {
            for (id = 1; id <= most; id++) {
                line = id " " what[id] " after"
                n = split(after[id], a, ","); split(via[id], v, ",")
                for (k = most; k > 0; k--)
                    for (i = 1; i <= n; i++)
                        if (a[i] == k)
                            line = line " " k (v[i] + 0 ? kind[v[i]] : "-")
                print line
            }
        }' "$1"
}

trace() { # PROGRAM: traced in build/traces
    tools/trace-program build "$1" >"$tmp/out" 2>"$tmp/err"
}
build/bin/vgpucc -g "$tmp/order.cu" -o "$tmp/order_vgpu" &&
    nvcc -g "$tmp/order.cu" -o "$tmp/order_gpu" && trace "$tmp/order_vgpu" &&
    WITH=build/traces/order_vgpu.trace trace "$tmp/order_gpu"
ok 'a program of both compilers is traced, one below the other'
order build/traces/order_vgpu.trace >"$tmp/want"
order build/traces/order_gpu.trace >"$tmp/got"
[ "$(grep -c ' after .*e' "$tmp/want")" -ge 4 ] &&
    diff "$tmp/want" "$tmp/got" >"$tmp/out"
ok 'what comes after what, and why, is what the virtual GPU says'
[ "$(grep -c '^x-event .* at=.*order.cu:' build/traces/order_gpu.trace)" -eq 4 ] &&
    [ "$(grep -c '^x-wait .*event=' build/traces/order_gpu.trace)" -eq 6 ]
ok 'each record of an event and each wait, with its line'
TIMELINE_LINES=0 trace "$tmp/order_gpu"
order build/traces/order_gpu.trace | diff "$tmp/want" - >"$tmp/out"
ok 'the same without source lines'

# The first range begins before CUDA does, the last one never ends.
cat >"$tmp/named.cu" <<'END'
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
__global__ void twice(float *a) { a[threadIdx.x] *= 2; }
int main()
{
    nvtxRangePushA("whole");
    cudaStream_t in, out;
    cudaEvent_t copied;
    float *h, *d;
    cudaMallocHost(&h, 4096);
    cudaMalloc(&d, 4096);
    cudaStreamCreate(&in);
    cudaStreamCreate(&out);
    nvtxNameCudaStreamA(in, "for copies");
    nvtxNameCudaStreamA(out, "100% kernels");
    for (int i = 0; i < 3; i++) {
        cudaEventCreate(&copied);
        nvtxNameCudaEventA(copied, i ? "copied later" : "copied first");
        nvtxRangePushA("round");
        cudaMemcpyAsync(d, h, 1024, cudaMemcpyHostToDevice, in);
        cudaEventRecord(copied, in);
        cudaStreamWaitEvent(out, copied, 0);
        twice<<<1, 32, 0, out>>>(d);
        nvtxRangePop();
        cudaDeviceSynchronize();
        cudaEventDestroy(copied);
    }
    nvtxMarkA("half way");
    nvtxRangeId_t drain = nvtxRangeStartA("drain");
    cudaMemcpyAsync(h, d, 1024, cudaMemcpyDeviceToHost, out);
    cudaStreamSynchronize(out);
    nvtxRangeEnd(drain);
    cudaStreamDestroy(in);
    cudaStreamDestroy(out);
    cudaFree(d);
    cudaFreeHost(h);
    nvtxRangePop();
    nvtxRangePushA("never ends");
}
END

# names TRACE: a line for each name, with what it names and where.
names() {
    sed -n 's|at=[^ ]*/|at=|; /^x-range\|^x-stream\|^x-event/p' "$1" | awk '{
            split("", value)
            for (i = 2; i <= NF; i++) {
                at = index($i, "=")
                value[substr($i, 1, at - 1)] = substr($i, at + 1)
            }
            if ($1 == "x-stream")
                print $1, value["name"], value["device"]
            else
                print $1, value["name"], value["thread"], value["at"]
        }' | sort
}

# inside TRACE CALL RANGE: is each of these calls in one of these ranges?
inside() {
    awk -v call="name=$2" -v range="name=$3" '{
            split("", value)
            for (i = 2; i <= NF; i++) {
                at = index($i, "=")
                value[substr($i, 1, at - 1)] = substr($i, at + 1)
            }
            if ("name=" value["name"] == call && $1 == "call") {
                from[++calls] = value["start_ns"]; to[calls] = value["end_ns"]
            }
            if ("name=" value["name"] == range && $1 == "x-range") {
                begin[++ranges] = value["start_ns"]
                end[ranges] = value["end_ns"]
            }
        }
        END {
            for (i = 1; i <= calls; i++) {
                for (k = 1; k <= ranges; k++)
                    if (begin[k] <= from[i] && to[i] <= end[k])
                        break
                if (k > ranges) {
                    print call " at " from[i] " is in no " range
                    bad = 1
                }
            }
            exit bad || !calls || !ranges
        }' "$1"
}

gpu=build/traces/named_gpu.trace
build/bin/vgpucc -g "$tmp/named.cu" -o "$tmp/named_vgpu" &&
    nvcc -g "$tmp/named.cu" -o "$tmp/named_gpu" && trace "$tmp/named_vgpu" &&
    WITH=build/traces/named_vgpu.trace trace "$tmp/named_gpu"
ok 'a program that names its parts is traced'
names build/traces/named_vgpu.trace >"$tmp/want"
names "$gpu" >"$tmp/got"
[ "$(grep -c '^x-range' "$tmp/want")" -eq 6 ] &&
    [ "$(grep -c '^x-stream' "$tmp/want")" -eq 2 ] &&
    [ "$(grep -c '^x-event copied' "$tmp/want")" -eq 3 ] &&
    diff "$tmp/want" "$tmp/got" >"$tmp/out"
ok 'ranges, marks, streams and events have the names of the virtual GPU'
{
    inside "$gpu" cudaLaunchKernel round &&
        inside "$gpu" cudaStreamSynchronize drain &&
        inside "$gpu" cudaEventRecord whole &&
        inside "$gpu" cudaDeviceSynchronize whole
} >"$tmp/out"
ok 'ranges hold the calls that the program made in them'
grep -q '"for copies"' build/traces/named_gpu.html &&
    grep -q '"drain"' build/traces/named_gpu.html
ok 'the page has them'
TIMELINE_TRACE="$tmp/late.trace" CUDA_INJECTION64_PATH=$PWD/build/lib/librecorder.so \
    "$tmp/named_gpu" 2>"$tmp/out"
! grep -q '^x-range.* name=whole' "$tmp/late.trace" && grep -q '^end' "$tmp/late.trace"
ok 'without the path for NVTX a trace is whole, and says less'
echo "1..$count"
