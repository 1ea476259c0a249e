#!/bin/bash
# run.sh: the style of what is read, by write-good, and of JavaScript, by ESLint,
# both of which npm gets once. Beside it stands tests/cli/spelling.t, for words and for this project's own phrases.
# Prints TAP, and `N passed, N failed`.
set -u
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

tools/npm-packages tests/style >"$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    exit 2
}
style() { "${NODE:-node}" tests/style/style.mjs "$@"; }
lint() {
    "${NODE:-node}" tests/style/node_modules/eslint/bin/eslint.js \
        -c tests/style/eslint.config.mjs "$@"
}

{
    printf 'We do it in order to `wait`.\n\n    in order to\n' >"$tmp/wordy.md"
    said=$(style "$tmp/wordy.md")
    [ "$said" = "$tmp/wordy.md:1: \"in order to\" is wordy or unneeded" ]
    ok 'a wordy phrase is found where it is, and code is left out'
    style README.md CONTRIBUTING.md CHANGELOG.md labs/*.md labs/*/*.md \
        docs/*.md docs/where/*.md slides/*.md grader/README.md >"$tmp/out" 2>&1
    ok 'no wordy phrase in what students and teachers read'

    lint . >"$tmp/out" 2>&1
    ok 'no mistake in JavaScript that ESLint finds, and one layout'
    # By the order in which a page has them.
    sed -n 's/.*tl_out_text(o, timeline_\([a-z]*\)_js);/timeline\/page\/\1.js/p' \
        timeline/html.c | xargs cat |
        lint --stdin --stdin-filename timeline/page.js >"$tmp/out" 2>&1
    ok "... nor in the parts of a timeline's page, as one script"
    echo 'let a = b' | lint --stdin --stdin-filename a.js >"$tmp/out" 2>&1
    [ "$(grep -c ' error ' "$tmp/out")" = 4 ]
    ok '... and it finds one that there is'
    echo "1..$count"
} | tee "$tmp/tap"
tap_sum "$tmp/tap"
