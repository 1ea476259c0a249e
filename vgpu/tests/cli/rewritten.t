#!/bin/bash
# rewritten.t: frontend/README.md shows what vgpucc writes. With UPDATE=1 it is
# made to.
set -u
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
page=frontend/README.md

shown() { # what is between the page's first two fences
    awk '/^```/ { if (++fences == 2) exit; next } fences' $page
}

if command -v g++ >"$tmp/log"; then
    (cd tests/frontend && VGPU_CXX=g++ "$build/bin/vgpucc" -O0 \
        --show-rewritten rewritten.cu) 2>"$tmp/err" |
        sed '1,/section("vgpu_vars")/{/section("vgpu_vars")/!d}' |
        fold -s -w 78 | sed 's/ *$//' >"$tmp/written"
    if [ -n "${UPDATE:-}" ]; then
        awk -v written="$tmp/written" '/^```/ { fences++; print
                while (fences == 1 && (getline line < written) > 0) print line }
            !/^```/ && fences != 1' $page >"$tmp/page" && cp "$tmp/page" $page
    fi
    shown | diff "$tmp/written" - >"$tmp/out" && [ -s "$tmp/written" ]
    ok 'the page shows what is written'
else
    echo "ok $((count += 1)) - the page shows what is written # SKIP no g++ here"
fi
echo "1..$count"
