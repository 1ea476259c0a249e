#!/bin/bash
# steps.t: a file that is right as far as it goes, with some of the TODOs done: those
# up to each one, and all but one. Of every third lab, of others with each commit;
# of labs 03 and 07 at least those up to each.
#
# The first thing that the grade names is the lowest open TODO, whatever the lab
# knows of the mistakes that this looks like. Only where a later part is done may
# something be missing that it needs to compile. And in the labs whose skeletons work
# no TODO that is done takes points away. LABS="08_uneven_chunks" takes some of
# them, ALL=1 every set of TODOs of all.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/kept.sh

# steps.t --one FOLDER LAB "1 2": grade that, into a file "POINTS OPEN NAMED".
if [ "${1:-}" = --one ]; then
    lab=$3
    kept "corpus-${lab%%_*}" "$0" --grade "$lab" "$4" >"$2/$lab$4"
    exit 0
fi
if [ "${1:-}" = --grade ]; then
    lab=$2 done=$3
    tmp=$(mktemp -d) || exit 1
    trap 'rm -rf "$tmp"' EXIT
    tools/skeleton --done "$done" "solutions/$lab/lab.cu" >"$tmp/lab.cu"
    # Compiler options are a part of what is done; the TODO stands there, too.
    about=$(sed -n 's/^#| # TODO \([0-9]*\).*/\1/p' "solutions/$lab/flags" \
        2>/dev/null)
    [ -z "$about" ] || grep -q "TODO $about:" "$tmp/lab.cu" ||
        tools/skeleton --solution "solutions/$lab/flags" >"$tmp/flags"
    build/bin/grade --backend vgpu --file "$tmp/lab.cu" --json "$tmp/json" \
        "${lab%%_*}" >"$tmp/out" 2>&1
    points=$(sed -n 's/^ *"score": \([0-9]*\).*/\1/p' "$tmp/json" | head -n 1)
    open=$(sed -n 's/.*TODO \([0-9]*\):.*/\1/p' "$tmp/lab.cu" | sort -n |
        head -n 1)
    id=$(sed -n 's/.*"diagnosis_id": "\([^"]*\)".*/\1/p' "$tmp/json" |
        head -n 1)
    # In the words for people it is the first TODO, too.
    named=$(grep -o 'TODO [0-9]*' "$tmp/out" | head -n 1)
    [ "$id" = open-todo ] || named=$id
    echo "${points:-none} ${open:-none} ${named:-none}"
    [ -n "$points" ] # what the machine hindered is not kept
    exit
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"; kept_end' EXIT
unset VGPU_DEVICE

# todos_of LAB: the first of each region; what stands in one is done at once.
todos_of() {
    awk '/^ *\/\/ solution>/ { new = 1 }
        new && match($0, /\/\/ TODO [0-9]+/) {
            print substr($0, RSTART + 8, RLENGTH - 8); new = 0 }' \
        "solutions/$1/lab.cu" | sort -nu
}
# sets_of TURN TODO...: " 1 2" on lines: none, those up to each; all but one where
# it is the lab's turn.
sets_of() {
    local turn=$1
    shift
    printf '%s\n' "$@" | awk -v all="${ALL:-}" -v turn="$turn" '
    { todo[n++] = $1 }
    END {
        for (set = 0; set < 2 ^ n; set++) {
            line = ""
            open = gap = 0
            for (i = 0; i < n; i++)
                if (int(set / 2 ^ i) % 2) {
                    line = line " " todo[i]
                    gap = gap || open
                } else {
                    open++
                }
            if (all || !gap || (turn && open == 1))
                print line
        }
    }'
}
round=$(git rev-list --count HEAD 2>/dev/null || echo 0)
# turn_of LAB: 1 where it is.
turn_of() { echo $((!((10#${1%%_*} + round) % 3))); }
# labs_asked: what LABS says, or ALL; else those whose turn it is, and 03 and 07.
labs_asked() {
    local lab
    for lab in ${LABS:-$(cd solutions && echo [0-9]*)}; do
        case ${LABS:+asked}${ALL:+asked}$lab in
        03_* | 07_*) ;;
        [0-9][0-9]_*) [ "$(turn_of "$lab")" = 1 ] || continue ;;
        esac
        echo "$lab"
    done
}
labs=$(labs_asked)
kept_begin
for lab in $labs; do
    # shellcheck disable=SC2046
    sets_of "$(turn_of "$lab")" $(todos_of "$lab") | while read -r todos; do
        printf '%s\n%s\n' "$lab" "${todos:- }"
    done
done | tr '\n' '\0' |
    xargs -0 -n 2 -P "$(nproc)" "$0" --one "$tmp"

# ok_set LAB TODOS: what it came to in $points.
ok_set() {
    read -r points open named <"$tmp/$1${2:- }"
    [ "$open" = none ] || [ "$named" = "TODO $open" ] ||
        { [ "$named" = does-not-compile ] && [ "${2##* }" -gt "$open" ]; }
    ok "$1, TODO ${2:-none} done: $named"
}
for lab in $labs; do
    todos=$(todos_of "$lab")
    before=0 first=
    # shellcheck disable=SC2086
    while read -r set; do
        ok_set "$lab" "$set"
        first=${first:-$points}
        case $lab in 03_* | 07_*) ;; *) continue ;; esac
        [ "$points" -ge "$first" ]
        ok "$lab, TODO $set: $points, before it $first"
        case "$(echo $todos) " in
        "$set "*)
            [ "$points" -ge "$before" ]
            ok "... and one less $before"
            before=$points
            ;;
        esac
    done <<END
$(sets_of "$(turn_of "$lab")" $todos)
END
    [ "$points" = 100 ]
    ok "$lab: all of them are the solution"
done
echo "1..$count"
