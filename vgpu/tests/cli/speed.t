#!/bin/bash
# speed.t: vgpucc without frontend/speed: programs do the same, in the same
# virtual time.
set -u
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
export VGPUCC_STRICT=1

# Where vgpucc finds what belongs to it.
mkdir "$tmp/vgpu" && ln -s "$PWD/include" "$tmp/vgpu" &&
    make -s B="$tmp/build" SPEED=0 CFLAGS=-O0 "$tmp/build/bin/vgpucc" \
        >"$tmp/log" 2>&1 && ln -s "$build/lib" "$tmp/build/lib"
ok 'it builds'

# Of each program, with and without: the text, what it says and the trace.
written='::vgpu_\(run_unwatched\|run_atomics\|host_run\|gang_open\)('
run() {
    "$1" -std=c++17 -extended-lambda --show-rewritten "$2" >"$tmp/text.$3" &&
        "$1" -std=c++17 -extended-lambda "$2" -o "$tmp/program" &&
        VGPU_TRACE=$tmp/trace.$3 "$tmp/program" >"$tmp/out.$3"
}
for program in places device_code; do
    source=tests/frontend/good/$program.cu
    run "$build/bin/vgpucc" $source with 2>"$tmp/log" &&
        run "$tmp/build/bin/vgpucc" $source without 2>>"$tmp/log" &&
        grep -q "$written" "$tmp/text.with" &&
        ! grep "$written" "$tmp/text.without" &&
        cmp "$tmp/out.with" "$tmp/out.without" &&
        [ -s "$tmp/trace.with" ] && cmp "$tmp/trace.with" "$tmp/trace.without"
    ok "$program is the same"
done
echo "1..$count"
