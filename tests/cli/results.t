#!/bin/bash
# results.t: make results, and the program behind it, on grades made here
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset CLASSROOM ASSIGNMENT ASSIGNMENT_TYPE OWNER USERNAME SUBMISSION_TAG \
    COMMIT_URL RELEASE_URL REVIEW_URL
results=$root/build/bin/results
parts=$root/tests/cli/parts
if [ ! -x "$results" ]; then
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

# A repository with three labs; two have grades, and one of them is nasty.
place=$tmp/place
mkdir -p "$place"/labs/0{1_one,2_two,3_three} "$place/build/results" \
    "$place/build/bin"
cp -R tools "$place"
cp "$results" "$place/build/bin"
nasty=$'<b>&\\"\\\\ ]]>\\u001b[31m\\u0001\\uFFFE\\uFFFF\\ud83d\\ude00 \xc3\xa4\\t\\nline 2'
cat >"$place/build/results/01.json" <<END
{"labs": [{"lab": "01_one", "file": "labs/01_one/lab.cu", "backend": "vgpu",
 "device": "Tesla <K20> & \"co\"", "passed": false, "score": 17.5,
 "max_score": 40, "eta": null, "speedup": null, "bound_speedup": null,
 "needed_speedup": null, "seconds": 1.25, "checks": [
 {"name": "builds", "passed": true, "score": 5, "max_score": 5, "line": "",
  "diagnosis": "", "diagnosis_id": null, "read": null},
 {"name": "right: <&>", "passed": false, "score": 12.5, "max_score": 20,
  "line": "$nasty", "diagnosis": "$nasty. Do $nasty",
  "diagnosis_id": "some-mistake", "read": "What to do"},
 {"name": "fast", "passed": false, "score": 0, "max_score": 15, "line": "",
  "diagnosis": "not tried: it must be right first", "diagnosis_id": null,
  "read": null}]}]}
END
cat >"$place/build/results/03.json" <<'END'
{"labs": [{"lab": "03_three", "file": "labs/03_three/lab.cu",
 "backend": "cuda", "device": "H200", "passed": true, "score": 100,
 "max_score": 100, "eta": 0.912, "speedup": 2.25, "bound_speedup": 2.5,
 "needed_speedup": 1.9, "seconds": 4, "checks": [
 {"name": "all", "passed": true, "score": 100, "max_score": 100,
  "line": "seen", "diagnosis": "", "diagnosis_id": null, "read": null}]}]}
END
write() { run "$place/tools/write-results" build "$@"; }
made=$place/build/results
rules() { # FORMAT FILE
    perl "$parts/json_rules.pl" "$1" "$made/$2" >"$tmp/out" 2>"$tmp/err"
}

write
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && [ "$(wc -l <"$tmp/out")" -eq 5 ]
ok 'all formats are written, and said where'
if perl -MJSON::PP -e 1 2>/dev/null; then
    rules results results.json
    ok 'results.json is as docs/results.md says'
    rules gradescope gradescope/results.json
    ok "Gradescope's file keeps the rules of its specification"
    rules prairielearn prairielearn/results.json
    ok "PrairieLearn's file keeps the rules of its documentation"
    rules classroom50 classroom50/result.json
    ok "Classroom 50's file keeps the rules of result/v1"
    perl -MJSON::PP -0777 -ne '
        $a = decode_json($_);
        $t = $a->{tests};
        $a->{score} == 144 && $a->{"max-score"} == 200 &&
            join(" ", map { $_->{score} } @$t) eq "13 31 0 100" or exit 1' \
        "$made/classroom50/result.json"
    ok '... each lab has 100 whole points, halves dropped'
    perl -MJSON::PP -0777 -ne '
        $c = decode_json($_)->{labs}[0]{checks}[1];
        $c->{line} =~ /\A<b>&"\\ \]\]>/ && $c->{line} =~ /\x{1F600} \x{e4}/ &&
            $c->{line} !~ /[\x00-\x08\x1b]/ or exit 1' "$made/results.json"
    ok 'odd characters arrive, control characters do not'
else
    for skipped in 1 2 3 4 5 6; do
        count=$((count + 1))
        echo "ok $count # SKIP no perl with JSON::PP"
    done
fi
if command -v xmllint >/dev/null; then
    run xmllint --noout --schema "$parts/junit.xsd" "$made/results.xml"
    [ $rc -eq 0 ]
    ok 'JUnit: valid for both common schemas'
    value() { xmllint --xpath "string($1)" "$made/results.xml"; }
    suite='//testsuite[@name="01_one"]'
    [ "$(value "$suite/@tests")" = 3 ] &&
        [ "$(value "$suite/@failures")" = 1 ] &&
        [ "$(value "$suite/@skipped")" = 1 ] &&
        [ "$(value "count($suite//failure)")" = 1 ] &&
        [ "$(value "count($suite//skipped)")" = 1 ]
    ok 'JUnit: the numbers are those of the test cases'
    [ "$(value '//testsuite[@name="02_two"]/@skipped')" = 1 ] &&
        value "$suite//failure" | grep -q '^line 2' &&
        [ "$(value "$suite//failure/@type")" = some-mistake ]
    ok 'JUnit: a lab without a grade is skipped, lines stay lines'
else
    for skipped in 1 2 3; do
        count=$((count + 1))
        echo "ok $count # SKIP no xmllint"
    done
fi
CLASSROOM=cs ASSIGNMENT=a8 OWNER=ann SUBMISSION_TAG=submit/x-1 COMMIT_URL=c \
    RELEASE_URL=r ASSIGNMENT_TYPE=group write 03
grep -q '"classroom": "cs"' "$made/classroom50/result.json" &&
    grep -q '"submission": "submit/x-1"' "$made/classroom50/result.json" &&
    grep -q '"review": "c"' "$made/classroom50/result.json" &&
    grep -q '"assignment_type": "group"' "$made/classroom50/result.json" &&
    ! grep -q 01_one "$made/results.json"
ok "LAB=03 and the runner's variables"

write 02
refused 2 'no results of lab 02 yet'
ok 'a lab without a grade'
write 99
refused 2 "there is no lab '99'"
ok 'an unknown lab'
echo '{"labs": [{"lab": "01_one",' >"$made/01.json"
write
[ $rc -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
    grep -q '01.json is of no use: line 2' "$tmp/err" &&
    grep -q '"lab": "01_one", "error": "line 2' "$made/results.json" &&
    grep -q '"labs_passed": 1' "$made/results.json"
ok 'a torn grade is named, the rest is written'
cp "$made/results.xml" "$tmp/before"
rm -rf "$made/gradescope" && echo >"$made/gradescope"
write
[ $rc -eq 1 ] && grep -q 'gradescope' "$tmp/err" &&
    [ -s "$made/classroom50/result.json" ]
ok 'a format that cannot be written is named, the others are'
rm -f "$made"/0*.json
write
refused 2 'no results yet: run make grade first'
ok 'no grade at all'
ls -A "$made" | grep -q '\.[A-Za-z0-9]\{6\}$'
[ $? -ne 0 ]
ok 'nothing is left half written'
run "$results" get "$tmp/none.json" 01_one score
refused 1 'not there'
ok 'get: a grade that is not there'
run "$results"
refused 2 'write, sheet, get, brief, mistakes, changes, plan, row, begin, end or collect'
ok 'no arguments'
echo "1..$count"
