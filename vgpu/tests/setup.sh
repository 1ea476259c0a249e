#!/bin/sh
# setup.sh: what the tests need beyond a compiler and make (packages.sh has how
# they come by it).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

packages_for script bsdutils
printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n%s\n' \
    '#include <setjmp.h>
#include <cmocka.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1 ||
    packages_for /usr/include/cmocka.h libcmocka-dev
packages_need "the tests"
