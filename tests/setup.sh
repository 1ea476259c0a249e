#!/bin/sh
# setup.sh: what the tests need beyond a compiler and make (packages.sh has how
# they come by it).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for clang clang
packages_for clang-format clang-format
packages_for clangd clangd
packages_for busybox busybox
packages_for musl-gcc musl-tools
packages_for perl perl
packages_for patch patch
packages_for xmllint libxml2-utils
packages_for aspell aspell aspell-en
packages_for python3 python3
# A machine may have the language without its library (python3-minimal).
! command -v python3 >/dev/null 2>&1 || python3 -c 'import json' 2>/dev/null ||
    missing="$missing libpython3-stdlib"
packages_for git git
packages_for unzip unzip
packages_for xz xz-utils
packages_for jq jq
packages_for pkg-config pkgconf
packages_for script bsdutils
packages_for_cmocka
# They run only installed; elsewhere tests/cli/mpi.t is skipped.
if [ "${INSTALL:-0}" != 0 ]; then
    packages_for '/usr/include/*/mpich/mpi.h' mpich libmpich-dev
    packages_for '/usr/lib/*/openmpi/include/mpi.h' openmpi-bin libopenmpi-dev
fi
packages_need "the tests"
