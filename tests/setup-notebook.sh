#!/bin/sh
# setup-notebook.sh: what runs the notebook: Debian's nbconvert and Python's kernel
# (packages.sh has how).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for jupyter-nbconvert jupyter-nbconvert
packages_for /usr/lib/python3/dist-packages/ipykernel python3-ipykernel
packages_need "the notebook's tests"
