#!/bin/bash
# reach.t: what a program in the cage tries to reach outside (300 attempts, in
# tests/cheats/reach/): nothing with all fences, and without one of them no more
# than SECURITY.md says. As root also as an ordinary user.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
compile() { # OUTPUT FILE...
    local to=$tmp/$1
    shift
    ${CC:-cc} -std=c11 -D_GNU_SOURCE= -O1 -Wall -Wextra -Igrader -Icommon "$@" \
        -o "$to" -lpthread -ldl -lrt 2>>"$tmp/log"
}
cd tests/cheats/reach && reach=$PWD && cd ../../.. || exit 1
compile attempts "$reach"/{attempts,files,processes,machine}.c &&
    compile runner "$reach/runner.c" build/lib/libgrade.a &&
    compile without "$reach/without.c"
ok 'the attempts compile'

# try WHO [FENCE...]: as root or user, without these fences; "none": no cage.
try() {
    local who=$1 as='' place=$tmp/place own
    shift
    rm -rf "$place"
    own=$place/tree/build/grade/own
    mkdir -p "$place/next" "$place/home/.ssh" "$place/tree/build/bin" "$own"
    for file in next/lab.cu next/other tree/solution.cu home/secret; do
        echo secret >"$place/$file"
    done
    cp "$tmp/attempts" "$own"
    [ "$who" = root ] || [ "$(id -u)" -ne 0 ] || {
        chown -R 65534:65534 "$place"
        as='setpriv --reuid 65534 --regid 65534 --clear-groups'
    }
    set -- "$own/attempts" "$place" "$@"
    if [ $# -eq 2 ] || [ "$3" = none ]; then
        REACH_SECRET=1 $as "$tmp/runner" "$@" >"$tmp/out" 2>"$tmp/err"
    else
        REACH_SECRET=1 $as "$tmp/without" "${@:3}" -- "$tmp/runner" "$1" "$2" \
            >"$tmp/out" 2>"$tmp/err"
    fi
}
through() { # KIND TAB NAME of each that got through
    awk -F'\t' '$1 != "missing" && $1 != "failed" &&
        ($3 == 0 || ($1 == "calls" && $3 != 1 && $3 != 38))' "$tmp/out"
}
# The row of SECURITY.md's table for a fence names what it alone holds.
listed() { # FENCE
    sed -n "s/^| $1 | .* | \\(.*\\) |\$/\\1/p" SECURITY.md | tr -d '*'
}

users=user
[ "$(id -u)" -ne 0 ] || users='root user'
for who in $users; do
    try "$who" none
    [ "$(through | grep -vc '^calls')" -gt 60 ]
    ok "$who: without a cage, the attempts reach outside"
    try "$who"
    missing=$(sed -n 's/^missing\t//p' "$tmp/out")
    if [ -n "$missing" ]; then
        true
        ok "$who: all fences # SKIP this system lacks $missing"
        continue
    fi
    attempts=$(wc -l <"$tmp/out")
    [ "$attempts" -gt 250 ] && ! through | grep .
    ok "$who: with all fences, none of $attempts does"
    for fence in landlock seccomp namespaces; do
        try "$who" $fence
        grep -q "^missing.*$fence" "$tmp/out" && held=yes || held=
        allowed=$(listed $fence)
        through | cut -f 1 | sort -u >"$tmp/kinds"
        while read -r kind; do
            case ", $allowed, " in *", $kind, "*) ;; *) held= ;; esac
        done <"$tmp/kinds"
        [ -n "$held" ]
        ok "$who: without $fence, no more than SECURITY.md lists"
    done
done

# ---- what says so, and refuses ----

refused() { # WORDS: one line, status 2
    [ $rc -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q "refused: this system has no $1" "$tmp/err"
}
run() {
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
mkdir "$tmp/in" && cp solutions/08_uneven_chunks/lab.cu "$tmp/in/ann.cu"
class() { # FENCE WORD...: a class of one, without this fence
    run "$tmp/without" "$1" -- env "${@:2}" OUT="$tmp/class" JOBS=1 \
        tools/grade-class build vgpu 08 "$tmp/in"
}
if [ -n "$(build/bin/isolation --missing)" ]; then
    true
    ok 'a missing fence is told # SKIP this system lacks one'
else
    for fence in landlock seccomp namespaces; do
        run "$tmp/without" $fence -- build/bin/grade --need-fences \
            --backend vgpu --solution 08
        refused $fence
        ok "grade --need-fences refuses without $fence"
        class $fence NEED_FENCES=1
        refused $fence && [ ! -e "$tmp/class/grades.csv" ]
        ok "... and NEED_FENCES=1 make grade-class"
    done
    class namespaces NEED_FENCES=
    [ $rc -eq 0 ] && [ "$(grep -c 'fenced in' "$tmp/out")" -eq 1 ] &&
        head -n 1 "$tmp/out" | grep -q '^not fenced in by: namespaces' &&
        grep -q '1 graded, 1 passed' "$tmp/out" &&
        grep -q '"missing_fences".*namespaces' "$tmp/class/08/ann.json"
    ok 'a class is told once, at the beginning, and in each JSON'
    rm -rf "$tmp/class"
    run env NEED_FENCES=1 OUT="$tmp/class" tools/grade-class build vgpu 08 \
        "$tmp/in"
    [ $rc -eq 0 ] && ! grep -q fenced "$tmp/out" &&
        grep -q '1 graded, 1 passed' "$tmp/out"
    ok 'with all fences, nothing is said and nothing refused'
fi
echo "1..$count"
