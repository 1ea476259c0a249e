#!/bin/sh
# never_false.t: what stands beside a wrong result. No speed-up is said of a
# program that is wrong, that did nothing or that did something else, on the
# terminal, on its pages or in its JSON; of one that is right, it is.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset FORCE COLUMNS VGPU_CHECK VGPU_TRACE VGPU_DEVICE VGPU_COUNT
LC_ALL=C.UTF-8
export LC_ALL
if [ ! -x build/bin/grade ] || [ ! -x build/bin/report ]; then
    echo "1..0 # SKIP the grader is not built"
    exit 0
fi

# A place with its own build/, so that a student's is left alone.
place=$tmp/place
mkdir -p "$place/build/results" "$place/labs"
cp -R build/bin build/lib "$place/build/"
for folder in common grader solutions tests tools vgpu; do
    ln -s "$root/$folder" "$place/$folder"
done
cp -R labs/. "$place/labs"
cd "$place" || exit 1

# What must never stand beside a wrong result: a ratio of times, in whatever
# words; praise of its speed; a verdict in green.
never='[0-9]x as (fast|long)|your version +[0-9.]+ ms +[0-9.]+x'
never="$never|Of what overlap can gain|is [0-9.]+x as|verdict pass\""
never="$never|yours [0-9.]+x"
never="$never|\"speedup\": [0-9]|\"eta\": [0-9]|>[0-9.]+x<"

# show LAB FILE: what a student sees of this file, in all ways, in $tmp/out.
show() {
    cp "$2" "labs/$1/lab.cu"
    number=${1%%_*}
    rm -f build/traces/*
    {
        tools/run-lab build vgpu "$number"
        build/bin/grade --backend vgpu --json "build/results/$number.json" "$1"
        tools/report-labs build vgpu "$1"
        # Of the page, what is read: its scripts can say much.
        sed '/<script/,/<\/script>/d' build/report.html
        grep -o '"compared":"[^"]*"' build/report.html
        build/bin/timeline --html build/page.html \
            "build/traces/${number}_baseline.trace" \
            "build/traces/${number}_student.trace"
        sed '/<script/,/<\/script>/d' build/page.html
        cat "build/results/$number.json"
    } >"$tmp/out" 2>&1 </dev/null
}
wrong() { # LAB FILE WORDS: nothing false is said, and this is said instead
    [ -f "$2" ] || return
    show "$1" "$2"
    ! grep -E "$never" "$tmp/out" >"$tmp/err" && grep -qF -- "$3" "$tmp/out"
}
submission() { # LAB NAME: prints its file
    (cd "$root" && tools/submission "tests/corpus/$1/wrong/$2.diff") |
        sed "s|^|$root/|"
}

for lab in 02_async_launch 08_uneven_chunks; do
    tools/skeleton "solutions/$lab/lab.cu" >"$tmp/skeleton.cu"
    case $lab in
    08*) why='not compared: no work on the device' ;;
    *) why='not compared: "both parts, right" failed' ;;
    esac
    wrong $lab "$tmp/skeleton.cu" "$why"
    ok "the untouched skeleton of lab $lab has no speed-up"
done
lab=08_uneven_chunks
for name in tail_skipped middle_chunk_missing; do
    wrong $lab "$(submission $lab $name)" 'not compared: copies 3.750 MiB in,'
    ok "lab 08, $name: the work that is missing is named"
done
for name in sync_last_stream_only wrong_rounds floor_division; do
    wrong $lab "$(submission $lab $name)" 'not compared: "right: '
    ok "lab 08, $name: the check that failed is named"
done
wrong $lab "$(submission $lab tail_without_kernel)" 'not compared: '
ok 'lab 08, a chunk that no kernel decrypts'
lab=04_streams_and_events
wrong $lab "$(submission $lab no_join)" 'not compared: '
ok 'lab 04, a hazard'

wrong $lab "$(submission $lab clock_leaked)" \
    'fast enough by itself; times count when "the clock" is right'
ok 'lab 04, what a later check finds: its earlier ones compare nothing either'

lab=08_uneven_chunks
wrong $lab "$(submission $lab leaks_an_event)" \
    'fast enough by itself; times count when "clean" is right'
ok 'lab 08, a leak'
tools/skeleton --solution solutions/$lab/lab.cu >"$tmp/solution.cu"
show $lab "$tmp/solution.cu"
grep -q 'yours 2.0x' "$tmp/out" &&
    grep -Eq 'your version +[0-9.]+ ms +1\.[0-9]+x$' "$tmp/out" &&
    grep -q '"compared":"1.99x as fast"' "$tmp/out" &&
    grep -q 'Yours is [0-9.]*x as fast as without overlap' "$tmp/out" &&
    grep -q 'verdict pass"' "$tmp/out" && ! grep -q 'not compared' "$tmp/out"
ok 'what is right is compared, everywhere'

lab=04_streams_and_events
tools/skeleton --solution solutions/$lab/lab.cu >"$tmp/solution.cu"
show $lab "$tmp/solution.cu"
! grep -qi 'chunk' "$tmp/out"
ok 'lab 04 has no chunks, and is not told of any'

echo "1..$count"
