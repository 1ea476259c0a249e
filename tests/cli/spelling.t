#!/bin/bash
# spelling.t: words that exist, and turns of phrase that English does not have
#
# What students and teachers read: labs, docs and README.md. The slides have
# the same check for words in tests/slides. Words that aspell does not know are
# in slides/words.txt and tests/words.txt, phrases in tests/phrases.txt, which
# are looked for in slides, and in what students get of sources, as well. Wordy
# phrases are looked for by make test-style.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
pages=$(ls README.md CONTRIBUTING.md CHANGELOG.md labs/*.md labs/*/*.md \
    docs/*.md docs/where/*.md slides/README.md grader/README.md)

# prose FILE...: their sentences, each line after its FILE:LINE. Code between
# fences, of four spaces or backquotes, links' targets and comments are left out.
prose() {
    awk '
    FNR == 1 { fence = comment = 0 }
    /^ *```/ { fence = !fence; next }
    fence || /^(    |> *    )/ { next }
    { line = $0
      gsub(/`[^`]*`/, "", line)
      if (open_quote && sub(/^[^`]*`/, "", line)) open_quote = 0
      if (sub(/`[^`]*$/, "", line)) open_quote = 1
      if (line == "") open_quote = 0
      gsub(/<!--.*-->/, "", line)
      gsub(/\]\([^)]*\)?/, "]", line)
      gsub(/^\[[^]]*\]: .*/, "", line)
      gsub(/https?:[^ )]*/, "", line)
      print FILENAME ":" FNR ": " line }' "$@"
}

# shellcheck disable=SC2086 # a list
prose $pages >"$tmp/prose"

if ! command -v aspell >/dev/null 2>&1; then
    count=$((count + 1))
    echo "ok $count - every word is one # SKIP aspell is missing"
else
    { echo 'personal_ws-1.1 en 0'
        cat slides/words.txt tests/words.txt | grep -v '^#'; } >"$tmp/words"
    # Names have a capital, a digit or _ inside, or are calls, files, options.
    sed 's/^[^ ]* //' "$tmp/prose" | LC_ALL=C.UTF-8 sed -E \
        -e 's/[A-Za-z0-9_]*[0-9_][A-Za-z0-9_.]*//g' \
        -e 's/[A-Za-z]*[a-z][A-Z][A-Za-z]*//g' -e 's/[A-Z]{2,}[a-z]*//g' \
        -e 's/[a-z]+\([^)]*\)//g' -e 's/(^| )--?[a-z][a-z-]*//g' \
        -e 's/[A-Za-z_.]*\/[A-Za-z_./]*//g' \
        -e 's/[a-z]+\.[a-z]+//g' -e 's/\{[^}]*\}//g' |
        aspell --lang=en_GB --encoding=utf-8 --personal="$tmp/words" list |
        sort -u >"$tmp/unknown"
    [ ! -s "$tmp/unknown" ]
    ok 'every word is one'
    while read -r word; do
        grep -nw -m1 -- "$word" "$tmp/prose" |
            sed "s/^[0-9]*:\([^ ]*\) .*/# \1 $word/"
    done <"$tmp/unknown"
fi

grep -v '^#' tests/phrases.txt >"$tmp/phrases"
{ cat "$tmp/prose"
    prose slides/[0-9]*.md
    grep -n '' labs/*/*.h labs/*/*.cu; } | grep -E -f "$tmp/phrases" >"$tmp/found"
[ ! -s "$tmp/found" ]
ok 'no turn of phrase that tests/phrases.txt has'
sed 's/^/# /' "$tmp/found"

grep -rInE '^(<{7}|>{7}|[|]{7}) ' --exclude-dir={build,.git,node_modules} . >"$tmp/marks"
[ ! -s "$tmp/marks" ]
ok 'no mark of a merge that stopped half-way'
sed 's/^/# /' "$tmp/marks"

grep -E ' ([A-Za-z]+) \1( |$|[.,;:])' "$tmp/prose" |
    grep -vE ' (had had|that that) ' >"$tmp/twice"
[ ! -s "$tmp/twice" ]
ok 'no word twice in a row'
sed 's/^/# /' "$tmp/twice"
echo "1..$count"
