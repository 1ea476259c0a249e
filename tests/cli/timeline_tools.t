#!/bin/sh
# timeline_tools.t: what stands behind make report, make trace and make sweep
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset FORCE COLUMNS VGPU_CHECK VGPU_TRACE VGPU_DEVICE VGPU_COUNT
LC_ALL=C.UTF-8
export LC_ALL
run() { # COMMAND...
    "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
refused() { # STATUS TEXT: one line of error, nothing else
    [ $rc -eq "$1" ] && [ ! -s "$tmp/out" ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "$2" "$tmp/err"
}
for tool in report timeline vgpucc; do
    if [ ! -x "build/bin/$tool" ]; then
        echo "1..0 # SKIP build/bin/$tool is not built"
        exit 0
    fi
done

# ---- the report: a small repository of its own ----

place=$tmp/place
lab=08_uneven_chunks
mkdir -p "$place/labs/$lab" "$place/build/results" "$place/build/traces" \
    "$place/build/state/hints" "$place/build/state/quiz"
cp "labs/$lab/README.md" "labs/$lab/hints.md" "$place/labs/$lab"
echo '// TODO 2: <&> bounds' >"$place/labs/$lab/lab.cu"
cat >"$place/build/results/08.json" <<'END'
{"labs": [{"lab": "08_uneven_chunks", "file": "labs/08_uneven_chunks/lab.cu",
 "backend": "vgpu", "device": "Tesla <K20>", "passed": false, "score": 85,
 "max_score": 100, "eta": 0.9, "speedup": 2.13, "bound_speedup": 2.4,
 "needed_speedup": 1.69, "seconds": 1.0, "checks": [
 {"name": "builds", "passed": true, "score": 5, "max_score": 5,
  "line": "seen & built", "diagnosis": "", "diagnosis_id": null, "read": null},
 {"name": "well ordered", "passed": false, "score": 0, "max_score": 15,
  "line": "hazard", "diagnosis": "hazard. Two <streams> race.",
  "diagnosis_id": "race", "read": "Why chunks"}]}]}
END
cp tests/traces/serial.trace "$place/build/traces/08_baseline.trace"
cp tests/traces/hazard.trace "$place/build/traces/08_student.trace"
cp tests/traces/overlapped.trace "$place/build/traces/08_solution.trace"
report() {
    (cd "$place" && "$root/build/bin/report" "$@" --out build/report.html \
        "$lab" 09_not_there)
}
page=$place/build/report.html
has() { grep -qF -- "$1" "$page"; }

run report
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && has 'Lab 08: uneven chunks' &&
    has '85 of 100' && has 'Tesla &lt;K20&gt;' && has 'not passed yet'
ok 'report: verdict, points, device'
has 'seen &amp; built' && has 'Two &lt;streams&gt; race.' &&
    has '<em>Why chunks</em>'
ok "report: each check's line, the diagnosis, where to read"
has '2.13x as fast as without overlap; 1.69x passes' && has 'limit 2.40x'
ok 'report: speed against the limit'
has 'Hint for TODO 2: Nudge' && ! has 'Hint for TODO 2: Pointer'
ok 'report: the first hint for the first open TODO'
has 'tl-hazard' && has 'Hazard: write-read' && has 'lab.cu:33'
ok 'report: hazards as arrows and in words'
has 'Without overlap' && has 'Your lab.cu' && ! has 'The solution:'
ok 'report: no solution before passing'
has '<td>09_not_there</td>' && has 'not graded yet' &&
    ! has 'id="lab-09"' && has 'make grade LAB=09'
ok 'report: a lab without anything is not graded yet, and has no section'
! grep -Eq '(src|href)="[^#]|@import|url\(' "$page"
ok 'report: one file, nothing is fetched'
echo '2 3' >"$place/build/state/hints/08"
echo '3 4' >"$place/build/state/quiz/08"
run report --force
has 'Hint for TODO 2: Pointer' && has 'quiz: 3 of 4' && has 'The solution:'
ok 'report: hints that were shown, the quiz, FORCE=1 shows the solution'
run report --passed
has 'passed before, last grade 85' && ! has 'verdict pass"' && has '<p>1 of 2 labs passed' &&
    has 'The solution:' && has 'Hint for'
ok 'report: a lab that passed once stays passed, and its last grade is said'
run build/bin/report --out "$tmp/a.html" "$lab" --passed
refused 2 'which lab has passed?'
ok 'report: --passed without a lab'
sed -i 's/"passed": false, "score": 85/"passed": true, "score": 100/' \
    "$place/build/results/08.json"
run report
has 'The solution:' && ! has 'Hint for TODO'
ok 'report: after passing the solution, no hints'
echo '{"labs": [' >"$place/build/results/08.json"
head -c 900 tests/traces/hazard.trace >"$place/build/traces/08_student.trace"
run report
[ $rc -eq 0 ] && has 'is of no use: line 2' && has 'cannot be read: truncated'
ok 'report: damaged grades and traces are named, the rest is there'
run build/bin/report --out "$tmp/none/a.html" "$lab"
refused 1 'none/a.html'
ok 'report: a folder that is not there'
run build/bin/report "$lab"
refused 2 'where to?'
ok 'report: no file to write to'

# ---- make trace ----

mkdir -p "$tmp/build/bin"
ln -s "$root/build/bin/timeline" "$tmp/build/bin/timeline"
trace() { run tools/trace-program "$tmp/build" "$@"; }
trace ''
refused 2 'which program?'
ok 'trace: no program'
trace "$tmp/none"
refused 2 'there is no program'
ok 'trace: a missing program'
trace "$tmp"
refused 2 'not a file'
ok 'trace: a folder'
trace README.md
refused 2 'chmod +x'
ok 'trace: a file that is not executable'
trace /bin/sh
refused 2 'no CUDA program'
ok 'trace: another program'
printf '#!/bin/sh\n# libcudart\n' >"$tmp/for_gpu"
chmod +x "$tmp/for_gpu"
if ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
    true
    ok 'trace: no GPU # SKIP there is one'
else
    trace "$tmp/for_gpu"
    refused 2 'there is none here'
    ok 'trace: no GPU'
fi
cat >"$tmp/two.cu" <<'END'
#include <stdio.h>
#include <cuda_runtime.h>
int main(int argc, char **argv)
{
    int *h, *d;
    cudaStream_t s[2];
    cudaEvent_t e;
    cudaMallocHost(&h, 4096);
    cudaMalloc(&d, 4096);
    cudaStreamCreate(&s[0]);
    cudaStreamCreate(&s[1]);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice, s[0]);
    cudaEventRecord(e, s[0]);
    if (argc < 2)
        cudaStreamWaitEvent(s[1], e, 0);
    cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, s[1]);
    cudaDeviceSynchronize();
    cudaEventDestroy(e);
    cudaStreamDestroy(s[0]);
    cudaStreamDestroy(s[1]);
    cudaFree(d);
    cudaFreeHost(h);
    return argc > 2 ? 3 : 0;
}
END
build/bin/vgpucc -g "$tmp/two.cu" -o "$tmp/two" 2>"$tmp/err"
ok 'trace: a program for it is built'
trace "$tmp/two"
[ $rc -eq 0 ] && grep -q '^H2D .*1' "$tmp/out" &&
    grep -q 'Nothing overlaps' "$tmp/out" &&
    grep -q 'id=2 .* after=1\( \|$\)' "$tmp/build/traces/two.trace"
ok 'trace: the timeline, the sentence, and what comes after what'
[ -s "$tmp/build/traces/two.html" ] &&
    tail -n 1 "$tmp/out" | grep -q '^page: .*/two.html$'
ok 'trace: a page of it, named last'
! grep -q '^hazard' "$tmp/build/traces/two.trace"
ok 'trace: no hazard where an event orders the copies'
trace "$tmp/two" race
[ $rc -eq 86 ] && grep -q 'has hazards' "$tmp/out" &&
    grep -Eq '^hazard kind=read-write first_op=1 .* second_op=2 .*two.cu:17' \
        "$tmp/build/traces/two.trace" &&
    ! grep -q ' after=' "$tmp/build/traces/two.trace"
ok 'trace: a hazard is in the trace, with both operations and lines'
COLUMNS='' VGPU_CHECK=1 "$tmp/two" race 2>"$tmp/err"
grep -q '^  help    cudaEventRecord in .*; or one stream for both$' "$tmp/err"
ok 'a report in a file: its lines are whole'
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "stty cols 80; VGPU_CHECK=1 $tmp/two race" /dev/null \
        >"$tmp/out" 2>&1 </dev/null
    grep -q '^  help    cudaEventRecord in ' "$tmp/out" &&
        grep -q '^          cudaStreamWaitEvent in ' "$tmp/out" &&
        ! sed 's/.\[[0-9;]*m//g; s/\r//' "$tmp/out" | grep -q '.\{81\}'
    ok 'a report on a terminal: its lines end at words, in 80 columns'
else
    true
    ok 'a report on a terminal # SKIP no script command'
fi

# The same mistake twice, the second time in the picture.
cat >"$tmp/region.cu" <<'END'
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
int main()
{
    int *h, *d;
    cudaStream_t s[2];
    cudaMallocHost(&h, 4096);
    cudaMalloc(&d, 4096);
    cudaStreamCreate(&s[0]);
    cudaStreamCreate(&s[1]);
    for (int i = 0; i < 3; i++) {
        if (i == 1)
            cudaProfilerStart();
        cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice, s[0]);
        cudaMemcpyAsync(h, d, 4096, cudaMemcpyDeviceToHost, s[1]);
        cudaDeviceSynchronize();
        if (i == 1)
            cudaProfilerStop();
    }
    cudaStreamDestroy(s[0]);
    cudaStreamDestroy(s[1]);
    cudaFree(d);
    cudaFreeHost(h);
}
END
build/bin/vgpucc -g "$tmp/region.cu" -o "$tmp/region" 2>"$tmp/err"
trace "$tmp/region"
[ $rc -eq 86 ] && [ "$(grep -c '^vgpu: hazard' "$tmp/err")" -eq 1 ] &&
    [ "$(grep -c '^hazard' "$tmp/build/traces/region.trace")" -eq 1 ] &&
    grep -q '^hazard .* first_op=3 .* second_op=4 ' \
        "$tmp/build/traces/region.trace" &&
    grep -q '^hazard: .*region.cu:14, copy to the device in stream 1' "$tmp/out"
ok 'a hazard that repeats is told once, and drawn where the picture is'
VGPU_CHECK=0 trace "$tmp/two" race twice
[ $rc -eq 3 ] && grep -q 'ended with status 3' "$tmp/out"
ok "trace: VGPU_CHECK=0, and the program's status"

# ---- make sweep: the drawing, with a grader that has measured already ----

cat >"$tmp/build/bin/grade" <<'END'
#!/bin/sh
echo 'device backend=vgpu name=Some <GPU> & co'
for point in 1:2000 2:1200 4:900 8:2500; do
    echo "point streams=${point%:*} entries=99 rounds=1" \
        "student_ns=${point#*:}000 serial_ns=2000000 bound_ns=800000 wrong=0"
done
END
chmod +x "$tmp/build/bin/grade"
COLUMNS=70 run tools/sweep "$tmp/build" vgpu 08
[ $rc -eq 0 ] && grep -q '4    0.900 ms   2.22x .*best' "$tmp/out" &&
    grep -q 'limit    0.800 ms' "$tmp/out" &&
    [ "$(awk '!/picture/ && length > n { n = length } END { print n }' \
        "$tmp/out")" -le 210 ]
ok 'sweep: a line for each number of streams, the best, the limit'
grep -q '4 streams: 0.900 ms, 2.22x' "$tmp/build/sweep_08.svg" &&
    grep -q 'Some &lt;GPU&gt; &amp; co' "$tmp/build/sweep_08.svg" &&
    [ "$(grep -c '<circle' "$tmp/build/sweep_08.svg")" -eq 4 ]
ok 'sweep: the same as a picture'
cat >"$tmp/build/bin/grade" <<'END'
#!/bin/sh
echo 'device backend=vgpu name=Some GPU'
for point in 1:1:2000 1:2:1200 4:1:600 4:2:900; do
    streams=${point#*:}
    echo "point gpus=${point%%:*} streams=${streams%:*} entries=99 rounds=1" \
        "student_ns=${point##*:}000 serial_ns=2000000 bound_ns=500000 wrong=0"
done
END
COLUMNS=70 run tools/sweep "$tmp/build" vgpu 13
[ $rc -eq 0 ] && grep -q 'GPUs streams ' "$tmp/out" &&
    grep -q ' 4       1    0.600 ms   3.33x .*best' "$tmp/out" &&
    [ "$(grep -o 'd="M[^"]*M[^"]*"' "$tmp/build/sweep_13.svg" | wc -l)" -eq 1 ] &&
    grep -q '4 GPUs, 2 streams: 0.900 ms' "$tmp/build/sweep_13.svg"
ok 'sweep: a line for each number of GPUs'
printf '#!/bin/sh\necho "failed streams=1 why=it crashed"\nexit 1\n' \
    >"$tmp/build/bin/grade"
run tools/sweep "$tmp/build" vgpu 08
[ $rc -eq 1 ] && grep -q '1 streams: it crashed' "$tmp/err"
ok 'sweep: a run that fails is named'
VGPU_DEVICE=nope run tools/sweep "$tmp/build" vgpu 08
refused 2 "there is no device profile 'nope'"
ok 'sweep: an unknown device'
run tools/sweep "$tmp/build" vgpu ''
refused 2 'which lab?'
ok 'sweep: no lab'

echo "1..$count"
