#!/bin/bash
# unpack.t: make grade-class of what Moodle and Canvas export, and of ZIPs that
# are torn, locked, too large or lead elsewhere
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset OUT LIMIT NO_COLOR
if [ ! -x build/bin/results ] || ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no build/bin/results, or no python3"
    exit 0
fi

# A grader to whom the file's text is the number of its points.
place=$tmp/place
mkdir -p "$place"/labs/{05_default_stream,08_uneven_chunks} "$place/build/bin"
touch "$place/labs/05_default_stream/flags"
cp -R tools "$place" && cp build/bin/results "$place/build/bin"
cat >"$place/build/bin/grade" <<'END_OF_GRADER'
#!/bin/sh
flags=$(cat "${4%lab.cu}flags" 2>/dev/null)
printf '{"labs": [{"lab": "%s", "backend": "vgpu", "passed": false,
 "score": %s, "max_score": 100, "checks": [{"name": "x", "passed": false,
 "line": "flags %s", "diagnosis": "", "diagnosis_id": ""}]}]}\n' \
    "$7" "$(cat "$4")" "$flags" >"$6"
exit 1
END_OF_GRADER
chmod +x "$place/build/bin/grade"

# pack FILE NAME=TEXT...: a ZIP. TEXT may be @FILE; NAME@link is one, NAME@many
# has 30 MB of zeros, NAME@lies says that it has 9 bytes.
cat >"$tmp/pack.py" <<'END_OF_PACK'
import sys, zipfile
lies = []
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for one in sys.argv[2:]:
        name, text = one.split("=", 1)
        name, _, how = name.partition("@")
        info = zipfile.ZipInfo(name)
        info.external_attr = (0o120777 if how == "link" else 0o100644) << 16
        data = open(text[1:], "rb").read() if text[:1] == "@" else text.encode()
        if how == "many":
            data = bytes(30 << 20)
        if how == "lies":
            data = bytes(3 << 20)
            lies.append(name.encode())
        info.compress_type = zipfile.ZIP_DEFLATED
        z.writestr(info, data)
raw = bytearray(open(sys.argv[1], "rb").read())
for name in lies:
    for magic, size, at in (b"PK\1\2", 24, 46), (b"PK\3\4", 22, 30):
        i = raw.find(magic)
        while i >= 0:
            if raw[i + at:i + at + len(name)] == name:
                raw[i + size:i + size + 4] = (9).to_bytes(4, "little")
            i = raw.find(magic, i + 4)
open(sys.argv[1], "wb").write(raw)
END_OF_PACK
pack() { python3 -W ignore "$tmp/pack.py" "$@"; }
# lock FILE: as if with a password
lock() {
    python3 -c '
import sys
raw = bytearray(open(sys.argv[1], "rb").read())
for magic, flag in (b"PK\1\2", 8), (b"PK\3\4", 6):
    i = raw.find(magic)
    while i >= 0:
        raw[i + flag] |= 1
        i = raw.find(magic, i + 4)
open(sys.argv[1], "wb").write(raw)' "$1"
}
class() { # LABS DIR
    rm -rf "$tmp/made"
    OUT=$tmp/made "$place/tools/grade-class" build vgpu "$@" >"$tmp/out" \
        2>"$tmp/err" </dev/null
    rc=$?
}
row() { # STUDENT LAB: "STATUS,SCORE|FILE|DIAGNOSIS|LATE"
    sed -En "s/^\"$1\",\"$2[^\"]*\",([^,]*,[^,]*),.*,\"([^\"]*)\",\"([^\"]*)\",\"[^\"]*\",\"[^\"]*\",([a-z]*)\$/\1|\3|\2|\4/p" \
        "$tmp/made/grades.csv"
}

# ---- Moodle --------------------------------------------------------------------

pack "$tmp/zipped.zip" 'cuda-streams-lab/labs/08_uneven_chunks/lab.cu=12' \
    'cuda-streams-lab/labs/05_default_stream/lab.cu=13' \
    'cuda-streams-lab/labs/05_default_stream/flags=--of-bob' \
    'cuda-streams-lab/common/helper.cu=1' '__MACOSX/._lab.cu=1'
pack "$tmp/moodle.zip" \
    'Ann Lee_101_assignsubmission_file_/lab.cu=11' \
    'Bob O'"'"'Neil_102_assignsubmission_file/bob.zip='"@$tmp/zipped.zip" \
    'Cy_103_assignsubmission_file_lab.cu=14' \
    'Dan_104_assignsubmission_onlinetext_/onlinetext.html=<p>text</p>' \
    'Eve_106_assignsubmission_onlinetext_/onlinetext.html=<p>&nbsp;</p>' \
    'Fay_107_assignsubmission_onlinetext_/onlinetext.html=<p>as agreed</p>' \
    'Fay_107_assignsubmission_file_/lab.cu=16' \
    'Dän_105_assignsubmission_file_/08_uneven_chunks/lab.cu=15'
class 08 "$tmp/moodle.zip"
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && [ "$(row 'Ann Lee_101' 08)" = \
    'not passed,11|Ann Lee_101/lab.cu|x: flags |' ] &&
    row 'Dän_105' 08 | grep -q '^not passed,15' &&
    [ "$(row Eve_106 08)" = 'no file,0||no file|' ]
ok 'Moodle: a folder for each student'
[ "$(row Dan_104 08)" = \
    'not graded,||onlinetext.html is no submission: lab.cu is wanted|' ] &&
    row Fay_107 08 | grep -q '^not passed,16'
ok "... who typed a text into Moodle's box has no 0 for that"
row "Bob O'Neil_102" 08 | grep -q '^not passed,12.*labs/08_uneven_chunks/lab.cu' &&
    row Cy_103 08 | grep -q '^not passed,14'
ok "... a student's own ZIP in it, and files without folders"
class '05 08' "$tmp/moodle.zip"
row "Bob O'Neil_102" 05 | grep -q '^not passed,13.*flags --of-bob' &&
    row 'Ann Lee_101' 05 | grep -q '^not graded,|.*lab.cu says no lab: 05.cu' &&
    row Dan_104 05 | grep -q '^not graded,|.*onlinetext.html is no' &&
    row Eve_106 05 | grep -q '^no file,0'
ok '... several labs, with flags'
mkdir "$tmp/unpacked" && python3 -m zipfile -e "$tmp/moodle.zip" "$tmp/unpacked"
class 08 "$tmp/unpacked"
row "Bob O'Neil_102" 08 | grep -q '^not passed,12' &&
    row 'Ann Lee_101' 08 | grep -q '^not passed,11'
ok '... and the same, unpacked before'

# ---- Blackboard ----------------------------------------------------------------

on=attempt_2026-11-01-10-00-00 then=attempt_2026-11-02-10-00-00
pack "$tmp/blackboard.zip" "Lab_08_2_ann_lee_$on.txt=Name: Ann (ann_lee)" \
    "Lab_08_2_ann_lee_${on}_my_1_2_b.cu=11" "Lab_08_2_bob_3_4_$on.txt=Nombre: B" \
    "Lab_08_2_bob_3_4_${on}_lab.cu=12" "Lab_08_2_bob_3_4_$then.txt=Nombre: B" \
    "Lab_08_2_bob_3_4_${then}_lab.cu=13" "Lab_08_2_cy_lee_${on}_lab.cu=14" \
    "Lab_08_2_cy_lee_${on}_of_ann_lee_${then}_lab.cu=99"
class 08 "$tmp/blackboard.zip"
[ "$(tail -n +2 "$tmp/made/grades.csv" | cut -d , -f 1 | xargs)" = \
    'ann_lee bob_3_4 cy_lee' ] && row ann_lee 08 | grep -q '^not passed,11' &&
    row bob_3_4 08 | grep -q '^not passed,13' &&
    row cy_lee 08 | grep -q '^not passed,14' &&
    grep -q 'bob_3_4: there are several attempts' "$tmp/err"
ok 'Blackboard: _ and numbers in all parts of a name, attempts, nobody twice'
pack "$tmp/blackboard.zip" "Lab 8_ann_lee_${on}_lab.cu=11" \
    "Lab 8_cy_lee_${on}_lab.cu=14"
class 08 "$tmp/blackboard.zip"
row ann_lee 08 | grep -q '^not passed,11' && row cy_lee 08 | grep -q '^not passed,14'
ok '... and without the .txt that says whose it is'

# ---- a browser -----------------------------------------------------------------

# result FILE LAB TEXT [SUM [FLAGS]]: what web/page/export.js writes
result() {
    python3 - "$@" <<'END_OF_RESULT'
import hashlib, json, sys
path, lab, text, *rest = sys.argv[1:]
fields = {"format": "cuda-streams-lab browser result 1", "version": "1.0.0",
          "lab": lab, "name": "Ann", "when": "2026-11-23T18:00:00.000Z",
          "text": text, "grade": '{"labs": [{"score": 100}]}'}
if rest[1:]:
    fields["flags"] = rest[1]
made = hashlib.sha256("\n".join(fields.values()).encode()).hexdigest()
fields["sum"] = rest[0] if rest and rest[0] != "right" else made
open(path, "w").write(json.dumps(fields, indent=1))
END_OF_RESULT
}
mkdir -p "$tmp/tab/ann" "$tmp/tab/bob" "$tmp/tab/cy"
result "$tmp/tab/ann/08_uneven_chunks.result.json" 08_uneven_chunks 61
result "$tmp/tab/ann/05_default_stream.result.json" 05_default_stream 62 right \
    --of-ann
result "$tmp/tab/bob/08.result.json" 08_uneven_chunks 63 0123
result "$tmp/tab/dan.result.json" 08_uneven_chunks 64 ''
echo '{"lab": 8}' >"$tmp/tab/cy/08.result.json"
result "$tmp/tab/eve.result.json" ../../08_uneven_chunks 65
class '05 08' "$tmp/tab"
[ "$(row ann 08)" = 'not passed,61|ann/08_uneven_chunks/lab.cu|x: flags |' ] &&
    row ann 05 | grep -q '^not passed,62.*flags --of-ann' &&
    row dan 08 | grep -q '^not passed,64'
ok "a browser's results: the file counts, and not the grade in it"
row bob 08 | grep -q 'its sum differs' &&
    row cy 08 | grep -q 'no result of a browser' &&
    row eve 08 | grep -q 'no result of a browser'
ok '... one that was changed, that is none, whose lab is a path'
pack "$tmp/tabs.zip" \
    'Ann Lee_101_assignsubmission_file_/08.result.json='"@$tmp/tab/ann/08_uneven_chunks.result.json" \
    'Bob_102_assignsubmission_file_/lab.cu=66'
class 08 "$tmp/tabs.zip"
row 'Ann Lee_101' 08 | grep -q '^not passed,61' &&
    row Bob_102 08 | grep -q '^not passed,66'
ok "... in a site's export"

# ---- Canvas --------------------------------------------------------------------

pack "$tmp/canvas.zip" doejane_501_9001_lab.cu=21 \
    doejohn_LATE_502_9002_lab-1.cu=22 \
    roe_503_9003_08.cu=23 roe_503_9004_05-2.cu=24 roe_503_9005_flags=x \
    poe_504_9006_lab.cu=1 poe_504_9007_lab-2.cu=25 \
    LATE_anon_Ab3De_9008_lab.cu=26 loe_505_9009_work-1.zip="@$tmp/zipped.zip" \
    moe_506_9010_link.html=x
class 08 "$tmp/canvas.zip"
row doejane_501 08 | grep -q '^not passed,21.*|$' &&
    row doejohn_502 08 | grep -q '^not passed,22|doejohn_502/lab.cu|.*|late$' &&
    row anon_Ab3De 08 | grep -q '^not passed,26.*|late$' &&
    row loe_505 08 | grep -q '^not passed,12' &&
    row moe_506 08 | grep -q '^not graded,|.*link.html .*: lab.cu is wanted'
ok 'Canvas: names, numbers and what is late'
grep -q '^doejohn_502  .*(late) ' "$tmp/out" && ! grep -q 'jane.*late' "$tmp/out"
ok '... which the terminal says, too'
row poe_504 08 | grep -q '^not passed,25' && [ "$(cat "$tmp/err")" = \
    'unpack-class: poe_504: lab.cu was handed in again; the newest counts' ]
ok '... of files that were handed in again the newest'
class '05 08' "$tmp/canvas.zip"
row roe_503 08 | grep -q '^not passed,23|roe_503/08.cu' &&
    row roe_503 05 | grep -q '^not passed,24|roe_503/05.cu'
ok '... several labs'
grep -q '^doejohn_502	late	canvas	502	$' "$tmp/made/unpacked.tsv"
ok 'unpacked.tsv says where each came from'

# ---- a folder of ZIPs ------------------------------------------------------------

mkdir "$tmp/mixed" && cd "$tmp/mixed" || exit 1
mkdir "$tmp/exports" && cp "$tmp/canvas.zip" "$tmp/exports/one.zip" &&
    cp "$tmp/moodle.zip" "$tmp/exports/two.zip" && cp "$tmp/moodle.zip" two.zip
pack eve.zip lab.cu=31
pack fay.zip fay/src/lab.cu=32
pack gus.zip ../../gus.cu=1 lab.cu=33
pack hal.zip lab.cu@link=/etc/passwd
pack ida.zip lab.cu@many=
pack jon.zip lab.cu=1 && lock jon.zip
echo 'no ZIP' >kim.zip
pack lea.zip in.zip="@eve.zip"
pack mia.zip lab.cu=1 lab.cu=2
pack ned.zip lab.cu@lies=
pack ola.zip work.rar=x
pack pam.zip a/one/lab.cu=1 a/two/lab.cu=2
pack quo.zip 08.cu=34 && echo 35 >quo.cu
echo 36 >rob.cu && ln -s rob.cu sue.cu && mkdir tom && echo 37 >tom/lab.cu
head -c 300 eve.zip | head -c 60 >uwe.zip
cd "$root" || exit 1
class 08 "$tmp/mixed"
because() { # STUDENT TEXT
    row "$1" 08 | grep -q "^not graded,|.*$2"
}
[ $rc -eq 0 ] && row eve 08 | grep -q '^not passed,31' && row fay 08 | grep -q '^not passed,32' &&
    row rob 08 | grep -q '^not passed,36' && row tom 08 | grep -q '^not passed,37'
ok 'ZIPs of students, files and folders beside each other'
because two 'the export of a course site is a class' &&
    [ -z "$(row 'Ann Lee_101' 08)" ]
ok "... where a student's ZIP is nobody else's, whatever it holds"
because gus 'leads out of the ZIP: ../../gus.cu' && because hal 'a link, not' &&
    [ -z "$(find "$tmp" -name gus.cu)" ] && because sue 'a link, not a file'
ok 'a path with ../ and a link: a line each'
because ida 'too large: 31457280 bytes' && because ned 'the ZIP is damaged' &&
    because lea 'a ZIP in a ZIP'
ok '... a ZIP bomb, one that lies about its size, one in a ZIP'
because jon 'the ZIP is encrypted' && because kim 'the ZIP is damaged' &&
    because uwe 'the ZIP is damaged'
ok '... encrypted, none, a torn one'
because mia 'two files: lab.cu is there twice' && because quo 'handed in twice' &&
    because ola 'only ZIPs are unpacked' && because pam 'two files: .*one/lab.cu and .*two/lab.cu'
ok '... two files, another kind of archive, files where none is looked for'
class 08 "$tmp/exports"
row doejohn_502 08 | grep -q '22.*late$' &&
    row 'Ann Lee_101' 08 | grep -q '^not passed,11'
ok 'a folder of exports'
[ -z "$(find "$tmp/made" -name '.*' ! -name .tools)" ] &&
    [ -z "$(find "$tmp/made" -name '*.zip' -o -name in)" ]
ok 'nothing is left over'

# A folder that cannot be read; who tests may be root, who can read all.
python3 - "$tmp/mixed" "$tmp/closed" <<'END_OF_CLOSED' >"$tmp/out" 2>"$tmp/err"
import os, runpy, sys
listed = os.listdir
def listdir(path):
    if path.endswith("tom"):
        raise PermissionError(13, "Permission denied", path)
    return listed(path)
os.listdir = listdir
sys.argv = ["unpack-class", sys.argv[1], sys.argv[2], sys.argv[2] + ".tsv"]
runpy.run_path("tools/unpack-class", run_name="__main__")
END_OF_CLOSED
grep -q '^tom.*a folder cannot be read$' "$tmp/closed.tsv" &&
    [ -f "$tmp/closed/rob.cu" ]
ok 'a folder that cannot be read is a line, the rest is there'

# ---- what is no class ------------------------------------------------------------

refused() {
    [ $rc -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q "$1" "$tmp/err"
}
class 08 "$tmp/mixed/kim.zip"
refused 'kim.zip: the ZIP is damaged'
ok 'a ZIP that is none: one line'
pack "$tmp/empty.zip"
class 08 "$tmp/empty.zip"
refused 'there is no submission in .*/empty.zip'
ok '... an empty one'
mkdir "$tmp/bin"
for tool in /usr/bin/* /bin/*; do
    case $tool in */python*) ;; *) ln -sf "$tool" "$tmp/bin/" ;; esac
done
PATH=$tmp/bin class 08 "$tmp/canvas.zip"
refused 'takes python3'
ok '... and without python3'
echo "1..$count"
