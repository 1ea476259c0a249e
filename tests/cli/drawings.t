#!/bin/bash
# drawings.t: drawings are what their texts give, say in words what they show,
# have the colours of timelines, and what is wrong in a text is said.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
place=slides/drawings

tools/drawings --check >"$tmp/out" 2>&1
ok "each drawing is what its text gives"

for svg in "$place"/*.svg; do
    [ -f "${svg%.svg}.txt" ] || echo "$svg has no text"
done >"$tmp/out"
[ "$(find "$place" -name '*.svg' | wc -l)" -ge 25 ] && [ ! -s "$tmp/out" ]
ok "each drawing has a text"

# A drawing that nobody sees is none.
for svg in "$place"/*.svg; do
    grep -qsF "drawings/${svg##*/})" slides/*.md labs/*/*.md docs/*.md README.md ||
        echo "no page shows $svg"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
ok "each drawing is on a page"

for svg in "$place"/*.svg; do
    [ "$(sed -n 's/.*<desc[^>]*>\(.*\)<\/desc>.*/\1/p' "$svg" | wc -w)" -ge 15 ] ||
        echo "$svg says too little of what it shows"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
ok "each says in words what it shows"

# A drawing has the darker shade of a kind where it is light, and one shade.
colors() { # light|dark FILE SELECTOR...
    awk -v which="$1" '
        /prefers-color-scheme: *dark/ { dark = 1 }
        dark == (which == "dark") { print }' "$2" | grep -oE -- "$3" |
        sed -E 's/^(\.|--)//;s/[,:{].*#/ #/;s/[ {].*#/ #/' | sort -u
}
for scheme in light dark; do
    colors $scheme "$place/ring.svg" \
        '\.(h2d|sm|d2h|copy|host),[^{]*\{fill:#[0-9a-f]{6}' >"$tmp/drawing"
    colors $scheme timeline/palette.css \
        '--(h2d|sm|d2h|copy|host)(-odd)?: *#[0-9a-f]{6}' |
        sed 's/-odd / /' >"$tmp/page"
    [ "$(wc -l <"$tmp/drawing")" = 5 ] &&
        ! grep -vxFf "$tmp/page" "$tmp/drawing" >"$tmp/out"
    ok "$scheme: the colours of timelines"
done

# wrong TEXT LINE...: a drawing with these lines is refused, in these words.
wrong() {
    words=$1
    shift
    { printf '%s\n' 'size 200 100' 'title T' 'desc D' "$@"; } >"$tmp/x.txt"
    awk -v STYLE="$place/style.css" -f tools/drawing.awk "$tmp/x.txt" \
        >/dev/null 2>"$tmp/err"
    [ $? = 1 ] && grep -qF "$words" "$tmp/err"
    ok "refused: $words"
}
wrong 'no command "boxes"' 'boxes sm 0 0 10 10'
wrong 'no kind "blue"' 'box blue 0 0 10 10'
wrong '"a long text" needs' 'box sm 0 0 50 40 a long text'
wrong 'reaches out of the drawing' 'text left 150 50 a long text'
wrong 'two points at least' 'arrow sm 10 10'
printf 'size 200 100\nbox sm 0 0 50 40 a\n' >"$tmp/x.txt"
! awk -v STYLE=/dev/null -f tools/drawing.awk "$tmp/x.txt" >/dev/null \
    2>"$tmp/err" && grep -q 'title and desc are needed' "$tmp/err"
ok "refused: no words"
echo "1..$count"
