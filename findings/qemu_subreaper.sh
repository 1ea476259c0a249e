#!/bin/sh
# qemu_subreaper.sh: in qemu's user mode no process becomes a subreaper.
#
# Guess: qemu-user hands prctl(PR_SET_CHILD_SUBREAPER) on to the kernel, as it does
# with PR_SET_PDEATHSIG: nothing in it depends on the processor. Wrong: it returns
# EINVAL, and the call that asks (PR_GET_CHILD_SUBREAPER) does so, too. Orphans then
# go to the first process of the container or the machine, and "wait until there is
# no child" returns while they run.
#
# Seen with qemu-user 7.2 (Debian 12, 1:7.2+dfsg-7+deb12u18+b3), aarch64 on x86-64,
# 2026-11-28: the lines below. Why it matters: a supervisor that is tested for ARM
# in qemu ends before what it supervises, now and then: one of 40 runs here.
#
# Takes qemu-user and a cross compiler from Debian's archive into a temporary
# folder; exit status 2 where they cannot be had, 1 where it is no longer so.
set -u
version=1:7.2+dfsg-7+deb12u18+b3
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
command -v apt-get >/dev/null && [ "$(dpkg --print-architecture)" = amd64 ] || exit 2
apt-get download -q "qemu-user=$version" >log 2>&1 || exit 2
dpkg -x qemu-user_*.deb qemu || exit 2
cat >ask.S <<'END'
/* prctl(PR_SET_PDEATHSIG, SIGKILL), then prctl(PR_SET_CHILD_SUBREAPER, 1): the exit
 * status is the second one's error, or 100 and the first one's. */
.global _start
_start:
    mov x0, #1
    mov x1, #9
    mov x8, #167
    svc #0
    neg x9, x0
    add x9, x9, #100
    cbnz x0, 1f
    mov x0, #36
    mov x1, #1
    mov x2, #0
    mov x3, #0
    mov x4, #0
    mov x8, #167
    svc #0
    neg x9, x0
1:  mov x0, x9
    mov x8, #93
    svc #0
END
as=$(command -v aarch64-linux-gnu-as) ld=$(command -v aarch64-linux-gnu-ld)
if [ -z "$as" ]; then
    for package in binutils-aarch64-linux-gnu binutils-common libbinutils libjansson4; do
        apt-get download -q "$package" >>log 2>&1 || exit 2
    done
    for deb in *.deb; do dpkg -x "$deb" cross || exit 2; done
    as=$tmp/cross/usr/bin/aarch64-linux-gnu-as ld=$tmp/cross/usr/bin/aarch64-linux-gnu-ld
    LD_LIBRARY_PATH=$tmp/cross/usr/lib/x86_64-linux-gnu && export LD_LIBRARY_PATH
fi
"$as" ask.S -o ask.o && "$ld" ask.o -o ask || exit 2
qemu/usr/bin/qemu-aarch64 ./ask
status=$?
qemu/usr/bin/qemu-aarch64 --version | head -n 1
echo "PR_SET_PDEATHSIG is done; PR_SET_CHILD_SUBREAPER gives error $status (22: EINVAL)"
[ $status -eq 22 ]
