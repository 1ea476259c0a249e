#!/bin/sh
# run.sh BUILD SECONDS: each fuzzer in BUILD/tests for that long, all together.
# Says what failed, closes with `N passed, N failed`; exit 1 where any did.
build=$1
seconds=$2
passed=0 failed=0

for fuzzer in "$build"/tests/fuzz_*; do
    case $fuzzer in *.d | *.o | *.log) continue ;; esac
    echo "# $(basename "$fuzzer"), $seconds s"
    "$fuzzer" --seconds "$seconds" >"$fuzzer.log" 2>&1
    status=$?
    # A fuzzer's own last line; one that ends without it has failed.
    set -- $(sed -n '$s/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' \
        "$fuzzer.log")
    [ $# = 2 ] && { [ "$status" = 0 ] || [ "$2" != 0 ]; } || set -- 0 1
    passed=$((passed + $1)) failed=$((failed + $2))
    grep -v '^not ok\|passed, .* failed$' "$fuzzer.log" | tail -n 8
    grep '^not ok' "$fuzzer.log" | head -n 20
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
