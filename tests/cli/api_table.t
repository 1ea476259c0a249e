#!/bin/sh
# api_table.t: the calls are said once, in vgpu/include/vgpu/api.def: the
# library has these and no others, and each program that shows one calls it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

tools/api-table --check >"$tmp/out" 2>&1
ok 'docs/virtual-gpu.md has the calls of the tables'
sed 's/^/# /' "$tmp/out"

tools/api-table --list >"$tmp/list"
sed -n 's/^call [^ ]* \([^ ]*\) .*/\1/p' "$tmp/list" | sort >"$tmp/named"
nm build/lib/libvgpu.a | awk '$2 == "T" && $3 ~ /^cu(da)?[A-Z]/ { print $3 }' |
    sort >"$tmp/linked"
[ -s "$tmp/named" ] && diff "$tmp/named" "$tmp/linked" >"$tmp/out"
ok 'programs can link with these calls and no others'
sed 's/^/# /' "$tmp/out"

sed -n 's/^lacks \([^ ]*\) .*/\1/p' "$tmp/list" | sort >"$tmp/lacks"
[ -s "$tmp/lacks" ] &&
    ! comm -12 "$tmp/lacks" "$tmp/linked" | grep . >"$tmp/out"
ok 'no call is there and refused'
sed 's/^/# /' "$tmp/out"

# A program says cuCtxCreate, of which the library has two versions.
sed -n 's/^call \([^ ]*\) [^ ]* \([^ ]*\)$/\1 \2/p' "$tmp/list" |
    sed 's/_v[0-9] / /' | sort -u | while read -r name program; do
        file=vgpu/tests/conformance/$program.cu
        [ -f "$file" ] || file=vgpu/tests/frontend/good/$program.cu
        grep -qw "$name" "$file" || echo "$program does not call $name"
    done >"$tmp/out" 2>&1
[ ! -s "$tmp/out" ]
ok 'each call is in the program that shows it'
sed 's/^/# /' "$tmp/out"
echo "1..$count"
