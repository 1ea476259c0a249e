#!/bin/bash
# gradings.sh SECONDS [FILE...]: grade on this machine's GPUs for so long: every
# solution ROUNDS times (2), then FILEs of tests/corpus and tests/cheats, else
# those that the result does not have, in random order.
#
#     docs/measured/measure.sh corpus          calls it
#
# First the labs of several GPUs (LABS2, JOBS2 at a time), for that part of the
# time (SHARE, in percent), then the others, JOBS at a time, each on one GPU in
# turn. A line for each grading, its seconds first, goes to RESULT as soon as it
# is known, and what was not as expected to RESULT.bad: so whatever ends this
# early, nothing is lost. Ends with how many were not as expected.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tools/lab.sh
export RESULT=${RESULT:-build/gradings.txt}

# grade KIND WHAT: one grading.
grade() {
    local out line start=$EPOCHREALTIME json passed eta
    [ "$UNTIL" -gt "$(date +%s)" ] || return 0
    [ -z "${GPUS:-}" ] || export CUDA_VISIBLE_DEVICES=$((SLOT % GPUS))
    case $1 in
    solution)
        json=$(mktemp)
        out=$(build/bin/grade --backend cuda --solution --json "$json" "$2" 2>&1)
        read -r passed eta < <(result_facts "$json")
        rm -f "$json"
        line="ok - solution $2: eta $eta"
        [ "$passed" = yes ] || line="not $line"
        ;;
    corpus) out=$(tests/corpus/run.sh --one cuda "$2") line=${out%%$'\n'*} ;;
    cheats)
        out=$(tests/cheats/run.sh --backend cuda "$2" 2>&1)
        line=$(grep -m 1 '^ok 1\|^not ok 1\|^Bail' <<<"$out")
        line=${line/ok 1 -/ok - ${2#tests/}:}
        ;;
    esac
    case $line in
    ok*) ;;
    *) printf '%s\n' "== $2" "$out" >>"$RESULT.bad" ;;
    esac
    awk -v from="$start" -v to="$EPOCHREALTIME" -v line="$line" \
        'BEGIN { printf "%5.1f %s\n", to - from, line }' >>"$RESULT"
}

# run JOBS END GPUS: the list of standard input, until then.
run() {
    UNTIL=$2 GPUS=$3 xargs -P "$1" -r --process-slot-var=SLOT -n 2 \
        tests/gpu/gradings.sh --one
}

# "corpus PATH" of each path that has no line in the result yet.
missing() {
    local file name
    while read -r file; do
        name=${file#tests/} name=${name#corpus/} name=${name%.*}.
        grep -qF " - $name" "$RESULT" ||
            echo "$(cut -d / -f 2 <<<"$file") $file"
    done
}

if [ "${1:-}" = --one ]; then
    grade "$2" "$3"
    exit
fi
case ${1:-} in
'' | *[!0-9]*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
begun=$(date +%s) seconds=$1 gpus=$(nvidia-smi -L 2>/dev/null | wc -l)
shift
[ "$gpus" -gt 0 ] || { echo "no GPU here: nothing graded" >&2; exit 2; }
: >>"$RESULT"
list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(find tests/corpus tests/cheats -name '*.diff' -o \
    -name '*.cu' | shuf)
tools/submission "$@" >/dev/null 2>&1
{
    for ((i = 0; i < ${ROUNDS:-2}; i++)); do
        lab_names all | sed 's/_.*//; s/^/solution /'
    done
    printf '%s\n' "$@" | missing
} >"$list"
several="${LABS2:-1[1-4]}"
[ "$gpus" -lt 2 ] || grep "^solution $several\|/${several}_" "$list" |
    run "${JOBS2:-10}" $((begun + seconds * ${SHARE:-40} / 100)) ''
grep -v "^solution $several\|/${several}_" "$list" |
    run "${JOBS:-$(nproc)}" $((begun + seconds)) "$gpus"
grep -c ' not ok - ' "$RESULT"
