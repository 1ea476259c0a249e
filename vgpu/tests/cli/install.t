#!/bin/bash
# install.t: `make install` puts down all that a program needs, and takes it away.
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL VGPU_DEVICE VGPU_COUNT VGPU_CHECK VGPU_TRACE

make -s install B="$build" PREFIX="$tmp/at" >"$tmp/log" 2>&1
ok 'make install PREFIX=FOLDER'
[ "$("$tmp/at/bin/vgpucc" --version | head -n 1)" = \
    "vgpucc $(cat VERSION) (CUDA Streams Lab)" ]
ok 'what is installed has the version of its own file'
(cd "$tmp" && cp at/share/doc/vgpucc/example/saxpy.cu . &&
    at/bin/vgpucc -O2 saxpy.cu -o saxpy >log 2>&1 && VGPU_CHECK=1 ./saxpy >out 2>&1 &&
    grep -q '^0 wrong' out)
ok 'its example is compiled, runs, and is clean'
make -s uninstall B="$build" PREFIX="$tmp/at" >"$tmp/log" 2>&1 && [ -z "$(ls -A "$tmp/at")" ]
ok 'make uninstall leaves nothing'
install/install "$build" wrong >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && [ "$(wc -l <"$tmp/err")" = 1 ]
ok 'a word that it does not know is told in one line'
echo "1..$count"
