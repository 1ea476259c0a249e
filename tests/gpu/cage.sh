#!/bin/bash
# cage.sh [NN...]: what a real GPU's driver and its compiler ask of the kernel
# that the cage refuses: every solution (those of these labs) graded and drawn
# on this machine's GPU, each refused call told by its name. Where a grade fails
# here and passes without the cage (grade --under env), a line of
# grader/cage/calls.def refuses too much: the last lines say which calls.
#
#     tests/gpu/cage.sh                        KEEP=FOLDER: what each grade said
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
make -s tools || exit 2
keep=${KEEP:-$(mktemp -d)}
mkdir -p "$keep" || exit 2
backend=${BACKEND:-cuda}
[ $# -gt 0 ] || set -- $(ls solutions | sed -n 's/^\([0-9][0-9]\)_.*/\1/p')

# refused FILE...: each call once, with how often and its values.
refused() {
    sed -n 's/^grade: refused: //p' "$@" | sort | uniq -c | sort -rn
}

build/bin/isolation | sed 's/^/# /'
for lab; do
    for what in graded drawn; do
        out=$keep/$lab.$what
        options=
        [ $what = graded ] || options=--run
        timeout 200 build/bin/grade --backend "$backend" --solution \
            --say-refused $options "$lab" >"$out" 2>&1 </dev/null
        status=$?
        names=$(refused "$out" | awk '{ sub(/\(.*/, "", $2); print $2 }' |
            sort -u | paste -s -d ' ')
        [ $status -eq 0 ] ||
            grep -v '^grade: refused' "$out" | tail -n 12 | sed 's/^/# /'
        [ $status -eq 0 ]
        ok "lab $lab, $what: refused ${names:-nothing}"
    done
done
echo "1..$count"
echo "# all that was refused, how often, and its first three values:"
refused "$keep"/* | sed 's/^/# /' | cut -c 1-120
