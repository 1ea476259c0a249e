#!/bin/bash
# run.sh: traces are the same, byte for byte: in every run, with one core and
# with all, built by gcc and by clang, with the checker and without. TAP.
cd "$(dirname "$0")/../.." || exit 2
vgpucc=build/bin/vgpucc
[ -x "$vgpucc" ] || { echo "1..0 # SKIP no $vgpucc: make tools"; exit 0; }
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
n=0

# same NAME A B
same() {
    n=$((n + 1))
    if [ -s "$2" ] && cmp -s "$2" "$3"; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        diff "$2" "$3" 2>&1 | head -n 4 | cut -c1-150 | sed 's/^/# /'
    fi
}

sources='common/helper.cu common/cipher.cu'
for cxx in g++ clang++; do
    VGPU_CXX=$cxx $vgpucc -std=c++17 -O2 -Icommon tests/gpu/chunks.cu \
        $sources -o "$out/chunks.$cxx" || exit 1
    VGPU_TRACE=$out/chunks.$cxx.trace "$out/chunks.$cxx" small 1000 \
        >"$out/chunks.$cxx.txt"
done
same "chunks: gcc and clang, the trace" "$out"/chunks.{g++,clang++}.trace
same "chunks: gcc and clang, the times that it prints" \
    "$out"/chunks.{g++,clang++}.txt
VGPU_TRACE=$out/one.trace taskset -c 0 "$out/chunks.g++" small 1000 >/dev/null
same "chunks: with one core" "$out/chunks.g++.trace" "$out/one.trace"
VGPU_CHECK=1 VGPU_TRACE=$out/checked.trace "$out/chunks.g++" small 1000 >/dev/null
same "chunks: with the checker" "$out/chunks.g++.trace" "$out/checked.trace"

$vgpucc -std=c++17 -O2 -Icommon -Xcompiler -fopenmp \
    tests/determinism/threads.cu $sources -o "$out/threads" || exit 1
VGPU_TRACE=$out/threads.trace "$out/threads" || exit 1
for i in 1 2 3 4 5 6; do
    VGPU_TRACE=$out/again.trace "$out/threads"
    same "host threads: run $i" "$out/threads.trace" "$out/again.trace"
done
VGPU_TRACE=$out/again.trace taskset -c 0 "$out/threads"
same "host threads: with one core" "$out/threads.trace" "$out/again.trace"
${CC:-gcc} -shared -fPIC -O1 tests/determinism/slow.c -o "$out/slow.so" || exit 1
for i in 1 2 3; do
    VGPU_TRACE=$out/again.trace LD_PRELOAD=$out/slow.so "$out/threads"
    same "host threads: looked at slowly, run $i" \
        "$out/threads.trace" "$out/again.trace"
done

# Blocks on several cores, or every one of them watched.
for cxx in g++ clang++; do
    VGPU_CXX=$cxx $vgpucc -std=c++17 -O2 -Icommon \
        tests/determinism/blocks.cu $sources -o "$out/blocks.$cxx" || exit 1
done
VGPU_CORES=1 VGPU_TRACE=$out/blocks.trace "$out/blocks.g++" >"$out/blocks.txt"
for how in VGPU_CORES=2 VGPU_CORES=7 VGPU_CHECK=1 VGPU_CHECK=races \
    VGPU_CXX=clang++ VGPU_SEED=5; do
    program=$out/blocks.g++
    [ "$how" = VGPU_CXX=clang++ ] && program=$out/blocks.clang++
    env "$how" VGPU_TRACE="$out/again.trace" "$program" \
        >"$out/again.txt" 2>"$out/again.err"
    # Atomics are in the order of blocks, which a seed shuffles.
    [ "$how" = VGPU_SEED=5 ] && sed -i '/^count/d' "$out"/{blocks,again}.txt
    same "blocks: $how, results" "$out/blocks.txt" "$out/again.txt"
    same "blocks: $how, the trace" "$out/blocks.trace" "$out/again.trace"
done
echo "1..$n"
