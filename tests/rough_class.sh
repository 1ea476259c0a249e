#!/bin/bash
# rough_class.sh FOLDER N [FRIENDS]: N submissions of lab 08 in a new folder,
# under awkward names that begin with their number. Most are right, wrong or
# careless; among them are hostile ones: programs that reach for what is not
# theirs, and what was packed to harm (rough_zips.py). One in ten is, and in a
# small class up to the half, so that most kinds are there. Prints for each its
# number, which diagnoses it is known for ("none": not passed, whatever is said;
# "not-graded"), and a dash and its kind where it is not hostile. FRIENDS: a folder
# for the first of each kind that is not, alone; without it nothing is packed.
set -u
cd "$(dirname "$0")/.." || exit 1
in=$1 n=$2 friends=${3:-}
mkdir "$in" || exit 1
any=tests/cheats/any_lab labs=tests/corpus/08_uneven_chunks
kinds=$(tools/submission $labs/right/even_split.diff $any/crash.diff \
    $labs/wrong/{guard_subtracts_first,no_final_sync,one_stream}.diff \
    $labs/right/{device_sync,helper_function}.* $any/does_not_compile.cu) ||
    exit 1
mapfile -t kinds <<<"$kinds"
hostile=$(tools/submission $any/{writes_to_the_next,output_flood,changes_modes}.diff \
    $any/{kills_its_parent,leaves_objects,fork_storm,limits_others}.diff \
    $any/{thread_storm,removes_files,plants_symlinks,opens_sockets}.diff \
    $any/{exit_with_forged_reply,takes_all_memory,writes_elsewhere}.diff \
    $any/{leaves_a_daemon,fills_the_disk,infinite_loop}.diff) || exit 1
mapfile -t hostile <<<"$hostile"
many=$((n / 10 > 42 ? n / 10 : n < 84 ? n / 2 : 42))

hand_in() { # FILE WHERE: what is timed differs by the text: no two are one
    mkdir -p "${2%/*}"
    { cat "$1" && echo "// $i"; } >"$2"
}
place() { # sets to
    case $((i % 5)) in
    0) to="$in/$i.cu" ;;
    1) to="$in/$i of 'them'/lab.cu" ;;
    2) to="$in/$i"$'\n'"\$(x)/labs/08_uneven_chunks/lab.cu" ;;
    3) to="$in/$i..%2f..;&\".cu" ;;
    4) to="$in/$i/08.cu" ;;
    esac
}

packed=() good=0 bad=0 rough=0
for ((i = 0; i < n; i++)); do
    mark=
    if [ $((i * many / n)) -eq $(((i + 1) * many / n)) ]; then
        kind=$((good++ % ${#kinds[@]}))
        file=${kinds[kind]} mark="- $kind"
        [ -z "$friends" ] || [ $good -gt ${#kinds[@]} ] ||
            hand_in "$file" "$friends/$i.cu"
    elif [ $((bad++ % 2)) -eq 1 ] && [ -n "$friends" ]; then
        packed+=("$i")
        continue
    else
        file=${hostile[rough++ % ${#hostile[@]}]}
    fi
    place
    hand_in "$file" "$to"
    echo "$i $(sed -n '1s|^// expect: *||p' "$file") $mark"
done
[ ${#packed[@]} -eq 0 ] ||
    tests/rough_zips.py "$in" solutions/08_uneven_chunks/lab.cu "${packed[@]}"
