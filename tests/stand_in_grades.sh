#!/bin/bash
# stand_in_grades.sh [NN...]: every solution and skeleton (those of these labs)
# graded with BACKEND=cuda where vgpucc stands in for nvcc and a GPU. What is
# timed may fail there or take too long; but each rule meets a case as it is on a
# GPU, timed without a trace, and a grade must come out of it: all points where
# nothing takes too long. Then submissions on two such GPUs, while the checker
# looks on four: their mistakes are named as on virtual ones. What a driver does on
# real GPUs alone (DRIVER_REAL_GPU) is not there. Prints TAP, and `N passed, N
# failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
. tests/stand_in_gpu.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

stand_in_gpu "$tmp/one" && stand_in_gpu "$tmp/two" 2 || exit 1
on_two='09_cipher_overlap/wrong/num_streams_not_noted
09_cipher_overlap/wrong/streams_destroyed_twice
11_multi_gpu/wrong/global_offset_in_kernel
11_multi_gpu/wrong/kernel_gets_all_entries
11_multi_gpu/wrong/works_on_all_there_are
11_multi_gpu/wrong/wrong_rounds
12_mgpu_streams/wrong/streams_of_gpu_0
16_graphs/wrong/unchecked_wait_in_capture
17_stream_ordered_memory/wrong/free_when_the_host_knows
18_reading_a_profile/wrong/returns_early_in_a_range'
[ $# -gt 0 ] || set -- $(ls solutions | sed -n 's/^\([0-9][0-9]\)_.*/\1/p')
mkdir "$tmp/grades"
for lab; do
    echo "solution $lab --solution"
    echo "skeleton $lab"
done >"$tmp/list"
on_stand_in "$tmp/one" 9 xargs -P "$(nproc)" -L 1 sh -c '
    grade=$0/$1_$2
    build/bin/grade --backend cuda $3 "$2" >"$grade" 2>&1 </dev/null
    echo "status $?" >>"$grade"' "$tmp/grades" <"$tmp/list"

# What failed for another reason than that it took too long, or that a thread of
# the virtual GPU, which is within the program here, looks like the program's.
failed_otherwise() {
    awk '/^  NO / { getline why
        if (why !~ /did not finish within|in the driver.s place/) bad = 1 }
        END { exit !bad }' "$1"
}

{
    while read -r which lab _; do
        grade=$tmp/grades/${which}_$lab
        points=$(sed -n 's/^  .*passed: \([0-9]* of 100 points\).*/\1/p' "$grade")
        cp "$grade" "$tmp/out"
        grep -q '^status [01]$' "$grade" && [ -n "$points" ] &&
            ! { [ "$which" = solution ] && failed_otherwise "$grade"; }
        ok "lab $lab, $which: ${points:-no grade}"
    done <"$tmp/list"
    for file in $on_two; do
        case " $* " in *" ${file%%_*} "*) ;; *) continue ;; esac
        on_stand_in "$tmp/two" 9 tests/corpus/run.sh --backend cuda \
            "tests/corpus/$file.diff" >"$tmp/out"
        ok "on two GPUs: $file"
    done
    echo "1..$count"
} | tee "$tmp/tap"
tap_sum "$tmp/tap"
