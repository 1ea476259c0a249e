#!/bin/bash
# sanitizer.sh [LAB...]: every solution under NVIDIA's compute-sanitizer, on a
# real GPU. The graders' whole traffic runs through it: all cases.
# Prints TAP. What a time or a speed is does not matter here, so labs run side
# by side, but for lab 15, which takes all of the device's memory.
set -u
cd "$(dirname "$0")/../.." || exit 2
tools='memcheck initcheck racecheck synccheck'
sanitizer=$(command -v compute-sanitizer ||
    echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
if [ ! -x "$sanitizer" ] || ! nvidia-smi -L >/dev/null 2>&1; then
    echo "1..0 # SKIP no compute-sanitizer, or no GPU"
    exit 0
fi
logs=$PWD/build/sanitizer
mkdir -p "$logs"
[ $# -gt 0 ] || set -- $(ls labs | sed -n 's/^\([0-9][0-9]\)_.*/\1/p')

# check LAB: all tools, one after another; the result in $logs/LAB.tap.
check() {
    local lab=$1 tool options real errors
    for tool in $tools; do
        rm -f "$logs/$lab.$tool".*
        options="--tool $tool --log-file $logs/$lab.$tool.%p"
        # An error that a call returns is the grader's to judge: lab 14 means
        # to get one.
        [ $tool != memcheck ] ||
            options="$options --leak-check full --report-api-errors no"
        build/bin/grade --backend cuda --solution --timeout 300 \
            --under "$sanitizer $options" "$lab" >"$logs/$lab.$tool.said" 2>&1
        # A program that runs on the virtual GPU has nothing to look at.
        real=$(grep -lE 'SUMMARY' "$logs/$lab.$tool".[0-9]* 2>/dev/null | wc -l)
        errors=$(cat "$logs/$lab.$tool".[0-9]* 2>/dev/null |
            grep -E 'SUMMARY' | grep -cv 'SUMMARY: 0 ')
        if [ "$real" -eq 0 ] &&
            grep -q 'this machine has too few' "$logs/$lab.$tool.said"; then
            echo "ok - $lab: $tool # SKIP its programs need more GPUs"
            continue
        fi
        [ "$real" -gt 0 ] && [ "$errors" -eq 0 ] || printf 'not '
        echo "ok - $lab: $tool: $real programs, $errors with errors"
        [ "$errors" -eq 0 ] ||
            grep -hE '=========' "$logs/$lab.$tool".[0-9]* | head -n 12 |
            sed 's/^/# /'
    done >"$logs/$lab.tap"
}

for lab; do
    [ "$lab" = 15 ] || check "$lab" &
done
wait
for lab; do
    [ "$lab" != 15 ] || check 15
done
count=$(($# * $(echo $tools | wc -w)))
for lab; do
    cat "$logs/$lab.tap"
done
echo "1..$count"
! grep -q '^not ok' $(printf "$logs/%s.tap " "$@")
