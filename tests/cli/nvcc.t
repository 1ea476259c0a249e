#!/bin/bash
# Every .cu of the project is compiled by nvcc too, wherever nvcc is installed,
# with warnings as errors.
cd "$(dirname "$0")/../.." || exit 2
nvcc=
for try in "$(command -v nvcc)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc"; do
    [ -x "$try" ] && nvcc=$try && break
done
if [ -z "$nvcc" ]; then
    echo "1..0 # SKIP no nvcc here"
    exit 0
fi
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT

# Compile one file; a result line of its own, written at once.
compile() {
    local file=$1 dir flags
    dir=$(dirname "$file")
    flags=$(sed -n '1,3s|^// flags: ||p' "$file")
    if "$nvcc" -std=c++17 -O1 -arch=sm_90 $flags -Xcompiler -Wall,-Wextra \
        -Werror all-warnings \
        -I"labs/$(basename "$file" .cu)" -I"labs/$(basename "$dir")" -I"$dir" \
        -Icommon -Igrader \
        -c "$file" -o "$out/$(echo "$file" | tr / _).o" \
        >"$out/$(echo "$file" | tr / _).log" 2>&1; then
        echo "ok - nvcc compiles $file"
    else
        echo "not ok - nvcc compiles $file"
        head -n 4 "$out/$(echo "$file" | tr / _).log" | sed 's/^/# /'
    fi
}
export -f compile
export nvcc out
# Conformance programs were built by nvcc when their output was recorded; they
# and samples of wrong input are left out here.
files=$(git ls-files '*.cu' |
    grep -v '^tests/conformance/\|^tests/frontend/\|^tests/corpus/\|^tests/cheats/')
echo "$files" | xargs -P 2 -I{} bash -c 'compile "$1"' _ {}
echo "1..$(echo "$files" | wc -l)"
