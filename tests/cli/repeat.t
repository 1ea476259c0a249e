#!/bin/bash
# repeat.t: does tests/repeat.sh notice what it is for? With a grader that
# says what it is told to.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/bin"
# Line N of $tmp/plan is what run N says: passed, eta.
cat >"$tmp/bin/grade" <<'END'
#!/bin/sh
here=$(dirname "$0")/..
backend=$2
while [ $# -gt 1 ]; do
    [ "$1" != --json ] || json=$2
    [ "$1" != --file ] || echo "$2" >"$here/file"
    shift
done
echo run >>"$here/count"
n=$(wc -l <"$here/count")
set -- $(sed -n "${n}p" "$here/plan")
[ -n "${1:-}" ] || { echo "no compiler here"; exit 2; }
cat >"$json" <<JSON
{"labs": [
    {
      "lab": "08_uneven_chunks",
      "backend": "$backend",
      "passed": $1,
      "eta": $2,
      "seconds": $n.0,
      "checks": [
        {"name": "builds", "passed": false}]}]}
JSON
END
chmod +x "$tmp/bin/grade"
plan() { # PASSED ETA...: what each run will say
    printf '%s %s\n' "$@" >"$tmp/plan"
}
run() { # BACKEND RUNS LAB...
    rm -f "$tmp/count" "$tmp/file"
    tests/repeat.sh "$tmp" "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
says() { grep -qE "^08_uneven_chunks +$1\$" "$tmp/out"; }

plan true 0.854 true 0.854 true 0.854
run vgpu 3 08
[ $rc -eq 0 ] &&
    says '3 of 3 passed   eta 0.854 0.854 0.854   all the same'
ok "the same three times; the seconds do not count"

plan true 0.854 true 0.855 true 0.854
run vgpu 3 08
[ $rc -eq 1 ] && says '3 of 3 passed   eta 0.854 0.854 0.855   1 DIFFER' &&
    grep -q 0.855 "$tmp/repeat/08.other.json"
ok "one other result on the virtual GPU is a failure, and is kept"

plan true 0.90 true 0.97 true 0.95 true 0.93
run cuda 4 08
[ $rc -eq 0 ] && says '4 of 4 passed   eta 0.900 0.930 0.970   same verdict'
ok "on a GPU times may differ"

plan true 0.72 false 0.69 true 0.71
run cuda 3 08
[ $rc -eq 1 ] && says '2 of 3 passed   eta 0.690 0.710 0.720   FLIPS' &&
    grep -q 0.69 "$tmp/repeat/08.other.json"
ok "but not the verdict; the odd one is kept"

plan false null false null
FILE=some.cu run vgpu 2 08
[ $rc -eq 0 ] && says '0 of 2 passed   eta     -     -     -   all the same' &&
    grep -qx some.cu "$tmp/file"
ok "a file of one's own, and no eta"

plan true 0.90 false 0.60
run cuda 1 08
plan true 0.95 true 0.80
MORE=1 run cuda 3 08
[ $rc -eq 0 ] && [ "$(wc -l <"$tmp/count")" -eq 2 ] &&
    says '3 of 3 passed   eta 0.800 0.900 0.950   same verdict'
ok "MORE=1 runs what is missing, and counts all"

mkdir "$tmp/facts" && cp "$tmp/repeat/08_uneven_chunks.facts" "$tmp/facts"
plan false 0.60
FACTS=$tmp/facts MORE=1 run cuda 4 08
[ $rc -eq 1 ] && says '3 of 4 passed   eta 0.600 0.800 0.950   FLIPS'
ok "a verdict that differs from those of earlier parts is a flip"

plan true 1
run vgpu 2 08
[ $rc -eq 1 ] && grep -q 'run 2 cannot be graded: no compiler' "$tmp/out"
ok "a run that gives no grade is named"

run vgpu 0 08
[ $rc -eq 2 ] && FILE=some.cu run vgpu 1 && [ $rc -eq 2 ]
ok "wrong arguments are refused"
echo "1..$count"
