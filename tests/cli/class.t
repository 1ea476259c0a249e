#!/bin/bash
# class.t: make grade-class, with a grader that misbehaves, then with ours
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset OUT LIMIT NO_COLOR
if [ ! -x build/bin/results ]; then
    echo "1..0 # SKIP build/bin/results is not built"
    exit 0
fi
run() {
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
refused() { # STATUS TEXT: one line of error, nothing else
    [ $rc -eq "$1" ] && [ ! -s "$tmp/out" ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "$2" "$tmp/err"
}
has() { grep -qF -- "$1" "$tmp/out"; }

# ---- a grader that does what the submission says ----

place=$tmp/place
mkdir -p "$place/labs/08_uneven_chunks" "$place/build/bin" "$tmp/in"
cp -R tools "$place" && cp build/bin/results "$place/build/bin"
cat >"$place/build/bin/grade" <<'END'
#!/bin/sh
# grade --backend B --file FILE --json JSON LAB
file=$4 json=$6
echo "$file" >>"${CALLS:-/dev/null}"
slow='slow. Use, \"streams\"\nor not'
case $(cat "$file") in
flags) passed=false score=0 status=1 slow=$(cat "${file%/*}/flags") ;;
meet)
    touch "$CALLS.$$"
    for _ in 1 2 3 4 5 6 7 8 9; do
        [ -e "$(ls "$CALLS".* | sed -n 2p)" ] && break
        sleep 0.2
    done
    [ -e "$(ls "$CALLS".* | sed -n 2p)" ] || exit 9
    passed=true score=100 status=0
    ;;
spoil) echo '/* */' >>"${0%/*}/../../common/helper.h"; passed=true score=100 status=0 ;;
add) echo >"${0%/*}/../../common/stdio.h"; passed=true score=100 status=0 ;;
later) touch "${0%/*}/../../common/helper.h"; passed=true score=100 status=0 ;;
long) head -c 100000 /dev/zero | tr '\0' ' ' >"$json" || exit 2 ;;
pass) passed=true score=100 status=0 ;;
fail) passed=false score=42.5 status=1 ;;
die) kill -9 $$ ;;
crash) kill -SEGV $$ ;;
hang) exec sleep 60 ;;
torn) echo '{"labs": [' >"$json"; exit 0 ;;
*) echo "grade: it cannot be graded, \"really\"" >&2; exit 2 ;;
esac
printf '{"labs": [{"lab": "%s", "backend": "vgpu",
 "device": "K20", "passed": %s, "score": %s, "max_score": 100, "eta": 0.5,
 "speedup": 1.5, "seconds": 1, "checks": [{"name": "fast", "passed": %s,
 "line": "slow", "diagnosis": "%s",
 "diagnosis_id": "x"}]}]}\n' "$7" $passed $score $passed "$slow" >"$json" || exit 2
exit $status
END
chmod +x "$place/build/bin/grade"
cd "$tmp/in" || exit 1
put() { # CONTENT FILE
    mkdir -p "$(dirname "$2")" && printf '%s' "$1" >"$2"
}
put pass ann.cu
put fail 'bob, "the" builder/lab.cu'
put die carl.cu
put crash "dän.cu"
put hang eve/only.cu
put torn fay.cu
put odd './-g rm.cu'
put pass 'hal/labs/08_uneven_chunks/lab.cu'
put pass 'ida/a.cu'; put pass 'ida/b.cu'
mkdir jon
ln -s ../ann.cu kim.cu
mkdir lea && ln -s ../ann.cu lea/lab.cu
put pass $'mia\nnewline.cu'
put pass '=1+1.cu'
put pass $'bad\377.cu'
put text README.txt
put pass .hidden.cu
put pass zoe.cu
cd "$root" || exit 1
class() { # runs it in the place
    run env LIMIT=2 OUT="$tmp/made" "$place/tools/grade-class" build vgpu "$@"
}
class 08 "$tmp/in"
csv=$tmp/made/grades.csv
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] &&
    has '7 graded, 6 passed, 10 without a grade:'
ok 'everything is graded, to the last'
if perl -e 1 2>/dev/null; then
    # RFC 4180: read it strictly, print STUDENT|STATUS|SCORE|DIAGNOSIS.
    perl -0777 -e '
        $_ = <STDIN>;
        my $field = qr/"(?:[^"]|"")*"|[^",\n]*/;
        my @rows;
        while (/\G((?:$field,)*$field)\n/gc) {
            my @f = map { s/^"(.*)"$/$1/s; s/""/"/g; $_ }
                $1 =~ /\G($field)(?:,|$)/g;
            pop @f while @f > 17 && $f[-1] eq "";
            push @rows, \@f;
        }
        die "not CSV at " . pos() . "\n" unless pos() == length;
        for (@rows) {
            die "row of " . @$_ . " fields: @$_\n" unless @$_ == 17;
            print join("|", @$_[0, 2, 3, 12]), "\n";
        }' <"$csv" >"$tmp/rows" 2>"$tmp/err"
    ok 'grades.csv is CSV with 17 columns in each row'
    cp "$tmp/rows" "$tmp/out"
    [ "$(wc -l <"$tmp/rows")" -eq 18 ] &&
        has 'ann|passed|100|' &&
        has 'bob, "the" builder|not passed|42.5|fast: Use, "streams" or not' &&
        has 'zoe|passed|100|' && has 'hal|passed|100|'
    ok '... with the points, and the mistake in one line'
    has 'carl|not graded||the grader ended with status 137'
    ok '... a grader that was killed'
    has 'dän|not graded||the grader ended with status 139' &&
        has 'eve|not graded||no grade within 2 seconds' &&
        has 'fay|not graded||line 2'
    ok '... one that crashed, one that hung, a torn grade'
    has '-g rm|not graded||it cannot be graded, "really"'
    ok "... and the grader's own reason"
    has 'ida|not graded||more than one .cu file' && has 'jon|no file|0|no file'
    ok '... two files, no file'
    has 'kim|not graded||a link' && has 'lea|not graded||a link'
    ok '... links are not followed'
    has "'=1+1|passed" && has "'-g rm|" && has 'mia newline|passed' &&
        ! has hidden && has 'README|not graded||README.txt is no submission'
    ok '... names that could do harm, and what is no submission'
else
    for skipped in 1 2 3 4 5 6 7 8; do
        count=$((count + 1))
        echo "ok $count # SKIP no perl"
    done
fi
LC_ALL=C grep -q "$(printf '\377')" "$csv"
[ $? -ne 0 ]
ok 'grades.csv is UTF-8'
[ -z "$(find "$tmp/made" -name '.*' ! -name .tools)" ]
ok 'nothing is left over'

put hang "$tmp/in2/b.cu" && put pass "$tmp/in2/a.cu" && put pass "$tmp/in2/c.cu"
export CALLS=$tmp/calls
# Interrupted when a grade is there, and make not told yet.
mv "$place/build/bin/results" "$place/build/bin/quick"
printf '%s\n' '#!/bin/sh' '"${0%/*}/quick" "$@" || exit' \
    '[ "$1" != end ] || sleep "${LINGER:-0}"' >"$place/build/bin/results"
chmod +x "$place/build/bin/results"
LINGER=2 JOBS=2 LIMIT=60 OUT="$tmp/made2" "$place/tools/grade-class" build vgpu 08 "$tmp/in2" \
    >"$tmp/out" 2>"$tmp/err" </dev/null &
class=$!
for _ in {1..100}; do
    [ -e "$tmp/made2/08/a.json" ] && [ -e "$tmp/made2/08/c.json" ] && break
    sleep 0.2
done
kill -TERM $class
wait $class
[ $? -eq 2 ] && grep -q '^"a",.*,passed,' "$tmp/made2/grades.csv" &&
    grep -q '^"b",.*,to do,,.*"not graded yet"' "$tmp/made2/grades.csv" &&
    has '2 graded, 2 passed, 0 without a grade, 1 still to do:' && grep -qx 'stopped; .*' "$tmp/err"
ok 'interrupted: the rows so far are kept'
! grep -qzsF "$place/tools/grade-class" /proc/[0-9]*/cmdline
ok '... and no grading goes on unseen'

# again N [VARIABLE=VALUE]: the same round again grades N submissions.
again() {
    local wanted=$1
    shift
    : >"$CALLS"
    run env OUT="$tmp/made2" "$@" "$place/tools/grade-class" build vgpu 08 \
        "$tmp/in2"
    [ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && has '3 graded, 3 passed' &&
        [ "$(wc -l <"$CALLS")" -eq "$wanted" ]
}
put pass "$tmp/in2/b.cu"
again 1 && grep -q '^  1 of 1, [0-9.]* a second, 0 s left$' "$tmp/out"
ok '... it goes on where it stopped, and says how far it is'
again 0
ok '... and does nothing once all is done'
touch -d '2001-02-03' "$tmp/in2/a.cu"
again 0 && put $'pass\n' "$tmp/in2/a.cu" && touch -d '2001-02-03' "$tmp/in2/a.cu"
again 1
ok 'a submission that changed is graded again, whatever its date'
head -c 60 "$tmp/made2/08/a.json" >"$tmp/torn" && again 0
cp "$tmp/torn" "$tmp/made2/08/a.json" && again 1 && : >"$tmp/made2/08/a.json" &&
    again 1 && again 0
ok '... and one whose grade is torn'
echo '# another' >>"$place/build/bin/grade"
again 3 && again 3 FORCE=1 && again 0
ok '... and all, when what grades has changed, or with FORCE=1'
sleep 60 &
mkdir "$tmp/made2/.round" && echo $! >"$tmp/made2/.round/pid"
again 0
ok 'a round that was killed does not keep another one out'
kill $!
mkdir "$tmp/made2/.round" && echo 1 >"$tmp/made2/.round/pid"
bash -c 'cd "${2%/*}" || exit
    for ((i = 0; ; i++)); do : >"new.$i"; done 2>/dev/null' \
    "$place/build/bin/grade" --json "$tmp/made2/.round/7.json" &
sleep 0.2
again 0 && ! kill -0 $! 2>/dev/null && [ ! -e "$tmp/made2/.round" ]
ok '... nor do its graders, which are ended'
kill $! 2>/dev/null
mkdir "$tmp/made2/.round" && (
    echo "$BASHPID" >"$tmp/made2/.round/pid"
    exec -a grade-class sleep 60
) &
sleep 0.2
run env OUT="$tmp/made2" "$place/tools/grade-class" build vgpu 08 "$tmp/in2"
refused 2 'another round is at work'
ok '... and one at work does'
kill "$(cat "$tmp/made2/.round/pid")"
wait 2>/dev/null

# ---- one that changes what all are graded with ----

put x "$place/common/helper.h" && put x "$place/labs/08_uneven_chunks/lab.h"
in8=$tmp/in8
spoiled() { # JOBS CONTENT: four, of whom the second does that
    rm -rf "$in8" "$tmp/made8"
    put x "$place/common/helper.h" && rm -f "$place/common/stdio.h"
    put pass "$in8/ann.cu" && put "$2" "$in8/bob mac.cu"
    put pass "$in8/cy.cu" && put pass "$in8/dan.cu"
    run env OUT="$tmp/made8" JOBS="$1" "$place/tools/grade-class" build vgpu \
        08 "$in8"
}
for what in spoil:helper add:stdio; do
    spoiled 1 ${what%:*}
    [ $rc -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q "stopped: common/${what#*:}.h is not .*what ran: bob mac$" \
            "$tmp/err" && has '1 graded, 1 passed, 1 without a grade, 2 still'
    ok "a part of the lab is changed (${what%:*}): the round stops and says who"
done
grep -q '^"bob mac",.*,not graded,,' "$tmp/made8/grades.csv" &&
    [ ! -e "$tmp/made8/08/cy.json" ]
ok '... that one and later ones have no grade'
spoiled 4 spoil
[ $rc -eq 2 ] && grep -q 'what ran: .*bob mac' "$tmp/err" &&
    ! grep -q '"bob mac".*passed' "$tmp/made8/grades.csv"
ok '... several at a time: it is among those that ran'
put x "$place/common/helper.h" && put fail "$in8/bob mac.cu"
run env OUT="$tmp/made8" JOBS=1 "$place/tools/grade-class" build vgpu 08 "$in8"
[ $rc -eq 0 ] && has '4 graded, 3 passed, 0 without a grade:'
ok '... mended, the same command goes on'
spoiled 1 later
[ $rc -eq 0 ] && has '4 graded, 4 passed'
ok 'other times and the same content are no change'

# ---- several at a time ----

put meet "$tmp/in3/a.cu" && put meet "$tmp/in3/b.cu"
meet() { # COMMAND...: two that pass only if both are graded at once
    rm -rf "$tmp/made3" "$CALLS".*
    run env OUT="$tmp/made3" "$@" && has '2 graded, 2 passed' &&
        [ ! -s "$tmp/err" ]
}
meet JOBS=2 "$place/tools/grade-class" build vgpu 08 "$tmp/in3"
ok 'JOBS=2: two at a time'
! meet JOBS=1 "$place/tools/grade-class" build vgpu 08 "$tmp/in3"
ok '... and JOBS=1: one'
printf 'all:\n\t+@JOBS= tools/grade-class build vgpu 08 %s\n' "$tmp/in3" \
    >"$place/outer"
meet make -C "$place" --no-print-directory -j2 -f outer
ok "make -j2: the job server's"
! meet make -C "$place" --no-print-directory -j1 -f outer
ok '... and make -j1: one'

# ---- all labs ----

mkdir -p "$place/labs/05_default_stream" && touch "$place/labs/05_default_stream/flags"
in4=$tmp/in4
put flags "$in4/ann/labs/05_default_stream/lab.cu"
put --of-ann "$in4/ann/labs/05_default_stream/flags"
put pass "$in4/ann/labs/08_uneven_chunks/lab.cu"
put flags "$in4/bob/05.cu"
put --of-bob "$in4/bob/05.flags"
put pass "$in4/bob/08_uneven_chunks/lab.cu"
put pass "$in4/cy/08.cu" && put pass "$in4/cy/labs/08_uneven_chunks/lab.cu"
put flags "$in4/cy/05_default_stream/lab.cu"
put pass "$in4/dan.cu"
run env OUT="$tmp/made4" "$place/tools/grade-class" build vgpu all "$in4"
[ $rc -eq 0 ] && has '5 graded, 2 passed, 3 without a grade:' &&
    cp "$tmp/made4/grades.csv" "$tmp/out" &&
    grep -q '^"ann","05_.*"fast: --of-ann","ann/labs/05_.*/lab.cu","05/ann' \
        "$tmp/out" && grep -q '^"bob","05_.*"fast: --of-bob"' "$tmp/out" &&
    grep -q '^"cy","05_.*"fast: "' "$tmp/out"
ok 'LAB=all: repositories, folders of labs, and the flags of each'
grep -q '^"cy","08.*two files: labs/08_uneven_chunks/lab.cu and 08.cu' \
    "$tmp/out" && grep -q '^"dan","05_.*not graded.*which lab is it' "$tmp/out"
ok '... two files, a file of no lab'
put --new "$in4/bob/05.flags" && rm "$in4/ann/labs/05_default_stream/flags"
: >"$CALLS"
run env OUT="$tmp/made4" "$place/tools/grade-class" build vgpu all "$in4"
[ "$(wc -l <"$CALLS")" -eq 2 ] &&
    grep -q '"fast: --new"' "$tmp/made4/05/grades.csv" &&
    grep -q '^"ann",.*"fast: "' "$tmp/made4/05/grades.csv" &&
    [ "$(wc -l <"$tmp/made4/08/grades.csv")" -eq 5 ]
ok '... flags that changed, or went'

# ---- nobody gets a 0 for a name ----

in7=$tmp/in7
put pass "$in7/renamed.CU" && put pass "$in7/lab.cu.txt" && put x "$in7/cfile.c"
put x "$in7/report.pdf" && put x "$in7/Thumbs.db" && put x "$in7/desktop.ini"
put x "$in7/__MACOSX/._lab.cu" && put x "$in7/.DS_Store"
put pass "$in7/ann/lab08.cu" && put pass "$in7/ann/lab07.cu"
put pass "$in7/bob/LAB.CU" && put x "$in7/bob/Thumbs.db"
put pass "$in7/cy/Lab (1).cu.txt" && put x "$in7/cy/main.c"
put pass "$in7/dan/final/deep/my.cu" && put x "$in7/dan/report.pdf"
put x "$in7/eve/cfile.c" && put x "$in7/fay/report.pdf"
put pass "$in7/gus/lab07.cu" && put pass "$in7/hal/a.cu" && put x "$in7/hal/b.CU"
mkdir "$in7/ida" && put pass "$in7/ida/.lab.cu"
put pass "$in7/jon/course/labs/08_uneven_chunks/Lab.cu"
put x "$in7/jon/course/skeletons/08_uneven_chunks.cu"
run env OUT="$tmp/made7" "$place/tools/grade-class" build vgpu 08 "$in7"
names_are() { # "STUDENT: STATUS SCORE FILE OR REASON" of each row
    sed -En 's/^"([^"]*)","08[^,]*,([^,]*),([^,]*),.*,"([^"]*)","([^"]*)","[^"]*","[^"]*",$/\1: \2 \3 \5 \4/p' \
        "$tmp/made7/grades.csv" | sed 's/ fast: .*//' | diff - "$tmp/wanted" \
        >"$tmp/out" 2>&1
}
cat >"$tmp/wanted" <<'END'
ann: passed 100 ann/lab08.cu 
bob: passed 100 bob/LAB.CU 
cfile: not graded   cfile.c is no submission: cfile.cu is wanted, or a folder with lab.cu
cy: passed 100 cy/Lab (1).cu.txt 
dan: passed 100 dan/final/deep/my.cu 
eve: not graded   cfile.c is no submission: lab.cu is wanted
fay: not graded   report.pdf is no submission: lab.cu is wanted
gus: not graded   lab07.cu is of lab 07: lab.cu is wanted
hal: not graded  hal/a.cu more than one .cu file, and none is lab.cu: a.cu and b.CU
ida: no file 0  no file
jon: passed 100 jon/course/labs/08_uneven_chunks/Lab.cu 
lab: passed 100 lab.cu.txt 
renamed: passed 100 renamed.CU 
report: not graded   report.pdf is no submission: report.cu is wanted, or a folder with lab.cu
END
names_are
ok 'other names: what can be a submission is one, the rest is told what is wanted'
run env OUT="$tmp/made7" "$place/tools/class-report" build
[ $rc -eq 0 ] && for csv in canvas moodle blackboard; do
    grep -Eq '^"eve".*,("")?$' "$tmp/made7/$csv.csv" &&
        grep -Eq '^"ida".*,"?0"?$' "$tmp/made7/$csv.csv" || rc=1
done
[ $rc -eq 0 ] && grep -q 'cfile.c is no submission: lab.cu is wanted' \
    "$tmp/made7/report.html"
ok '... an empty cell for course sites and no 0, and a line of the report'
run env OUT="$tmp/made7" "$place/tools/grade-class" build vgpu all "$in7"
cat >"$tmp/wanted" <<'END'
ann: passed 100 ann/lab08.cu 
bob: not graded   LAB.CU says no lab: 08.cu is wanted
gus: no file 0  no file
END
sed -i -n '1p; /^"\(ann\|bob\|gus\)","08/p' "$tmp/made7/grades.csv"
names_are
ok '... of several labs, a number has to be in it'

# ---- what is no submission ----

in5=$tmp/in5
put pass "$in5/ann.cu" && put pass "$in5/ann/lab.cu"
put pass "$in5/x..\\..%2f..%2fzoe.cu" && put pass "$in5/zoe.cu"
put pass "$in5/$(printf '%0250d' 1).cu" && put pass "$in5/$(printf '%0251d' 1).cu"
truncate -s 2G "$in5/big.cu"
mkfifo "$in5/pipe.cu" && mkdir "$in5/dir" && ln -s /dev/zero "$in5/dir/lab.cu"
mkdir -p "$in5/eve/labs" &&
    ln -s ../../ann "$in5/eve/labs/08_uneven_chunks"
ln -s ann "$in5/fay"
run env OUT="$tmp/made5" "$place/tools/grade-class" build vgpu 08 "$in5"
[ $rc -eq 0 ] && has '4 graded, 4 passed, 6 without a grade:' &&
    [ ! -s "$tmp/err" ] && has 'ann                   08  not graded         -      -  handed in twice'
ok 'two of one student; names that lead elsewhere, names of 250 characters'
has 'too large: 2147483648 bytes' && has 'not a file' &&
    [ "$(grep -c 'a link, not a file' "$tmp/out")" -eq 3 ]
ok '... 2 GB, a pipe, links, also on the way'

full() { # on a disk of 96 KiB
    unshare -rm sh -c 'mount -t tmpfs -o size=96k tmpfs "$1" && shift && "$@"' \
        - "$tmp/disk" "$@"
}
mkdir "$tmp/disk"
if full true 2>/dev/null; then
    put pass "$tmp/in6/a.cu" && put long "$tmp/in6/b.cu"
    put pass "$tmp/in6/c.cu"
    run full env JOBS=1 OUT="$tmp/disk/made" sh -c '
        "$@" && cat "$OUT/grades.csv"' - \
        "$place/tools/grade-class" build vgpu 08 "$tmp/in6"
    [ $rc -eq 0 ] && has '2 graded, 2 passed, 1 without a grade' &&
        grep -q '^"b",.*not graded,' "$tmp/out"
    ok 'a full disk: the rest is graded'
    head -c 200000 /dev/zero >"$tmp/fill"
    run full sh -c 'mkdir "$2" && echo old >"$2/grades.csv"
        cat "$1" >"$2/../fill" 2>/dev/null
        shift && OUT=$1 && export OUT && shift
        "$@"; echo $?; rm "${OUT%/*}/fill"; cat "$OUT/grades.csv"' - "$tmp/fill" "$tmp/disk/made" \
        "$place/tools/grade-class" build vgpu 08 "$tmp/in6"
    [ "$(xargs <"$tmp/out")" = '2 old' ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q 'cannot write to' "$tmp/err"
    ok '... and what was there stays'
else
    for skipped in 1 2; do
        count=$((count + 1))
        echo "ok $count # SKIP no tmpfs can be mounted"
    done
fi

class 08 "$tmp/none"
refused 2 "$tmp/none is no folder"
ok 'a folder that is not there'
class 08 ''
refused 2 'which folder?'
ok 'no folder named'
class 99 "$tmp/in"
refused 2 "there is no lab '99'"
ok 'an unknown lab'
mkdir "$tmp/empty"
class 08 "$tmp/empty"
[ $rc -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
    [ ! -s "$tmp/out" ] && grep -q 'there is no submission' "$tmp/err"
ok 'an empty folder'
run env OUT=/proc/none "$place/tools/grade-class" build vgpu 08 "$tmp/in"
refused 2 'cannot write to /proc/none'
ok 'a folder that cannot be written'

# ---- the real one ----

if [ -x build/bin/grade ] && [ -x build/bin/vgpucc ]; then
    in=$tmp/real
    mkdir "$in"
    tools/skeleton --solution solutions/08_uneven_chunks/lab.cu >"$in/right.cu"
    tools/skeleton solutions/08_uneven_chunks/lab.cu >"$in/begun.cu"
    echo 'this is no program' >"$in/broken.cu"
    sed 's/^{$/{ *(volatile int *)8 = 1;/' "$in/right.cu" >"$in/crash.cu"
    run env OUT="$tmp/graded" tools/grade-class build vgpu 08 "$in"
    [ $rc -eq 0 ] && has '4 graded, 1 passed, 0 without a grade' &&
        grep -q '^"right","08_uneven_chunks",passed,100,100,100,' \
            "$tmp/graded/grades.csv" &&
        grep -q '^"crash",.*,not passed,5,' "$tmp/graded/grades.csv" &&
        grep -q '^"broken",.*,not passed,0,' "$tmp/graded/grades.csv" &&
        grep -q '^"begun",.*TODO 1' "$tmp/graded/grades.csv"
    ok 'right, begun, broken and crashing submissions, with the real grader'
    grep -q 'first message names\.\\nlab\.cu:1: error: .*this' \
        "$tmp/graded/08/broken.json" && ! grep -qF "$tmp" "$tmp"/graded/08/*.json
    ok "... whose messages say lab.cu:1, and not in whose folder"

    # One compiles long and hangs, and beside it one reads what others are called
    # with; so does this script, all the time.
    in=$tmp/fence any=tests/cheats/any_lab
    mkdir "$in"
    { cat "$(tools/submission $any/infinite_loop.diff)" &&
        seq 5000 | sed 's/.*/int f&(int a) { return a * &; }/'; } \
        >"$in/nachbarin.cu"
    cp "$(tools/submission $any/reads_command_lines.diff)" "$in/spy.cu"
    JOBS=2 OUT="$tmp/fenced" tools/grade-class build vgpu 08 "$in" \
        >"$tmp/out" 2>"$tmp/err" </dev/null &
    class=$!
    while kill -0 $class 2>/dev/null; do
        cat /proc/[0-9]*/{cmdline,environ} 2>/dev/null | tr '\0' ' ' >>"$tmp/seen"
        sleep 0.01
    done
    wait $class
    grep -o '.\{0,90\}nachbarin' "$tmp/seen" >"$tmp/out"
    grep -q "vgpucc .*$tmp/fenced/.round/[0-9]*/lab.cu" "$tmp/seen" &&
        [ "$(grep -o "bin/grade --backend [^ ]* --file $tmp/fenced/[^ ]*/lab.cu" \
            "$tmp/seen" | sort -u | wc -l)" -ge 1 ] &&
        ! grep -q nachbarin "$tmp/seen"
    ok 'no command line and no environment has the name of a student'
    grep -q '^"nachbarin".*,"hang",' "$tmp/fenced/grades.csv" &&
        grep -q '^"spy",.*,"early-exit",' "$tmp/fenced/grades.csv"
    ok '... nor does another submission find it there'
fi
echo "1..$count"
