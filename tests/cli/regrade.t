#!/bin/bash
# regrade.t: make regrade takes the committed tree, and says what looks odd. The
# grader is a stand-in that does what the submission says.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset OUT LIMIT
if [ ! -x build/bin/results ]; then
    echo "1..0 # SKIP build/bin/results is not built"
    exit 0
fi
if ! git --version >/dev/null 2>&1; then
    echo "1..0 # SKIP no git"
    exit 0
fi
place=$tmp/place
mkdir -p "$place/labs/08_uneven_chunks" "$tmp/in/bob" "$tmp/in/cy/build/results"
cp -R tools "$place" && cp build/bin/results "$place"
touch "$place/labs/08_uneven_chunks/lab.cu"
echo 1.0.0 >"$place/VERSION"
cat >"$place/grade" <<'END'
#!/bin/sh
# grade --backend B --file FILE --json JSON LAB; FILE: SCORE ETA ID BUILDS
read -r score eta id builds <"$4"
[ "$score" = 100 ] && passed=true || passed=false
cat >"$6" <<JSON
{"labs": [{"lab": "$7", "backend": "$2", "device": "K20",
 "passed": $passed, "score": $score, "max_score": 100, "eta": $eta,
 "speedup": 1.5, "seconds": 1, "checks": [
 {"name": "builds", "passed": $builds, "diagnosis_id": null},
 {"name": "fast", "passed": $passed, "line": "", "diagnosis": "",
  "diagnosis_id": "$id"}]}]}
JSON
[ $passed = true ]
END
chmod +x "$place/grade"
printf '%s\n' '.PHONY: tools' 'tools:' '	mkdir -p build/bin' \
    '	cp grade results build/bin' >"$place/Makefile"
(
    cd "$place" && git init -q && git add -A &&
        git -c user.name=a -c user.email=a@b commit -qm a
) >"$tmp/log" 2>&1
ok 'a repository with a grader'

# One whose results were written by hand, with a grader that helps.
mkdir -p "$place/build/bin"
cp build/bin/results "$place/build/bin"
printf '#!/bin/sh\nread -r x <"$4"; echo 100 0.8 x true >"$4"\nexit 0\n' \
    >"$place/build/bin/grade"
chmod +x "$place/build/bin/grade"
sub() { # FILE SCORE ETA ID BUILDS [MORE]
    printf '%s %s %s %s\n%s\n' "$2" "$3" "$4" "$5" "${6:-}" >"$tmp/in/$1"
}
sub ann.cu 100 0.8 x true
sub bob/lab.cu 40 0.3 zero-copy true 'getenv("VGPU_CHECK"); mygetenv();'
sub cy/lab.cu 0 null x false
sub 'd, "e".cu' 100 1.3 x true
results() { # FILE SCORE PASSED BACKEND
    printf '{"labs": [{"lab": "08_uneven_chunks", "backend": "%s",
 "device": "K20", "passed": %s, "score": %s, "max_score": 100, "eta": 0.9,
 "speedup": 1.5, "seconds": 1, "checks": []}]}\n' "$4" "$3" "$2" >"$tmp/in/$1"
}
results ann.json 100 true vgpu
results bob/results.json 100 true vgpu
results cy/build/results/08.json 5 false cuda
OUT=$tmp/made "$place/tools/regrade" vgpu 8 "$tmp/in" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && [ ! -s "$tmp/err" ]
ok 'a folder is graded again'
row() { # START REST: the row of a student
    sed -n "s/^$1 *//p" "$tmp/out" | tr -s ' ' | grep -qxF -- "$2"
}
row ann 'passed 100 100 0.8 '
ok '... the same again looks like nothing'
row bob 'not passed 40 100 0.3 handed in as passed; 100 points handed in; zero-copy; names VGPU_CHECK; names getenv'
ok '... other points, a mistake that is none, unusual names'
row cy 'not passed 0 5 - 5 points handed in; graded on cuda; refused, or does not compile'
ok '... results from another backend, a file that was refused'
row 'd, "e"' 'passed 100 - 1.3 eta above 1'
ok '... faster than the limit, and no results with it'
grep -qx '4 graded again with 1.0.0, [0-9a-f]*, 3 look odd: .*/grades.csv' "$tmp/out" &&
    [ -f "$tmp/made/grades.csv" ]
ok '... and how many there are'

grep -qx 'bob/lab.cu: 100 points with 1.0.0, now 40' "$tmp/out" &&
    grep -qx '    new: builds: 0 of 0' "$tmp/out" &&
    ! grep -q '^Why' "$tmp/out"
ok '... and which checks are other ones'

# Several labs, of a ZIP that a site made, with results in it.
mkdir "$place/labs/07_a" && touch "$place/labs/07_a/lab.cu" &&
    (cd "$place" && git add -A && git -c user.name=a -c user.email=a@b \
        commit -qm a2) >"$tmp/log" 2>&1
python3 -W ignore - "$tmp" <<'END_OF_ZIP' 2>"$tmp/log" && {
import sys, zipfile
tmp = sys.argv[1]
with zipfile.ZipFile(tmp + "/moodle.zip", "w") as z:
    for name, file in (("08.cu", "ann.cu"), ("lab07.cu", "cy/lab.cu"),
                       ("results.json", "ann.json")):
        z.write(f"{tmp}/in/{file}", f"Ann Lee_101_assignsubmission_file_/{name}")
END_OF_ZIP
    OUT=$tmp/made2 "$place/tools/regrade" vgpu '07 8' "$tmp/moodle.zip" \
        >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 0 ] && row 'Ann Lee_101' 'passed 100 100 0.8 ' &&
        row 'Ann Lee_101' 'not passed 0 - - refused, or does not compile' &&
        grep -q '^2 graded again .*/made2/grades.csv' "$tmp/out"
    ok "a site's ZIP, several labs"
}
# A year later.
printf '%s\n' '# Changelog' '' '## [Unreleased]' '' '- New.' '' '### Grades' '' \
    '- Labs 03 and 08: one check' '  more.' '- Lab 07: none of this.' \
    '- All labs: faster.' '' '## [1.1.0] - 2027-01-01' '' '### Grades' '' \
    '- Lab 08: another.' '' '## [1.0.0] - 2026-01-01' '' '### Grades' '' \
    '- Lab 08: long ago.' >"$place/CHANGELOG.md"
echo 2.0.0-dev >"$place/VERSION"
(cd "$place" && git add -A && git -c user.name=a -c user.email=a@b \
    commit -qm b) >"$tmp/log" 2>&1
sed -i 's/^{/{"version": "1.1.0", /' "$tmp/in/bob/results.json"
OUT=$tmp/made "$place/tools/regrade" vgpu 8 "$tmp/in" >"$tmp/out" 2>"$tmp/err"
row bob 'not passed 40 100 0.3 zero-copy; names VGPU_CHECK; names getenv' &&
    row cy 'not passed 0 5 - graded on cuda' &&
    grep -qx 'bob/lab.cu: 100 points with 1.1.0, now 40' "$tmp/out"
ok 'results of another version: that points differ, or it does not build, is not odd'
sed -n '/^Why: from 1.1.0/,/^Why\|graded again/p' "$tmp/out" | grep '^[-  ]' |
    cmp - <(printf '%s\n' '- Labs 03 and 08: one check' '  more.' \
        '- All labs: faster.') >"$tmp/log" 2>&1 &&
    sed -n '/^Why: from 1.0.0 to 2.0.0-dev, of lab 08/,$p' "$tmp/out" |
    grep -qx -- '- Lab 08: another.' && ! grep -q 'long ago' "$tmp/out"
ok '... and why is what CHANGELOG.md has, back to that version'

echo "rm -f everything" >>"$place/grade"
OUT=$tmp/made "$place/tools/regrade" vgpu 8 "$tmp/in" >"$tmp/out" 2>"$tmp/err"
grep -q 'not committed' "$tmp/err" && row ann 'passed 100 100 0.8 '
ok 'what is not committed does not count, and is said'
OUT=$tmp/made "$place/tools/regrade" vgpu 8 "$tmp/none" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok 'a folder that is not there is one line'
rm -rf "$place/.git"
GIT_CEILING_DIRECTORIES=$tmp OUT=$tmp/made "$place/tools/regrade" vgpu 8 \
    "$tmp/in" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok 'so is a copy without its history'
echo "1..$count"
