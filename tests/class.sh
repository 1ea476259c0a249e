#!/bin/bash
# class.sh [N]: a class of N submissions (24), among them ones that crash and hang,
# and hostile ones, handed in under awkward names: they flood, fork, kill, take all
# there is, reach for other students and the machine, leave objects behind, or were
# packed to harm (rough_class.sh). The round is killed half-way, with all that it
# started, and goes on. Prints TAP: none lost, none wrong, nothing graded twice,
# the others graded as in a class without hostile ones, nothing left behind; closes
# with `N passed, N failed`. JOBS: so many at a time.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
n=${1:-24}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS LIMIT FORCE
export OUT=$tmp/class JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}
in=$tmp/in
mkdir "$tmp/friends"
tests/rough_class.sh "$in" "$n" "$tmp/friends" >"$tmp/expected" || exit 1

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
# What nobody may change: the course, the class, the machine; and objects that
# tests/cheats/ makes, "left" as a name or a key.
outside() {
    find labs common grader vgpu tools solutions build/bin build/lib "$in" \
        /etc/passwd /usr/bin/env -printf '%p %m %U %G %s %T@\n' | sort
    find "$in" -type f -exec cksum {} + | sort
    grep -hw $((0x6c656674)) /proc/sysvipc/* 2>/dev/null
    grep -h ' left$' /proc/keys 2>/dev/null
    ls -d /tmp/left /tmp/left.cu /var/tmp/left /dev/shm/left /dev/mqueue/left \
        build/left build/grade/left 2>/dev/null
}
# NUMBER RESULT POINTS, from names that begin with their number. RESULT: "passed",
# a mistake, "-" for a mistake without a name, or "not-graded", if it says why.
rows() { # OUT
    sed -En '2,$s/^"([0-9]+)[^,]*,"[^"]*",(passed|not passed|not graded),([^,]*),([^,]*,){7}"?([^",]*)"?,"([^"]?).*/\1|\2|\3|\5|\6/p' \
        "$1/grades.csv" | awk -F '|' '
        $2 == "passed" { print $1, $2, $3 }
        $2 == "not passed" { print $1, $4 ? $4 : "-", $3 }
        $2 == "not graded" { print $1, $5 ? "not-graded" : "-", "-" }'
}
facts() { grep -v '"seconds"' "$1"; }
OUT=$tmp/alone tools/grade-class build vgpu 08 "$tmp/friends" \
    >"$tmp/out" 2>&1 </dev/null || { cat "$tmp/out"; exit 1; }
packed=$(grep -c not-graded "$tmp/expected")
graded=$((n - packed))
outside >"$tmp/outside"
before=$(left)
{

# ---- killed half-way, with every process of the round ------------------------

began=$SECONDS
set -m
class >"$tmp/out" 2>"$tmp/err" </dev/null &
class=$!
set +m
until [ "$(made | wc -l)" -ge $((graded / 2)) ]; do
    kill -0 $class 2>/dev/null || break
    sleep 0.1
done
kill -KILL -$class
wait $class 2>/dev/null
made >"$tmp/made"
[ "$(wc -l <"$tmp/made")" -ge $((graded / 2)) ] && [ ! -e "$OUT/grades.csv" ]
ok "killed half-way, with $n to grade"
class >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? -eq 0 ] && [ ! -s "$tmp/err" ] && grep -q "^$graded graded, " "$tmp/out"
ok "goes on, and all are graded but $packed that cannot be"
hostile=$(grep -vc -e '- [0-9]*$' "$tmp/expected")
echo "# $graded gradings with JOBS=$JOBS, $hostile of $n hostile:" \
    "$((SECONDS - began)) s"
made | comm -13 - "$tmp/made" >"$tmp/log"
[ ! -s "$tmp/log" ]
ok 'nothing that was graded is graded again'

# ---- none lost, none wrong ---------------------------------------------------

rows "$OUT" >"$tmp/rows"
[ "$(cut -d ' ' -f 1 "$tmp/rows" | sort -u | wc -l)" -eq "$n" ] &&
    [ "$(wc -l <"$OUT/grades.csv")" -eq $((n + 1)) ]
ok 'each has one row'
awk '
FILENAME ~ /rows$/ { got[$1] = $2; next }
{
    good = $2 == "none" && got[$1] != "passed" && got[$1] != "not-graded"
    for (i = 2; i <= NF && $i != "-"; i++)
        good = good || $i == got[$1]
    if (!good)
        print $1 ": expected " $2 ", and got " got[$1]
}' "$tmp/rows" "$tmp/expected" >"$tmp/log"
[ ! -s "$tmp/log" ]
ok 'and says what its submission is known for'
# A kind's number is behind the dash; its first one was graded without them.
rows "$tmp/alone" >"$tmp/rows.alone"
awk '
FILENAME ~ /alone$/ { alone[$1] = $2 " " $3; next }
FILENAME ~ /rows$/ { got[$1] = $2 " " $3; next }
$(NF - 1) == "-" {
    kind = $NF
    if (!(kind in known))
        known[kind] = alone[$1]
    if (got[$1] != known[kind] || got[$1] == "")
        print $1 ": alone " known[kind] ", and here " got[$1]
}' "$tmp/rows.alone" "$tmp/rows" "$tmp/expected" >"$tmp/log"
for one in "$tmp/alone/08"/*.json; do
    number=${one##*/} number=${number%.json}
    for other in "$OUT/08/$number".json "$OUT/08/$number"[+.]*.json; do
        [ ! -e "$other" ] || cmp -s <(facts "$one") <(facts "$other") ||
            diff <(facts "$one") <(facts "$other") | sed "s|^|$number: |"
    done
done >>"$tmp/log"
[ ! -s "$tmp/log" ]
ok 'who is not hostile has the same grade as in a class without them'

# ---- nothing left, nothing to do ---------------------------------------------

for _ in 1 2 3 4 5 6; do
    left | comm -13 <(echo "$before") - >"$tmp/log"
    [ ! -s "$tmp/log" ] && break
    sleep 0.5
done
[ ! -s "$tmp/log" ]
ok 'no process and no folder is left'
outside | diff "$tmp/outside" - >"$tmp/log"
ok '... no object, and no file of others was changed'
# What a student's own copy of the course says of itself is kept for class-report.
find "$OUT" -path "$OUT/state" -prune -o -type f -print | sed "s|$OUT/||; s|08/[0-9][0-9a-z+_-]*||" | sort |
    uniq -c | tr -s ' ' >"$tmp/log"
printf ' %s\n' "$graded .json" "$graded /lab.cu" '1 08/.tools' '1 08/grades.csv' \
    '1 grades.csv' '1 unpacked.tsv' | sort | cmp -s - <(sort "$tmp/log")
ok '... nor a file that does not belong there'
made >"$tmp/made"
class >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? -eq 0 ] && made | cmp -s - "$tmp/made" && ! grep -q ' a second, ' "$tmp/out" &&
    grep -q "^$graded graded, " "$tmp/out"
ok 'the next call does nothing'
echo "1..$count"
} >"$tmp/tap"
cat "$tmp/tap"
tap_sum "$tmp/tap"
