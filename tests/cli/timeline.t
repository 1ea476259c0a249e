#!/bin/sh
# timeline.t: the program timeline, seen from the shell.
#
# TIMELINE names another program to test, for instance a sanitizer build.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

timeline=${TIMELINE:-build/bin/timeline}
traces=tests/traces
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset COLUMNS NO_COLOR
LC_ALL=C.UTF-8
export LC_ALL
run() { # ARG...: output, errors and status of timeline
    "$timeline" "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
same() { # compare the output with standard input
    cat >"$tmp/want"
    diff -u "$tmp/want" "$tmp/out" | sed 's/^/# /' >"$tmp/diff"
    cat "$tmp/diff"
    [ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && [ ! -s "$tmp/diff" ]
}
refused() { # STATUS TEXT: one line of error, nothing else
    [ $rc -eq "$1" ] && [ ! -s "$tmp/out" ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "$2" "$tmp/err"
}

if [ ! -x "$timeline" ]; then
    echo "1..0 # SKIP $timeline is not built"
    exit 0
fi

sh tests/traces/make_traces.sh "$tmp" &&
    for name in serial overlapped pageable two_gpus hazard; do
        cmp "$tmp/$name.trace" "$traces/$name.trace" || exit 1
    done
ok "the sample traces are what their script writes"

# ---- text ----

run --width 60 "$traces/serial.trace" "$traces/overlapped.trace"
same <<'END'
serial  14.56 ms
H2D     0███████████████·······························  33%
Kernels ···············░0██████████████░···············  33%
D2H     ·······························0███████████████  33%
overlapped  7.947 ms  (1.83x as fast)
H2D     1███2▓▓▓▓3███4▓▓▓░········                       68%
Kernels ····1███2▓▓▓▓3███4▓▓▓░····                       61%
D2H     ········1████2▓▓▓3███4▓▓▓▓                       68%
        0               5               10              ms
█ ▓ one operation after the other, number: its stream, %: busy
END
ok 'two traces stand above each other on one scale'

sed 's/ bytes=[0-9]*/ bytes=9/' "$traces/serial.trace" >"$tmp/less.trace"
run --width 80 "$traces/serial.trace" "$tmp/less.trace"
grep -q '^less  .*(not compared: copies [0-9]* B in, not ' "$tmp/out" &&
    ! grep -q 'as fast' "$tmp/out"
ok 'runs that copy other amounts are not compared'

run --ascii --by stream --width=60 --title 'Four chunks' \
    "$traces/overlapped.trace"
same <<'END'
Four chunks  7.947 ms
stream 1 H>>>>>>>K######D<<<<<<<.......................  49%
stream 2 .......-H>>>>>>>K######D<<<<<<-...............  49%
stream 3 ...............-H>>>>>>K######D<<<<<<<-.......  49%
stream 4 .......................H>>>>>>>K######D<<<<<<<  49%
         0          2           4          6            ms
H copy to device, K kernel, D copy to host, %: busy
END
ok 'rows by stream, ASCII, a title'

widest() {
    LC_ALL=C.UTF-8 awk '!/one operation/ && length > n { n = length }
                        END { print n + 0 }' "$tmp/out"
}
COLUMNS=50 run "$traces/serial.trace" --ascii
[ "$(widest)" -eq 50 ]
ok 'COLUMNS sets the width'
run "$traces/serial.trace" --ascii
[ "$(widest)" -eq 80 ]
ok 'the width is 80 where nothing says otherwise'
LC_ALL=C run "$traces/serial.trace"
[ $rc -eq 0 ] && ! LC_ALL=C grep -q '[^ -~]' "$tmp/out"
ok 'a locale without UTF-8 gets ASCII'
! grep -q "$(printf '\033')" "$tmp/out"
ok 'no colour in a file'
run --color always "$traces/serial.trace"
grep -q "$(printf '\033')" "$tmp/out"
ok 'colour where it is asked for'
if command -v script >/dev/null 2>&1; then
    TERM=xterm script -qec "$timeline $traces/serial.trace" /dev/null >"$tmp/tty" \
        2>/dev/null </dev/null
    TERM=xterm NO_COLOR=1 script -qec "$timeline $traces/serial.trace" /dev/null \
        >"$tmp/plain" 2>/dev/null </dev/null
    grep -q "$(printf '\033')" "$tmp/tty" &&
        ! grep -q "$(printf '\033')" "$tmp/plain"
    ok 'colour on a terminal, unless NO_COLOR is set'
else
    true
    ok 'colour on a terminal # SKIP no script command'
fi
run - <"$traces/serial.trace"
[ $rc -eq 0 ] && grep -q 'standard input' "$tmp/out"
ok 'a trace from standard input'

# ---- statistics ----

run --stats "$traces/overlapped.trace"
grep -q '^  H2D + Kernels *3.638 ms *45.8%$' "$tmp/out" &&
    grep -q '^  H2D + Kernels + D2H *2.425 ms' "$tmp/out" &&
    grep -q 'critical path (guessed): 6 operations' "$tmp/out"
ok '--stats: overlaps and the critical path'
run --stats "$traces/serial.trace"
grep -q 'Nothing overlaps: .* all work is in one stream' "$tmp/out"
ok '--stats: serial work is explained'
run --stats "$traces/pageable.trace"
grep -q 'Pageable memory: the host is held during 8 of 8' "$tmp/out"
ok '--stats: pageable memory is explained'
run --stats "$traces/hazard.trace"
grep -q 'hazard: write-read, lab.cu:33 and lab.cu:34' "$tmp/out"
ok '--stats: hazards are listed'

# ---- files ----

both="$traces/serial.trace $traces/two_gpus.trace"
# shellcheck disable=SC2086
run --svg "$tmp/a.svg" --html "$tmp/a.html" --perfetto "$tmp/a.json" $both
[ $rc -eq 0 ] && [ ! -s "$tmp/out" ] && [ -s "$tmp/a.svg" ] &&
    [ -s "$tmp/a.html" ] && [ -s "$tmp/a.json" ]
ok 'pictures and pages are written, and nothing else'
grep -q 'prefers-color-scheme' "$tmp/a.svg" && grep -q '<desc' "$tmp/a.svg" &&
    grep -q 'GPU 1 Kernels' "$tmp/a.svg"
ok 'the SVG has two colour schemes, a description and all rows'
# shellcheck disable=SC2086
run --svg "$tmp/host.svg" --host $both
[ $rc -eq 0 ] && ! grep -q '>Host<' "$tmp/a.svg" &&
    grep -q '>Host<' "$tmp/host.svg" && grep -q 'cudaDeviceSynchronize, 14' \
    "$tmp/host.svg" && grep -q 'Host: in calls of CUDA' "$tmp/host.svg"
ok '--host: a row of the host, and what it was in'

order=labs/04_streams_and_events/figures/order.2.trace
run --svg "$tmp/waits.svg" --by stream --waits $order
[ $rc -eq 0 ] && [ "$(grep -c 'class="tl-wait"' "$tmp/waits.svg")" = 1 ] &&
    grep -q '>event decrypted<' "$tmp/waits.svg" &&
    run --svg "$tmp/waits.svg" --by stream $order &&
    ! grep -q 'class="tl-wait"' "$tmp/waits.svg"
ok 'what waited for an event is an arrow between streams, where it is asked for'
turns=labs/11_multi_gpu/figures/turns.1.trace
ring=labs/15_bounded_pipeline/figures/ring.2.trace
run --svg "$tmp/named.svg" $turns
grep -q 'tl-n[^>]*>4 MiB<' "$tmp/named.svg" &&
    grep -q '>decrypt_gpu</text>' "$tmp/named.svg" &&
    ! grep -q 'Number in a bar' "$tmp/named.svg"
ok 'where all work of a GPU is in one stream, bars say what they are'
run --svg "$tmp/ring.svg" labs/15_bounded_pipeline/figures/ring.1.trace $ring
[ "$(grep -c 'tl-e[^>]*>2<' "$tmp/ring.svg")" = 20 ] &&
    grep -q '>20 in stream 10<' "$tmp/ring.svg" && ! grep -q ' us<' "$tmp/ring.svg"
ok 'what has no room in a bar stands beside it, alone or together'
! grep -Eq '(src|href)=|@import|url\(' "$tmp/a.html" &&
    grep -q '<noscript>' "$tmp/a.html"
ok 'the page needs no other file, and has a picture for no scripts'
mkdir "$tmp/src"
printf 'line one\n// </script> line two\n' >"$tmp/src/lab.cu"
echo secret >"$tmp/outside.cu"
sed 's/at=lab.cu:33/at=..\/outside.cu:1/' "$traces/overlapped.trace" \
    >"$tmp/src.trace"
run --html "$tmp/src.html" --source "$tmp/src" "$tmp/src.trace"
grep -q '"// \\u003c/script> line two"' "$tmp/src.html" &&
    ! grep -q secret "$tmp/src.html" && rm "$tmp/src.html"
ok '--source: files of the folder are in the page, others not'
if command -v jq >/dev/null 2>&1; then
    [ "$(jq '[.traceEvents[] | select(.ph == "s")] | length' \
        "$tmp/a.json")" -eq 27 ]
    ok 'Perfetto JSON: an arrow for each operation'
else
    true
    ok 'Perfetto JSON # SKIP no jq'
fi
# shellcheck disable=SC2046
[ "$(cd "$tmp" && ls a.*)" = "$(printf 'a.html\na.json\na.svg')" ]
ok 'no temporary file is left'
# shellcheck disable=SC2086
run --svg "$tmp/b.svg" $both
cmp -s "$tmp/a.svg" "$tmp/b.svg"
ok 'the same trace makes the same bytes'
echo old >"$tmp/keep.svg"
run --svg "$tmp/keep.svg" "$tmp/missing.trace"
refused 2 'missing.trace: No such file' && [ "$(cat "$tmp/keep.svg")" = old ]
ok 'a missing trace: status 2, and the old picture stays'
run --svg "$tmp/none/a.svg" "$traces/serial.trace"
refused 1 'none/a.svg: No such file'
ok 'a folder that is not there: status 1'
run --svg - "$traces/serial.trace"
cmp -s "$tmp/out" - <<END
$("$timeline" --svg /dev/stdout "$traces/serial.trace")
END
ok '- and /dev/stdout write to standard output'

# ---- what is refused ----

run --nonsense "$traces/serial.trace"
refused 2 "unknown option '--nonsense'"
ok 'an unknown option'
run --by thread "$traces/serial.trace"
refused 2 'engine or stream'
ok 'an unknown row'
for width in 0 -5 39 1001 x ''; do
    run --width "$width" "$traces/serial.trace"
    refused 2 '40 to 1000'
    ok "width '$width'"
done
run --svg
refused 2 'a value is missing'
ok 'an option without its value'
run
refused 2 'no trace given'
ok 'no trace'
run --title a --title b "$traces/serial.trace"
refused 2 'more titles than traces'
ok 'more titles than traces'

head -c 1500 "$traces/overlapped.trace" >"$tmp/cut.trace"
run "$tmp/cut.trace"
refused 1 'truncated'
ok 'a truncated trace'
run --partial --ascii "$tmp/cut.trace"
[ $rc -eq 0 ] && grep -q '^H2D' "$tmp/out" && grep -q 'cut off' "$tmp/err"
ok '--partial draws what is there, and says so'
: >"$tmp/empty.trace"
run "$tmp/empty.trace"
refused 1 'empty'
ok 'an empty file'
sed 's/kind=kernel/kind=kernle/' "$traces/overlapped.trace" >"$tmp/bad.trace"
run "$tmp/bad.trace"
refused 1 "bad.trace:7: kind='kernle' is not known"
ok 'a damaged line is named by file and line'
sed '5d' "$traces/overlapped.trace" >"$tmp/lost.trace"
run "$tmp/lost.trace"
refused 1 'lines are lost'
ok 'a lost line is noticed'
head -c 100000 /dev/zero >"$tmp/zero.trace"
run "$tmp/zero.trace"
refused 1 'not a trace'
ok 'a file of zeros'
run "$tmp"
refused 2 'not a regular file'
ok 'a folder instead of a trace'
run --help
[ $rc -eq 0 ] && grep -q '^usage: timeline' "$tmp/out" &&
    for option in text stats svg html perfetto by title width ascii color \
        partial; do
        grep -q -- "--$option" "$tmp/out" || exit 1
    done
ok '--help names every option'

echo "1..$count"
