#!/bin/sh
# make_traces.sh [FOLDER]: write the sample traces of this folder
#
# A small model of one H200: two copy engines, kernels, three phases of equal
# length. The files are committed; run this only to change them.
set -eu
folder=${1:-$(dirname "$0")}

# pipeline NAME CHUNKS STREAMS [VARIABLE=VALUE...]: streams 0 is the default
# stream; mem, devices, at and penalty (of copies) change the model.
pipeline() {
    name=$1 chunks=$2 streams=$3
    shift 3
    for pair; do
        set -- "$@" -v "$pair"
        shift
    done
    awk -v chunks="$chunks" -v streams="$streams" -v mem=pinned -v devices=1 \
        -v at=lab.cu -v penalty=1 -v hazard=0 \
        "$@" -f - >"$folder/$name.trace" <<'END'
function max(a, b) { return a > b ? a : b }
function add(line) { print line; records++ }
function call(name, takes, until, keys,   start) {
    start = host
    host = max(start + takes, until)
    add("call id=" ++calls " name=" name " thread=0 start_ns=" start \
        " end_ns=" host keys)
}
function op(kind, keys, start, takes, rest) {
    add("op id=" ++ops " kind=" kind keys " start_ns=" start " end_ns=" \
        start + takes " call=" calls)
}
function one(c, kind, engine, api, line,   dev, stream, where, takes, start) {
    dev = int(c * devices / chunks)
    stream = streams ? c % streams + 1 : 0
    where = " device=" dev " stream=" stream " at=" at ":" line
    takes = int(4850000 / chunks)
    if (kind != "kernel")
        takes = int(takes * penalty)
    start = max(max(host + 2500, free[dev, engine]), free["s", dev, stream])
    call(api, kind == "kernel" ? 4700 : 2100,
         mem == "pageable" && kind != "kernel" ? start + takes : 0, where)
    op(kind, " engine=" engine where (kind == "kernel" ? \
       " name=decrypt_gpu grid=1056 block=256" : \
       " name=memcpy bytes=" int(268435456 / chunks) " mem=" mem), start,
       takes)
    free[dev, engine] = free["s", dev, stream] = start + takes
    last = max(last, start + takes)
}
BEGIN {
    OFMT = CONVFMT = "%.0f"
    host = 1000000
    print "cuda-streams-lab trace 1"
    for (i = 0; i < devices; i++)
        add("device index=" i " name=NVIDIA%20H200 backend=vgpu" \
            " copy_engines=3 sms=132")
    add("mark what=start t_ns=" host)
    for (c = 0; c < chunks; c++) {
        one(c, "h2d", "h2d", "cudaMemcpyAsync", 31)
        one(c, "kernel", "sm", "cudaLaunchKernel", 33)
        one(c, "d2h", "d2h", "cudaMemcpyAsync", 34)
    }
    call("cudaDeviceSynchronize", 9500, last + 3000, " at=" at ":40 device=0")
    add("mark what=stop t_ns=" host)
    if (hazard) {
        add("hazard kind=write-read first_op=2 second_op=6" \
            " first_at=lab.cu:33 second_at=lab.cu:34 buffer=1 lo=0 hi=4096" \
            " why=they%20are%20in%20different%20streams")
        add("note text=sample%20with%20a%20hazard%3B%2050%25%20of%20nothing")
    }
    print "end records=" records " ops=" ops " calls=" calls
}
END
}

pipeline serial 1 0 at=serial.cu
pipeline overlapped 4 4 penalty=1.11
pipeline pageable 4 4 mem=pageable penalty=6
pipeline two_gpus 8 4 devices=2 penalty=1.11
pipeline hazard 3 3 hazard=1
