#!/bin/bash
# host_function_exit.t: a program that ends in a host function ends
set -u
cd "$(dirname "$0")/../.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/ends.cu" <<'END'
#include "check.h"

static void CUDART_CB ends(void *stream)
{
    CHECK(cudaStreamSynchronize(*(cudaStream_t *)stream));
}

int main(void)
{
    cudaStream_t stream;

    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaLaunchHostFunc(stream, ends, &stream));
    CHECK(cudaStreamSynchronize(stream));
    return 0;
}
END
build/bin/vgpucc -Icommon "$tmp/ends.cu" -o "$tmp/ends" || exit 1
echo 1..2
for check in 0 1; do
    VGPU_CHECK=$check timeout 10 "$tmp/ends" >"$tmp/out" 2>&1
    status=$?
    { [ $status -eq 1 ] && grep -q cudaErrorNotPermitted "$tmp/out"; } ||
        printf 'not '
    echo "ok $((check + 1)) - CHECK in a host function ends the program," \
        "VGPU_CHECK=$check"
    sed 's/^/# /' "$tmp/out"
done
