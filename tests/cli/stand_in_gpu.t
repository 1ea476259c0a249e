#!/bin/bash
# stand_in_gpu.t: BACKEND=cuda without a GPU: vgpucc stands in for nvcc, and a
# driver says that there is one. So what the grader does for a real GPU runs,
# two programs side by side with it; times and speeds mean nothing here.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/stand_in_gpu.sh
tmp=$(mktemp -d) || exit 1
stopped=
trap '[ -z "$stopped" ] || kill -KILL $stopped; rm -rf "$tmp"' EXIT

stand_in_gpu "$tmp" || exit 1
major=9
# One core does what is a GPU's work.
grade() {
    on_stand_in "$tmp" $major build/bin/grade --backend cuda --timeout 60 "$@" \
        >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
says() { grep -q -- "$1" "$tmp/out"; }

grade --solution 01
[ $rc -eq 0 ] && says 'on the GPU' && says 'the report put to use  *5 / 5'
ok 'cases on the GPU and on virtual ones, in turns'

grade --solution 03
[ $rc -eq 0 ] && says 'batches, right  *10 / 10'
ok 'what is checked is on the GPU, and on a virtual one too'

# There the timed case has more frames than under the checker, whose calls count.
grade --solution 16
says 'one graph for all frames  *20 / 20' && ! says 'right, but a frame'
ok "a timed case's calls are counted in the run that was looked at"

# Dies in the second case on the GPU, after the checker had its turn.
sed -e 's/^#include "lab.h"/&\n#include <signal.h>\nstatic int calls;/' \
    -e '/^uint64_t decrypt_together/,/^{/s/^{/{\n    if (++calls == 2) raise(SIGSEGV);/' \
    solutions/02_async_launch/lab.cu >"$tmp/lab.cu"
grade --file "$tmp/lab.cu" --timeout 2 02
[ $rc -eq 1 ] && says 'both parts, right  *25 / 25' &&
    says 'NO  one entry each' && says 'it crashed'
ok 'a program that dies after another one ran beside it is seen to die'

# ---- turns: the locks are in a file in place of the driver's ------------------

: >"$tmp/nvidiactl"
${CC:-cc} -shared -fPIC -x c -o "$tmp/driver.so" - <<'END' || exit 1
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
        va_list args; \
        int mode; \
        va_start(args, flags); \
        mode = flags & O_CREAT ? va_arg(args, int) : 0; \
        va_end(args); \
        if (strcmp(path, "/dev/nvidiactl") == 0) \
            path = getenv("NVIDIACTL"); \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)
END
locks() { grep ":$(stat -c %i "$tmp/nvidiactl") " /proc/locks; }
# A grader that is stopped in its turn; between two it has none.
stop_one() {
    on_stand_in "$tmp" 9 exec build/bin/grade --backend cuda --timeout 60 \
        --solution 02 >/dev/null 2>&1 &
    stopped=$!
    until locks | grep -q 'OFDLCK.*WRITE.* 0 127$'; do
        kill -0 $stopped || return
        sleep 0.02
    done
    kill -STOP $stopped
    locks | grep -q 'OFDLCK.*WRITE.* 0 127$'
}
end_one() {
    kill -KILL $stopped
    wait $stopped 2>/dev/null
    stopped=
}
export NVIDIACTL=$tmp/nvidiactl LD_PRELOAD=$tmp/driver.so
for _ in 1 2 3 4 5 6 7 8 9; do
    stop_one && break
    end_one
done
grade --wait 1 --solution 02 --json "$tmp/json"
[ $rc -eq 2 ] && ! grep -q points "$tmp/out" && [ ! -e "$tmp/json" ] &&
    grep -q "^grade: could not be graded here: process $stopped of [^ ]* has had the \
GPU since [0-9:]* and is stopped: kill -CONT $stopped lets it go on, kill -KILL \
$stopped ends it$" "$tmp/err"
ok 'who waits for a grader that is stopped ends, without a grade, and says who it is'
end_one
grade --wait 1 --solution 01
[ $rc -eq 0 ] && [ ! -s "$tmp/err" ]
ok '... and once that one is dead its turn is free'
unset LD_PRELOAD NVIDIACTL

major=12
grade --solution 01
[ $rc -ne 0 ] && cat "$tmp/out" "$tmp/err" | grep -q 'compiled for which GPU?'
ok 'nvcc is not asked for a GPU that it does not know'
echo "1..$count"
