#!/bin/bash
# run.sh [SUITE...]: build everything with gcc and with clang, run the test
# suites, and close with one line `N passed, N failed`. Every suite speaks TAP;
# its whole output is kept in build/test-logs/. Exit 1 where anything failed.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL            # of the make that called this
export VGPUCC_STRICT=1      # what vgpucc writes for speed has to compile
cd "$(dirname "$0")/.." || exit 2
export B=$PWD/build         # those of vgpu/ look there for what was built
. tests/packages.sh
. tests/kept.sh
. tests/tap.sh
kept_begin
trap kept_end EXIT
logs=build/test-logs
mkdir -p "$logs"
passed=0 failed=0 skipped=0
jobs=$(nproc 2>/dev/null || echo 2)
began=$SECONDS

# count NAME STATUS: add up one suite's TAP. A suite that ends early, without
# its plan or with a bad status and no failure to show, counts as a failure.
count() {
    local log=$logs/$1.tap numbers
    numbers=$(awk -v status="$2" '
        /^ok /        { if (tolower($0) ~ /# skip/) s++; else p++; next }
        /^not ok /    { f++; next }
        /^1\.\.[0-9]/ { plan += substr($1, 4); planned = 1
                        if (tolower($0) ~ /skip/) s++ }
        /^Bail out/   { f++ }
        END { run = p + f + s
              if (!planned || (run < plan) || (status && !f)) f++
              print p + 0, f + 0, s + 0 }' "$log")
    set -- "$1" $numbers
    passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
    printf '%-16s %5d passed %4d failed %4d skipped  %4d s\n' "$1" "$2" "$3" \
        "$4" $((SECONDS - start))
    if [ "$3" != 0 ]; then
        { grep -A5 '^not ok' "$log"; grep 'error:' "$log"; } | head -n 40 |
            sed 's/^/    /'
        echo "    whole output: $log"
    fi
}

# run NAME COMMAND...: one suite's TAP into its log. Its status is the suite's.
run() {
    local name=$1 status
    shift
    kept "$name" "$@" >"$logs/$name.tap" 2>"$logs/$name.err" </dev/null
    status=$?
    grep -v '^[0-9]*\.\.\|^ok\|^not ok' "$logs/$name.err" |
        sed 's/^/# /' >>"$logs/$name.tap"
    return "$status"
}

# suite NAME COMMAND...: run one where it is wanted, and count it.
suite() {
    is_wanted "$1" || return
    start=$SECONDS
    run "$@"
    count "$1" $?
}

# beside NAME COMMAND...: start one that uses one core; rejoin counts it.
beside() {
    beside=''
    is_wanted "$1" || return
    beside=$1 beside_start=$SECONDS
    run "$@" &
    beside_pid=$!
}
rejoin() {
    [ -n "$beside" ] || return
    wait "$beside_pid"
    status=$? start=$beside_start
    count "$beside" "$status"
}

is_wanted() {
    [ -z "$wanted" ] || case " $wanted " in *" $1 "*) ;; *) return 1 ;; esac
}

# units BUILD COMPILER: build into BUILD and run every unit test. cmocka
# writes its TAP to stderr or to stdout, by version.
units() {
    local bin
    if ! make -s -j"$jobs" B="$1" CC="$2" tools units >&2; then
        echo "1..1"
        echo "not ok 1 - everything builds with $2, without a warning"
        return 1
    fi
    for bin in "$1"/tests/test_*; do
        [ -x "$bin" ] || continue
        case $bin in *.d) continue ;; esac
        tap_of "$bin" env CMOCKA_MESSAGE_OUTPUT=TAP timeout 120 "$bin"
    done
    echo "ok - everything builds with $2, without a warning"
    echo "1..1"
}

# taps FILE...: run TAP scripts, as many at a time as there are cores. Each works
# in a folder of its own.
taps() {
    local outs
    outs=$(mktemp -d) || return
    printf '%s\n' "$@" | xargs -P "$jobs" -I{} bash -c '
        name=${2%.t} # both houses have an install.t
        name=${name/tests\/cli\//} name=${name//\//-}
        out=$1/$name
        . tests/kept.sh
        . tests/tap.sh
        { kept "cli-$name" tap_of "$2" timeout 600 bash "$2"
          echo "# $2: $SECONDS s"; } >"$out" 2>&1' _ "$outs" {}
    cat "$outs"/*
    rm -rf "$outs"
}

wanted="$*" beside=''
# What suites need that run, though those that build it may be kept.
make -s -j"$jobs" tools >"$logs/tools.err" 2>&1 || {
    cat "$logs/tools.err" >&2
    echo "the tools do not build" >&2
    echo "0 passed, 1 failed"
    exit 1
}
suite unit-gcc units build gcc
suite unit-clang units build/clang clang
beside frontend bash vgpu/tests/frontend/run.sh
suite cli taps tests/cli/*.t vgpu/tests/cli/*.t
rejoin
beside labs tools/check-labs
suite determinism bash tests/determinism/run.sh
suite conformance bash vgpu/tests/conformance/run.sh --backend vgpu
rejoin
# All labs: make test-corpus.
suite corpus env LAB=08 tests/corpus/run.sh
suite cheats bash tests/cheats/run.sh
suite class bash tests/class.sh 16

printf '\n%d s\n' $((SECONDS - began))
if [ "$skipped" != 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ]
