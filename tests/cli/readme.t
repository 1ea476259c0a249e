#!/bin/sh
# readme.t: what the README's first screen says is so: its counts, the report of
# a hazard, the commands.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
root=$PWD
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE VGPU_COUNT VGPU_TRACE

set -- labs/[0-9][0-9]_*/
labs=$#
set -- slides/[0-9][0-9]_*.md
grep -qE "(^| )$labs graded labs and $# decks" README.md
ok "$labs labs, $# decks"

# In the order in which they are there: behind `make `, a target.
# shellcheck disable=SC2013
for target in $(grep -o '^ *make [a-z-]*\|`make [a-z-]*' README.md |
    sed 's/.*make //' | sort -u); do
    case $target in lab) continue ;; esac
    grep -q "^$target:\|^[a-z ]*\\b$target\\b[a-z ]*:" Makefile ||
        echo "$target" >>"$tmp/out"
done
[ ! -s "$tmp/out" ]
ok 'each `make TARGET` is one'

[ "$(sed -n '1,/^## /p' README.md | wc -l)" -le 50 ]
ok 'before the first heading, one screen'

if [ -x build/bin/vgpucc ]; then
    cp slides/figures/hazard.cu "$tmp"
    (cd "$tmp" && "$root/build/bin/vgpucc" -O2 -I"$root/common" hazard.cu \
        -o hazard && VGPU_CHECK=1 ./hazard) >"$tmp/log" 2>&1
    [ $? -eq 86 ] && head -n 3 "$tmp/log" >"$tmp/said" &&
        sed -n '/VGPU_CHECK=1 .\/hazard$/,/^      \.\.\./{
            /^    \$/d
            /^      \.\.\./d
            s/^    //p
        }' README.md | cmp - "$tmp/said" >"$tmp/out" 2>&1
    ok 'the hazard is reported as it is shown'
else
    true
    ok 'the hazard is reported as it is shown # SKIP no vgpucc'
fi

sed -n 's/^\([a-zA-Z0-9-]*\):.*## .*/\1/p' Makefile | sort >"$tmp/targets"
tools/help Makefile | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p' | sort |
    comm -23 "$tmp/targets" - >"$tmp/out"
[ -s "$tmp/targets" ] && [ ! -s "$tmp/out" ]
ok 'make help lists every target that says what it does'
echo "1..$count"
