#!/bin/bash
# cage_gpu.t: does a GPU's driver start in the cage? With a driver that does
# what NVIDIA's was seen to need: give a thread of its own process a name.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
driver() { # the body of a cuInit
    printf '%s\n' '#include <fcntl.h>' '#include <stdio.h>' \
        '#include <unistd.h>' 'int can_write(const char *path);' \
        'int can_write(const char *path)' \
        '{ int fd = open(path, O_WRONLY); return fd >= 0 && !close(fd); }' \
        'int cuInit(unsigned flags); int cuInit(unsigned flags)' \
        "{ char path[64]; (void)flags; $1 }" >"$tmp/driver.c"
    ${CC:-cc} -shared -fPIC "$tmp/driver.c" -o "$tmp/libcuda.so.1" &&
        LD_LIBRARY_PATH=$tmp build/bin/isolation >"$tmp/out" 2>&1
}

driver 'snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)getpid());
    return can_write(path) ? 0 : 304;' && grep -q '^GPU  *yes' "$tmp/out"
ok 'a driver may name the threads of its process'

driver 'snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)getppid());
    return can_write(path) ? 0 : 304;'
if grep -q '^landlock  *yes' "$tmp/out"; then
    grep -q '^GPU  *no .*304' "$tmp/out"
    ok 'but writes nothing of another process, and its error is told'
else
    grep -q '^GPU' "$tmp/out"
    ok 'but writes nothing of another process # SKIP no Landlock here'
fi

driver 'snprintf(path, sizeof path, "x"); return -1;'
! grep -q '^GPU' "$tmp/out"
ok 'without a driver, nothing is said of GPUs'
echo "1..$count"
