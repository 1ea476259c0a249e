#!/bin/sh
# setup-slurm.sh: what the tests with a cluster need: Slurm and munge
# (packages.sh has how).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

PATH=$PATH:/usr/sbin:/sbin
packages_for slurmctld slurmctld
packages_for slurmd slurmd
packages_for sbatch slurm-client
packages_for munged munge
packages_need "the tests with a cluster"
