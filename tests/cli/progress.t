#!/bin/bash
# progress.t: what make, make grade, quiz, hint, solution and clean remember
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset FORCE NO_COLOR MAKEFLAGS MAKELEVEL MFLAGS
export SEED=0 # a quiz in the order of its file
for tool in results report; do
    if [ ! -x build/bin/$tool ]; then
        echo "1..0 # SKIP build/bin/$tool is not built"
        exit 0
    fi
done
run() {
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
refused() { # STATUS TEXT: one line of error, nothing else
    [ $rc -eq "$1" ] && [ ! -s "$tmp/out" ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "$2" "$tmp/err"
}
has() { grep -qF -- "$1" "$tmp/out"; }

# A repository with two labs and a grader that says what it is told to.
mkdir -p "$tmp"/place/build/bin
cp -R tools labs solutions "$tmp/place"
rm -rf "$tmp"/place/labs/[0-9]* && cp -R labs/08_uneven_chunks "$tmp/place/labs"
cp build/bin/results build/bin/report "$tmp/place/build/bin"
cd "$tmp/place" || exit 1
tools/skeleton solutions/08_uneven_chunks/lab.cu >labs/08_uneven_chunks/lab.cu
cp -R labs/08_uneven_chunks labs/09_other
lab=08_uneven_chunks
progress=build/state/progress
cat >build/bin/grade <<'END'
#!/bin/sh
# grade --backend B --json FILE LAB, with STATUS, SCORE and ETA
[ "${STATUS:-0}" -lt 2 ] || { echo "grade: cannot" >&2; exit "$STATUS"; }
passed=false
[ "${STATUS:-0}" != 0 ] || passed=true
printf '{"labs": [{"lab": "%s", "backend": "vgpu", "passed": %s,
 "score": %s, "max_score": 100, "eta": %s, "checks": [{"name": "fast",
 "passed": %s, "line": "seen", "diagnosis": "seen. TODO 1 is open",
 "diagnosis_id": "x", "read": "What to do"}]}]}\n' \
    "$5" $passed "${SCORE:-100}" "${ETA:-null}" $passed >"$4"
echo "graded $5"
exit "${STATUS:-0}"
END
chmod +x build/bin/grade
grade() { # STATUS SCORE ETA [LAB]
    run env STATUS="$1" SCORE="$2" ETA="$3" tools/grade-lab build vgpu \
        "${4:-08}"
}
report_says() { grep -qF -- "$1" build/report.html; }
row() { # LAB: its row of the table, single spaces
    tools/next 08_uneven_chunks 09_other 2>"$tmp/err" | tr -s ' ' |
        grep "^$1 " | sed 's/ $//'
}

# ---- grades ----

[ "$(row $lab)" = "$lab no - - 0 - TODO 1" ]
ok 'before the first grade'
grade 1 40 null
[ $rc -eq 1 ] && has 'attempt 1, best 40 of 100 points' &&
    [ "$(row $lab)" = "$lab no 40/100 - 1 - TODO 1" ]
ok 'an attempt is counted'
grade 1 85.5 0.612 && grade 1 60 0.3
[ "$(row $lab)" = "$lab no 85.5/100 0.612 3 - TODO 1" ]
ok 'the best score and eta stay'
[ "$(tools/progress show $lab)" = "$lab no 3 85.5 100 0.612 failed 60" ]
ok '... and the last verdict and score are known'
grade 2 0 null
[ $rc -eq 2 ] && [ "$(row $lab)" = "$lab no 85.5/100 0.612 3 - TODO 1" ]
ok 'what could not be graded is no attempt'
cp labs/$lab/lab.cu skeleton
grep -v 'TODO 1:' skeleton >labs/$lab/lab.cu
row $lab | grep -q 'TODO 2$'
ok 'the first open TODO is what is next'
grep -v TODO skeleton >labs/$lab/lab.cu
row $lab | grep -q 'make grade LAB=08$'
ok '... and without any, the grade'
run tools/solution 08
refused 1 'lab 08 is not passed yet: make grade LAB=08'
ok 'no solution before passing'
run env FORCE=1 tools/solution 8
[ $rc -eq 0 ] && has cudaStreamSynchronize && ! has TODO
ok '... but with FORCE=1'
grade 0 100 0.9
[ $rc -eq 0 ] && row $lab | grep -q "^$lab yes 100/100 0.900 4 - make quiz LAB=08"
ok 'passed'
grade 1 20 null
[ "$(row $lab)" = "$lab yes 100/100 0.900 5 - last grade 20" ]
ok '... stays passed, and the last grade is said'
run tools/report-labs build vgpu $lab 09_other
[ $rc -eq 0 ] && report_says 'passed before, last grade 20' &&
    report_says '<p>1 of 2 labs passed'
ok '... in the report too, in the same words'
mv build/results results
run tools/report-labs build vgpu $lab 09_other
[ $rc -eq 0 ] && report_says '<td class="verdict pass">passed</td>' &&
    report_says '<p>1 of 2 labs passed' &&
    tools/next $lab 09_other | grep -q '^1 of 2 passed'
ok '... and without its grade, as after make clean'
cp -R results build/results
run tools/solution 08
[ $rc -eq 0 ] && has cudaStreamSynchronize
ok 'the solution after passing'
run env STATUS=1 SCORE=5 tools/grade-lab build vgpu all
[ $rc -eq 1 ] && [ "$(grep -c '^  attempt' "$tmp/out")" -eq 2 ]
ok 'all labs graded, all counted'
[ "$(tail -n 3 "$tmp/out" | tr -s ' ')" = "$lab not passed 5 of 100 points
09_other not passed 5 of 100 points
0 of 2 passed" ]
ok '... and a line for each at the end'
run env STATUS=2 tools/grade-lab build vgpu '09 08'
[ $rc -eq 2 ] && grep -q "^$lab  *could not be graded$" "$tmp/out"
ok '... also of what could not be graded'

# ---- no lab named ----

cp $progress before
grade_plain() { # WANT: the line, and one lab
    run env STATUS=1 SCORE=5 tools/grade-lab build vgpu ''
    [ $rc -eq 1 ] && head -n 1 "$tmp/out" | grep -q "^$1" &&
        [ "$(grep -c '^graded' "$tmp/out")" -eq 1 ] && ! has ' of 2 passed'
}
grade_plain 'Lab 09: the next one to do\.'
ok 'make grade without a lab: the next one, and it says so'
: >build/bin/timeline && chmod +x build/bin/timeline
tools/run-lab build vgpu 08 >"$tmp/out" 2>&1
grade_plain 'Lab 08: make lab08 ran last\.'
ok '... after make lab08 that one'
tools/run-lab build vgpu 77 >"$tmp/out" 2>&1
grade_plain 'Lab 08: make lab08 ran last\.'
ok '... also when a lab that is not there was asked for since'
for tool in hint quiz; do
    run tools/each-lab --last '' tools/$tool {}
    [ $rc -eq 0 ] && head -n 1 "$tmp/out" | grep -q '^Lab 08: make lab08 ran'
    ok "... and so does make $tool"
    run tools/each-lab --last 9 tools/$tool {}
    [ $rc -eq 0 ] && ! has 'ran last'
    ok "... which takes what is named"
done
cp -R build/bin bin
tools/clean build >"$tmp/out"
mkdir -p build && mv bin build/bin
grade_plain 'Lab 08: make lab08 ran last\.'
ok '... after make clean too'
for content in 03_gone '' "$(printf '../08\n08')" ' -x'; do
    echo "$content" >build/state/lab
    grade_plain 'Lab 09: the next one to do\.'
    ok "... but not what is none, ${content//$'\n'/ }"
done
rm build/state/lab
grade 0 100 0.9 09
run tools/grade-lab build vgpu ''
refused 2 'which lab? all have passed'
ok '... and none where all have passed'
mv before $progress

# ---- a file that was cut short, damaged or written by two ----

cp $progress whole
lines=$(wc -l <whole)
size=$(wc -c <whole)
last=$(tail -n 1 whole | wc -c)
wrong=0
for cut in $(seq $((size - last)) "$size"); do
    head -c "$cut" whole >$progress
    want=5
    [ "$cut" -lt $((size - 1)) ] || want=6
    shown=$(tools/progress show 2>"$tmp/err" | awk '{ n += $3 } END { print n }')
    [ "$shown" = $((want + 1)) ] || [ "$shown" = $want ] || wrong=$((wrong + 1))
    case $cut in *[05]) ;; *) continue ;; esac
    tools/progress add 09_other failed 7 100 - vgpu 2>/dev/null
    [ "$(tools/progress show $lab 2>&1)" = \
        "$lab yes 6 100 100 0.900 failed 5" ] || wrong=$((wrong + 1))
    [ "$(tools/progress show 2>&1 | grep -c damaged)" = 0 ] ||
        wrong=$((wrong + 1))
done
[ $wrong -eq 0 ]
ok 'cut short anywhere in the last line: the rest counts, the next mends it'
{
    head -n 4 whole
    printf 'garbage \001\377\n2026-11-20T07:07:16Z 08_uneven_chunks 9 passed'
    printf ' 100/100 0.9 vgpu 00000000\n'
    tail -n +5 whole | tr 6 7
    tail -n 1 whole
} >$progress
run tools/progress show
[ $rc -eq 0 ] && grep -q damaged "$tmp/err" && [ "$(wc -l <"$tmp/out")" -ge 1 ]
ok 'damaged lines are left out, and that is said'
cp whole $progress
for i in 1 2 3 4; do
    tools/progress add $lab failed $i 100 - vgpu &
done
wait
[ "$(grep -c '^2' $progress)" -eq $((lines - 2 + 4)) ] &&
    [ -z "$(tools/progress show 2>&1 >"$tmp/out")" ]
ok 'four at a time: every line is there'
head -c $((size - 7)) whole >$progress
for i in {1..40}; do
    tools/progress add $lab failed $i 100 - vgpu &
done 2>"$tmp/err"
wait
[ "$(grep -c '^2' $progress)" -eq $((lines - 3 + 40)) ] && [ ! -s "$tmp/err" ] &&
    [ -z "$(tools/progress show 2>&1 >"$tmp/out")" ] &&
    [ "$(ls -A build/state | grep progress)" = progress ]
ok 'forty at a time beside a line that was cut short: only that one is lost'
(
    ulimit -f 1
    head -c $((size - 7)) whole >$progress
    for i in {1..20}; do
        cp $progress "$tmp/before"
        tools/progress add $lab failed 1 100 - vgpu || break
    done
    ! tools/progress add $lab failed 1 100 - vgpu && cmp -s $progress "$tmp/before"
) >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && [ "$(sort -u "$tmp/err")" = "progress: cannot write $progress; \
this attempt is not counted" ] && [ "$(ls -A build/state | grep progress)" = progress ] &&
    [ -z "$(tools/progress show 2>&1 >"$tmp/out")" ]
ok 'no room for another line: one line says so, and the file is as it was'
cp whole $progress
good=$((lines - 2)) lost=0
for delay in 0 .002 .004 .006 .008 .01 .012 .014 .016 .02 .03; do
    tools/progress add $lab failed 1 100 - vgpu 2>/dev/null &
    victim=$!
    sleep $delay
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
    now=$(tools/progress show 2>"$tmp/err" | awk '{ n += $3 } END { print n }')
    [ -s "$tmp/err" ] && lost=$((lost + 1))
    [ "$now" -ge "$good" ] || lost=$((lost + 1))
    good=$now
done 2>/dev/null
[ $lost -eq 0 ]
ok 'kill -9 at any moment loses nothing'

# ---- quiz, hints, clean ----

printf '3\n4\n3\n2\n1\n4\n' | tools/quiz 08 >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && has '6 of 6 right' && [ "$(cat build/state/quiz/08)" = '6 6' ]
ok 'a quiz with all answers right'
row $lab | grep -q ' 6/6 last grade [0-9]*$'
ok '... is in the table'
tools/hint 08 1 >"$tmp/out" && has 'make hint LAB=08 TODO=1' &&
    [ -s build/state/hints/08 ]
ok 'hints are remembered'
mkdir -p build/obj && : >build/obj/x.o
run tools/clean build
[ $rc -eq 0 ] && [ ! -e build/obj ] && [ ! -e build/bin ] &&
    [ -s $progress ] && has 'kept build/state, your progress'
ok 'make clean keeps progress, and says so'
mkdir -p build/results && cp results/08.json build/results
run tools/progress forget
[ $rc -eq 0 ] && has forgotten && [ ! -e build/state ] &&
    [ ! -e build/results ]
ok 'make forget'
run tools/clean build
[ $rc -eq 0 ] && [ ! -s "$tmp/out" ] && [ ! -e build ]
ok 'make clean without progress'

# ---- what can be wrong ----

run tools/next
[ $rc -eq 0 ] && has 'no labs'
ok 'no labs at all'
for tool in 'grade-lab build vgpu' quiz solution hint 'watch build vgpu'; do
    # shellcheck disable=SC2086
    run tools/$tool 77
    [ $rc -ne 0 ] && refused $rc "there is no lab '77'; labs: 08_uneven_chunks"
    ok "${tool%% *}: an unknown lab"
done
run tools/quiz ''
refused 2 'which lab?'
ok 'quiz: no lab named'
rm labs/$lab/lab.cu
mkdir -p build/bin
for tool in grade-lab watch; do
    run tools/$tool build vgpu 08
    refused 2 'lab.cu is missing; make reset LAB=08'
    ok "$tool: a lab.cu that is gone"
done
row $lab | grep -q 'make reset LAB=08$'
ok '... is in the table'
mv labs/$lab/quiz.md quiz.md
run tools/quiz 08
refused 2 'has no quiz'
ok 'quiz: no quiz.md'
mv quiz.md labs/$lab/quiz.md

# As someone who may not write here.
if [ "$(id -u)" != 0 ]; then
    other() { "$@"; }
elif setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
    other() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    chmod 755 "$tmp"
else
    other() { return 99; }
fi
mkdir -p build/results
chmod -R a+rX . && chmod a-w . build
if [ "$(id -u)" != 0 ] || [ "$(other id -u)" = 65534 ]; then
    run other tools/progress add 09_other failed 1 100 - vgpu
    refused 1 'progress: cannot write build/state/progress'
    ok 'a folder that cannot be written: progress'
    printf '3\n' | other tools/quiz 08 >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 0 ] && has 'Stopped after 1 of 6' &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q 'this score is not kept' "$tmp/err"
    ok '... quiz'
    run other tools/hint 08
    [ $rc -eq 0 ] && has 'TODO 1, hint 1' && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q 'cannot write' "$tmp/err"
    ok '... hint'
    run other tools/watch build vgpu 09
    refused 2 'watch: cannot write build/watch_09.txt'
    ok '... watch'
    chmod u+w build && rm -rf build/results && chmod a-w build
    run other tools/grade-lab build vgpu 09
    refused 2 'cannot make build/results'
    ok '... grade'
fi
chmod u+w . build
echo "1..$count"
