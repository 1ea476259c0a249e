#!/bin/sh
# setup-slurm.sh: what the tests with a cluster need: Slurm and munge
# (packages.sh says when they are installed).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

PATH=$PATH:/usr/sbin:/sbin
missing=
for pair in slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
done
# shellcheck disable=SC2086
packages_need "the tests with a cluster" $missing
