#!/bin/bash
# musl.t: the tools are C11 and POSIX, not one C library's: musl has them, too
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# Kernel headers are no part of musl, and lie beside glibc's here.
kernel="-idirafter /usr/include -idirafter /usr/include/$(cc -print-multiarch)"
made=build/gen
# What make generates is compiled as well, where it is there.
tried=0
for file in vgpu/[!t]*/*.c vgpu/time/*.c vgpu/frontend/*/*.c timeline/*.c grader/*.c grader/*/*.c tools/*/*.c \
    $made/*.c $made/*/*.c; do
    case $file in */template/* | *_wasm.c) continue ;; esac
    tried=$((tried + 1))
    # shellcheck disable=SC2086
    musl-gcc -std=c11 -D_GNU_SOURCE= -Wall -Wextra -Werror -fsyntax-only \
        -I$made -Ivgpu -Ivgpu/include -Ivgpu/time -Ivgpu/check -Ivgpu/device \
        -Ivgpu/runtime -Ivgpu/graph -Ivgpu/frontend -I$made/vgpu -Itools/report \
        -Itools/results -Igrader -Icommon -Itimeline $kernel "$file" \
        >>"$tmp/log" 2>&1 || echo "$file" >>"$tmp/refused"
done
[ $tried -gt 100 ] && [ ! -e "$tmp/refused" ]
ok "$tried files compile with musl's headers"
echo "1..$count"
