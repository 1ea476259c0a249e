#!/bin/bash
# demo.t: what a newcomer's terminal shows: make demo, make labNN, make help, in
# 80 columns; and that a demo leaves a student's files alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset FORCE COLUMNS V LAB VGPU_CHECK VGPU_TRACE VGPU_DEVICE VGPU_COUNT \
    NO_COLOR MAKEFLAGS MAKELEVEL MFLAGS
export LC_ALL=C.UTF-8 TERM=xterm
if [ ! -x build/bin/grade ] || [ ! -x build/bin/report ]; then
    echo "1..0 # SKIP the grader is not built"
    exit 0
fi
labs=$(find labs -maxdepth 1 -name '[0-9][0-9]_*' | wc -l)

# A place with three labs and a student's files in its own build/.
place=$tmp/place
mkdir -p "$place/labs" "$place/build/state"
cp -R build/bin build/lib "$place/build/"
cp -R labs/0[128]_* labs/mistakes.md "$place/labs"
for folder in common grader solutions tests tools vgpu; do
    ln -s "$root/$folder" "$place/$folder"
done
cd "$place" || exit 1
tools/grade-lab build vgpu 08 >/dev/null 2>&1
tools/report-labs build vgpu 08_uneven_chunks >/dev/null 2>&1
mine() {
    find labs build/results build/traces build/state build/report.html \
        -type f -exec cksum {} +
}
mine >"$tmp/mine"
wide() { # lines of the output that 80 columns do not hold, colours aside
    sed 's/[·█▓░]/./g; s/\x1b\[[0-9;]*[mK]//g; s/.*\r\([^\r]\)/\1/; s/\r*$//' "$tmp/out" |
        awk 'length > 80 { print; bad = 1 } END { exit !bad }' >"$tmp/err"
}

tools/demo build vgpu >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && [ ! -s "$tmp/err" ] &&
    grep -q '^the solution.*1.124 ms  (1.99x as fast)$' "$tmp/out" &&
    grep -q '^01 meet the device  *passed  *02 async launch  *1.9x of 2.0x$' \
        "$tmp/out"
ok 'demo: a timeline before and after, and how fast the other solutions are'
# Two labs on a line; one line of 24 is the prompt's.
[ $(($(wc -l <"$tmp/out") - 2 + (labs + 1) / 2)) -le 23 ] && ! wide
ok "demo: with $labs labs on one screen of 80 columns and 24 lines"
tail -n 1 "$tmp/out" | grep -q 'build/demo/index.html' &&
    [ -s build/demo/index.html ] && [ -s build/demo/08_timeline.html ]
ok 'demo: the pages are there, and named last'
mine | cmp - "$tmp/mine" >"$tmp/err" 2>&1
ok "demo: a student's grades, timelines and report are as they were"
grep -q 'the solution passes' build/demo/index.html &&
    ! grep -q 'Your lab.cu' build/demo/index.html &&
    grep -q '<p>Of the reference solutions, 3 of 3 passed' build/demo/index.html
ok "demo: its page is about the solutions, and not about the student's file"
tools/demo build vgpu 8 >"$tmp/out" 2>&1
[ $? -eq 0 ] && grep -q 'passed: 100 of 100 points' "$tmp/out" &&
    grep -q '^the solution  1.124 ms  (1.99x as fast)$' "$tmp/out" && ! wide &&
    mine | cmp -s - "$tmp/mine"
ok 'demo LAB=08: its checks and its timeline'
# One thing has one number: the grade's, in the JSON, on the screen and the page.
speed=$(sed -n 's/.*"speedup": \([0-9.]*\),/\1/p' build/demo/08.json)
speed=$(printf '%.2f' "$speed")
grep -q "^lowest of all its cases: ${speed}x as fast\.$" "$tmp/out" &&
    grep -q "The reference solution is ${speed}x as fast as without" \
        build/demo/index.html &&
    grep -q "yours $(printf '%.1f' "$speed")x, limit" "$tmp/out"
ok "demo LAB=08: the grade's speed is the same everywhere, and said to be its own"
tools/demo build vgpu 99 >"$tmp/out" 2>&1
[ $? -eq 2 ] && grep -q "there is no lab '99'" "$tmp/out"
ok 'demo LAB=99: there is none'
V=1 tools/demo build vgpu >"$tmp/out" 2>&1
[ $? -eq 0 ] && [ "$(grep -c 'passed: 100 of 100' "$tmp/out")" -eq 3 ]
ok 'demo V=1: everything of all'

# ---- make labNN WITH=: another run above ----

lab=08_uneven_chunks
mkdir -p labs/$lab build/traces
rm -f build/traces/*
solve() { (cd "$root" && tools/skeleton --solution solutions/$lab/lab.cu); }
with() { # WITH: what make lab08 draws then
    WITH=$1 tools/run-lab build vgpu 08 >"$tmp/out" 2>&1
}
cp "labs/$lab/lab.cu" "$tmp/kept.cu"
cp "$root/$(cd "$root" && tools/submission \
    tests/corpus/$lab/wrong/sync_in_loop.diff)" labs/$lab/lab.cu
with ''
with before
[ $? -eq 2 ] && grep -q 'WITH=before: there is no such run' "$tmp/out"
ok 'WITH=before: there is none yet'
with solution
[ $? -eq 2 ] && grep -q 'lab 08 is not passed yet' "$tmp/out"
ok 'WITH=solution: not before the lab is passed'
FORCE=1 with solution
grep -q '^the solution  1.124 ms$' "$tmp/out" &&
    grep -q '^your lab.cu .*(takes 2\.[0-9]*x as long)$' "$tmp/out" &&
    grep -q '<dt>your lab.cu: .*, takes 2.[0-9]*x as long</dt>' build/lab08.html &&
    grep -q 'It takes 1\.[0-9]* ms more\. What differs: two or more' \
        build/lab08.html &&
    grep -q '<title>Lab 08: [a-z ]*. Timeline: the solution, your lab.cu<' \
        build/lab08.html
ok 'WITH=solution: both on one scale, and the difference in a sentence'
touch -t 202611220900 build/traces/08_student.trace
solve >labs/$lab/lab.cu
with 2026-11-22
[ $? -eq 0 ] && grep -q '^2026-11-22  2\.[0-9]* ms$' "$tmp/out" &&
    grep -q '^your lab.cu  1.124 ms  (2\.[0-9]*x as fast)$' "$tmp/out"
ok "WITH=a day: that day's last run above today's"
# The grader's clock and the drawing.
with ''
for pair in 'without overlap:one after the other' 'your lab.cu:your version'; do
    ms=$(sed -n "s/^${pair%:*}  \([0-9.]* ms\).*/\1/p" "$tmp/out")
    [ -n "$ms" ] && grep -q "^  ${pair#*:}  *$ms  " "$tmp/out" || break
done
ok 'a table of times has the numbers of the timelines below it'
with before
[ $? -eq 0 ] && grep -q '^before  2\.[0-9]* ms$' "$tmp/out"
ok 'WITH=before: the run before the file was changed'
cp "$root/$(cd "$root" && tools/submission \
    tests/corpus/$lab/wrong/leaks_an_event.diff)" labs/$lab/lab.cu
with ''
touch -t 202611220900 build/traces/08_student.trace
solve >labs/$lab/lab.cu
with before
grep -q '^your lab.cu .*(not compared: "clean" failed above)$' "$tmp/out"
ok 'WITH=before: a run that was wrong is compared with nothing'
with "$root/tests/traces/serial.trace"
grep -q '^serial  14.56 ms$' "$tmp/out"
ok 'WITH=FILE: any trace'
cp "$tmp/kept.cu" labs/$lab/lab.cu

# ---- make labNN ----

# What is on a terminal's lines in the end, with what was overwritten gone.
on_screen() {
    perl -ne 's/\r*\n$//; my ($at, @cells) = (0);
        while (/\G(?:(\r)|(\e\[K)|(\e\[[0-9;]*m)|(.))/g) {
            if ($1) { $at = 0 } elsif ($2) { $#cells = $at - 1 }
            elsif (!$3) { $cells[$at++] = $4 }
        }
        print map({ $_ // " " } @cells), "\n"' "$tmp/out"
}
seen() { # COMMAND: as on a terminal of 80 columns
    script -qec "stty cols 80 rows 24; $1" /dev/null >"$tmp/out" 2>&1 </dev/null
}
if command -v script >/dev/null 2>&1; then
    seen 'tools/run-lab build vgpu 08'
    grep -q "$(printf '\033\[31mNO\033\[0m  right: divisible')" "$tmp/out" &&
        tail -n 1 "$tmp/out" | grep -q 'your source lines: build/lab08.html' &&
        [ -s build/lab08.html ] && ! grep -q 'NOT' "$tmp/out"
    ok 'make lab08: what is wrong is marked NO in red, its page is named last'
    ! wide
    ok 'make lab08: nothing is wider than a terminal'
    cp "$root/$(cd "$root" && tools/submission \
        tests/corpus/08_uneven_chunks/wrong/sync_last_stream_only.diff)" \
        labs/08_uneven_chunks/lab.cu
    seen 'tools/run-lab build vgpu 08'
    grep -q '^hazard: labs/08_uneven_chunks/lab.cu:[0-9]*, copy to the host' \
        "$tmp/out" && tail -n 1 "$tmp/out" | grep -q '^each hazard as an arrow'
    ok 'make lab08: a hazard with its lines, and where to see it'
    ! wide
    ok '... in 80 columns'
    seen 'tools/grade-lab build vgpu 02'
    ! wide && grep -q "$(printf '\033\[31mNO\033\[0m')" "$tmp/out"
    ok 'make grade: in 80 columns and colours'
    # What goes on stands nowhere, nor beside the words that come after it.
    { solve && echo 'int number = ;'; } >labs/08_uneven_chunks/lab.cu
    for tool in 'run-lab build vgpu 08' 'grade-lab build vgpu 08' \
        'sweep build vgpu 08'; do
        seen "tools/$tool"
        case $tool in
        run-lab*) first='labs/08_uneven_chunks/lab.cu does not compile:' ;;
        grade-lab*) first='lab 08_uneven_chunks on the virtual GPU' ;;
        sweep*)
            first="labs/08_uneven_chunks/lab.cu does not compile \
(make grade LAB=08)."
            ;;
        esac
        grep -q 'building' "$tmp/out" && ! on_screen | grep -q 'building' &&
            [ "$(on_screen | head -n 1)" = "$first" ]
        ok "${tool%%-*} does not compile: the line of what goes on is gone"
    done
    seen "export TERM=xterm; tools/building cc a/long; tools/building; echo '\$'"
    [ "$(on_screen)" = '$' ]
    ok 'what make builds: that line is gone at the end'
else
    true
    ok 'make lab08, make grade on a terminal # SKIP no script command'
fi
cp "$root/$(cd "$root" && tools/submission \
    tests/cheats/any_lab/infinite_loop.diff)" labs/08_uneven_chunks/lab.cu
tools/run-lab build vgpu 08 >"$tmp/out" 2>&1
[ $? -eq 1 ] && [ ! -f build/traces/08_student.trace ] &&
    grep -q 'no timeline of your lab.cu: it had to be stopped' "$tmp/out"
ok 'make lab08: what does not end is not run once more to be drawn'
cp "$tmp/kept.cu" labs/08_uneven_chunks/lab.cu

# ---- make help, make doctor ----

cd "$root" || exit 1
make -s help >"$tmp/out" 2>&1
! wide && grep -q '^  labNN ' "$tmp/out" && grep -q '^  demo ' "$tmp/out" &&
    grep -q '^developers:$' "$tmp/out"
ok 'help: in 80 columns, in sections'
tools/doctor >"$tmp/out" 2>&1
! wide && ! grep -q '^  -  .* yes ' "$tmp/out"
ok 'doctor: in 80 columns, what works is marked ok'

echo "1..$count"
