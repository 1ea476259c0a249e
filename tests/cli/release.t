#!/bin/sh
# release.t: one version, wherever it is named.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

version=$(cat VERSION)
expr "$version" : '[0-9]*\.[0-9]*\.[0-9]*$' >/dev/null
ok "VERSION is three numbers ($version)"
for program in grade vgpucc timeline report results; do
    said=$("build/bin/$program" --version </dev/null 2>&1)
    [ $? -eq 0 ] && [ "$(echo "$said" | head -n 1)" = \
        "$program $version (CUDA Streams Lab)" ]
    ok "$program says it"
done
build/bin/vgpucc --version | grep -q 'release [0-9]*\.[0-9]'
ok 'vgpucc names the API as nvcc does'

newest=$(sed -n 's/^## \[\([0-9.]*\)\] - [0-9-]*$/\1/p' CHANGELOG.md | head -n 1)
[ "$newest" = "$version" ]
ok "so does the newest section of CHANGELOG.md ($newest)"
day=$(sed -n "s/^## \[$version\] - //p" CHANGELOG.md)
grep -qx "version: $version" CITATION.cff &&
    grep -qx "date-released: $day" CITATION.cff
ok "so does CITATION.cff, with the same day ($day)"
echo "1..$count"
