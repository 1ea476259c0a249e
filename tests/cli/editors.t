#!/bin/bash
# editors.t: the container, the dev container and VS Code's tasks: of the form that
# is published for them, and their commands work
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset BROWSER MAKEFLAGS MFLAGS MAKELEVEL
if ! perl -MJSON::PP -e 1 2>/dev/null; then
    echo "1..0 # SKIP no perl with JSON::PP"
    exit 0
fi
for file in .devcontainer/devcontainer.json .vscode/tasks.json; do
    format=${file##*/} format=${format%.json}
    perl tests/cli/parts/json_rules.pl "$format" "$file" >"$tmp/out" 2>"$tmp/err"
    ok "$file is as its schema wants it"
    sed 's/"name"/"nmae"/; s/"command"/"comand"/' "$file" >"$tmp/bad.json"
    ! perl tests/cli/parts/json_rules.pl "$format" "$tmp/bad.json" \
        >"$tmp/out" 2>"$tmp/err" && grep -q 'nmae\|comand' "$tmp/out"
    ok '... and a misspelt member is found'
done
[ -f "$(perl -MJSON::PP -0777 -ne 'print ".devcontainer/",
    decode_json($_)->{build}{dockerfile}' .devcontainer/devcontainer.json)" ]
ok 'the dev container is built from a file that is there'

# What a Containerfile installs, and by which words it is written.
for file in Containerfile tools/sites/prairielearn/Containerfile; do
    sed -e :a -e '/\\$/{N;s/\\\n//;ba' -e '}' "$file" | grep -v '^#\|^$' >"$tmp/lines"
    ! grep -vE '^(ARG|FROM|RUN|WORKDIR|CMD|ADD) ' "$tmp/lines" &&
        [ "$(grep -c '^FROM ' "$tmp/lines")" = 1 ] &&
        [ "$(sed -nE 's/.*--no-install-recommends ([^&]*)&&.*/\1/p' "$tmp/lines" |
            xargs)" = 'g++ make' ]
    ok "$file installs g++ and make, of which make test-dist knows that they do"
done
sed -n 's/^CMD //p' Containerfile | perl -MJSON::PP -0777 -ne \
    'exit(join(" ", @{decode_json($_)}) ne "make help")'
ok '... and its command is a list'

# Each task's command, with what VS Code puts into it.
place=$tmp/place
mkdir -p "$place/labs/08_uneven_chunks" "$place/build" && cp -R tools "$place" &&
    cp Makefile "$place" && cd "$place" || exit 1
perl -MJSON::PP -0777 -ne 'print map { "$_->{command}\n" }
    @{decode_json($_)->{tasks}}' "$OLDPWD/.vscode/tasks.json" |
    sed 's/\${fileDirnameBasename}/08_uneven_chunks/' >"$tmp/commands"
grep -q 'fileDir\|\${' "$tmp/commands"
[ $? -eq 1 ] && [ "$(wc -l <"$tmp/commands")" = 5 ]
ok 'tasks name a lab by the folder of the file that is open'
# make -n says what would be done, and fails where there is no such target.
good=0
: >"$tmp/out"
while read -r command; do
    case $command in
    make*) sh -c "${command/#make/make -n -C '$OLDPWD'}" ;;
    *) sh -c "$command" ;;
    esac >>"$tmp/out" 2>&1 || good=$?
    case $command:$good in tools/open-timeline*:1) good=0 ;; esac
done <"$tmp/commands"
[ $good = 0 ] && grep -q 'run-lab.* 08' "$tmp/out" &&
    grep -q 'grade-lab.*08_uneven' "$tmp/out"
ok 'all their commands are there'
tools/open-timeline 08 >"$tmp/out" 2>"$tmp/err"
[ $? -eq 1 ] && grep -qx 'there is no timeline of it yet: make lab08' "$tmp/err"
ok 'no timeline yet: how to get one'
echo page >build/lab08.html
[ "$(BROWSER=cat tools/open-timeline 08_uneven_chunks)" = page ]
ok '... else it opens'
echo "1..$count"
