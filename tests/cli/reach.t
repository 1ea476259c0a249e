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
    ${CC:-cc} -std=c11 -D_GNU_SOURCE= -O1 -Wall -Wextra -Igrader -Icommon -Itimeline "$@" \
        -o "$to" -lpthread -ldl -lrt 2>>"$tmp/log"
}
cd tests/cheats/reach && reach=$PWD && cd ../../.. || exit 1
compile attempts "$reach"/{attempts,files,processes,machine}.c &&
    compile runner "$reach/runner.c" build/lib/libgrade.a build/lib/libtimeline.a &&
    compile without "$reach/without.c" &&
    compile compiles "$reach/compiles.c" build/lib/libgrade.a \
        build/lib/libtimeline.a
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

# ---- while it is compiled ----

# A source asks the compiler and the assembler for these, and neither may find
# them: other students, what a lab does not include, secrets, what never ends.
place=$tmp/compiled own=$tmp/compiled/own
mkdir -p "$place/ann" "$place/bob" "$own" "$place/home/.ssh"
for file in ann/other.cu bob/lab.cu bob/lab.h grades.csv home/.ssh/id_rsa; do
    echo secret >"$place/$file"
done
printf '%s\n' ../bob/lab.cu ../bob/lab.h ../grades.csv other.cu \
    "$place"/{bob/lab.cu,bob/lab.h,grades.csv,ann/other.cu,home/.ssh/id_rsa} \
    {,"$PWD/"}solutions/08_uneven_chunks/lab.cu ../solutions/08_uneven_chunks/lab.cu \
    "$PWD"/grader/rules/{08_uneven_chunks,chunks}.c "$PWD"/{Makefile,VERSION} \
    "$PWD"/labs/{08_uneven_chunks/lab.cu,07_chunked_overlap/lab.h} \
    "$PWD"/{tests/tap.sh,.git/HEAD} "$HOME"/.{bashrc,profile,bash_history} \
    /etc/{passwd,group,shadow,hostname,fstab,ssh/ssh_host_rsa_key} /proc/1/environ \
    /proc/1/cmdline "/proc/$$/environ" "/proc/$$/cmdline" /proc/modules \
    /dev/{zero,urandom,tty,mem,kmsg} /var/log/{dpkg,wtmp}.log /run/utmp >"$tmp/paths"
has=$place/ann/lab.cu asm=$place/ann/asm.cu
# (Where one may be seen and not be read, gcc asks no further.)
grep -v '^/proc' "$tmp/paths" | sed 's/.*/#if __has_include("&")\n#error "reached &"\n#endif/
    $a #error "all asked"' >"$has"
sed 's/.*/__asm__(".incbin \\"&\\", 0, 4\\n");/' "$tmp/paths" >"$asm"
printf '#include "%s"\n' /dev/zero >"$place/ann/zero.cu"
refused_source() { # FILE [FENCE]: its compiler's words are in out
    local as=()
    [ -z "$2" ] || as=("$tmp/without" "$2" --)
    timeout 60 "${as[@]}" "$tmp/compiles" "$1" "$own" >"$tmp/out" 2>"$tmp/err"
    rc=$?
    [ $rc -eq 1 ]
}
all=$(wc -l <"$tmp/paths")
build/bin/vgpucc -Icommon -c "$has" -o "$own/lab.o" >"$tmp/log" 2>&1
[ "$(grep -c 'error.*reached' "$tmp/log")" -gt 15 ]
ok 'without a cage, a source finds what is not its own'
missing=$(build/bin/isolation --missing)
find "$place" -path "$own" -prune -o -printf '%p %m %s %T@\n' >"$tmp/before"
for fence in '' landlock seccomp namespaces; do
    if [ -n "$missing" ]; then
        true
        ok "compiled${fence:+ without $fence} # SKIP this system lacks $missing"
        continue
    fi
    until=': Permission denied'
    case $fence in namespaces) ;; *) until='error.*all asked' ;; esac
    refused_source "$has" "$fence" && grep -q "$until" "$tmp/out" &&
        ! grep 'error.*reached' "$tmp/out"
    ok "compiled${fence:+ without $fence}: none of $all files is there"
    refused_source "$asm" "$fence"
    sed -n "s/.*\(can't open\|file not found:\) //p" "$tmp/out" |
        grep -vxFf - "$tmp/paths" >"$tmp/through"
    # Without landlock it sees what /proc shows to all: "processes", in the table.
    [ "$fence" != landlock ] || sed -i '/^\/proc/d' "$tmp/through"
    [ $rc -eq 1 ] && ! grep . "$tmp/through"
    ok '... nor for the assembler'
    refused_source "$place/ann/zero.cu" "$fence" &&
        grep -q 'zero: \(No such\|Permission\)' "$tmp/out"
    ok '... nor one without end'
done
find "$place" -path "$own" -prune -o -printf '%p %m %s %T@\n' |
    diff "$tmp/before" - >"$tmp/log" && [ "$(ls "$own")" = '' ]
ok '... and nothing is written'

# ---- what says so, and refuses ----

refused() { # WORDS: one line, status 2
    [ $rc -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q "refused: this system has no $1" "$tmp/err"
}
run() {
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
run "$tmp/without" processes -- build/bin/grade --backend vgpu --solution 08
[ $rc -eq 2 ] && [ "$(cat "$tmp/err")" = \
    'grade: could not be graded here: no more processes can be started (ulimit -u)' ]
ok 'where no process can be started, a line says so'
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
