#!/bin/sh
# run.sh: open the pages in Chromium and in Firefox without a window, use them
# as a person would, and compare what they show with the traces. Screenshots of
# each are left in build/pages/. BROWSERS=firefox for one of them. Ends with one
# line `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
out=build/pages
rm -rf "$out"
mkdir -p "$out/place/labs" "$out/place/build/results" \
    "$out/place/build/traces" || exit 2
timeline=build/bin/timeline
traces=tests/traces

# ---- the pages ----

mkdir -p "$out/source"
awk 'BEGIN { for (i = 1; i <= 60; i++) print "    line_" i "(a < b);" }' \
    >"$out/source/lab.cu"
"$timeline" --html "$out/timeline.html" --source "$out/source" \
    --heading 'Lab 08: uneven <chunks>' \
    "$traces/serial.trace" "$traces/overlapped.trace" || exit 2

# The same two, but a grader found the second one, or the first one, wrong.
wrong() { # TRACE
    awk '/^end records=/ {
            print "x-result failed=right:%20large"
            split($2, n, "=")
            sub(/records=[0-9]+/, "records=" n[2] + 1)
        } { print }' "$1"
}
wrong "$traces/overlapped.trace" >"$out/wrong.trace"
"$timeline" --html "$out/wrong.html" "$traces/serial.trace" \
    "$out/wrong.trace" || exit 2
"$timeline" --html "$out/after_wrong.html" "$out/wrong.trace" \
    "$traces/serial.trace" || exit 2
"$timeline" --html "$out/hazard.html" --source "$out/source" \
    "$traces/hazard.trace" || exit 2

"$timeline" --html "$out/waits.html" --source "$out/source" --by stream \
    "$traces/waits.trace" || exit 2

# 3 could start at 50 us, while 1 had the multiprocessors; 4 at 130 us, and
# nothing says why it did not.
cat >"$out/full.trace" <<'END'
cuda-streams-lab trace 1
op id=1 kind=kernel name=wide device=0 stream=1 engine=sm start_ns=0 end_ns=90000 at=src/lab.cu:1 call=1
op id=2 kind=h2d name=copy device=0 stream=2 engine=h2d start_ns=0 end_ns=50000 at=src/lab.cu:2 call=1
op id=3 kind=kernel name=next device=0 stream=2 engine=sm start_ns=80000 end_ns=130000 at=src/lab.cu:3 call=1 after=2
op id=4 kind=d2h name=copy device=0 stream=2 engine=d2h start_ns=150000 end_ns=160000 at=src/lab.cu:4 call=1 after=3
call id=1 name=f start_ns=0 end_ns=1
end records=5
END
"$timeline" --html "$out/full.html" "$out/full.trace" || exit 2

# many N: N operations in 16 streams on three engines, all overlapping.
many() {
    awk -v n="$1" 'BEGIN {
        print "cuda-streams-lab trace 1"
        print "device index=0 name=Many backend=vgpu"
        split("h2d sm d2h", engine, " ")
        split("h2d kernel d2h", kind, " ")
        for (i = 0; i < n; i++) {
            e = i % 3 + 1
            print "op id=" i + 1 " kind=" kind[e] \
                " stream=" i % 16 + 1 " device=0 engine=" engine[e] \
                " start_ns=" int(i / 3) * 1000 + e * 50 \
                " end_ns=" int(i / 3) * 1000 + e * 50 + 700 + i % 200 \
                " at=lab.cu:" i % 50 + 1
        }
        print "end records=" n + 1 " ops=" n
    }'
}
many 100000 >"$out/many.trace"
many 1000 >"$out/thousand.trace"
"$timeline" --html "$out/many.html" "$out/many.trace" || exit 2

lab=08_uneven_chunks
place=$out/place
mkdir -p "$place/labs/$lab"
cp "labs/$lab/README.md" "labs/$lab/hints.md" "$place/labs/$lab"
cp "$out/source/lab.cu" "$place"
echo '// TODO 1: size' >"$place/labs/$lab/lab.cu"
cp tests/pages/08.json "$place/build/results/08.json"
cp "$traces/serial.trace" "$place/build/traces/08_baseline.trace"
cp "$traces/hazard.trace" "$place/build/traces/08_student.trace"
cp "$traces/overlapped.trace" "$place/build/traces/08_solution.trace"
# A file that does not compile, and has a TODO.
mkdir -p "$place/labs/07_chunked_overlap"
cp labs/07_chunked_overlap/hints.md "$place/labs/07_chunked_overlap"
echo '// TODO 1: size' >"$place/labs/07_chunked_overlap/lab.cu"
cp tests/pages/07.json "$place/build/results/07.json"
root=$PWD
(cd "$place" && "$root/build/bin/report" --force --out ../report.html "$lab" \
    07_chunked_overlap 09_next) || exit 2

# ---- the browsers ----

tools/npm-packages tests/pages || exit 2

status=0
: >"$out/log.tap"
for browser in ${BROWSERS:-chromium firefox}; do
    "${NODE:-node}" tests/pages/pages.mjs "$out" "$traces" "$browser" \
        >"$out/$browser.tap" 2>&1 || status=1
    cat "$out/$browser.tap"
    cat "$out/$browser.tap" >>"$out/log.tap"
done
awk -v status="$status" '
    /^ok / { passed++ }
    /^not ok / { failed++ }
    /^1\.\.[0-9]/ { plan += substr($0, 4) }
    END {
        if (plan != passed + failed || (status && !failed))
            failed++
        printf "%d passed, %d failed\n", passed, failed
        exit failed > 0
    }' "$out/log.tap"
