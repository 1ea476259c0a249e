#!/bin/bash
# labs.sh COMPILER... : each lab's solution, in the case that is timed, with
# sizes of its own that are the same on a real GPU and on the virtual one. The
# compiler's command is given, or "-" where build/fidelity/lab_NN are there.
# One line each, "lab NN CASE: FACT<tab>NANOSECONDS"; facts are the driver's.
# SECONDS_MOST: none is begun after so many.
set -u
cd "$(dirname "$0")/../.." || exit 2
dir=${DIR:-build/fidelity}
most=${SECONDS_MOST:-3600}
mkdir -p "$dir"

# build NAME: its program, unless it is there.
build() {
    local name=$1
    [ "$compiler" != - ] || return 0
    $compiler -std=c++17 -O2 -include tests/fidelity/again.h -Icommon \
        -Igrader/drivers -Ilabs/"$name" \
        common/*.cu grader/drivers/driver.cu grader/drivers/driver_cases.cu \
        grader/drivers/"$name".cu solutions/"$name"/lab.cu \
        -o "$dir/lab_${name%%_*}" -lpthread -lm >"$dir/log_${name%%_*}" 2>&1 ||
        echo "$name does not build: $dir/log_${name%%_*}" >&2
}

# say NAME IN:OUT CASE...: runs the case, with so many bytes, TIMES times and
# prints facts in ns, each the least: what else runs on a host only adds.
say() {
    local name=$1 in=${2%:*} out=${2#*:} program=$dir/lab_${1%%_*} most_bytes
    shift 2
    [ -x "$program" ] || return
    [ $SECONDS -lt "$most" ] || return
    # Drivers map as much of the one as of the other, as the grader has it.
    most_bytes=$((in > out ? in : out))
    head -c $most_bytes /dev/zero >"$tmp/in"
    head -c $most_bytes /dev/zero >"$tmp/out"
    for ((i = 0; i < TIMES; i++)); do
        echo "case name=x input=$in output=$out $*"
    done >"$tmp/commands"
    timeout 20 "$program" 3<"$tmp/commands" 4>"$tmp/replies" 5<>"$tmp/in" \
        6<>"$tmp/out" </dev/null >"$tmp/said" 2>&1 ||
        echo "lab $name, $*: status $?, $(tail -n 1 "$tmp/said")" >&2
    grep '^ok .*ns=' "$tmp/replies" | tr ' ' '\n' | grep '^[a-z_0-9]*ns=' |
        sort -t= -k1,1 -k2,2n | awk -F= -v lab="lab ${name%%_*} $*" '
            $1 != key { print lab ": " $1 "\t" $2; key = $1 }'
}

compiler=$*
TIMES=${TIMES:-5}
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
for name in $(ls labs); do
    case $name in *_*) [ -d "labs/$name" ] && echo "$name" ;; esac
done >"$tmp/names"
if [ "$compiler" != - ]; then
    export -f build
    export compiler dir
    xargs -P "${JOBS:-2}" -I{} bash -c 'build {}' <"$tmp/names"
fi
[ -z "${BUILD_ONLY:-}" ] || exit 0
mib=$((1 << 20))

say 02_async_launch $((8 * mib)) what=together gpu=16384 room=20480 \
    target_us=400
say 03_pinned_memory $((16 * mib)) what=upload entries=2097152 batches=8 \
    marks=64 timed=1
for run in one both joined; do
    say 04_streams_and_events $mib:$((mib * 3 / 2)) run=$run entries=65536 \
        todo=4
done
for run in named non_blocking threads; do
    say 05_default_stream $mib run=$run us=400 entries=520 todo=5
done
for streams in 4 32; do
    say 07_chunked_overlap $((16 * mib)) job=fast entries=2097152 \
        streams=$streams
done
say 08_uneven_chunks $((16 * mib)) job=fast entries=2097143 streams=16
for streams in 1 4 16 64; do
    say 09_cipher_overlap $((8 * mib)) job=point entries=1048573 \
        streams=$streams
done
say 10_kernel_concurrency $((16 * mib)) what=jobs us=400 full_us=150 \
    room=983552 todo=5
# The GPU's work, and not what the host takes to read what comes.
say 15_bounded_pipeline $((64 * mib)) timed=1 chunk=131072 left=67108864 \
    slots=3 streams=4 most_iters=5000 step=4096 entries=4194304 todo=4
say 18_reading_a_profile $((16 * mib)) job=fast entries=2097143 chunks=32 \
    streams=4 most_rounds=100000
say 11_multi_gpu $((16 * mib)) job=large entries=2097152
[ "${GPUS:-1}" -gt 1 ] || exit 0
say 12_mgpu_streams $((16 * mib)) job=large entries=2097152 gpus=2 streams=8
say 13_cipher_mgpu $((16 * mib)) job=point entries=2097152 gpus=2 streams=8
