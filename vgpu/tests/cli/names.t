#!/bin/sh
# names.t: a program may have any name of its own, those too that the virtual
# GPU has inside: its library shows programs only what they call.
set -u
build=$(cd "${B:-build}" && pwd) && cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

defined() { # FILE...: global names that objects or archives define
    nm -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u
}

defined "$build"/lib/libvgpu.a >"$tmp/shown"
grep -vE '^(cuda|cu[A-Z]|nvtx|vgpu_|__tsan_)' "$tmp/shown" >"$tmp/replaced"
cat >"$tmp/libc" <<'END'
GOMP_parallel
_ZdaPv
_ZdaPvm
_ZdlPv
_ZdlPvm
_Znam
_Znwm
__cxa_guard_release
__wrap_free
call_once
clock
clock_gettime
clock_nanosleep
cnd_broadcast
cnd_signal
cnd_timedwait
cnd_wait
epoll_pwait
epoll_wait
eventfd_read
eventfd_write
gettimeofday
mtx_lock
mtx_timedlock
mtx_trylock
mtx_unlock
nanosleep
omp_get_wtime
poll
ppoll
pselect
pthread_barrier_init
pthread_barrier_wait
pthread_cond_broadcast
pthread_cond_clockwait
pthread_cond_signal
pthread_cond_timedwait
pthread_cond_wait
pthread_create
pthread_join
pthread_mutex_clocklock
pthread_mutex_lock
pthread_mutex_timedlock
pthread_mutex_trylock
pthread_mutex_unlock
pthread_once
pthread_rwlock_rdlock
pthread_rwlock_tryrdlock
pthread_rwlock_trywrlock
pthread_rwlock_unlock
pthread_rwlock_wrlock
pthread_spin_lock
pthread_spin_trylock
pthread_spin_unlock
read
recv
sched_yield
select
sem_clockwait
sem_post
sem_timedwait
sem_trywait
sem_wait
send
sigaction
sigaltstack
signal
sleep
syscall
thrd_create
thrd_join
thrd_sleep
time
timespec_get
usleep
write
END
diff "$tmp/libc" "$tmp/replaced" >"$tmp/out"
ok 'the library shows its own names and the few of the libraries it replaces'
! grep -xE 'vgpu_(rt|check_init|op_new|time_new|memory_find)' "$tmp/shown" \
    >"$tmp/out"
ok 'what only the library itself calls is not among them'

# Every inner name, by turns a variable and a function of the program.
defined $(ls "$build"/obj/vgpucc/*/*.o | grep -v /frontend/) |
    grep -vE '^(cuda|cu[A-Z]|nvtx|vgpu_|__)' | grep -vxFf "$tmp/libc" >"$tmp/inner"
awk '{
        if (NR % 2) printf "int %s = %d;\n", $1, NR
        else printf "extern \"C\" int %s(void) { return %d; }\n", $1, NR
        sum = sum " + " $1 (NR % 2 ? "" : "()")
        most = NR
    }
    END {
        print "__global__ void add(int *to, int n) { *to += n; }"
        print "int main(void)\n{\n    int *at, sum = 0" sum ";"
        print "    if (cudaMallocManaged(&at, sizeof *at)) return 2;"
        print "    *at = 0;\n    add<<<1, 1>>>(at, sum);"
        print "    if (cudaDeviceSynchronize()) return 3;"
        print "    sum = *at;\n    cudaFree(at);"
        printf "    return sum == %d ? 0 : 4;\n}\n", most * (most + 1) / 2
    }' "$tmp/inner" >"$tmp/names.cu"
[ "$(wc -l <"$tmp/inner")" -gt 50 ]
ok 'there are such names'

"$build"/bin/vgpucc "$tmp/names.cu" -o "$tmp/names" 2>"$tmp/log"
ok 'a program with all inner names as its own compiles and links'
VGPU_CHECK=1 "$tmp/names" >"$tmp/log" 2>&1
ok 'and does what it says'

echo "1..$count"
