#!/bin/bash
# class.sh: how many gradings a second this machine does, with one core and with
# all, what its cores give that share nothing, and what a call costs that finds
# nothing to do
#
#     docs/measured/class.sh [N] >docs/measured/class.txt
#
# N submissions (138) of lab 08: all of its corpus, three times. Nothing else should
# run. One at a time may use all cores for parts of a grading; "one core" may not.
set -u
cd "$(dirname "$0")/../.." || exit 1
make -s tools || exit 1
n=${1:-138} cores=$(nproc)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/in"
unset MAKEFLAGS LIMIT FORCE
mapfile -t files < <(tools/submission \
    tests/corpus/08_uneven_chunks/{right,wrong}/*.{diff,cu})
for ((i = 0; i < n; i++)); do
    { cat "${files[i % ${#files[@]}]}" && echo "// $i"; } >"$tmp/in/$i.cu"
done
echo "# How many gradings a second"
echo "commit  $(git rev-parse --short HEAD 2>/dev/null)"
echo "date    $(date +%F)"
echo "machine $cores cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
    head -n 1)"
echo "command docs/measured/class.sh $n"
echo
# call NAME: what one call took, in ms.
call() {
    local began
    began=$(date +%s%N)
    OUT=$tmp/$1 taskset -c "${bound:-0-$((cores - 1))}" tools/grade-class \
        build vgpu 08 "$tmp/in" >"$tmp/said" || exit 1
    took=$((($(date +%s%N) - began) / 1000000))
    awk -v n="$n" -v ms="$took" -v what="$1" -v load="$(cut -d ' ' -f 1 \
        /proc/loadavg)" 'BEGIN {
        printf "%-14s %d gradings in %.1f s, %.2f a second (load %s)\n", what,
            n, ms / 1e3, n * 1e3 / ms, load }'
}

# own NAME COMMAND...: ten times on one core, and ten times on each at once. As no
# two of them share anything but the machine, a class cannot do better.
own() {
    local name=$1 began core took=()
    shift
    for upto in 0 $((cores - 1)); do
        began=$(date +%s%N)
        for ((core = 0; core <= upto; core++)); do
            for _ in 1 2 3 4 5 6 7 8 9 10; do
                taskset -c $core "$@" || exit 1
            done >/dev/null &
        done
        wait
        took+=($((($(date +%s%N) - began) / 1000000)))
    done
    awk -v name="$name" -v one="${took[0]}" -v all="${took[1]}" -v n="$cores" \
        'BEGIN { printf "all/one        %.2f  %s\n", n * one / all, name }'
}
own 'a loop, on each core its own' awk 'BEGIN { while (i < 5000000) i++ }'
own 'compiling, on each core its own' sh -c "exec build/bin/vgpucc -O2 \
    -std=c++17 -Icommon -Ilabs/08_uneven_chunks -c '${files[0]}' -o '$tmp/'\$\$.o"
JOBS=1 call 'one at a time'
JOBS=1 bound=0 call 'one core'
one=$took
JOBS=$cores call all
awk -v a="$one" -v b="$took" 'BEGIN { printf "all/one        %.2f  a class\n", a / b }'
cmp <(cut -d , -f 1-8,12- "$tmp/one core/grades.csv") \
    <(cut -d , -f 1-8,12- "$tmp/all/grades.csv") && echo "the grades are the same"
JOBS=$cores call all | sed 's/^all .* in \(.*\), .*/again          nothing to do: \1/'
