#!/bin/bash
# cost.t: what needs no quiet machine of what the virtual GPU costs: system
# calls, memory, how cost grows, and, where valgrind is there, instructions.
# The rest is measured: `make measure-vgpu BASE=COMMIT` of the repository.
set -u
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

"$build/bin/vgpucc" -O2 tests/cost/many.cu -o "$tmp/many" >"$tmp/log" 2>&1 &&
    cc -O2 tests/cost/usage.c -o "$tmp/usage" 2>>"$tmp/log"
ok 'the programs are built'

# What is asked for of `many` with these arguments is in $got.
asks() { # calls|seconds|kib ARGUMENT...
    local what=$1 option=
    shift
    [ "$what" = calls ] && option=--calls
    got=$("$tmp/usage" $option "$tmp/many" "$@" 2>&1 >"$tmp/said") &&
        [ "$(cat "$tmp/said")" = 0 ] || return 1
    case $what in
    seconds) got=${got% *} ;;
    kib) got=${got#* } ;;
    esac
}

asks calls launches 1000 && few=$got && asks calls launches 11000 &&
    echo "$few, $got" >"$tmp/log" && [ $((got - few)) -lt 100 ]
ok '10,000 launches more make no system call each'
asks calls copies 1000 && few=$got && asks calls copies 11000 &&
    echo "$few, $got" >"$tmp/log" && [ $((got - few)) -lt 100 ]
ok '10,000 copies more make none either'

# The least of five: what else the machine does only adds to it. With the
# square, eight times as many would cost 64 times as much.
least() { # ARGUMENT...
    local best=
    for _ in 1 2 3 4 5; do
        asks seconds "$@" || return 1
        best=$(awk -v a="$got" -v b="${best:-$got}" \
            'BEGIN { print a < b ? a : b }')
    done
    got=$best
}
for what in streams events chain wide; do
    least $what 12500 && few=$got && least $what 100000 &&
        awk -v few="$few" -v many="$got" 'BEGIN {
            print few, many
            exit !(many < (few + 0.01) * 8 ^ 1.4) }' >"$tmp/log"
    ok "what $what cost grows as their number, up to 100,000"
    asks kib $what 12500 && few=$got && asks kib $what 100000 &&
        awk -v few="$few" -v many="$got" 'BEGIN {
            print few, many
            exit !(log(many / few) / log(8) < 1.1) }' >"$tmp/log"
    ok "and their memory"
done

# A program without an option of its own has its headers compiled already,
# where g++ can do that.
if [ -s "$build/lib/headers/vgpu/program.h.gch/gnu++17" ]; then
    for option in -O2 -O3 -arch=sm_90 -std=c++17; do
        "$build/bin/vgpucc" $option --dryrun tests/cost/many.cu 2>&1 |
            grep -q -e -fpch-preprocess
        ok "compiled headers are used with $option"
    done
fi
size=$(wc -c <"$build/lib/libvgpu.a")
echo "$size" >"$tmp/log"
[ "$size" -lt 2500000 ]
ok 'the library has no lines of its own for programs to carry'

# Instructions for one more of them, and a tenth more than they were.
each() { # MOST WHAT FEW MANY [TIMES]
    local most=$1 what=$2 few=$3 many=$4
    shift 4
    for count in $few $many; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null \
            "$tmp/many" "$what" "$count" "$@" 2>&1 >"$tmp/said" |
            sed -n 's/.*Collected : //p'
    done | paste -s -d ' ' | awk -v n=$((many - few)) -v most="$most" '{
        print ($2 - $1) / n, "each"
        exit !(NF == 2 && ($2 - $1) / n < most) }' >"$tmp/log"
    ok "no more than $most instructions for each of $what${*:+, $* times}"
}
# Of a library that is built as it is by default.
if command -v valgrind >/dev/null && [ -z "${CFLAGS:-}" ]; then
    each 20500 launches 1000 2000
    each 13500 copies 1000 2000
    each 36000 chain 500 1000
    each 25500 wide 500 1000

    # Kernels with barriers: a tenth more than they were, in millions.
    "$build/bin/vgpucc" -O2 tests/cost/kernels.cu -o "$tmp/many" >"$tmp/log" 2>&1
    sized() { # MOST WHAT FEW MANY
        for count in $3 $4; do
            valgrind --tool=callgrind --callgrind-out-file=/dev/null \
                "$tmp/many" "$2" "$count" 2>&1 >"$tmp/said" |
                sed -n 's/.*Collected : //p'
        done | paste -s -d ' ' | awk -v most="$1" '{
            print ($2 - $1) / 1e6, "million"
            exit !(NF == 2 && ($2 - $1) / 1e6 < most) }' >"$tmp/log"
        ok "no more than $1 million instructions from a $2 of $3 to $4"
    }
    sized 17 reduce 131072 262144
    sized 38 scan 131072 262144
    sized 148 product 128 256
    sized 34 transpose 256 512
fi
echo "1..$count"
