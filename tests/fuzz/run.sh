#!/bin/sh
# run.sh BUILD SECONDS: each fuzzer in BUILD/tests for that long, all together.
# Says what failed, closes with `N passed, N failed`; exit 1 where any did.
build=$1
seconds=$2
passed=0 failed=0
export VGPUCC="${VGPUCC:-$build/bin/vgpucc}"
export VGPUCC_STRICT=1 # what is written for speed has to compile

is_reader()
{
    case $name in traces | grades | report | profiles | class) ;; *) false ;; esac
}

# A libFuzzer target: its inputs count, and what it finds it keeps.
guided()
{
    corpus=$build/fuzz/corpus found=$build/fuzz/found
    mkdir -p "$corpus" "$found"
    "$1" -max_total_time="$seconds" -max_len=20000 -timeout=10 \
        -artifact_prefix="$found/" "$corpus" vgpu/tests/frontend/good \
        vgpu/tests/frontend/bad
    status=$?
    [ "$status" = 0 ] || echo "not ok: see $found"
    awk -v failed=$((status != 0)) '/^Done/ { n = $2 } /^#/ { sub("#", "", $1)
            n = $1 } END { print n + 0 " passed, " failed " failed" }' \
        "$1.log"
    return "$status"
}

for name in programs threads rewrite guided sources functions kernels zips traces grades \
    report profiles class links; do
    fuzzer=$build/tests/fuzz_$name
    if [ "$name" = zips ] && command -v python3 >/dev/null; then
        python3 tests/fuzz/zips.py --seconds "$seconds" \
            --seed "$(date +%s)00" >"$fuzzer.log" 2>&1
    elif [ "$name" = links ] && command -v node >/dev/null; then
        node tests/fuzz/links.mjs --seconds "$seconds" \
            --seed "$(date +%s)00" >"$fuzzer.log" 2>&1
    elif is_reader && command -v python3 >/dev/null; then
        python3 tests/fuzz/readers.py "$name" --seconds "$seconds" \
            --seed "$(date +%s)00" >"$fuzzer.log" 2>&1
    elif [ ! -x "$fuzzer" ]; then
        continue
    elif [ "$name" = guided ]; then
        guided "$fuzzer" >"$fuzzer.log" 2>&1
    elif [ "$name" = rewrite ]; then
        "$fuzzer" --seconds "$seconds" vgpu/tests/frontend/*/*.cu \
            vgpu/tests/conformance/*.cu solutions/*/*.cu labs/*/*.cu \
            grader/drivers/*.cu common/*.cu >"$fuzzer.log" 2>&1
    else
        "$fuzzer" --seconds "$seconds" >"$fuzzer.log" 2>&1
    fi
    status=$?
    # A fuzzer's own last line; one that ends without it has failed.
    set -- $(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
        "$fuzzer.log")
    [ $# = 2 ] && { [ "$status" = 0 ] || [ "$2" != 0 ]; } || set -- 0 1
    passed=$((passed + $1)) failed=$((failed + $2))
    echo "# $name: $1 passed, $2 failed, in $seconds s"
    grep -E '^(programs|weakened|missed|inputs|sources|functions|zips) ' "$fuzzer.log"
    grep -E ' inputs, seeds up to ' "$fuzzer.log"
    [ "$2" = 0 ] || grep '^not ok' "$fuzzer.log" | head -n 20
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
