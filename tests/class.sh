#!/bin/bash
# class.sh [N]: a class of N submissions (24), among them ones that crash, hang,
# flood, fork, kill and remove files, handed in under awkward names. The round is
# killed half-way, with all that it started, and goes on. Prints TAP: none lost,
# none wrong, nothing graded twice, nothing left behind; closes with `N passed, N
# failed`. JOBS: so many at a time.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
n=${1:-24}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS LIMIT FORCE
export OUT=$tmp/class JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}
in=$tmp/in
tests/rough_class.sh "$in" "$n" >"$tmp/expected" || exit 1

class() { tools/grade-class build vgpu 08 "$in"; }
made() { (cd "$OUT/08" && cksum ./*.json | sort) 2>/dev/null; }
# Folders and processes of gradings whose grader is no more.
left() {
    {
        ls build/grade 2>/dev/null
        grep -ahosz "^HOME=$PWD/build/grade/.*" /proc/[0-9]*/environ 2>/dev/null |
            tr '\0' '\n' | sed 's|.*/||'
    } | sort -u | while read -r one; do
        grep -qs bin/grade "/proc/${one##*.}/cmdline" || echo "$one"
    done
}
before=$(left)
{

# ---- killed half-way, with every process of the round ------------------------

began=$SECONDS
set -m
class >"$tmp/out" 2>"$tmp/err" </dev/null &
class=$!
set +m
until [ "$(made | wc -l)" -ge $((n / 2)) ]; do
    kill -0 $class 2>/dev/null || break
    sleep 0.1
done
kill -KILL -$class
wait $class 2>/dev/null
made >"$tmp/made"
[ "$(wc -l <"$tmp/made")" -ge $((n / 2)) ] && [ ! -e "$OUT/grades.csv" ]
ok "killed half-way, with $n to grade"
class >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? -eq 0 ] && [ ! -s "$tmp/err" ] && grep -q "^$n graded, " "$tmp/out"
ok 'goes on, and all are graded'
echo "# $n gradings with JOBS=$JOBS: $((SECONDS - began)) s"
made | comm -13 - "$tmp/made" >"$tmp/log"
[ ! -s "$tmp/log" ]
ok 'nothing that was graded is graded again'

# ---- none lost, none wrong ---------------------------------------------------

# NUMBER ID|passed, from names that begin with their number.
sed -En '2,$s/^"([0-9]+)[^,]*,"[^"]*",(passed|not passed),([^,]*,){8}"?([^",]*).*/\1 \2 \4/p' \
    "$OUT/grades.csv" >"$tmp/rows"
[ "$(cut -d ' ' -f 1 "$tmp/rows" | sort -u | wc -l)" -eq "$n" ] &&
    [ "$(wc -l <"$OUT/grades.csv")" -eq $((n + 1)) ]
ok 'each has one row'
awk '
FILENAME ~ /rows$/ { $2 = $2 == "passed" ? $2 : $NF; got[$1] = $2; next }
{
    good = $2 == "none" && got[$1] != "passed"
    for (i = 2; i <= NF; i++)
        good = good || $i == got[$1]
    if (!good)
        print $1 ": expected " $2 ", and got " got[$1]
}' "$tmp/rows" "$tmp/expected" >"$tmp/log"
[ ! -s "$tmp/log" ]
ok 'and says what its submission is known for'

# ---- nothing left, nothing to do ---------------------------------------------

for _ in 1 2 3 4 5 6; do
    left | comm -13 <(echo "$before") - >"$tmp/log"
    [ ! -s "$tmp/log" ] && break
    sleep 0.5
done
[ ! -s "$tmp/log" ]
ok 'no process and no folder is left'
find "$OUT" -type f | sed "s|$OUT/||; s|08/[0-9][0-9a-z+_-]*||" | sort |
    uniq -c | tr -s ' ' >"$tmp/log"
printf ' %s\n' "$n .json" "$n /lab.cu" '1 08/.tools' '1 08/grades.csv' \
    '1 grades.csv' | sort | cmp -s - <(sort "$tmp/log")
ok '... nor a file that does not belong there'
made >"$tmp/made"
class >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? -eq 0 ] && made | cmp -s - "$tmp/made" && ! grep -q left "$tmp/out" &&
    grep -q "^$n graded, " "$tmp/out"
ok 'the next call does nothing'
echo "1..$count"
} >"$tmp/tap"
cat "$tmp/tap"
tap_sum "$tmp/tap"
