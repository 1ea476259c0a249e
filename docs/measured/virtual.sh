#!/bin/sh
# virtual.sh: what labs and decks quote of runs on the virtual GPU, in one file
#
#     docs/measured/virtual.sh >docs/measured/labs-vgpu.txt
#
# Times on the virtual GPU are the same in each run and on each machine: the
# file changes where a lab, its solution or the virtual GPU has changed.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset VGPU_DEVICE VGPU_COUNT VGPU_CHECK VGPU_TRACE NO_COLOR

# run NUMBER WORDS... [VARIABLE=VALUE]: one lab as a person sees it, and its time
run() {
    number=$1
    shift
    echo
    echo "== lab $*"
    case $2 in
    solution) file=--solution ;;
    *) file="--file $(tools/submission "$2")" ;;
    esac
    rm -f build/traces/"$number"_*.trace
    # shellcheck disable=SC2086 # words of their own
    env ${3:+"$3"} build/bin/grade --backend vgpu $file --run "$number"
    set -- build/traces/"$number"_baseline.trace \
        build/traces/"$number"_s[ot]*.trace
    [ ! -f "$2" ] || build/bin/timeline --text --title baseline \
        --title 'this file' "$1" "$2" | grep -E '^(baseline|this file)'
}

echo "# Labs on the virtual GPU"
echo "commit  $(git rev-parse --short HEAD 2>/dev/null)"
echo "command docs/measured/virtual.sh"
for number in 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18; do
    run $number $number solution
done
# Lab 09's program from too little data to enough.
echo
echo "== lab 09 sizes VGPU_DEVICE=k20"
mkdir -p build/tests
build/bin/vgpucc -std=c++17 -O2 -Dmain=lab_main -Ilabs/09_cipher_overlap \
    -Icommon tests/gpu/sizes.cu solutions/09_cipher_overlap/lab.cu \
    common/cipher.cu common/helper.cu -o build/tests/sizes &&
    VGPU_DEVICE=k20 build/tests/sizes 16 1
corpus=tests/corpus
run 07 07 $corpus/07_chunked_overlap/wrong/kernel_default_stream.diff
run 09 09 $corpus/09_cipher_overlap/wrong/timer_before_wait.diff
run 11 11 solution VGPU_DEVICE=h200
run 11 11 $corpus/11_multi_gpu/wrong/gather_blocks.diff
run 12 12 $corpus/12_mgpu_streams/wrong/kernel_default_stream.diff
run 12 12 $corpus/12_mgpu_streams/right/breadth_first.diff
run 13 13 $corpus/13_cipher_mgpu/right/gpus_outer.diff
run 13 13 $corpus/13_cipher_mgpu/wrong/kernel_default_stream.diff
run 13 13 $corpus/13_cipher_mgpu/wrong/one_piece_per_gpu.diff
run 14 14 $corpus/14_peer_to_peer/wrong/chain.diff
run 15 15 $corpus/15_bounded_pipeline/right/taken_frees_both.diff
run 15 15 $corpus/15_bounded_pipeline/right/role_streams.diff
run 15 15 $corpus/15_bounded_pipeline/right/role_streams.diff VGPU_DEVICE=h200
run 15 15 solution VGPU_DEVICE=h200
run 15 15 $corpus/15_bounded_pipeline/wrong/device_sync_each_round.diff
run 15 15 $corpus/15_bounded_pipeline/wrong/ring_of_one.diff
run 15 15 solution VGPU_DEVICE=c1060
run 17 17 $corpus/17_stream_ordered_memory/wrong/freed_in_the_last_stream.diff
