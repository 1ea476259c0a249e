#!/bin/bash
# measure.sh FOLDER: what virtual time is held against, measured on this
# machine's GPU: about three minutes, a minute of it for the compiler. Builds
# what build/fidelity does not have; BUILD_ONLY=1 does no more than that.
#
#   calibrated.profile   what `make calibrate` writes, for VGPU_DEVICE
#   calibrate.txt        the figures that it rests on
#   shapes.txt           a grid of programs, shapes.cu, again and again: what
#                        differs then is the machine
#   calls.txt            what the host needs for calls, between these: what a
#                        shared host needs changes by the minute, and the
#                        profile has the least, as the programs' times are the
#                        least
#   labs.txt             the labs' solutions, labs.sh
#   published.txt        NVIDIA's program, published.cu
#   machine.txt          which GPU, driver, toolkit, host
#
# Comparing needs no GPU: compare.sh.
set -u
cd "$(dirname "$0")/../.." || exit 2
out=${1:?usage: tests/fidelity/measure.sh FOLDER}
dir=build/fidelity
arch=${ARCH:--arch=sm_90}
mkdir -p "$dir" "$out"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
nvcc="$nvcc $arch"
include="-std=c++17 -O2 -Icommon -Ivgpu/calibrate"

# need NAME SOURCE...: build a program that is not there.
need() {
    local name=$1
    shift
    [ -x "$dir/$name" ] || $nvcc $include "$@" -o "$dir/$name" || exit 1
}

need calibrate vgpu/calibrate/calibrate.cu
need shapes tests/fidelity/shapes.cu common/cipher.cu common/helper.cu
need published tests/fidelity/published.cu
[ -x "$dir/lab_15" ] || DIR=$dir BUILD_ONLY=1 JOBS=${JOBS:-$(nproc)} \
    tests/fidelity/labs.sh "$nvcc"
[ -z "${BUILD_ONLY:-}" ] || exit 0

{
    nvidia-smi --query-gpu=name,driver_version,pcie.link.gen.max,clocks.max.sm \
        --format=csv
    echo "gpus $(nvidia-smi -L | wc -l)"
    echo "toolkit $($nvcc --version 2>/dev/null | sed -n 's/.*release //p')"
    sed -n 's/^model name.*: /host /p' /proc/cpuinfo | head -n 1
    echo "date $(date -u +%Y-%m-%d)"
} >"$out/machine.txt" 2>&1
rm -f "$out/calls.txt"
"$dir/calibrate" "$out/calibrated.profile" >"$out/calibrate.txt" 2>&1
grep "^chunk\|^host_launch_ns" "$out/calibrate.txt" >>"$out/calls.txt"
echo "calibrated: status $?, $SECONDS s"
"$dir/published" >"$out/published.txt" 2>&1
"$dir/published" >>"$out/published.txt" 2>&1
for ((pass = 0; pass < ${PASSES:-10}; pass++)); do
    "$dir/shapes" 60 || echo "pass $pass: status $?" >&2
    "$dir/calibrate" --calls >>"$out/calls.txt"
done >"$out/shapes.txt" 2>"$out/shapes.err"
# A copy takes half of what a chunk takes more than its launch.
awk 'NR == FNR { if (!($1 in least) || $2 < least[$1]) least[$1] = $2; next }
    FNR == 1 {
        rest = least["chunk"] - least["host_launch_ns"]
        least["host_copy_async_ns"] = rest / 2
    }
    $1 in least && least[$1] < $3 {
        line = sprintf("%s = %d", $1, least[$1])
        $0 = sprintf("%-43s # measured, the least of several times", line)
    }
    { print }' "$out/calls.txt" "$out/calibrated.profile" >"$dir/profile" &&
    mv "$dir/profile" "$out/calibrated.profile"
echo "shapes: $(wc -l <"$out/shapes.txt") rows, $SECONDS s"
GPUS=$(nvidia-smi -L 2>/dev/null | wc -l) DIR=$dir SECONDS_MOST=45 TIMES=7 \
    tests/fidelity/labs.sh - >"$out/labs.txt" 2>"$out/labs.err"
echo "labs: $(wc -l <"$out/labs.txt") rows, $SECONDS s"
cat "$out"/*.err >"$out/errors.txt"
rm -f "$out"/*.err
