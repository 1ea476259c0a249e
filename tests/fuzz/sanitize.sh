#!/bin/sh
# sanitize.sh BUILD SECONDS: everything built with the address and undefined
# behaviour sanitizers, into BUILD/asan; all unit tests, leaks looked for, and
# each fuzzer for SECONDS. Closes with `N passed, N failed`.
build=$1
seconds=$2
asan=$build/asan
flags='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined'
flags="$flags -fno-sanitize-recover=all"
passed=0 failed=0
# The virtual GPU's range of addresses stays clear of the sanitizer's own.
export ASAN_OPTIONS="detect_leaks=1:abort_on_error=0:$ASAN_OPTIONS"
export UBSAN_OPTIONS="print_stacktrace=1:$UBSAN_OPTIONS"

MAKEFLAGS= ${MAKE:-make} -s -j2 B="$asan" CFLAGS="$flags" units tools fuzzers \
    >"$asan.log" 2>&1 || {
    grep -iE 'error|warning' "$asan.log" | head -n 20
    echo "0 passed, 1 failed"
    exit 1
}

# A unit test that says no failure but ends with one was stopped.
for test in "$asan"/tests/test_*; do
    case $test in *.d | *.log) continue ;; esac
    timeout 120 "$test" >"$test.log" 2>&1
    status=$?
    good=$(grep -c '^\[       OK \]' "$test.log")
    bad=$(grep -c '^\[  FAILED  \] test_[a-z_0-9]*$' "$test.log")
    bad=$((bad / 2))
    [ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
    passed=$((passed + good)) failed=$((failed + bad))
    [ "$bad" = 0 ] && continue
    echo "not ok: $test (exit $status)"
    grep -E 'ERROR|runtime error|SUMMARY|LINE|^ *#[0-5] ' "$test.log" |
        head -n 12
done
echo "# unit tests: $passed passed, $failed failed"

# Programs are linked with the ordinary library: only vgpucc is sanitized.
mkdir -p "$asan/plain/bin" "$asan/plain/lib" "$asan/plain/include"
cp "$asan/bin/vgpucc" "$asan/plain/bin/"
ln -sfn ../../../lib "$asan/plain/lib/vgpucc"
ln -sfn ../../../../vgpu/include "$asan/plain/include/vgpucc"
VGPUCC=$asan/plain/bin/vgpucc tests/fuzz/run.sh "$asan" "$seconds" \
    >"$asan/fuzz.log"
sed '$d' "$asan/fuzz.log"
set -- $(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
    "$asan/fuzz.log")
passed=$((passed + ${1:-0})) failed=$((failed + ${2:-1}))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
