#!/bin/bash
# run.sh [N]: a class of N rough submissions (200) graded here, and by a Slurm
# cluster of three nodes on this machine (cluster.sh), of which one is killed
# half-way. Prints TAP: the same grades, none twice, none lost, nothing left
# behind; what a cancelled job says, and a machine without Slurm; a lab by srun, as
# a student does. Closes with `N passed, N failed`.
# ROUNDS: so many rounds (1), each with another node killed at another moment.
# COMPARE=3: before them, so many rounds here and by the nodes, in turn, in which
# nothing is killed: are the nodes slower by more than 15 %? Of use only where
# nothing else runs. With ROUNDS=0, that alone.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
n=${1:-200}
tmp=$(mktemp -d) || exit 1
cluster=tests/slurm/cluster.sh
PATH=$PATH:/usr/sbin:/sbin
trap '$cluster stop "$tmp/slurm"; rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL LIMIT FORCE SLURM ENGINE
export JOBS
JOBS=$(nproc 2>/dev/null || echo 2)
if ! tests/setup-slurm.sh; then
    echo "0 passed, 1 failed"
    exit 1
fi
in=$tmp/in
tests/rough_class.sh "$in" "$n" >/dev/null || exit 1
class() { # ENGINE OUT: four tasks for each node
    ENGINE=$1 OUT=$2 CHUNK=$(((n + 11) / 12)) tools/grade-class build vgpu 08 \
        "$in" >"$tmp/out" 2>"$tmp/err" </dev/null
}
# Without what a run takes, and where it lies. Who takes all memory is ended by
# that or, on a busy machine, by the time.
same() { # OUT
    (cd "$1" && find . -name '*.json' -o -name '*.csv' -o -name '*.txt' | sort |
        while read -r file; do
            echo "$file"
            sed -E "s|$1/|OUT/|g"'; s|"seconds": [0-9.]*||
                s/("vgpu","[^"]*"),[0-9.]*,/\1,,/
                s/(it was ended: it took more|it did not finish)[^"]*/ended/
                s/too-much-memory|hang/ended/' "$file"
        done)
}
made() { (cd "$1/08" && cksum ./*.json | sort) 2>/dev/null; }
(

began=$SECONDS
class make "$tmp/here"
grep -q "^$n graded, " "$tmp/out"
ok "a round of $n here"
here=$((SECONDS - began))

# ---- a node killed half-way --------------------------------------------------

mkdir "$tmp/nodes"
TMPDIR=$tmp/nodes $cluster start "$tmp/slurm" >"$tmp/log" 2>&1
ok 'a cluster of three nodes'
export SLURM_CONF=$tmp/slurm/slurm.conf
# One after the other, so that what else the machine does meets both.
for ((pair = 1; pair <= ${COMPARE:-0}; pair++)); do
    for engine in make slurm; do
        began=$(date +%s%N)
        TMPDIR=$tmp/nodes class $engine "$tmp/pair"
        grep -q "^$n graded, " "$tmp/out" || break 2
        echo "$engine $(($(date +%s%N) - began))"
        rm -rf "$tmp/pair"
    done
done >"$tmp/times"
if [ -n "${COMPARE:-}" ]; then
    awk -v n="$n" -v jobs="$JOBS" -v pairs="$COMPARE" '
        { took[$1] += $2 / 1e9 }
        $1 == "make" { here = $2 / 1e9 }
        $1 == "slurm" {
            printf "# %d gradings: here, %d at a time, %.1f s; by three nodes" \
                " %.1f s, %.2f times as long\n", n, jobs, here, $2 / 1e9,
                $2 / 1e9 / here
        }
        END { exit NR != 2 * pairs || took["slurm"] > 1.15 * took["make"] }
    ' "$tmp/times"
    ok 'by three nodes not slower than here by more than 15 %'
    [ "${ROUNDS:-1}" != 0 ] || { echo "1..$count" && exit; }
fi
for ((round = 1; round <= ${ROUNDS:-1}; round++)); do
    began=$SECONDS node=n$((round % 3 + 1)) out=$tmp/class$round
    # Of one round half-way; of many at each part of it.
    after=$((n * (round % 5 + 1) / 6)) which=" (round $round, $node)"
    [ "${ROUNDS:-1}" != 1 ] || { node=n2 after=$((n / 2)) which=''; }
    TMPDIR=$tmp/nodes class slurm "$out" &
    class=$!
    until [ "$(made "$out" | wc -l)" -ge "$after" ]; do
        kill -0 $class 2>/dev/null || break
        cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' >>"$tmp/seen"
        sleep 0.2
    done
    made "$out" >"$tmp/made"
    $cluster kill "$tmp/slurm" "$node"
    sleep 5
    $cluster revive "$tmp/slurm" "$node"
    wait $class && grep -q "^$n graded, " "$tmp/out"
    ok "goes on after a node was killed half-way$which"
    cp "$tmp/err" "$tmp/log"
    echo "# $n gradings: here, $JOBS at a time, $here s; by three nodes, one" \
        "killed after $after, $((SECONDS - began)) s"
    same "$out" >"$tmp/far"
    same "$tmp/here" | diff - "$tmp/far" >"$tmp/log"
    ok "the same table and grades, byte for byte but for times$which"
    made "$out" | comm -13 - "$tmp/made" >"$tmp/log"
    [ ! -s "$tmp/log" ]
    ok "nothing that was graded is graded again$which"
done
grep -q '^--file$' "$tmp/seen" && ! grep "of.*them.*" "$tmp/seen" >"$tmp/log"
ok 'no command line has the name of a student'
squeue -h >"$tmp/log"
find "$out" -name '.round' -o -name '*.tar' >>"$tmp/log"
[ ! -s "$tmp/log" ]
ok 'no job and no tools are left'

# docs/where/cluster.md, with what three nodes of one processor have.
srun --ntasks=1 --time=10 make -s grade LAB=08 BACKEND=vgpu >"$tmp/log" 2>&1 &&
    grep -q 'not passed: .* of 100 points' "$tmp/log"
ok 'srun make grade: a lab is graded on a node'

# ---- cancelled, and without Slurm --------------------------------------------

TMPDIR=$tmp/nodes class slurm "$tmp/more" &
class=$!
until [ "$(made "$tmp/more" | wc -l)" -ge 3 ]; do
    kill -0 $class 2>/dev/null || break
    sleep 0.2
done
scancel --name=grade-class
wait $class
grep -q '^class-slurm: somebody has cancelled job' "$tmp/err" &&
    [ "$(wc -l <"$tmp/err")" = 1 ]
ok 'a job that somebody cancels is one line'
TMPDIR=$tmp/nodes class slurm "$tmp/more"
same "$tmp/more" | diff "$tmp/far" - >"$tmp/log"
ok 'and the same command goes on'
mkdir "$tmp/bin"
for tool in /usr/bin/* /bin/*; do
    case $tool in */sbatch) ;; *) ln -sf "$tool" "$tmp/bin/" ;; esac
done
PATH=$tmp/bin class slurm "$tmp/none"
[ "$(wc -l <"$tmp/err")" = 1 ] && grep -q 'no sbatch: run this where' "$tmp/err"
ok 'without Slurm: where to run it'
class condor "$tmp/none"
[ $? = 2 ] && grep -q 'ENGINE=condor is not known: make or slurm' "$tmp/err"
ok 'another engine: which there are'
echo "1..$count"
) >"$tmp/tap"
cat "$tmp/tap"
tap_sum "$tmp/tap"
