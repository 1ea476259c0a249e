#!/bin/bash
# nvcc.sh: every .cu of the project is compiled by nvcc too, wherever nvcc is
# installed, with warnings as errors: labs, solutions, drivers, conformance and
# frontend programs, corpus and cheats that are meant to compile.
# Closes with `N passed, N failed`.
cd "$(dirname "$0")/.." || exit 2
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

# Compile one file; a result line of its own, written at once. Submissions of
# the corpus are students' code: warnings are theirs, and nvcc's front end, which
# reads the host's functions as well, tells whether they compile.
compile() {
    local file=$1 lab flags strict='-Werror all-warnings' object as=-c
    case $(head -n 1 "$file") in
    '// expect: removed-member'*)
        echo "ok - $file # SKIP it is meant not to compile with CUDA 13"
        return
        ;;
    esac
    object=$out/$(echo "$1" | tr / _)
    lab=$(echo "$file" | grep -o '[0-9][0-9]_[a-z_]*' | head -n 1)
    [ -n "$lab" ] || lab=08_uneven_chunks
    flags=$(sed -n '1,3s|^// flags: ||p' "$file")
    case $file in
    tests/frontend/*) strict='-rdc=true --extended-lambda --expt-relaxed-constexpr' ;;
    build/corpus/* | tests/corpus/*) strict='' as=-ptx ;;
    tests/*) strict= ;;
    esac
    if "$nvcc" -std=c++17 -O0 -arch=sm_90 $flags -Xcompiler -Wall,-Wextra \
        $strict -I"labs/$lab" -I"$(dirname "$file")" -Icommon -Igrader/drivers -Igrader \
        "$as" "$file" -o "$object.o" >"$object.log" 2>&1; then
        echo "ok - $file"
    else
        echo "not ok - $file"
        head -n 4 "$object.log" | sed 's/^/# /'
    fi
    rm -f "$object.o"
}
export -f compile
export nvcc out
made=$(tools/submission tests/corpus/*/*/*.diff) || exit 2
{ tools/sources '*.cu'; echo "$made"; } | grep -v '^tests/frontend/bad/\|^tests/cheats/\|^tests/frontend/checked/\|^tests/slides/bad/' |
    xargs -P "$(nproc)" -I{} bash -c 'compile "$1"' _ {} >"$out/results"
grep -A4 '^not ok' "$out/results" | head -n 60
passed=$(grep -c '^ok' "$out/results")
failed=$(grep -c '^not ok' "$out/results")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
