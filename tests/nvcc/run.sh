#!/bin/bash
# run.sh [FILE...]: every .cu of the project is compiled by nvcc too, wherever
# nvcc is installed, with warnings as errors: labs, solutions, drivers,
# conformance and frontend programs, and the corpus but for what is meant not to
# compile or is warned of, or says in its first line that it is not for CUDA 13. Files that need
# the same headers are compiled as one (group.awk); where that is refused, each
# alone. First, mistakes that such a group has to show. Of the corpus with PART=1/3
# every third. Closes with `N passed, N failed`.
cd "$(dirname "$0")/../.." || exit 2
nvcc=
for try in "$(command -v nvcc)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    [ -x "$try" ] && nvcc=$try && break
done
if [ -z "$nvcc" ]; then
    echo "no nvcc here: nothing compiled"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT

# translate FILE FOLDER OPTIONS: what nvcc says, and its status.
translate() {
    local object
    object=$(mktemp "$out/XXXXXX.o")
    # shellcheck disable=SC2086
    "$nvcc" -std=${std:-c++17} -O0 -arch=sm_90 -Xcompiler -Wall,-Wextra $3 -I"$2" \
        -Icommon -Igrader/drivers -Igrader -Ivgpu/calibrate "$1" -o "$object" 2>&1
    set -- $?
    rm -f "$object"
    return "$1"
}

# One result line for each file of a group, written at once.
compile() {
    local options files file said
    options=$(cat "$out/$1.options")
    mapfile -t files <"$out/$1.files"
    if [ ${#files[@]} -gt 1 ] &&
        translate "$out/$1.cu" "$out" "$options" >/dev/null; then
        printf 'ok - %s\n' "${files[@]}"
        return
    fi
    for file in "${files[@]}"; do
        if said=$(translate "$file" "$(dirname "$file")" "$options"); then
            echo "ok - $file"
        else
            printf 'not ok - %s\n%s\n' "$file" \
                "$(sed 's/^/# /' <<<"$said" | head -n 4)"
        fi
    done
}

# group FOLDER FILE...: what FOLDER/N.* shall compile; prints each N.
group() {
    local folder=$1
    shift
    printf '%s\n' "$@" | awk -v words="$out/words" -v most=24 \
        -v out="$folder" -v root="$PWD" -f tests/nvcc/group.awk
}

# planted HOW NAME TEXT: a program that ends with TEXT has a mistake. Between
# two that are right, it has to be refused: HOW, together with them or alone.
planted() {
    local folder=$out/build/corpus/$2 file how=alone
    mkdir -p "$folder"
    for file in part_before planted part_after; do
        cat >"$folder/$file.cu" <<END
#include <stdint.h>
#include "check.h"
#define NUM_${file}_THREADS 32
static __global__ void $file(int *data) { data[threadIdx.x] = 1; }
int main(void)
{
    int *data;
    CHECK(cudaMalloc(&data, NUM_${file}_THREADS * sizeof *data));
    $file<<<1, 32>>>(data);
    CHECK(cudaFree(data));
    return 0;
}
END
    done
    [ "$2" != missing-include ] || sed -i '/check.h/d' "$folder/planted.cu"
    echo "$3" >>"$folder/planted.cu"
    group "$folder" "$folder"/{part_before,planted,part_after}.cu |
        out=$folder xargs -I{} bash -c 'compile "$1"' _ {} >"$folder/said"
    [ "$(wc -l <"$folder/1.files")" != 3 ] || how=together
    [ "$how" = "$1" ] &&
        grep -q "^not ok - $folder/planted.cu" "$folder/said" &&
        [ "$(grep -c '^ok' "$folder/said")" = 2 ] || printf 'not '
    echo "ok - a mistake is found: $2"
}
export -f compile translate
export nvcc out

files=("$@")
if [ $# -eq 0 ]; then
    made=$(tools/submission tests/corpus/*/*/*.diff) || exit 2
    mapfile -t files < <({ tools/sources '*.cu'; echo "$made"; } |
        grep -v '^vgpu/tests/frontend/bad/\|^vgpu/tests/frontend/judged/refused\|^vgpu/tests/frontend/good/sides\|^tests/cheats/\|^vgpu/tests/frontend/checked/\|^tests/slides/bad/' |
        awk -v part="${PART:-1/1}" 'BEGIN { split(part, of, "/") }
            !/^(tests|build)\/corpus\// || ++n % of[2] == of[1] % of[2]')
fi
count=$((${#files[@]} + 10))
mapfile -t files < <(awk -v skipped="$out/skipped" 'FNR > 1 { next }
    !/^\/\/ (expect: removed-member|not for CUDA 13)/ { print FILENAME; next }
    { print "ok - " FILENAME " # SKIP it is no CUDA 13" >skipped }' \
    "${files[@]}")

# Alone: programs in C++20, and those with MPI, which may not be here.
mapfile -t apart < <(grep -l '^#include <\(mpi.h\|latch\)>' "${files[@]}")
mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -vxF "$(printf '%s\n' "${apart[@]}")")
mpi=$(mpicxx -show 2>/dev/null | tr ' ' '\n' | grep '^-[ILl]' | tr '\n' ' ')
for file in "${apart[@]}"; do
    std=c++20
    if [ -z "$mpi" ] && grep -q '^#include <mpi.h>' "$file"; then
        echo "ok - $file # SKIP there is no MPI here"
    elif said=$(translate "$file" "$(dirname "$file")" "$mpi"); then
        echo "ok - $file"
    else
        printf 'not ok - %s\n%s\n' "$file" "$(sed 's/^/# /' <<<"$said" | head -n 4)"
    fi
done >>"$out/skipped"
unset std

cat "${files[@]}" {common,labs/*,grader/drivers,vgpu/tests/conformance}/*.*h |
    grep '^ *# *include <.*\.h>' | sort -u >"$out/headers.cu"
"$nvcc" -std=c++17 -arch=sm_90 -Xcompiler -dD -E "$out/headers.cu" \
    >"$out/headers.i" || exit 2
grep -oE '[A-Za-z_][A-Za-z_0-9]*' "$out/headers.i" | sort -u >"$out/words"

{
    planted together host-type 'int *host_part(void) { return 1.5; }'
    planted together cuda-call 'void host_part(void) { cudaFree(); }'
    planted together device '__global__ void bad(int *x) { *x = rand(); }'
    planted together undeclared 'int host_part(void) { return number; }'
    planted together others-name 'void host_fn(int *d) { part_before<<<1, 1>>>(d); }'
    planted together others-macro 'int host_part[NUM_part_before_THREADS];'
    planted together unfinished 'struct host_part { int x; }'
    planted alone missing-include ''
    planted alone system-name 'static double abs;'
    planted alone open-brace 'static void host_part(void) {'
} >"$out/planted" &
group "$out" "${files[@]}" |
    xargs -P "$(nproc)" -I{} bash -c 'compile "$1"' _ {} >"$out/results"
wait
cat "$out/planted" "$out/skipped" >>"$out/results" 2>/dev/null
grep -A4 '^not ok' "$out/results" | head -n 60
passed=$(grep -c '^ok' "$out/results")
failed=$(grep -c '^not ok' "$out/results")
# None is forgotten.
[ $((passed + failed)) = "$count" ] || failed=$((failed + 1))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
