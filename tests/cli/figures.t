#!/bin/bash
# figures.t: make figures and its check, in a copy that has one lab.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
for tool in grade timeline vgpucc; do
    if [ ! -x "build/bin/$tool" ]; then
        echo "1..0 # SKIP build/bin/$tool is not built"
        exit 0
    fi
done
place=$tmp/place
lab=03_pinned_memory
figures=labs/$lab/figures
mkdir -p "$place"/{labs,solutions,build,slides/figures,tests}
# With their times: what is compiled already needs not be again.
cp -Rp tools grader common vgpu "$place"
cp -Rp build/bin build/lib "$place/build"
[ ! -d build/obj/vgpu/grade ] || cp -Rp --parents build/obj/vgpu/grade "$place"
cp -Rp labs/$lab "$place/labs"
cp -R solutions/$lab "$place/solutions"
cd "$place" || exit 1
run() {
    tools/figures build "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
}
says() { grep -qF -- "$1" "$tmp/out"; }

run --check
[ $rc -eq 0 ] && says "ok 1 - labs/$lab"
ok "what is committed is in step"

run --check --record
[ $rc -eq 0 ] && [ ! -e build/traces ] && [ ! -e build/results ]
ok "traces are what the run gives, and a student's traces are left alone"

cp $figures/pinned.svg "$tmp/right.svg"
echo "<!-- -->" >>$figures/pinned.svg
run --check
[ $rc -eq 1 ] && says "not ok 1" && says "$figures/pinned.svg is not what"
ok "a picture that was edited is noticed"

run 03
[ $rc -eq 0 ] && cmp -s $figures/pinned.svg "$tmp/right.svg"
ok "make figures draws it anew"

cp $figures/pinned.2.trace "$tmp/right.trace"
sed -i '/^op id=1 /s/start_ns=[0-9]* /start_ns=4300 /' $figures/pinned.?.trace
run --check
[ $rc -eq 1 ] && run --check --record 03 && [ $rc -eq 1 ]
ok "a trace that was edited is noticed, too"

VGPU_DEVICE=h200 run --record 03
[ $rc -eq 0 ] && cmp -s $figures/pinned.svg "$tmp/right.svg" &&
    cmp -s $figures/pinned.2.trace "$tmp/right.trace"
ok "make figures RECORD=1 runs it anew, whatever device is set"

cp "$tmp/right.svg" $figures/other.svg
run --check
[ $rc -eq 1 ] && says "$figures/other.svg: there is no trace"
ok "a picture without a trace is noticed"
rm $figures/other.svg

time=$(grep -oE '[0-9]+\.[0-9]{3} ms' labs/$lab/README.md | head -n 1)
sed -i "s/$time/99.99 ms/" labs/$lab/README.md
run --check
[ $rc -eq 1 ] && says "README.md: 99.99 ms is not in figures/pinned.svg"
ok "a time in the alternative text that is not in the picture is noticed"
sed -i "s/99\.99 ms/$time/" labs/$lab/README.md

printf '%s\n' 'cuda-streams-lab trace 1' '# title: a program' '# by: stream' \
    '# record: program tests/own.cu VGPU_DEVICE=unit 3' >slides/figures/own.trace
cat >tests/own.cu <<'END'
#include <stdlib.h>

int main(int argc, char **argv)
{
    void *memory;

    cudaMalloc(&memory, 1024);
    for (int i = 0; argc > 1 && i < atoi(argv[1]); i++)
        cudaMemset(memory, 0, 1024);
    cudaFree(memory);
    return 0;
}
END
run --record slides
[ $rc -eq 0 ] && [ "$(grep -c '^op ' slides/figures/own.trace)" = 3 ] &&
    grep -q 'a program' slides/figures/own.svg &&
    grep -q 'stream 0' slides/figures/own.svg
ok "any program can be recorded, for slides as well"

sed -i 's/own\.cu/missing.cu/' slides/figures/own.trace
run --record slides
[ $rc -eq 1 ] && says 'own.trace: cannot record: program tests/missing.cu'
ok "what cannot be recorded is named"
echo "1..$count"
