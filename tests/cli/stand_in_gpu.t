#!/bin/bash
# stand_in_gpu.t: BACKEND=cuda without a GPU: vgpucc stands in for nvcc, and a
# driver says that there is one. So what the grader does for a real GPU runs,
# two programs side by side with it; times and speeds mean nothing here.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
. tests/stand_in_gpu.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

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

major=12
grade --solution 01
[ $rc -ne 0 ] && cat "$tmp/out" "$tmp/err" | grep -q 'compiled for which GPU?'
ok 'nvcc is not asked for a GPU that it does not know'
echo "1..$count"
