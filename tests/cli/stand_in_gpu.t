#!/bin/bash
# stand_in_gpu.t: BACKEND=cuda without a GPU: vgpucc stands in for nvcc, and a
# driver says that there is one. So what the grader does for a real GPU runs,
# two programs side by side with it; times and speeds mean nothing here.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

mkdir "$tmp/bin"
cat >"$tmp/bin/nvcc" <<END
#!/bin/bash
for word; do
    case \$word in
    --version) exec echo 'release 13.0' ;;
    -arch=* | -lineinfo | -g) ;;
    *) words+=("\$word") ;;
    esac
done
exec "$PWD/build/bin/vgpucc" "\${words[@]}"
END
chmod +x "$tmp/bin/nvcc"
printf '%s\n' 'int cuInit(unsigned flags); int cuDeviceGetCount(int *count);' \
    'int cuInit(unsigned flags) { return (int)flags; }' \
    'int cuDeviceGetCount(int *count) { *count = 1; return 0; }' \
    >"$tmp/driver.c"
${CC:-cc} -shared -fPIC "$tmp/driver.c" -o "$tmp/libcuda.so.1" || exit 1
grade() {
    PATH=$tmp/bin:$PATH LD_LIBRARY_PATH=$tmp CUDA_HOME=$tmp \
        build/bin/grade --backend cuda "$@" >"$tmp/out" 2>"$tmp/err"
    rc=$?
}
says() { grep -q -- "$1" "$tmp/out"; }

grade --solution 01
[ $rc -eq 0 ] && says 'on the GPU' && says 'the report put to use  *5 / 5'
ok 'cases on the GPU and on virtual ones, in turns'

grade --solution 03
[ $rc -eq 0 ] && says 'batches, right  *10 / 10'
ok 'what is checked is on the GPU, and on a virtual one too'

# Dies in the second case on the GPU, after the checker had its turn.
sed -e 's/^#include "lab.h"/&\n#include <signal.h>\nstatic int calls;/' \
    -e '/^uint64_t decrypt_together/,/^{/s/^{/{\n    if (++calls == 2) raise(SIGSEGV);/' \
    solutions/02_async_launch/lab.cu >"$tmp/lab.cu"
grade --file "$tmp/lab.cu" --timeout 2 02
[ $rc -eq 1 ] && says 'both parts, right  *25 / 25' &&
    says 'NO  one entry each' && says 'it crashed'
ok 'a program that dies after another one ran beside it is seen to die'
echo "1..$count"
