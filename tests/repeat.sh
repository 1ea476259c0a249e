#!/bin/sh
# repeat.sh BUILD BACKEND RUNS [LAB]...: grade one file many times. Does the
# grader say the same each time? One line for each lab.
#
#     make test-repeat RUNS=200 LAB=08 [FILE=PATH] [BACKEND=cuda]
#
# The file is the solution, or FILE, which may be a difference of the corpus. On the virtual GPU every result must be the
# same to the last byte, but for the seconds that grading took: input is random
# in each run, and nothing may depend on it. On a real GPU times differ, and
# what counts is that the verdict does not: a lab "flips" where some runs passed
# and some did not. What differed is kept in BUILD/repeat/. The verdict and eta of
# each run are kept there, too, or in the folder FACTS; with MORE=1 only those are
# run that are missing there, so that a hundred can be made in parts. JOBS (1)
# labs are graded side by side; on a GPU they take turns.
set -u
cd "$(dirname "$0")/.." || exit 2
. tools/lab.sh
one=
[ "$1" != --one ] || { one=yes && shift; }
build=$1 backend=$2 runs=$3
shift 3
case $runs in
'' | *[!0-9]* | 0*)
    echo "RUNS is a number from 1, not '$runs'" >&2
    exit 2
    ;;
esac
names=
[ $# -eq 0 ] || names=$(lab_names "$*") || exit 2
case ${FILE:-} in
*.diff) FILE=$(tools/submission "$FILE") || exit 2 ;;
esac
[ -n "$names" ] || names=$(ls -d labs/[0-9]*/ | sed 's|^labs/||; s|/$||')
[ -n "${FILE:-}" ] && [ "$(echo $names | wc -w)" -ne 1 ] && {
    echo "FILE is of one lab: which? LAB=08" >&2
    exit 2
}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
kept=$build/repeat

# The file of one lab, or its solution.
grade_once() { # LAB JSON
    if [ -n "${FILE:-}" ]; then
        "$build/bin/grade" --backend "$backend" --file "$FILE" --json "$2" "$1"
    else
        "$build/bin/grade" --backend "$backend" --solution --json "$2" "$1"
    fi >"$tmp/said" 2>&1
}

# The result without what may differ.
same_part() {
    grep -v '^ *"seconds":' "$1"
}

# Lines "passed eta" to one line; exit 1 where the verdict flipped.
sum_up() { # LAB DIFFERENT
    sort -k2,2n "$facts" | awk -v lab="$1" -v other="$2" \
        -v exact="$([ "$(cat "$tmp/backend")" = vgpu ] && echo 1)" '
        { runs++ }
        $1 == "yes" { passed++ }
        $2 != "-" { eta[++n] = $2 }
        END {
            flips = passed && passed < runs
            verdict = flips ? "FLIPS" : exact && other ? other " DIFFER" \
                : exact ? "all the same" : "same verdict"
            printf "%-22s %4d of %d passed", lab, passed, runs
            if (n)
                printf "   eta %.3f %.3f %.3f", eta[1], \
                    eta[int((n + 1) / 2)], eta[n]
            else
                printf "   eta     -     -     -"
            print "   " verdict
            exit flips || exact && other
        }'
}

# The first result and the last other one, best one with another verdict, and
# what the grader said there.
keep() { # PATH
    flipped=$(cut -d' ' -f1 "$facts" | sort -u | wc -l)
    verdict=$(tail -n 1 "$facts" | cut -d' ' -f1)
    cp "$tmp/first" "$1.first.json"
    [ "$flipped" -gt 1 ] &&
        [ "$verdict" = "$(head -n 1 "$facts" | cut -d' ' -f1)" ] && return
    cp "$tmp/now" "$1.other.json"
    cp "$tmp/said" "$1.other.txt"
}

# repeat_lab LAB BACKEND
repeat_lab() {
    facts=${FACTS:-$kept}/$1.facts
    mkdir -p "$kept" "${FACTS:-$kept}"
    [ -n "${MORE:-}" ] && [ -f "$facts" ] || : >"$facts"
    different=0 run=$(wc -l <"$facts")
    echo "$2" >"$tmp/backend"
    while [ "$run" -lt "$runs" ]; do
        run=$((run + 1))
        rm -f "$tmp/grade.json"
        grade_once "$1" "$tmp/grade.json"
        if [ ! -s "$tmp/grade.json" ]; then
            echo "$1: run $run cannot be graded: $(tail -n 1 "$tmp/said")"
            return 1
        fi
        result_facts "$tmp/grade.json" >>"$facts"
        same_part "$tmp/grade.json" >"$tmp/now"
        if [ ! -f "$tmp/first" ]; then
            cp "$tmp/now" "$tmp/first"
            sed -n 's/^ *"backend": *"\([a-z]*\)".*/\1/p' "$tmp/now" \
                >"$tmp/backend"
        elif ! cmp -s "$tmp/first" "$tmp/now"; then
            different=$((different + 1))
            keep "$kept/${1%%_*}"
        fi
    done
    sum_up "$1" "$different"
}

if [ -n "$one" ]; then
    repeat_lab $names "$backend"
    exit
fi
echo "lab                    passed              eta least, median, most"
printf '%s\n' $names | FILE="${FILE:-}" xargs -P "${JOBS:-1}" -I{} \
    tests/repeat.sh --one "$build" "$backend" "$runs" {} || exit 1
