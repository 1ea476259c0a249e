#!/bin/sh
# run.sh [DECKS]: build the decks, look at every slide in a browser, run the
# commands on them, and see that wrong decks are found wrong. TAP; ends with one
# line `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
. tools/lab.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
words=$(lab_words "$*") || exit 2
# shellcheck disable=SC2086
set -- $words
out=build/slides
node=${NODE:-node}
mkdir -p "$out"
log=$out/test.tap

# the_decks [DECK...]: their names, all without arguments.
the_decks() {
    [ $# -gt 0 ] || set -- '[0-9][0-9]'
    for deck; do
        for file in slides/${deck%%_*}_*.md; do
            [ ! -f "$file" ] || basename "$file" .md
        done
    done
}

# ok NAME STATUS FILE: a test; the file says what is wrong.
tests=0
ok() {
    tests=$((tests + 1))
    if [ "$2" = 0 ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        sed 's/^/# /' "$3"
    fi
}

build_all() {
    said=$out/test-build.log
    tools/slides "$@" >"$said" 2>&1
    ok "every deck builds" $? "$said"
}

# A lab without a deck, and a deck without a lab: 00 opens and 99 closes.
decks_and_labs() {
    : >"$out/test-labs.log"
    for lab in labs/[0-9]*/; do
        lab=$(basename "$lab")
        [ -s "slides/$lab.md" ] || echo "slides/$lab.md is missing"
    done >>"$out/test-labs.log"
    for deck in $(the_decks); do
        case $deck in
        00_opening | 99_closing) ;;
        *) [ -d "labs/$deck" ] || echo "slides/$deck.md: there is no such lab" ;;
        esac
    done >>"$out/test-labs.log"
    [ ! -s "$out/test-labs.log" ]
    ok "a deck for every lab" $? "$out/test-labs.log"
}

# says NAME TEXT COMMAND...: it ends with 2, and one line of it has the text.
says() {
    name=$1 text=$2
    shift 2
    "$@" >"$out/test-said.log" 2>&1
    [ $? = 2 ] && [ "$(grep -cF -- "$text" "$out/test-said.log")" = 1 ]
    ok "$name" $? "$out/test-said.log"
}

missing_tools() {
    says "no Node: what to install" 'sudo apt-get install nodejs' \
        env NODE=no-such-node tools/slides
    says "no Chromium: what to install" 'sudo apt-get install chromium' \
        env CHROMIUM=no-such-browser tools/slides
    says "no such deck: which there are" "there is no deck '98'; decks:" \
        tools/slides 98
}

# handout DECK: its slides, and what the last note says.
handout() {
    deck=$(the_decks "$1")
    tools/slides --handouts "$1" >"$out/test-handout.log" 2>&1 &&
        pdftotext "$out/${deck}_handout.pdf" "$out/test-handout.txt" &&
        grep -q 'min\. .*Ask' "$out/test-handout.txt" &&
        sed -n 's/^# //p' "slides/$deck.md" | head -n 1 |
        grep -qFf - "$out/test-handout.txt"
    ok "a handout has slides and notes" $? "$out/test-handout.log"
}

# A page needs nothing from elsewhere.
whole_pages() {
    grep -l '<\(script\|img\)[^>]* src="[^d]\|<link[^>]*stylesheet' \
        "$out"/[0-9]*.html >"$out/test-whole.log"
    [ ! -s "$out/test-whole.log" ]
    ok "a page is one file" $? "$out/test-whole.log"
}

# bad_decks: each line `# expect: text` of a wrong deck must be said of it.
bad_decks() {
    bad=$out/bad
    mkdir -p "$bad"
    "$node" slides/tool/build.mjs --decks tests/slides/bad --out "$bad" \
        >"$bad/said" 2>&1
    built=$?
    rm -f "$bad/missing"
    [ "$built" = 1 ] || echo "building them ended with $built" >"$bad/missing"
    # shellcheck disable=SC2046
    "$node" tests/slides/slides.mjs --out "$bad" $(ls tests/slides/bad |
        sed -n 's/^\([0-9][0-9]_.*\)\.md$/\1/p') >>"$bad/said" 2>&1
    sed -n 's/^expect: //p' tests/slides/bad/expect.txt >"$bad/expected"
    while read -r text; do
        grep -qF -- "$text" "$bad/said" || echo "nobody said: $text"
    done <"$bad/expected" >>"$bad/missing"
    mistakes=$(wc -l <"$bad/expected")
    [ ! -s "$bad/missing" ]
    ok "$mistakes mistakes of wrong decks are found" $? "$bad/missing"
}

{
    CHROMIUM=$(command -v "${CHROMIUM:-chromium}") && export CHROMIUM
    if [ $# -eq 0 ]; then
        build_all
        decks_and_labs
    else
        build_all "$@"
    fi
    # shellcheck disable=SC2046
    "$node" tests/slides/slides.mjs $(the_decks "$@") ||
        echo "# slides.mjs ended with status $?"
    if [ $# -eq 0 ]; then
        whole_pages
        handout 08
        missing_tools
        bad_decks
    fi
    echo "1..$tests"
} >"$log" 2>&1
cat "$log"
tap_sum "$log"
