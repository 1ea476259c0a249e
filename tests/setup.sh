#!/bin/sh
# setup.sh: what the tests need beyond a compiler and make. Installs it from
# Debian's packages as root (or with sudo without a password), else names it.
set -u
command_of() { command -v "$1" >/dev/null 2>&1; }

missing=
for pair in clang:clang clang-format:clang-format clangd:clangd prove:perl \
    timeout:coreutils xmllint:libxml2-utils; do
    command_of "${pair%%:*}" || missing="$missing ${pair##*:}"
done
printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n%s\n' \
    '#include <setjmp.h>
#include <cmocka.h>' | ${CC:-cc} -E -x c - >/dev/null 2>&1 ||
    missing="$missing libcmocka-dev"
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if ! command_of apt-get; then
    echo "the tests need:$missing; install these packages and run again" >&2
    exit 2
fi
sudo=
if [ "$(id -u)" != 0 ]; then
    sudo=sudo
    if ! command_of sudo || ! sudo -n true 2>/dev/null; then
        echo "the tests need packages; run: sudo $install" >&2
        exit 2
    fi
fi
echo "installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp) || exit 2
if ! { $sudo apt-get update && $sudo $install; } >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    rm -f "$log"
    echo "could not install; run by hand: $install" >&2
    exit 2
fi
rm -f "$log"
