#!/bin/sh
# setup.sh: what the tests need beyond a compiler and make (packages.sh has how
# they come by it).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for script bsdutils
packages_for_cmocka
packages_need "the tests"
