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
cp -R tools "$place" && cp --parents timeline/palette.css "$place" &&
    cp build/bin/results "$place/build/bin"
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
grep -q '<p>Not known: nobody handed in' "$page" &&
    grep -q '<p>None is known' "$page"
ok 'time to pass and questions that failed: not known, and it says so'
! grep -q '<script\|<link\|src=' "$page"
ok 'the page needs nothing else'
grep -q '<td>07 a</td><td>1 of 3</td><td>0</td><td>50.0</td>' "$page"
ok 'points of each lab'

mkdir "$out/state"
{
    echo '# comment'
    echo '2026-02-28T23:50:00Z 08_b 1 failed 10/100 - vgpu x'
    echo '2026-03-01T00:20:00Z 08_b 2 passed 100/100 - vgpu x'
    echo '2026-03-01T09:20:00Z 08_b 3 failed 1/100 - vgpu x'
    echo 'yesterday 08_b 1 passed 100/100 - vgpu x'
    echo '2026-03-01T09:20:00Z 07_a 1 failed 1/100 - vgpu x'
    printf '\nquiz 08 1 3 2 3'
} >"$out/state/ann"
printf 'quiz 08 2 3 2\nquiz 07 2 2\nquiz 07 0 3 $(x) 99\n' >"$out/state/bob"
printf '## Q1\nno\n## Q2\n\nWhich <one>\nis it?\n\n- [x] a\n\n> b\n' \
    >"$place/labs/08_b/quiz.md"
report
grep -q '<p>Known of 2 of 3 students' "$page" && grep -q \
    '<td>08 b</td><td>1</td><td>1</td><td>2</td><td>30 min</td>' "$page" &&
    grep -q '<td>07 a</td><td>1</td><td>0</td><td></td><td></td>' "$page"
ok 'time to pass, of those who handed in what says it'
[ "$(grep -o 'question .*' "$page" | head -n 1)" = \
    'question 2, wrong for <b>2</b> of 2: Which &lt;one&gt; is it?</p>' ] &&
    [ "$(grep -c '^<p>Lab .*question' "$page")" = 2 ]
ok 'questions that failed, the most frequent first'
deck=$out/deck/90_class.md
sed -n '1p; 6p; 7p' "$deck" | cmp -s - <(printf -- '---\nfooter: "All labs"\n---\n') &&
    [ "$(grep -c '^---$' "$deck")" = 7 ] && grep -q '^2 of 2 have it\.' "$deck" &&
    grep -q '^> copy(a < b);$' "$deck" && ! grep -q 'ann\|bob' "$deck" &&
    grep -q '^<!-- 2 min. Question 2 of the quiz of lab 08' "$deck"
ok 'slides for the next lecture'
printf 'ann\t\tcanvas\t501\t\n' >"$out/unpacked.tsv"
report
grep -q '^"ann",501,,,,50,50$' "$out/canvas.csv" &&
    grep -q '^"cy",,,"cy",,,100$' "$out/canvas.csv"
ok 'Canvas finds students of its own export by their number'

# ---- a grading worksheet of Moodle ----------------------------------------------

printf 'ann\t\tmoodle\t101\t\nbob, "jr"\t\tmoodle\t102\t\ncy\t\tmoodle\t103\t\n' \
    >"$out/unpacked.tsv"
printf '\357\273\277Identifier,"Full name",Status,Grade,"Maximum Grade","Last modified (submission)","Feedback comments"\r\n%s\r\n%s\r\n%s\r\n%s\r\n' \
    '"Participant 101","Ann, ""A""",Submitted,"",10.00,"Monday, 2 March","so
so, ""well"""' '"Participant 102",Bob,-,7.00,10.00,-,' \
    '"Participant 103",Cy,-,3.00,10.00,-,' '"Participant 104",Dan,-,1.00,10.00,-,' \
    >"$tmp/Grades-CS.csv"
sed 's/Submitted,"",/Submitted,"5.00",/; s/-,7.00,/-,0.00,/' "$tmp/Grades-CS.csv" \
    >"$tmp/wanted"
WORKSHEET=$tmp/Grades-CS.csv report 07
[ $rc -eq 0 ] && cmp -s "$tmp/wanted" "$out/Grades-CS.csv" &&
    grep -q 'Grades-CS.csv, 2 of 4 rows filled in$' "$tmp/out" &&
    grep -qx 'without a grade, left as it was: cy' "$tmp/out"
ok 'a grading worksheet of Moodle is filled in, all else byte for byte as it was'
sed 's/Identifier/Kennung/; s/Participant /Teilnehmer/; s/,Grade,"M[^,]*,/,Bewertung,Bestwertung,/; s/10\.00/"10,00"/' \
    "$tmp/Grades-CS.csv" | tr -d '\r' >"$tmp/Grades-DE.csv"
WORKSHEET=$tmp/Grades-DE.csv report sheet:2
[ $rc -eq 0 ] && grep -q 'Submitted,"5,00","10,00"' "$out/Grades-DE.csv" &&
    grep -q '^"Teilnehmer102",Bob,-,"3,75","10,00"' "$out/Grades-DE.csv"
ok '... in the words and numbers of another language, of a sheet'
WORKSHEET=$tmp/Grades-CS.csv report
[ $rc -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q 'LAB=08 or SHEET=2' "$tmp/err"
ok '... and of two labs it has to be said which'
WORKSHEET=$out/moodle.csv report 07
[ $rc -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ]
ok '... another file is one line'
rm "$out/unpacked.tsv"

# ---- the example ------------------------------------------------------------------

mkdir -p solutions/08_b
seq 1 9 | sed 's/.*/step(&);/' >solutions/08_b/lab.cu
sed 's/step(5);/leap(5); \/\/ by bob/' solutions/08_b/lab.cu >"$out/08/bob/lab.cu"
seq 21 40 | sed 's/.*/step(&);/' >"$out/08/ann/lab.cu"
for who in ann bob; do
    sed -i 's/ lab.cu:2://' "$out/08/$who.json"
done
report 08
[ $rc -eq 0 ] && sed -n '/<pre>/,/<.pre>/p' "$page" | diff - <(printf '%s\n' \
    '<pre>     3  step(3);' '     4  step(4);' '&gt;    5  leap(5);' \
    '     6  step(6);' '     7  step(7);</pre>') >"$tmp/log" 2>&1
ok 'without a line, the example is what differs from a solution, of whoever differs least'
cp "$out/08/ann/lab.cu" "$out/08/bob/lab.cu"
report 08
! grep -q '<pre>' "$page"
ok '... and where all of it does, no innocent lines'
for id in open-todo does-not-compile; do
    sed -i "s/\"diagnosis_id\": \"[a-z-]*\"/\"diagnosis_id\": \"$id\"/g" "$out"/08/*.json
    report 08
    grep -q "<h3>$id" "$page" && ! grep -q 'what is wrong here' "$deck" ||
        echo "$id" >>"$tmp/slides"
done
[ ! -e "$tmp/slides" ]
ok 'what is open and what does not compile is no slide'
grade 08 ann 08_b wrong
grade 08 bob 08_b wrong

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
