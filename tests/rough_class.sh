#!/bin/bash
# rough_class.sh FOLDER N: N submissions of lab 08 in a new folder, among them
# ones that crash, hang, flood, fork, kill and remove files, under awkward names
# that begin with their number. Prints for each its number and which diagnoses it
# is known for, "none" where it is right.
set -u
cd "$(dirname "$0")/.." || exit 1
in=$1 n=$2
mkdir "$in" || exit 1
any=tests/cheats/any_lab labs=tests/corpus/08_uneven_chunks
# The rough ones come last: what an interruption meets is anything.
kinds=$(tools/submission $labs/right/even_split.diff $any/crash.diff \
    $labs/wrong/{guard_subtracts_first,no_final_sync,one_stream}.diff \
    $any/{output_flood,fork_storm,kills_its_parent,exit_with_forged_reply}.diff \
    $labs/right/{device_sync,helper_function}.* $any/does_not_compile.cu \
    $any/{removes_files,fills_the_disk,leaves_a_daemon,infinite_loop}.diff) ||
    exit 1
mapfile -t kinds <<<"$kinds"
for ((i = 0; i < n; i++)); do
    file=${kinds[i % ${#kinds[@]}]}
    case $((i % 5)) in
    0) to="$in/$i.cu" ;;
    1) to="$in/$i of 'them'/lab.cu" ;;
    2) to="$in/$i"$'\n'"\$(x)/labs/08_uneven_chunks/lab.cu" ;;
    3) to="$in/$i..%2f..;&\".cu" ;;
    4) to="$in/$i/08.cu" ;;
    esac
    mkdir -p "${to%/*}"
    # What is timed differs by the text: no two submissions are one.
    { cat "$file" && echo "// $i"; } >"$to"
    expected=$(sed -n '1s|^// expect: *||p' "$file")
    echo "$i $expected"
done
