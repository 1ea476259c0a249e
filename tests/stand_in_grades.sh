#!/bin/bash
# stand_in_grades.sh [NN...]: every solution and skeleton (those of these labs)
# graded with BACKEND=cuda where vgpucc stands in for nvcc and a GPU. What is
# timed fails there or takes too long, so points mean nothing; but each rule
# meets a case as it is on a GPU, timed without a trace, and a grade must come
# out of it. Prints TAP, and `N passed, N failed`.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
. tests/stand_in_gpu.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

stand_in_gpu "$tmp" || exit 1
[ $# -gt 0 ] || set -- $(ls solutions | sed -n 's/^\([0-9][0-9]\)_.*/\1/p')
mkdir "$tmp/grades"
for lab; do
    echo "solution $lab --solution"
    echo "skeleton $lab"
done >"$tmp/list"
on_stand_in "$tmp" 9 xargs -P "$(nproc)" -L 1 sh -c '
    grade=$0/$1_$2
    build/bin/grade --backend cuda $3 "$2" >"$grade" 2>&1 </dev/null
    echo "status $?" >>"$grade"' "$tmp/grades" <"$tmp/list"

{
    while read -r which lab _; do
        grade=$tmp/grades/${which}_$lab
        points=$(sed -n 's/^  .*passed: \([0-9]* of 100 points\).*/\1/p' "$grade")
        cp "$grade" "$tmp/out"
        grep -q '^status [01]$' "$grade" && [ -n "$points" ]
        ok "lab $lab, $which: ${points:-no grade}"
    done <"$tmp/list"
    echo "1..$count"
} | tee "$tmp/tap"
tap_sum "$tmp/tap"
