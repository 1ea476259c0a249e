#!/bin/bash
# run.sh: the virtual GPU on 64-bit ARM: everything is built for it here, runs in
# an emulator (qemu-user) and must do what it does on this machine: the unit
# tests, the CUDA rules, traces to the nanosecond, and a lab, graded there by a
# grader of its own. Prints TAP, then `N passed, N failed`.
#
# What the emulator cannot do is skipped by name: the grader's cage, which needs
# the kernel's filters, is not tested by this.
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL VGPU_CXX # of the make that called this
cd "$(dirname "$0")/../.." || exit 2
. tests/tap.sh
if ! tests/setup-arm64.sh; then
    echo "# no compiler for 64-bit ARM, or no emulator: not tested"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
. tests/packages.sh
root=$PWD
place=$root/build/arm64
log=$place/log
sysroot=/usr/aarch64-linux-gnu
[ -d "$sysroot" ] || sysroot=$packages_place/root$sysroot
cmocka=$place/cmocka/usr
emulate="qemu-aarch64 -L $sysroot -E LD_LIBRARY_PATH=$cmocka/lib/aarch64-linux-gnu"
jobs=$(nproc 2>/dev/null || echo 2)
mkdir -p "$place/build/bin" && : >"$log" || exit 2

# The emulator walks through all that a program reserves: an arena of 256 GB
# takes it seconds, and where addresses are limited the arena is small.
ulimit -v 16000000

result() { # STATUS NAME [FILE]: with the last lines of the file if it failed
    tests=$((tests + 1))
    [ "$1" = 0 ] || printf 'not '
    echo "ok $tests - $2"
    [ "$1" = 0 ] || [ -z "${3:-}" ] || tail -n 20 "$3" | sed 's/^/# /'
}
tests=0

# A root of its own, for the grader looks for everything beside itself. What it
# starts by name is a script: the kernel here cannot run a program for ARM.
make_place() {
    local part
    for part in common grader labs solutions timeline tools vgpu; do
        ln -sfn "../../$part" "$place/$part"
    done
    cat >"$place/build/bin/vgpucc" <<END
#!/bin/sh
export VGPU_CXX=aarch64-linux-gnu-g++
exec $emulate $place/arm/bin/vgpucc "\$@"
END
    chmod +x "$place/build/bin/vgpucc"
}

cross() { # TARGET...
    make -s -j"$jobs" B=build/arm64/arm CC=aarch64-linux-gnu-gcc \
        OBJCOPY=aarch64-linux-gnu-objcopy \
        CFLAGS="-O2 -g -isystem $cmocka/include \
            -L$cmocka/lib/aarch64-linux-gnu" "$@" >>"$log" 2>&1
}

build_all() {
    local own=build/arm64/arm
    make -s -j"$jobs" tools >>"$log" 2>&1 &&
        cross $own/bin/vgpucc $own/bin/grade $own/bin/timeline \
            $own/lib/libvgpu.a && cp $own/bin/grade "$place/build/bin/"
    result $? 'it builds for 64-bit ARM, without a warning' "$log"
    vgpucc=$place/build/bin/vgpucc
}

# ---- the unit tests ---------------------------------------------------------

# Their library for ARM, without making ARM one of this machine's architectures.
fetch_cmocka() {
    [ -e "$cmocka/include/cmocka.h" ] && return
    command -v apt-get >/dev/null && mkdir -p "$place/apt/partial" || return
    (
        cd "$place/apt" || exit
        apt="apt-get -q -o APT::Architectures=arm64 -o Dir::State::lists=$PWD \
            -o Dir::Cache=$PWD"
        $apt update && $apt download libcmocka-dev:arm64 libcmocka0:arm64 &&
            for package in libcmocka*.deb; do
                dpkg -x "$package" "$place/cmocka" || exit
            done
    ) >>"$log" 2>&1
}

# What these look at is the emulator's.
untestable() {
    sed "s/^not \(ok .*test_host_touches_device_memory\)/\1 # SKIP a program \
that a signal ends has a line of qemu's on stderr/
        s/^not \(ok .*test_lines_without_a_name\)/\1 # SKIP qemu is not there \
to run what fexecve is given/"
}

unit_tests() {
    local bin out=$place/unit.tap
    if ! fetch_cmocka; then
        result 0 'unit tests # SKIP libcmocka-dev:arm64 cannot be had'
        return
    fi
    cross units
    result $? 'the unit tests build' "$log"
    for bin in "$place"/arm/tests/test_*; do
        case $bin in *.d) continue ;; esac
        CMOCKA_MESSAGE_OUTPUT=TAP timeout 120 $emulate "$bin" 2>&1 |
            untestable >"$out"
        grep -q '^1\.\.[1-9]' "$out" && ! grep -q '^not ok' "$out" &&
            [ "$(grep -c '^ok' "$out")" = \
                "$(sed -n 's/^1\.\.//p' "$out" | tail -n 1)" ]
        result $? "$(basename "$bin"): $(grep -c '^ok' "$out") tests" "$out"
        grep '# SKIP' "$out" | sed 's/^ok/# skipped:/'
    done
}

# ---- the CUDA rules ---------------------------------------------------------

conformance() {
    local out=$place/conformance.tap
    JOBS=$jobs VGPUCC=$vgpucc OUT=$place/conformance RUN_WITH=$emulate \
        TIME_LIMIT=120 bash vgpu/tests/conformance/run.sh >"$out" 2>&1
    result $? "$(sed -n '$s/^# //p' "$out")" "$out"
}

# ---- whole programs ---------------------------------------------------------

one_program() { # SOURCE: must print what it prints here
    local name
    name=$(basename "$1" .cu)
    "$vgpucc" -std=c++17 -extended-lambda -expt-relaxed-constexpr "$1" -o "$place/good/$name" \
        >"$place/good/$name.log" 2>&1 &&
        $emulate "$place/good/$name" 2>>"$place/good/$name.log" |
        diff "${1%.cu}.out" - >>"$place/good/$name.log" && return
    echo "$name:"
    tail -n 5 "$place/good/$name.log"
}

programs() {
    mkdir -p "$place/good"
    export -f one_program
    export vgpucc place emulate
    printf '%s\n' vgpu/tests/frontend/good/*.cu |
        xargs -P "$jobs" -I '{}' bash -c 'one_program "$1"' _ '{}' \
            >"$place/good.log" 2>&1
    [ ! -s "$place/good.log" ]
    result $? "$(ls vgpu/tests/frontend/good/*.cu | wc -l) programs of the front \
end's tests print the same" "$place/good.log"
}

# ---- the same times ---------------------------------------------------------

# With several threads, a lock inside the emulator can hold one up that the
# virtual GPU then takes for asleep, if the machine is busy: TRIES=3.
same_trace() { # NAME SOURCE OPTIONS... -- ARGUMENTS...
    local name=$1 source=$2 options=() status=1 try
    shift 2
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    for ((try = 0; try < ${TRIES:-1} && status != 0; try++)); do
        { build/bin/vgpucc -std=c++17 -O2 -Icommon "${options[@]}" "$source" \
            common/helper.cu common/cipher.cu -o "$place/$name.here" &&
            "$vgpucc" -std=c++17 -O2 -Icommon "${options[@]}" "$source" \
                common/helper.cu common/cipher.cu -o "$place/$name.arm" &&
            VGPU_CHECK=1 VGPU_TRACE=$place/$name.here.trace \
                "$place/$name.here" "$@" >"$place/$name.here.txt" &&
            VGPU_CHECK=1 VGPU_TRACE=$place/$name.arm.trace \
                $emulate "$place/$name.arm" "$@" >"$place/$name.arm.txt" &&
            cmp "$place/$name.here.txt" "$place/$name.arm.txt" &&
            cmp "$place/$name.here.trace" "$place/$name.arm.trace" &&
            [ -s "$place/$name.arm.trace" ]; } >"$place/$name.log" 2>&1
        status=$?
    done
    result $status "$name: the trace is the same, to the nanosecond" \
        "$place/$name.log"
}

# ---- a lab ------------------------------------------------------------------

# All that is said of it, but for how long the grading took and what fences the
# emulator has.
graded() { # JSON
    grep -v '^ *"seconds":\|"path":\|"file":\|"missing_fences":' "$1"
}

# The emulated grader has its programs run by --under, out of the cage.
a_lab() { # LAB FILE-OPTIONS...
    local lab=$1
    shift
    # A program that runs under another is told so, which takes it some time.
    build/bin/grade --backend vgpu --under env --timeout 60 "$@" \
        --json "$place/here.json" "$lab" >"$place/grade.here.txt" 2>&1
    here=$?
    $emulate "$place/build/bin/grade" --backend vgpu --under "$emulate" \
        --timeout 60 "$@" --json "$place/arm.json" "$lab" \
        >"$place/grade.arm.txt" 2>&1
    [ $? = $here ] && [ -s "$place/arm.json" ] &&
        diff <(graded "$place/here.json") <(graded "$place/arm.json") \
            >"$place/grade.diff"
    result $? "lab $lab${2:+, $(basename "$2")}: the same grade" \
        "$place/grade.diff"
}

make_place
{
    build_all
    same_trace chunks tests/gpu/chunks.cu -- small 1000
    TRIES=3 same_trace threads tests/determinism/threads.cu -Xcompiler -fopenmp --
    a_lab 08 --solution
    a_lab 08 --file "$root/labs/08_uneven_chunks/lab.cu"
    programs
    unit_tests
    conformance
    echo "1..$tests"
} >"$place/arm64.tap"
cat "$place/arm64.tap"
tap_sum "$place/arm64.tap"
