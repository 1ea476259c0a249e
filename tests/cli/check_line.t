#!/bin/bash
# check_line.t: CHECK names the line where it begins, with every compiler that
# is here: what __LINE__ is in a call over several lines is theirs to choose
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/fails.cu" <<'END'
#include "check.h"

int main(void)
{
    void *memory;

    CHECK(cudaMalloc(
        &memory,
        SIZE_MAX / 2));
    return 0;
}
END
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    VGPU_CXX=$compiler build/bin/vgpucc -Icommon "$tmp/fails.cu" \
        -o "$tmp/fails" >"$tmp/out" 2>&1
    "$tmp/fails" >>"$tmp/out" 2>&1
    grep -q 'fails\.cu:7: cudaMalloc' "$tmp/out"
    ok "a CHECK of three lines, by $compiler"
done
echo "1..$count"
