#!/bin/bash
# quiz_units.t: quiz answers that are times come from the device `unit`
set -u
cd "$(dirname "$0")/../.." || exit 1
unset NO_COLOR MAKEFLAGS MAKELEVEL MFLAGS VGPU_CHECK VGPU_COUNT VGPU_TRACE
trace=build/traces/11_student.trace
gather=$(tools/submission tests/corpus/11_multi_gpu/wrong/gather_blocks.diff)
turns=$(tools/submission tests/corpus/11_multi_gpu/wrong/sync_in_loop.diff)

count=0
# units N FILE WHAT: lab 11's large case takes so many units with this file.
units() {
    local took
    count=$((count + 1))
    VGPU_DEVICE=unit build/bin/grade --backend vgpu --file "$2" --run 11 \
        >/dev/null 2>&1
    took=$(awk '/^mark what=start/ { split($3, from, "=") }
        /^mark what=stop/ { split($3, to, "=") }
        END { print (to[2] - from[2]) / 1000 }' "$trace")
    [ "$took" = "$1" ] || printf 'not '
    echo "ok $count - lab 11, $3: $took units"
}
units 3 solutions/11_multi_gpu/lab.cu 'all GPUs together'
units 6 "$gather" 'a gather that takes turns'
units 12 "$turns" 'all take turns'
rm -f "$trace"

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
build/bin/vgpucc -O1 -std=c++17 -Icommon -DNUM_CHUNKS=12 slides/predict/15.cu \
    common/helper.cu -o "$tmp/ring" || exit 1
# ring N SLOTS: 12 chunks take so many units through so many slots.
ring() {
    local said
    count=$((count + 1))
    said=$(VGPU_DEVICE=unit "$tmp/ring" "$2")
    [ "$said" = "$2 slots: $1 units" ] || printf 'not '
    echo "ok $count - lab 15, a ring of $said"
}
ring 36 1
ring 19 2
ring 14 3
ring 14 4

build/bin/vgpucc -O1 -std=c++17 -Icommon tests/cli/parts/lab12_units.cu \
    common/helper.cu -o "$tmp/lab12" || exit 1
# right LAB QUESTION: the answer that the quiz marks as right.
right() {
    awk -v heading="## Q$2" '/^## / { here = $0 == heading }
        here && sub(/^- \[x\] /, "")' labs/"$1"_*/quiz.md
}
# gpus N GPUS WAIT WHAT: eight chunks on so many GPUs take so many units.
gpus() {
    local took
    count=$((count + 1))
    took=$(VGPU_DEVICE=unit VGPU_COUNT=$2 "$tmp/lab12" "$2" "$3")
    [ "$took" = "$1" ] || printf 'not '
    echo "ok $count - lab 12, $4: $took units"
}
gpus 10 1 behind 'one GPU'
gpus "$(right 12 5)" 2 inside 'two GPUs, a wait for each in the loop'
gpus 6 2 behind 'two GPUs, the wait behind the loop'
echo "1..$count"
