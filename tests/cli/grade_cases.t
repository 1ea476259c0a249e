#!/bin/sh
# grade_cases.t: labs of cases, with a lab that only this test has. A second
# repository of links is made around it, and a grade that knows its rules.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
sample=$root/tests/grader/90_sample
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE NO_COLOR
there=$tmp/root
mkdir -p "$there/build/bin" "$there/build/lib" "$there/labs/90_sample" \
    "$there/grader/drivers"
for name in common vgpu timeline; do
    ln -s "$root/$name" "$there/$name"
done
ln -s "$root"/build/bin/vgpucc "$there/build/bin/"
ln -s "$root"/grader/drivers/driver* "$there/grader/drivers/"
cp "$sample/driver.cu" "$there/grader/drivers/90_sample.cu"
cp "$sample/lab.h" "$there/labs/90_sample/"
cp "$sample/right.cu" "$there/labs/90_sample/lab.cu"
objects=$(ls build/obj/grader/*.o | grep -v 08_)
cc -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Werror -Igrader -Itimeline -Icommon \
    "$sample/rules.c" $objects build/lib/libtimeline.a \
    -o "$there/build/bin/grade" -lpthread -lm || {
    echo "1..1"
    echo "not ok 1 - the grader with a lab of cases builds"
    exit 1
}
grade=$there/build/bin/grade

echo "1..$(($(ls "$sample"/*.cu | wc -l) + 3))"
number=0
# result TRUTH NAME
result() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$tmp/out" 2> /dev/null | head -n 40
    fi
}

for file in "$sample"/right*.cu "$sample"/wrong*.cu; do
    wanted=$(sed -n '1s|^// expect: *||p' "$file")
    "$grade" --backend vgpu --timeout 1 --file "$file" \
        --json "$tmp/out.json" 90 > "$tmp/out" 2>&1 < /dev/null
    status=$?
    found=$(sed -n 's/.*"diagnosis_id": "\([^"]*\)".*/\1/p' "$tmp/out.json" |
        head -n 1)
    [ $status -eq 0 ] && found=passed
    [ "${found:-none}" = "$wanted" ] && [ $status -le 1 ]
    result $? "$(basename "$file"): ${found:-none}, expected $wanted"
done

"$grade" --backend vgpu 90 > "$tmp/first" 2>&1
"$grade" --backend vgpu 90 > "$tmp/out" 2>&1
cmp -s "$tmp/first" "$tmp/out"
result $? "two grades are alike"
grep -q 'on a virtual c1060' "$tmp/out"
result $? "a case of another device says so"
"$grade" --backend vgpu --run 90 > "$tmp/out" 2>&1
result $? "--run"
[ -s "$there/build/traces/90_student.trace" ]
result $? "... leaves a trace"
