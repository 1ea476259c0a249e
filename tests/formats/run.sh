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
check() { "${NODE:-node}" tests/formats/check.mjs "$@" >"$tmp/out" 2>"$tmp/err"; }

{
    # Each file, and it with a misspelt member.
    while read -r file member; do
        check "$file"
        ok "$file is as its schema wants it"
        sed "s/$member:/x$member:/" "$file" >"$tmp/${file##*/}"
        ! check "$tmp/${file##*/}" && [ ! -s "$tmp/err" ] &&
            grep -q "^$tmp/${file##*/}: .*propert" "$tmp/out"
        ok '... and a misspelt member is found'
    done <<END
tools/sites/github/grade.yml runs-on
tools/sites/gitlab/gitlab-ci.yml script
.github/workflows/ci.yml runs-on
END
    echo "1..$count"
} >"$tmp/tap"
cat "$tmp/tap"
tap_sum "$tmp/tap"
