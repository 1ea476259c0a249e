#!/bin/bash
# recorded_runs.t: each of lab 18's recorded runs has the fault that is asked
# for and no other: mended in that one place it overlaps, and nothing is left
# for the checker to say.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_COUNT VGPU_SEED
export VGPU_DEVICE=k20 VGPU_CHECK=1
lab=labs/18_reading_a_profile

# run FILE: its time in the marked region, in ns; what the checker says.
run() {
    build/bin/vgpucc -O2 -std=c++17 -Icommon "$1" common/*.cu \
        -o "$tmp/program" 2>"$tmp/log" &&
        VGPU_TRACE=$tmp/trace "$tmp/program" >>"$tmp/log" 2>&1 || return
    awk '{ for (i = 2; i <= NF; i++) { split($i, word, "=")
                                       value[word[1]] = word[2] } }
         $1 == "mark" && value["what"] == "start" { from = value["t_ns"] }
         $1 == "op" && value["end_ns"] > to { to = value["end_ns"] }
         END { print to - from }' "$tmp/trace"
}
for name in a b c; do
    case $name in
    a) mend='s/= (uint64_t \*)host_array.*/= NULL;\
    CHECK(cudaMallocHost(\&memory->results, CHUNKS * BYTES));/
        s/free(memory->results)/CHECK(cudaFreeHost(memory->results))/' ;;
    b) mend='s/<<<1, 64>>>/<<<1, 64, 0, stream>>>/' ;;
    c) mend='/cudaStreamSynchronize(/d' ;;
    esac
    sed "$mend" "$lab/run_$name.cu" >"$tmp/run_$name.cu"
    before=$(run "$lab/run_$name.cu")
    after=$(run "$tmp/run_$name.cu")
    echo "before ${before:-none}, after ${after:-none}" >>"$tmp/log"
    [ -n "$before" ] && [ -n "$after" ] &&
        [ "$after" -gt 0 ] && [ $((before * 2)) -gt $((after * 3)) ]
    ok "run_$name: mended, at least half as fast again"
    ! grep -q '^vgpu:' "$tmp/log"
    ok "run_$name: mended, the checker has nothing to say"
done
echo "1..$count"
