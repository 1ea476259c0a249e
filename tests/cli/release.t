#!/bin/sh
# release.t: one version, wherever it is named, and the one that is due.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

version=$(cat VERSION)
echo "$version" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+(-dev)?'
ok "VERSION is three numbers, and -dev before a release ($version)"
vgpu=$(cat vgpu/VERSION)
[ "$vgpu" = "$version" ] || grep -qF "## [$vgpu] - " CHANGELOG.md
ok "vgpu/VERSION is the same, or of a release ($vgpu)"
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
[ "$(sed -n 's/^license: //p' CITATION.cff)" = MIT ] &&
    head -n 1 LICENSE | grep -q '^MIT License' &&
    grep -q 'The licence is \[MIT\](LICENSE)' README.md
ok 'README.md, CITATION.cff and LICENSE agree'

# What is published is what the tag says, in a tree of its own.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/tools" "$tmp/vgpu" && cp tools/release-notes "$tmp/tools" &&
    cp CHANGELOG.md CITATION.cff "$tmp"
notes() { "$tmp/tools/release-notes" "$@" >"$tmp/out" 2>"$tmp/err"; }
refuses() { # WORDS ARGUMENT...
    words=$1
    shift
    ! notes "$@" && [ ! -s "$tmp/out" ] && grep -q "$words" "$tmp/err"
}
echo "$newest" >"$tmp/VERSION" && echo "$newest" >"$tmp/vgpu/VERSION"
notes "v$newest" && head -n 1 "$tmp/out" | grep -q . && ! grep -q '^## ' "$tmp/out" &&
    [ "$(sed "1,/^## \[$newest\]/d; /^## /,\$d" CHANGELOG.md | grep -c .)" = \
        "$(grep -c . "$tmp/out")" ]
ok "the notes of $newest are its section"
refuses 'is not that of VERSION' v0.9.0
ok '... not under the tag of another version'
sed -i 's/^date-released: .*/date-released: 1999-01-01/' "$tmp/CITATION.cff"
refuses 'CITATION.cff has another'
ok '... not where CITATION.cff says another day'
echo 7.0.0-dev >"$tmp/vgpu/VERSION"
refuses 'is of no release'
ok '... not while the virtual GPU has a version to come'
echo 7.0.0 | tee "$tmp/VERSION" >"$tmp/vgpu/VERSION"
refuses 'no section of 7.0.0'
ok '... and not without a section'
printf '%s\n' '## [7.0.0] - 2030-01-02' '' 'Now' 'it is.' '' '### One' '' \
    '- See [a' '  page](docs/a.md#b) and [Two](#two).' \
    '- [out](https://example.org/x)' '' '### Two' '' '- Lab 01: all.' '' \
    '## [6.0.0] - 2029-01-02' '' '- Old.' >"$tmp/CHANGELOG.md"
printf '%s\n' 'version: 7.0.0' 'date-released: 2030-01-02' >"$tmp/CITATION.cff"
at=https://forge/blob/v7.0.0
notes v7.0.0 $at &&
    printf '%s\n' 'Now it is.' '' '### One' '' \
        "- See [a page]($at/docs/a.md#b) and [Two]($at/CHANGELOG.md#two)." \
        '- [out](https://example.org/x)' '' '### Two' '' '- Lab 01: all.' |
    cmp - "$tmp/out" >"$tmp/log"
ok 'on a forge an item is a line, and links lead to its files'
tools/release-notes >"$tmp/out" 2>"$tmp/err"
case $version-$? in
*-dev-1) grep -q 'is of no release' "$tmp/err" ;;
*-dev-*) false ;;
*-0) true ;;
*) false ;;
esac
ok "$version can be released, or is still to come"
echo "1..$count"
