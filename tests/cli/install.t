#!/bin/bash
# install.t: vgpucc installed, and the repository gone: it compiles, runs, checks
# and draws from where it lies, and from where that is moved.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL VGPU_CXX VGPU_DEVICE VGPU_COUNT VGPU_CHECK \
    VGPU_TRACE PREFIX DESTDIR
log=$tmp/log
version=$(cat VERSION)

skip() { # NAME REASON
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}

# A copy to install from, with what is built: it can be taken away.
mkdir -p "$tmp/copy/build" && tools/sources '*' | cpio -pd --quiet "$tmp/copy" \
    2>"$log" || tools/sources '*' | tar cf - -T - | tar xpf - -C "$tmp/copy"
cp -a build/bin build/lib build/obj build/gen build/compiler-found \
    "$tmp/copy/build" 2>>"$log"
# The copy's sources are no newer than what was made of them.
find "$tmp/copy" -path "$tmp/copy/build" -prune -o -type f -exec \
    touch -d '2020-01-01' {} +
at=$tmp/at
make -s -C "$tmp/copy" install PREFIX="$at" >"$log" 2>&1 &&
    [ -x "$at/bin/vgpucc" ] && [ -x "$at/bin/timeline" ]
ok 'make install PREFIX=FOLDER'
make -s -C "$tmp/copy" install DESTDIR="$tmp/dest" PREFIX=/opt/v >"$log" 2>&1 &&
    [ -x "$tmp/dest/opt/v/bin/vgpucc" ] &&
    diff <(cd "$at" && find . | sort) <(cd "$tmp/dest/opt/v" && find . | sort)
ok 'DESTDIR goes before it'
mv "$tmp/copy" "$tmp/gone" && chmod -R a-w "$at" && touch "$tmp/before"

# Not as root, whom no right stops.
run() {
    if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
        (cd "$tmp/own" && HOME=$tmp/own TMPDIR=$tmp/own setpriv \
            --reuid=65534 --regid=65534 --clear-groups "$@")
    else
        (cd "$tmp/own" && "$@")
    fi
}
chmod 755 "$tmp" && mkdir "$tmp/own" && chmod 777 "$tmp/own"
cp "$at"/share/doc/vgpucc/example/* "$tmp/own"

run "$at/bin/vgpucc" -O2 -std=c++17 saxpy.cu -o saxpy >"$log" 2>&1 &&
    run ./saxpy >"$tmp/out" 2>&1
ok 'a program is compiled and runs'
grep -qx " *\./saxpy *$(cat "$tmp/out")" vgpu/README.md
ok 'and prints what README.md says'
if g++ --version >/dev/null 2>&1; then
    for options in '' '-O2 -std=c++17' '-Xcompiler -Wall,-Wextra'; do
        # shellcheck disable=SC2086
        run "$at/bin/vgpucc" $options -v -c saxpy.cu -o saxpy.o >"$log" 2>&1 &&
            grep -q "isystem $at/bin/../lib/vgpucc/headers" "$log" || break
    done
    [ $? -eq 0 ] && [ -s "$at/lib/vgpucc/headers/vgpu/program.h.gch/c++17" ] &&
        [ -s "$at/lib/vgpucc/headers/vgpu/program.h.gch/gnu++17" ]
    ok 'with headers that were compiled when it was installed'
fi
[ -z "$(find "$at" -newer "$tmp/before")" ]
ok 'nothing was written where it is installed'

run env VGPU_DEVICE=k20 ./saxpy >"$log" && ! cmp -s "$log" "$tmp/out" &&
    run env VGPU_DEVICE="$at/share/vgpucc/profiles/k20.profile" ./saxpy |
    cmp - "$log"
ok 'VGPU_DEVICE takes a name and an installed file'
run env VGPU_CHECK=1 VGPU_TRACE=run.trace ./saxpy >"$log" 2>&1 &&
    run "$at/bin/timeline" --text run.trace >"$log" 2>&1 &&
    grep -q '^Kernels.*[12]' "$log"
ok 'VGPU_CHECK has nothing to say, and timeline draws it'
sed 's/CHECK(cudaDeviceSynchronize());//; s/dx + i \* CHUNK,/dx,/' \
    "$tmp/own/saxpy.cu" >"$tmp/own/race.cu"
run "$at/bin/vgpucc" -O2 race.cu -o race >"$log" 2>&1
run env VGPU_CHECK=1 ./race >>"$log" 2>&1
[ $? = 86 ] && grep -q 'race\.cu:' "$log"
ok 'and tells a race, with its lines and status 86'

# ---- other drivers ----------------------------------------------------------

cat >"$tmp/own/kernels.cu" <<'END'
__global__ void twice(int *p) { *p *= 2; }
void launch(int *p) { twice<<<1, 1>>>(p); }
END
cat >"$tmp/own/main.cpp" <<'END'
#include <cuda_runtime_api.h>
void launch(int *p);
int main()
{
    int *p, v = 21;
    cudaMalloc((void **)&p, sizeof v);
    cudaMemcpy(p, &v, sizeof v, cudaMemcpyHostToDevice);
    launch(p);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    return v == 42 ? 0 : 1;
}
END
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$at/lib/pkgconfig
    [ "$(pkg-config --modversion vgpu)" = "$version" ] &&
        run "$at/bin/vgpucc" -O2 -c kernels.cu >"$log" 2>&1 &&
        run sh -c "$(run "$at/bin/vgpucc" --dryrun -c kernels.cu 2>&1 |
            sed 's/ .*//; q') main.cpp kernels.o \
            $(pkg-config --cflags --libs vgpu) -o mixed" >>"$log" 2>&1 &&
        run ./mixed
    ok 'the C++ compiler links what vgpucc compiled, with pkg-config'
else
    skip 'pkg-config' 'no pkg-config here'
fi

if command -v cmake >/dev/null; then
    toolchain=$at/lib/vgpucc/cmake/vgpucc.cmake
    { run cmake -S . -B made --toolchain "$toolchain" &&
        run cmake --build made && run made/saxpy &&
        run made/devices; } >"$log" 2>&1 && grep -q 'NVIDIA H200' "$log" &&
        run made/saxpy | cmp - "$tmp/out"
    ok 'CMake builds the example'
    mkdir -m 777 "$tmp/own/parts"
    mv "$tmp"/own/kernels.cu "$tmp"/own/main.cpp "$tmp/own/parts"
    cat >"$tmp/own/parts/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(parts LANGUAGES CXX CUDA)
set(CMAKE_CUDA_ARCHITECTURES 80 90)
find_package(CUDAToolkit 12 REQUIRED)
add_library(fixed STATIC kernels.cu)
set_target_properties(fixed PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_compile_features(fixed PUBLIC cuda_std_14)
target_compile_options(fixed PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:--generate-line-info>)
add_executable(by_cxx main.cpp)
target_include_directories(by_cxx PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(by_cxx fixed)
add_library(loaded SHARED kernels.cu)
add_executable(by_shared main.cpp)
target_link_libraries(by_shared loaded CUDA::cudart)
END
    { run cmake -S parts -B parts/made --toolchain "$toolchain" \
        -DCMAKE_BUILD_TYPE=Release && run cmake --build parts/made &&
        run parts/made/by_cxx && run parts/made/by_shared; } >"$log" 2>&1
    ok 'and libraries with CUDA code, that C++ links'
    touch "$tmp/own/parts/kernels.cu"
    run cmake --build parts/made 2>&1 | grep -q 'Building CUDA object'
    ok 'and compiles again what has changed'
else
    skip 'CMake' 'no cmake here'
fi

# ---- moved, replaced, removed -----------------------------------------------

chmod -R u+w "$at"
mv "$at" "$tmp/moved"
run "$tmp/moved/bin/vgpucc" -O2 -std=c++17 saxpy.cu -o again >"$log" 2>&1 &&
    run ./again | cmp - "$tmp/out"
ok 'the folder may be moved'
mv "$tmp/gone" "$tmp/copy"
touch "$tmp/moved/include/vgpucc/old.h" "$tmp/moved/bin/theirs"
make -s -C "$tmp/copy" install PREFIX="$tmp/moved" >"$log" 2>&1 &&
    [ ! -e "$tmp/moved/include/vgpucc/old.h" ]
ok 'what an older version had is gone with the next'
make -s -C "$tmp/copy" uninstall PREFIX="$tmp/moved" >"$log" 2>&1 &&
    [ "$(find "$tmp/moved" -type f)" = "$tmp/moved/bin/theirs" ]
ok 'make uninstall leaves what is not its own'
make -s -C "$tmp/copy" install PREFIX='~/v' >"$log" 2>&1
[ $? = 2 ] && [ ! -e "$tmp/copy/~" ] && grep -q 'say \$HOME' "$log"
ok 'a home that no shell has put in is refused'

# ---- what is written about it -----------------------------------------------

for page in vgpu/README.md docs/virtual-gpu.md; do
    sed -n 's/^| `\([A-Z_]*\)[=`].*/\1/p' $page
    sed -n 's/^\.B \([A-Z][A-Z_]*\)\(=.*\)*$/\1/p' vgpu/install/vgpucc.1
done | sort -u | while read -r name; do
    for page in vgpu/README.md docs/virtual-gpu.md vgpu/install/vgpucc.1; do
        grep -q "$name" $page || echo "$page does not know $name"
    done
done >"$tmp/out"
[ ! -s "$tmp/out" ]
ok 'each setting is in both documents and the manual page'
if command -v man >/dev/null; then
    [ -z "$(LC_ALL=C.UTF-8 man --warnings -l vgpu/install/vgpucc.1 2>&1 \
        >"$log")" ] && grep -q 'VGPU_DEVICE' "$log"
    ok 'the manual page is laid out without a warning'
fi
echo "1..$count"
