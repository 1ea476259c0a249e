#!/bin/bash
# slurm.sh: a class by three nodes of Slurm on this machine, beside as many gradings
# at a time without it as the machine has cores
#
#     docs/measured/slurm.sh [N] >docs/measured/slurm.txt
#
# N rough submissions (200), three times each, in turn; then once with a node that
# is killed half-way. Nothing else should run: the nodes grade three at a time, and
# so get more of a machine that has other work, too.
set -u
cd "$(dirname "$0")/../.." || exit 1
make -s tools || exit 1
n=${1:-200}
echo "# A class by three nodes of Slurm on one machine, beside a round without it"
echo "commit  $(git rev-parse --short HEAD 2>/dev/null)"
echo "date    $(date +%F)"
echo "machine $(nproc) cores, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo |
    head -n 1)"
echo "command docs/measured/slurm.sh $n"
echo
unset MAKEFLAGS MFLAGS MAKELEVEL
COMPARE=3 ROUNDS=1 tests/slurm/run.sh "$n" |
    sed -En "s/^# ($n gradings: .*)/\1/p; /^(not )?ok/p; \$p"
echo "load    $(cut -d ' ' -f 1 /proc/loadavg)"
