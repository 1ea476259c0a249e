#!/bin/bash
# measure.sh [PART...]: everything that is measured on a real GPU, by one
# command: build, run, write short results to docs/measured/. Parts:
#
#     conformance   record the CUDA rules' real output (tests/conformance)
#     again         run them once more: facts that changed are not facts
#     labs          grade every solution and every skeleton with BACKEND=cuda
#     demo          make demo, with timelines of the real GPU
#     calibrate     the figures behind a profile, real and virtual side by side
#     recorder      trace programs: every operation there, what it costs
#     corpus        solutions, submissions and cheats, as many as time allows
#     repeat        grade every solution RUNS times (100): does a verdict flip?
#     sanitizer     every solution under compute-sanitizer
#     sweep         labs 09 and 13 over numbers of streams
#     after_free    copies after another process gave back all memory
#     lazy_loading  whether a kernel's first launch waits for other streams
#     graphs        many small kernels: one by one, and as one graph
#     reach         labs 07 to 13 against the best of streams, chunks, orders
#     sizes         lab 09's job from too little data to enough
#     peer          a peer's data: read there, or copied first? (two GPUs)
#     beyond_c      in PyTorch, CuPy and Numba; PYTHON: one that has them
#
# Without parts: all of them, JOBS at a time where that changes nothing. Each
# result names the device and the date.
set -u
cd "$(dirname "$0")/../.." || exit 2
gpus=$(nvidia-smi -L 2>/dev/null | wc -l)
[ "$gpus" -gt 0 ] || { echo "no GPU here: nothing measured" >&2; exit 2; }
name=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
device=$(echo "$name" | tr 'A-Z ' 'a-z-')-x$gpus
jobs=${JOBS:-$(nproc)}
export JOBS=$jobs

# head TITLE COMMAND: the first lines of a result.
head_of() {
    echo "# $1"
    echo "device  $gpus x $name"
    echo "driver  $(nvidia-smi --query-gpu=driver_version \
        --format=csv,noheader | head -n 1)"
    echo "toolkit $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
    echo "date    $(date -u +%Y-%m-%d)"
    echo "command $2"
    echo
}

# NAMES="a b": only these.
conformance() {
    vgpu/tests/conformance/run.sh --backend cuda --record ${NAMES:-}
}

again() {
    local command='vgpu/tests/conformance/run.sh --backend cuda'
    { head_of "The CUDA rules, run again" "$command"; $command; } \
        >"docs/measured/conformance-$device.txt" 2>&1
    grep -v '^ok' "docs/measured/conformance-$device.txt"
}

# LABS="11 12": only these.
labs() {
    local command='make grade-solutions BACKEND=cuda' number
    [ -z "${LABS:-}" ] || command="$command LABS='$LABS'"
    { head_of "Every solution graded" "$command"; eval "$command"; } \
        >"docs/measured/solutions-$device.txt" 2>&1
    {
        head_of "Every skeleton graded" "make grade LAB=NN BACKEND=cuda"
        number=${LABS:-$(ls labs | sed -n 's/^\([0-9][0-9]\)_.*/\1/p')}
        mkdir -p build/skeletons
        echo $number | xargs -n 1 -P "$jobs" sh -c '{
            build/bin/grade --backend cuda "$0"
            echo "exit status $?"
        } >build/skeletons/$0.txt'
        for number in $number; do cat build/skeletons/$number.txt; done
    } >"docs/measured/skeletons-$device.txt" 2>&1
    cat "docs/measured/solutions-$device.txt" \
        "docs/measured/skeletons-$device.txt"
}

# The newcomer's first command, with timelines that the recorder made.
demo() {
    { head_of "make demo" "make demo"; NO_COLOR=1 make demo; } \
        >"docs/measured/demo-$device.txt" 2>&1
    cat "docs/measured/demo-$device.txt"
    ls -l build/traces build/report.html
}

calibrate() {
    local dir=build/calibrate
    local sources='tests/gpu/calibrate.cu common/cipher.cu common/helper.cu'
    mkdir -p $dir
    nvcc -std=c++17 -O2 -arch=native -Icommon $sources -o $dir/cuda || return
    build/bin/vgpucc -std=c++17 -O2 -Icommon $sources -o $dir/vgpu || return
    $dir/cuda 256 >$dir/cuda.txt || return
    VGPU_COUNT=$gpus $dir/vgpu 16 >$dir/vgpu.txt || return
    {
        head_of "Real and virtual" "docs/measured/measure.sh calibrate"
        echo "The pipeline has 256 MiB on the GPU and 16 MiB on the virtual one,"
        echo "which runs the cipher on the CPU: many streams then mean small"
        echo "chunks, and launch costs show."
        echo
        printf '%-46s %15s %15s\n' "" "GPU" "virtual GPU"
        paste -d'|' $dir/cuda.txt $dir/vgpu.txt | awk -F'|' '
            { printf "%-46s %15s %15s\n", substr($1, 1, 46),
                  trim(substr($1, 47)), trim(substr($2, 47)) }
            function trim(t) { gsub(/^ +| +$/, "", t); return t }'
    } >"docs/measured/calibration-$device.txt"
    cat "docs/measured/calibration-$device.txt"
}

# The recorder: 64 streams and 64 chunks, with and without it.
recorder() {
    local dir=build/recorder n
    make -s build/lib/librecorder.so || return
    mkdir -p $dir
    nvcc -std=c++17 -O2 -g -arch=native -Icommon tests/gpu/chunks.cu \
        common/cipher.cu common/helper.cu -o $dir/chunks || return
    {
        head_of "The recorder" "docs/measured/measure.sh recorder"
        for n in 1 2 3; do
            $dir/chunks plain
            CUDA_INJECTION64_PATH=$PWD/build/lib/librecorder.so \
                TIMELINE_TRACE=$dir/chunks.trace $dir/chunks traced
        done
        echo
        for kind in h2d kernel d2h; do
            echo "operations of kind $kind in the trace:" \
                "$(grep -c "^op .*kind=$kind " $dir/chunks.trace)"
        done
        build/bin/timeline --stats $dir/chunks.trace
    } >"docs/measured/recorder-$device.txt" 2>&1
    cat "docs/measured/recorder-$device.txt"
    head -c 3000 $dir/chunks.trace
}

after_free() {
    mkdir -p build/tests
    nvcc -std=c++17 -O2 -arch=native -Icommon tests/gpu/after_free.cu \
        common/helper.cu -o build/tests/after_free || return
    { head_of "Copies after all memory was given back" \
        "docs/measured/measure.sh after_free"
      build/tests/after_free; } >"docs/measured/after-free-$device.txt" 2>&1
    cat "docs/measured/after-free-$device.txt"
}

# By default, and with all code loaded at the start; with the recorder, too.
lazy_loading() {
    local loading run="env -u CUDA_MODULE_LOADING"
    mkdir -p build/tests
    make -s build/lib/librecorder.so || return
    nvcc -std=c++17 -O2 -arch=native -Icommon tests/gpu/lazy_loading.cu \
        common/helper.cu -o build/tests/lazy_loading || return
    {
        head_of "The first launch of a kernel" \
            "docs/measured/measure.sh lazy_loading"
        for loading in '' CUDA_MODULE_LOADING=EAGER; do
            $run $loading build/tests/lazy_loading
            echo "... and with the recorder:"
            $run $loading CUDA_INJECTION64_PATH="$PWD/build/lib/librecorder.so" \
                TIMELINE_TRACE=build/tests/lazy_loading.trace \
                build/tests/lazy_loading
            echo
        done
    } >"docs/measured/lazy-loading-$device.txt" 2>&1
    cat "docs/measured/lazy-loading-$device.txt"
}

graphs() {
    mkdir -p build/tests
    nvcc -std=c++17 -O2 -arch=native -Icommon tests/gpu/graphs.cu \
        common/helper.cu -o build/tests/graphs || return
    { head_of "Launches one by one, and one graph" \
        "docs/measured/measure.sh graphs"
      build/tests/graphs; } >"docs/measured/graphs-$device.txt" 2>&1
    cat "docs/measured/graphs-$device.txt"
}

# How near the solutions come to the best that their technique can reach.
reach() {
    local dir=build/reach which=${LABS:-07 08 09 11 12 13} lab folder
    mkdir -p $dir
    for lab in $which; do
        folder=$(cd labs && echo "$lab"_*)
        nvcc -std=c++17 -O2 -arch=native -Dmain=lab_main -DLAB=${lab#0} \
            -Ilabs/"$folder" -Icommon tests/gpu/reach.cu \
            solutions/"$folder"/lab.cu common/cipher.cu common/helper.cu \
            -o $dir/"$lab" &
    done
    wait
    {
        head_of "What the techniques can reach" "docs/measured/measure.sh reach"
        for lab in $which; do
            [ -x $dir/"$lab" ] && $dir/"$lab"
            echo
        done
    } >"docs/measured/reach-$device.txt" 2>&1
    cat "docs/measured/reach-$device.txt"
}

sizes() {
    local program=build/tests/sizes
    mkdir -p build/tests
    nvcc -std=c++17 -O2 -arch=native -Dmain=lab_main \
        -Ilabs/09_cipher_overlap -Icommon tests/gpu/sizes.cu \
        solutions/09_cipher_overlap/lab.cu common/cipher.cu \
        common/helper.cu -o $program || return
    { head_of "From too little data to enough" \
        "docs/measured/measure.sh sizes"
      echo "The host has $(nproc) cores."
      $program; } >"docs/measured/sizes-$device.txt" 2>&1
    cat "docs/measured/sizes-$device.txt"
}

peer() {
    mkdir -p build/tests
    nvcc -std=c++17 -O2 -arch=native -Icommon tests/gpu/peer.cu \
        common/helper.cu -o build/tests/peer || return
    { head_of "A peer's data, read or copied" "docs/measured/measure.sh peer"
      build/tests/peer; } >"docs/measured/peer-$device.txt" 2>&1
    cat "docs/measured/peer-$device.txt"
}

beyond_c() {
    local library
    {
        head_of "Streams beyond C" "docs/measured/measure.sh beyond_c"
        for library in torch cupy numba; do
            PYTHONDONTWRITEBYTECODE=1 ${PYTHON:-python3} \
                docs/beyond-c/overlap_$library.py
            echo "  exit status $?"
            echo
        done
    } >"docs/measured/beyond-c-$device.txt" 2>&1
    cat "docs/measured/beyond-c-$device.txt"
}

# SECONDS_MOST: so long. What the result has already is not graded again.
corpus() {
    local result="docs/measured/corpus-$device.txt"
    [ -f "$result" ] || head_of "Solutions, wrong and right submissions, cheats" \
        "tests/gpu/gradings.sh ${SECONDS_MOST:-540}" >"$result"
    RESULT=$result JOBS=$((jobs * 2 / 3 + 1)) \
        tests/gpu/gradings.sh "${SECONDS_MOST:-540}"
    grep ' not ok' "$result"
}

# LABS="01 02": only these. Few side by side: the host has a part in the times.
# MORE=1: only what is missing in docs/measured/repeat-DEVICE/, one line a run.
repeat() {
    local command="JOBS=4 make test-repeat BACKEND=cuda RUNS=${RUNS:-100}"
    local -x FACTS="docs/measured/repeat-$device"
    [ -z "${LABS:-}" ] || command="$command LAB='$LABS'"
    { head_of "Every solution graded again and again" "$command"
      eval "$command"; } >"docs/measured/repeat-$device.txt" 2>&1
    cat "docs/measured/repeat-$device.txt"
}

sanitizer() {
    local command="tests/gpu/sanitizer.sh${LABS:+ $LABS}"
    { head_of "compute-sanitizer on every solution" "$command"
      $command; } >"docs/measured/sanitizer-$device.txt" 2>&1
    cat "docs/measured/sanitizer-$device.txt"
}

sweep() {
    local number
    {
        head_of "Time against streams" "build/bin/grade --backend cuda --solution --sweep NN"
        for number in 09 13; do
            build/bin/grade --backend cuda --solution --sweep $number
        done
    } >"docs/measured/sweep-$device.txt" 2>&1
    cat "docs/measured/sweep-$device.txt"
}

make -s -j"$jobs" tools >build.log 2>&1 || { tail -n 20 build.log; exit 1; }
rm -f build.log
for part in ${*:-conformance again labs demo calibrate recorder corpus \
    repeat sanitizer sweep after_free lazy_loading graphs reach sizes peer \
    beyond_c}; do
    echo "== $part"
    start=$SECONDS
    "$part"
    echo "== $part: $((SECONDS - start)) s"
done
