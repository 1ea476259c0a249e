#!/bin/bash
# run.sh: how true virtual time is, against times of real devices. `make
# test-fidelity`. Prints TAP and closes with its sum. Nothing is fitted here: where
# a figure is not reached, the test says by how much, and fails. What is known not
# to be reached, and why, is TODO: said each time, and counted neither way.
#
#   published   NVIDIA's table for one program on three devices, within 15 %
#   calibrated  the virtual GPU, calibrated as a real one is, gives back its own
#               profile: what is measured is what the figure means
#   measured    rows of docs/measured/fidelity-*: median error 3 %, worst 10 % of
#               those that the machine itself repeats within 3 %, the best of a
#               sweep within one step. TODO: worst 10 % of all. With the built-in
#               h200: median error 3 %
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# near WHAT PREDICTED MEASURED PERCENT [TODO]: is the error within so many percent?
# TODO: why it is known not to be.
near() {
    local status said
    awk -v is="$2" -v want="$3" -v most="$4" 'BEGIN {
        error = want > 0 && is != "" ? (is / want - 1) * 100 : 1e9
        printf "%s predicted, %s measured: %+.1f %%\n", is, want, error
        exit !(error <= most && error >= -most)
    }' >"$tmp/out"
    status=$? said=$(cat "$tmp/out")
    (exit $status)
    ok "$1: $said, within $4 %${5:+ # TODO $5}"
}

{
# "How to Overlap Data Transfers in CUDA C/C++", Mark Harris, NVIDIA, 2012.
build/bin/vgpucc -std=c++17 -O2 -Icommon tests/fidelity/published.cu \
    -o "$tmp/published" -lm >"$tmp/log" 2>&1
ok "the published program is built"
while read -r device name measured; do
    [ -f "$tmp/$device" ] || VGPU_DEVICE=$device "$tmp/published" \
        >"$tmp/$device" 2>"$tmp/err" || echo "$device: wrong results" >&2
    near "$device, $name" \
        "$(sed -n "s/^$name *//p" "$tmp/$device")" "$measured" 15
done <<'TABLE'
c1060 sequential 12.92381
c1060 depth-first 13.63690
c1060 breadth-first 8.84588
c2050 sequential 9.984512
c2050 depth-first 5.735584
c2050 breadth-first 7.597984
k20 sequential 7.101760
k20 depth-first 3.974144
k20 breadth-first 3.967616
TABLE

# profile NAME: where its profile is; "calibrated" is one that was measured.
profile() {
    case $1 in
    calibrated) echo docs/measured/fidelity-nvidia-h200-x1/calibrated.profile ;;
    *) echo "vgpu/profiles/$1.profile" ;;
    esac
}

# figure KEY FILE: its value there.
figure() {
    sed -n "s/^$1 = \([0-9_]*\).*/\1/p" "$2" | tr -d _
}

# Left out: what is a property, what the virtual host does in no time, what
# nothing asks for, and copy_kernel_ns, some of which hides behind other copies,
# so that a measured handoff_ns, which has it taken off, is not shown either. With
# devices behind it: what others do not show, or do not have.
build/bin/vgpucc -std=c++17 -O2 -Icommon -Ivgpu/calibrate \
    vgpu/calibrate/calibrate.cu -o "$tmp/calibrate" -lm >"$tmp/log" 2>&1
ok "the calibration is built"
for device in h200 k20 calibrated; do
    VGPU_DEVICE=$(profile $device) VGPU_COUNT=2 "$tmp/calibrate" "$tmp/$device.profile" \
        >"$tmp/log" 2>&1
    ok "a virtual $device is calibrated"
    while read -r key percent only; do
        case " ${only:-$device} " in *" $device "*) ;; *) continue ;; esac
        # What is 0 there is no figure: another one counts.
        [ "$(figure "$key" "$(profile $device)")" != 0 ] || continue
        near "$device, $key" "$(figure "$key" "$tmp/$device.profile")" \
            "$(figure "$key" "$(profile $device)")" "$percent"
    done <<'KEYS'
copy_queues 0
queue_depth 1
h2d_bytes_per_s 1
d2h_bytes_per_s 1
duplex_permille 2
kernel_reads_bytes_per_s 2 calibrated
kernel_writes_bytes_per_s 2 calibrated
beside_writes_permille 5 h200 calibrated
pageable_h2d_bytes_per_s 2
pageable_d2h_bytes_per_s 2
d2d_bytes_per_s 2
peer_bytes_per_s 5
peer_staged_bytes_per_s 3
host_duplex_bytes_per_s 5 h200
prepares_ahead 0 calibrated
h2d_queued_ns 5
d2h_queued_ns 5
h2d_idle_ns 15
d2h_idle_ns 15
h2d_inline_ns 5 calibrated
duplex_fixed_ns 10 h200 calibrated
duplex_fixed_permille 20 calibrated
handoff_ns 15 h200
d2h_handoff_ns 15 calibrated
sm_ops_per_us 10
thread_ops_per_us 5
sm_knee_permille 3
memory_bytes_per_s 5
l2_bytes_per_s 5 calibrated
blocks_per_us 5 calibrated
kernel_fixed_ns 15
host_launch_ns 2
host_copy_async_ns 2
host_inline_bytes 0 calibrated
host_inline_ns 15 calibrated
host_inline_bytes_per_s 10 calibrated
host_event_record_ns 2
host_event_mark_ns 5 calibrated
host_stream_wait_ns 5
host_stream_create_ns 2
host_query_ns 5
KEYS
    VGPU_DEVICE=$tmp/$device.profile "$tmp/published" >/dev/null 2>"$tmp/err"
    ok "$device, the profile that was written is one"
done

for folder in docs/measured/fidelity-*/; do
    [ -f "$folder/shapes.txt" ] || continue
    name=$(basename "$folder")
    cp -r "$folder" "$tmp/folder"
    tests/fidelity/compare.sh "$tmp/folder" >"$tmp/summary" 2>"$tmp/err"
    ok "$name: predicted"
    read -r rows median worst sweeps far steady steady_worst <"$tmp/summary"
    near "$name, $rows rows, median error, percent" \
        "$(awk "BEGIN { print 100 + ${median:-1e9} }")" 100 3
    near "$name, the $steady rows that the machine repeats, worst" \
        "$(awk "BEGIN { print 100 + ${steady_worst:-1e9} }")" 100 10
    near "$name, worst of all" \
        "$(awk "BEGIN { print 100 + ${worst:-1e9} }")" 100 10 \
        "breadth first in 64 and more streams, docs/virtual-gpu.md"
    [ "${far:-1}" = 0 ]
    ok "$name: in $sweeps sweeps the best is within a step"
    # The profile that programs run on, whose host is the middle one of five.
    tests/fidelity/compare.sh "$tmp/folder" h200 >"$tmp/summary" 2>"$tmp/err"
    read -r rows median _ <"$tmp/summary"
    near "$name, $rows rows as h200, median error, percent" \
        "$(awk "BEGIN { print 100 + ${median:-1e9} }")" 100 3
    rm -rf "$tmp/folder"
done
echo "1..$count"
} | tee "$tmp/tap"
tap_sum "$tmp/tap"
