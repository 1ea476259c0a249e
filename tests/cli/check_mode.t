#!/bin/sh
# check_mode.t: each kind of report has an example, whose report has all fields of
# the table, and docs/check-mode.md shows what the programs are told
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
if [ ! -x build/bin/vgpucc ]; then
    echo "1..0 # SKIP vgpucc is not built"
    exit 0
fi

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

tools/check-mode --check >"$out" 2>&1
ok 'docs/check-mode.md has what the programs are told'
sed 's/^/# /' "$out"
# What is left out on purpose must not have come to be an example.
! sed 's| .*||' docs/check-mode/without | while read -r kind; do
    [ ! -f "docs/check-mode/$kind.cu" ] || echo "$kind has a program"
    grep -q "($kind,\|, $kind," vgpu/include/vgpu/report.def ||
        echo "$kind is no kind of report"
done | grep . >"$out"
ok 'what has no example is a kind, and has none'
sed 's/^/# /' "$out"
echo "1..$count"
