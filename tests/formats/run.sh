#!/bin/bash
# run.sh: the files that courses put into GitHub and GitLab, held to the schemas that
# are published for them and that npm gets once. Prints TAP, and `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

tools/npm-packages tests/formats >"$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    exit 2
}
check() { # SAID FILE...: what is wrong with them
    local said=$1
    shift
    "${NODE:-node}" tests/formats/check.mjs "$@" >"$said" 2>"$tmp/err"
    [ ! -s "$tmp/err" ] || { cat "$tmp/err" >&2; exit 2; }
}

# Each file, and it with a misspelt member.
cat >"$tmp/files" <<END
tools/sites/github/grade.yml runs-on
tools/sites/gitlab/gitlab-ci.yml script
vgpu/install/github.yml runs-on
.github/workflows/ci.yml runs-on
.github/workflows/release.yml needs
.github/ISSUE_TEMPLATE/config.yml blank_issues_enabled
.github/ISSUE_TEMPLATE/wrong-grade.yml attributes
.github/ISSUE_TEMPLATE/virtual-gpu.yml label
.github/ISSUE_TEMPLATE/text.yml body
END
while read -r file member; do
    mkdir -p "$tmp/$(dirname "$file")"
    sed "s/$member:/x$member:/" "$file" >"$tmp/$file"
done <"$tmp/files"
mapfile -t files < <(cut -d' ' -f1 "$tmp/files")
check "$tmp/out" "${files[@]}"
check "$tmp/misspelt" "${files[@]/#/$tmp/}"
{
    for file in "${files[@]}"; do
        ! grep -q "^$file: " "$tmp/out"
        ok "$file is as its schema wants it"
        grep -q "^$tmp/$file: .*propert" "$tmp/misspelt"
        ok '... and a misspelt member is found'
    done
    echo "1..$count"
} >"$tmp/tap"
cat "$tmp/tap"
tap_sum "$tmp/tap"
