#!/bin/bash
# split.t: kernels with barriers that are done in loops over a block's threads, and
# not by threads that wait: they leave the same, in the same virtual time.
set -u
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export VGPUCC_STRICT=1 VGPUCC=$build/bin/vgpucc

# Which ones: all of good/split.cu but those whose order would show.
"$VGPUCC" --show-rewritten tests/frontend/good/split.cu >"$tmp/text" 2>"$tmp/err"
grep '::vgpu_split<' "$tmp/text" | sed -n 's/.*vgpu_self = {"\([a-z_]*\).*/\1/p' |
    tr '\n' ' ' >"$tmp/out"
[ "$(cat "$tmp/out")" = 'reduce keep turns turns_to within too_early ' ]
ok 'kernels are split where all threads go the same way'

# What is watched has a stack for each thread.
for cxx in g++ clang++; do
    command -v $cxx >"$tmp/log" || continue
    export VGPU_CXX=$cxx
    "$VGPUCC" -O2 tests/frontend/good/split.cu -o "$tmp/split" >"$tmp/log" 2>&1 &&
        "$tmp/split" >"$tmp/out" && VGPU_CHECK=1 "$tmp/split" 2>"$tmp/err" |
        cmp - "$tmp/out" >>"$tmp/log"
    ok "bits and times are those of threads that wait ($cxx)"
done
unset VGPU_CXX
cc -std=c11 -O1 tests/fuzz/kernels.c -o "$tmp/kernels" 2>"$tmp/err" &&
    "$tmp/kernels" --programs "${PROGRAMS:-4}" --first "${FIRST:-1}" >"$tmp/out"
ok 'so are those of random kernels'

# A block that fails is told as one that was watched from the first.
for fault in 0 1 2; do
    "$VGPUCC" -O2 -DFAULT=$fault tests/frontend/failed_split.cu -o "$tmp/failed" \
        >"$tmp/log" 2>&1
    "$tmp/failed"
    VGPU_CHECK=1 "$tmp/failed"
done >"$tmp/out" 2>&1
printf 'cudaError%s\n' IllegalAddress IllegalAddress Assert Assert LaunchFailure \
    LaunchFailure | diff - <(grep ^cuda "$tmp/out") >"$tmp/log" &&
    [ "$(grep -c 'block (300,0,0), thread (17,0,0)' "$tmp/out")" = 3 ]
ok 'a block that fails says so, and where'
echo "1..$count"
