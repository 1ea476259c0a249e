#!/bin/bash
# inputs.t: whoever reads a file by name, where there is none: a folder, a pipe that
# nobody writes to, a device without an end, more than all memory. Each of them is
# told in a line, at once, and in little memory.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE VGPU_COUNT OUT WORKSHEET
lab=08_uneven_chunks
kinds='folder pipe device hole'

put() { # KIND FILE
    rm -rf "$2"
    case $1 in
    folder) mkdir "$2" ;;
    pipe) mkfifo "$2" ;;
    device) ln -s /dev/zero "$2" ;;
    hole) truncate -s 64G "$2" ;;
    esac
}
# COMMAND...: neither waits nor ends by force, and says little.
bears() {
    (ulimit -v 600000 && exec timeout -k 1 5 "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
    [ $rc -le 2 ] && [ "$(wc -l <"$tmp/err")" -le 3 ]
}
refuses() { # COMMAND...
    bears "$@" && [ $rc -ne 0 ] && [ -s "$tmp/err" ]
}
each() { # FILE WHAT COMMAND...: with each kind in its place
    local file=$1 what=$2 kind good=yes
    shift 2
    for kind in $kinds; do
        put "$kind" "$file"
        "$@" || { good='' && echo "# $kind: status $rc" && sed 's/^/# /' "$tmp/err"; }
    done
    rm -rf "$file"
    [ -n "$good" ]
    ok "$what"
}

each "$tmp/a.trace" 'a trace' refuses build/bin/timeline --stats "$tmp/a.trace"
build/bin/timeline --stats <(cat tests/traces/serial.trace) >"$tmp/out" 2>&1
ok '... but a pipe of the shell is one'

mkdir "$tmp/g" "$tmp/t"
each "$tmp/g/08.json" 'a grade' refuses build/bin/results write "$tmp/t" "$tmp/g" $lab
each "$tmp/g/08.json" '... in a report' bears build/bin/report --out "$tmp/r.html" \
    --results "$tmp/g" --traces "$tmp/t" $lab
each "$tmp/g/08.txt" 'why there is no grade' bears build/bin/results write "$tmp/t" \
    "$tmp/g" $lab

# What a report says of a student's own copy: of a lab that lies there.
mkdir -p "$tmp/at/labs/$lab" "$tmp/at/build/state/hints" "$tmp/at/build/state/quiz"
report() {
    bears env -C "$tmp/at" "$PWD/build/bin/report" --out r.html --results g $lab
}
for part in labs/$lab/README.md labs/$lab/lab.cu build/state/hints/08 \
    build/state/quiz/08; do
    each "$tmp/at/$part" "${part##*/} of it" report
done
cp "labs/$lab/lab.cu" labs/$lab/hints.md "$tmp/at/labs/$lab/"
yes '' | head -c 1000000 >"$tmp/at/build/state/hints/08"
report
ok '... and a million lines of hints'

printf '#include <stdio.h>\nint main() { int n; return cudaGetDeviceCount(&n); }\n' \
    >"$tmp/p.cu"
build/bin/vgpucc -o "$tmp/p" "$tmp/p.cu" || exit 1
profile() { # its range of addresses is larger than what refuses() leaves
    VGPU_DEVICE=$tmp/x timeout -k 1 5 "$tmp/p" >"$tmp/out" 2>"$tmp/err"
    rc=$?
    [ $rc -ne 0 ] && [ $rc -lt 124 ] && [ -s "$tmp/err" ]
}
each "$tmp/x" "a device's profile" profile

mkdir "$tmp/class"
each "$tmp/class/grades.csv" 'the table of a class' refuses env OUT="$tmp/class" \
    tools/class-report build 08
printf '%s\n' 'student,lab,status,score,max_score,percent,eta,speedup,backend,device,seconds,diagnosis_id,diagnosis,file,json,version,late' \
    "ann,$lab,passed,100,100,100,,,vgpu,x,1,,,ann.cu,08/ann.json,1," \
    >"$tmp/class/grades.csv"
each "$tmp/sheet" '... and a worksheet' refuses env OUT="$tmp/class" \
    WORKSHEET="$tmp/sheet" tools/class-report build 08
each "$tmp/class/unpacked.tsv" '... and what was unpacked' bears env OUT="$tmp/class" \
    tools/class-report build 08

mkdir -p "$tmp/class/08/ann"
sed -i "s/$lab,passed/$lab,not passed/" "$tmp/class/grades.csv"
echo '{"labs": [{"lab": "'$lab'", "checks": [{"name": "x", "passed": false,
    "diagnosis": "y", "diagnosis_id": "floor-division"}]}]}' >"$tmp/class/08/ann.json"
printf '%1000000s;\n' '' >"$tmp/class/08/ann/lab.cu"
bears env OUT="$tmp/class" tools/class-report build 08 && grep -q 'floor-division' \
    "$tmp/class/report.html"
ok '... and a source of a million blanks'
each "$tmp/class/08/ann/lab.cu" '... or of none' bears env OUT="$tmp/class" \
    tools/class-report build 08

# Lab 05 takes options. A class says why it has no grade, and does not wait.
mkdir -p "$tmp/in/ann"
cp solutions/05_default_stream/lab.cu "$tmp/in/ann/lab.cu"
grade() {
    timeout -k 1 20 build/bin/grade --backend vgpu --file "$tmp/in/ann/lab.cu" 05 \
        >"$tmp/out" 2>"$tmp/err"
    rc=$?
    [ $rc -eq 1 ] && grep -q 'flags: \(not a regular file\|larger than\)' "$tmp/out"
}
each "$tmp/in/ann/flags" 'options' grade
planned() {
    mkdir -p "$tmp/plan/05" "$tmp/plan/.round" &&
        bears build/bin/results plan "$tmp/plan" "$tmp/in" 05_default_stream &&
        grep -q 'ann .*not graded.*\(not a file\|a link\|too large\)' "$tmp/out"
}
each "$tmp/in/ann/flags" '... in a class' planned
each "$tmp/in/ann/lab.cu" 'a submission' planned
echo "1..$count"
