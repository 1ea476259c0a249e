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
case $(cat "$file") in
pass) passed=true score=100 status=0 ;;
fail) passed=false score=42.5 status=1 ;;
die) kill -9 $$ ;;
crash) kill -SEGV $$ ;;
hang) exec sleep 60 ;;
torn) echo '{"labs": [' >"$json"; exit 0 ;;
*) echo "grade: it cannot be graded, \"really\"" >&2; exit 2 ;;
esac
printf '{"labs": [{"lab": "08_uneven_chunks", "backend": "vgpu",
 "device": "K20", "passed": %s, "score": %s, "max_score": 100, "eta": 0.5,
 "speedup": 1.5, "seconds": 1, "checks": [{"name": "fast", "passed": %s,
 "line": "slow", "diagnosis": "slow. Use, \\"streams\\"\\nor not",
 "diagnosis_id": "x"}]}]}\n' $passed $score $passed >"$json"
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
    has '7 graded, 6 passed, 9 without a grade:'
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
            pop @f while @f > 14 && $f[-1] eq "";
            push @rows, \@f;
        }
        die "not CSV at " . pos() . "\n" unless pos() == length;
        for (@rows) {
            die "row of " . @$_ . " fields: @$_\n" unless @$_ == 14;
            print join("|", @$_[0, 2, 3, 12]), "\n";
        }' <"$csv" >"$tmp/rows" 2>"$tmp/err"
    ok 'grades.csv is CSV with 14 columns in each row'
    cp "$tmp/rows" "$tmp/out"
    [ "$(wc -l <"$tmp/rows")" -eq 17 ] &&
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
        ! has hidden && ! has README
    ok '... names that could do harm'
else
    for skipped in 1 2 3 4 5 6 7 8; do
        count=$((count + 1))
        echo "ok $count # SKIP no perl"
    done
fi
LC_ALL=C grep -q "$(printf '\377')" "$csv"
[ $? -ne 0 ]
ok 'grades.csv is UTF-8'
[ -z "$(find "$tmp/made" -name '.*' -type f)" ]
ok 'nothing is left over'

put hang "$tmp/in2/b.cu" && put pass "$tmp/in2/a.cu" && put pass "$tmp/in2/c.cu"
LIMIT=60 OUT="$tmp/made2" "$place/tools/grade-class" build vgpu 08 "$tmp/in2" \
    >"$tmp/out" 2>"$tmp/err" </dev/null &
class=$!
sleep 1.5
kill -TERM $class
wait $class
[ $? -eq 2 ] && grep -q '^"a",.*,passed,' "$tmp/made2/grades.csv" &&
    has '1 graded, 1 passed'
ok 'interrupted: the rows so far are kept'

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
    grep -q 'there is no submission' "$tmp/err"
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
fi
echo "1..$count"
