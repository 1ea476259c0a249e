#!/bin/bash
# programs.t: the programs beside the labs print what is on record
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# The commit is that of the day when it was recorded.
VGPU_CHECK=1 docs/measured/programs.sh >"$tmp/out" 2>"$tmp/err"
ok 'all are built, run and end well'
diff <(grep -v '^commit' docs/measured/programs-vgpu.txt) \
    <(grep -v '^commit' "$tmp/out") >"$tmp/log"
ok 'they print what docs/measured/programs-vgpu.txt says'

# One that nobody runs would rot.
for program in $(grep -l 'On the virtual one: ' labs/*/*.cu); do
    grep -qF "== ${program#labs/}: " "$tmp/out"
    ok "$program is one of them"
done
echo "1..$count"
