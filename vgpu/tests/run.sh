#!/bin/bash
# run.sh [SUITE...]: build the virtual GPU and run its tests: unit, cli, frontend,
# conformance; all of them by default. Closes with one line `N passed, N failed`;
# exit 1 where anything failed. Output is kept in build/test-logs/.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL            # of the make that called this
export VGPUCC_STRICT=1      # what vgpucc writes for speed has to compile
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh
. tests/tap.sh
logs=build/test-logs
mkdir -p $logs && : >$logs/all || exit 2

unit() {
    local one
    export CMOCKA_MESSAGE_OUTPUT=TAP
    for one in build/tests/test_*; do
        case $one in *.d) ;; *) tap_of "$one" timeout 120 "$one" ;; esac
    done
}
cli() {
    local one
    for one in tests/cli/*.t; do
        tap_of "$one" timeout 600 bash "$one"
    done
}
frontend() { tap_of frontend sh tests/frontend/run.sh; }
conformance() { tap_of conformance bash tests/conformance/run.sh; }

[ $# -gt 0 ] || set -- unit cli frontend conformance
for suite; do
    case $suite in
    unit | cli | frontend | conformance) ;;
    *)
        echo "run.sh: no suite '$suite': unit cli frontend conformance" >&2
        exit 2
        ;;
    esac
done
if ! make -s tools units >$logs/make.log 2>&1; then
    grep -E 'error|warning' $logs/make.log | head -n 20
    echo "0 passed, 1 failed"
    exit 1
fi
for suite; do
    began=$SECONDS
    $suite >$logs/$suite.tap 2>&1 </dev/null
    sum=$(tap_sum $logs/$suite.tap) || {
        grep -A5 '^not ok' $logs/$suite.tap | head -n 40
        echo "    whole output: $PWD/$logs/$suite.tap"
    }
    echo "$suite: $sum, $((SECONDS - began)) s"
    cat $logs/$suite.tap >>$logs/all
done
tap_sum $logs/all
