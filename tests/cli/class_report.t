#!/bin/bash
# class_report.t: make class-report, of grades made here
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset OUT LAB SHEET
if [ ! -x build/bin/results ]; then
    echo "1..0 # SKIP build/bin/results is not built"
    exit 0
fi
place=$tmp/place out=$tmp/out_of_it
mkdir -p "$place"/labs/0{7_a,8_b} "$place"/sheets "$place"/build/bin \
    "$out"/0{7,8}/ann "$out"/08/bob
cp -R tools "$place" && cp build/bin/results "$place/build/bin"
cd "$place" || exit 1
printf 'title: Both <of> them\n07 10\n08 30\n' >sheets/2
grade() { # NN KEY LAB ID
    printf '{"labs": [{"lab": "%s", "passed": false, "score": 50,
 "max_score": 100, "checks": [
 {"name": "a", "passed": false, "line": "seen", "read": "On <copies>",
  "diagnosis": "seen. lab.cu:2: too\\nlong", "diagnosis_id": "%s"},
 {"name": "b", "passed": false, "line": "", "read": null,
  "diagnosis": "again", "diagnosis_id": "%s"}]}]}\n' "$3" "$4" "$4" \
        >"$out/$1/$2.json"
    printf '// by %s\ncopy(a < b); // %s did this\n' "$2" "$2" \
        >"$out/$1/$2/lab.cu"
}
grade 07 ann 07_a slow
grade 08 ann 08_b wrong
grade 08 bob 08_b wrong
cat >"$out/grades.csv" <<'END'
student,lab,status,score,max_score,percent,eta,speedup,backend,device,seconds,diagnosis_id,diagnosis,file,json,version
"ann","07_a",not passed,50,100,50,,,"","",1,"slow","x, ""y""","ann.cu","07/ann.json",""
"bob, ""jr""","07_a",no file,0,,,,,"","",,"","no file","","",""
"cy","07_a",not graded,,,,,,"","",,"","a link","","",""
"ann","08_b",not passed,50,100,50,,,"","",1,"wrong","x","ann.cu","08/ann.json",""
"bob, ""jr""","08_b",not passed,50,100,50,,,"","",1,"wrong","x","b","08/bob.json",""
"cy","08_b",passed,100,100,100,,,"","",1,"","","c","",""
END
report() {
    OUT=$out tools/class-report build "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
same() { # FILE TEXT
    printf "$2" | diff - "$out/$1" >"$tmp/log" 2>&1
}

report
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] &&
    same moodle.csv 'username,"Lab 07","Lab 08"
"ann",50,50\n"bob, ""jr""",0,50\n"cy",,100\n'
ok 'Moodle: a column for each lab; nothing for who could not be graded'
same canvas.csv 'Student,ID,SIS User ID,SIS Login ID,Section,"Lab 07","Lab 08"
    Points Possible,,,,,100,100
"ann",,,"ann",,50,50\n"bob, ""jr""",,,"bob, ""jr""",,0,50\n"cy",,,"cy",,,100\n'
ok 'Canvas: its five columns, and the points that are possible'
same blackboard.csv '"Username","Lab 07","Lab 08"
"ann","50","50"\n"bob, ""jr""","0","50"\n"cy","","100"\n'
ok 'Blackboard: all in quotes'
page=$out/report.html
[ "$(sed -n 's/^<h3>\(.*\)<.*/\1/p' "$page" | paste -sd' ')" = 'wrong slow' ] &&
    grep -q 'Lab 08: <b>2</b> of 2' "$page" &&
    grep -q 'README.md</code>, On &lt;copies&gt;' "$page"
ok 'the most frequent mistake is first, counted once for each student'
grep -q '&gt;    2  copy(a &lt; b);$\|&gt;    2  copy(a &lt; b);<' "$page" &&
    ! grep -q 'ann\|bob\|did this' "$page"
ok '... with an example that has no name'
! grep -q '<script\|<link\|src=' "$page"
ok 'the page needs nothing else'
grep -q '<td>07 a</td><td>1 of 3</td><td>0</td><td>50.0</td>' "$page"
ok 'points of each lab'

report sheet:2
[ $rc -eq 0 ] && same moodle.csv 'username,"Sheet 2"
"ann",20\n"bob, ""jr""",15\n"cy",\n' &&
    grep -q '^    Points Possible,,,,,40$' "$out/canvas.csv" &&
    grep -q '<h1>Both &lt;of&gt; them</h1>' "$page"
ok 'a sheet is one column, out of its points'
report '08'
[ $rc -eq 0 ] && ! grep -q 'Lab 07' "$out/moodle.csv" "$page"
ok 'LAB=08 alone'
refused() { [ $rc -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]; }
echo '{"labs": [' >"$out/07/ann.json"
report
[ $rc -eq 1 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q wrong "$page"
ok 'a torn grade is named, the rest is there'
report 09
refused
ok 'a lab that is not there is one line'
rm "$out/grades.csv"
report
refused
ok 'so is a class that was not graded'
echo "1..$count"
