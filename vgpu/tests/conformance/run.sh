#!/bin/bash
# run.sh: build the conformance programs, run them, compare their facts with
# those recorded on a real GPU
#
# usage: run.sh [--backend cuda|vgpu] [--record] [NAME...]
#
# Prints TAP. Programs are built JOBS at a time (default: 2). On the virtual
# GPU, whose time is computed, so they are run; on a real one, one after another,
# since two of them that share it would disturb the timing.
# --record writes expected/NAME.txt from this machine's GPU (backend cuda).
# Environment: B, the folder with what was built (default: build, where it is
# called); JOBS, NVCC, ARCH, VGPUCC, VGPU_DEVICE, VGPU_COUNT, TIME_LIMIT;
# OUT, where the programs go, and RUN_WITH, a command that runs each.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${B:-build}
build=$(cd "$build" 2>/dev/null && pwd) || build=$here/../../build
backend=vgpu
record=no
names=()
jobs=${JOBS:-2}
time_limit=${TIME_LIMIT:-20}

usage() {
    echo "usage: run.sh [--backend cuda|vgpu] [--record] [NAME...]" >&2
    exit 2
}

while [ $# -gt 0 ]; do
    case $1 in
    --backend)
        [ $# -ge 2 ] || usage
        backend=$2
        shift
        ;;
    --backend=*) backend=${1#*=} ;;
    --record) record=yes ;;
    -*) usage ;;
    *) names+=("$(basename "$1" .cu)") ;;
    esac
    shift
done

case $backend in
cuda)
    compiler=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
    flags="-std=c++17 -O2 -arch=${ARCH:-sm_90} -Xcompiler -Wall,-Wextra"
    ;;
vgpu)
    compiler=${VGPUCC:-$build/bin/vgpucc}
    flags="-std=c++17 -O2"
    export VGPU_COUNT=${VGPU_COUNT:-2} VGPU_DEVICE=${VGPU_DEVICE:-h200}
    ;;
*) usage ;;
esac
if [ "$record" = yes ] && [ "$backend" != cuda ]; then
    echo "run.sh: only a real GPU's facts are recorded (--backend cuda)" >&2
    exit 2
fi
if [ ! -x "$compiler" ]; then
    echo "run.sh: no compiler at $compiler" >&2
    exit 2
fi

out=${OUT:-$build/conformance/$backend}
mkdir -p "$out" "$here/expected"
if [ ${#names[@]} -eq 0 ]; then
    for source in "$here"/*.cu; do
        names+=("$(basename "$source" .cu)")
    done
fi

# The value of a `// key: value` line among a program's first lines.
directive() {
    sed -n "1,5s|^// $2: *||p" "$here/$1.cu" | head -n 1
}

# Build one program unless it is newer than all that it is made from.
build_one() {
    local name=$1 program=$out/$1 source=$here/$1.cu log=$out/$1.log
    local library=$build/lib/libvgpu.a
    [ -f "$source" ] || { echo "no such program: $source" >"$log"; return; }
    if [ -x "$program" ] && [ "$program" -nt "$source" ] &&
        [ "$program" -nt "$here/fact.h" ] && [ "$program" -nt "$compiler" ] &&
        { [ "$backend" = cuda ] || [ "$program" -nt "$library" ]; }; then
        return
    fi
    rm -f "$program"
    # shellcheck disable=SC2046,SC2086 # several words are meant
    "$compiler" $flags $(directive "$name" flags) -I "$here" "$source" \
        -o "$program" -lpthread >"$log" 2>&1 || rm -f "$program"
}

# Run one: what it says, and its status.
execute() {
    [ -x "$out/$1" ] || return
    # shellcheck disable=SC2086 # several words are meant
    timeout -k 5 "$time_limit" ${RUN_WITH:-} "$out/$1" >"$out/$1.txt" 2>"$out/$1.err"
    echo $? >"$out/$1.status"
}

make_one() {
    rm -f "$out/$1.status"
    build_one "$1"
    [ "$backend" = cuda ] || execute "$1"
}

export -f make_one execute build_one directive
export here build out backend compiler flags time_limit
# shellcheck disable=SC2016 # the inner shell expands it
printf '%s\n' "${names[@]}" |
    xargs -P "$jobs" -I '{}' bash -c 'make_one "$1"' make '{}'

# Compare two fact files. Prints "# name key: expected X, got Y" and
# "# known ..." lines; the last line is "= unexpected known facts".
compare() {
    awk -v name="$1" -v known_file="$here/differences.txt" '
    function key_of(line) { return substr(line, 1, index(line, "=") - 1) }
    function value_of(line) { return substr(line, index(line, "=") + 1) }
    function report(key, want, got,    why) {
        if ((name, key) in reason || (name, "*") in reason) {
            known++
            if ((name, key) in reason)
                why = reason[name, key]
            else
                why = reason[name, "*"]
            printf "# known: %s %s: expected %s, got %s (%s)\n", name, key,
                want, got, why
        } else {
            unexpected++
            printf "# differs: %s %s: expected %s, got %s\n", name, key,
                want, got
        }
    }
    BEGIN {
        while ((getline line < known_file) > 0) {
            if (line ~ /^#/ || line !~ /[^ ]/)
                continue
            split(line, word, " ")
            text = line
            sub(/^[^ ]+ +[^ ]+ */, "", text)
            reason[word[1], word[2]] = text
        }
    }
    FNR == 1 { split("", times) }
    !index($0, "=") { next }
    {
        key = key_of($0)
        if (++times[key] > 1)
            key = key "#" times[key]
    }
    NR == FNR { want[key] = value_of($0); order[++n] = key; next }
    {
        got[key] = value_of($0)
        if (!(key in want))
            report(key, "nothing", value_of($0))
    }
    END {
        for (i = 1; i <= n; i++) {
            key = order[i]
            if (!(key in got))
                report(key, want[key], "nothing")
            else if (got[key] != want[key])
                report(key, want[key], got[key])
        }
        printf "= %d %d %d\n", unexpected, known, n
    }' "$2" "$3"
}

programs=0 facts=0 differences=0 known=0 failed=0 skipped=()

result() { # result ok|"not ok" NAME TEXT
    programs=$((programs + 1))
    [ "$1" = ok ] || failed=$((failed + 1))
    echo "$1 $programs - $2${3:+ $3}"
}

# Keep a program's facts as the expected ones.
record_one() {
    cp "$2" "$here/expected/$1.txt"
    facts=$((facts + $(grep -c = "$2")))
    result ok "$1" "# recorded"
}

check_one() {
    local name=$1 got=$2 want=$here/expected/$1.txt report counts
    if [ ! -f "$want" ] && [ "$(directive "$name" recorded)" = 'not yet' ]; then
        result ok "$name" "# SKIP not recorded on a GPU yet, $(grep -c = "$got") facts"
        return
    fi
    if [ ! -f "$want" ]; then
        result "not ok" "$name" "(no expected facts: --backend cuda --record)"
        return
    fi
    report=$(compare "$name" "$want" "$got")
    read -r -a counts < <(printf '%s\n' "$report" | sed -n 's/^= //p')
    differences=$((differences + counts[0]))
    known=$((known + counts[1]))
    facts=$((facts + counts[2]))
    if [ "${counts[0]}" -eq 0 ]; then
        result ok "$name"
    else
        result "not ok" "$name" "(${counts[0]} of ${counts[2]} facts differ)"
    fi
    printf '%s\n' "$report" | grep '^#'
}

run_one() {
    local name=$1 program=$out/$1 got=$out/$1.txt status
    if [ ! -x "$program" ]; then
        if grep -qs "^$name \* " "$here/differences.txt"; then
            known=$((known + 1))
            result ok "$name" "# known: $(sed -n "s/^$name \* //p" \
                "$here/differences.txt" | head -n 1)"
            return
        fi
        result "not ok" "$name" "(does not build)"
        sed -n '1,5s/^/# /p' "$out/$name.log"
        return
    fi
    [ "$backend" = vgpu ] || execute "$name"
    status=$(cat "$out/$name.status")
    if [ "$status" -eq 77 ]; then
        skipped+=("$name")
        result ok "$name" "# SKIP $(head -n 1 "$got")"
    elif [ "$record" = yes ] && [ "$status" -eq 0 ]; then
        record_one "$name" "$got"
    elif [ "$status" -ne 0 ]; then
        result "not ok" "$name" "(exit status $status)"
        sed -n '1,5s/^/# /p' "$out/$name.err"
        [ "$record" = yes ] || [ ! -f "$here/expected/$name.txt" ] ||
            compare "$name" "$here/expected/$name.txt" "$got" | grep '^#'
    else
        check_one "$name" "$got"
    fi
}

record_device() {
    {
        echo "# Where expected/*.txt were recorded (run.sh --record)."
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader |
            sort | uniq -c | sed 's/^ *\([0-9]*\) /gpus: \1 x /'
        "$compiler" --version | sed -n 's/^Cuda compilation tools, /toolkit: /p'
        echo "date: $(date -u +%Y-%m-%d)"
        [ ${#skipped[@]} -eq 0 ] ||
            echo "not recorded then (too few GPUs): ${skipped[*]}"
    } >"$here/expected/DEVICE.txt"
}

echo "1..${#names[@]}"
for name in "${names[@]}"; do
    run_one "$name"
done
[ "$record" = no ] || record_device
[ ${#skipped[@]} -eq 0 ] ||
    echo "# skipped, expectation kept: ${skipped[*]}"
[ $failed -eq 0 ] || echo "# $failed programs failed"
echo "# $programs programs, $facts facts, $differences differences" \
    "(and $known known, listed in differences.txt)"
[ $failed -eq 0 ]
