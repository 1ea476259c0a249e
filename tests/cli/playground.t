#!/bin/bash
# playground.t: the programs of the playground are ordinary ones: each is built
# and runs natively, at both ends of each of its sliders
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
[ -x build/bin/vgpucc ] || {
    echo "1..0 # SKIP build/bin/vgpucc is not built"
    exit 0
}
helper=$tmp/helper.o
build/bin/vgpucc -O1 -Icommon -c common/helper.cu -o "$helper" || exit 1

# ends FILE WANT [OUTPUT]: built, run with the settings of its comment; WANT is
# the status, OUTPUT what it prints.
ends() {
    build/bin/vgpucc -O1 -std=c++17 -Xcompiler -Wall,-Werror -Icommon "$1" "$helper" \
        -o "$tmp/program" 2>"$tmp/log" || return
    # shellcheck disable=SC2046 # several settings
    env $(sed -n 's|^/\* run: \(.*\) \*/$|\1|p' "$1") VGPU_CHECK=1 \
        timeout 60 "$tmp/program" >"$tmp/out" 2>>"$tmp/log"
    [ $? = "$2" ] && grep -q "${3:-.}" "$tmp/out"
}
set_to() { # FILE NAME VALUE: into $tmp/changed.cu
    sed "s/^\(#define $2 *\)[0-9]*/\1$3/" "$1" >"$tmp/changed.cu"
}

for program in web/playground/*.cu; do
    name=$(basename "$program" .cu) want=0
    [ "$name" != hazard ] || want=86
    ends "$program" $want
    ok "$name: as it is"
    head -n 1 "$program" | grep -q "^/\* $name.cu: "
    ok '... says what it shows'
    awk '/\/\/ slider / { name = $2; sub(/.*slider /, ""); sub(/:.*/, "")
                          print name, $1, $NF }' "$program" >"$tmp/sliders"
    [ "$(wc -l <"$tmp/sliders")" -ge 2 ]
    ok '... has sliders'
    while read -r slider values; do
        failed= expected=$want
        for value in $values; do
            set_to "$program" "$slider" "$value"
            [ "$slider" != WITH_WAIT ] || expected=$((value ? 0 : 86))
            ends "$tmp/changed.cu" $expected || failed="$failed $value"
        done
        [ -z "$failed" ]
        ok "... $slider: $values"
        [ -z "$failed" ] || sed "s/^/# $slider:$failed: /" "$tmp/log"
    done <"$tmp/sliders"
done

ends web/playground/hazard.cu 86 'the sum is 0, and should be 2048'
ok 'hazard: without the wait the sum is wrong on each run'
grep -q '^vgpu: hazard: ' "$tmp/log"
ok '... and the checker says so'
set_to web/playground/hazard.cu WITH_WAIT 1
ends "$tmp/changed.cu" 0 'the sum is 2048, and should be 2048'
ok 'hazard: with it, right'
echo "1..$count"
