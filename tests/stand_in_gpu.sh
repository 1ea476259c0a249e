# stand_in_gpu.sh: a GPU where there is none, for the grader's own path there.
# Read with ". tests/stand_in_gpu.sh", at the repository's root, not run.
# shellcheck shell=sh

# stand_in_gpu FOLDER [GPUS [VGPUCC]]: vgpucc stands in for nvcc in FOLDER/bin.
# FOLDER/9 and FOLDER/12 have a driver that says that there are GPUS (1), of
# compute capability 9.0 or 12.0; nvcc knows the first one only.
stand_in_gpu() {
    mkdir -p "$1/bin"
    cat >"$1/bin/nvcc" <<END
#!/bin/bash
for word; do
    case \$word in
    --version) exec echo 'release 13.0' ;;
    --list-gpu-code) exec printf 'sm_75\n%s\n' sm_90 ;;
    -gencode=arch=compute_90,code=sm_90) known=yes ;;
    -lineinfo | -g) ;;
    -c) compiles=yes words+=(-c) ;;
    *) words+=("\$word") ;;
    esac
done
[ -z "\$compiles" ] || words+=(-include "$1/no_tool.h")
[ -n "\$compiles" ] || words+=("$1/one_core.o")
[ -n "\$known" ] || { echo "compiled for which GPU?" >&2; exit 1; }
exec "${3:-$PWD/build/bin/vgpucc}" "\${words[@]}"
END
    chmod +x "$1/bin/nvcc"
    # Where no tool listens, nobody counts ranges.
    printf '%s\n' '#include <nvtx3/nvToolsExt.h>' '#undef nvtxRangePush' \
        '#define nvtxRangePush(message) ((void)(message), -2)' >"$1/no_tool.h"
    # A GPU's blocks run on no thread of the program, which are counted.
    ${CC:-cc} -DGPUS="\"${2:-1}\"" -c -x c - -o "$1/one_core.o" <<'END' || return 1
#include <stdlib.h>
__attribute__((constructor)) static void one_core(void)
{
    setenv("VGPU_CORES", "1", 1);
    setenv("VGPU_COUNT", GPUS, 1);
}
END
    cat >"$1/driver.c" <<'END'
int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGetAttribute(int *value, int attribute, int device);

int cuInit(unsigned flags)
{
    return (int)flags;
}

int cuDeviceGetCount(int *count)
{
    *count = GPUS;
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? MAJOR : 0;
    return device;
}
END
    for stand_in in 9 12; do
        mkdir "$1/$stand_in"
        ${CC:-cc} -shared -fPIC -DMAJOR=$stand_in -DGPUS="${2:-1}" "$1/driver.c" \
            -o "$1/$stand_in/libcuda.so.1" || return 1
    done
}

# on_stand_in FOLDER CAPABILITY COMMAND...: with what stand_in_gpu made there.
on_stand_in() {
    stand_in=$1 stand_in_major=$2
    shift 2
    PATH=$stand_in/bin:$PATH LD_LIBRARY_PATH=$stand_in/$stand_in_major \
        CUDA_HOME=$stand_in "$@"
}
