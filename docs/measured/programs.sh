#!/bin/sh
# programs.sh: what the programs beside the labs print, in one file
#
#     docs/measured/programs.sh >docs/measured/programs-vgpu.txt
#     docs/measured/programs.sh nvcc >docs/measured/programs-GPU.txt
#
# Each is labs/NN_name/NAME.cu and not lab.cu. With nvcc they run on the GPU of
# this machine, else on the virtual one, where times are always the same.
set -u
cd "$(dirname "$0")/../.." || exit 1
unset VGPU_DEVICE VGPU_COUNT VGPU_CHECK VGPU_TRACE CUDA_DEVICE_MAX_CONNECTIONS
compiler=${1:-build/bin/vgpucc}
case $compiler in
*nvcc) options='-O2 -arch=native' virtual='' ;;
*) options=-O2 virtual=yes ;;
esac
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# build FILE [OPTION...]: makes $tmp/NAME.
build() {
    source=$1
    shift
    # shellcheck disable=SC2086 # options are words
    "$compiler" $options -Icommon "$@" "labs/$source" common/helper.cu \
        -o "$tmp/program" 2>"$tmp/said" && return
    cat "$tmp/said" >&2
    failed=1
    return 1
}

# run WORDS [VARIABLE=VALUE...] [-- ARGUMENT...]
run() {
    echo
    echo "== $source: $1"
    shift
    variables=''
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        variables="$variables $1"
        shift
    done
    [ $# -eq 0 ] || shift
    # shellcheck disable=SC2086 # variables are words
    env $variables "$tmp/program" "$@" || failed=1
}

echo "# Programs beside the labs"
echo "commit  $(git rev-parse --short HEAD 2>/dev/null)"
echo "command docs/measured/programs.sh${1:+ $1}"
if build 03_pinned_memory/zero_copy.cu; then
    run "one to eight kernels" ${virtual:+VGPU_DEVICE=k20 -- 18}
fi
if build 03_pinned_memory/pinned_vector.cu; then
    run "entry by entry"
fi
for option in legacy per-thread; do
    if build 05_default_stream/openmp.cu -Xcompiler -fopenmp \
        --default-stream "$option"; then
        run "$option"
    fi
done
if build 06_issue_order/connections.cu; then
    for connections in 8 32; do
        run "$connections connections" CUDA_DEVICE_MAX_CONNECTIONS=$connections
    done
fi
if build 10_kernel_concurrency/contrast.cu; then
    run "two kernels" ${virtual:+VGPU_DEVICE=k20 -- 18}
fi
exit $failed
