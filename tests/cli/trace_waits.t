#!/bin/sh
# trace_waits.t: what a trace tells of names, events, waits and ranges
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_CHECK VGPU_TRACE VGPU_DEVICE VGPU_COUNT
if [ ! -x build/bin/vgpucc ]; then
    echo "1..0 # SKIP build/bin/vgpucc is not built"
    exit 0
fi

cat >"$tmp/waits.cu" <<'END'
#include <cuda_runtime.h>
#include <nvToolsExt.h>
#include <nvToolsExtCudaRt.h>
__global__ void twice(float *a) { a[threadIdx.x] *= 2; }
struct pipe {
    cudaStream_t out[2];
    cudaEvent_t copied[2];
};
int main()
{
    struct pipe pipe, *p = &pipe;
    cudaStream_t in, named;
    float *h, *d;

    cudaMallocHost(&h, 8192);
    cudaMalloc(&d, 8192);
    cudaStreamCreate(&in);
    cudaStreamCreateWithFlags(&named, cudaStreamNonBlocking);
    nvtxNameCudaStreamA(named, "on the side");
    for (int i = 0; i < 2; i++) {
        cudaStreamCreate(&p->out[1 - i]);
        cudaEventCreate(&p->copied[i]);
    }
    nvtxRangePushA("loop");
    for (int i = 0; i < 2; i++) {
        cudaMemcpyAsync(d + 256 * i, h + 256 * i, 1024, cudaMemcpyDefault, in);
        cudaEventRecord(p->copied[i], in);
        cudaStreamWaitEvent(p->out[i], p->copied[i], 0);
        twice<<<1, 256, 0, p->out[i]>>>(d + 256 * i);
    }
    nvtxRangePop();
    twice<<<1, 256>>>(d);
    twice<<<1, 256, 0, named>>>(d + 1024);
    cudaEventRecord(p->copied[0], in);
    return cudaDeviceSynchronize();
}
END
trace=$tmp/waits.trace
build/bin/vgpucc -O1 -g "$tmp/waits.cu" -o "$tmp/waits" 2>"$tmp/err" &&
    VGPU_TRACE=$trace "$tmp/waits" >>"$tmp/err" 2>&1
ok 'a program with events and ranges runs' "$tmp/err"

# field KIND WHERE KEY: the values of a key in records of a kind that have words
field() {
    awk -v kind="$1" -v where="$2" -v key="$3" '
        $1 == kind && index($0 " ", where) {
            for (i = 2; i <= NF; i++)
                if (index($i, key "=") == 1)
                    printf "%s ", substr($i, length(key) + 2)
        }' "$trace"
}
[ "$(field x-stream '' name)" = \
    'in on%20the%20side p->out[1] p->out[0] ' ]
ok 'streams have the names of their variables, or of NVTX' "$trace"

[ "$(field x-event '' name)" = 'p->copied[0] p->copied[1] p->copied[0] ' ] &&
    [ "$(field x-event '' at)" = 'waits.cu:27 waits.cu:27 waits.cu:34 ' ] &&
    [ "$(field x-wait 'event=' event)" = '1 2 ' ]
ok 'each record of an event, and each wait for one' "$trace"

# op NAME N: the id of the Nth operation with this name
op() { field op " name=$1 " id | cut -d' ' -f"$2"; }
copy='copy%20host%20to%20device'
[ "$(field op " id=$(op twice 1) " after)" = "$(op $copy 1) " ] &&
    [ "$(field op " id=$(op twice 1) " via)" = \
        "$(field x-wait ' event=1 ' id)" ]
ok 'a kernel comes after the copy by the wait for its event' "$trace"

barrier=$(awk '$1 == "x-wait" && !/event=/ { print substr($2, 4) }' "$trace")
third=$(op twice 3)
[ "$(field op " id=$third " via | tr ', ' '\n\n' | sort -u | xargs)" = \
    "$barrier" ] && [ -n "$barrier" ] &&
    [ "$(field op " id=$(op twice 4) " after)" = '' ]
ok 'the default stream comes after all but non-blocking ones' "$trace"

[ "$(field x-range '' name)" = 'loop ' ]
ok 'a range has its name' "$trace"

cat >"$tmp/inside.cu" <<'END'
#include <cuda_runtime.h>
#include <nvToolsExt.h>
#include <nvToolsExtCudaRt.h>
static cudaStream_t stream;
static void inside(void *)
{
    nvtxNameCudaStreamA(stream, "named inside");
    nvtxRangeEnd(nvtxRangeStartA("inside"));
}
int main()
{
    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, inside, NULL);
    return cudaDeviceSynchronize();
}
END
build/bin/vgpucc "$tmp/inside.cu" -o "$tmp/inside" 2>"$tmp/err" &&
    VGPU_TRACE=$tmp/inside.trace timeout 60 "$tmp/inside" >>"$tmp/err" 2>&1 &&
    grep -q '^x-stream .* name=named%20inside' "$tmp/inside.trace"
ok 'names and ranges in a host function: no deadlock' "$tmp/err"

build/bin/timeline "$trace" >"$tmp/err" 2>&1
ok 'timeline reads it' "$tmp/err"
echo "1..$count"
