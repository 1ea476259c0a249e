#!/bin/bash
# mpi.t: two ranks, each with a virtual GPU, exchange what they computed: with
# MPICH and with Open MPI, which both wait by the host's clocks
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset VGPU_DEVICE VGPU_COUNT VGPU_CHECK
# Open MPI starts nothing as root, or more ranks than cores, unless told to.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1

cat >"$tmp/ranks.cu" <<'END'
#include <cstdio>
#include <mpi.h>
#include "check.h"
__global__ void fill(int *x, int n, int first) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = first + i; }
__global__ void add(const int *x, int n, int *sum) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, x[i]); }
int main(int argc, char **argv) {
    const int n = 1000;
    int rank, ranks, *x, *sum, mine[n], others[n], one = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int other = ranks - 1 - rank;
    CHECK(cudaMalloc(&x, sizeof mine)); CHECK(cudaMalloc(&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    fill<<<4, 256>>>(x, n, rank * n); CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(mine, x, sizeof mine, cudaMemcpyDeviceToHost));
    const double begin = MPI_Wtime();
    MPI_Sendrecv(mine, n, MPI_INT, other, 0, others, n, MPI_INT, other, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(cudaMemcpy(x, others, sizeof others, cudaMemcpyHostToDevice));
    add<<<4, 256>>>(x, n, sum); CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&one, sum, sizeof one, cudaMemcpyDeviceToHost));
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const double time = MPI_Wtime() - begin;
    std::printf("rank %d of %d: from %d, sum %d of %d%s\n", rank, ranks, others[0],
                one, all, time > 0 && time < 1 ? "" : ", and no time");
    CHECK(cudaFree(x)); CHECK(cudaFree(sum));
    MPI_Finalize();
    return 0;
}
END
cat >"$tmp/want" <<'END'
rank 0 of 2: from 1000, sum 1499500 of 1999000
rank 1 of 2: from 0, sum 499500 of 1999000
END

# ranks NAME WHAT: do two of them print what they should, under a checker?
ranks() {
    VGPU_CHECK=1 timeout 120 "mpirun.$1" -n 2 "$tmp/$1" 2>"$tmp/err" |
        sort >"$tmp/out"
    [ "${PIPESTATUS[0]}" -eq 0 ] && cmp -s "$tmp/want" "$tmp/out"
    ok "$1: $2"
}

# mpi NAME: built in both ways that vgpu/README.md tells.
mpi() {
    if ! echo '#include <mpi.h>' | "mpicxx.$1" -x c++ -E - >/dev/null 2>&1 ||
        ! command -v "mpirun.$1" >/dev/null
    then
        true
        ok "$1: two ranks # SKIP it is not here: make test INSTALL=1 installs it"
        return
    fi
    build/bin/vgpucc -ccbin "mpicxx.$1" -Icommon "$tmp/ranks.cu" -o "$tmp/$1" \
        2>"$tmp/err"
    ranks "$1" "two ranks, with its own compiler driver"
    # shellcheck disable=SC2046
    build/bin/vgpucc -Icommon "$tmp/ranks.cu" -o "$tmp/$1" 2>"$tmp/err" \
        $("mpicxx.$1" -show | tr ' ' '\n' | grep '^-[ILl]')
    ranks "$1" "two ranks, with its folders and libraries"
}

# plate NAME: the program beside lab 13, with and without copies of its own.
plate() {
    local how wrong=0
    if ! build/bin/vgpucc -ccbin "mpicxx.$1" -O2 -Icommon \
        labs/13_cipher_mgpu/ranks.cu -o "$tmp/plate" 2>"$tmp/err"
    then
        true
        ok "$1: a plate in strips # SKIP it is not here: make test INSTALL=1 installs it"
        return
    fi
    for how in '' aware; do
        VGPU_CHECK=1 timeout 120 "mpirun.$1" -n 2 "$tmp/plate" 8192 512 10 $how \
            >"$tmp/out.$how" 2>"$tmp/err" || wrong=1
        grep -q 'hazard\|warning' "$tmp/err" && wrong=1
    done
    [ $wrong = 0 ] && grep -qxFf "$tmp/out." docs/measured/ranks-vgpu.txt &&
        grep -q 'wrong: 0 and 0' "$tmp/out.aware"
    ok "$1: a plate in strips, in the times that are recorded"
    sed '/WaitEvent(s->rim/d' labs/13_cipher_mgpu/ranks.cu >"$tmp/early.cu"
    build/bin/vgpucc -ccbin "mpicxx.$1" -O2 -Icommon "$tmp/early.cu" \
        -o "$tmp/plate" 2>"$tmp/err"
    VGPU_CHECK=1 timeout 120 "mpirun.$1" -n 2 "$tmp/plate" 2048 64 3 \
        >"$tmp/out" 2>&1
    grep -q 'hazard: kernel heat_gpu and kernel heat_gpu' "$tmp/out"
    ok "$1: ... and a hazard without the event"
}
awk '/ ranks, / { gsub(/,/, ""); seen[$5 " " $10 " " $13] = 1 }
     /^\| [0-9]/ && !seen[$2 " " $4 " " $7] { print FILENAME ": " $0 }' \
    docs/measured/ranks-vgpu.txt labs/13_cipher_mgpu/ranks.md >"$tmp/out"
[ ! -s "$tmp/out" ]
ok "the page has the times that are recorded"
for name in mpich openmpi; do
    mpi $name
    plate $name
done
echo "1..$count"
