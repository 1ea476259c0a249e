#!/bin/sh
# setup.sh: what the tests need beyond a compiler and make (packages.sh says
# when it is installed).
set -u
cd "$(dirname "$0")/.." || exit 2
. tests/packages.sh

missing=
for pair in clang:clang clang-format:clang-format clangd:clangd \
    busybox:busybox musl-gcc:musl-tools prove:perl timeout:coreutils \
    xmllint:libxml2-utils aspell:aspell-en python3:python3; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
done
printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n%s\n' \
    '#include <setjmp.h>
#include <cmocka.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1 ||
    missing="$missing libcmocka-dev"
# shellcheck disable=SC2086
packages_need "the tests" $missing
