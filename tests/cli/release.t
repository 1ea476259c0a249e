#!/bin/sh
# release.t: one version, wherever it is named, and the one that is due.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

version=$(cat VERSION)
expr "$version" : '[0-9]*\.[0-9]*\.[0-9]*\(-dev\)\{0,1\}$' >/dev/null
ok "VERSION is three numbers, and -dev before a release ($version)"
for program in grade vgpucc timeline report results; do
    said=$("build/bin/$program" --version </dev/null 2>&1)
    [ $? -eq 0 ] && [ "$(echo "$said" | head -n 1)" = \
        "$program $version (CUDA Streams Lab)" ]
    ok "$program says it"
done
build/bin/vgpucc --version | grep -q 'release [0-9]*\.[0-9]'
ok 'vgpucc names the API as nvcc does'

newest=$(sed -n 's/^## \[\([0-9.]*\)\] - [0-9-]*$/\1/p' CHANGELOG.md | head -n 1)
# What the next release must be, from what CHANGELOG.md says of it.
next=$(awk -v newest="$newest" '
    /^## \[Unreleased\]/ { here = 1; next }
    /^## / { exit }
    here && /^### Grades/ { grades = 1; next }
    here && /^- / { if (grades) major = 1; else minor = 1 }
    END {
        split(newest, part, ".")
        if (major) print part[1] + 1 ".0.0-dev"
        else if (minor) print part[1] "." part[2] + 1 ".0-dev"
        else print newest
    }' CHANGELOG.md)
[ "$version" = "$next" ]
ok "CHANGELOG.md, of what is not released yet, asks for $next"
day=$(sed -n "s/^## \[$newest\] - //p" CHANGELOG.md)
grep -qx "version: $newest" CITATION.cff &&
    grep -qx "date-released: $day" CITATION.cff
ok "CITATION.cff has the newest release, with the same day ($newest, $day)"
awk '/^## / { here = 0 }
     /^### / { here = $2 == "Grades" }
     here && /^- / && !/^- (Labs? [0-9][0-9](, [0-9][0-9])*( and [0-9][0-9])?|All labs): / {
         print "CHANGELOG.md:" NR ": a line of Grades begins \"Lab 08:\""
         bad = 1
     }
     END { exit bad }' CHANGELOG.md
ok 'a change of grades says of which labs'
echo "1..$count"
