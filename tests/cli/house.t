#!/bin/sh
# house.t: what tools/house counts, in a small tree without git.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/tools" && cp tools/house "$tmp/tools" && cd "$tmp" || exit 1
mkdir -p common grader/rules grader/drivers grader/judge labs/08_chunks \
    slides/figures solutions/08_chunks timeline vgpu web \
    tests/corpus/08_chunks/wrong tests/corpus/13_cipher \
    tests/cheats/08_chunks tests/cheats/any_lab

# function NAME LINES COMMENT: C of a function whose text has so many lines.
function_of() {
    printf 'static int %s(int a)\n{\n' "$1"
    i=4
    while [ $i -lt "$2" ]; do
        echo "    a += $i;"
        i=$((i + 1))
    done
    printf '    return a; %s\n}\n' "$3"
}
figures() { # prints to out, the status of --check is kept
    tools/house --check --list >out 2>&1
    status=$?
}
row() { # NAME: its numbers and what follows, one blank between
    sed -n "s/^ *$1  *//p" out | tr -s ' ' | sed 's/ *$//'
}

{
    printf '/* say.c: two lines\n   of comment */\n\n'
    printf 'const char *s = "/* not one */"; /* one behind code */\n'
    printf '// one\nint x; // and\nint /* within */ y;\n'
} >grader/judge/say.c
figures
[ "$(row 'grader core')" = '3 3 1 7 8660 ok' ]
ok 'lines of code, comment and blank, in the sub-folders of the grader too'
[ "$status" = 0 ] && [ "$(row 'comment share of .c files, %')" = '42.9 9 ok' ]
ok 'the share of comments, and all limits held'

echo 'int a;' >grader/rules/08_chunks.c
echo 'int a;' >grader/rules/chunks.h
echo 'int a;' >grader/drivers/08_chunks.cu
echo text >labs/08_chunks/README.md
echo text >slides/08_chunks.md
echo '<svg/>' >slides/figures/08_chunks.svg
printf '+a\n-b\n' >tests/corpus/08_chunks/wrong/tail.diff
printf '+a\n' >tests/corpus/13_cipher/x.diff
printf '+a\n' >tests/cheats/08_chunks/host_decrypt.cu
printf '+a\n' >tests/cheats/any_lab/crash.diff
printf '#!/bin/sh\n# run.sh\n' >tests/corpus/run.sh
figures
[ "$(row 'grader rules')" = '2 0 0 2 540 ok' ] &&
    [ "$(row drivers)" = '1 0 0 1 395 ok' ] &&
    [ "$(row 'corpus and cheats')" = '5 0 0 5 1200 ok' ]
ok "rules, drivers, the corpus: told apart, limits for one lab; no script of theirs"
[ "$(row 'lab 08')" = '8 0 0 8 1700 ok' ] &&
    [ "$(row 'lab 13')" = '1 0 0 1 4750 ok' ]
ok 'a lab costs its code, its texts, its deck, its figures and its corpus'

# Comments enough for their share to hold in what follows.
awk 'BEGIN { for (i = 0; i < 40; i++) print "// a" }' >timeline/said.c
{
    echo '// Why it is done here.'
    function_of explained 30 ''
    echo
    function_of answered 35 '/* why */'
    echo
    function_of short 29 ''
} >vgpu/exec.c
figures
[ "$status" = 0 ] &&
    [ "$(row 'functions of 30 lines and more')" = 2 ] &&
    [ "$(row 'of these, without any comment')" = '0 0 ok 0 %' ]
ok 'a comment counts within a function and right above it'
function_of bare 30 '' >vgpu/bare.c
figures
[ "$status" = 1 ] && grep -q '^    vgpu/bare.c:1: bare, 30$' out &&
    tools/house | grep -q 'any comment  *1  *0  over  33 %'
ok 'without one, it is named; only --check fails for it'
function_of long 61 '// why' >vgpu/bare.c
figures
[ "$status" = 1 ] && grep -q '^    vgpu/bare.c:1: long, 61$' out &&
    [ "$(row 'longest function')" = '61 60 over vgpu/bare.c: long' ]
ok 'a function of more than 60 lines'
awk 'BEGIN { for (i = 0; i < 701; i++) print "// a" }' >vgpu/bare.c
figures
[ "$status" = 1 ] && grep -q '^    vgpu/bare.c: 701$' out
ok 'a file of more than 700 lines'

! tools/house --colour >out 2>&1 && grep -q '^usage:' out
ok 'an unknown option is named'
cd - >/dev/null && tools/house --check >"$tmp/out" 2>&1
ok 'this house is within its limits'
echo "1..$count"
