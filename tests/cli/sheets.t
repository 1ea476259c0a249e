#!/bin/bash
# sheets.t: LAB= names one lab, several or all, SHEET= those of a sheet
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS LAB SHEET
if [ ! -x build/bin/results ]; then
    echo "1..0 # SKIP build/bin/results is not built"
    exit 0
fi
place=$tmp/place
mkdir -p "$place"/labs/0{1_one,2_two,3_three} "$place"/sheets \
    "$place"/build/{bin,results}
cp -R tools Makefile "$place" && cp build/bin/results "$place/build/bin"
cd "$place" || exit 1
names() { # WORDS EXPECTED: what they name, on a line
    (. tools/lab.sh && lab_names "$1") >"$tmp/out" 2>"$tmp/err"
    rc=$?
    [ $rc -eq 0 ] && [ "$(paste -sd' ' "$tmp/out")" = "$2" ]
}
refused() { # TEXT: one line of error, nothing else
    [ $rc -ne 0 ] && [ ! -s "$tmp/out" ] &&
        [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qF -- "$1" "$tmp/err"
}
sheet() { # NAME LINES
    printf "$2" >"sheets/$1"
}

names 3 03_three && names '01 03_three' '01_one 03_three' &&
    names ' 2	1  02' '02_two 01_one' && names all '01_one 02_two 03_three'
ok 'one lab, several in their order and once, all'
sheet a '# first\ntitle: All of it\ndue: 2026-01-31 12:00\n\n03 60\n1 40 # half\n'
names sheet:a '03_three 01_one' && names '2 sheet:a' '02_two 03_three 01_one'
ok 'those of a sheet'
names '' x || refused 'which lab?'
ok 'none'
names '01 04' x || refused "there is no lab '04'"
ok 'one that is not there'
names '1 *' x || refused "there is no lab '*'"
ok 'a word is no pattern'
for name in b ../sheets/a ''; do
    names "sheet:$name" x
    refused "there is no sheet '$name'; sheets: a" || break
done
ok 'a sheet that is not there'
for lines in '01' '01 x' '01 4 5' '01 -4' '01 0' '04 1' '01 1\n1 2' ''; do
    sheet bad "title: x\n02 5\n$lines\n"
    [ -n "$lines" ] || sheet bad 'title: x\n'
    names sheet:bad x
    refused '' || break
done
ok 'a sheet that says nothing sensible is one line'
rm sheets/bad

printf '#!/bin/sh\necho "$1 $2."\n[ "$2" != 02_two ]\n' >tools/hint
make hint SHEET=a >"$tmp/out" 2>"$tmp/err" &&
    [ "$(paste -sd' ' "$tmp/out")" = '03_three . 01_one .' ]
ok 'make hint SHEET=: for one lab after the other'
make hint LAB='02 01' TODO=4 >"$tmp/out" 2>"$tmp/err" &&
    [ "$(paste -sd' ' "$tmp/out")" = '02_two 4. 01_one 4.' ]
ok 'make hint LAB="02 01"'
printf '#!/bin/sh\necho "$1"\n[ "$1" != 02_two ]\n' >tools/quiz
make quiz LAB='02 01' >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] && [ "$(sed '/^make/d' "$tmp/out" | paste -sd' ')" = '02_two 01_one' ]
ok 'where one fails, the others are done and the status says so'

# ---- one result -----------------------------------------------------------

grade() { # NUMBER LAB SCORE
    printf '{"labs": [{"lab": "%s", "backend": "vgpu", "device": "K20",
 "passed": false, "score": %s, "max_score": 200, "eta": null, "seconds": 1,
 "checks": [{"name": "a", "passed": true, "score": %s, "max_score": 120,
 "line": "", "diagnosis": "", "diagnosis_id": null}, {"name": "b",
 "passed": false, "score": 0, "max_score": 80, "line": "", "diagnosis": "no",
 "diagnosis_id": "x"}]}]}' "$2" "$3" "$3" >"build/results/$1.json"
}
grade 03 03_three 120
touch -d '2026-01-31 11:59' build/results/03.json
tools/write-results build sheet:a >"$tmp/out" 2>"$tmp/err" &&
    grep -qx 'sheet a: 36 of 100 points, 1 of 2 labs graded' "$tmp/out"
ok 'a sheet has one result; a lab without a grade has none of its points'
made=build/results
if perl -MJSON::PP -e 1 2>/dev/null; then
    for format in results/results.json gradescope/gradescope/results.json \
        classroom50/classroom50/result.json \
        prairielearn/prairielearn/results.json; do
        perl "$root/tests/cli/parts/json_rules.pl" "${format%%/*}" \
            "$made/${format#*/}" >"$tmp/out" 2>"$tmp/err" || break
    done
    ok 'all formats keep their rules'
    perl -MJSON::PP -0777 -ne '$a = decode_json($_);
        $a->{score} == 36 && $a->{"max-score"} == 100 &&
            join(" ", map { $_->{"max-score"} } @{$a->{tests}}) eq "36 24 40"
            or exit 1' $made/classroom50/result.json
    ok '... its points are out of those of the sheet'
else
    for skipped in 1 2; do
        count=$((count + 1))
        echo "ok $count # SKIP no perl with JSON::PP"
    done
fi
grade 01 01_one 60
touch -d '2026-01-31 12:01' build/results/01.json
tools/write-results build sheet:a >"$tmp/out" 2>"$tmp/err" && grep -qxF \
    'sheet a: 48 of 100 points, 2 of 2 labs graded, 1 after 2026-01-31 12:00' \
    "$tmp/out" && [ "$(grep -c '"late": true' $made/results.json)" = 1 ] &&
    grep -q '"due": "2026-01-31T' $made/results.json &&
    grep -q 'graded after 2026-01-31 12:00' $made/gradescope/results.json
ok 'what was graded after the deadline is said'
sed -i 's/^due: .*/due: soon/' sheets/a
tools/write-results build sheet:a >"$tmp/out" 2>"$tmp/err"
rc=$?
refused 'and not: soon'
ok 'a deadline that is none'

cd "$root" || exit 1
for sheet in sheets/*; do
    names "sheet:${sheet#*/}" x
    [ $rc -eq 0 ] && grep -q '^title: .' "$sheet" || break
done
[ $rc -eq 0 ]
ok 'the sheets that come with the labs can be read'
echo "1..$count"
