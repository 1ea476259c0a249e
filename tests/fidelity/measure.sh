#!/bin/bash
# measure.sh FOLDER: what virtual time is held against, measured on this
# machine's GPU: about three minutes, a minute of it for the compiler. Builds
# what build/fidelity does not have; BUILD_ONLY=1 does no more than that.
#
#   shapes.txt           a grid of programs, shapes.cu, again and again, each
#                        time in another order: what differs then is the machine
#   calibrated.profile   what `make calibrate` writes, for VGPU_DEVICE, told from
#                        one before and after each of these: calibrations.awk
#   calibrate.txt        what the last one rests on
#   calls.txt            what the host needs, from all of them
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
rm -rf "$out/calls.txt" "$dir/profiles"
mkdir -p "$dir/profiles"

# calibrate PASS: once more; its figures are put together afterwards.
calibrate() {
    "$dir/calibrate" "$dir/profiles/$1" >"$out/calibrate.txt" 2>&1 ||
        echo "calibration $1: status $?" >&2
    grep "^chunk\|^host_" "$out/calibrate.txt" >>"$out/calls.txt"
}

# labs: more rows. Once before all else and once after it.
labs() {
    GPUS=$(nvidia-smi -L 2>/dev/null | wc -l) DIR=$dir SECONDS_MOST=$1 TIMES=5 \
        tests/fidelity/labs.sh - >>"$out/labs.txt" 2>>"$out/labs.err"
    echo "labs: $(wc -l <"$out/labs.txt") rows, $SECONDS s"
}

calibrate 0
echo "calibrated: $SECONDS s"
rm -f "$out/labs.txt"
labs 40
"$dir/published" >"$out/published.txt" 2>&1
"$dir/published" >>"$out/published.txt" 2>&1
for ((pass = 1; pass <= ${PASSES:-10}; pass++)); do
    "$dir/shapes" 60 $(((pass - 1) % 5)) || echo "pass $pass: status $?" >&2
    calibrate "$pass"
done >"$out/shapes.txt" 2>"$out/shapes.err"
# As a program would run that has nothing else to do: in so many streams some
# take longer after others.
for mib in 1 4 16 64 256; do
    for streams in 32 64 128; do
        "$dir/shapes" 60 $streams $mib
    done
done >>"$out/shapes.txt" 2>>"$out/shapes.err"
awk -f tests/fidelity/calibrations.awk "$out/calls.txt" "$dir"/profiles/* \
    last=1 "$dir/profiles/0" >"$out/calibrated.profile"
echo "shapes: $(wc -l <"$out/shapes.txt") rows, $SECONDS s"
labs 60
cat "$out"/*.err >"$out/errors.txt"
rm -f "$out"/*.err
