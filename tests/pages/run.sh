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
    "$traces/serial.trace" "$traces/overlapped.trace" || exit 2
"$timeline" --html "$out/hazard.html" --source "$out/source" \
    "$traces/hazard.trace" || exit 2

"$timeline" --html "$out/waits.html" --source "$out/source" --by stream \
    "$traces/waits.trace" || exit 2

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
root=$PWD
(cd "$place" && "$root/build/bin/report" --force --out ../report.html "$lab" \
    09_next) || exit 2

# ---- the browsers ----

# What is here is as the list says: nothing to fetch.
(
    cd tests/pages &&
        { cmp -s package-lock.json node_modules/.lock ||
            { "${NPM:-npm}" ci --no-audit --no-fund --loglevel=error &&
                cp package-lock.json node_modules/.lock; }; }
) || {
    echo "npm ci failed; it needs the network, once" >&2
    exit 2
}

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
