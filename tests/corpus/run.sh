#!/bin/sh
# run.sh: grade submissions whose mistake is known, and compare. Prints TAP.
#
#     tests/corpus/run.sh [--backend vgpu|cuda] [FILE.cu ...]
#
# Without files: all of tests/corpus/NN_name/{wrong,right}/. The first line of
# a file says what the grader must say first: "// expect: ID", or one of
# several, "// expect: ID ID", or "// expect: passed".
set -u
cd "$(dirname "$0")/../.." || exit 2
backend=vgpu
if [ "${1:-}" = --backend ]; then
    backend=$2
    shift 2
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
[ $# -gt 0 ] || set -- tests/corpus/[0-9][0-9]_*/*/*.cu

echo "1..$#"
number=0
bad=0
for file; do
    number=$((number + 1))
    lab=${file#*corpus/}
    lab=${lab%%/*}
    wanted=$(sed -n '1s|^// expect: *||p' "$file")
    build/bin/grade --backend "$backend" --file "$file" \
        --json "$work/out.json" "$lab" > "$work/out" 2>&1 < /dev/null
    status=$?
    found=$(sed -n 's/.*"diagnosis_id": "\([^"]*\)".*/\1/p' \
        "$work/out.json" 2> /dev/null | head -n 1)
    [ "$status" -eq 0 ] && found=passed
    rm -f "$work/out.json"
    good=no
    for one in $wanted; do
        [ "$one" = "$found" ] && good=yes
    done
    [ "$status" -gt 1 ] && good=no
    name="${file#tests/corpus/}: ${found:-no diagnosis}"
    if [ $good = yes ]; then
        echo "ok $number - $name"
    else
        bad=$((bad + 1))
        echo "not ok $number - $name, expected $wanted"
        sed 's/^/# /' "$work/out"
    fi
done
[ $bad -eq 0 ]
