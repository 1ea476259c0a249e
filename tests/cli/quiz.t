#!/bin/bash
# quiz.t: make quiz, answered by a script and in a terminal
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset NO_COLOR MAKEFLAGS MAKELEVEL MFLAGS
repository=$PWD
export SEED=0 # as in the file
place=$tmp/place
mkdir -p "$place/labs/08_a"
cp -R tools Makefile "$place"
cd "$place" || exit 1
printf '%s\n' '# Quiz' '' 'An introduction.' '' '## Q1' '' 'Which are even?' \
    'Choose all that apply.' '' '- [ ] 1' '- [x] 2' '- [ ] 3' '- [x] 4' '' \
    '> Two and four.' '> They are.' '' '## Q2' '' 'What is `x`?' '' '```' \
    'int x = 1; // - [x] not an answer' '```' '' '- [x] one' '- [ ] two' '' \
    '> It says so.' '' '## Q3' '' 'Last?' '' '- [ ] no' '- [x] yes' '' \
    '> It is.' >labs/08_a/quiz.md
quiz() { # INPUT
    printf "$1" | tools/quiz 08 >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
has() { grep -qF -- "$1" "$tmp/out"; }
score() { # TEXT: said at the end, nothing went wrong
    [ $rc -eq 0 ] && [ ! -s "$tmp/err" ] && has "$1"
}

quiz '2 4\n1\n2\n'
score '3 of 3 right.' && has 'They are.' && has 'int x = 1' &&
    has 'An introduction' && [ "$(cat build/state/quiz/08)" = '3 3' ]
ok 'all right; each answer is explained'
has "$(printf '\033')"
[ $? -eq 1 ]
ok 'no colour into a file'
for all in '2,4' '4 2' 'b d' 'BD' 'd, b' '(2) (4)' ' 2  4 ' '2 4 2'; do
    quiz "$all\\na\\nB\\n"
    score '3 of 3 right.' || break
done
ok 'numbers or letters, in any order, with commas or not'
quiz '2\n2\n1\n'
score '0 of 3 right.' && has 'No. Right is 2 and 4.' &&
    has 'Your best so far is 3.' && [ "$(cat build/state/quiz/08)" = '3 3' ]
ok 'some of several is not right; the best score stays'
rm -rf build
quiz '2\n1\n1\n'
score '1 of 3 right.' && [ "$(cat build/state/quiz/08)" = '1 3 1 3' ]
ok '... with the questions that went wrong'
rm -rf build
quiz '2 4'
score 'Stopped after 1 of 3 questions, 1 of them right.' &&
    [ "$(cat build/state/quiz/08)" = '1 3' ]
ok 'input that ends, even within a line'
quiz ''
score 'No question answered.' && [ "$(cat build/state/quiz/08)" = '1 3' ]
ok 'no input at all'
quiz '2 4\nq\n'
score 'Stopped after 1 of 3 questions, 1 of them right.'
ok 'q stops'
quiz '\n9\n0\nx\n2 9\n$(touch made)\n*\n-1\n99999999999999999999\n2 4\n1 2\n1\n2\n'
score '3 of 3 right.' && [ "$(grep -c 'no answer here' "$tmp/out")" -eq 9 ] &&
    has 'One answer only' && [ ! -e made ]
ok 'what is no answer is asked for again'
quiz '\033[31m\001\n\377\n2 4\n1\n2\n'
score '3 of 3 right.' && ! grep -q "$(printf '\033')" "$tmp/out"
ok 'control characters and bytes that are no text'
printf '2 4\r\n1\r\n2\r\n' | tools/quiz 8 >"$tmp/out" 2>"$tmp/err"
has '3 of 3 right.'
ok 'lines that end as on Windows'
printf '2\n' | make quiz LAB=08 >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && has 'Stopped after 1 of 3'
ok 'through make'
mkdir docs && sed 's/Which are/Before: which are/' labs/08_a/quiz.md \
    >docs/prerequisites.md
printf '2 4\n1\n2\n' | make quiz LAB=00 >"$tmp/out" 2>"$tmp/err"
[ $? -eq 0 ] && has 'What you should know before, 3 questions' &&
    has 'Before: which' && has '3 of 3 right.' &&
    [ "$(cat build/state/quiz/00)" = '3 3' ]
ok 'LAB=00 is what to know before'
make quiz LAB=42 >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? -eq 2 ] && grep -q "there is no lab '42'; labs: 08_a" "$tmp/err"
ok 'an unknown lab'
echo broken >build/state/quiz/08
quiz '2 4\n1\n2\n'
score '3 of 3 right.' && [ "$(cat build/state/quiz/08)" = '3 3' ]
ok 'a damaged score is replaced'
if script -qec true /dev/null >/dev/null 2>&1; then
    (sleep 0.5; printf 'b d\n'; sleep 0.3; printf '1\n'; sleep 0.3
        printf '2\n'; sleep 0.3) | TERM=xterm script -qec 'tools/quiz 08' \
        /dev/null >"$tmp/out" 2>"$tmp/err"
    has '3 of 3 right.' && has "$(printf '\033[32mRight.')"
    ok 'in a terminal, with colour'
    (sleep 0.5; printf 'b d\n'; sleep 0.3; printf '\004'; sleep 0.3) |
        TERM=xterm NO_COLOR=1 script -qec 'tools/quiz 08' /dev/null \
            >"$tmp/out" 2>"$tmp/err"
    has 'Stopped after 1 of 3' && ! has "$(printf '\033')"
    ok 'Ctrl-D ends it, NO_COLOR is kept'
fi

# order SEED: the answers of Q1 as they are shown, without their numbers
order() {
    echo q | SEED=$1 tools/quiz 08 | sed -n 's/^  [0-9]  \([1-4]\)$/\1/p' |
        tr -d '\n'
}
[ "$(order 0)" = 1234 ] && [ "$(order 7)" = "$(order 7)" ] &&
    [ "$(for s in 1 2 3 4 5 6 7 8 9; do order $s; echo; done | sort -u |
        wc -l)" -gt 3 ]
ok 'answers are shuffled, the same for a seed'
right=$(echo q | SEED=7 tools/quiz 08 | sed -n 's/^  \([0-9]\)  [24]$/\1/p' |
    tr '\n' ' ')
printf '%s\nq\n' "$right" | SEED=7 tools/quiz 08 >"$tmp/out"
has 'Stopped after 1 of 3 questions, 1 of them right.'
ok 'what is right moves with them'
SEED=x tools/quiz 08 >"$tmp/out" 2>"$tmp/err" </dev/null
[ $? -eq 2 ] && grep -q 'SEED is a number' "$tmp/err"
ok 'a seed that is none'
cat "$repository"/labs/*/quiz.md "$repository"/docs/prerequisites.md | awk '
    function done() {
        if (n && right == 1) { asked++; longest += most > other }
        n = right = most = other = 0 }
    /^## / { done() }
    /^- \[x\] / { n++; right++; most = length($0) }
    /^- \[ \] / { n++; if (length($0) > other) other = length($0) }
    END { done(); print longest " of " asked " right answers are the longest"
        exit !(asked && longest * 3 <= asked) }' >"$tmp/out"
ok 'a right answer is seldom told by its length'
echo "1..$count"
