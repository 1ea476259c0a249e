#!/bin/bash
# teaching.t: do the plans of docs/teaching.md add up? A lab takes what its
# README says, a deck what its notes say, its short form what stays of it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
page=docs/teaching.md

# Lines "lab 08 30", "deck 08 44" and "short 08 23".
{
    for readme in labs/[0-9]*/README.md; do
        sed -n "s|^Time: about \([0-9]*\) minutes.*|lab $(basename \
            "${readme%/README.md}" | cut -c 1-2) \1|p" "$readme"
    done
    for deck in slides/[0-9][0-9]_*.md; do
        awk -v number="$(basename "$deck" | cut -c 1-2)" '
            match($0, /^<!-- [0-9]+ min/) {
                minutes = substr($0, 6, RLENGTH - 9)
                all += minutes
                if (!/^<!-- [0-9]+ min, long form\./) short += minutes
            }
            END { print "deck " number " " all; print "short " number " " short }
            ' "$deck"
    done
} >"$tmp/minutes"
[ "$(grep -c ^lab "$tmp/minutes")" = "$(ls -d labs/[0-9]* | wc -l)" ]
ok 'every lab and every deck says how long it takes'

# add_up PLAN...: one line for each thing in the page that is not true.
add_up() {
    awk '
    function wrong(text) { print FILENAME ":" FNR ": " text }
    # What a row names takes so long; 0 where it names no lab and no deck.
    function time_of(text,    sum, word) {
        while (match(text, /(lab|deck) [0-9][0-9](, short)?/)) {
            split(substr(text, RSTART, RLENGTH), word, /,? /)
            text = substr(text, RSTART + RLENGTH)
            sum += minutes[word[3] ? word[3] : word[1], word[2]]
            named[word[2]]
        }
        return sum
    }
    NR == FNR { minutes[$1, $2] = $3; next }
    /^#/ { heading = $0; sub(/^#+ /, "", heading); at = 0 }
    /^\|/ { split($0, cell, / *\| */) }
    /^\| [0-9]+:[0-9][0-9] \|/ {
        split(cell[2], clock, ":")
        if (clock[1] * 60 + clock[2] != at)
            wrong(cell[2] " should be " int(at / 60) ":" at % 60)
        if (cell[4] == "end") { ends[heading] = at; next }
        long = time_of(cell[4])
        if (long && long != cell[3]) wrong(cell[4] " takes " long)
        at += cell[3]
    }
    heading == "Long and short" && /^\| [0-9][0-9] \|/ {
        lab = ("lab", cell[2]) in minutes ? minutes["lab", cell[2]] : ""
        if (cell[3] != lab || cell[4] != minutes["deck", cell[2]] || \
            cell[5] != minutes["short", cell[2]])
            wrong("deck " cell[2] " has other minutes")
        decks++
    }
    heading == "The sheets" && /^\| [0-9] \|/ {
        if (time_of(cell[4]) != cell[5])
            wrong("sheet " cell[2] " takes " time_of(cell[4]))
        print cell[2] ":" cell[4] >sheets
    }
    heading ~ /^Two weeks/ && /^\| [0-9]+ \| [0-9]+ \|/ {
        if (cell[4] ~ /^lab/) {
            split("", named)
            if (time_of(cell[4]) != cell[3])
                wrong("day " cell[2] " takes " time_of(cell[4]))
            for (n in named) done[n]++
        }
        days += cell[3]
    }
    heading ~ /^Two weeks/ && / minutes in ten days/ { said = $1 }
    END {
        split("A workshop of two hours=120;Half a day=240;A day=480;" \
              "Lecture 1=90;Lecture 2=90;Lecture 3=90", plan, ";")
        for (i = 1; i in plan; i++) {
            split(plan[i], part, "=")
            if (ends[part[1]] != part[2])
                wrong(part[1] ": " ends[part[1]] " minutes, not " part[2])
        }
        if (days != said) wrong("two weeks have " days " minutes, not " said)
        for (key in minutes) {
            split(key, part, SUBSEP)
            if (part[1] == "lab" && done[part[2]] != 1)
                wrong("two weeks have lab " part[2] " not once")
            if (part[1] == "deck") decks--
        }
        if (decks) wrong("not every deck has its row")
    }' sheets="$tmp/sheets" "$tmp/minutes" "$1"
}
add_up $page >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
ok 'the plans add up, minute by minute'
for change in 's/| 40 | lab 07 |/| 45 | lab 07 |/' 's/^| 0:39 /| 0:40 /' \
    's/| 02 | 30 /| 02 | 31 /' 's/lab 07, lab 08/lab 07, lab 09/' \
    's/^[0-9]* minutes in ten/700 minutes in ten/' \
    's/deck 00, short/deck 00/'; do
    sed "$change" $page >"$tmp/page"
    ! cmp -s $page "$tmp/page" && [ -n "$(add_up "$tmp/page")" ] || break
done
ok '... and a minute that is wrong is seen'
add_up $page >"$tmp/out"
while IFS=: read -r sheet labs; do
    [ "$(. tools/lab.sh && lab_sheet "$sheet" | cut -c 1-2 | paste -sd' ')" = \
        "$(echo "$labs" | tr -d 'lab,' | xargs)" ] || echo "sheet $sheet: $labs"
done <"$tmp/sheets" >"$tmp/out"
[ ! -s "$tmp/out" ] && [ -s "$tmp/sheets" ]
ok 'the sheets are those of sheets/'

# What a short form needs: each deck has one, and its title, prediction and
# answer stay.
for deck in slides/[0-9][0-9]_*.md; do
    awk '/^<!-- _class: / { class = $3 }
         /^<!-- [0-9]+ min/ {
             if (/^<!-- [0-9]+ min, long form\.( |$)/) {
                 left_out++
                 if (class ~ /title|predict|answer/)
                     print FILENAME ":" FNR ": a slide that every form has"
             } else if (/long form/)
                 print FILENAME ":" FNR ": not \"N min, long form. \""
             class = ""
         }
         END { if (!left_out) print FILENAME ": leaves out nothing" }' "$deck"
done >"$tmp/out"
[ ! -s "$tmp/out" ]
ok 'decks say what the short form leaves out'
awk '/^## Q/ { n++; if ($2 != "Q" n) exit 1 }
     /^> / || /^>$/ { if (/Learn it:/ || /^> Learn it/) learn[n] = 1 }
     END { for (i = 1; i <= n; i++) learnt += learn[i]
           exit n != 10 || learnt != 10 }' docs/prerequisites.md
ok 'ten questions before, each with where to learn it'
awk 'function done() {
         if (n && (!right || !wrong || !expected || !program ||
                   (right > 1) && !all))
             print "Q" n ": " right + 0 " right, " wrong + 0 " wrong"
         right = wrong = expected = program = all = 0 }
     /^## Q/ { done(); n++; if ($2 != "Q" n) print FNR ": " $0 }
     /[Cc]hoose all|^apply\./ { all = 1 }
     /^- \[x\]/ { right++ } /^- \[ \]/ { wrong++ } /^> Expected:/ { expected = 1 }
     /^>.*\(`[^`]*`\)$/ { program = 1; sub(/.*\(`/, ""); sub(/`.*/, "")
         if (!/\//) $0 = "vgpu/tests/conformance/" $0 ".cu"
         if ((getline line <$0) < 0) print "Q" n ": no " $0
         close($0) }
     END { done(); if (n != 40) print n }' docs/where-memory-misleads.md >"$tmp/out"
[ ! -s "$tmp/out" ]
ok 'forty questions after, each with what is expected and who asks'
echo "1..$count"
