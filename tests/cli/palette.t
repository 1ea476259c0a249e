#!/bin/bash
# palette.t: colours of timelines: what an engine is, all eyes can tell, and the
# page, pictures and drawings have the same ones.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
[ -x build/bin/timeline ] || {
    echo "1..0 # SKIP build/bin/timeline is not built"
    exit 0
}

# "KIND #RRGGBB", with both shades of a kind; peer copies are as other copies.
page_colors() { # light|dark
    awk -v which="$1" '
        /prefers-color-scheme: *dark/ { dark = 1 }
        dark == (which == "dark") { print }' timeline/palette.css |
        grep -oE -- '--(h2d|sm|d2h|copy|host)(-odd)?: *#[0-9a-f]{6}' |
        sed -E 's/^--([a-z0-9]+)(-odd)?: */\1 /' | sort -u
}
picture_colors() { # light|dark FILE
    awk -v which="$1" '
        /prefers-color-scheme: *dark/ { dark = 1 }
        /<\/style>/ { exit }
        dark == (which == "dark") { print }' "$2" |
        grep -oE '\.tl-[a-z0-9.,-]+\{fill:#[0-9a-f]{6}' |
        sed -nE 's/^\.tl-(h2d|sm|d2h|copy|host).*fill:/\1 /p' | sort -u
}
near() { awk -v LEAST="$1" -f tests/palette.awk; }

# Of the 34 pairs that the authors of the formula give, some that are hard.
printf '%s\n' '50 2.6772 -79.7751 50 0 -82.7485' '50 0 0 50 -1 2' \
    '50 2.49 -0.001 50 -2.49 0.0011' '50 2.5 0 61 -5 29' \
    '63.0109 -31.0961 -5.8663 62.8187 -29.7946 -4.0864' \
    '2.0776 0.0795 -1.135 0.9033 -0.0636 -0.5514' |
    awk -v lab=1 -f tests/palette.awk >"$tmp/said"
printf '%s\n' 2.0425 2.3669 7.2195 22.8977 1.2630 0.9082 | diff - "$tmp/said"
ok "the formula gives what its authors publish"

printf '%s\n' 'h2d #15548c' 'copy #64399b' | near 10 >"$tmp/said"
grep -q '^deuteranopia' "$tmp/said" && grep -q '^protanopia' "$tmp/said" &&
    ! grep -q '^all' "$tmp/said"
ok "blue and purple of one lightness are found to be too near"

build/bin/timeline --svg "$tmp/picture.svg" tests/traces/overlapped.trace
for scheme in light dark; do
    page_colors $scheme >"$tmp/page"
    [ "$(wc -l <"$tmp/page")" = 10 ] && near 10 <"$tmp/page" >"$tmp/near" &&
        [ ! -s "$tmp/near" ]
    ok "$scheme: kinds differ by 10 at least, for all eyes"
    sed 's/^/# /' "$tmp/near"
    picture_colors $scheme "$tmp/picture.svg" | diff "$tmp/page" - >"$tmp/diff"
    ok "$scheme: pictures have the colours of the page"
    sed 's/^/# /' "$tmp/diff"
done

echo '.a{fill:var(--none)}' | awk -v width=60 -f timeline/palette.awk \
    timeline/palette.css - >"$tmp/out" 2>"$tmp/said"
[ $? -eq 1 ] && grep -q 'no colour --none' "$tmp/said"
ok "a colour that the palette lacks is told"
echo "1..$count"
