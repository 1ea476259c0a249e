#!/bin/bash
# sanitizer.sh [LAB...]: every solution under NVIDIA's compute-sanitizer, on a
# real GPU. The graders' whole traffic runs through it: all shapes, all cases.
# Prints TAP. What a time or a speed is does not matter here.
set -u
cd "$(dirname "$0")/../.." || exit 2
sanitizer=$(command -v compute-sanitizer ||
    echo "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer")
if [ ! -x "$sanitizer" ] || ! nvidia-smi -L >/dev/null 2>&1; then
    echo "1..0 # SKIP no compute-sanitizer, or no GPU"
    exit 0
fi
logs=$PWD/build/sanitizer
mkdir -p "$logs"
[ $# -gt 0 ] || set -- $(ls labs | sed -n 's/^\([0-9][0-9]\)_.*/\1/p')

count=0 bad=0
for lab; do
    for tool in memcheck racecheck synccheck; do
        count=$((count + 1))
        rm -f "$logs/$lab.$tool".*
        options="--tool $tool --log-file $logs/$lab.$tool.%p"
        [ $tool != memcheck ] || options="$options --leak-check full"
        build/bin/grade --backend cuda --solution --timeout 300 \
            --under "$sanitizer $options" "$lab" >"$logs/$lab.$tool.said" 2>&1
        # A program that runs on the virtual GPU has nothing to look at.
        real=$(grep -lE 'SUMMARY' "$logs/$lab.$tool".[0-9]* 2>/dev/null | wc -l)
        errors=$(cat "$logs/$lab.$tool".[0-9]* 2>/dev/null |
            grep -E 'SUMMARY' | grep -cv 'SUMMARY: 0 ')
        [ "$real" -gt 0 ] && [ "$errors" -eq 0 ] || {
            bad=$((bad + 1))
            printf 'not '
        }
        echo "ok $count - $lab: $tool: $real programs, $errors with errors"
        [ "$errors" -eq 0 ] ||
            grep -hE '=========' "$logs/$lab.$tool".[0-9]* | head -n 12 |
            sed 's/^/# /'
    done
done
echo "1..$count"
[ "$bad" -eq 0 ]
