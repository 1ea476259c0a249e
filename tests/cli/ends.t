#!/bin/bash
# ends.t: advice fits the way in which a program ended, and what the machine
# lacks is nobody's mistake
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE
tools/skeleton --solution solutions/08_uneven_chunks/lab.cu >"$tmp/solution"

# submission NAME BODY [HEADERS]: the solution, with BODY before all else.
submission() {
    {
        printf '#include <%s>\n' ${3:-stdlib.h}
        echo 'static volatile int zero;'
        echo 'static int down(int n) { volatile char a[999]; a[n % 999] = 1;'
        echo '    return n < 0 ? 0 : down(n + 1) + a[n % 7]; }'
        awk -v body="$2" '{ print }
            /^void decrypt_in_chunks/ { inside = 1 }
            inside && /^{/ { print body "; (void)&down;"; inside = 0 }' \
            "$tmp/solution"
    } >"$tmp/$1.cu"
}
# ends NAME BODY WORDS [HEADERS]: is the advice in these words?
ends() {
    submission "$1" "$2" "${4:-}"
    build/bin/grade --backend vgpu --file "$tmp/$1.cu" 08 >"$tmp/said" 2>&1
    [ $? -eq 1 ] && tr -s ' \n' ' ' <"$tmp/said" >"$tmp/out" &&
        grep -qF -- "$3" "$tmp/out"
    ok "$1: $3"
}
ends abort 'abort()' 'aborted itself'
ends assert 'assert(num_streams > 99999)' "Assertion \`num_streams > 99999'" \
    assert.h
ends exception 'throw std::runtime_error("no room")' 'what(): no room' \
    stdexcept
ends thread 'std::thread t([] {})' 'went out of scope' thread
ends division 'zero = 5 / zero' 'divides a whole number by zero'
ends recursion 'zero = down(1)' "stack is full: a function calls itself"
ends null '*(int *)zero = 1' 'null.cu:'
ends heap 'void *volatile p = malloc(64); free(p); free(p)' 'its memory corrupted'
ends trap '__builtin_trap()' 'look for a trap'
ends status 'exit(3)' 'ended itself with status 3'

start=$(date +%s)
ends sleep 'sleep(1000)' 'uses no processor time: it sleeps' unistd.h
[ $(($(date +%s) - start)) -le 15 ]
ok "a hang is told soon"
ends loop 'while (!zero) ;' 'or it waits for something that no CUDA call starts'

# ---- the machine -------------------------------------------------------------

# here NAME WORDS COMMAND...: not graded, and one line says why.
here() {
    local name=$1 words=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err"
    [ $? -eq 2 ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] &&
        grep -q "could not be graded here: .*$words" "$tmp/err"
    ok "$name"
}
grade="build/bin/grade --backend vgpu --solution 08"
here "little memory" 'ulimit -v' bash -c "ulimit -v 1572000; $grade"
here "little to write in" 'ulimit -d' bash -c "ulimit -d 1572000; $grade"
bash -c "ulimit -d 1572864 -v 1700000; $grade" >"$tmp/out" 2>&1
ok "... and with just enough a right file passes"
here "few descriptors" 'ulimit -n' bash -c "ulimit -n 16; $grade"
here "little time" 'ulimit -t' bash -c "ulimit -t 5; $grade"
submission killed 'raise(SIGKILL)' signal.h
here "killed from outside" 'memory is short' \
    build/bin/grade --backend vgpu --file "$tmp/killed.cu" 08
mkdir -p build/grade
if unshare -m mount -t tmpfs none build/grade 2>/dev/null; then
    in_mount() { # OPTIONS WHERE
        unshare -m bash -c "mount -t tmpfs -o $1 none $2 && $grade"
    }
    here "a full disk" '32 MiB' in_mount size=1m build/grade
    here "no leave to run" noexec in_mount noexec build/grade
    here "no leave to write" Read-only in_mount ro build/grade
    here "no /proc" '/proc' in_mount ro /proc
else
    for name in "a full disk" "no leave to run" "no leave to write" "no /proc"
    do
        true
        ok "$name # SKIP nothing can be mounted here"
    done
fi
echo "1..$count"
