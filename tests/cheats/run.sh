#!/bin/sh
# run.sh: grade submissions that cheat or break things. None may pass, none
# may take the grader down, stay alive or destroy anything. Prints TAP.
#
#     tests/cheats/run.sh [--backend vgpu|cuda] [FILE ...]
#
# A file is a difference to the lab's solution, or a whole .cu. The first line
# of a .cu names the diagnosis: "// expect: ID", one of several, or "none" for
# any. Each is graded as a copy in a folder of its own. A folder NN_name has what
# cheats in that lab; any_lab has what tries the grader, whatever the lab.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tools/lab.sh
backend=vgpu
if [ "${1:-}" = --backend ]; then
    backend=$2
    shift 2
fi
# Processes that the grade with this process id left behind: their folder is
# in their environment. Other people's grades on this machine do not count.
list_left() {
    grep -lasz "^HOME=.*/build/grade/[0-9][0-9]\.$1\$" /dev/null \
        $(printf '%s\n' /proc/[0-9]*/environ) 2> /dev/null |
        cut -d / -f 3
}

# Grade FILE as number NUMBER; what there is to say goes to $work/NUMBER.tap.
grade_one() {
    number=$1
    file=$2
    own=$work/$number
    mkdir "$own"
    lab_of_submission "$file"
    wanted=$(sed -n '1s|^// expect: *||p' "$file")
    copy=$own/$(basename "$file")
    cp "$file" "$copy"
    build/bin/grade --backend "$backend" --timeout 2 --file "$copy" \
        --json "$own/out.json" "$lab" > "$own/out" 2>&1 < /dev/null &
    grader=$!
    wait $grader
    status=$?
    found=$(sed -n 's/.*"diagnosis_id": "\([^"]*\)".*/\1/p' \
        "$own/out.json" 2> /dev/null | head -n 1)
    why=
    [ $status -eq 1 ] || why="$why exit status $status;"
    [ -s "$own/out.json" ] || why="$why no JSON;"
    case " $wanted " in
    ' none ' | *" $found "*) ;;
    *) why="$why expected $wanted;" ;;
    esac
    cmp -s "$file" "$copy" || why="$why the source was not kept;"
    [ -z "$(list_left $grader)" ] || why="$why a process is left;"
    [ ! -e "build/grade/${lab%%_*}.$grader" ] || why="$why a folder is left;"
    name="$(basename "$file"): ${found:-no diagnosis}"
    if [ -z "$why" ]; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name:$why"
        sed 's/^/# /' "$own/out"
    fi > "$work/$number.tap"
    rm -rf "$own"
}

# One of those that xargs starts below.
if [ -n "${CHEATS:-}" ]; then
    work=$CHEATS
    grade_one "$1" "$2"
    exit
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
# shellcheck disable=SC2046
[ $# -gt 0 ] ||
    set -- $(find tests/cheats -name '*.cu' -o -name '*.diff' | sort)
# From here on, the .cu file of each.
# shellcheck disable=SC2046
made=$(tools/submission "$@") && set -- $made || {
    echo "Bail out! A cheat is a difference that does not apply."
    exit 1
}

# JOBS at a time, or four: the others' turn is while the first one waits.
count=$#
number=0
for file; do
    number=$((number + 1))
    printf '%s\n' "$number" "$file"
done | CHEATS=$work xargs -n 2 -P "${JOBS:-4}" \
    tests/cheats/run.sh --backend "$backend"
echo "1..$count"
bad=0
number=0
while [ $number -lt "$count" ]; do
    number=$((number + 1))
    cat "$work/$number.tap" || echo "not ok $number - it was not graded"
    grep -q '^ok' "$work/$number.tap" || bad=$((bad + 1))
done
[ $bad -eq 0 ]
