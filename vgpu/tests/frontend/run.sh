#!/bin/sh
# run.sh: vgpucc on whole programs. Prints TAP.
#
# good/*.cu run and must print good/NAME.out; bad/*.cu must be refused with
# what their `//!` lines say; then the command line. With each host compiler
# that is there. B names the folder with what was built (default: build, where
# this is called), or VGPUCC the program under test.
vgpucc=${VGPUCC:-$(cd "${B:-build}" && pwd)/bin/vgpucc} || exit 1
cd "$(dirname "$0")" || exit 1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/frontend.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
export VGPUCC_STRICT=1 # what is written for speed has to compile
count=0

# ok STATUS NAME: one result; what failed is in $tmp/log.
ok()
{
    count=$((count + 1))
    if [ "$1" = 0 ]; then
        echo "ok $count - $2"
    else
        echo "not ok $count - $2"
        sed 's/^/# /' "$tmp/log"
    fi
    : > "$tmp/log"
}

# says EXIT PATTERN ARGS...: vgpucc ARGS exits so, with one line of stderr
# (of stdout for exit 0) that matches.
says()
{
    want=$1
    pattern=$2
    shift 2
    "$vgpucc" "$@" > "$tmp/stdout" 2> "$tmp/stderr"
    got=$?
    if [ "$want" = 0 ]; then text=$tmp/stdout; else text=$tmp/stderr; fi
    cat "$tmp/stdout" "$tmp/stderr" > "$tmp/log"
    echo "exit $got" >> "$tmp/log"
    [ "$got" = "$want" ] && grep -Eq -- "$pattern" "$text" &&
        { [ "$want" != 2 ] || [ "$(wc -l < "$text")" = 1 ]; }
    ok $? "vgpucc $*"
}

run_good()
{
    name=$(basename "$1" .cu)
    "$vgpucc" -std=c++17 -extended-lambda -expt-relaxed-constexpr \
        -Xcompiler -Wall "$1" \
        -o "$tmp/$name" > "$tmp/log" 2>&1 &&
        VGPU_TRACE=$tmp/$name.$VGPU_CXX.trace \
            "$tmp/$name" > "$tmp/out" 2>> "$tmp/log" &&
        diff "good/$name.out" "$tmp/out" >> "$tmp/log"
    ok $? "$name runs as expected ($VGPU_CXX)"
}

run_bad()
{
    sed -n 's/^#line.*//; s/^\/\/! exit //p' "$1" > "$tmp/exit"
    rm -f "$tmp/bad.o"
    "$vgpucc" -c "$1" -o "$tmp/bad.o" > "$tmp/log" 2>&1
    status=$?
    failed=0
    [ "$status" = "$(cat "$tmp/exit")" ] || failed=1
    sed -n 's/^\/\/! \([][0-9]*:\)/\1/p' "$1" > "$tmp/lines"
    while read -r line; do
        grep -Eq "^$1:$line" "$tmp/log" || {
            failed=1
            echo "expected: $1:$line" >> "$tmp/log"
        }
    done < "$tmp/lines"
    [ ! -e "$tmp/bad.o" ] || failed=1
    echo "exit $status" >> "$tmp/log"
    ok $failed "$1 is refused ($VGPU_CXX)"
}

# What clang knows of host and device is told where there is a clang, by nvcc's
# reasons and at the student's lines; all that nvcc takes is taken.
judged()
{
    "$vgpucc" -c judged/refused.cu -o "$tmp/bad.o" > "$tmp/log" 2>&1
    status=$?
    sed -n 's/^judged.refused.cu:\([0-9]*\): error: vgpucc: /\1 /p' "$tmp/log" |
        sort -n > "$tmp/got"
    sed -n '/[/][/]!!/{=;s/.*!! //p;}' judged/refused.cu | sed 'N;s/\n/ .*/' |
        sort -n > "$tmp/want"
    while read -r line; do
        grep -q "^$line" "$tmp/got" || { status=0; echo "no $line"; }
    done < "$tmp/want" >> "$tmp/log"
    [ "$status" = 1 ] && [ ! -e "$tmp/bad.o" ] &&
        [ "$(wc -l < "$tmp/want")" = "$(cut -d' ' -f1 "$tmp/got" | uniq | wc -l)" ]
    ok $? "clang tells what nvcc refuses"
    for option in --lenient --no-judge; do
        "$vgpucc" $option -c judged/refused.cu -o "$tmp/bad.o" > "$tmp/log" 2>&1
        ok $? "... and is not asked with $option"
    done
    "$vgpucc" -c -extended-lambda judged/taken.cu -o "$tmp/bad.o" > "$tmp/log" 2>&1
    ok $? "... and what nvcc takes is taken"
}

# Runs are the same to the nanosecond, whatever compiled them: those of run_good.
same_traces()
{
    trace=$tmp/$(basename "$1" .cu)
    [ -s "$trace.g++.trace" ] &&
        diff "$trace.g++.trace" "$trace.clang++.trace" >> "$tmp/log"
    ok $? "$1 takes the same time with both compilers"
    rm -f "$trace".*.trace
}

# hazards OPTION: the lines that are reported are those that say "hazard".
hazards()
{
    (cd checked && "$vgpucc" "$1" memory.cu elsewhere.c -o "$tmp/checked") \
        > "$tmp/log" 2>&1
    VGPU_CHECK=1 "$tmp/checked" > "$tmp/stdout" 2> "$tmp/stderr"
    sed -n 's/^ *second *\([^ ]*\): .*/\1/p' "$tmp/stderr" | sort > "$tmp/got"
    (cd checked && grep -n '/[/*] hazard' -- *) |
        sed 's/\(:[0-9]*\):.*/\1/' | sort > "$tmp/want"
    diff "$tmp/want" "$tmp/got" >> "$tmp/log" && [ -s "$tmp/want" ]
    ok $? "memcpy and its kin are checked, $1 ($VGPU_CXX)"
    "$vgpucc" "$1" host_function.cu -o "$tmp/checked" &&
        { VGPU_CHECK=1 "$tmp/checked" >"$tmp/stdout" 2>"$tmp/stderr"; true; } &&
        [ "$(cat "$tmp/stdout")" = "0 1 1" ] &&
        [ "$(grep -c '^vgpu: hazard' "$tmp/stderr")" = 3 ] &&
        grep -q "hazard: host_function.cu:$(sed -n '/\/\/ freed/=' \
            host_function.cu): host function, .* it was freed at" \
            "$tmp/stderr" &&
        grep -n '// hazard' host_function.cu | cut -d: -f1 |
        while read -r line; do
            grep -q "second *host_function.cu:$line" "$tmp/stderr" || exit 1
        done
    ok $? "a host function's data are checked, $1 ($VGPU_CXX)"
    "$vgpucc" "$1" variables.cu -o "$tmp/checked" > "$tmp/log" 2>&1 &&
        { VGPU_CHECK=1 "$tmp/checked" >"$tmp/stdout" 2>"$tmp/log"; true; } &&
        [ "$(tr '\n' ' ' < "$tmp/stdout")" = "14 14 1 1065353266 " ] &&
        [ "$(grep "^vgpu: " "$tmp/log" | grep -vc " note: ")" = 5 ] &&
        grep -q 'read *variables.cu:22' "$tmp/log" &&
        grep -q 'second *variables.cu:11: .* kernel count' "$tmp/log" &&
        grep -q 'bytes *.0, 16) of the variable counts (16' "$tmp/log" &&
        grep -q 'bytes *.12, 16) of the variable factors (32' "$tmp/log" &&
        grep -q 'bytes *.0, 4) of the variable total (4' "$tmp/log" &&
        grep -q 'variables.cu:17: kernel fill writes past the end of the' \
            "$tmp/log"
    ok $? "variables of devices are checked, $1 ($VGPU_CXX)"
}

# unwritten OPTION: device memory that nobody wrote is told, with line, bytes and
# buffer, as the comments say, and is no hazard; of any other nothing is said.
unwritten()
{
    "$vgpucc" "$1" unwritten.cu -o "$tmp/unwritten" > "$tmp/log" 2>&1 &&
        VGPU_CHECK=1 "$tmp/unwritten" > "$tmp/stdout" 2> "$tmp/stderr"
    status=$?
    awk '$1 == "read" { split($2, at, ":") }
        $1 == "bytes" { sub(" [(].*", ""); sub("^ *bytes *", "")
                        print at[2] ": " $0 }' "$tmp/stderr" > "$tmp/got"
    sed -n '/[/][/] unwritten /{=;s/.*unwritten //p;}' unwritten.cu |
        sed 'N;s/\n/: /' > "$tmp/want"
    diff "$tmp/want" "$tmp/got" >> "$tmp/log" && [ "$status" = 0 ] &&
        [ "$(grep -c '^vgpu:' "$tmp/stderr")" = 8 ] &&
        grep -q '4 bytes, device memory, allocated at unwritten.cu:68)' \
            "$tmp/stderr"
    ok $? "memory that nobody wrote is told, $1 ($VGPU_CXX)"
    "$vgpucc" "$1" written.cu -o "$tmp/written" > "$tmp/log" 2>&1 &&
        VGPU_CHECK=1 "$tmp/written" > "$tmp/stdout" 2> "$tmp/log" &&
        [ "$(cat "$tmp/stdout")" = cudaSuccess ] && ! grep -v "^vgpu: note: " "$tmp/log"
    ok $? "... and of what was written nothing, $1 ($VGPU_CXX)"
}

# Of a code that the program has taken nothing is said, whatever it did with it;
# of one that it dropped, and of a launch that nobody asked about, the line is.
dropped()
{
    "$vgpucc" -O0 -std=c++17 dropped.cu -o "$tmp/dropped" > "$tmp/log" 2>&1
    for number in $(seq 0 26) $(seq 50 59); do
        VGPU_CHECK=1 "$tmp/dropped" "$number" > "$tmp/stdout" 2> "$tmp/stderr"
        grep -E 'nobody asked|drops the code' "$tmp/stderr" |
            sed "s/.*dropped.cu:\([0-9]*\):.*/$number \1/"
    done > "$tmp/got"
    awk '/auto make = .* { cudaMalloc/ { made = NR }
        $1 == "case" && $2 + 0 >= 50 {
            print $2 + 0, $2 + 0 == 55 ? made : NR }' dropped.cu > "$tmp/want"
    diff "$tmp/want" "$tmp/got" >> "$tmp/log"
    ok $? "codes that are dropped are told, and no others ($VGPU_CXX)"
}

# Lines that make more order than needed are told, and whether anything needs it;
# of programs that are as they should be nothing is.
order()
{
    "$vgpucc" -O2 order.cu -o "$tmp/order" > "$tmp/log" 2>&1
    for number in $(seq 1 15) $(seq 50 62) 64 63; do
        VGPU_CHECK=1 VGPU_DEVICE=h200 VGPU_REPORT_FD=3 "$tmp/order" "$number" \
            > "$tmp/stdout" 2> "$tmp/stderr" 3> "$tmp/reports"
        grep '^note' "$tmp/reports" |
            sed -n 's/^note.kind=\([^	]*\).at=order.cu:\([0-9]*\).*/\2 \1 &/p' |
            awk -v n="$number" '{
                print $1, n, $2 (/not needed/ ? " needless" : "") }' | sort -u
    done > "$tmp/got"
    awk '/\/\/ [0-9]+ (order|register|clock)_/ {
        line = $0
        sub(/.*\/\/ /, "", line)
        print NR, line }' order.cu > "$tmp/want"
    diff "$tmp/want" "$tmp/got" >> "$tmp/log"
    ok $? "order that costs time is told, and what is needed is not"
    grep -o 'cuda[A-Za-z]* is called' "$tmp/stderr" > "$tmp/log"
    [ "$(tr '\n' ' ' < "$tmp/log")" = 'cudaMalloc is called cudaFree is called ' ]
    ok $? "... by the call's name, where a line has several"
}

# Each call that fails has the reason of its line, and no other line any.
failed()
{
    "$vgpucc" -O0 -std=c++17 failed.cu -lcuda -o "$tmp/failed" > "$tmp/log" 2>&1
    VGPU_CHECK=1 VGPU_DEVICE=h200 VGPU_REPORT_FD=3 "$tmp/failed" \
        > "$tmp/stdout" 2> "$tmp/stderr" 3> "$tmp/reports"
    grep -E 'kind=(call_failed|error_shown)' "$tmp/reports" > "$tmp/told"
    sed 's/.*at=failed.cu:\([0-9]*\).*/\1/' "$tmp/told" > "$tmp/got"
    sed -n '/ because: /=' failed.cu > "$tmp/want"
    diff "$tmp/want" "$tmp/got" >> "$tmp/log" &&
        ! grep 'never freed' "$tmp/stderr" >> "$tmp/log" # nothing could be
    status=$?
    while read -r line; do
        reason=$(sed -n "${line}s/.* because: //p" failed.cu)
        grep "at=failed.cu:$line	" "$tmp/told" | grep -Fq "$reason" || {
            status=1
            echo "line $line: $reason" >> "$tmp/log"
        }
    done < "$tmp/want"
    ok $status "calls that fail are told with their reason ($VGPU_CXX)"
}

# host_memory OPTION: a kernel that is given memory of the host ends, and the
# launch, the argument and the memory are told; of what it may use nothing is.
host_memory()
{
    "$vgpucc" "$1" host_memory.cu -o "$tmp/host_memory" > "$tmp/log" 2>&1
    status=$?
    for number in $(seq 0 8); do
        line=$(sed -n "/case $number:/=" host_memory.cu)
        VGPU_CHECK=1 "$tmp/host_memory" "$number" > "$tmp/stdout" 2> "$tmp/stderr"
        if [ "$number" = 0 ]; then
            [ "$(cat "$tmp/stdout")" = cudaSuccess ] &&
                ! grep -q 'host memory' "$tmp/stderr"
        else
            grep -q cudaErrorIllegalAddress "$tmp/stdout" &&
                grep "warning: host_memory.cu:$line: " "$tmp/stderr" |
                grep -Fq "$(sed -n "${line}s,.*// ,,p" host_memory.cu)"
        fi || {
            status=1
            cat "$tmp/stdout" "$tmp/stderr" >> "$tmp/log"
        }
    done
    ok $status "memory of the host is told by its argument, $1 ($VGPU_CXX)"
}

# What is left behind is told, each by its line; of what a reset has taken, and
# of what came too late to be given back, nothing is.
left()
{
    "$vgpucc" -O2 left.cu -o "$tmp/left" > "$tmp/log" 2>&1
    for which in g n r R l; do
        VGPU_CHECK=1 "$tmp/left" "$which" 2>&1 | sed -n \
            "s/^vgpu: warning: .*left.cu:\([0-9]*\): .*never.*/$which \1/p" | sort
    done > "$tmp/got"
    for which in g n r R l; do
        sed -n "/left $which: /=" left.cu | sed "s/^/$which /" | sort
    done > "$tmp/want"
    diff "$tmp/want" "$tmp/got" >> "$tmp/log" && [ -s "$tmp/got" ]
    ok $? "what is left behind is told, and nothing else ($VGPU_CXX)"
}

# races OPTION: the lines that are reported, and what is said of each, are as the
# comments "race" say; of kernels that order their threads nothing is told.
races()
{
    (cd races && "$vgpucc" "$1" wrong.cu -o "$tmp/wrong" &&
        "$vgpucc" "$1" right.cu -o "$tmp/right") > "$tmp/log" 2>&1
    VGPU_CHECK=races "$tmp/wrong" > "$tmp/stdout" 2> "$tmp/stderr"
    status=$?
    sed -n 's/^ *second *wrong.cu:\([^:]*\): .*/\1/p' "$tmp/stderr" |
        sort -un > "$tmp/got"
    grep -n '// race ' races/wrong.cu | cut -d: -f1 > "$tmp/want"
    diff "$tmp/want" "$tmp/got" >> "$tmp/log" && [ "$status" = 86 ] &&
        grep -n '// race ' races/wrong.cu | while IFS=: read -r line text; do
            grep -A5 "second *wrong.cu:$line:" "$tmp/stderr" |
                grep -qF "${text#*// race }" || exit 1
        done
    ok $? "threads of a kernel that race are told, $1 ($VGPU_CXX)"
    VGPU_CHECK=1 "$tmp/wrong" > "$tmp/stdout" 2> "$tmp/log" &&
        [ "$(wc -l < "$tmp/log")" = 1 ] &&
        grep -q '^vgpu: no warnings; .*VGPU_CHECK=races' "$tmp/log" &&
        VGPU_CHECK=0 "$tmp/wrong" > "$tmp/stdout" 2> "$tmp/log" &&
        [ ! -s "$tmp/log" ]
    ok $? "... where it is asked for, else that it can be, $1 ($VGPU_CXX)"
    VGPU_CHECK=Races "$tmp/wrong" > "$tmp/stdout" 2> "$tmp/log"
    [ $? = 2 ] && [ "$(wc -l < "$tmp/log")" = 1 ] &&
        grep -q '^vgpu: VGPU_CHECK=Races: give 1 .* races .* 0$' "$tmp/log" &&
        { VGPU_CORES=x "$tmp/wrong" > "$tmp/stdout" 2> "$tmp/log"
          [ $? = 2 ]; } && grep -q '^vgpu: VGPU_CORES=x: give' "$tmp/log" &&
        { VGPU_CUDA=new "$vgpucc" races/wrong.cu -o "$tmp/none" 2> "$tmp/log"
          [ $? = 2 ]; } && grep -q 'error: VGPU_CUDA=new: give' "$tmp/log"
    ok $? "a setting that is none is refused, with those that are ($1)"
    VGPU_CHECK=races "$tmp/right" > "$tmp/stdout" 2> "$tmp/log" &&
        [ ! -s "$tmp/log" ] && [ "$(cat "$tmp/stdout")" = cudaSuccess ]
    ok $? "of kernels that order their threads nothing is, $1 ($VGPU_CXX)"
}

# host_loops: what need not be watched is, where it is given device memory.
host_loops()
{
    "$vgpucc" -O2 host_loops.cu -o "$tmp/loops" > "$tmp/log" 2>&1 &&
        { "$tmp/loops" > "$tmp/out" 2> "$tmp/log"; [ $? = 139 ]; } &&
        [ "$(cat "$tmp/out")" = 64 ] &&
        grep -q "host_loops.cu:$(sed -n '/touched/=' host_loops.cu): host code \
reads [0-9]* bytes .* device memory.* copy it to the host" "$tmp/log"
    ok $? "device memory in a host's loop ends the program ($VGPU_CXX)"
    "$tmp/loops" 1 > "$tmp/out" 2> "$tmp/log"
    [ $? = 139 ] && grep -q "host_loops.cu:$(sed -n '/written/=' host_loops.cu): \
host code writes .* copy that to the device" "$tmp/log"
    ok $? "... and one that fills it ($VGPU_CXX)"
}

# waits: a wait for an event without a record is told but where a loop means it.
waits()
{
    "$vgpucc" -O2 waits.cu -o "$tmp/waits" > "$tmp/log" 2>&1 &&
        { VGPU_CHECK=1 "$tmp/waits" > "$tmp/log" 2>&1; true; } &&
        [ "$(sed -n 's/^vgpu: warning: \(waits.cu:[0-9]*\): .* never recorded .*/\1/p' \
            "$tmp/log")" = "$(grep -n '// warned' waits.cu |
                sed 's/\([0-9]*\):.*/waits.cu:\1/')" ]
    ok $? "waits for events without a record ($VGPU_CXX)"
    "$vgpucc" -O2 pageable.cu -o "$tmp/pageable" > "$tmp/log" 2>&1 &&
        VGPU_CHECK=1 "$tmp/pageable" > "$tmp/out" 2> "$tmp/log" &&
        [ "$(cat "$tmp/out")" = "7 7" ] &&
        ! grep -q hazard "$tmp/log" &&
        [ "$(sed -n 's/.*: \(pageable.cu:[0-9]*\): .*counts on that call.*/\1/p' \
            "$tmp/log")" = "$(grep -n '// warned' pageable.cu |
                sed 's/\([0-9]*\):.*/pageable.cu:\1/')" ]
    ok $? "who counts on a copy of pageable memory is told so ($VGPU_CXX)"
    "$vgpucc" -O2 given_back.cu -o "$tmp/given" > "$tmp/log" 2>&1 &&
        VGPU_CHECK=1 "$tmp/given" > "$tmp/out" 2> "$tmp/log" &&
        [ "$(cat "$tmp/out")" = "0 wrong, then 2" ] &&
        [ "$(grep 'is freed at .* counts on this call' "$tmp/log" |
            cut -d: -f4)" = "$(grep -n '// warned' given_back.cu |
            cut -d: -f1)" ]
    ok $? "memory that copies still need stays ($VGPU_CXX)"
    said captures.cu
    "$vgpucc" -O2 graphs.cu -o "$tmp/graphs" > "$tmp/log" 2>&1
    unordered graphs 0 \
        'help .* stream 1 .*{first launch}, .*stream 2 .*{second launch}'
    unordered graphs 1 'why .*both are nodes of .*{one launch}'
    unordered graphs 1 \
        'in a capture cudaEventRecord after {node put}, .* {node get}'
    unordered graphs 2 \
        'help .* stream 1 .*{launch beside}, .*before {a stream}'
    unordered graphs 3 \
        'cudaStreamSynchronize on stream 1 of device 0 before {host}'
    unordered graphs 4 \
        'help *cudaGridDependencySynchronize in the second kernel before {early}'
    ordered graphs
    "$vgpucc" -O2 frees.cu -o "$tmp/frees" > "$tmp/log" 2>&1
    for case in 0 1; do
        unordered frees "$case" "why .*{the free}.*{use $case}"
        [ "$(cat "$tmp/out")" = 'cudaSuccess 7' ]
        ok $? "freed memory is there, $case ($VGPU_CXX)"
    done
    unordered frees 2 '{use 2}: kernel put, .*after it was freed at {the free}'
    ordered frees
}

# said FILE: where a line has "// says: WORDS", it is told so; nothing else is.
said()
{
    "$vgpucc" -O2 "$1" -o "$tmp/said" -lpthread > "$tmp/log" 2>&1 &&
        { VGPU_CHECK=1 "$tmp/said" > "$tmp/log" 2>&1; true; }
    sed -n '/\/\/ says: /{=;s/.*says: //p;}' "$1" | while read -r line; do
        read -r words
        grep -q "^vgpu: .*: $1:$line: .*$words" "$tmp/log" ||
            echo "expected: $1:$line: $words"
    done > "$tmp/expected"
    cat "$tmp/expected" >> "$tmp/log"
    [ ! -s "$tmp/expected" ] && [ "$(grep -c '^vgpu: ' "$tmp/log")" = \
        "$(grep -c '// says: ' "$1")" ]
    ok $? "what $1 is told ($VGPU_CXX)"
}

# flags: what a kernel waits for is no hazard, unless a compiler may spoil it.
flags()
{
    # By its whole path, and without an end of its last line.
    printf %s "$(cat flags.cu)" > "$tmp/flags.cu"
    "$vgpucc" -O2 "$tmp/flags.cu" -o "$tmp/flags" > "$tmp/log" 2>&1 &&
        CUDA_MODULE_LOADING=EAGER VGPU_CHECK=1 "$tmp/flags" \
            > "$tmp/out" 2> "$tmp/log" && [ "$(cat "$tmp/out")" = done ] &&
        ! grep -v 'run would be shorter' "$tmp/log"
    ok $? "flags in memory are an order ($VGPU_CXX)"
    { VGPU_CHECK=1 "$tmp/flags" wrong > "$tmp/out" 2> "$tmp/log"; [ $? = 86 ]; } &&
        [ "$(sed -n 's/.* help .* the flag at \(flags.cu:[0-9]*\) .*/\1/p' \
            "$tmp/log" | sort -u)" = "$(grep -nE '// (read|written)' flags.cu |
                sed 's/\([0-9]*\):.*/flags.cu:\1/' | sort)" ] &&
        grep -q "^  why .* no event orders them" "$tmp/log"
    ok $? "flags that a compiler may spoil are told as such ($VGPU_CXX)"
    VGPU_CHECK=1 "$tmp/flags" late > "$tmp/out" 2> "$tmp/log" &&
        grep -q "flags.cu:$(sed -n '/\/\/ loads/=' flags.cu): the first launch \
of kernel gives .* kernel signs of " "$tmp/log" &&
        ! VGPU_CHECK=1 "$tmp/flags" l 2>&1 | grep 'first launch' &&
        ! CUDA_MODULE_LOADING=EAGER VGPU_CHECK=1 "$tmp/flags" late 2>&1 |
            grep 'first launch'
    ok $? "a first launch that would wait for its like is told ($VGPU_CXX)"
}

# unordered NAME NUMBER WORDS: what is wrong with the case of NAME.cu, {MARK}
# being a line's.
unordered()
{
    words=$(printf '%s\n' "$3" | sed "$(sed -n \
        '/\/\/ /{=;s/.*\/\/ //p;}' "$1.cu" |
        sed "N;s/\\(.*\\)\\n\\(.*\\)/s|{\\2}|$1.cu:\\1|;/")")
    VGPU_CHECK=1 "$tmp/$1" "$2" > "$tmp/out" 2> "$tmp/log"
    [ $? = 86 ] && grep -q "$words" "$tmp/log" &&
        [ "$(grep -c '^vgpu: ' "$tmp/log")" = 1 ]
    ok $? "$1 without an order, $2 ($VGPU_CXX)"
}

# ordered NAME: it is right where no case is asked for.
ordered()
{
    VGPU_CHECK=1 "$tmp/$1" > "$tmp/out" 2> "$tmp/log" && [ ! -s "$tmp/log" ]
    ok $? "$1 in order ($VGPU_CXX)"
}

# apart: managed memory that the host and a kernel do not use at once.
apart()
{
    "$vgpucc" -O2 apart.cu -o "$tmp/apart" > "$tmp/log" 2>&1 &&
        VGPU_DEVICE=k20 VGPU_CHECK=1 "$tmp/apart" > "$tmp/log" 2>&1 &&
        [ "$(grep -v 'run would be' "$tmp/log")" = "3 3 3 4" ] &&
        { VGPU_DEVICE=k20 VGPU_CHECK=1 "$tmp/apart" too > "$tmp/log" 2>&1
          [ $? = 139 ]; } &&
        grep -q "apart.cu:$(sed -n '/\/\/ ends/=' apart.cu): host code .* \
managed memory while kernel work" "$tmp/log" &&
        VGPU_DEVICE=h200 VGPU_CHECK=1 "$tmp/apart" too > "$tmp/log" 2>&1
    ok $? "managed memory apart from the host ($VGPU_CXX)"
}

# peers: a pool's memory is another device's where the pool says so.
peers()
{
    "$vgpucc" -O2 peers.cu -o "$tmp/peers" > "$tmp/log" 2>&1
    VGPU_COUNT=2 VGPU_CHECK=1 "$tmp/peers" > "$tmp/out" 2> "$tmp/log"
    [ "$(cat "$tmp/out")" = cudaErrorIllegalAddress ] &&
        grep -q "peers.cu:$(sed -n '/\/\/ told/=' peers.cu) writes .* without the access that cudaMemPoolSetAccess gives" "$tmp/log"
    ok $? "memory of another device's pool, with peer access alone ($VGPU_CXX)"
    VGPU_COUNT=2 VGPU_CHECK=1 "$tmp/peers" given > "$tmp/out" 2> "$tmp/log"
    [ "$(cat "$tmp/out")" = cudaSuccess ]
    ok $? "... and with the pool's access ($VGPU_CXX)"
}

# events: what an event that orders nothing stands for, with all the lines.
events()
{
    "$vgpucc" -O2 events.cu -o "$tmp/events" > "$tmp/log" 2>&1 &&
        VGPU_CHECK=1 "$tmp/events" > "$tmp/log" 2>&1 &&
        [ "$(grep -v 'run would be shorter' "$tmp/log")" = done ]
    ok $? "events that stand for what they seem to ($VGPU_CXX)"
    number=0
    for key in again early late elsewhere host timed apart last never; do
        VGPU_CHECK=1 "$tmp/events" $number > "$tmp/log" 2>&1
        grep -E '^  why|^vgpu: note' "$tmp/log" > "$tmp/out"
        for line in $(grep -n "// $key: " events.cu | cut -d: -f1); do
            grep -q "events.cu:$line\\b" "$tmp/out" ||
                echo "events.cu:$line is not named" >> "$tmp/log"
        done
        number=$((number + 1))
        ! grep -q 'not named' "$tmp/log"
        ok $? "an event that stands for something else: $key ($VGPU_CXX)"
    done
}

# grid NUMBER MARK PRINTED SAID: of a kernel in grid.cu, on the line with MARK.
grid()
{
    VGPU_DEVICE=h200 VGPU_CHECK=races "$tmp/grid" "$1" \
        > "$tmp/out" 2> "$tmp/log"
    line=$(grep -nF "// $2" grid.cu)
    grep -F "grid.cu:${line%%:*}: " "$tmp/log" | grep -qF "$4" &&
        [ "$(cat "$tmp/out")" = "$3" ]
    ok $? "grids that cannot go on or race, $1 ($VGPU_CXX)"
}

grids()
{
    "$vgpucc" -O2 grid.cu -o "$tmp/grid" > "$tmp/log" 2>&1
    for case in 0 6 7 8; do # and not cudaErrorLaunchFailure: they never end
        said=$(sed -n "s|.*// $case: ||p" grid.cu)
        grid $case "$case:" '' "$said"
    done
    VGPU_DEVICE=h200 VGPU_CHECK=1 "$tmp/grid" 9 > "$tmp/out" 2> "$tmp/log" &&
        [ "$(cat "$tmp/out")" = cudaSuccess ]
    ok $? "two grids that just have room ($VGPU_CXX)"
    for case in 1 5; do
        said=$(sed -n "s|.*// $case: ||p" grid.cu)
        grid $case "$case:" 'cudaErrorLaunchFailure 0' "$said"
    done
    grid 2 told 'cudaSuccess 3' 'thread (5,0,0) ended before a grid.sync() that'
    grid 4 4: 'cudaSuccess 3' 'read by thread'
    ! grep unwritten "$tmp/log" > "$tmp/out"
    ok $? "... and what another block writes later is not unwritten ($VGPU_CXX)"
    (ulimit -v 8000000
        VGPU_DEVICE=h200 VGPU_CHECK=1 "$tmp/grid" 3) > "$tmp/out" 2> "$tmp/log"
    grep -q 'grid.cu:.* no memory for the stacks of a grid of 264 blocks of' \
        "$tmp/log"
    ok $? "a grid with more threads than stacks ($VGPU_CXX)"
}

# matrices: those of matrices.cu that are wrong, and one that is not.
matrices()
{
    "$vgpucc" -O2 matrices.cu -o "$tmp/matrices" > "$tmp/log" 2>&1
    for case in 0 1 2 3 4 5 6 7 8; do
        VGPU_CHECK=races "$tmp/matrices" $case > "$tmp/out" 2> "$tmp/log"
        line=$(grep -nF "// $case: " matrices.cu)
        grep "matrices.cu:${line%%:*}[: ]" "$tmp/log" |
            grep -qF "${line#*// "$case": }"
        ok $? "a warp's matrices where something is wrong, $case ($VGPU_CXX)"
    done
    VGPU_CHECK=races "$tmp/matrices" 9 > "$tmp/out" 2> "$tmp/log" &&
        [ ! -s "$tmp/log" ] && [ "$(cat "$tmp/out")" = cudaSuccess ]
    ok $? "tiles that lie between each other's rows are no hazard ($VGPU_CXX)"
    VGPU_DEVICE=k20 VGPU_CHECK=1 "$tmp/matrices" 9 > "$tmp/out" 2> "$tmp/log"
    grep -q 'needs compute capability 7.0, and the device has 3.5' "$tmp/log"
    ok $? "a device that has no matrices of a warp says so ($VGPU_CXX)"
}

# conditional NUMBER PRINTED [SAID]: of conditional.cu. SAID is said of the line
# that is marked for the case; without it both sides of a hazard are; with "-"
# nothing is.
conditional()
{
    VGPU_CHECK=1 "$tmp/conditional" "$1" > "$tmp/out" 2> "$tmp/log"
    if [ "${3:-}" = - ]; then
        [ ! -s "$tmp/log" ]
    elif [ "${3:-}" ]; then
        line=$(sed -n "\\|// told.* $1|=" conditional.cu)
        grep -F "conditional.cu:$line: " "$tmp/log" | grep -qF "$3"
    else
        for side in first second; do
            line=$(sed -n "\\|// $side $1|=" conditional.cu)
            grep -Eq "^  $side .*conditional.cu:$line[:)]" "$tmp/log" || return
        done
    fi && [ "$(cat "$tmp/out")" = "$2" ]
}

conditionals()
{
    "$vgpucc" -O2 -std=c++17 conditional.cu -o "$tmp/conditional" \
        > "$tmp/log" 2>&1
    conditional 0 'cudaSuccess 1800' -
    ok $? "loops of many launches, whose graph is gone ($VGPU_CXX)"
    for device in unit c1060 k20 rtx2070mq-wddm; do
        VGPU_DEVICE=$device conditional 0 'cudaSuccess 1800' - || break
    done
    ok $? "... and on other devices ($VGPU_CXX)"
    conditional 1 'cudaSuccess -1 cudaSuccess 5'
    ok $? "a body's copy is late, and a hazard for the host ($VGPU_CXX)"
    conditional 2 'cudaSuccess cudaSuccess -1'
    ok $? "a hazard between two branches of a body ($VGPU_CXX)"
    conditional 3 'cudaSuccess cudaSuccess 12'
    ok $? "a hazard between a body and another stream ($VGPU_CXX)"
    conditional 5 'cudaSuccess ' 'the program never ends: the condition of a'
    ok $? "a loop that never ends says so ($VGPU_CXX)"
    conditional 6 'cudaSuccess cudaErrorIllegalAddress -1' 'a null pointer'
    ok $? "a fault in a loop's body ends the loop ($VGPU_CXX)"
    conditional 7 'cudaSuccess cudaSuccess -1' 'has no value'
    ok $? "a condition without a value is told ($VGPU_CXX)"
    conditional 8 'cudaErrorInvalidValue -1' 'must be pinned'
    ok $? "a body's copy of pageable memory is told ($VGPU_CXX)"
}

# texture NUMBER PRINTED SAID: of textures.cu. SAID is said of the line that is
# marked for the case, "// told NUMBER"; without it both sides of a hazard are;
# with "-" nothing is.
texture()
{
    VGPU_CHECK=races "$tmp/textures" "$1" > "$tmp/out" 2> "$tmp/log"
    if [ "${3:-}" = - ]; then
        [ ! -s "$tmp/log" ]
    elif [ "${3:-}" ]; then
        line=$(sed -n "\\|//.* told.* $1|=" textures.cu)
        grep "textures.cu:$line[ :]" "$tmp/log" | grep -qF "$3"
    else
        for side in first second; do
            line=$(sed -n "\\|//.* $side.* $1|=" textures.cu)
            grep -Eq "^  $side .*textures.cu:$line[:)]" "$tmp/log" || return
        done
    fi && [ "$(cat "$tmp/out")" = "$2" ]
}

textures()
{
    "$vgpucc" -O2 -std=c++17 textures.cu -o "$tmp/textures" > "$tmp/log" 2>&1
    texture 0 cudaSuccess -
    ok $? "a copy to rows of an array that no kernel reads ($VGPU_CXX)"
    texture 1 cudaSuccess && grep -qF 'bytes   [4096, 8192) of' "$tmp/log"
    ok $? "a fetch is a read of the texels that it uses ($VGPU_CXX)"
    texture 2 cudaSuccess
    ok $? "a surface's write is a write ($VGPU_CXX)"
    texture 3 cudaErrorIllegalAddress 'reads 4 bytes at byte 0 of buffer 1'
    ok $? "a texture of an array that was freed ($VGPU_CXX)"
    texture 4 cudaErrorIllegalAddress 'uses a texture that was destroyed'
    ok $? "a texture that was destroyed ($VGPU_CXX)"
    texture 5 cudaSuccess
    ok $? "threads that race for a surface's element ($VGPU_CXX)"
    texture 6 cudaErrorIllegalAddress 'at byte 256, row 0, slice 0: outside'
    ok $? "a write outside of a surface ($VGPU_CXX)"
    texture 7 cudaSuccess 'cudaDestroyTextureObject while work may still be'
    ok $? "a texture that is destroyed under way, which works ($VGPU_CXX)"
    VGPU_CUDA=11 "$vgpucc" -O2 texture_references.cu -o "$tmp/references" \
        > "$tmp/log" 2>&1 && "$tmp/references" > "$tmp/out" 2>> "$tmp/log" &&
        printf '3 3.5 2.25 5, 0, no error\n-5 6.5, -5 6.25, no error\n%s\n' \
            cudaErrorIllegalAddress |
        diff - "$tmp/out" >> "$tmp/log"
    ok $? "texture and surface references of CUDA 11 ($VGPU_CXX)"
}

# The operations counted must not depend on the host compiler.
rewritten_costs()
{
    "$vgpucc" --show-rewritten -extended-lambda -expt-relaxed-constexpr "$1" \
        2> "$tmp/log" |
        grep -o 'vgpu_c\.n += [0-9]*' > "$tmp/costs.$VGPU_CXX"
}

for VGPU_CXX in g++ clang++; do
    command -v "$VGPU_CXX" > "$tmp/log" || continue
    export VGPU_CXX
    for program in good/*.cu; do
        run_good "$program"
    done
    for program in bad/*.cu; do
        run_bad "$program"
    done
    hazards -O0
    hazards -O2
    races -O0
    races -O2
    unwritten -O0
    unwritten -O2
    host_memory -O0
    host_memory -O2
    dropped
    order
    failed
    left
    host_loops
    waits
    flags
    apart
    peers
    events
    grids
    matrices
    conditionals
    textures
done
if [ -n "$(command -v g++)" ] && [ -n "$(command -v clang++)" ]; then
    for program in good/*.cu; do
        for VGPU_CXX in g++ clang++; do
            rewritten_costs "$program"
        done
        cmp "$tmp/costs.g++" "$tmp/costs.clang++" >> "$tmp/log" 2>&1 &&
            [ -s "$tmp/costs.g++" ]
        ok $? "$program costs the same with both compilers"
        same_traces "$program"
    done
fi
unset VGPU_CXX

# What is written for speed alone refuses no program: here a compiler that takes
# none of it. Without -v nobody hears of it.
cat > "$tmp/slow-g++" << 'END'
#!/bin/sh
for file; do
    case $file in
    *.ii) if grep -q '::vgpu_run_unwatched(\|::vgpu_host_run\|vgpu_lanes_[0-9]' \
            "$file"
        then
            echo "$file:1: error: not this" >&2
            exit 1
        fi ;;
    esac
done
exec g++ "$@"
END
chmod +x "$tmp/slow-g++"
for option in -O2 -O3 "-O2 -std=c++17"; do
    env -u VGPUCC_STRICT "$vgpucc" $option -ccbin "$tmp/slow-g++" \
        good/places.cu -o "$tmp/places" > "$tmp/log" 2>&1 &&
        [ ! -s "$tmp/log" ] && "$tmp/places" | diff good/places.out - \
        > "$tmp/log"
    ok $? "what does not compile is compiled without what makes it fast, $option"
done
env -u VGPUCC_STRICT "$vgpucc" -v -ccbin "$tmp/slow-g++" good/places.cu \
    -o "$tmp/places" > "$tmp/log" 2>&1 &&
    [ "$(grep -c '^vgpucc: warning: .*places.cu: what is written for speed' \
        "$tmp/log")" = 1 ] && grep -q 'error: not this' "$tmp/log"
ok $? "... and -v says so"
"$vgpucc" -c -ccbin "$tmp/slow-g++" good/places.cu -o "$tmp/places.o" \
    > "$tmp/log" 2>&1
[ $? = 1 ] && grep -q 'error: .*places.cu: what is written for speed' \
    "$tmp/log"
ok $? "... which is an error where VGPUCC_STRICT is set"
sed 's/s \* x + 1.0f/s * y + 1.0f/' good/places.cu > "$tmp/wrong.cu"
"$vgpucc" -c "$tmp/wrong.cu" -o "$tmp/places.o" > "$tmp/log" 2>&1
[ $? = 1 ] && [ "$(grep -c 'wrong.cu:4: error' "$tmp/log")" = 1 ] &&
    [ "$(grep -c error "$tmp/log")" = 1 ]
ok $? "an error of the program's is told once, with its line"

if [ -n "$(command -v clang++)" ]; then
    judged
fi

# ---- several inputs ---------------------------------------------------------

"$vgpucc" parts/one.cu parts/two.cu parts/three.c parts/four.cpp \
    -o "$tmp/parts" > "$tmp/log" 2>&1 &&
    [ "$("$tmp/parts" 2>> "$tmp/log")" = "11 9 16" ]
ok $? "several inputs make one program"

printf '240\n2498\n6674 2511 16\nno error\n' > "$tmp/want"
for VGPU_CXX in g++ clang++; do
    command -v "$VGPU_CXX" > "$tmp/log" || continue
    export VGPU_CXX
    "$vgpucc" -rdc=true device_parts/one.cu device_parts/two.cu \
        -o "$tmp/device_parts" > "$tmp/log" 2>&1 &&
        "$tmp/device_parts" > "$tmp/out" 2>> "$tmp/log" &&
        diff "$tmp/want" "$tmp/out" >> "$tmp/log"
    ok $? "device code in several files ($VGPU_CXX)"
done
unset VGPU_CXX

# A header of .cu files is one for the host's files, too.
cat > "$tmp/words.cpp" << 'END'
#include <cuda_runtime.h>
#include <memory>
extern __constant__ float factors[4];
__global__ void __launch_bounds__(256, 2) scale(float *data, float factor);
__host__ __device__ __forceinline__ float square(float x) { return x * x; }
static __device__ __noinline__ int unused(int x) { return x; }
struct __align__(16) pair { float a, b; };
int main() { return (int)square(3) - 9 + alignof(pair) - 16 + unused(0); }
END
sed 's/<memory>/<stddef.h>/; s/^struct.*/struct __align__(16) pair { float a; };/
    s/alignof(pair) - 16/0/' "$tmp/words.cpp" > "$tmp/words.c"
for file in words.cpp words.c; do
    "$vgpucc" -O2 "$tmp/$file" -o "$tmp/words" > "$tmp/log" 2>&1 &&
        "$tmp/words" && [ ! -s "$tmp/log" ]
    ok $? "the words of CUDA mean nothing in a host's file, $file"
done

(cd "$tmp" && "$vgpucc" -c "$OLDPWD/parts/one.cu" "$OLDPWD/parts/two.cu" \
    "$OLDPWD/parts/four.cpp" &&
    "$vgpucc" -dc "$OLDPWD/parts/three.c" -o named.o &&
    ar rc libparts.a two.o named.o &&
    "$vgpucc" one.o four.o -L. -lparts -lcudart -o parts2) > "$tmp/log" 2>&1 &&
    [ "$("$tmp/parts2" 2>> "$tmp/log")" = "11 9 16" ]
ok $? "objects and an archive are linked"

(cd "$tmp" && mkdir dir && "$vgpucc" -rdc=true -MMD -odir dir \
    -c "$OLDPWD/parts/two.cu" "$OLDPWD/parts/three.c" &&
    "$vgpucc" -lib dir/two.o dir/three.o -o libdir.a &&
    "$vgpucc" -dlink one.o libdir.a -o link.o && [ -e dir/two.d ] &&
    "$vgpucc" -run one.o four.o link.o libdir.a -o parts3) > "$tmp/log" 2>&1 &&
    [ "$(cat "$tmp/log")" = "11 9 16" ]
ok $? "a library, a device link and -run work as nvcc's"

("$vgpucc" -shared -Xcompiler -fPIC parts/two.cu -o "$tmp/libtwo.so" &&
    "$vgpucc" parts/one.cu parts/three.c parts/four.cpp -L"$tmp" -ltwo \
        -Xlinker -rpath,"$tmp" -o "$tmp/parts4") > "$tmp/log" 2>&1 &&
    [ "$("$tmp/parts4" 2>> "$tmp/log")" = "11 9 16" ]
ok $? "a shared library launches kernels"

printf '%s\n' '__global__ void k(auto *p, auto v) { *p = v; }' 'int main() {' \
    'int *p, h; cudaMalloc(&p, 4); k<<<1, 1>>>(p, 7L); k<<<1, 1>>>(p, 5.0);' \
    'cudaMemcpy(&h, p, 4, cudaMemcpyDefault); return h - 5; }' > "$tmp/auto.cu"
"$vgpucc" -std=c++20 "$tmp/auto.cu" -o "$tmp/auto" > "$tmp/log" 2>&1 && "$tmp/auto"
ok $? "a kernel whose parameters are auto"

# ---- the command line -------------------------------------------------------

echo 'int main() { return 0; }' > "$tmp/m.cu"
compile()
{
    "$vgpucc" "$@" "$tmp/m.cu" -o "$tmp/m" > "$tmp/log" 2>&1 && "$tmp/m"
    ok $? "accepted: $*"
}
compile -O3 -g -G -lineinfo -arch=sm_80 -std=c++14 -Xptxas -v
compile -O 3 -arch sm_90 --gpu-code=sm_90 --std=c++17 --use_fast_math
compile -gencode arch=compute_80,code=sm_80 --generate-code=arch=compute_90
compile --default-stream per-thread -rdc=true -maxrregcount=32
compile -default-stream=legacy --relocatable-device-code=true -ccbin g++
compile -Xcompiler -Wall,-Wextra -Xcompiler=-fPIC --compiler-options "-O1 -g"
compile -Xcompiler -fopenmp -Werror all-warnings -w -Xlinker -z,now
compile -x cu -Wno-deprecated-gpu-targets -diag-suppress 177 --threads 2

compile -keep -keep-dir /nowhere -time times.csv -pg -allow-unsupported-compiler
compile -link -lto -Ofc max -restrict -cudadevrt static --keep-device-functions
compile -ftemplate-depth 900 -src-in-ptx --compress-mode=size -DNDEBUG -odir .
compile -I/nowhere,. -forward-unknown-opts -Wall -arbin ar -noeh

echo 'int main() { return CUDA_API_PER_THREAD_DEFAULT_STREAM - 1; }' \
    > "$tmp/m.cu"
compile --default-stream=per-thread
compile -default-stream per-thread
# nvcc puts the choice of the default stream into the kernel's stub (its object
# asks for __cudaLaunchKernel or for __cudaLaunchKernel_ptsz): the file that
# defines a kernel decides, whoever launches it.
echo '__global__ void theirs(int *p) { *p = 1; }' > "$tmp/k.cu"
cat > "$tmp/m.cu" << 'END'
__global__ void theirs(int *p);
__global__ void mine(int *p) { *p = 2; }
int main()
{
    int *p;
    cudaMalloc(&p, sizeof(int));
    theirs<<<1, 1>>>(p);
    mine<<<1, 1>>>(p);
    return cudaDeviceSynchronize();
}
END
"$vgpucc" -c "$tmp/k.cu" -o "$tmp/k.o" > "$tmp/log" 2>&1 &&
    "$vgpucc" --default-stream per-thread -c "$tmp/m.cu" -o "$tmp/m.o" \
        >> "$tmp/log" 2>&1 && "$vgpucc" "$tmp/m.o" "$tmp/k.o" -o "$tmp/m" &&
    VGPU_TRACE=$tmp/trace "$tmp/m" && cat "$tmp/trace" >> "$tmp/log" &&
    grep -q 'name=theirs device=0 stream=0' "$tmp/trace" &&
    grep -q 'name=mine device=0 stream=1' "$tmp/trace"
ok $? "the file with the kernel says which default stream it takes"
echo 'int main() { return AA - BB + CC(1) - 1; }' > "$tmp/m.cu"
compile -DAA=1 -D BB=1 '-DCC(x)=x' -UDD -I. -I /nowhere
echo '#include "x.h"' > "$tmp/m.cu"
echo 'int main() {}' > "$tmp/x.h"
compile -MMD -MP -MF "$tmp/m.d" -MT target
grep -q '^target:.*m\.cu' "$tmp/m.d" && grep -q '^ *.*x\.h:' "$tmp/m.d"
ok $? "dependencies are written"
(cd "$tmp" && "$vgpucc" -MMD -c m.cu -o obj.o > log 2>&1 &&
    grep -q '^obj\.o: *m\.cu' obj.d)
ok $? "dependencies of an object are named after it"

# What CUDA 13 took away is there for programs of older releases.
cat > "$tmp/older.cu" << 'END'
#include <stdio.h>
__global__ void sum(int *out)
{
    int v = threadIdx.x;

    for (int d = 16; d; d /= 2)
        v += __shfl_down(v, d);
    if (threadIdx.x == 0)
        *out = v + __any(threadIdx.x == 0);
}
int main()
{
    cudaDeviceProp p;
    int *out;

    cudaGetDeviceProperties(&p, 0);
    cudaMallocManaged(&out, sizeof *out);
    cudaMemPrefetchAsync(out, sizeof *out, 0);
    sum<<<1, 32>>>(out);
    cudaThreadSynchronize();
    printf("%d %d %d %d\n", p.clockRate > 0, p.deviceOverlap, p.warpSize, *out);
}
END
for given in -DVGPU_CUDA=11 --define-macro=VGPU_CUDA=12 env; do
    if [ $given = env ]; then
        VGPU_CUDA=11 "$vgpucc" "$tmp/older.cu" -o "$tmp/older"
    else
        "$vgpucc" $given "$tmp/older.cu" -o "$tmp/older"
    fi > "$tmp/log" 2>&1 && [ "$("$tmp/older")" = "1 1 32 497" ]
    ok $? "a program of an older CUDA ($given)"
done
"$vgpucc" "$tmp/older.cu" -o "$tmp/older" > "$tmp/log" 2>&1
[ $? = 1 ] && [ "$(grep -c 'VGPU_CUDA=11' "$tmp/log")" = 1 ]
ok $? "without it, one line says how to get them"
"$vgpucc" texture_references.cu -o "$tmp/older" > "$tmp/log" 2>&1
[ $? = 1 ] && [ "$(grep -c 'VGPU_CUDA=11' "$tmp/log")" = 1 ]
ok $? "... and texture references"
echo '#include <cuda_texture_types.h>' > "$tmp/older.cu"
"$vgpucc" -c "$tmp/older.cu" -o "$tmp/older.o" > "$tmp/log" 2>&1
[ $? = 1 ] && grep -q 'error.*VGPU_CUDA=11' "$tmp/log" &&
    VGPU_CUDA=11 "$vgpucc" -c "$tmp/older.cu" -o "$tmp/older.o" >> "$tmp/log" 2>&1
ok $? "... and their header"

# cpu_ms COMMAND ARGS...: how long the processor works for it.
cpu_ms()
{
    ("$@" > "$tmp/log" 2>&1; times) |
        awk 'NR == 2 { split($1, t, /[ms]/); print int(60000 * t[1] + 1000 * t[2]) }'
}

export VGPU_COUNT=2
"$vgpucc" -O2 -DVGPU_CUDA=11 repeats.cu -o "$tmp/repeats" > "$tmp/log" 2>&1 &&
    VGPU_REPEATS=0 "$tmp/repeats" > "$tmp/all" 2>> "$tmp/log" &&
    "$tmp/repeats" > "$tmp/known" 2>> "$tmp/log" &&
    diff "$tmp/all" "$tmp/known" >> "$tmp/log" &&
    [ "$(wc -l < "$tmp/all")" -gt 200 ]
ok $? "launches whose outcome is known leave and cost what they would"
known=$(cpu_ms "$tmp/repeats" 60)
all=$(cpu_ms env VGPU_REPEATS=0 "$tmp/repeats" 60)
echo "$known ms, $all ms" >> "$tmp/log"
[ $((3 * known)) -lt "$all" ]
ok $? "... and are not run"
unset VGPU_COUNT

cat > "$tmp/nvtx.cu" << 'END'
#include <nvtx3/nvtx3.hpp>
int main()
{
    nvtx3::scoped_range all("a b");
    nvtxMark("here");
    return cudaDeviceSynchronize();
}
END
"$vgpucc" "$tmp/nvtx.cu" -lnvToolsExt -o "$tmp/nvtx" > "$tmp/log" 2>&1 &&
    VGPU_TRACE=$tmp/trace "$tmp/nvtx" && cat "$tmp/trace" >> "$tmp/log" &&
    grep -q '^x-range name=a%20b thread=0 .* at=.*nvtx.cu:4$' "$tmp/trace" &&
    grep -q '^x-range name=here .* at=.*nvtx.cu:5$' "$tmp/trace"
ok $? "ranges and marks of NVTX are in the trace"

says 0 'Usage: vgpucc' --help
says 0 'vgpucc [0-9]' --version
says 0 'int main' -E "$tmp/m.cu"
says 2 "unknown option '--wrong'" --wrong "$tmp/m.cu"
says 2 "unknown option '-qwall'" -qwall "$tmp/m.cu"
compile -Wall -pthread -fopenmp -lcuda -lcudart -lnvToolsExt
"$vgpucc" -Wall -c "$tmp/m.cu" -o "$tmp/m.o" > "$tmp/log" 2>&1 &&
    grep -q "note: '-Wall' is passed on.*-Xcompiler" "$tmp/log"
ok $? "a note says how nvcc wants it"
"$vgpucc" -Xcompiler -fopenmp openmp.cu -o "$tmp/openmp" > "$tmp/log" 2>&1 &&
    "$tmp/openmp" > "$tmp/out" 2>> "$tmp/log" &&
    printf 'quiet\n8257536 2048\n' | diff - "$tmp/out" >> "$tmp/log"
ok $? "loops that OpenMP makes one of, and a return without a value in main"
compile -lcublas -lcurand
echo 'extern "C" int cublasInit(); int main() { return cublasInit(); }' \
    > "$tmp/blas.cu"
"$vgpucc" "$tmp/blas.cu" -lcublas -o "$tmp/blas" > "$tmp/log" 2>&1
[ $? = 1 ] && grep -q 'note: -lcublas was left out.*not supported' "$tmp/log"
ok $? "a library is missed when something of it is used"
says 2 "'-ptx' is not supported" -ptx "$tmp/m.cu"
says 2 "'-optf' is not supported" -optf x "$tmp/m.cu"
says 2 "no input files"
says 2 "'-o' needs a value" "$tmp/m.cu" -o
says 2 "default stream 'other'" --default-stream other "$tmp/m.cu"
says 2 "what to do with 'a.txt'" a.txt
says 2 'names one file' -c parts/one.cu parts/two.cu -o x.o
says 1 'none.cu: No such file' none.cu
says 1 "host compiler 'no-such-c\+\+' is not there" -ccbin no-such-c++ \
    "$tmp/m.cu"
mkdir "$tmp/empty"
PATH=$tmp/empty "$vgpucc" "$tmp/m.cu" > "$tmp/log" 2>&1
[ $? = 1 ] && [ "$(wc -l < "$tmp/log")" = 1 ] &&
    grep -q 'no C++ compiler found: install' "$tmp/log"
ok $? "without a compiler, one line says how to get one"

# Where nobody looks at a terminal nothing is said.
"$vgpucc" -O2 slow.cu -o "$tmp/slow" > "$tmp/log" 2>&1
if script -qec true /dev/null > /dev/null 2>&1; then
    script -qefc "timeout 8 '$tmp/slow'" /dev/null > "$tmp/out" < /dev/null
    grep -c '^vgpu: at work for [5-7] s: kernel 2, slow (.*slow.cu:4), .* %' \
        "$tmp/out" > "$tmp/log" && [ "$(cat "$tmp/log")" = 1 ]
    ok $? "at a terminal one line says what takes so long"
else
    echo "ok $((count += 1)) - what takes so long # SKIP no script(1) here"
fi

mkdir "$tmp/scratch"
TMPDIR=$tmp/scratch "$vgpucc" "$tmp/m.cu" -o "$tmp/m" > "$tmp/log" 2>&1
TMPDIR=$tmp/scratch "$vgpucc" bad/undeclared.cu -o "$tmp/m" >> "$tmp/log" 2>&1
TMPDIR=$tmp/scratch "$vgpucc" good/text.cu -o "$tmp/m" >> "$tmp/log" 2>&1 &
pid=$!
sleep 0.3
kill -TERM "$pid"
wait "$pid" 2> /dev/null
[ -z "$(ls -A "$tmp/scratch")" ]
ok $? "temporary files are removed, also after a failure and a signal"

echo "1..$count"
