#!/bin/bash
# claims.t: each number in labs, quizzes and decks has a source
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset V MAKEFLAGS MAKELEVEL MFLAGS
V=0 tools/check-claims >"$tmp/out" 2>"$tmp/err"
rc=$?
[ $rc -eq 0 ] && grep -q '^[1-9][0-9]* numbers, 0 problems$' "$tmp/out" &&
    [ ! -s "$tmp/err" ]
ok 'every number has a source'
[ $rc -eq 0 ] || sed 's/^/# /' "$tmp/out" "$tmp/err"

# What it has to find, in a lab of one page.
mkdir -p "$tmp/place/labs/08_a" "$tmp/place/docs/measured"
cp -R tools "$tmp/place"
cd "$tmp/place" || exit 1
page=labs/08_a/README.md
printf '== lab 08\nyours 2.5 ms\n== lab 09\nyours 7.5 ms\n' \
    >docs/measured/labs-vgpu.txt
touch docs/cheat-sheet.md docs/what-changed.md
try() { # TEXT, NOTE, WHAT IS SAID
    echo "$1" >$page
    printf '%b' "$2" >docs/claims.txt
    tools/check-claims >"$tmp/out" 2>&1
    rc=$?
    grep -qF -- "$3" "$tmp/out"
}
try 'It takes 2.5 ms.' '' 'labs-vgpu.txt#08: yours 2.5 ms' && [ $rc -eq 0 ]
ok 'a number from the run of its lab'
try 'It takes 7.5 ms.' '' '7.5 ms comes from nowhere' && [ $rc -eq 1 ]
ok 'what another lab printed is no source'
try 'It takes 2.5 us.' '' '2.5 us comes from nowhere' && [ $rc -eq 1 ]
ok 'another unit is another number'
mkdir labs/08_a/figures
echo '<text>2.5 µs</text>' >labs/08_a/figures/x.svg
try 'It takes 2.5 us.' '' 'x.svg' && [ $rc -eq 0 ]
ok 'microseconds of a picture'
try 'It takes 9 ms.' "$page\n  = 9 ms: 4 + 5\n" '= 4 + 5' && [ $rc -eq 0 ]
ok 'a sum'
try 'It takes 9 ms.' "$page\n  = 9 ms: 4 + 6\n" 'is not 4 + 6' && [ $rc -eq 1 ]
ok 'a wrong sum'
try 'It takes long.' "$page\n  given 9 ms: why\n" 'stands there no more' &&
    [ $rc -eq 1 ]
ok 'a note of no use'
try 'It takes long.' "$page\n  from docs/none.txt\n" 'no such source' &&
    [ $rc -eq 1 ]
ok 'a source that is not there'
try 'With CUDA 13.0 and 128 threads.' '' '0 numbers, 0 problems'
ok 'versions and counts are left alone'
echo "1..$count"
