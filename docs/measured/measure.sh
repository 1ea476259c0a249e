#!/bin/bash
# measure.sh [PART...]: everything that is measured on a real GPU, by one
# command: build, run, write short results to docs/measured/. Parts:
#
#     conformance   record the CUDA rules' real output (tests/conformance)
#     again         run them once more: facts that changed are not facts
#     labs          grade every solution and every skeleton with BACKEND=cuda
#     recorder      trace a solution and count what is in the trace
#
# Without parts: all of them. Each result names the device and the date.
set -u
cd "$(dirname "$0")/../.." || exit 2
gpus=$(nvidia-smi -L 2>/dev/null | wc -l)
[ "$gpus" -gt 0 ] || { echo "no GPU here: nothing measured" >&2; exit 2; }
name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
device=$(echo "$name" | tr 'A-Z ' 'a-z-')-x$gpus
jobs=$(nproc)
export JOBS=$jobs

# head TITLE COMMAND: the first lines of a result.
head_of() {
    echo "# $1"
    echo "device  $gpus x $name"
    echo "driver  $(nvidia-smi --query-gpu=driver_version \
        --format=csv,noheader | head -n 1)"
    echo "toolkit $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
    echo "date    $(date -u +%Y-%m-%d)"
    echo "command $2"
    echo
}

conformance() {
    tests/conformance/run.sh --backend cuda --record
}

again() {
    local command='tests/conformance/run.sh --backend cuda'
    { head_of "The CUDA rules, run again" "$command"; $command; } \
        >"docs/measured/conformance-$device.txt" 2>&1
    grep -v '^ok' "docs/measured/conformance-$device.txt"
}

labs() {
    local command='make grade-solutions BACKEND=cuda' lab number
    { head_of "Every solution graded" "$command"; $command; } \
        >"docs/measured/solutions-$device.txt" 2>&1
    {
        head_of "Every skeleton graded" "make grade LAB=NN BACKEND=cuda"
        for lab in labs/[0-9][0-9]_*/; do
            number=$(basename "$lab")
            build/bin/grade --backend cuda "${number%%_*}"
            echo "exit status $?"
        done
    } >"docs/measured/skeletons-$device.txt" 2>&1
    cat "docs/measured/solutions-$device.txt" \
        "docs/measured/skeletons-$device.txt"
}

recorder() {
    local number lab program
    make -s build/lib/librecorder.so || return
    for lab in solutions/[0-9][0-9]_*/; do
        number=$(basename "$lab")
        number=${number%%_*}
        build/bin/grade --backend cuda --solution --run "$number"
    done
    ls -l build/traces
    for trace in build/traces/*_solution.trace; do
        build/bin/timeline --text --stats "$trace"
    done
}

make -s -j"$jobs" tools >build.log 2>&1 || { tail -n 20 build.log; exit 1; }
rm -f build.log
for part in ${*:-conformance again labs recorder}; do
    echo "== $part"
    start=$SECONDS
    "$part"
    echo "== $part: $((SECONDS - start)) s"
done
