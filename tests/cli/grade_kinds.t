#!/bin/sh
# grade_kinds.t: the kinds of cases, with a lab that only this test has. A second
# repository of links is made around it, and a grade that knows its rules.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
samples=$root/tests/grader
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE NO_COLOR
there=$tmp/root
mkdir -p "$there/build/bin" "$there/grader/drivers"
ln -s "$root/build/lib" "$there/build/lib"
for name in common vgpu timeline; do
    ln -s "$root/$name" "$there/$name"
done
cp "$root"/build/bin/vgpucc "$there/build/bin/"
ln -s "$root"/grader/drivers/driver* "$there/grader/drivers/"
for sample in "$samples"/[0-9]*; do
    lab=${sample##*/}
    mkdir -p "$there/labs/$lab"
    cp "$sample/driver.cu" "$there/grader/drivers/$lab.cu"
    cp "$sample/lab.h" "$sample/mistakes.md" "$there/labs/$lab/"
    cp "$sample/right.cu" "$there/labs/$lab/lab.cu"
done
cc -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Werror -Igrader -Itimeline -Icommon \
    -Ivgpu/include "$samples"/*/rules.c build/obj/grader/main.o build/lib/libgrade.a \
    build/lib/libtimeline.a \
    -o "$there/build/bin/grade" -lpthread -lm || {
    echo "1..1"
    echo "not ok 1 - the grader with other labs builds"
    exit 1
}
grade=$there/build/bin/grade

echo "1..$(($(ls "$samples"/*/right*.cu "$samples"/*/wrong*.cu | wc -l) + 18))"
number=0
# result TRUTH NAME
result() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$tmp/out" 2> /dev/null | head -n 15
    fi
}

for file in "$samples"/*/right*.cu "$samples"/*/wrong*.cu; do
    lab=${file%/*}
    lab=${lab##*/}
    wanted=$(sed -n '1s|^// expect: *||p' "$file")
    "$grade" --backend vgpu --timeout 2 --file "$file" \
        --json "$tmp/out.json" "$lab" > "$tmp/out" 2>&1 < /dev/null
    status=$?
    found=$(sed -n 's/.*"diagnosis_id": "\([^"]*\)".*/\1/p' "$tmp/out.json" |
        head -n 1)
    [ $status -eq 0 ] && found=passed
    [ "${found:-none}" = "$wanted" ] && [ $status -le 1 ]
    result $? "${file#"$samples"/}: ${found:-none}, expected $wanted"
    [ "${file##*/}" != wrong_nothing.cu ] || cp "$tmp/out" "$tmp/nothing"
done

"$grade" --backend vgpu 90 > "$tmp/first" 2>&1
"$grade" --backend vgpu 90 > "$tmp/out" 2>&1
cmp -s "$tmp/first" "$tmp/out"
result $? "two grades are alike"
grep -q 'on a virtual c1060' "$tmp/out"
result $? "a case of another device says so"
grep -q 'apart  *5 / 5  *two runs' "$tmp/out"
result $? "a run under the checker with parameters of its own"
grep -q 'apart  *0 / 5  *not tried: it does not add' "$tmp/nothing"
result $? "a case that says itself that it need not be tried"
"$grade" --backend vgpu --run 90 > "$tmp/out" 2>&1
result $? "--run"
[ -s "$there/build/traces/90_student.trace" ]
result $? "... leaves a trace"

. tests/stand_in_gpu.sh
stand_in_gpu "$tmp/gpu" 1 "$there/build/bin/vgpucc" &&
    on_stand_in "$tmp/gpu" 9 "$grade" --backend cuda 90 > "$tmp/out" 2>&1
grep -q 'rounds  *5 / 5  *judged of 7 rounds' "$tmp/out" &&
    grep -q 'host is free  *10 / 10' "$tmp/out"
result $? "on a GPU the median of several rounds counts, of more where it fails"

# What a cage lacks is not said of programs that have none.
"$grade" --backend vgpu --under 'env' 90 > "$tmp/out" 2>"$tmp/err"
sed '/^$/{N;/not fenced in by/d}' "$tmp/first" > "$tmp/caged"
cmp -s "$tmp/caged" "$tmp/out" && grep -q 'by `env`, out of their' "$tmp/err"
result $? "--under: run by another program, and it says so"
"$grade" --backend vgpu --under '' 90 > "$tmp/out" 2>&1
[ $? -eq 2 ] && grep -q 'wants a command' "$tmp/out"
result $? "--under without a command"

# Compiler options: the sample allows one.
flags=$there/labs/90_sample/flags
flag() {
    printf '%s\n' "$2" > "$flags"
    "$grade" --backend vgpu 90 > "$tmp/out" 2>&1
    [ $? -eq "$1" ] && grep -q -- "$4" "$tmp/out"
    result $? "$3"
}
flag 0 '' "an empty flags file" 'passed: '
flag 0 '--default-stream per-thread # mine' "an option that is allowed" 'passed: '
flag 0 '-maxrregcount=32' "an option with a number" 'passed: '
flag 1 '--default-stream=legacy' "a value that is not allowed" \
    'flags:1: --default-stream=legacy: this lab does not allow that option'
flag 1 '-maxrregcount=many' "a number that is none" 'flags:1: -maxrreg'
flag 1 '-include/etc/passwd' "an option that is not allowed" \
    'it allows --default-stream=per-thread'
flag 1 '-o x' "an output of its own" 'flags:1: -o: this lab does not allow'
rm "$flags"

# The lab's own parts are not what they were: no student's fault, and no points.
: > "$there/grader/drivers/90_sample.cu"
"$grade" --backend vgpu --json "$tmp/none.json" 90 > "$tmp/out" 2>&1
[ $? -eq 2 ] && [ ! -e "$tmp/none.json" ] &&
    grep -q 'no fault of the submission' "$tmp/out" &&
    grep -q 'is not what it was: lab_run_case is not there' "$tmp/out"
result $? "a driver that was emptied"
cp "$samples/90_sample/driver.cu" "$there/grader/drivers/90_sample.cu"
echo '#include "lab.h"' > "$tmp/empty.cu"
"$grade" --backend vgpu --file "$tmp/empty.cu" 90 > "$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q 'compiles, but does not link' "$tmp/out"
result $? "... and a submission that was"
