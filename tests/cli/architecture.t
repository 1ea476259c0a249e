#!/bin/bash
# architecture.t: what docs/architecture.md names is there: files and folders,
# and functions in a file of the row that names them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# Names between backticks, one on a line; NN_name stands for a lab.
quoted() {
    grep -o '`[^`]*`' | tr -d '`' | sed 's|NN_name|09_cipher_overlap|'
}

quoted <docs/architecture.md | sed 's/ .*//' | grep '^[a-z]*/' | grep -v '^build/' |
    sort -u | while read -r path; do
    [ -e "$path" ] || echo "$path is not there"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
ok 'every file and folder is there'

grep '^|.*()`' docs/architecture.md | while read -r row; do
    files=$(echo "$row" | quoted | grep '^[a-z]*/.*\.[a-z]*$')
    echo "$row" | quoted | sed -n 's/()$//p' | while read -r name; do
        # shellcheck disable=SC2086
        grep -q "\\b$name(" $files || echo "$name() is not in" $files
    done
done >"$tmp/out"
[ ! -s "$tmp/out" ]
ok 'every function is where the page says'
echo "1..$count"
