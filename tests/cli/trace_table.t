#!/bin/sh
# trace_table.t: what a trace may hold is said once, in vgpu/include/vgpu/trace.def
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

tools/trace-tables --check >"$out" 2>&1
ok 'docs/trace-format.md has the keys of the table'
sed 's/^/# /' "$out"
! grep -nE '"[^"]*[a-z_]+=%|fputs\("[a-z-]+ ' vgpu/runtime/trace.c \
    timeline/recorder/store_write.c >"$out"
ok 'no writer spells a key'
sed 's/^/# /' "$out"
! grep -nE ': [a-z]\[[0-9]+\]' timeline/page/*.js >"$out"
ok 'no page counts the places of a record'
sed 's/^/# /' "$out"
echo "1..$count"
