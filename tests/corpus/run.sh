#!/bin/bash
# run.sh: grade submissions whose mistake is known, and compare. Prints TAP.
#
#     tests/corpus/run.sh [--backend vgpu|cuda] [FILE ...]
#
# A file is a difference to the lab's solution, or a whole .cu. Without files:
# all of tests/corpus/NN_name/{wrong,right}/, or with LAB=NN those of one lab,
# with EXCEPT=NN those of the others; of these, with PART=1/3 every third.
# The first line of a .cu says what the grader must say first: "// expect: ID",
# or one of several, "// expect: ID ID", or "// expect: passed". A second line
# "// also: ID" names what a later check must say. What fails must also say what
# to read. On the virtual GPU, whose time is computed, as many are graded at a
# time as there are cores, and one more, since they wait now and then; on a real
# one, JOBS (1): they are compiled side by side and take turns on the GPU.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tools/lab.sh
. tests/tap.sh
. tests/kept.sh

# grade_one BACKEND FILE: one result line, without a number.
grade_one() {
    out=$(mktemp) || exit 2
    json=$(mktemp) || exit 2
    if ! cu=$(tools/submission "$2" 2>"$out"); then
        printf '%s\n' "not ok - ${2#tests/corpus/}: cannot be made" \
            "$(sed 's/^/# /' "$out")"
        rm -f "$out" "$json"
        return
    fi
    lab_of_submission "$cu"
    wanted=$(sed -n '1s|^// expect: *||p' "$cu")
    build/bin/grade --backend "$1" --file "$cu" --json "$json" "$lab" \
        >"$out" 2>&1 </dev/null
    status=$?
    found=$(sed -n 's/.*"diagnosis_id": "\([^"]*\)".*/\1/p' "$json" |
        head -n 1)
    [ "$status" -eq 0 ] && found=passed
    good='not ok'
    for one in $wanted; do
        [ "$one" = "$found" ] && good=ok
    done
    also=$(sed -n '2s|^// also: *||p' "$cu")
    if [ -n "$also" ]; then
        wanted="$wanted and $also"
        grep -qF "\"diagnosis_id\": \"$also\"" "$json" || good='not ok'
    fi
    [ "$status" -eq 1 ] && ! grep -q '"read": "' "$json" && good='not ok'
    broken=$(tools/check-promises --of "$2" "$json" | tr '\n' ' ')
    [ -z "$broken" ] || good='not ok'
    [ -z "$broken" ] || wanted="$wanted; promises.txt: $broken"
    [ "$status" -gt 1 ] && good='not ok'
    result="$good - ${cu#*/corpus/}: ${found:-no diagnosis}"
    if [ "$good" != ok ]; then
        result="$result, expected $wanted
$(sed 's/^/# /' "$out")"
    fi
    printf '%s\n' "$result"
    rm -f "$out" "$json"
}

if [ "${1:-}" = --one ]; then
    # Of a lab's submissions each is kept by itself; on a GPU none, nor where
    # something stands in for one.
    [ "$2" = vgpu ] || KEPT=0
    lab=${3#*corpus/}
    kept "corpus-${lab%%_*}" grade_one "$2" "$3" \
        "$(cat "$3" "${3%.*}.flags" 2>/dev/null | cksum)"
    exit 0
fi
backend=vgpu
if [ "${1:-}" = --backend ]; then
    backend=$2
    shift 2
fi
jobs=${JOBS:-1}
[ "$backend" = vgpu ] && jobs=$(($(nproc 2>/dev/null || echo 2) + 1))
if [ $# -eq 0 ]; then
    part=${PART:-1/1} labs='' except=none
    expr "$part" : '[1-9][0-9]*/[1-9][0-9]*$' >/dev/null || {
        echo "tests/corpus/run.sh: PART is as 1/3, not $part" >&2
        exit 2
    }
    [ -z "${LAB:-}" ] || labs=$(lab_names "$LAB") || exit 2
    [ -z "${EXCEPT:-}" ] || except=$(lab_find "$EXCEPT") || exit 2
    # shellcheck disable=SC2046
    set -- $(cd tests/corpus && find ${labs:-.} -name '*.cu' -o -name '*.diff' |
        sed 's|^\./||; s|^|tests/corpus/|' | grep -v "/$except/" | sort |
        awk -v part="$part" 'BEGIN { split(part, of, "/") }
            NR % of[2] == of[1] % of[2]')
fi
# All at once here is quick; one that cannot be made is told of in its turn.
tools/submission "$@" >/dev/null 2>&1
kept_begin
results=$(mktemp) || exit 2
trap 'rm -f "$results"; kept_end' EXIT
trap 'exit 1' INT TERM
{
    echo "1..$#"
    printf '%s\n' "$@" |
        xargs -P "$jobs" -I{} tests/corpus/run.sh --one "$backend" {}
} | tee "$results"
tap_sum "$results"
