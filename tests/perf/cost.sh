#!/bin/bash
# cost.sh BASE: what is slow, beside what it was at commit BASE: both are built
# here and run in turn. Processor seconds of whole processes, medians of ROUNDS
# (7). Results and virtual times must be the same.
# `make measure-vgpu BASE=COMMIT`; ONLY='launches|chain' for some rows.
set -eu
cd "$(dirname "$0")/../.."
base=$(git rev-parse --short=8 "$1^{commit}")
rounds=${ROUNDS:-7}
only=${ONLY:-.}
out=$PWD/build/perf
was=$out/$base
programs=vgpu/tests/cost
usage=$out/usage
mkdir -p "$was"
if [ ! -x "$was/build/bin/grade" ]; then
    git archive "$base" | tar -x -C "$was"
    make -s -C "$was" tools >"$out/base.log" 2>&1 || {
        tail -n 5 "$out/base.log" >&2
        exit 1
    }
fi
cc -O2 $programs/usage.c -o "$usage"
for one in many kernels; do
    build/bin/vgpucc -O2 $programs/$one.cu -o "$out/now-$one"
    "$was/build/bin/vgpucc" -O2 $programs/$one.cu -o "$out/was-$one"
done

median() { sort -g | awk '{ n[NR] = $1 } END { print n[int((NR + 1) / 2)] }'; }

# Seconds and KiB of one run of @now or of @was, with what it says in said.
one_run() { # now|was COMMAND...
    local side=$1
    shift
    "$usage" "${@//@/$side}" 2>&1 >"$out/said.$side" | tail -n 1
}

row() { # NAME UNIT WAS NOW WANTED
    awk -v name="$1" -v unit="$2" -v was="$3" -v now="$4" -v wanted="$5" \
        'BEGIN { printf("%-44s %9.4g %9.4g %-4s %6.2f   %s\n", name, was, now,
                 unit, (was > 0 ? now / was : 0), wanted) }'
}

# Is a row wanted?
is() { [[ $1 =~ $only ]]; }

seconds() { # NAME WANTED COMMAND...; @ in it stands for now or was
    local name=$1 wanted=$2 i side
    shift 2
    is "$name" || return 0
    : >"$out/t.now"
    : >"$out/t.was"
    for ((i = 0; i < rounds; i++)); do
        for side in was now; do
            one_run $side "$@" | cut -d ' ' -f 1 >>"$out/t.$side"
        done
        [ -n "${DIFFERS-}" ] || cmp -s "$out/said.now" "$out/said.was" ||
            echo "# $name: the results differ"
    done
    row "$name" s "$(median <"$out/t.was")" "$(median <"$out/t.now")" "$wanted"
}

memory() { # NAME WANTED COMMAND...
    local name=$1 wanted=$2
    shift 2
    is "$name" || return 0
    row "$name" MiB "$(one_run was "$@" | awk '{ print $2 / 1024 }')" \
        "$(one_run now "$@" | awk '{ print $2 / 1024 }')" "$wanted"
}

# x of cost ~ n^x, between so many and four times as many; what it was is taken
# where it does not last for minutes.
exponent() { # NAME WHAT N-WAS N-NOW
    local side n
    is "$1" || return 0
    for side in was now; do
        n=$3
        [ $side = now ] && n=$4
        for ((i = 0; i < 3; i++)); do
            one_run $side "$out/@-many" "$2" "$n"
            one_run $side "$out/@-many" "$2" $((4 * n))
        done | awk '{ k = NR % 2
            if (NR <= 2 || $1 < s[k]) s[k] = $1
            m[k] = $2
        } END { print log(s[0] / s[1]) / log(4), log(m[0] / m[1]) / log(4) }' \
            >"$out/x.$side"
    done
    paste -d ' ' "$out/x.was" "$out/x.now" | while read -r t m tt mm; do
        row "$1, exponent of time, $(($4 * 4))" '' "$t" "$tt" 'at most 1.1'
        row "$1, exponent of memory" '' "$m" "$mm" 'at most 1.1'
    done
}

# A variable's value beside none of it, in one build: two quotients.
quotient() { # NAME WANTED VARIABLE COMMAND...
    local name=$1 wanted=$2 variable=$3 side i
    shift 3
    is "$name" || return 0
    for side in was now; do
        : >"$out/t.now"
        : >"$out/t.was"
        for ((i = 0; i < (rounds + 1) / 2; i++)); do
            one_run $side "$@" >>"$out/t.was"
            one_run $side env "$variable" "$@" >>"$out/t.now"
        done
        echo "$(median <"$out/t.now") $(median <"$out/t.was")" |
            awk '{ print $1 / $2 }' >"$out/x.$side"
    done
    row "$name" times "$(cat "$out/x.was")" "$(cat "$out/x.now")" "$wanted"
}

echo "# What is slow, beside what it was"
echo "machine $(nproc) x $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)"
echo "date    $(date -u +%Y-%m-%d)"
echo "command make measure-vgpu BASE=$base, at $(git rev-parse --short=8 HEAD), medians of $rounds"
echo
printf '%-44s %9s %9s %-4s %6s   %s\n' '' was now '' ratio wanted
many=$out/@-many kernels=$out/@-kernels
seconds 'reduction, 8 Mi in blocks of 256' 0.2 "$kernels" reduce 8388608
seconds 'scan, 4 Mi in blocks of 512' 0.25 "$kernels" scan 4194304
seconds 'tiled product, 768' 0.4 "$kernels" product 768
seconds 'transpose with tiles, 4096' 0.5 "$kernels" transpose 4096
seconds 'stencil, 4096' 0.5 "$kernels" stencil 4096
seconds 'launches of a block, 100,000' 0.15 "$many" launches 100000
for side in was now; do
    for n in 1000 2000; do
        "$usage" --calls "$out/$side-many" launches $n 2>&1 >/dev/null
    done | paste -s -d ' ' | awk '{ print ($2 - $1) / 1000 }' >"$out/x.$side"
done
is 'launches' && row 'launches of a block, system calls each' '' \
    "$(cat "$out/x.was")" "$(cat "$out/x.now")" none
seconds 'graph of 1,000 kernels, 100 launches' 0.15 "$many" chain 1000 100
seconds 'small copies, 100,000' 0.4 "$many" copies 100000
seconds 'streams, 1,000 with 10 operations' 0.4 "$many" streams_at_work 1000
exponent streams streams 5000 25000
exponent 'graph, a chain' chain 5000 25000
exponent 'graph, wide' wide 2500 25000
exponent events events 10000 25000
memory 'unwaited copies, a million' 0.1 "$many" unwaited 1000000
for side in was now; do
    dir=$PWD
    [ $side = was ] && dir=$was
    for tool in vgpucc timeline grade; do
        ln -sf "$dir/build/bin/$tool" "$out/$side-$tool"
    done
done
traced=(env "VGPU_TRACE=$out/@.trace" "$many" unwaited 1000000)
seconds 'trace of a million copies: the run' '' "${traced[@]}"
memory 'trace of a million copies: memory' '64 MiB' "${traced[@]}"
for side in was now; do
    is 'trace of a million' && [ -s "$out/$side.trace" ] &&
        { "$out/$side-timeline" --html "$out/$side.html" "$out/$side.trace" ||
            echo "# $side: no page is made, and the next three rows say nothing"; }
done
touch "$out/was.html" "$out/now.html"
page=("$out/@-timeline" --html "$out/@.html" "$out/@.trace")
DIFFERS=1 seconds 'trace of a million copies: the page' '3 s' "${page[@]}"
memory 'trace of a million copies: its memory' '64 MiB' "${page[@]}"
if is 'trace of a million copies: bytes of the page'; then
    row 'trace of a million copies: bytes of the page' MiB \
        "$(wc -c <"$out/was.html" | awk '{ print $1 / 2 ^ 20 }')" \
        "$(wc -c <"$out/now.html" | awk '{ print $1 / 2 ^ 20 }')" '12 MiB'
fi
rm -f "$out"/*.trace "$out"/*.html
small=vgpu/install/example/saxpy.cu
seconds 'compiling a small file' 0.45 "$out/@-vgpucc" $small -o "$out/@-saxpy"
seconds 'compiling a small file, -O3' 0.45 \
    "$out/@-vgpucc" -O3 $small -o "$out/@-saxpy"
for one in 'reduce 1048576' 'product 384' 'transpose 2048' 'stencil 2048'; do
    # shellcheck disable=SC2086
    quotient "check mode / off: $one" 1.3 VGPU_CHECK=1 "$kernels" $one
done
for one in 'reduce 262144' 'product 128' 'transpose 512' 'stencil 512'; do
    # shellcheck disable=SC2086
    quotient "races / off: $one" 6 VGPU_CHECK=races "$kernels" $one
done
grade=("$out/@-grade" --backend vgpu --solution 08)
DIFFERS=1 seconds 'a grade of lab 08' 0.4 "${grade[@]}"
if is 'a grade beside 1,000 other processes'; then
    pids=()
    for ((i = 0; i < 1000; i++)); do
        sleep 600 &
        pids+=($!)
    done
    DIFFERS=1 seconds 'a grade beside 1,000 other processes' '' "${grade[@]}"
    kill "${pids[@]}"
fi
# Half a minute a round.
rounds=1 DIFFERS=1 seconds 'grades of all solutions, one round' 0.5 \
    "$out/@-grade" --backend vgpu --solution all
