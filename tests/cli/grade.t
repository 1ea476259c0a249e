#!/bin/sh
# grade.t: the program grade, seen from the shell.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
grade=$root/build/bin/grade
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE NO_COLOR
lab=08

echo 1..55
number=0
# Say whether the last command was as wanted: result TRUTH NAME
result() {
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$tmp/out" "$tmp/err" 2> /dev/null | head -n 40
    fi
}
# Run grade and keep what it says: run STATUS NAME [ARGUMENT ...]
run() {
    wanted=$1
    name=$2
    shift 2
    "$grade" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
    [ $? -eq "$wanted" ]
    result $? "$name"
}
# The last run's cause was one line with these words.
one_line() {
    [ "$(wc -l < "$tmp/err")" -eq 1 ] && grep -q "$1" "$tmp/err"
    result $? "... and says so in one line: $1"
}

run 0 "--help" --help
run 2 "no lab named"
run 2 "an unknown lab" --backend vgpu 99
one_line "unknown lab: 99"
run 2 "an unknown backend" --backend abacus $lab
one_line "unknown backend"
run 2 "an unknown option" --fast $lab
run 2 "a file that is not there" --backend vgpu --file "$tmp/none.cu" $lab
one_line "No such file"
run 2 "a folder for a file" --backend vgpu --file "$tmp" $lab
one_line "not a regular file"
run 2 "--file and --solution" --solution --file "$tmp/none.cu" $lab
PATH=$tmp CUDA_HOME=$tmp "$grade" --backend vgpu $lab > "$tmp/out" 2> "$tmp/err"
[ $? -eq 2 ]
result $? "no compiler"
one_line "no C++ compiler found"
# Its programs' libraries are looked for beside it, where nothing is.
PATH=/etc:$PATH "$grade" --backend vgpu --solution 02 > "$tmp/out" 2> "$tmp/err"
result $? "a folder of programs right below the root"
VGPU_DEVICE=pocket "$grade" --backend vgpu $lab > "$tmp/out" 2> "$tmp/err"
[ $? -eq 2 ]
result $? "a virtual device that is not there"
one_line "pocket"

# What is refused before, or behind, the compiler is told as that.
taken_not() { # NAME WORDS, the file is $tmp/odd.cu
    run 1 "$1" --backend vgpu --file "$tmp/odd.cu" $lab
    grep -q "$2" "$tmp/out" && ! grep -q 'compiler refuses' "$tmp/out"
    result $? "... and why: $2"
}
printf '\377\376a\0\n\0' > "$tmp/odd.cu"
taken_not "a file in UTF-16" 'save it as UTF-8'
tr '\n' '\r' < solutions/08_uneven_chunks/lab.cu > "$tmp/odd.cu"
taken_not "lines that end in CR alone" 'save it with LF'
{ cat solutions/08_uneven_chunks/lab.cu
    echo 'int nowhere(void); int calls(void) { return nowhere(); }'
} > "$tmp/odd.cu"
taken_not "a function that is defined nowhere" 'compiles, but does not link'
mkdir "$tmp/beside"
cp solutions/08_uneven_chunks/lab.cu "$tmp/beside/odd.cu"
echo '-o x' > "$tmp/beside/flags"
run 1 "flags beside --file" --backend vgpu --file "$tmp/beside/odd.cu" $lab
grep -q 'something that the grader does not accept' "$tmp/out" && grep -q 'flags:1: -o' "$tmp/out"
result $? "... are read, and told as what they are"

tools/skeleton "solutions/08_uneven_chunks/lab.cu" > "$tmp/skeleton.cu" \
    2> /dev/null || cp labs/08_uneven_chunks/lab.cu "$tmp/skeleton.cu"
run 1 "the skeleton does not pass" --backend vgpu --file "$tmp/skeleton.cu" \
    --json "$tmp/skeleton.json" $lab
grep -q 'TODO 1 is the first that is still open' "$tmp/out"
result $? "... and the first open TODO is named"
grep -q '"diagnosis_id": "open-todo"' "$tmp/skeleton.json"
result $? "... in the JSON too"
COLUMNS=80 run 1 "... at 80 columns" --backend vgpu \
    --file "$tmp/skeleton.cu" $lab
! grep -q -e ' $' -e '.\{81\}' "$tmp/out"
result $? "... no line is longer, or ends in a blank"

run 0 "the solution passes" --backend vgpu --solution --json "$tmp/1.json" $lab
cp "$tmp/out" "$tmp/first"
(cd / && "$grade" --backend=vgpu --solution --json="$tmp/2.json" \
    08_uneven_chunks) > "$tmp/out" 2> "$tmp/err"
cmp -s "$tmp/first" "$tmp/out"
result $? "again, from another folder: the same words"
sed '/"seconds"/d' "$tmp/1.json" > "$tmp/a"
sed '/"seconds"/d' "$tmp/2.json" > "$tmp/b"
cmp -s "$tmp/a" "$tmp/b"
result $? "... and the same JSON but for the seconds"
perl -MJSON::PP -0777 -e '
    my $lab = decode_json(<>)->{labs}[0];
    for (qw(lab backend device passed score max_score eta speedup
            bound_speedup seconds checks)) { exists $lab->{$_} or die $_ }
    for my $check (@{$lab->{checks}}) {
        for (qw(name passed score max_score diagnosis)) {
            exists $check->{$_} or die $_
        }
    }
    $lab->{passed} && $lab->{score} == $lab->{max_score} or die' \
    "$tmp/1.json" 2> "$tmp/err"
result $? "the JSON has what it should have"

echo kept > "$tmp/old.json"
mkdir "$tmp/none.json"
run 2 "JSON that cannot be written" --backend vgpu --solution \
    --json "$tmp/none.json" $lab
ls "$tmp"/*.tmp > "$tmp/err" 2> /dev/null
[ ! -s "$tmp/err" ]
result $? "... leaves nothing half written"
"$grade" --backend vgpu --solution $lab > /dev/full 2> "$tmp/err"
[ $? -eq 2 ]
result $? "a full disk is no pass"
one_line "cannot write the result: No space left on device"
"$grade" --backend vgpu --solution --sweep $lab > /dev/full 2> "$tmp/err"
[ $? -eq 2 ]
result $? "... nor is a sweep"
one_line "cannot write the result: No space left on device"
"$grade" --help > /dev/full 2> "$tmp/err"
[ $? -eq 2 ]
result $? "... nor is --help"
for what in --sweep --run ""; do
    # A pipe that is closed before the first result.
    { "$grade" --backend vgpu --solution $what $lab 2> "$tmp/err"
        echo $? > "$tmp/rc"; } | sleep 0
    [ "$(cat "$tmp/rc")" -eq 2 ] && [ ! -s "$tmp/err" ]
    result $? "nobody reads the result: no pass, no word${what:+ ($what)}"
done

cat > "$tmp/slow.cu" << 'CODE'
#include "lab.h"
#include <unistd.h>
void decrypt_in_chunks(uint64_t *, uint64_t *, uint64_t, uint64_t,
                       const cudaStream_t *, uint64_t)
{
    sleep(1000);
}
CODE
"$grade" --backend vgpu --file "$tmp/slow.cu" $lab > "$tmp/out" \
    2> "$tmp/err" < /dev/null &
pid=$!
sleep 3
kill -TERM $pid
wait $pid
[ $? -eq 2 ]
result $? "ended by a signal"
[ -z "$(ls build/grade/08.$pid 2> /dev/null)" ]
result $? "... with nothing left in build/grade"

run 0 "--run" --backend vgpu --run --solution $lab
[ -s build/traces/08_baseline.trace ] && [ -s build/traces/08_solution.trace ]
result $? "... leaves two traces"

# Killed without a word, while it compiles and while the program runs.
for seconds in 0.3 3; do
    "$grade" --backend vgpu --file "$tmp/slow.cu" $lab > "$tmp/out" \
        2> "$tmp/err" < /dev/null &
    pid=$!
    sleep $seconds
    kill -KILL $pid
    wait $pid 2> /dev/null
    sleep 1
    left=$(grep -lasz "/build/grade/08\.$pid\$" /proc/[0-9]*/environ)
    [ -z "$left" ] && [ ! -e "build/grade/08.$pid" ]
    result $? "killed after $seconds s: no process and no folder is left"
done
mkdir -p build/grade/08.4999999
touch build/grade/08.4999999/lab.o
run 1 "a grade" --backend vgpu --file "$tmp/skeleton.cu" $lab
[ ! -e build/grade/08.4999999 ]
result $? "... removes what a killed one left"

# Not the student's fault.
build/bin/isolation > "$tmp/out" 2>&1
result $? "isolation"
grep -q '^landlock  *\(yes\|no\)' "$tmp/out" &&
    grep -q '^seccomp  *\(yes\|no\)' "$tmp/out"
result $? "... says what is active"
there=$tmp/root
mkdir -p "$there/build/bin" "$there/build/lib"
for name in common vgpu labs grader solutions; do
    ln -s "$root/$name" "$there/$name"
done
cp build/bin/grade build/bin/vgpucc "$there/build/bin/"
"$there/build/bin/grade" --backend vgpu --solution $lab > "$tmp/out" 2> "$tmp/err"
[ $? -eq 2 ]
result $? "without libvgpu.a nobody is graded"
grep -q 'libvgpu' "$tmp/err"
result $? "... and says what is missing"
