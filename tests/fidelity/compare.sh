#!/bin/bash
# compare.sh FOLDER [PROFILE]: the virtual GPU, with the profile that was calibrated
# beside it, or PROFILE, against what was measured there (measure.sh). Needs no GPU. Writes
# compared.txt and compared.svg into the folder, and prints "ROWS MEDIAN WORST
# SWEEPS FAR STEADY STEADY_WORST": errors in percent, in how many sweeps the best
# is more than one step away, and of the rows that the machine itself repeats
# within 3 % how many there are and their worst error.
set -u
cd "$(dirname "$0")/../.." || exit 2
folder=${1:?usage: tests/fidelity/compare.sh FOLDER [PROFILE]}
dir=build/fidelity-vgpu
gpus=$(sed -n 's/^gpus //p' "$folder/machine.txt")
mkdir -p "$dir"
export VGPU_DEVICE=${2:-$folder/calibrated.profile} VGPU_COUNT=${gpus:-1}
[ "$VGPU_COUNT" -le 2 ] || VGPU_COUNT=2
vgpucc="build/bin/vgpucc"

$vgpucc -std=c++17 -O2 -Icommon -Ivgpu/calibrate tests/fidelity/shapes.cu \
    common/cipher.cu common/helper.cu -o "$dir/shapes" -lm || exit 1
VGPU_SAMPLE=4 "$dir/shapes" >"$dir/rows.txt" || exit 1
if [ -s "$folder/labs.txt" ]; then
    DIR=$dir TIMES=1 GPUS=$VGPU_COUNT tests/fidelity/labs.sh $vgpucc \
        >>"$dir/rows.txt"
fi
cat "$folder/shapes.txt" "$folder/labs.txt" >"$dir/measured.txt" 2>/dev/null
awk -f tests/fidelity/compare.awk -v svg="$folder/compared.svg" \
    -v summary="$dir/summary.txt" \
    -v title="$(sed -n 2p "$folder/machine.txt"), virtual and real" \
    "$dir/measured.txt" "$dir/rows.txt" >"$folder/compared.txt" || exit 1
cat "$dir/summary.txt"
